// What reading settings (config.cpp) and changing them (config_edit.cpp) share. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/config.h"

namespace llmd::base {

// The text of a file with settings. InvalidArgument: it cannot be read, or is none; `exists` tells that it is absent.
Result<std::string> read_text(const std::string& path, bool& exists);
// The keys and tables of one file, over those of the files before it. `path` is for messages.
Result<void> read_keys(const std::string& path, const std::string& text, Settings& settings);
// Is the value of this setting, which there is, a number?
bool is_number(const std::string& name);
// Is it true or false?
bool is_switch(const std::string& name);
// A string of TOML in its quotes, which JSON's are too.
std::string toml_text(std::string_view text);

}  // namespace llmd::base
