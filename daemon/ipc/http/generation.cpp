#include "ipc/http/generation.h"

#include <utility>

namespace llmd::ipc::http {

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

base::Result<void> Generation::submit(service::GenerateRequest request) {
    const auto id = service_.submit(std::move(request), *this);
    if (!id) return id.error();
    head_ = {*id, service_.request(*id).value_or(service::RequestSnapshot{}).model, std::chrono::system_clock::now()};
    Exchange::Events events;
    events.on_paused = [this](bool paused) { (void)service_.set_paused(head_.id, paused); };
    events.on_gone = [this](const std::optional<Error>& error) { on_client_gone(error); };
    exchange_->set_events(std::move(events));
    return {};
}

void Generation::on_client_gone(const std::optional<Error>& error) {
    // It may have ended meanwhile, which on_finished() is about to tell.
    if (error) {
        (void)service_.fail(head_.id, *error);
    } else {
        (void)service_.cancel(head_.id);
    }
}

void Generation::on_accepted(uint32_t) {
    // After this no other status is possible; before it the client would not know that its request is in order.
    if (!stream_ || std::exchange(streaming_, true)) return;
    exchange_->begin_stream(format_->stream_type());
    exchange_->write(format_->begin(head_));
}

void Generation::on_text(std::string_view text) {
    if (streaming_) {
        exchange_->write(format_->text(text));
    } else {
        text_ += text;
    }
}

void Generation::on_finished(const service::Outcome& outcome) {
    std::optional<Error> error = outcome.error;
    if (outcome.finish == service::Finish::Cancelled) error = {ErrorCode::Cancelled, "the request was cancelled"};
    if (streaming_) {
        exchange_->write(error ? format_->failure(*error) : format_->end(outcome));
        exchange_->finish();
    } else if (error) {
        exchange_->reply(format_->refusal(*error));
    } else {
        exchange_->reply(json_reply(format_->whole(head_, text_, outcome)));
    }
    on_ended_();
}

}  // namespace llmd::ipc::http
