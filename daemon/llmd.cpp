// llmd: one process, one thread, one loop. Reads arguments and configuration, wires service and front end, runs until a
// signal ends it. Exit status 0: done, or another llmd serves already; 1: cannot serve; 2: usage.
#include <getopt.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/config.h"
#include "base/instance_lock.h"
#include "base/notify.h"
#include "base/process_limits.h"
#include "daemon.h"
#include "log_format.h"

namespace {

using namespace llmd;
using base::ErrorCode;

// How long a starting llmd waits for one that is leaving.
constexpr std::chrono::milliseconds kLockTimeout{2000};

constexpr const char* kUsage =
    "Usage: llmd [--config FILE] [--check-config] [--version] [--help]\n"
    "Serves language models to this user's applications on the session bus, as org.llmd.Llmd1, and over HTTP on the\n"
    "socket $XDG_RUNTIME_DIR/llmd/llmd.sock.\n"
    "  --config FILE   the settings of this file instead of the usual ones\n"
    "  --check-config  says which files have settings and what is wrong with them; exit status 1 if anything is\n"
    "  --version       shows the version\n"
    "  --help          shows this help\n";

// The settings of the file that the command line names, or of the usual ones.
struct SettingsPlace {
    std::string named;
    base::Result<base::Settings> read() const {
        return named.empty() ? base::read_settings(base::settings_files()) : base::read_settings({named}, true);
    }
};

// Another llmd serves this user or this bus. For the service manager that is a success: the service is there.
int leave_to(const std::string& why) {
    spdlog::info("{}; nothing to do", why);
    base::notify_ready(why);
    return 0;
}

int cannot_serve(const base::Error& error) {
    spdlog::error("{}", error.message);
    return 1;
}

int check_settings(const SettingsPlace& place) {
    const auto settings = place.read();
    if (!settings) {
        std::fprintf(stderr, "llmd: %s\n", settings.error().message.c_str());
        return 1;
    }
    for (const std::string& file : settings->files) std::printf("%s\n", file.c_str());
    if (settings->files.empty()) std::puts("no settings: all as it comes");
    for (const std::string& warning : settings->warnings) std::fprintf(stderr, "llmd: %s\n", warning.c_str());
    return settings->warnings.empty() ? 0 : 1;
}

int serve(const SettingsPlace& place) {
    // Before anything starts a thread or a process. A closed pipe is an error of write(), not a reason to die.
    ::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&signals, number);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    const base::UniqueFd signal_fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signal_fd) return cannot_serve(base::fail_errno(ErrorCode::Failed, "signalfd", errno));

    base::apply_background_limits();
    base::give_memory_back();
    base::forbid_core_dumps();

    const auto runtime_dir = base::xdg_runtime_dir();
    if (!runtime_dir) return cannot_serve(runtime_dir.error());
    const auto lock = base::lock_instance(*runtime_dir + "/llmd", kLockTimeout);
    if (!lock)
        return lock.error().code == ErrorCode::NotAllowed ? leave_to(lock.error().message) : cannot_serve(lock.error());

    Daemon daemon([&place] { return place.read(); });
    const auto served = daemon.run(signal_fd.get(), *runtime_dir);
    if (served) return 0;
    if (served.error().code == ErrorCode::NotReady) {
        spdlog::error(
            "llmd is reached over the session bus, which a login session has; elsewhere start it with: "
            "dbus-run-session -- llmd");
    }
    return served.error().code == ErrorCode::NotAllowed ? leave_to(served.error().message)
                                                        : cannot_serve(served.error());
}

}  // namespace

int main(int argc, char** argv) {
    set_up_log("info");
    const option long_options[] = {{"config", required_argument, nullptr, 'c'},
                                   {"check-config", no_argument, nullptr, 'k'},
                                   {"version", no_argument, nullptr, 'V'},
                                   {"help", no_argument, nullptr, 'h'},
                                   {}};
    SettingsPlace place;
    bool checks = false;
    for (int choice; (choice = ::getopt_long(argc, argv, "", long_options, nullptr)) != -1;) {
        switch (choice) {
            case 'c':
                place.named = optarg;
                break;
            case 'k':
                checks = true;
                break;
            case 'V':
                std::puts("llmd " LLMD_VERSION);
                return 0;
            case 'h':
                std::fputs(kUsage, stdout);
                return 0;
            default:
                std::fputs(kUsage, stderr);
                return 2;
        }
    }
    if (optind < argc) {
        std::fprintf(stderr, "llmd: unexpected argument '%s'\n%s", argv[optind], kUsage);
        return 2;
    }
    return checks ? check_settings(place) : serve(place);
}
