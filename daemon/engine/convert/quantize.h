// Weights as blocks of GGUF's formats, bit for bit as llama.cpp's reference makes them
// (https://github.com/ggml-org/ggml/blob/master/src/ggml-quants.c, quantize_row_*_ref); model/quantization.cpp says how
// blocks are laid out. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <span>

#include "engine/model/quantization.h"

namespace llmd::convert {

// The largest magnitude of a weight that a type can hold: of F16, and of whatever has scales in F16, 65504.
float largest_weight(model::TensorType type);

// `type` is F32, F16, BF16, Q8_0, Q6_K, Q5_0, Q4_K or Q4_0. Preconditions: `weights` are whole blocks, their magnitudes
// at most largest_weight(); out.size() is their row_bytes().
void quantize(model::TensorType type, std::span<const float> weights, std::span<std::byte> out);

}  // namespace llmd::convert
