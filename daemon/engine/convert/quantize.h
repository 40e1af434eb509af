// Quantizes weights to blocks of GGUF's formats, bit for bit like llama.cpp's reference
// (https://github.com/ggml-org/ggml/blob/master/src/ggml-quants.c, quantize_row_*_ref). model/quantization.cpp
// describes the layout of blocks. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <span>

#include "engine/model/quantization.h"

namespace llmd::convert {

// Returns the largest magnitude of a weight that a type can hold. It is 65504 for F16 and for types with scales in F16.
float largest_weight(model::TensorType type);

// `type` is F32, F16, BF16, Q8_0, Q6_K, Q5_0, Q4_K or Q4_0. Preconditions: `weights` are whole blocks, their magnitudes
// at most largest_weight(); out.size() is their row_bytes().
void quantize(model::TensorType type, std::span<const float> weights, std::span<std::byte> out);

}  // namespace llmd::convert
