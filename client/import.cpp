// `llmctl import`, and `llmctl pull`, which another program does (pull/pull.h).
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/places.h"
#include "client/commands.h"
#include "client/model_import.h"
#include "client/output.h"
#include "client/settings.h"

namespace llmd::client {

ExitCode run_import(const Arguments& arguments) {
    ProgressLine progress;
    const auto show = [&](uint64_t done, uint64_t size) {
        if (size > 0) progress.show("writing " + std::to_string(done * 100 / size) + " %");
    };
    const auto text = [&](const char* key) { return text_of(arguments.request, key); };
    const NewModel model = import_model(arguments.operands[0], {text("name"), text("tokenizer"), text("quantize")},
                                        base::user_model_folder(), base::find_engine(), show);
    progress.clear();
    const bool is_one = std::string_view(model.how) == kHardLink;
    announce(model, arguments.json, is_one ? ": what changes " + arguments.operands[0] + " changes the model" : "");
    if (!arguments.json) offer_as_default(model.name);
    return ExitCode::Ok;
}

ExitCode run_pull(const Arguments& arguments) {
    const std::string program = base::find_pull();
    std::vector<std::string> words = {"llmctl", "pull", arguments.operands[0]};
    const std::string name = text_of(arguments.request, "name");
    if (!name.empty()) words.insert(words.end(), {"--name", name});
    if (arguments.json) words.emplace_back("--json");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    throw CommandError(ExitCode::Failed, program + " does not start: " + std::strerror(errno));
}

}  // namespace llmd::client
