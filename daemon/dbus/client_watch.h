// Notices that a client has disconnected from the bus. One match with the client's name, so that nobody else's coming
// and going wakes llmd.
#pragma once

#include <functional>
#include <string>

#include "bus/sdbus_compat.h"

namespace llmd::dbus {

class ClientWatch {
public:
    // Calls `on_gone` from the loop when `client` (a unique bus name) is not on the bus any more, or was not from the
    // beginning; perhaps twice. It may not destroy the watch: do that in a later iteration of the loop. Throws
    // sdbus::Error. Waits until the bus has confirmed the match: sdbus-c++ 1.x offers no other way. `bus` is a proxy of
    // org.freedesktop.DBus; both references must outlive the watch.
    ClientWatch(sdbus::IConnection& connection, sdbus::IProxy& bus, const std::string& client,
                std::function<void()> on_gone);
    ~ClientWatch();
    ClientWatch(const ClientWatch&) = delete;
    ClientWatch& operator=(const ClientWatch&) = delete;

private:
    std::function<void()> on_gone_;
    sdbus::Slot match_;
    sdbus::PendingAsyncCall has_owner_;
};

}  // namespace llmd::dbus
