// `llmctl logs`
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "client/commands.h"
#include "client/llmd_client.h"

namespace llmd::client {
namespace {

constexpr uint64_t kUsualLines = 100;

}  // namespace

ExitCode run_logs(const Arguments& arguments) {
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
    throw CommandError(ExitCode::Failed, "journalctl: " + why +
                                             "; llmd logs to the standard error of what starts it: " + start_command());
}

}  // namespace llmd::client
