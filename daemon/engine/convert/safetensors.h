// A safetensors file (https://huggingface.co/docs/safetensors, "Format"): the length of a JSON header, the header with
// each tensor's type, shape and offsets, and the tensors' bytes. It is untrusted: every number is checked against the
// others and the file's size before it is used. Immutable: may be read from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/convert/input_file.h"

namespace llmd::convert {

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

}  // namespace llmd::convert
