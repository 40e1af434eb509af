#include "remote/session.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/utf8.h"

namespace llmd::remote {

namespace {

using base::ErrorCode;
using base::fail;

constexpr size_t kReadBytes = 64u << 10;

// Not for secrets: profiles and jitter.
uint64_t random_number() {
    uint64_t number = 0;
    (void)!::getrandom(&number, sizeof number, 0);
    return number;
}

double random_share() {
    constexpr int kBits = 53;  // of a double's mantissa
    return static_cast<double>(random_number() >> (64 - kBits)) / static_cast<double>(uint64_t{1} << kBits);
}

protocol::LoadFailed load_failed(const base::Error& error) {
    return {error.code, error.message, retry_after_s(error)};
}

}  // namespace

Session::Session(base::EventLoop& loop, base::UniqueFd socket, Environment environment)
    : loop_(loop), socket_(std::move(socket)), environment_(std::move(environment)) {
    loop_.add_fd(socket_.get(), POLLIN, [this](short) { receive(); });
    send(protocol::PhaseChange{protocol::Phase::Idle, 0});
}

Session::~Session() {
    if (!left_) loop_.remove_fd(socket_.get());
    loop_.cancel_timer(cleaning_);
}

void Session::receive() {
    std::array<char, kReadBytes> buffer;
    const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno == ECONNRESET)) return leave(Leave::PeerGone, "");
    if (n < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return;
        return leave(Leave::Broken, base::fail_errno(ErrorCode::Failed, "recv", errno).message);
    }
    reader_.append({buffer.data(), static_cast<size_t>(n)});
    while (!left_) {
        const auto message = reader_.next();
        if (!message) return leave(Leave::Broken, message.error().message);
        if (!message->has_value()) break;
        handle(**message);
    }
    clean_up_soon();
}

void Session::handle(const protocol::Message& message) {
    const auto request = [this](uint64_t id) -> RemoteRequest* {
        const auto at = requests_.find(id);
        return at == requests_.end() ? nullptr : at->second.get();
    };
    if (const auto* named = std::get_if<protocol::Connect>(&message)) {
        connect(*named);
    } else if (const auto* asked = std::get_if<protocol::Submit>(&message)) {
        submit(*asked);
    } else if (const auto* start = std::get_if<protocol::Start>(&message)) {
        // A second one has another priority, which remotes do not have.
        if (RemoteRequest* one = request(start->id)) one->start();
    } else if (const auto* cancel = std::get_if<protocol::Cancel>(&message)) {
        requests_.erase(cancel->id);
    } else if (const auto* pause = std::get_if<protocol::SetPaused>(&message)) {
        if (RemoteRequest* one = request(pause->id)) one->set_paused(pause->paused);
    } else if (std::holds_alternative<protocol::DropCache>(message) ||
               std::holds_alternative<protocol::SetPace>(message) ||
               std::holds_alternative<protocol::SetLease>(message)) {
        // They concern a device of this machine.
    } else {
        leave(Leave::Broken, base::concat("a ", protocol::message_name(message), " is not for llmd-remote"));
    }
}

void Session::connect(const protocol::Connect& connect) {
    if (std::exchange(connect_seen_, true)) return leave(Leave::Broken, "a second Connect");
    const auto failed = [this](const base::Error& error) { send(load_failed(error)); };
    if (connect.version != protocol::program_version()) {
        return failed(fail(ErrorCode::NotReady, "llmd is version ", connect.version, " and llmd-remote is version ",
                           protocol::program_version(), "; restart llmd and llmd-remote"));
    }
    auto opened = environment_.open(connect.remote);
    if (!opened) return failed(opened.error());
    settings_ = opened->settings;
    sandbox_ = opened->sandbox;
    limits_ = environment_.limits;
    limits_.first_token = std::chrono::seconds(settings_.first_token_seconds);
    limits_.resume = std::chrono::seconds(settings_.resume_seconds);
    auto model = upstream_name(settings_, connect.model);
    if (!model) return failed(model.error());
    auto endpoint = make_endpoint(settings_, std::move(opened->key));
    if (!endpoint) return failed(endpoint.error());
    transport_ = std::make_unique<Transport>(loop_, *std::move(endpoint), kConnectTimeout);
    send(protocol::PhaseChange{protocol::Phase::Load,
                               static_cast<uint32_t>((limits_.first_token + kBudgetMargin).count())});
    connector_ =
        std::make_unique<Connector>(loop_, *transport_, settings_, *std::move(model), limits_,
                                    [this](const base::Result<Upstream>& upstream) { on_connected(upstream); });
}

void Session::on_connected(const base::Result<Upstream>& upstream) {
    const auto keep = std::move(connector_);
    const auto took = std::chrono::duration_cast<Milliseconds>(loop_.now() - begun_);
    if (!upstream) {
        send(load_failed(upstream.error()));
    } else {
        context_.emplace(
            RemoteContext{.loop = loop_,
                          .transport = *transport_,
                          .limits = limits_,
                          .upstream = *upstream,
                          .salt_key = environment_.salt_key,
                          .jitter = random_share,
                          .clock = [this] { return std::chrono::duration_cast<Milliseconds>(loop_.now() - begun_); }});
        const ApiTraits& api = traits(upstream->api);
        protocol::DeviceChosen chosen{protocol::BackendKind::Remote, {}, {}};
        chosen.device = base::concat(settings_.name, ": ", api.server, upstream->version.empty() ? "" : " ",
                                     upstream->version.substr(0, base::utf8_cut(upstream->version, kMaxToldBytes)));
        send(chosen);
        protocol::Ready ready;
        ready.n_ctx = upstream->n_ctx;
        ready.n_slots = settings_.parallel;
        ready.backend = protocol::BackendKind::Remote;
        ready.device = chosen.device;
        // Whether the remote would go on bit for bit nobody knows.
        ready.profile = base::concat("remote ", random_number());
        ready.sandbox = sandbox_;
        ready.notes = caveats(upstream->api);
        ready.load_ms = static_cast<uint32_t>(took.count());
        send(ready);
    }
    send(protocol::PhaseChange{protocol::Phase::Idle, 0});
}

void Session::submit(const protocol::Submit& submit) {
    if (!context_) {
        return send(protocol::Refused{submit.id, ErrorCode::NotReady, "no remote is connected"});
    }
    RemoteRequest::Host& host = *this;
    auto& request = requests_[submit.id] = std::make_unique<RemoteRequest>(*context_, host, submit);
    request->begin();
}

// Blocking is safe: llmd is an event loop that always reads, and a dead one closes the socket.
void Session::send(const protocol::Message& message) {
    if (left_) return;
    unsent_.clear();
    if (const auto encoded = protocol::encode(message, unsent_); !encoded) {
        return leave(Leave::Broken, encoded.error().message);
    }
    std::string_view rest = unsent_;
    while (!rest.empty()) {
        const ssize_t n = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (n >= 0) {
            rest.remove_prefix(static_cast<size_t>(n));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            pollfd waiting{socket_.get(), POLLOUT, 0};
            ::poll(&waiting, 1, -1);
        } else if (errno == EPIPE || errno == ECONNRESET) {
            return leave(Leave::PeerGone, "");
        } else if (errno != EINTR) {
            return leave(Leave::Broken, base::fail_errno(ErrorCode::Failed, "send", errno).message);
        }
    }
    clean_up_soon();
}

void Session::on_ended(uint64_t id) {
    // It is in the middle of a call.
    if (auto request = requests_.extract(id); !request.empty()) ended_.insert(std::move(request));
    clean_up_soon();
}

bool Session::may_post() const {
    const auto n =
        std::count_if(requests_.begin(), requests_.end(), [](const auto& one) { return one.second->is_posted(); });
    return static_cast<uint32_t>(n) < settings_.parallel;
}

void Session::clean_up_soon() {
    if (cleaning_ != 0 || !context_) return;
    cleaning_ = loop_.add_timer_after(Milliseconds(0), [this] {
        cleaning_ = 0;
        ended_.clear();
        std::vector<uint64_t> ids;
        for (const auto& [id, request] : requests_) ids.push_back(id);
        for (const uint64_t id : ids) {
            if (const auto at = requests_.find(id); at != requests_.end()) at->second->post_if_queued();
        }
        report_phase();
    });
}

void Session::report_phase() {
    const bool busy =
        std::any_of(requests_.begin(), requests_.end(), [](const auto& one) { return one.second->is_busy(); });
    if (std::exchange(told_busy_, busy) == busy) return;
    const auto budget = limits_.first_token + limits_.resume + kBudgetMargin;
    send(protocol::PhaseChange{busy ? protocol::Phase::Step : protocol::Phase::Idle,
                               busy ? static_cast<uint32_t>(budget.count()) : 0});
}

void Session::leave(Leave leave, std::string reason) {
    if (left_) return;
    left_ = leave;
    reason_ = std::move(reason);
    loop_.remove_fd(socket_.get());
    loop_.stop();
}

}  // namespace llmd::remote
