#include "platform/system_bus.h"

#include "platform/desktop_network.h"
#include "platform/desktop_power.h"
#include "platform/login_sleep.h"

namespace llmd::platform {

base::Result<std::unique_ptr<SystemBus>> SystemBus::open(base::EventLoop& loop) {
    std::unique_ptr<SystemBus> bus(new SystemBus(loop));
    if (auto connected = bus->connect(); !connected) return connected.error();
    return bus;
}

SystemBus::SystemBus(base::EventLoop& loop) : loop_(loop) {}

SystemBus::~SystemBus() = default;

base::Result<void> SystemBus::connect() {
    try {
        connection_ = sdbus::createSystemBusConnection();
        bus_ = sdbus::createProxy(*connection_, bus::BusName("org.freedesktop.DBus"),
                                  bus::BusPath("/org/freedesktop/DBus"));
        power_ = std::make_unique<DesktopPower>(*connection_, *bus_);
        sleep_ = std::make_unique<LoginSleep>(*connection_, *bus_);
        network_ = std::make_unique<DesktopNetwork>(*connection_, *bus_);
    } catch (const sdbus::Error& error) {
        return base::fail(base::ErrorCode::NotReady, "no system bus: ", error.getMessage());
    }
    source_ = std::make_unique<bus::BusSource>(loop_, *connection_, [this](const std::string&) {
        power_->forget();
        sleep_->forget();
        network_->forget();
    });
    return {};
}

PowerWatch& SystemBus::power() {
    return *power_;
}
SleepWatch& SystemBus::sleep() {
    return *sleep_;
}
NetworkWatch& SystemBus::network() {
    return *network_;
}

}  // namespace llmd::platform
