// `llmctl import`
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "base/places.h"
#include "client/commands.h"
#include "client/counts.h"
#include "client/model_import.h"
#include "client/output.h"

namespace llmd::client {
namespace {

// What becomes of another model of that name; empty without one.
std::string other_of_that_name(const ImportedModel& model) {
    bool comes_first = true;
    for (const std::string& folder : base::model_folders()) {
        const std::filesystem::path other = std::filesystem::path(folder) / (model.name + ".gguf");
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(other, ignored)) continue;
        if (!std::filesystem::equivalent(other, model.path, ignored)) {
            return comes_first ? folder + " has a model of that name too, which llmd takes in its place\n"
                               : "it takes the place of the model of that name in " + folder + '\n';
        }
        comes_first = false;
    }
    return "";
}

}  // namespace

ExitCode run_import(const Arguments& arguments) {
    ProgressLine progress;
    const auto show = [&](uint64_t done, uint64_t size) {
        if (size > 0) progress.show("writing " + std::to_string(done * 100 / size) + " %");
    };
    const auto text = [&](const char* key) { return text_of(arguments.request, key); };
    const ImportedModel model = import_model(arguments.operands[0], {text("name"), text("tokenizer"), text("quantize")},
                                             base::user_model_folder(), base::find_engine(), show);
    progress.clear();
    if (arguments.json) {
        print_json(Dictionary{{"name", model.name},
                              {"path", model.path},
                              {"architecture", model.architecture},
                              {"quantization", model.quantization},
                              {"size_bytes", model.size_bytes},
                              {"how", model.how}});
        return ExitCode::Ok;
    }
    const bool is_one = std::string_view(model.how) == kHardLink;
    TextOutput output(STDOUT_FILENO);  // a file chooses some of these words
    output.write(model.name + " (" + model.architecture + ' ' + model.quantization + ", " +
                 size_text(model.size_bytes) + ") is in " + base::user_model_folder() + ", as a " + model.how +
                 (is_one ? ": what changes " + arguments.operands[0] + " changes the model\n" : "\n") +
                 other_of_that_name(model));
    return ExitCode::Ok;
}

}  // namespace llmd::client
