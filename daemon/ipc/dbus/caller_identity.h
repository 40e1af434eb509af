// Who is calling: from inside a sandbox or not. Unsandboxed programs of the same user are not a security boundary; an
// app in a Flatpak is, and may touch only its own requests.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "ipc/dbus/sdbus_compat.h"

namespace llmd::ipc {

// Only a root folder that can be read and has no /.flatpak-info makes a process a host process; everything else, a
// process that has ended included, counts as sandboxed.
bool is_sandboxed(pid_t pid);

// The bus answers such a question in microseconds; one that takes this long is stuck, and so is the whole session.
inline constexpr std::chrono::seconds kBusTimeout{1};

// What is known of callers, by unique bus name, which a bus never gives twice. Thread-bound to the connection's loop.
class CallerIdentities {
public:
    // `bus` is a proxy of org.freedesktop.DBus and must outlive this object.
    explicit CallerIdentities(sdbus::IProxy& bus) : bus_(bus) {}
    CallerIdentities(const CallerIdentities&) = delete;
    CallerIdentities& operator=(const CallerIdentities&) = delete;

    // Calls `done` at once when it is known, else from a later turn, when the bus has answered.
    void resolve(const std::string& caller, std::function<void(bool sandboxed)> done);

    // The same for one who cannot wait, a property getter: blocks for two answers of the bus itself, at most
    // kBusTimeout each, the first time a caller is seen. One that cannot be identified counts as sandboxed.
    bool resolve_now(const std::string& caller);

private:
    std::optional<bool> known(const std::string& caller) const;
    void ask_pid(const std::string& caller, std::function<void(std::optional<uint32_t>)> done);
    std::optional<uint32_t> ask_pid_now(const std::string& caller);
    void remember(const std::string& caller, bool sandboxed);

    sdbus::IProxy& bus_;
    std::map<std::string, bool> known_;
};

}  // namespace llmd::ipc
