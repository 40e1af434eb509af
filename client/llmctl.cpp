// llmctl: llmd from the shell.
#include <iterator>
#include <utility>

#include "client/arguments.h"
#include "client/commands.h"
#include "client/program.h"

namespace llmd::client {
namespace {

constexpr std::pair<Command, ExitCode (*)(const Arguments&)> kCommands[] = {
    {Command::Generate, run_generate}, {Command::Chat, run_chat},       {Command::Models, run_models},
    {Command::Load, run_load},         {Command::Unload, run_unload},   {Command::Status, run_status},
    {Command::Queue, run_queue},       {Command::Cancel, run_cancel},   {Command::Tokenize, run_tokenize},
    {Command::Embed, run_embed},       {Command::Import, run_import},   {Command::Bench, run_bench},
    {Command::Doctor, run_doctor},     {Command::Report, run_report},   {Command::Bridge, run_bridge},
    {Command::Pull, run_pull},         {Command::Show, run_show},       {Command::Logs, run_logs},
    {Command::Remove, run_rm},         {Command::Default, run_default}, {Command::Config, run_config},
    {Command::Remote, run_remote},     {Command::Version, run_version}, {Command::Start, run_start},
};
static_assert(std::size(kCommands) == static_cast<size_t>(Command::Start), "every command but Help");

ExitCode run(const Arguments& arguments) {
    for (const auto& [command, run_it] : kCommands) {
        if (command == arguments.command) return run_it(arguments);
    }
    return ExitCode::Failed;  // Help, which is run_program()'s
}

}  // namespace
}  // namespace llmd::client

int main(int argc, char** argv) {
    return llmd::client::run_program({argv, argv + argc}, &llmd::client::run);
}
