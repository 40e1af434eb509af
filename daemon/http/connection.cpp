#include "http/connection.h"

#include <strings.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>
#include <limits>

#include "api/errors.h"
#include "base/json_writer.h"
#include "http/api.h"

namespace llmd::http {

namespace {

using base::ErrorCode;
using base::fail;

// A body that is refused is received for nothing up to this, because most clients read no answer before they have sent
// all. One that sends more is cut off.
constexpr size_t kMaxIgnoredBytes = 64u << 20;
// So much of a stream's text is handed to libmicrohttpd at a time.
constexpr size_t kStreamBlockBytes = 16u << 10;

// Past libmicrohttpd, which is to send nothing more on this connection. As much as the socket takes at once: an empty
// one takes all.
void send_at_once(int fd, const Reply& reply) {
    const std::string bytes = wire_reply(reply);
    (void)::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// By this header a bridge of earlier builds marked what it passed on to this socket. One that still runs would have
// that pass for what the user's own programs ask.
constexpr const char* kOldBridgeHeader = "Llmd-Bridge";

}  // namespace

// Facts about the headers of a request.
struct Connection::Head {
    size_t n_headers = 0;
    size_t n_lengths = 0;
    bool is_chunked = false;
    bool is_coded = false;  // in a way that libmicrohttpd does not undo
    bool is_encoded = false;
    bool is_of_old_bridge = false;
    bool waits_for_answer = false;  // before it sends its body
    size_t length = 0;
    HeaderList headers;

    void add(const char* name, const char* value) {
        ++n_headers;
        headers.emplace_back(name, value);
        const auto is = [name](const char* other) { return ::strcasecmp(name, other) == 0; };
        is_of_old_bridge = is_of_old_bridge || is(kOldBridgeHeader);
        if (is(MHD_HTTP_HEADER_CONTENT_LENGTH)) {
            ++n_lengths;
            const auto [end, error] = std::from_chars(value, value + std::strlen(value), length);
            if (error != std::errc()) length = std::numeric_limits<size_t>::max();
        } else if (is(MHD_HTTP_HEADER_TRANSFER_ENCODING)) {
            is_chunked = true;
            is_coded = is_coded || ::strcasecmp(value, "chunked") != 0;
        } else if (is(MHD_HTTP_HEADER_CONTENT_ENCODING)) {
            is_encoded = ::strcasecmp(value, "identity") != 0;
        } else if (is(MHD_HTTP_HEADER_EXPECT)) {
            waits_for_answer = true;
        }
    }
    // Whether its body, which is refused, is to be received all the same.
    bool is_drained() const {
        return !waits_for_answer && n_lengths + (is_chunked ? 1 : 0) == 1 && !is_coded && length <= kMaxIgnoredBytes;
    }
};

base::Result<void> BodyBudget::take(const std::string& owner, size_t n_bytes) {
    const auto found = by_owner_.find(owner);
    const size_t of_owner = found == by_owner_.end() ? 0 : found->second;
    if (of_owner + n_bytes > most_per_owner_) {
        return fail(ErrorCode::RateLimited, "body: this application sends ", of_owner, " bytes at the moment; with ",
                    n_bytes, " they are more than ", most_per_owner_);
    }
    if (n_bytes_ + n_bytes > kMaxBytes) {
        return fail(ErrorCode::NotReady, "body: ", n_bytes_, " bytes are being received; with ", n_bytes,
                    " they are more than ", kMaxBytes);
    }
    n_bytes_ += n_bytes;
    by_owner_[owner] += n_bytes;
    return {};
}

void BodyBudget::give_back(const std::string& owner, size_t n_bytes) {
    n_bytes_ -= n_bytes;
    const auto found = by_owner_.find(owner);
    found->second -= n_bytes;
    if (found->second == 0) by_owner_.erase(found);
}

Connection::Connection(base::EventLoop& loop, Api& api, BodyBudget& bodies, CallQueue& calls, int fd,
                       base::Caller caller, std::optional<base::BridgePreamble> bridge)
    : loop_(loop),
      api_(api),
      bodies_(bodies),
      calls_(calls),
      fd_(fd),
      caller_(std::move(caller)),
      bridge_(std::move(bridge)) {
    set_time_limit(kHeaderTime);
}

Connection::~Connection() {
    release_body();
    if (exchange_) exchange_->leave();
    leave_queue();
    unwatch();
    loop_.cancel_timer(timer_);
}

std::optional<Connection::Waits> Connection::waits() const {
    return stage_ == Stage::Headers ? std::optional(waits_) : std::nullopt;
}

void Connection::cut() {
    gone_ = true;
    ::shutdown(fd_, SHUT_RDWR);
    wake();
}

void Connection::set_time_limit(std::chrono::seconds limit) {
    loop_.cancel_timer(timer_);
    timer_ = loop_.add_timer_after(limit, [this, limit] { on_time(limit); });
}

void Connection::on_time(std::chrono::seconds limit) {
    if (bridge_ && exchange_ && !is_refused_) {
        const char* part = stage_ == Stage::Headers ? "headers" : "body";
        send_at_once(
            fd_, refusal(408, fail(ErrorCode::Timeout, "the ", part, " did not come within ", limit.count(), " s")));
    }
    cut();
}

void Connection::on_request_line(size_t n_bytes) {
    n_request_line_ = n_bytes;
    exchange_ = std::make_shared<Exchange>(loop_, Exchange::Connection{[this] { wake(); }, [this] { cut(); }});
}

MHD_Result Connection::on_access(const char* method, const char* path, const char* data, size_t* n_data) {
    switch (stage_) {
        case Stage::Headers:
            request_ = {method, Api::plain_path(path), {}, caller_};
            n_body_ = 0;
            return on_head();
        case Stage::Body:
            if (*n_data > 0) {
                receive(data, std::exchange(*n_data, 0));
                if (n_body_ > kMaxBodyBytes && !is_refused_) refuse_body(body_too_large());
                return n_body_ <= kMaxIgnoredBytes ? MHD_YES : MHD_NO;
            }
            if (is_refused_) return MHD_NO;
            stage_ = Stage::Answer;
            release_body(request_.body.size());
            loop_.cancel_timer(std::exchange(timer_, 0));
            handle();
            break;
        case Stage::Answer:
            break;
    }
    if (gone_) return MHD_NO;
    if (exchange_->answer()) return send_answer();
    suspend();
    return MHD_YES;
}

MHD_Result Connection::on_head() {
    Head head;
    const auto add = [](void* facts, MHD_ValueKind, const char* name, const char* value) {
        static_cast<Head*>(facts)->add(name, value ? value : "");
        return MHD_YES;
    };
    MHD_get_connection_values(handle_, MHD_HEADER_KIND, add, &head);
    auto refused = refuse_head(head);
    if (refused && !head.is_drained()) {
        stage_ = Stage::Answer;
        loop_.cancel_timer(std::exchange(timer_, 0));
        refused->headers.emplace_back(MHD_HTTP_HEADER_CONNECTION, "close");
        exchange_->reply(*std::move(refused));
        return send_answer();
    }
    if (refused) refuse_body(*std::move(refused));
    stage_ = Stage::Body;
    set_time_limit(kBodyTime);
    return MHD_YES;
}

// Not through libmicrohttpd, which would close the connection while the client still sends, and the client see that
// instead of the answer.
void Connection::refuse_body(Reply reply) {
    is_refused_ = true;
    release_body();
    leave_queue();
    reply.headers.insert(reply.headers.end(), cors_.begin(), cors_.end());
    send_at_once(fd_, reply);
    ::shutdown(fd_, SHUT_WR);
}

void Connection::handle() {
    const auto start = [this] {
        release_body();
        api_.handle(exchange_, std::exchange(request_, {}));
    };
    if (place_ == 0) return start();
    calls_.ready(place_, start);
}

Reply Connection::refusal(unsigned status, const base::Error& error) const {
    return refuse_in_form(request_.path, status, error);
}

Reply Connection::body_too_large() const {
    return refusal(413, fail(ErrorCode::PromptTooLong, "body: more than ", kMaxBodyBytes, " bytes"));
}

std::optional<Reply> Connection::refuse_head(const Head& head) {
    if (n_request_line_ > kMaxRequestLineBytes) {
        return refusal(
            414, fail(ErrorCode::InvalidArgument, "the request line has more than ", kMaxRequestLineBytes, " bytes"));
    }
    if (head.n_headers > kMaxHeaders) {
        return refusal(431, fail(ErrorCode::InvalidArgument, head.n_headers, " headers are more than ", kMaxHeaders));
    }
    if (!bridge_ && head.is_of_old_bridge) {
        return refusal(403, fail(ErrorCode::NotAllowed, kOldBridgeHeader,
                                 ": this llmctl bridge is of an earlier release; end it and start it again"));
    }
    if (bridge_) {
        cors_ = cors_headers(*bridge_, head.headers);
        if (auto reply = answer_bridged(*bridge_, request_.method, request_.path, head.headers)) return reply;
    }
    // Where they differ, two readers see different requests.
    if (head.n_lengths + (head.is_chunked ? 1 : 0) > 1) {
        return refusal(400, fail(ErrorCode::InvalidArgument, "the length of the body is given more than once"));
    }
    if (head.is_coded) {
        return refusal(501, fail(ErrorCode::InvalidArgument, "Transfer-Encoding: only chunked is understood"));
    }
    if (head.is_encoded) {
        return refusal(415, fail(ErrorCode::InvalidArgument, "Content-Encoding: only identity is understood"));
    }
    if (head.length > kMaxBodyBytes) return body_too_large();
    if (Api::is_call(request_.method, request_.path)) {
        const auto place = calls_.enter(request_.caller);
        if (!place) return refusal(api::error_row(place.error().code).http_status, place.error());
        place_ = *place;
    }
    // A body that comes in chunks may become as long as any.
    const size_t n_bytes = head.is_chunked ? kMaxBodyBytes : head.length;
    if (n_bytes <= BodyBudget::kFreeBytes) return std::nullopt;
    if (auto taken = bodies_.take(body_owner(), n_bytes); !taken) {
        return refusal(api::error_row(taken.error().code).http_status, taken.error());
    }
    n_reserved_ = n_bytes;
    return std::nullopt;
}

void Connection::release_body(size_t n_kept) {
    if (n_reserved_ <= n_kept) return;
    bodies_.give_back(body_owner(), n_reserved_ - n_kept);
    n_reserved_ = n_kept;
}

void Connection::leave_queue() {
    calls_.leave(std::exchange(place_, 0));
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
    send_at_once(fd_, is_number ? body_too_large()
                                : refusal(400, fail(ErrorCode::InvalidArgument,
                                                    "Content-Length: ", base::in_quotes(text), " is not a number")));
    gone_ = true;
    ::shutdown(fd_, SHUT_WR);
}

void Connection::receive(const char* data, size_t n_data) {
    n_body_ += n_data;
    if (n_body_ <= kMaxBodyBytes && !is_refused_) {
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
    const auto add = [response](const ReplyHeaders& headers) {
        for (const auto& [name, value] : headers) MHD_add_response_header(response, name, value.c_str());
    };
    add(reply.headers);
    add(cors_);
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
        leave_queue();
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
    leave_queue();
    exchange_.reset();
    stage_ = Stage::Headers;
    waits_ = {true, base::Clock::now()};
    set_time_limit(kIdleTime);
}

}  // namespace llmd::http
