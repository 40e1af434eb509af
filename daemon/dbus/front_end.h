// llmd on the session bus, whatever happens to the bus: serves `org.llmd.Llmd1`, and after the bus was lost reconnects
// with growing pauses. The files of dbus-interfaces/ say what it serves.
// Thread-bound to the event loop. SIGPIPE must be ignored.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "service/service.h"

namespace llmd::dbus {

class Session;

class FrontEnd {
public:
    struct Events {
        std::function<void(const std::string& reason)> on_bus_lost;
        std::function<void()> on_bus_back;
        // After a reconnection another program had the name. The front end has stopped.
        std::function<void(const base::Error&)> on_displaced;
    };

    // Pauses between attempts to reconnect: the first, doubled up to the last.
    static constexpr std::chrono::seconds kFirstReconnectPause{1};
    static constexpr std::chrono::seconds kLastReconnectPause{60};
    // How long shut_down() waits for readers to take the last bytes.
    static constexpr std::chrono::seconds kDrainTime{2};

    // The references must outlive the front end.
    FrontEnd(base::EventLoop& loop, service::Service& service, std::string version, Events events);
    ~FrontEnd();
    FrontEnd(const FrontEnd&) = delete;
    FrontEnd& operator=(const FrontEnd&) = delete;

    // Connects and takes the name. NotReady: there is no bus; NotAllowed: another program has the name.
    base::Result<void> connect();
    // After connect() has found no bus: goes on trying, as after a bus was lost.
    void connect_later();
    // Stops serving, if nobody wants anything. False: somebody does, and nothing has changed.
    bool give_up_name();
    // There is a bus, and it starts llmd for whoever calls the name.
    bool is_activatable();
    // To be called when the service's status may have changed.
    void status_changed();
    // Once the service has shut down: waits for the last deliveries, then calls `done`.
    void shut_down(std::function<void()> done);

private:
    base::Result<void> open_session();
    void on_lost(const std::string& reason);
    void reconnect();
    void forget_ended();

    base::EventLoop& loop_;
    service::Service& service_;
    const std::string version_;
    Events events_;
    std::unique_ptr<Session> session_;               // nothing while there is no bus
    std::vector<std::unique_ptr<Session>> leaving_;  // lost their bus; their requests are ending
    std::chrono::milliseconds pause_ = kFirstReconnectPause;
    base::EventLoop::TimerId reconnect_timer_ = 0;
    base::EventLoop::TimerId drain_timer_ = 0;
    std::function<void()> done_;
};

}  // namespace llmd::dbus
