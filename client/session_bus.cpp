#include "client/session_bus.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "bus/sdbus_compat.h"
#include "client/exit_code.h"
#include "client/llmd_client.h"

namespace llmd::client {
namespace {

const std::string kName = "org.llmd.Llmd1";
const char kBus[] = "org.freedesktop.DBus";
const char kBusObject[] = "/org/freedesktop/DBus";

[[noreturn]] void unreachable(const std::string& why) {
    throw CommandError(ExitCode::Unreachable, why, "Unreachable");
}

std::string words_of(const sdbus::Error& error) {
    return error.getMessage().empty() ? std::string(error.getName()) : std::string(error.getMessage());
}

std::unique_ptr<sdbus::IConnection> connect() {
    try {
        return sdbus::createSessionBusConnection();
    } catch (const sdbus::Error& error) {
        unreachable("no session bus to find " + kName + " on: " + words_of(error));
    }
}

}  // namespace

SessionBus::SessionBus() : connection_(connect()) {}
SessionBus::~SessionBus() = default;

template <typename... Results, typename... Args>
void SessionBus::call(const std::string& method, const char* failed, std::tuple<Results&...> results,
                      const Args&... args) {
    try {
        const auto bus = sdbus::createProxy(*connection_, bus::BusName(kBus), bus::BusPath(kBusObject));
        auto invoker = bus->callMethod(method);  // which refers to the text
        invoker.onInterface(kBus).withTimeout(std::chrono::microseconds(kCallTimeout).count()).withArguments(args...);
        std::apply([&](auto&... out) { invoker.storeResultsTo(out...); }, results);
    } catch (const sdbus::Error& error) {
        const bool is_unknown = error.getName() == "org.freedesktop.DBus.Error.ServiceUnknown";
        unreachable(kName + (is_unknown ? " is not running" : failed + words_of(error)));
    }
}

bool SessionBus::has_llmd() {
    bool there = false;
    call("NameHasOwner", " cannot be looked for: ", std::tie(there), kName);
    return there;
}

bool SessionBus::can_start_llmd() {
    std::vector<std::string> names;
    call("ListActivatableNames", " cannot be looked for: ", std::tie(names));
    return std::find(names.begin(), names.end(), kName) != names.end();
}

void SessionBus::start_llmd() {
    constexpr uint32_t kNoFlags = 0;
    uint32_t reply = 0;  // now, or it ran already
    call("StartServiceByName", " does not start: ", std::tie(reply), kName, kNoFlags);
}

}  // namespace llmd::client
