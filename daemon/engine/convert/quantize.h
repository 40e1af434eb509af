// Weights as blocks of GGUF's formats, bit for bit as llama.cpp's reference makes them
// (https://github.com/ggml-org/ggml/blob/master/src/ggml-quants.c, quantize_row_*_ref). Pure functions, any thread.
#pragma once

#include <cstddef>
#include <span>

#include "engine/model/quantization.h"

namespace llmd::convert {

// F32, Q8_0 and Q4_0 can be made.
bool can_quantize(model::TensorType type);

// Preconditions: can_quantize(type), `weights` are finite and whole blocks, out.size() is their row_bytes().
void quantize(model::TensorType type, std::span<const float> weights, std::span<std::byte> out);

}  // namespace llmd::convert
