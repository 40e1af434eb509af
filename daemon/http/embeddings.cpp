#include "http/embeddings.h"

#include <utility>

namespace llmd::http {

using base::Error;
using base::ErrorCode;

namespace {

// The error that an outcome is for whoever waits for an embedding; nothing when it has one.
std::optional<Error> error_of(const service::Outcome& outcome) {
    if (outcome.error) return outcome.error;
    if (outcome.finish == service::Finish::Cancelled) return Error{ErrorCode::Cancelled, "the request was cancelled"};
    if (outcome.finish == service::Finish::Timeout) return Error{ErrorCode::Timeout, "deadline_ms has passed"};
    return std::nullopt;
}

}  // namespace

Embeddings::Embeddings(base::EventLoop& loop, service::Service& service, std::shared_ptr<Exchange> exchange,
                       EmbeddingsFormat format, std::function<void()> on_ended)
    : loop_(loop),
      service_(service),
      exchange_(std::move(exchange)),
      format_(std::move(format)),
      on_ended_(std::move(on_ended)) {}

Embeddings::~Embeddings() {
    loop_.cancel_timer(retry_timer_);
    exchange_->set_events({});
}

void Embeddings::submit(std::vector<service::GenerateRequest> requests, size_t most_at_once) {
    Exchange::Events events;
    events.on_gone = [this](const std::optional<Error>& error) {
        const bool none_runs = retry_timer_ != 0;
        end_requests(error);
        if (none_runs) on_ended_();
    };
    exchange_->set_events(std::move(events));
    requests_ = std::move(requests);
    outcomes_.resize(requests_.size());
    most_at_once_ = most_at_once;
    submit_more();
    if (!is_waiting()) on_ended_();
}

void Embeddings::submit_more() {
    while (!failed_ && sinks_.size() < requests_.size() && n_running_ < most_at_once_) {
        const size_t input = sinks_.size();
        const auto id = service_.submit(requests_[input], sinks_.emplace_back(*this, input));
        if (!id) {
            sinks_.pop_back();
            const ErrorCode code = id.error().code;
            const bool waits = code == ErrorCode::RateLimited || code == ErrorCode::QueueFull;
            if (!waits || sinks_.empty()) {
                fail(id.error());
            } else if (n_running_ == 0) {  // else room comes with the end of one that runs
                retry_timer_ = loop_.add_timer_after(kRetryInterval, [this] { retry(); });
            }
            return;
        }
        sinks_.back().id = *id;
        ++n_running_;
    }
}

void Embeddings::retry() {
    retry_timer_ = 0;
    submit_more();
    if (!is_waiting()) on_ended_();
}

void Embeddings::on_finished(size_t input, const service::Outcome& outcome) {
    sinks_[input].ended = true;
    --n_running_;
    outcomes_[input] = outcome;
    if (!failed_) {
        if (const auto error = error_of(outcome)) {
            fail(*error, outcome.prompt_tokens);
        } else {
            submit_more();
        }
    }
    if (is_waiting()) return;
    if (!failed_) exchange_->reply(json_reply(format_.answer(outcomes_)));
    on_ended_();
}

void Embeddings::fail(const Error& error, uint32_t prompt_tokens) {
    exchange_->reply(format_.refusal(error, prompt_tokens));
    end_requests(std::nullopt);
}

void Embeddings::end_requests(const std::optional<Error>& error) {
    failed_ = true;
    loop_.cancel_timer(std::exchange(retry_timer_, 0));
    for (const Sink& sink : sinks_) {
        if (!sink.ended) (void)(error ? service_.fail(sink.id, *error) : service_.cancel(sink.id));
    }
}

}  // namespace llmd::http
