// One HTTP request on its way to being answered: what stands between whoever answers it and its connection. Either may
// go first; the other then finds that out here and nowhere else.
// Thread-bound to the event loop.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/answer_sink.h"
#include "api/backlog.h"
#include "base/event_loop.h"
#include "http/reply.h"

namespace llmd::http {

class Exchange {
public:
    // The connection's part.
    struct Connection {
        std::function<void()> wake;   // there is something to send
        std::function<void()> close;  // the client's connection is to be dropped
    };
    using Events = api::AnswerSink::Events;  // of whoever answers

    // `stall_timeout` is shorter in tests.
    Exchange(base::EventLoop& loop, Connection connection,
             std::chrono::milliseconds stall_timeout = api::Backlog::kStallTimeout);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    // --- For whoever answers -----------------------------------------------------------------------------------------
    void set_events(Events events) { events_ = std::move(events); }
    // One of these, once; a stream goes on with write() until finish(). All do nothing when the client has gone.
    void reply(Reply reply);
    void begin_stream(const char* type, std::vector<std::pair<const char*, std::string>> headers = {});
    void write(std::string_view bytes);
    void finish();

    // --- For the connection ------------------------------------------------------------------------------------------
    // What to send: nothing before there is an answer; of a stream, what stands before its body.
    const std::optional<Reply>& answer() const { return answer_; }
    bool is_stream() const { return is_stream_; }
    // The next bytes of a stream, at most `size`; 0 when there are none now or at its end.
    size_t read(char* out, size_t size);
    bool at_end() const { return backlog_.finishing() && backlog_.waiting().empty(); }
    // The client or its connection has gone, or the answer has been sent: the connection is not called again.
    void leave();

private:
    void give_up(const std::optional<base::Error>& error);

    Connection connection_;
    Events events_;
    std::optional<Reply> answer_;
    api::Backlog backlog_;
    bool is_stream_ = false;
    bool gone_ = false;
};

}  // namespace llmd::http
