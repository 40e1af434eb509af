// Writes a GGUF file, version 3, from front to back: first the metadata, then the names and shapes of the tensors, then
// their bytes in that order. Only the metadata and a few MiB of a tensor are in memory. Thread-bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/convert/quantize.h"
#include "engine/model/gguf_layout.h"
#include "engine/model/quantization.h"

namespace llmd::convert {

class GgufOutput {
public:
    // `fd` is open for writing and stays the caller's.
    explicit GgufOutput(int fd) : fd_(fd) {}

    // Adds metadata. Each key may be added once.
    void add(std::string_view key, uint32_t value);
    void add(std::string_view key, float value);
    void add(std::string_view key, bool value);
    void add(std::string_view key, std::string_view value);
    void add(std::string_view key, const char* value) { add(key, std::string_view(value)); }
    void add(std::string_view key, std::span<const std::string> values);
    void add(std::string_view key, std::span<const float> values);
    void add(std::string_view key, std::span<const int32_t> values);

    // Declares a matrix, or with rows == 0 a vector of `cols`. Precondition: cols is a multiple of the type's block.
    void declare(std::string_view name, model::TensorType type, uint64_t rows, uint64_t cols);

    // Writes everything up to the first tensor's data, after the last declare(). Failed has the system's message.
    base::Result<void> begin();
    // Writes the next bytes of the tensors, in the order of their declarations and not across the end of a tensor.
    base::Result<void> write(std::span<const std::byte> bytes);

private:
    void add_key(std::string_view key, model::ValueType type);
    void add_array_key(std::string_view key, model::ValueType element, uint64_t count);
    base::Result<void> write_out(std::span<const std::byte> bytes);

    const int fd_;
    uint64_t n_values_ = 0;
    std::string values_;
    std::string tensors_;
    std::vector<uint64_t> sizes_;  // bytes of each tensor
    uint64_t next_offset_ = 0;
    size_t current_ = 0;    // tensor that is being written
    uint64_t written_ = 0;  // bytes of it
};

// A tensor and the source of its weights.
struct TensorSource {
    TensorShape shape;
    std::string origin;  // for errors: "model.safetensors: wte.weight"
    // Fills `out`, which is a whole number of rows, from row `first_row` on. A vector is one row.
    std::function<base::Result<void>(uint64_t first_row, std::span<float> out)> read;
};

// Declares and writes all tensors, after the metadata. ModelLoadFailed if a weight exceeds what its type can hold; and
// the errors of GgufOutput and of read().
base::Result<void> write_tensors(GgufOutput& out, const std::vector<TensorSource>& tensors, FileType type,
                                 uint32_t n_layers);

}  // namespace llmd::convert
