// `llmctl import`
#include <unistd.h>

#include "base/places.h"
#include "client/commands.h"
#include "client/counts.h"
#include "client/model_import.h"
#include "client/output.h"

namespace llmd::client {

ExitCode run_import(const Arguments& arguments) {
    ProgressLine progress;
    const auto show = [&](uint64_t copied, uint64_t size) {
        if (size > 0) progress.show("copying " + std::to_string(copied * 100 / size) + " %");
    };
    const ImportedModel model = import_model(arguments.operands[0], text_of(arguments.request, "name"),
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
                 (is_one ? ": what changes " + arguments.operands[0] + " changes the model\n" : "\n"));
    return ExitCode::Ok;
}

}  // namespace llmd::client
