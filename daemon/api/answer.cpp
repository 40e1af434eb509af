#include "api/answer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace llmd::api {

using base::Error;
using base::ErrorCode;
using base::Result;

Answer::Answer(service::Service& service, AnswerSink& sink, AnswerFormat* format, AnswerMode mode,
               std::function<void()> on_ended)
    : service_(service), sink_(sink), format_(format), mode_(mode), on_ended_(std::move(on_ended)) {}

Answer::~Answer() {
    sink_.set_events({});
}

Result<void> Answer::submit(std::vector<service::GenerateRequest> requests, std::vector<std::string> notes,
                            SentNames sent) {
    sent_ = std::move(sent);
    std::vector<service::RequestSink*> receivers;
    for (size_t i = 0; i < requests.size(); ++i) receivers.push_back(&receivers_.emplace_back(*this, i));
    const auto ids = service_.submit(std::move(requests), receivers);
    if (!ids) {
        receivers_.clear();
        return sent_.in(ids.error());
    }
    choices_.resize(receivers_.size());
    head_.created = std::chrono::system_clock::now();
    for (size_t i = 0; i < receivers_.size(); ++i) {
        receivers_[i].id = (*ids)[i];
        receivers_[i].key = answer_key(head_.created, receivers_[i].id);
    }
    head_.id = receivers_.front().id;
    head_.n_choices = choices_.size();
    head_.notes = std::move(notes);
    name_model();

    AnswerSink::Events events;
    events.on_paused = [this](bool paused) { set_paused(paused); };
    events.on_gone = [this](const std::optional<Error>& error) { end_requests(error); };
    sink_.set_events(std::move(events));
    if (mode_ == AnswerMode::StreamNow) begin_stream();
    return {};
}

void Answer::name_model() {
    const auto request = service_.request(head_.id);
    if (!request) return;  // it has ended, and its outcome has named it
    head_.model = request->model;
    head_.where = request->where;
}

std::optional<service::RequestId> Answer::unended() const {
    const auto unended =
        std::find_if(receivers_.begin(), receivers_.end(), [](const Receiver& one) { return !one.ended; });
    return unended == receivers_.end() ? std::nullopt : std::optional(unended->id);
}

// It may have ended meanwhile, which on_finished() is about to report.
void Answer::end_requests(const std::optional<Error>& error) {
    for (const Receiver& receiver : receivers_) {
        if (!receiver.ended) (void)(error ? service_.fail(receiver.id, *error) : service_.cancel(receiver.id));
    }
}

void Answer::set_paused(bool paused) {
    for (const Receiver& receiver : receivers_) {
        if (!receiver.ended) (void)service_.set_paused(receiver.id, paused);
    }
}

void Answer::on_accepted(uint32_t prompt_tokens) {
    head_.prompt_tokens = prompt_tokens;
    // After this no other status is possible; before it the client would not know that its request is in order.
    if (++n_accepted_ == receivers_.size() && mode_ == AnswerMode::Stream && !failed_) begin_stream();
}

void Answer::begin_stream() {
    streaming_ = true;
    name_model();
    sink_.begin(head_);
    write(format_->begin(head_));
    for (const Part& part : std::exchange(waiting_, {})) send(part);
    for (size_t i = 0; i < choices_.size(); ++i) {
        Choice& choice = choices_[i];
        if (receivers_[i].ended) {
            write(format_->end_choice(i, choice.outcome, std::exchange(choice.logprobs, {})));
        }
    }
}

void Answer::on_part(Part part) {
    if (failed_) return;
    add_part(choices_[part.choice].calls, part.part, receivers_[part.choice].key);
    if (streaming_) {
        send(part);
    } else if (mode_ != AnswerMode::Whole) {
        waiting_.push_back(std::move(part));
    } else {
        keep(part);
    }
}

void Answer::send(const Part& part) {
    using Kind = protocol::AnswerPart::Kind;
    const auto& [choice, what, logprobs] = part;
    const auto& calls = choices_[choice].calls;
    std::string bytes;
    switch (what.kind) {
        case Kind::Text:
            bytes = format_->text(choice, what.text, logprobs);
            break;
        case Kind::Thinking:
            bytes = format_->thinking(choice, what.text);
            break;
        case Kind::CallBegin:
            bytes = format_->call_begin(choice, what.call, calls[what.call]);
            break;
        case Kind::CallArguments:
            bytes = format_->call_arguments(choice, what.call, what.text);
            break;
        case Kind::CallEnd:
        case Kind::CallCut:
            bytes = format_->call_end(choice, what.call, calls[what.call]);
            break;
    }
    write(bytes);
}

void Answer::keep(const Part& part) {
    using Kind = protocol::AnswerPart::Kind;
    Choice& choice = choices_[part.choice];
    if (part.part.kind == Kind::Text) choice.text += part.part.text;
    if (part.part.kind == Kind::Thinking) choice.thinking += part.part.text;
    keep(part.choice, part.logprobs);
}

void Answer::keep(size_t choice, std::vector<AlignedLogprobs> logprobs) {
    std::move(logprobs.begin(), logprobs.end(), std::back_inserter(choices_[choice].logprobs));
}

void Answer::on_finished(size_t choice, const service::Outcome& outcome) {
    receivers_[choice].ended = true;
    ++n_ended_;
    choices_[choice].outcome = outcome;
    if (choice == 0) {
        head_.model = outcome.model;
        head_.where = outcome.where;
    }
    keep(choice, receivers_[choice].aligner.finish());
    if (!failed_) {
        if (outcome.finish == service::Finish::Cancelled) {
            fail({ErrorCode::Cancelled, "the request was cancelled"}, choices_[choice]);
        } else if (outcome.error) {
            fail(sent_.in(*outcome.error), choices_[choice]);
        } else if (streaming_) {
            write(format_->end_choice(choice, outcome, std::exchange(choices_[choice].logprobs, {})));
        }
    }
    if (n_ended_ < receivers_.size()) return;
    if (!failed_) end();
    on_ended_();
}

void Answer::end() {
    // A deadline may pass before the engine has accepted the request; what was to be a stream is one all the same.
    if (mode_ != AnswerMode::Whole && !streaming_) begin_stream();
    if (!streaming_) return sink_.reply(head_, choices_);
    write(format_->end(choices_));
    sink_.finish();
}

void Answer::fail(const Error& error, const Choice& failed) {
    failed_ = true;
    if (streaming_) {
        write(format_->failure(error, failed));
        sink_.finish();
    } else {
        sink_.refuse(error, failed.outcome.prompt_tokens);
    }
    end_requests(std::nullopt);
}

void Answer::write(const std::string& bytes) {
    if (!bytes.empty()) sink_.write(bytes);
}

}  // namespace llmd::api
