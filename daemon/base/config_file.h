// Reading settings (config.cpp) and changing them (config_edit.cpp) share this. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/config.h"
#include "base/setting_table.h"

namespace llmd::base {

// Far above any real configuration; keeps a wrong path (a model, a device) from being read into memory.
inline constexpr size_t kMaxConfigBytes = 256u << 10;

// The text of a file with settings. InvalidArgument: it cannot be read, or is none; `exists` says whether it is there.
Result<std::string> read_text(const std::string& path, bool& exists);
// The keys and tables of one file, over those of the files before it. `path` is for messages.
Result<void> read_keys(const std::string& path, const std::string& text, Settings& settings);
// The row of a key of Config. InvalidArgument names those that there are.
Result<const Setting<Config>*> find_setting(const std::string& name);
// A string of TOML in its quotes, which JSON's are too.
std::string toml_text(std::string_view text);

}  // namespace llmd::base
