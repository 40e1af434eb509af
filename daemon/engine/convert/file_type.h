// What the matrices of a converted model become, tensor by tensor, as llama-quantize chooses it without an importance
// matrix (https://github.com/ggml-org/llama.cpp, src/llama-quant.cpp, llama_tensor_get_type). Pure functions, any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/quantization.h"

namespace llmd::convert {

// Values are GGUF's general.file_type.
enum class FileType : uint32_t { F32 = 0, F16 = 1, Q4_0 = 2, Q8_0 = 7, Q4_K_M = 15, BF16 = 32 };

// By its name, in any case: "q4_k_m".
std::optional<FileType> find_file_type(std::string_view name);
// "f32, f16, …", in the order in which files grow smaller.
std::string file_type_names();

// A tensor of the output.
struct TensorShape {
    std::string name;   // GGUF's: "blk.3.ffn_down.weight"
    uint64_t rows = 0;  // 0: a vector
    uint64_t cols = 0;
    uint32_t layer = 0;  // of tensors in a layer
};

// Vectors and positions stay F32. `has_output`: the model has a matrix output.weight, else its token embedding is that
// too. A matrix whose rows are not whole blocks becomes Q5_0 in place of Q4_K and Q8_0 in place of Q6_K, or else F32,
// where llama-quantize makes F16 or gives up.
model::TensorType tensor_type(FileType type, const TensorShape& tensor, uint32_t n_layers, bool has_output);

}  // namespace llmd::convert
