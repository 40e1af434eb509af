// The identities of the callers on a bus.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "api/caller.h"
#include "bus/sdbus_compat.h"

namespace llmd::dbus {

// The bus answers such a question in microseconds; one that takes this long is stuck, and so is the whole session.
inline constexpr std::chrono::seconds kBusTimeout{1};

// Keeps what is known of callers, by unique bus name, which a bus never gives twice. Thread-bound to the connection's
// loop.
class CallerIdentities {
public:
    // `bus` is a proxy of org.freedesktop.DBus and must outlive this object.
    explicit CallerIdentities(sdbus::IProxy& bus) : bus_(bus) {}
    CallerIdentities(const CallerIdentities&) = delete;
    CallerIdentities& operator=(const CallerIdentities&) = delete;

    // Calls `done` at once when it is known, else from a later iteration of the loop, when the bus has answered.
    void resolve(const std::string& caller, std::function<void(const api::Caller&)> done);

    // The same for those who cannot wait, a property getter and a new request, which a Cancel by its caller must not
    // overtake: blocks for two answers of the bus itself, at most kBusTimeout each, the first time a caller is seen.
    // One that cannot be identified counts as sandboxed.
    api::Caller resolve_now(const std::string& caller);

private:
    std::optional<api::Caller> known(const std::string& caller) const;
    void ask_pid(const std::string& caller, std::function<void(std::optional<uint32_t>)> done);
    std::optional<uint32_t> ask_pid_now(const std::string& caller);
    void remember(const std::string& caller, const api::Caller& identity);

    sdbus::IProxy& bus_;
    std::map<std::string, api::Caller> known_;
};

}  // namespace llmd::dbus
