// The running llmd: service, front ends and the listeners to the device on one loop, from readiness to the end of a
// drained shutdown. Logs.
#pragma once

#include <memory>

#include "base/config.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "dbus/front_end.h"
#include "http/server.h"
#include "platform/system_bus.h"
#include "service/governor.h"
#include "service/service.h"

namespace llmd {

class Daemon {
public:
    // Reads the settings' files.
    using ReadSettings = std::function<base::Result<base::Settings>()>;

    explicit Daemon(ReadSettings read_settings);
    ~Daemon();
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

    // Serves until a signal has ended it, on the session bus and on the sockets below `runtime_dir`, or on the one of
    // them that can be had. Whoever asks for anything gets the error of settings that cannot be used. `signal_fd` is a
    // signalfd: SIGHUP reads the settings and the model directories again, any other signal ends what runs and returns,
    // a second one returns at once. It also returns when nobody has asked for long, if somebody starts llmd again, and
    // when the bus that had started it is gone and nobody uses the socket. NotAllowed: another program has the bus
    // name; NotReady: there is neither bus nor socket.
    base::Result<void> run(int signal_fd, const std::string& runtime_dir);

private:
    // Reads the settings; what of them holds at once, holds.
    base::Result<base::Config> read_settings();
    // Opens both ways in.
    base::Result<void> open(const std::string& runtime_dir);
    dbus::FrontEnd::Events bus_events();
    std::string status_line() const;
    void on_signal(int signal_fd);
    void stop();
    void ping_watchdog();
    // Looks for the services that report on the device.
    void start_governor();
    // If nobody comes in the last moment.
    void leave_idle();

    const ReadSettings read_settings_;
    platform::IdleTimes idle_times_;
    base::EventLoop loop_;
    service::Service service_;
    dbus::FrontEnd front_end_;
    std::unique_ptr<http::Server> socket_;  // from run() on, if it can be had
    // Nothing where the device has none.
    std::unique_ptr<platform::MemoryPressure> memory_;
    std::unique_ptr<platform::Thermometer> thermometer_;
    std::unique_ptr<platform::SystemBus> system_bus_;
    std::unique_ptr<service::Governor> governor_;  // from run() on
    bool stopping_ = false;
    std::string notified_;  // the status line that the service manager knows
};

}  // namespace llmd
