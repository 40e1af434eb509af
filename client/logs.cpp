// `llmctl logs`
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/config.h"
#include "base/instance_lock.h"
#include "base/places.h"
#include "client/commands.h"
#include "client/doctor.h"
#include "client/output.h"

namespace llmd::client {
namespace {

constexpr uint64_t kUsualLines = 100;

// "to FILE", or what else the standard error of this user's llmd is; empty where none runs, or the kernel does not
// tell.
std::string place_of_log() {
    const auto runtime = base::xdg_runtime_dir();
    if (!runtime || !base::is_instance_locked(*runtime + "/llmd")) return {};
    // The lock holds the number of the process.
    const std::string process = "/proc/" + first_line(*runtime + "/llmd/lock");
    std::error_code error;
    const std::string place = std::filesystem::read_symlink(process + "/fd/2", error);
    if (error) return {};
    if (place == "/dev/null") return "nowhere, since its standard error is /dev/null";
    if (place.starts_with('/')) return "to " + place;
    return "to the program that has started it (" + place + ')';
}

// Where nothing writes into a journal.
std::string elsewhere() {
    const std::string place = place_of_log();
    return place.empty() ? "llmd logs to the standard error of what starts it; to see it, start it in a terminal: " +
                               base::find_daemon()
                         : "llmd logs " + place;
}

}  // namespace

ExitCode run_logs(const Arguments& arguments) {
    if (::access("/run/systemd/system", F_OK) != 0) {  // sd_booted(3)
        tell("llmctl: systemd does not run here; " + elsewhere() + '\n');
    }
    std::vector<std::string> words = {"journalctl", "--user-unit=llmd.service", "--user-unit=llmd-remote@*.service",
                                      "--lines=" + std::to_string(number_of(arguments.request, "lines", kUsualLines))};
    if (arguments.watch) words.emplace_back("--follow");
    if (arguments.json) words.emplace_back("--output=json");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    // It becomes this process, so that its pager and Ctrl-C are its own.
    std::signal(SIGPIPE, SIG_DFL);
    ::execvp(argv[0], argv.data());
    const std::string why = errno == ENOENT ? "there is no journalctl here" : std::string(std::strerror(errno));
    std::signal(SIGPIPE, SIG_IGN);
    throw CommandError(ExitCode::Failed, "journalctl: " + why);
}

}  // namespace llmd::client
