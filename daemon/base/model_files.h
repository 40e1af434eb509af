// The files of a directory that are models, or look as if they were meant to be: *.gguf, where the parts of a split
// model (part_name.h) are one model. Nothing of their contents is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/part_name.h"

namespace llmd::base {

// This is wrong with a name that is_model_name() allows and is_local_model_name() does not.
inline constexpr const char* kNameOfRemote =
    "its name has an '@', which stands between a model and its remote: rename the file";

struct ModelFiles {
    // The file's name without ".gguf", of a split model without "-00001-of-00003.gguf" too. If there is a fault: what
    // can be shown of the file's name.
    std::string name;
    std::string path;   // of a split model the first part
    std::string fault;  // why it can be no model, in words that follow its name; empty: it may be one
};

// In no order; names of models are unique. Only regular files and links to such count. Of a split model that lacks its
// first part, one entry with a fault says so, and so does one of a directory that cannot be read: its path is that of
// the directory. One that is not there is empty.
std::vector<ModelFiles> find_models(const std::string& folder);

// The path of the model of that name among them; nothing where none is called so.
std::optional<std::string> find_model(const std::string& folder, std::string_view name);

// All files of the model at `path`: of a first part by its name all parts, which need not be there, else `path`.
std::vector<std::string> files_of_model(const std::string& path);

// Returns the name of a model at `path` if nobody says otherwise: the file's name as in ModelFiles.
std::string name_of_model(std::string_view path);

}  // namespace llmd::base
