// One HTTP request over a Unix socket, and its answer as it comes.
//
// The request says HTTP/1.0 (RFC 1945): then the connection carries this one answer, whose body is what follows the
// headers up to its end, neither chunked nor encoded, and closing it early cancels. That is all llmctl needs, and
// libcurl, with the libraries that it brings, would make each start of llmctl more than twice as long (pull/pull.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "client/exit_code.h"

namespace llmd::client {

// Unreachable: somebody listens there, but has not answered in time.
class Unanswered : public CommandError {
    using CommandError::CommandError;
};

struct HttpRequest {
    std::string_view method;
    std::string target;
    std::string body;  // JSON, or empty
};

// Far above what llmd's headers, and the longest list of tokens, take.
inline constexpr size_t kMaxHeadBytes = 16u << 10;
inline constexpr size_t kMaxAnswerBytes = 64u << 20;

class HttpExchange {
public:
    // Connects to the socket at `path` and sends. Throws CommandError: Unreachable naming the path when nobody listens
    // there, or takes nothing for `timeout`; Failed.
    HttpExchange(const std::string& path, const HttpRequest& request,
                 std::optional<std::chrono::milliseconds> timeout = {});

    // Readable when read() need not wait.
    int fd() const { return socket_.get(); }
    // Bytes of the body, empty as long as the headers come; nothing at the end. Throws CommandError: Unreachable when
    // nothing came for `timeout` (Unanswered), or the end came before the headers' end; Failed when this is not HTTP.
    std::optional<std::string> read();
    // 0 until the headers have come.
    unsigned status() const { return status_; }

private:
    void connect();
    void send(std::string_view bytes);
    std::string take_head(std::string_view bytes);
    [[noreturn]] void unreachable(const std::string& why) const;
    [[noreturn]] void unanswered() const;

    const std::string path_;
    base::UniqueFd socket_;
    std::string head_;  // as far as it has come
    unsigned status_ = 0;
};

struct HttpAnswer {
    unsigned status = 0;
    std::string body;
};

// Returns the rest of an answer, up to its end. Throws as HttpExchange does, and Failed past kMaxAnswerBytes.
HttpAnswer whole_answer(HttpExchange exchange);
// The whole answer to a request. Throws as HttpExchange does, and Failed past kMaxAnswerBytes.
HttpAnswer fetch(const std::string& path, const HttpRequest& request,
                 std::optional<std::chrono::milliseconds> timeout = {});

}  // namespace llmd::client
