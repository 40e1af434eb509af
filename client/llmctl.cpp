// llmctl: llmd from the shell. Reads the command line, runs one command, turns its failure into a message on standard
// error and an exit code.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "client/arguments.h"
#include "client/commands.h"
#include "client/exit_code.h"
#include "client/output.h"
#include "client/report.h"

namespace llmd::client {
namespace {

ExitCode run(const Arguments& arguments) {
    switch (arguments.command) {
        case Command::Generate:
            return run_generate(arguments);
        case Command::Chat:
            return run_chat(arguments);
        case Command::Models:
            return run_models(arguments);
        case Command::Load:
            return run_load(arguments);
        case Command::Unload:
            return run_unload(arguments);
        case Command::Status:
            return run_status(arguments);
        case Command::Queue:
            return run_queue(arguments);
        case Command::Cancel:
            return run_cancel(arguments);
        case Command::Tokenize:
            return run_tokenize(arguments);
        case Command::Import:
            return run_import(arguments);
        case Command::Bench:
            return run_bench(arguments);
        case Command::Doctor:
            return run_doctor(arguments);
        case Command::Bridge:
            return run_bridge(arguments);
        case Command::Version:
            return run_version(arguments);
        case Command::Help:
            print(arguments.help);
            return ExitCode::Ok;
    }
    return ExitCode::Failed;
}

// A descriptor that the caller closed would else become the bus's socket, and results would be written into it. What is
// opened here gives end of file, and an error on writing.
void open_standard_descriptors() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) (void)!::open("/dev/null", O_RDONLY);  // the lowest free one: `fd`
    }
}

int run_main(const std::vector<std::string>& argv) {
    bool json = false;
    try {
        const Arguments arguments = parse_arguments(argv);
        json = arguments.json;
        return static_cast<int>(run(arguments));
    } catch (const CommandError& error) {
        report(error, json);
        return static_cast<int>(error.code());
    }
}

}  // namespace
}  // namespace llmd::client

int main(int argc, char** argv) {
    llmd::client::open_standard_descriptors();
    std::signal(SIGPIPE, SIG_IGN);                   // write() reports EPIPE instead
    std::signal(SIGINT, [](int) { ::_exit(130); });  // until `generate` has something to cancel
    // Prompts never reach a core dump. Not PR_SET_DUMPABLE: a caller whose /proc entry cannot be read counts as
    // sandboxed.
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    try {
        return llmd::client::run_main({argv, argv + argc});
    } catch (const std::exception& error) {
        llmd::client::report({llmd::client::ExitCode::Failed, error.what()}, false);
        return static_cast<int>(llmd::client::ExitCode::Failed);
    }
}
