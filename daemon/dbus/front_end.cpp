#include "dbus/front_end.h"

#include <algorithm>
#include <utility>

#include "dbus/session.h"

namespace llmd::dbus {

using base::ErrorCode;
using base::Result;

FrontEnd::FrontEnd(base::EventLoop& loop, service::Service& service, std::string version, Events events)
    : loop_(loop), service_(service), version_(std::move(version)), events_(std::move(events)) {}

FrontEnd::~FrontEnd() {
    loop_.cancel_timer(reconnect_timer_);
    loop_.cancel_timer(drain_timer_);
}

Result<void> FrontEnd::connect() {
    return open_session();
}

Result<void> FrontEnd::open_session() {
    Session::Events events;
    events.on_lost = [this](const std::string& reason) { on_lost(reason); };
    events.on_request_removed = [this] { loop_.defer([this] { forget_ended(); }); };
    auto session = Session::open(loop_, service_, version_, std::move(events));
    if (!session) return session.error();
    session_ = std::move(*session);
    return {};
}

void FrontEnd::on_lost(const std::string& reason) {
    leaving_.push_back(std::move(session_));
    loop_.defer([this] { forget_ended(); });
    events_.on_bus_lost(reason);
    connect_later();
}

void FrontEnd::connect_later() {
    pause_ = kFirstReconnectPause;
    reconnect_timer_ = loop_.add_timer_after(pause_, [this] { reconnect(); });
}

void FrontEnd::reconnect() {
    reconnect_timer_ = 0;
    if (done_) return;  // leaving: nobody new is to be served
    const auto opened = open_session();
    if (opened) return events_.on_bus_back();
    if (opened.error().code == ErrorCode::NotAllowed) return events_.on_displaced(opened.error());
    pause_ = std::min<std::chrono::milliseconds>(pause_ * 2, kLastReconnectPause);
    reconnect_timer_ = loop_.add_timer_after(pause_, [this] { reconnect(); });
}

void FrontEnd::forget_ended() {
    std::erase_if(leaving_, [](const auto& session) { return session->n_requests() == 0; });
    if (done_ && leaving_.empty() && (!session_ || session_->n_requests() == 0)) std::exchange(done_, {})();
}

bool FrontEnd::give_up_name() {
    return !session_ || session_->give_up_name();
}

bool FrontEnd::is_activatable() {
    return session_ && session_->is_activatable();
}

void FrontEnd::status_changed() {
    if (session_) session_->status_changed();
}

void FrontEnd::shut_down(std::function<void()> done) {
    done_ = std::move(done);
    drain_timer_ = loop_.add_timer_after(kDrainTime, [this] {
        drain_timer_ = 0;
        if (done_) std::exchange(done_, {})();
    });
    loop_.defer([this] { forget_ended(); });
}

}  // namespace llmd::dbus
