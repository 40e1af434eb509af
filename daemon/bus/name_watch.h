// Follows who owns a name on a bus, without ever starting anybody: asks the bus, not the owner. One match for this
// name, so that nobody else's coming and going wakes llmd.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bus/sdbus_compat.h"

namespace llmd::bus {

class NameWatch {
public:
    // Calls `on_owner` from the loop, first with the unique name of the present owner, or with nothing where there is
    // none, and then with that of each new one, or with nothing; it may not destroy the watch. Throws sdbus::Error.
    // Waits until the bus has confirmed the match: sdbus-c++ 1.x offers no other way. `bus` is a proxy of
    // org.freedesktop.DBus; both references must outlive the watch. A unique name's only owner is the connection
    // itself, so that it has none any more when that is gone.
    NameWatch(sdbus::IConnection& connection, sdbus::IProxy& bus, const std::string& name,
              std::function<void(const std::string& owner)> on_owner);
    ~NameWatch();
    NameWatch(const NameWatch&) = delete;
    NameWatch& operator=(const NameWatch&) = delete;

private:
    void set_owner(const std::string& owner);

    std::function<void(const std::string&)> on_owner_;
    std::optional<std::string> owner_;  // the last one that was reported; nothing: none was yet
    bool has_changed_ = false;          // the answer to the first question is out of date
    sdbus::Slot match_;
    sdbus::PendingAsyncCall first_owner_;
};

}  // namespace llmd::bus
