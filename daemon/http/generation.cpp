#include "http/generation.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace llmd::http {

using base::Error;
using base::ErrorCode;

Generation::Generation(service::Service& service, std::shared_ptr<Exchange> exchange,
                       std::unique_ptr<AnswerFormat> format, bool stream, std::function<void()> on_ended)
    : service_(service),
      exchange_(std::move(exchange)),
      format_(std::move(format)),
      stream_(stream),
      on_ended_(std::move(on_ended)) {}

Generation::~Generation() {
    exchange_->set_events({});
}

void Generation::submit(std::vector<service::GenerateRequest> requests) {
    Exchange::Events events;
    events.on_paused = [this](bool paused) { set_paused(paused); };
    events.on_gone = [this](const std::optional<Error>& error) { end_requests(error); };
    exchange_->set_events(std::move(events));

    std::vector<service::RequestSink*> sinks;
    for (size_t i = 0; i < requests.size(); ++i) sinks.push_back(&sinks_.emplace_back(*this, i));
    const auto ids = service_.submit(std::move(requests), sinks);
    if (!ids) {
        sinks_.clear();
        fail(ids.error());
        return on_ended_();
    }
    choices_.resize(sinks_.size());
    head_.created = std::chrono::system_clock::now();
    for (size_t i = 0; i < sinks_.size(); ++i) {
        sinks_[i].id = (*ids)[i];
        sinks_[i].key = api::answer_key(head_.created, sinks_[i].id);
    }
    head_.id = sinks_.front().id;
    name_model();
    head_.n_choices = choices_.size();
}

void Generation::name_model() {
    const auto request = service_.request(head_.id);
    if (!request) return;  // it has ended, and its outcome has named it
    head_.model = request->model;
    head_.where = request->where;
}

std::optional<service::RequestId> Generation::unended() const {
    const auto sink = std::find_if(sinks_.begin(), sinks_.end(), [](const Sink& one) { return !one.ended; });
    return sink == sinks_.end() ? std::nullopt : std::optional(sink->id);
}

// It may have ended meanwhile, which on_finished() is about to tell.
void Generation::end_requests(const std::optional<Error>& error) {
    for (const Sink& sink : sinks_) {
        if (!sink.ended) (void)(error ? service_.fail(sink.id, *error) : service_.cancel(sink.id));
    }
}

void Generation::set_paused(bool paused) {
    for (const Sink& sink : sinks_) {
        if (!sink.ended) (void)service_.set_paused(sink.id, paused);
    }
}

void Generation::on_accepted() {
    // After this no other status is possible; before it the client would not know that its request is in order.
    if (++n_accepted_ == sinks_.size() && stream_ && !failed_) begin_stream();
}

void Generation::begin_stream() {
    streaming_ = true;
    name_model();
    exchange_->begin_stream(format_->stream_type(), headers());
    exchange_->write(format_->begin(head_));
    for (const Part& part : std::exchange(waiting_, {})) send(part);
    for (size_t i = 0; i < choices_.size(); ++i) {
        Choice& choice = choices_[i];
        if (sinks_[i].ended) {
            exchange_->write(format_->end_choice(i, choice.outcome, std::exchange(choice.logprobs, {})));
        }
    }
}

void Generation::on_part(Part part) {
    if (failed_) return;
    api::add_part(choices_[part.choice].calls, part.part, sinks_[part.choice].key);
    if (streaming_) {
        send(part);
    } else if (stream_) {
        waiting_.push_back(std::move(part));
    } else {
        keep(part);
    }
}

void Generation::send(const Part& part) {
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
    exchange_->write(bytes);
}

void Generation::keep(const Part& part) {
    using Kind = protocol::AnswerPart::Kind;
    Choice& choice = choices_[part.choice];
    if (part.part.kind == Kind::Text) choice.text += part.part.text;
    if (part.part.kind == Kind::Thinking) choice.thinking += part.part.text;
    keep(part.choice, part.logprobs);
}

void Generation::keep(size_t choice, std::vector<api::AlignedLogprobs> logprobs) {
    std::move(logprobs.begin(), logprobs.end(), std::back_inserter(choices_[choice].logprobs));
}

void Generation::on_finished(size_t choice, const service::Outcome& outcome) {
    sinks_[choice].ended = true;
    ++n_ended_;
    choices_[choice].outcome = outcome;
    if (choice == 0) {
        head_.model = outcome.model;
        head_.where = outcome.where;
    }
    auto logprobs = sinks_[choice].aligner.finish();
    if (!failed_) {
        if (outcome.finish == service::Finish::Cancelled) {
            fail({ErrorCode::Cancelled, "the request was cancelled"});
        } else if (outcome.error) {
            fail(*outcome.error, outcome.prompt_tokens);
        } else if (streaming_) {
            exchange_->write(format_->end_choice(choice, outcome, logprobs));
        } else {
            keep(choice, std::move(logprobs));
        }
    }
    if (n_ended_ < sinks_.size()) return;
    if (!failed_) answer();
    on_ended_();
}

void Generation::answer() {
    // A deadline may pass before the engine has accepted the request; what was to be a stream is one all the same.
    if (stream_ && !streaming_) begin_stream();
    if (streaming_) {
        exchange_->write(format_->end(choices_));
        exchange_->finish();
    } else {
        Reply reply = json_reply(format_->whole(head_, choices_));
        reply.headers = headers();
        exchange_->reply(std::move(reply));
    }
}

std::vector<std::pair<const char*, std::string>> Generation::headers() const {
    std::vector<std::pair<const char*, std::string>> headers{{kWhereHeader, head_.where}};
    for (const std::string& note : notes_) headers.emplace_back(kNoteHeader, note);
    return headers;
}

void Generation::fail(const Error& error, uint32_t prompt_tokens) {
    failed_ = true;
    if (streaming_) {
        exchange_->write(format_->failure(error));
        exchange_->finish();
    } else {
        exchange_->reply(format_->refusal(error, prompt_tokens));
    }
    end_requests(std::nullopt);
}

}  // namespace llmd::http
