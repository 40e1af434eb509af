#include "client/llmd_client.h"

#include <unistd.h>

#include "base/config.h"
#include "base/instance_lock.h"
#include "base/places.h"
#include "client/dbus_client.h"
#include "client/exit_code.h"
#include "client/socket_client.h"

namespace llmd::client {
namespace {

// Some llmd serves this user, on whatever bus.
bool is_running() {
    const auto folder = base::xdg_runtime_dir();
    return folder && base::is_instance_locked(*folder + "/llmd");
}

// Runs `make`; nothing, and `fault` says why, when llmd cannot be reached that way.
std::unique_ptr<LlmdClient> attempt(std::string& fault, const std::function<std::unique_ptr<LlmdClient>()>& make) {
    try {
        return make();
    } catch (const CommandError& error) {
        if (error.code() != ExitCode::Unreachable) throw;
        fault = error.what();
        return nullptr;
    }
}

}  // namespace

// The directories are how systemd (sd_booted(3)) and OpenRC show themselves.
std::string start_command() {
    if (::access("/run/systemd/system", F_OK) == 0) return "systemctl --user start llmd";
    if (::access("/run/openrc", F_OK) == 0) return "rc-service -U llmd start";
    return base::find_daemon();
}

std::unique_ptr<LlmdClient> connect_to_llmd() {
    std::string bus_fault = "it runs, but not on this session bus";
    std::string socket_fault;
    const auto over_socket = [&] {
        return attempt(socket_fault, [&] { return std::make_unique<SocketClient>(socket_path(), bus_fault); });
    };
    const auto over_bus = [&]() -> std::unique_ptr<LlmdClient> {
        auto bus = std::make_unique<DbusClient>();
        if (bus->is_there()) return bus;
        // A second session bus: started here too, llmd would wait for the first one to leave, and give up.
        if (is_running()) {
            if (auto socket = over_socket()) return socket;
        }
        bus->start();
        return bus;
    };
    if (auto client = attempt(bus_fault, over_bus)) return client;
    if (auto client = over_socket()) return client;
    throw CommandError(ExitCode::Unreachable,
                       "llmd is not reached: " + bus_fault + "; " + socket_fault + "; start it: " + start_command(),
                       "Unreachable");
}

void reload_if_running() {
    try {
        DbusClient bus;
        if (bus.is_there()) bus.reload();
    } catch (const CommandError&) {  // there is no bus, or it has gone meanwhile: it reads them when it starts
    }
}

std::optional<Dictionary> running_status() {
    std::string fault;
    const auto from_bus = [&]() -> std::unique_ptr<LlmdClient> {
        auto bus = std::make_unique<DbusClient>();
        return bus->is_there() ? std::move(bus) : nullptr;
    };
    try {
        auto client = attempt(fault, from_bus);
        // Only where somebody serves it: systemd would start llmd for whoever connects.
        if (!client && is_running()) client = std::make_unique<SocketClient>(socket_path(), fault);
        if (client) return client->status();
    } catch (const CommandError&) {  // it has gone meanwhile
    }
    return std::nullopt;
}

std::optional<std::string> running_version() {
    const auto status = running_status();
    return status ? std::optional(text_of(*status, "version")) : std::nullopt;
}

}  // namespace llmd::client
