// llmd on the system bus: power, sleep and network of the device, as the services of a desktop report them. Those that
// are not there are watched for and never started. When the bus is lost, nothing is known any more; llmd does not go
// back to it, since a system whose bus has ended is going down. Thread-bound to the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "base/result.h"
#include "bus/bus_source.h"
#include "bus/sdbus_compat.h"
#include "platform/network.h"
#include "platform/power.h"
#include "platform/sleep_watch.h"

namespace llmd::platform {

class LoginSleep;
class DesktopNetwork;
class DesktopPower;

class SystemBus {
public:
    // NotReady: there is no system bus, an ordinary state of a small system. `loop` must outlive this object.
    static base::Result<std::unique_ptr<SystemBus>> open(base::EventLoop& loop);
    ~SystemBus();
    SystemBus(const SystemBus&) = delete;
    SystemBus& operator=(const SystemBus&) = delete;

    PowerWatch& power();
    SleepWatch& sleep();
    NetworkWatch& network();

private:
    explicit SystemBus(base::EventLoop& loop);
    base::Result<void> connect();

    base::EventLoop& loop_;
    // Destroyed from the last to the first: everything needs the connection.
    std::unique_ptr<sdbus::IConnection> connection_;
    std::unique_ptr<sdbus::IProxy> bus_;  // org.freedesktop.DBus
    std::unique_ptr<DesktopPower> power_;
    std::unique_ptr<LoginSleep> sleep_;
    std::unique_ptr<DesktopNetwork> network_;
    std::unique_ptr<bus::BusSource> source_;
};

}  // namespace llmd::platform
