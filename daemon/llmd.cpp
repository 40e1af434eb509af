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
constexpr std::chrono::milliseconds kLockPatience{2000};

constexpr const char* kUsage =
    "Usage: llmd [--config FILE] [--version] [--help]\n"
    "Serves language models to this user's applications on the session bus, as org.llmd.Llmd1, and over HTTP on the\n"
    "socket $XDG_RUNTIME_DIR/llmd/llmd.sock.\n";

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

int serve(const std::string& config_path, bool config_named) {
    // Before anything starts a thread or a process. A closed pipe is an error of write(), not a reason to die.
    ::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&signals, number);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    const base::UniqueFd signal_fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signal_fd) return cannot_serve(base::fail_errno(ErrorCode::Failed, "signalfd", errno));

    const auto config = base::read_config(config_path, config_named);
    if (!config) return cannot_serve(config.error());
    set_up_log(config->log_level);

    base::apply_background_limits();
    base::give_memory_back();
    base::forbid_core_dumps();

    const auto runtime_dir = base::xdg_runtime_dir();
    if (!runtime_dir) return cannot_serve(runtime_dir.error());
    const auto lock = base::lock_instance(*runtime_dir + "/llmd", kLockPatience);
    if (!lock)
        return lock.error().code == ErrorCode::NotAllowed ? leave_to(lock.error().message) : cannot_serve(lock.error());

    Daemon daemon(*config);
    const auto served = daemon.run(signal_fd.get(), *runtime_dir + "/llmd/llmd.sock");
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
                                   {"version", no_argument, nullptr, 'V'},
                                   {"help", no_argument, nullptr, 'h'},
                                   {}};
    std::string config_path;
    for (int choice; (choice = ::getopt_long(argc, argv, "", long_options, nullptr)) != -1;) {
        switch (choice) {
            case 'c':
                config_path = optarg;
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
    const bool config_named = !config_path.empty();
    return serve(config_named ? config_path : base::xdg_config_home() + "/llmd/llmd.toml", config_named);
}
