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
    for (size_t i = 0; i < sinks_.size(); ++i) sinks_[i].id = (*ids)[i];
    head_.id = sinks_.front().id;
    head_.model = service_.request(head_.id).value_or(service::RequestSnapshot{}).model;
    head_.created = std::chrono::system_clock::now();
    head_.n_choices = choices_.size();
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
    exchange_->begin_stream(format_->stream_type());
    exchange_->write(format_->begin(head_));
    for (size_t i = 0; i < choices_.size(); ++i) {
        Choice& choice = choices_[i];
        if (!choice.thinking.empty()) exchange_->write(format_->thinking(i, std::exchange(choice.thinking, {})));
        if (!choice.text.empty()) {
            exchange_->write(format_->text(i, std::exchange(choice.text, {}), std::exchange(choice.logprobs, {})));
        }
        if (sinks_[i].ended) {
            exchange_->write(format_->end_choice(i, choice.outcome, std::exchange(choice.logprobs, {})));
        }
    }
}

void Generation::on_text(size_t choice, std::string_view text) {
    auto logprobs = sinks_[choice].aligner.take(text);
    if (streaming_) {
        if (!failed_) exchange_->write(format_->text(choice, text, logprobs));
    } else {
        choices_[choice].text += text;
        keep(choice, std::move(logprobs));
    }
}

void Generation::on_part(size_t choice, const protocol::AnswerPart& part) {
    if (part.kind != protocol::AnswerPart::Kind::Thinking) return;
    if (!streaming_) {
        choices_[choice].thinking += part.text;
    } else if (!failed_) {
        exchange_->write(format_->thinking(choice, part.text));
    }
}

void Generation::keep(size_t choice, std::vector<AlignedLogprobs> logprobs) {
    std::move(logprobs.begin(), logprobs.end(), std::back_inserter(choices_[choice].logprobs));
}

void Generation::on_finished(size_t choice, const service::Outcome& outcome) {
    sinks_[choice].ended = true;
    ++n_ended_;
    choices_[choice].outcome = outcome;
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
        exchange_->reply(json_reply(format_->whole(head_, choices_)));
    }
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
