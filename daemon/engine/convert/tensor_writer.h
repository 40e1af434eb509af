// Writes the tensors of a converted model, a few MiB at a time. Thread-bound.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/convert/file_type.h"
#include "engine/convert/gguf_output.h"

namespace llmd::convert {

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
