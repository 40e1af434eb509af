#include "http/connection.h"

#include <poll.h>
#include <strings.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "api/errors.h"
#include "base/bridge_header.h"
#include "base/json_writer.h"
#include "http/api.h"

namespace llmd::http {

namespace {

using base::ErrorCode;
using base::fail;

// Beyond the limit this much is received for nothing, so that a client that has begun to send can finish and read why;
// one that sends more is cut off.
constexpr size_t kMaxIgnoredBytes = 4u << 20;
// Of a stream's text, handed to libmicrohttpd at a time.
constexpr size_t kStreamBlockBytes = 16u << 10;

static_assert(base::kBridgeCalls == service::RequestLimits::allowance(true).per_application);

Reply body_too_large() {
    return refuse_with(413, fail(ErrorCode::PromptTooLong, "body: more than ", kMaxBodyBytes, " bytes"));
}

// Facts about the headers of a request.
struct Head {
    size_t n_headers = 0;
    size_t n_lengths = 0;
    bool is_chunked = false;
    bool is_coded = false;  // in a way that libmicrohttpd does not undo
    bool is_encoded = false;
    size_t length = 0;

    void add(const char* name, const char* value) {
        ++n_headers;
        const auto is = [name](const char* other) { return ::strcasecmp(name, other) == 0; };
        if (is(MHD_HTTP_HEADER_CONTENT_LENGTH)) {
            ++n_lengths;
            const auto [end, error] = std::from_chars(value, value + std::strlen(value), length);
            if (error != std::errc()) length = std::numeric_limits<size_t>::max();
        } else if (is(MHD_HTTP_HEADER_TRANSFER_ENCODING)) {
            is_chunked = true;
            is_coded = is_coded || ::strcasecmp(value, "chunked") != 0;
        } else if (is(MHD_HTTP_HEADER_CONTENT_ENCODING)) {
            is_encoded = ::strcasecmp(value, "identity") != 0;
        }
    }
};

}  // namespace

base::Result<void> BodyBudget::take(const std::string& share, size_t n_bytes) {
    const auto found = by_share_.find(share);
    const size_t of_share = found == by_share_.end() ? 0 : found->second;
    if (of_share + n_bytes > kMaxBytesPerApplication) {
        return fail(ErrorCode::RateLimited, "body: this application sends ", of_share, " bytes at the moment; with ",
                    n_bytes, " they are more than ", kMaxBytesPerApplication);
    }
    if (n_bytes_ + n_bytes > kMaxBytes) {
        return fail(ErrorCode::NotReady, "body: ", n_bytes_, " bytes are being received; with ", n_bytes,
                    " they are more than ", kMaxBytes);
    }
    n_bytes_ += n_bytes;
    by_share_[share] += n_bytes;
    return {};
}

void BodyBudget::give_back(const std::string& share, size_t n_bytes) {
    n_bytes_ -= n_bytes;
    const auto found = by_share_.find(share);
    found->second -= n_bytes;
    if (found->second == 0) by_share_.erase(found);
}

Connection::Connection(base::EventLoop& loop, Api& api, BodyBudget& bodies, int fd, pid_t pid, Client client)
    : loop_(loop), api_(api), bodies_(bodies), fd_(fd), pid_(pid), client_(std::move(client)) {
    set_time_limit(kHeaderTime);
}

Connection::~Connection() {
    release_body();
    if (exchange_) exchange_->leave();
    unwatch();
    loop_.cancel_timer(timer_);
}

void Connection::cut() {
    gone_ = true;
    ::shutdown(fd_, SHUT_RDWR);
    wake();
}

void Connection::set_time_limit(std::chrono::seconds limit) {
    loop_.cancel_timer(timer_);
    timer_ = loop_.add_timer_after(limit, [this] { cut(); });
}

void Connection::on_request_line(size_t n_bytes) {
    n_request_line_ = n_bytes;
    exchange_ = std::make_shared<Exchange>(loop_, Exchange::Connection{[this] { wake(); }, [this] { cut(); }});
}

MHD_Result Connection::on_access(const char* method, const char* path, const char* data, size_t* n_data) {
    switch (stage_) {
        case Stage::Headers:
            request_ = {method, path, {}, requester()};
            n_body_ = 0;
            if (auto reply = refuse_head()) {
                stage_ = Stage::Answer;
                loop_.cancel_timer(std::exchange(timer_, 0));
                reply->headers.emplace_back(MHD_HTTP_HEADER_CONNECTION, "close");
                exchange_->reply(*std::move(reply));
                return send_answer();
            }
            stage_ = Stage::Body;
            set_time_limit(kBodyTime);
            return MHD_YES;
        case Stage::Body:
            if (*n_data > 0) {
                receive(data, std::exchange(*n_data, 0));
                return n_body_ <= kMaxBodyBytes + kMaxIgnoredBytes ? MHD_YES : MHD_NO;
            }
            stage_ = Stage::Answer;
            release_body();
            loop_.cancel_timer(std::exchange(timer_, 0));
            if (n_body_ > kMaxBodyBytes) {
                exchange_->reply(body_too_large());
            } else {
                api_.handle(exchange_, std::exchange(request_, {}));
            }
            break;
        case Stage::Answer:
            break;
    }
    if (gone_) return MHD_NO;
    if (exchange_->answer()) return send_answer();
    suspend();
    return MHD_YES;
}

Client Connection::requester() const {
    Client client = client_;
    const char* bridged = MHD_lookup_connection_value(handle_, MHD_HEADER_KIND, base::kBridgeHeader);
    // A sandbox's own name holds: it would else share the bridge's prefix cache.
    if (bridged != nullptr && !client.caller.sandboxed) {
        client.caller = {.sandboxed = true, .application = base::kBridgeApplication, .share = base::kBridgeApplication};
    }
    return client;
}

std::optional<Reply> Connection::refuse_head() {
    Head head;
    const auto add = [](void* facts, MHD_ValueKind, const char* name, const char* value) {
        static_cast<Head*>(facts)->add(name, value ? value : "");
        return MHD_YES;
    };
    MHD_get_connection_values(handle_, MHD_HEADER_KIND, add, &head);
    if (n_request_line_ > kMaxRequestLineBytes) {
        return refuse_with(
            414, fail(ErrorCode::InvalidArgument, "the request line has more than ", kMaxRequestLineBytes, " bytes"));
    }
    if (head.n_headers > kMaxHeaders) {
        return refuse_with(431,
                           fail(ErrorCode::InvalidArgument, head.n_headers, " headers are more than ", kMaxHeaders));
    }
    // Where they differ, two readers see different requests.
    if (head.n_lengths + (head.is_chunked ? 1 : 0) > 1) {
        return refuse_with(400, fail(ErrorCode::InvalidArgument, "the length of the body is given more than once"));
    }
    if (head.is_coded) {
        return refuse_with(501, fail(ErrorCode::InvalidArgument, "Transfer-Encoding: only chunked is understood"));
    }
    if (head.is_encoded) {
        return refuse_with(415, fail(ErrorCode::InvalidArgument, "Content-Encoding: only identity is understood"));
    }
    if (head.length > kMaxBodyBytes) return body_too_large();
    // What comes in chunks may become as long as any.
    const size_t n_bytes = head.is_chunked ? kMaxBodyBytes : head.length;
    if (n_bytes <= BodyBudget::kFreeBytes) return std::nullopt;
    if (auto taken = bodies_.take(request_.client.caller.share, n_bytes); !taken) {
        return refuse_with(api::error_row(taken.error().code).http_status, taken.error());
    }
    n_reserved_ = n_bytes;
    return std::nullopt;
}

void Connection::release_body() {
    if (n_reserved_ > 0) bodies_.give_back(request_.client.caller.share, std::exchange(n_reserved_, 0));
}

void Connection::refuse_malformed_length() {
    if (stage_ != Stage::Headers || !exchange_ || gone_) return;
    const auto value_of = [this](const char* name) {
        return MHD_lookup_connection_value(handle_, MHD_HEADER_KIND, name);
    };
    const char* value = value_of(MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (!value || value_of(MHD_HTTP_HEADER_TRANSFER_ENCODING)) return;
    const std::string_view text(value);
    uint64_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (error == std::errc() && end == text.data() + text.size()) return;
    const bool is_number = error == std::errc::result_out_of_range && end == text.data() + text.size();
    const std::string reply =
        wire_reply(is_number ? body_too_large()
                             : refuse_with(400, fail(ErrorCode::InvalidArgument,
                                                     "Content-Length: ", base::in_quotes(text), " is not a number")));
    (void)::send(fd_, reply.data(), reply.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    gone_ = true;
    ::shutdown(fd_, SHUT_WR);
}

void Connection::receive(const char* data, size_t n_data) {
    n_body_ += n_data;
    if (n_body_ <= kMaxBodyBytes) {
        request_.body.append(data, n_data);
    } else {
        request_.body = {};
    }
}

MHD_Result Connection::send_answer() {
    const Reply& reply = *exchange_->answer();
    MHD_Response* response =
        exchange_->is_stream()
            ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlockBytes, read_stream, this, nullptr)
            : MHD_create_response_from_buffer(reply.body.size(), const_cast<char*>(reply.body.data()),
                                              MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.type);
    if (exchange_->is_stream()) MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    for (const auto& [name, value] : reply.headers) MHD_add_response_header(response, name, value.c_str());
    const MHD_Result queued = MHD_queue_response(handle_, reply.status, response);
    MHD_destroy_response(response);
    return queued;
}

ssize_t Connection::read_stream(void* connection, uint64_t, char* out, size_t size) {
    auto& self = *static_cast<Connection*>(connection);
    if (self.gone_) return MHD_CONTENT_READER_END_WITH_ERROR;
    const size_t n = self.exchange_->read(out, size);
    if (n > 0) return static_cast<ssize_t>(n);
    if (self.exchange_->at_end()) return MHD_CONTENT_READER_END_OF_STREAM;
    self.suspend();
    return 0;
}

void Connection::suspend() {
    suspended_ = true;
    MHD_suspend_connection(handle_);
    watch();
}

// From the first time that it is suspended until its answer is complete: a descriptor that came and went with each
// piece of a text would change the loop's set twice a token.
void Connection::watch() {
    if (std::exchange(watched_, true)) return;
    // Both directions closed is gone. A client that has only said that it sends no more still waits for its answer.
    // Its request is cancelled before a later connection is served, for which it may have made room.
    loop_.add_fd(fd_, 0, [this](short) {
        unwatch();
        gone_ = true;
        if (exchange_) exchange_->leave();
        wake();
    });
}

void Connection::unwatch() {
    if (std::exchange(watched_, false)) loop_.remove_fd(fd_);
}

void Connection::wake() {
    if (!std::exchange(suspended_, false)) return;
    MHD_resume_connection(handle_);
}

void Connection::on_completed() {
    unwatch();
    release_body();
    if (exchange_) exchange_->leave();
    exchange_.reset();
    stage_ = Stage::Headers;
    set_time_limit(kIdleTime);
}

}  // namespace llmd::http
