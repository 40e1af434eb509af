#include "dbus/caller_identity.h"

#include <utility>

namespace llmd::dbus {

namespace {

// More callers than a session has apps; when it is full, everybody is looked up again.
constexpr size_t kMaxKnown = 256;

api::Caller named(const std::string& name, api::Caller caller) {
    caller.name = name;
    return caller;
}

}  // namespace

void CallerIdentities::resolve(const std::string& caller, std::function<void(const api::Caller&)> done) {
    if (const auto identity = known(caller)) return done(*identity);
    ask_pid(caller, [this, caller, done = std::move(done)](std::optional<uint32_t> pid) {
        if (!pid) return done(named(caller, {}));
        api::Caller identity = named(caller, api::identify(static_cast<pid_t>(*pid)));
        // Asked again: the caller must still be connected, or its number may have gone to another process before.
        ask_pid(caller, [this, caller, done, pid, identity](std::optional<uint32_t> again) {
            if (again != pid) return done(named(caller, {}));
            remember(caller, identity);
            done(identity);
        });
    });
}

api::Caller CallerIdentities::resolve_now(const std::string& caller) {
    if (const auto identity = known(caller)) return *identity;
    const auto pid = ask_pid_now(caller);
    if (!pid) return named(caller, {});
    api::Caller identity = named(caller, api::identify(static_cast<pid_t>(*pid)));
    if (ask_pid_now(caller) != pid) return named(caller, {});
    remember(caller, identity);
    return identity;
}

std::optional<api::Caller> CallerIdentities::known(const std::string& caller) const {
    const auto found = known_.find(caller);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void CallerIdentities::ask_pid(const std::string& caller, std::function<void(std::optional<uint32_t>)> done) {
    bus_.callMethodAsync("GetConnectionUnixProcessID")
        .onInterface("org.freedesktop.DBus")
        .withArguments(caller)
        .uponReplyInvoke([done = std::move(done)](bus::ReplyError error, uint32_t pid) {
            done(error ? std::nullopt : std::optional<uint32_t>(pid));
        });
}

std::optional<uint32_t> CallerIdentities::ask_pid_now(const std::string& caller) {
    try {
        uint32_t pid = 0;
        bus_.callMethod("GetConnectionUnixProcessID")
            .onInterface("org.freedesktop.DBus")
            .withTimeout(std::chrono::microseconds(kBusTimeout))
            .withArguments(caller)
            .storeResultsTo(pid);
        return pid;
    } catch (const sdbus::Error&) {
        return std::nullopt;
    }
}

void CallerIdentities::remember(const std::string& caller, const api::Caller& identity) {
    if (known_.size() >= kMaxKnown) known_.clear();
    known_[caller] = identity;
}

}  // namespace llmd::dbus
