// llmd's settings from the shell: `llmctl config`, `llmctl default` and what a new model asks about.
#pragma once

#include <string>

#include "base/config.h"

namespace llmd::client {

// Returns what all files say now. Throws CommandError(Failed).
base::Settings current_settings();

// Sets `name` in the file that llmctl writes, and has llmd, if it runs and can be notified, read it; reports a file
// that it overrides. Throws CommandError: Usage naming key and value, Failed.
void change_user_setting(const std::string& name, const std::string& value);

// Tells how the model `name` is used: on a terminal asks whether it is to be the default, else names the command.
void offer_as_default(const std::string& name);

}  // namespace llmd::client
