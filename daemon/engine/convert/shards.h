// The tensors of a model's directory: those of model.safetensors, or of the files that model.safetensors.index.json
// names. Thread-bound.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/convert/safetensors.h"

namespace llmd::convert {

class Shards {
public:
    static constexpr size_t kMaxFiles = 1024;

    struct Tensor {
        size_t file = 0;  // index of its file
        Safetensors::Tensor stored;
    };

    // ModelLoadFailed if there are no tensors (it mentions a pickle if there is one), if the index names something
    // other than a file beside it, if two files have a tensor of the same name, or if all files together have more than
    // Safetensors::kMaxTensors; and the errors of Safetensors::open().
    static base::Result<Shards> open(const std::string& directory);

    const std::string& path_of(const Tensor& tensor) const { return paths_[tensor.file]; }
    // The tensors by their names in the files.
    const std::map<std::string, Tensor, std::less<>>& tensors() const { return tensors_; }
    // Reads like Safetensors::read(). Only one file is open at a time, since a model may have many.
    base::Result<void> read(const Tensor& tensor, uint64_t first, std::span<float> out);

private:
    static base::Result<std::set<std::string>> list(const std::string& directory, const std::string& index);
    base::Result<void> add(const std::string& path);

    std::vector<std::string> paths_;  // of the files
    std::map<std::string, Tensor, std::less<>> tensors_;
    std::optional<InputFile> current_;
};

}  // namespace llmd::convert
