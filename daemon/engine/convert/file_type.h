// Chooses the type of each tensor of a converted model, as llama-quantize does without an importance matrix
// (https://github.com/ggml-org/llama.cpp, src/llama-quant.cpp, llama_tensor_get_type). Pure functions, any thread.
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

// Finds a type by its name in any case: "q4_k_m".
std::optional<FileType> find_file_type(std::string_view name);
// Returns all names, those of larger files first: "f32, f16, …".
std::string file_type_names();

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

}  // namespace llmd::convert
