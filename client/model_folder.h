// The directory of the user's models: what a new one may be called, what llmd-engine says of it, and how it gets its
// place. All throw CommandError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/frame.h"

namespace llmd::client {

inline constexpr std::string_view kModelSuffix = ".gguf";
inline constexpr const char* kHardLink = "hard link";

struct NewModel {
    std::string name;
    std::string path;
    std::string architecture;
    std::string quantization;
    uint64_t size_bytes = 0;
    // "clone" (shares the blocks until one of them is changed), kHardLink, "copy", "conversion" or "download"
    const char* how = "";
};

// `given` without ".gguf"; if it is empty the name of `file` without ".gguf" or ".bin". Usage: no model can be called
// so.
std::string model_name(const std::string& file, const std::string& given);

// ModelMissing, and what shows the names that there are. `fallback`: those that were asked for in its place.
[[noreturn]] void no_such_model(const std::string& name, const std::vector<std::string>& fallback = {});

// FOLDER/NAME.gguf
std::string model_path(const std::string& folder, const std::string& name);

// Where the model belongs. Makes the directory. Usage: there is one.
std::string place_for(const std::string& folder, const std::string& name);

// What llmd-engine, at `engine`, says of the file at `path`, which may be a name in /proc; `file` is what people call
// it. Failed with the reason for one that llmd cannot use.
protocol::Inspection inspect_model(const std::string& engine, const std::string& path, const std::string& file);

// The name in /proc of an open file of this process.
std::string proc_path(int fd);

// Gives an open file the name `path`. False: that is not possible here (another filesystem, another owner). Usage:
// there is one.
bool link_to(int fd, const std::string& path);

uint64_t size_of(int fd, const std::string& file);

// Tells on standard output what has come, and how to use it, or as one JSON object. `note` is added to the first line.
void announce(const NewModel& model, bool json, const std::string& note);

}  // namespace llmd::client
