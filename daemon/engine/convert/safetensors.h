// The tensors of a model's directory in safetensors files (https://huggingface.co/docs/safetensors, "Format"): each
// file has the length of a JSON header, the header with each tensor's type, shape and offsets, and the tensors' bytes.
// Files are untrusted: every number is checked against the others and the file's size before it is used.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/convert/input_file.h"

namespace llmd::convert {

// One file. Immutable: may be read from any thread.
class Safetensors {
public:
    static constexpr uint64_t kMaxHeaderBytes = 16u << 20;  // of 65,536 tensors; the format's own limit is 100 MB
    static constexpr size_t kMaxTensors = 65'536;           // as many as a GGUF file may have
    static constexpr size_t kMaxDimensions = 8;

    struct Tensor {
        std::string type;  // "BF16"
        std::vector<uint64_t> shape;
        uint64_t at = 0;  // in the file
    };

    // ModelLoadFailed names a tensor whose name occurs twice, whose type is unknown, or whose bytes do not match its
    // shape, overlap another's, leave a gap or lie outside of the file.
    static base::Result<Safetensors> open(const std::string& path);

    const std::map<std::string, Tensor, std::less<>>& tensors() const { return tensors_; }
    // True if read() can read the type: F32, F16 or BF16.
    static bool is_readable(const Tensor& tensor);
    // Reads weights [first, first + out.size()) of a tensor of this file, or of `file`, which must have the tensor.
    // Preconditions: is_readable(), and it has so many weights.
    base::Result<void> read(const Tensor& tensor, uint64_t first, std::span<float> out) const {
        return read(file_, tensor, first, out);
    }
    static base::Result<void> read(const InputFile& file, const Tensor& tensor, uint64_t first, std::span<float> out);

private:
    explicit Safetensors(InputFile file) : file_(std::move(file)) {}
    base::Result<void> read_header();

    InputFile file_;
    std::map<std::string, Tensor, std::less<>> tensors_;
};

// The tensors of a model's directory: those of model.safetensors, or of the files that model.safetensors.index.json
// names. Thread-bound.
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
