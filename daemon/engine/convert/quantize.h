// Quantization of a model that is converted: the type of each tensor, chosen as llama-quantize does without an
// importance matrix (https://github.com/ggml-org/llama.cpp, src/llama-quant.cpp, llama_tensor_get_type), and its
// blocks, bit for bit like llama.cpp's reference (https://github.com/ggml-org/ggml/blob/master/src/ggml-quants.c,
// quantize_row_*_ref). model/quantization.cpp describes the layout of blocks. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/convert/convert.h"
#include "engine/model/quantization.h"

namespace llmd::convert {

// The name and shape of a tensor in the GGUF file.
struct TensorShape {
    std::string name;   // GGUF's: "blk.3.ffn_down.weight"
    uint64_t rows = 0;  // 0: a vector
    uint64_t cols = 0;
    uint32_t layer = 0;  // of tensors in a layer
};

// Vectors and position embeddings stay F32. `has_output` says that the model has a matrix output.weight; else its token
// embedding serves as that too. A matrix whose rows are not whole blocks becomes Q5_0 instead of Q4_K, Q8_0 instead of
// Q6_K, or else F32, where llama-quantize writes F16 or fails.
model::TensorType tensor_type(FileType type, const TensorShape& tensor, uint32_t n_layers, bool has_output);

// Returns the largest magnitude of a weight that a type can hold. It is 65504 for F16 and for types with scales in F16.
float largest_weight(model::TensorType type);

// `type` is F32, F16, BF16, Q8_0, Q6_K, Q5_0, Q4_K or Q4_0. Preconditions: `weights` are whole blocks, their magnitudes
// at most largest_weight(); out.size() is their row_bytes().
void quantize(model::TensorType type, std::span<const float> weights, std::span<std::byte> out);

}  // namespace llmd::convert
