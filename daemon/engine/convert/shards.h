// The tensors of a model's directory: those of model.safetensors, or of the several files that
// model.safetensors.index.json names. Thread-bound.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "base/result.h"
#include "engine/convert/safetensors.h"

namespace llmd::convert {

class Shards {
public:
    static constexpr size_t kMaxFiles = 1024;

    struct Tensor {
        std::string path;  // of the file that has it
        Safetensors::Tensor stored;
    };

    // ModelLoadFailed when there are none, naming the pickle if there is one, when an index names what is not a file
    // beside it, when two files have a tensor of the same name, and as Safetensors::open() does.
    static base::Result<Shards> open(const std::string& folder);

    // By their names in the files.
    const std::map<std::string, Tensor, std::less<>>& tensors() const { return tensors_; }
    // As Safetensors::read(). One file is open at a time, since a model may have many.
    base::Result<void> read(const Tensor& tensor, uint64_t first, std::span<float> out);

private:
    static base::Result<std::set<std::string>> list(const std::string& folder, const std::string& index);
    base::Result<void> add(const std::string& path);

    std::map<std::string, Tensor, std::less<>> tensors_;
    std::unique_ptr<Safetensors> current_;
};

}  // namespace llmd::convert
