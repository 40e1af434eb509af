// `llmctl logs`
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/config.h"
#include "base/instance_lock.h"
#include "base/places.h"
#include "client/commands.h"
#include "client/doctor.h"
#include "client/output.h"

namespace llmd::client {
namespace {

constexpr uint64_t kUsualLines = 100;

// Where nothing writes into a journal. What its standard error is llmd lets nobody but root look at; who has started
// it, everybody.
std::string place_of_log() {
    const auto runtime = base::xdg_runtime_dir();
    const std::string usual = "llmd logs to the standard error of what starts it";
    if (!runtime || !base::is_instance_locked(*runtime + "/llmd")) {
        return usual + "; to see it, start it in a terminal: " + base::find_daemon();
    }
    // The lock holds the number of the process. Behind its name, which may have any character: state and parent.
    const std::string status = first_line("/proc/" + first_line(*runtime + "/llmd/lock") + "/stat");
    std::istringstream fields(status.substr(std::min(status.size(), status.rfind(')') + 1)));
    std::string state, parent;
    fields >> state >> parent;
    const std::string name = first_line("/proc/" + parent + "/comm");
    if (name == "supervise-daemon") {  // packaging/alpine/llmd.initd
        return "OpenRC gives what llmd logs to the system's logger, with the tag llmd (often in /var/log/messages)";
    }
    // Who has started it may be gone.
    return name.empty() || parent == "1" ? usual : usual + ": " + name + " (process " + parent + ')';
}

// A journal, of this or another system, is shown by journalctl whether or not systemd runs.
bool has_journal() {
    const auto options = std::filesystem::directory_options::skip_permission_denied;
    for (const char* folder : {"/var/log/journal", "/run/log/journal"}) {
        std::error_code error;
        for (std::filesystem::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
             at.increment(error)) {
            if (at->path().filename().string().find(".journal") != std::string::npos) return true;
        }
    }
    return false;
}

}  // namespace

ExitCode run_logs(const Arguments& arguments) {
    if (::access("/run/systemd/system", F_OK) != 0) {  // sd_booted(3)
        const std::string where = "systemd does not run here; " + place_of_log();
        if (!has_journal()) throw CommandError(ExitCode::Failed, where);
        tell("llmctl: " + where + '\n');
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
