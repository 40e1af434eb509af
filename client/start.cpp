// `llmctl` without a command: what to do first.
#include <unistd.h>

#include "client/commands.h"
#include "client/completion.h"
#include "client/counts.h"
#include "client/llmd_client.h"
#include "client/output.h"

namespace llmd::client {
namespace {

class Screen {
public:
    void say(const std::string& text) { write(wrap(text, 0, columns_) + '\n', TextOutput::Style::Plain); }
    // Writes a command that may be typed as it stands.
    void command(const std::string& text) { write("  " + text + '\n', TextOutput::Style::Bold); }
    void gap() { write("\n", TextOutput::Style::Plain); }

private:
    void write(const std::string& text, TextOutput::Style style) {
        if (!output_.write(text, style)) throw CommandError(ExitCode::Ok, "");
    }

    TextOutput output_{STDOUT_FILENO};
    const size_t columns_ = readable_columns(STDOUT_FILENO);
};

}  // namespace

ExitCode run_start(const Arguments&) {
    // A script whose variable was empty must not go on as if something had been done.
    if (!terminal_columns(STDOUT_FILENO)) {
        throw CommandError(ExitCode::Usage, "a command is missing; see 'llmctl --help'");
    }
    const std::vector<std::string> models = known_models();
    const std::string chosen = default_model(models);
    const std::optional<Dictionary> status = running_status();
    Screen screen;
    if (models.empty()) {
        screen.say("There is no language model on this device yet. Fetch one, or add a GGUF file that you have:");
        screen.command("llmctl pull hf:bartowski/SmolLM2-135M-Instruct-GGUF");
        screen.command("llmctl import FILE.gguf");
    } else if (chosen.empty()) {
        screen.say("There are " + counted(models.size(), "model") +
                   ", and none is the default. Look at them, and choose one:");
        screen.command("llmctl models");
        screen.command("llmctl default MODEL");
    } else {
        const std::string others = models.size() == 1 ? "" : ", one of " + counted(models.size(), "model");
        screen.say("Ask the language model of this device (" + chosen + others + "):");
        screen.command("llmctl chat");
        screen.command("llmctl generate --system \"Be helpful.\" \"Tell me a tale about a fox\"");
    }
    screen.gap();
    if (!status) {
        screen.say(
            "llmd, which runs the model, is not running. The first request starts it where a service manager can; if "
            "nothing does:");
        screen.command(start_command());
        screen.command("llmctl doctor");
    } else if (const std::string error = text_of(*status, "settings_error"); !error.empty()) {
        screen.say("llmd cannot use its settings: " + error);
        screen.command("llmctl config edit");
    } else {
        const std::string model = text_of(*status, "model");
        screen.say("llmd is running" + (model.empty() ? ", and loads the model with the first request."
                                                      : ": " + model + " is " + text_of(*status, "state") + '.'));
        screen.command("llmctl status");
    }
    screen.gap();
    screen.say("'llmctl --help' lists all commands, 'man llmctl' explains them.");
    return ExitCode::Ok;
}

}  // namespace llmd::client
