#include "client/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <exception>

#include "client/completion.h"
#include "client/help.h"
#include "client/output.h"
#include "client/report.h"
#include "client/suggestion.h"

namespace llmd::client {
namespace {

// A descriptor that the caller closed would else become the bus's socket, and results would be written into it. What is
// opened here gives end of file, and an error on writing.
void open_standard_descriptors() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) (void)!::open("/dev/null", O_RDONLY);  // the lowest free one: `fd`
    }
}

// Input and output are UTF-8 whatever the environment forgot to say.
void use_utf8() {
    if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
}

// --color overrules what the environment says, for every part of the program and whatever it runs.
void choose_colors(const std::string& when) {
    if (when == "auto") return;
    ::setenv("CLICOLOR_FORCE", when == "always" ? "1" : "0", 1);
    ::setenv("NO_COLOR", when == "always" ? "" : "1", 1);
}

void print_help(const Arguments& arguments) {
    const CommandSpec* command = arguments.help.empty() ? nullptr : find_command(arguments.help);
    if (arguments.json) return print(help_json(command));
    const size_t columns = readable_columns(STDOUT_FILENO);
    print(command != nullptr ? help_of(*command, columns) : general_help(columns));
}

// The shells' completions call this; it is not among the commands, since nobody types it.
constexpr std::string_view kCompleteWord = "__complete";

// The error for whoever mistyped a model's name.
CommandError with_model_hint(const CommandError& error, const Arguments& arguments) {
    if (error.code() != ExitCode::ModelMissing) return error;
    const std::string model = text_of(arguments.request, "model");
    const std::vector<std::string>& operands = arguments.operands;
    const bool has_operand = arguments.command == Command::Load || arguments.command == Command::Remove ||
                             arguments.command == Command::Default || arguments.command == Command::Show;
    const std::string name = has_operand && !operands.empty() ? operands.back() : model;
    return {error.code(), error.what() + suggestion(name, known_models()), error.name()};
}

}  // namespace

int run_program(const std::vector<std::string>& argv, ExitCode (*run)(const Arguments&)) {
    open_standard_descriptors();
    use_utf8();
    std::signal(SIGPIPE, SIG_IGN);  // write() reports EPIPE instead
    std::signal(SIGINT, [](int) { ::_exit(static_cast<int>(ExitCode::Interrupted)); });
    // Prompts never reach a core dump. Not PR_SET_DUMPABLE: a caller whose /proc entry cannot be read counts as
    // sandboxed.
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    Arguments arguments;
    try {
        if (argv.size() > 1 && argv[1] == kCompleteWord) {
            print(completion_of({argv.begin() + 2, argv.end()}));
            return static_cast<int>(ExitCode::Ok);
        }
        arguments = parse_arguments(argv);
        choose_colors(arguments.color);
        if (arguments.command == Command::Help) {
            print_help(arguments);
            return static_cast<int>(ExitCode::Ok);
        }
        return static_cast<int>(run(arguments));
    } catch (const CommandError& error) {
        report(with_model_hint(error, arguments), arguments.json);
        return static_cast<int>(error.code());
    } catch (const std::exception& error) {
        report({ExitCode::Failed, error.what()}, false);
        return static_cast<int>(ExitCode::Failed);
    }
}

}  // namespace llmd::client
