// The running llmd: service and front end on one loop, from readiness to the end of a drained shutdown. Logs.
#pragma once

#include "base/config.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "ipc/dbus/front_end.h"
#include "service/service.h"

namespace llmd {

class Daemon {
public:
    explicit Daemon(const base::Config& config);
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

    // Serves until a signal has ended it. `signal_fd` is a signalfd: SIGHUP reads the model folders again, any other
    // signal ends what runs and returns, a second one returns at once.
    // NotAllowed: another program has the bus name; NotReady: there is no bus.
    base::Result<void> run(int signal_fd);

private:
    ipc::FrontEnd::Events bus_events();
    std::string status_line() const;
    void on_signal(int signal_fd);
    void stop();
    void ping_watchdog();

    base::EventLoop loop_;
    service::Service service_;
    ipc::FrontEnd front_end_;
    bool stopping_ = false;
};

}  // namespace llmd
