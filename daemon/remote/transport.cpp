#include "remote/transport.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <utility>

#include "base/json_writer.h"
#include "base/remote_settings.h"

namespace llmd::remote {

namespace {

using base::ErrorCode;
using base::fail;
using How = TransferEnd::How;

constexpr long kKeepAliveSeconds = 15;
constexpr int kKeepAliveProbes = 3;

// libcurl's own limit on a head: CURLE_TOO_LARGE, which versions before 8.6 do not know and call a want of memory.
bool is_head_limit(CURLcode code) {
    constexpr int kTooLarge = 100;
    return code == CURLE_OUT_OF_MEMORY || static_cast<int>(code) == kTooLarge;
}

How how_it_ended(CURLcode code, CURL* curl) {
    switch (code) {
        case CURLE_OK:
            return How::Answered;
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_CONNECT:
        case CURLE_INTERFACE_FAILED:
            return How::Unreachable;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_INVALIDCERTSTATUS:
            return How::Untrusted;
        case CURLE_OPERATION_TIMEDOUT: {
            curl_off_t connected_us = 0;
            curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
            return connected_us == 0 ? How::Unreachable : How::Broken;
        }
        default:
            return How::Broken;
    }
}

}  // namespace

base::Result<Endpoint> make_endpoint(const base::RemoteSettings& settings, std::string key) {
    const auto refuse = [&](const auto&... why) {
        return fail(ErrorCode::InvalidArgument, "remote ", base::in_quotes(settings.name), ": ", why...);
    };
    if (const auto fault = base::fault_in(settings)) return refuse(fault->key, ": ", fault->what);
    const auto url = base::parse_remote_url(settings.url);
    if (!url) return refuse("url: ", url.error().message);
    // It becomes a line of the head.
    if (key.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) return refuse("key_file: has lines");
    const bool is_unix = url->scheme == base::RemoteUrl::Scheme::Unix;
    const std::string_view scheme = url->scheme == base::RemoteUrl::Scheme::Https ? "https://" : "http://";
    return Endpoint{
        .base_url = is_unix ? "http://localhost" : base::concat(scheme, base::address_of(*url), url->path),
        .unix_path = is_unix ? url->path : "",
        .settings = settings,
        .key = std::move(key),
    };
}

struct Transfer::State {
    ~State() {
        curl_easy_cleanup(curl);
        curl_slist_free_all(headers);
    }

    CURL* curl = nullptr;
    curl_slist* headers = nullptr;
    std::string url;
    std::string body;
    std::array<char, CURL_ERROR_SIZE> error{};
    uint64_t id = 0;
    std::shared_ptr<Events> events;  // shared: a callback may destroy the transfer
    bool is_paused = false;
    bool is_encoded = false;
    std::string pending;  // bytes of the body that were not reported
    std::optional<TransferEnd> end;
};

// libcurl calls these. Events are reported after its calls have returned: within them a transfer cannot be removed.
struct Transport::Callbacks {
    static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
        auto& transport = *static_cast<Transport*>(self);
        if (what == CURL_POLL_REMOVE) {
            if (transport.watched_.erase(fd) > 0) transport.loop_.remove_fd(fd);
            return 0;
        }
        const auto events =
            static_cast<short>(((what & CURL_POLL_IN) != 0 ? POLLIN : 0) | ((what & CURL_POLL_OUT) != 0 ? POLLOUT : 0));
        if (!transport.watched_.emplace(fd, true).second) {
            transport.loop_.set_events(fd, events);
            return 0;
        }
        transport.loop_.add_fd(fd, events, [&transport, fd](short revents) {
            transport.drive(fd, ((revents & POLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                                    ((revents & POLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                                    ((revents & (POLLERR | POLLHUP)) != 0 ? CURL_CSELECT_ERR : 0));
        });
        return 0;
    }

    static int on_timer(CURLM*, long timeout_ms, void* self) {
        auto& transport = *static_cast<Transport*>(self);
        transport.loop_.cancel_timer(std::exchange(transport.timer_, 0));
        if (timeout_ms < 0) return 0;
        transport.timer_ = transport.loop_.add_timer_after(std::chrono::milliseconds(timeout_ms), [&transport] {
            transport.timer_ = 0;
            transport.drive(CURL_SOCKET_TIMEOUT, 0);
        });
        return 0;
    }

    static size_t on_body(char* bytes, size_t size, size_t count, void* self) {
        auto& state = *static_cast<Transfer::State*>(self);
        curl_header* encoding = nullptr;
        // Without this a small body could become an endless one.
        if (curl_easy_header(state.curl, "Content-Encoding", 0, CURLH_HEADER, -1, &encoding) == CURLHE_OK &&
            std::string_view(encoding->value) != "identity") {
            state.is_encoded = true;
            return 0;
        }
        if (state.is_paused) return CURL_WRITEFUNC_PAUSE;
        state.pending.append(bytes, size * count);
        return size * count;
    }

    static int on_new_socket(void*, curl_socket_t fd, curlsocktype) {
        ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kKeepAliveProbes, sizeof kKeepAliveProbes);
        return CURL_SOCKOPT_OK;
    }
};

Transfer::Transfer(Transport& transport, std::unique_ptr<State> state)
    : transport_(transport), state_(std::move(state)) {}

Transfer::~Transfer() {
    curl_multi_remove_handle(transport_.multi_, state_->curl);
    transport_.transfers_.erase(state_->id);
}

void Transfer::set_paused(bool paused) {
    if (std::exchange(state_->is_paused, paused) == paused || paused) return;
    if (!state_->end) curl_easy_pause(state_->curl, CURLPAUSE_CONT);
    transport_.deliver_soon();
}

Transport::Transport(base::EventLoop& loop, Endpoint endpoint, std::chrono::milliseconds connect_timeout)
    : loop_(loop), endpoint_(std::move(endpoint)), connect_timeout_(connect_timeout) {
    static const CURLcode initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)initialized;
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, Callbacks::on_socket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, Callbacks::on_timer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

Transport::~Transport() {
    curl_multi_cleanup(multi_);
    for (const auto& [fd, watched] : watched_) loop_.remove_fd(fd);
    loop_.cancel_timer(timer_);
    loop_.cancel_timer(delivery_);
}

std::unique_ptr<Transfer> Transport::start(const std::string& path, std::string json, Transfer::Events events) {
    auto state = std::make_unique<Transfer::State>();
    CURL* curl = state->curl = curl_easy_init();
    state->url = endpoint_.base_url + path;
    state->body = std::move(json);
    state->events = std::make_shared<Transfer::Events>(std::move(events));
    state->id = ++last_transfer_;
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl, option, value); };
    set(CURLOPT_URL, state->url.c_str());
    set(CURLOPT_ERRORBUFFER, state->error.data());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_PROXY, "");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_FRESH_CONNECT, 1L);
    set(CURLOPT_FORBID_REUSE, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout_.count()));
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
    set(CURLOPT_TCP_KEEPINTVL, kKeepAliveSeconds);
    set(CURLOPT_SOCKOPTFUNCTION, Callbacks::on_new_socket);
    set(CURLOPT_WRITEFUNCTION, Callbacks::on_body);
    set(CURLOPT_WRITEDATA, state.get());
    set(CURLOPT_PRIVATE, state.get());
    if (!endpoint_.unix_path.empty()) set(CURLOPT_UNIX_SOCKET_PATH, endpoint_.unix_path.c_str());
    const base::RemoteSettings& settings = endpoint_.settings;
    if (!settings.interface.empty()) set(CURLOPT_INTERFACE, ("if!" + settings.interface).c_str());
    // A pinned key says who it is, whoever has signed it. With an authority of its own both have to be right.
    const bool verifies = settings.pin.empty() || !settings.ca_file.empty();
    set(CURLOPT_SSL_VERIFYPEER, verifies ? 1L : 0L);
    set(CURLOPT_SSL_VERIFYHOST, verifies ? 2L : 0L);
    if (!settings.pin.empty()) set(CURLOPT_PINNEDPUBLICKEY, settings.pin.c_str());
    if (!settings.ca_file.empty()) {
        set(CURLOPT_CAINFO, settings.ca_file.c_str());
        set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // this authority, and not the system's beside it
    }
    const auto add = [&](const std::string& line) { state->headers = curl_slist_append(state->headers, line.c_str()); };
    if (!endpoint_.key.empty()) add("Authorization: Bearer " + endpoint_.key);
    if (!state->body.empty()) {
        add("Content-Type: application/json");
        add("Expect:");  // it would wait a second for leave to send
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(state->body.size()));
        set(CURLOPT_POSTFIELDS, state->body.c_str());
    }
    set(CURLOPT_HTTPHEADER, state->headers);
    transfers_.emplace(state->id, state.get());
    curl_multi_add_handle(multi_, curl);
    return std::unique_ptr<Transfer>(new Transfer(*this, std::move(state)));
}

void Transport::drive(int fd, int events) {
    int n_running = 0;
    curl_multi_socket_action(multi_, fd, events, &n_running);
    collect();
    deliver();
}

void Transport::collect() {
    int n_left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_, &n_left)) {
        if (message->msg != CURLMSG_DONE) continue;
        const CURLcode code = message->data.result;
        char* self = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &self);
        auto& state = *reinterpret_cast<Transfer::State*>(self);
        TransferEnd& end = state.end.emplace();
        end.how = how_it_ended(code, state.curl);
        curl_easy_getinfo(state.curl, CURLINFO_RESPONSE_CODE, &end.status);
        curl_off_t seconds = 0;
        curl_easy_getinfo(state.curl, CURLINFO_RETRY_AFTER, &seconds);
        if (seconds > 0) end.retry_after = std::chrono::seconds(seconds);
        if (end.how == How::Answered) continue;
        if (state.is_encoded) end.how = How::Unusable;
        const char* const words = is_head_limit(code) ? "the head of its answer is too long" : curl_easy_strerror(code);
        const std::string why = state.error[0] != 0 ? state.error.data() : words;
        end.detail = state.is_encoded ? "the remote's answer is compressed, which was not asked for"
                                      : base::concat("the remote: ", base::in_quotes(why, state.error.size()));
    }
}

void Transport::deliver() {
    std::vector<uint64_t> ids;
    for (const auto& [id, state] : transfers_) ids.push_back(id);
    for (const uint64_t id : ids) {
        const auto found = [&]() -> Transfer::State* {
            const auto at = transfers_.find(id);
            return at == transfers_.end() || at->second->is_paused ? nullptr : at->second;
        };
        if (Transfer::State* state = found(); state != nullptr && !state->pending.empty()) {
            long status = 0;
            curl_easy_getinfo(state->curl, CURLINFO_RESPONSE_CODE, &status);
            const std::string bytes = std::exchange(state->pending, {});
            const auto events = state->events;
            events->on_bytes(status, bytes);
        }
        // Its callback may have destroyed or paused it.
        if (Transfer::State* state = found(); state != nullptr && state->end) {
            const auto events = std::exchange(state->events, std::make_shared<Transfer::Events>());
            const TransferEnd end = *std::exchange(state->end, std::nullopt);
            if (events->on_end) events->on_end(end);
        }
    }
}

void Transport::deliver_soon() {
    if (delivery_ != 0) return;
    delivery_ = loop_.add_timer_after(std::chrono::milliseconds(0), [this] {
        delivery_ = 0;
        collect();
        deliver();
    });
}

}  // namespace llmd::remote
