#include "http/exchange.h"

#include <cstring>

namespace llmd::http {

Exchange::Exchange(base::EventLoop& loop, Connection connection, std::chrono::milliseconds stall_timeout)
    : connection_(std::move(connection)),
      backlog_(loop,
               {[this](bool paused) { events_.on_paused(paused); },
                [this, stall_timeout] {
                    const auto close = connection_.close;
                    give_up(base::fail(base::ErrorCode::SlowConsumer, "the reader took nothing for ",
                                       stall_timeout.count(), " ms"));
                    close();
                }},
               stall_timeout) {}

void Exchange::reply(Reply reply) {
    if (gone_) return;
    answer_ = std::move(reply);
    connection_.wake();
}

void Exchange::begin_stream(const char* type, std::vector<std::pair<const char*, std::string>> headers) {
    if (gone_) return;
    answer_.emplace();
    answer_->type = type;
    answer_->headers = std::move(headers);
    is_stream_ = true;
    connection_.wake();
}

void Exchange::write(std::string_view bytes) {
    if (gone_ || bytes.empty()) return;
    backlog_.append(bytes);
    backlog_.review();
    connection_.wake();
}

void Exchange::finish() {
    if (gone_) return;
    backlog_.finish();
    backlog_.review();
    connection_.wake();
}

size_t Exchange::read(char* out, size_t size) {
    const std::string_view waiting = backlog_.waiting().substr(0, size);
    std::memcpy(out, waiting.data(), waiting.size());
    const size_t n = waiting.size();
    backlog_.take(n);
    if (n > 0) backlog_.review();
    return n;
}

void Exchange::leave() {
    give_up(std::nullopt);
}

void Exchange::give_up(const std::optional<base::Error>& error) {
    if (std::exchange(gone_, true)) return;
    const bool complete = is_stream_ ? backlog_.finishing() : answer_.has_value();
    connection_ = {};
    backlog_.clear();
    if (!complete) events_.on_gone(error);
}

}  // namespace llmd::http
