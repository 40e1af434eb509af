#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/config.h"
#include "base/instance_lock.h"
#include "client/child.h"
#include "client/doctor.h"
#include "client/exit_code.h"
#include "client/llmd_client.h"
#include "client/session_bus.h"

namespace llmd::client {
namespace {

using State = Check::State;

// A service manager that does not answer is not waited for.
constexpr std::chrono::seconds kServiceLimit{5};

struct Bus {
    bool there = false;
    bool has_llmd = false;
    bool starts_llmd = false;
    std::string fault;
};

Bus look_at_bus() {
    Bus bus;
    try {
        SessionBus session;
        bus.there = true;
        bus.has_llmd = session.has_llmd();
        bus.starts_llmd = session.can_start_llmd();
    } catch (const CommandError& error) {
        bus.fault = error.what();
    }
    return bus;
}

Check check_bus(const Bus& bus) {
    if (!bus.there) {
        return {"session bus", State::Warn, bus.fault + ": llmctl takes the socket, applications on D-Bus find no llmd",
                "dbus-run-session -- $SHELL", "there is no session bus"};
    }
    if (bus.has_llmd) return {"session bus", State::Ok, "llmd is on it", {}};
    if (bus.starts_llmd) return {"session bus", State::Ok, "it starts llmd for whoever asks", {}};
    return {"session bus", State::Warn, "it does not know llmd: org.llmd.Llmd1 is neither running nor installed on it",
            start_command(), "it does not know llmd"};
}

std::string mode_text(mode_t mode) {
    std::string digits;
    for (const int shift : {6, 3, 0}) digits += static_cast<char>('0' + ((mode >> shift) & 7));
    return digits;
}

// `is_running`: an llmd of this user, on whatever bus.
Check check_socket(const Bus& bus, bool is_running) {
    const auto runtime = base::xdg_runtime_dir();
    if (!runtime) {
        return {"socket", State::Fail, runtime.error().message,
                "export XDG_RUNTIME_DIR=/run/user/" + std::to_string(::getuid()), "there is no runtime directory"};
    }
    const std::string path = socket_path();
    struct stat info = {};
    if (::stat(path.c_str(), &info) != 0) {
        const std::string why = path + ": " + std::strerror(errno);
        if (is_running) {
            return {"socket", State::Fail, why + ", though llmd runs", restart_command(),
                    "llmd runs and there is none"};
        }
        return {"socket",
                bus.starts_llmd ? State::Ok : State::Warn,
                path + " is made when llmd starts",
                {},
                "llmd does not run, and the bus does not start it"};
    }
    if (!S_ISSOCK(info.st_mode)) {
        return {"socket", State::Fail, path + " is no socket", "rm " + path, "the file is no socket"};
    }
    if (info.st_uid != ::geteuid()) {
        return {"socket", State::Fail, path + " belongs to user " + std::to_string(info.st_uid), "rm " + path,
                "it belongs to another user"};
    }
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return {"socket", State::Warn, path + " has mode " + mode_text(info.st_mode) + ", others may connect",
                "chmod 600 " + path, "others may connect"};
    }
    return {"socket", State::Ok, path, {}};
}

Check check_daemon(const Bus& bus, bool is_running) {
    if (const auto version = running_version()) {
        if (*version == LLMD_VERSION) return {"llmd", State::Ok, "version " + *version + " is running", {}};
        return {"llmd", State::Warn, "version " + *version + " is running, llmctl is " LLMD_VERSION, restart_command(),
                "it is another version than llmctl"};
    }
    if (is_running) {
        const std::string text = "it runs, but does not answer";
        return {"llmd", State::Fail, text, restart_command(), text};
    }
    if (bus.starts_llmd) return {"llmd", State::Ok, "not running; the bus starts it when it is asked", {}};
    const std::string text = "not running, and nothing starts it";
    return {"llmd", State::Fail, text, start_command(), text};
}

std::string word_of(const std::vector<std::string>& command) {
    const ChildEnd end = run_child(command, kServiceLimit);
    const std::string word = end.output.substr(0, end.output.find('\n'));
    return word.empty() ? "unknown (" + command.front() + ' ' + end.fault + ')' : word;
}

Check check_systemd() {
    const std::string active = word_of({"systemctl", "--user", "is-active", "llmd.service"});
    if (active == "failed") {
        const std::string text = "llmd.service of systemd has failed";
        return {"service", State::Fail, text, "journalctl --user -u llmd; systemctl --user restart llmd", text};
    }
    const std::string enabled = word_of({"systemctl", "--user", "is-enabled", "llmd.socket"});
    return {"service", State::Ok, "llmd.service of systemd is " + active + ", llmd.socket is " + enabled, {}};
}

Check check_openrc() {
    const ChildEnd end = run_child({"rc-service", "-U", "llmd", "status"}, kServiceLimit);
    constexpr int kStopped = 3;  // and 32 for crashed: rc-service(8) passes on what the service says
    constexpr int kCrashed = 32;
    if (end.status == kCrashed) {
        const std::string text = "the OpenRC user service llmd has crashed";
        return {"service", State::Fail, text, "rc-service -U llmd restart", text};
    }
    const std::string state = end.status == 0          ? "started"
                              : end.status == kStopped ? "stopped"
                                                       : "not used (" + end.fault + ')';
    return {"service", State::Ok, "the OpenRC user service llmd is " + state, {}};
}

Check check_service() {
    if (::access("/run/systemd/system", F_OK) == 0) return check_systemd();
    if (::access("/run/openrc", F_OK) == 0) return check_openrc();
    return {"service", State::Ok, "neither systemd nor OpenRC runs here; the bus or a person starts llmd", {}};
}

}  // namespace

std::vector<Check> check_reach() {
    const Bus bus = look_at_bus();
    const auto runtime = base::xdg_runtime_dir();
    const bool is_running = bus.has_llmd || (runtime && base::is_instance_locked(*runtime + "/llmd"));
    return {check_bus(bus), check_socket(bus, is_running), check_daemon(bus, is_running), check_service()};
}

}  // namespace llmd::client
