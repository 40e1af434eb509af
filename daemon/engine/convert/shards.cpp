#include "engine/convert/shards.h"

#include <unistd.h>

#include <string_view>
#include <utility>

#include "engine/convert/json_file.h"
#include "engine/model/quoted.h"

namespace llmd::convert {

using base::ErrorCode;
using base::Result;
using model::quoted;

namespace {

base::Error no_tensors(const std::string& directory) {
    const bool has_pickle = ::access((directory + "/pytorch_model.bin").c_str(), F_OK) == 0;
    return base::fail(ErrorCode::ModelLoadFailed, directory, " has no model.safetensors",
                      has_pickle ? "; pytorch_model.bin is a pickle, which may hold a program, and is not read" : "");
}

}  // namespace

Result<Shards> Shards::open(const std::string& directory) {
    Shards shards;
    const std::string single = directory + "/model.safetensors", index = single + ".index.json";
    std::set<std::string> paths{single};
    if (::access(single.c_str(), F_OK) != 0) {
        if (::access(index.c_str(), F_OK) != 0) return no_tensors(directory);
        auto listed = list(directory, index);
        if (!listed) return std::move(listed).error();
        paths = *std::move(listed);
    }
    for (const std::string& path : paths) {
        if (auto added = shards.add(path); !added) return std::move(added).error();
    }
    return shards;
}

// Returns the files that an index names, which must be names without a path, beside it.
Result<std::set<std::string>> Shards::list(const std::string& directory, const std::string& index) {
    const auto file = JsonFile::open(index);
    if (!file) return file.error();
    const auto map = file->root().object("weight_map");
    if (!map) return map.error();
    if (!*map) return file->root().fail("weight_map is absent");
    std::set<std::string> paths;
    for (const auto& [tensor, value] : (*map)->raw()) {
        std::string_view name;
        if (value.get(name) != simdjson::SUCCESS || !name.ends_with(".safetensors") ||
            name.find('/') != std::string_view::npos || quoted(name) != base::concat("\"", name, "\"")) {
            return (*map)->fail(quoted(tensor), " is in ", quoted(name),
                                ", not in a file called *.safetensors beside it");
        }
        paths.insert(base::concat(directory, "/", name));
        if (paths.size() > kMaxFiles) return (*map)->fail("names more than ", kMaxFiles, " files");
    }
    return paths;
}

Result<void> Shards::add(const std::string& path) {
    auto file = Safetensors::open(path);
    if (!file) return std::move(file).error();
    paths_.push_back(path);
    for (const auto& [name, tensor] : file->tensors()) {
        const auto [other, is_new] = tensors_.try_emplace(name, Tensor{paths_.size() - 1, tensor});
        if (!is_new) {
            return base::fail(ErrorCode::ModelLoadFailed, path, ": tensor ", quoted(name), " is in ",
                              path_of(other->second), " too");
        }
    }
    if (tensors_.size() > Safetensors::kMaxTensors) {
        return base::fail(ErrorCode::ModelLoadFailed, path, ": all files together have more than ",
                          Safetensors::kMaxTensors, " tensors");
    }
    return {};
}

Result<void> Shards::read(const Tensor& tensor, uint64_t first, std::span<float> out) {
    if (!current_ || current_->path() != path_of(tensor)) {
        auto opened = InputFile::open(path_of(tensor));
        if (!opened) return std::move(opened).error();
        current_ = *std::move(opened);
    }
    return Safetensors::read(*current_, tensor.stored, first, out);
}

}  // namespace llmd::convert
