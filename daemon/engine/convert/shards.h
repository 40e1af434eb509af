// The tensors of a model's directory: those of model.safetensors, or of the several files that
// model.safetensors.index.json names. Thread-bound.
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
        size_t file = 0;  // that has it
        Safetensors::Tensor stored;
    };

    // ModelLoadFailed when there are none, naming the pickle if there is one, when an index names what is not a file
    // beside it, when two files have a tensor of the same name or all together more than Safetensors::kMaxTensors, and
    // as Safetensors::open() does.
    static base::Result<Shards> open(const std::string& folder);

    const std::string& path_of(const Tensor& tensor) const { return paths_[tensor.file]; }
    // By their names in the files.
    const std::map<std::string, Tensor, std::less<>>& tensors() const { return tensors_; }
    // As Safetensors::read(). One file is open at a time, since a model may have many.
    base::Result<void> read(const Tensor& tensor, uint64_t first, std::span<float> out);

private:
    static base::Result<std::set<std::string>> list(const std::string& folder, const std::string& index);
    base::Result<void> add(const std::string& path);

    std::vector<std::string> paths_;  // of the files
    std::map<std::string, Tensor, std::less<>> tensors_;
    std::optional<InputFile> current_;
};

}  // namespace llmd::convert
