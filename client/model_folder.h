// The directory of the user's models: what a new one may be called, what llmd-engine says of it, and how it gets its
// place. All throw CommandError.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocol/frame.h"

namespace llmd::client {

inline constexpr const char* kHardLink = "hard link";

struct NewModel {
    std::string name;
    std::string path;  // of a split model the first part
    std::string architecture;
    std::string quantization;
    uint64_t size_bytes = 0;
    // "clone" (shares the blocks until one of them is changed), kHardLink, "copy", "conversion" or "download"
    const char* how = "";
};

// `given` without ".gguf"; if it is empty the name of `file` without ".gguf" or ".bin". For a split model both are
// taken without "-00001-of-00003" too. Usage: no model can be called so.
std::string model_name(const std::string& file, const std::string& given);

// ModelMissing, and what shows the names that there are. `fallback`: those that were asked for in its place.
[[noreturn]] void no_such_model(const std::string& name, const std::vector<std::string>& fallback = {});

// FOLDER/NAME.gguf
std::string model_path(const std::string& folder, const std::string& name);

// Where the files of a model of so many parts belong. Makes the directory. Usage: there is a model of that name.
std::vector<std::string> places_for(const std::string& folder, const std::string& name, size_t n_parts);

// Returns what llmd-engine, at `engine`, says of the model at `path`, or of the parts of a split model, which may all
// be names in /proc; `file` is what people call it. Throws Failed with the reason for one that llmd cannot use.
protocol::Inspection inspect_model(const std::string& engine, std::span<const std::string> paths,
                                   const std::string& file);
protocol::Inspection inspect_model(const std::string& engine, const std::string& path);

// The name in /proc of an open file of this process.
std::string proc_path(int fd);

// Gives open files these names, the first last, so that a model of several parts is there whole or not at all. False:
// that is not possible here (another filesystem, another owner), and nothing has changed. Usage: there is one of them.
bool link_all(std::span<const int> fds, std::span<const std::string> paths);

uint64_t size_of(int fd, const std::string& file);

// Tells on standard output what has come, and how to use it, or as one JSON object. `note` is added to the first line.
void announce(const NewModel& model, bool json, const std::string& note);

}  // namespace llmd::client
