// llmctl: llmd from the shell.
#include "client/arguments.h"
#include "client/commands.h"
#include "client/program.h"

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
        case Command::Embed:
            return run_embed(arguments);
        case Command::Import:
            return run_import(arguments);
        case Command::Bench:
            return run_bench(arguments);
        case Command::Doctor:
            return run_doctor(arguments);
        case Command::Report:
            return run_report(arguments);
        case Command::Bridge:
            return run_bridge(arguments);
        case Command::Pull:
            return run_pull(arguments);
        case Command::Show:
            return run_show(arguments);
        case Command::Logs:
            return run_logs(arguments);
        case Command::Remove:
            return run_rm(arguments);
        case Command::Default:
            return run_default(arguments);
        case Command::Config:
            return run_config(arguments);
        case Command::Remote:
            return run_remote(arguments);
        case Command::Version:
            return run_version(arguments);
        case Command::Start:
            return run_start(arguments);
        case Command::Help:  // run_program()'s
            break;
    }
    return ExitCode::Failed;
}

}  // namespace
}  // namespace llmd::client

int main(int argc, char** argv) {
    return llmd::client::run_program({argv, argv + argc}, &llmd::client::run);
}
