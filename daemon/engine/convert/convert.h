// Converts models of other formats to GGUF. All inputs are untrusted, and nothing in them is executed. Both functions
// write the GGUF file to `fd`, and take little memory whatever the model's size. ModelLoadFailed names file, key, field
// or tensor, and the value; Failed says why the output could not be written. Thread-bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace llmd::convert {

// Values are GGUF's general.file_type.
enum class FileType : uint32_t { F32 = 0, F16 = 1, Q4_0 = 2, Q8_0 = 7, Q4_K_M = 15, BF16 = 32 };

// Finds a type by its name in any case: "q4_k_m".
std::optional<FileType> find_file_type(std::string_view name);
// Returns all names, those of larger files first: "f32, f16, …".
std::string file_type_names();

// Converts a model's directory, as Hugging Face's transformers writes it: config.json, tokenizer.json,
// tokenizer_config.json and model.safetensors, or several of them with an index. HfConfig knows the models; pickles of
// PyTorch are not read. It takes some ten MiB of memory beside the vocabulary. Without a `type` all matrices get the
// type of most of the weights.
base::Result<void> convert_hf_directory(const std::string& directory, std::optional<FileType> type,
                                        const std::string& name, int fd);

// Converts a checkpoint of llama2.c (https://github.com/karpathy/llama2.c, export.py and tokenizer.py): a LLaMA model
// and its SentencePiece tokenizer, in three versions of the format:
//   0  seven numbers, then float weights, then RoPE tables, which GGUF does not need
//   1  "ak42" and a header of 256 bytes, then the same weights in another order
//   2  the same header with the size of a group, norms as floats, matrices as signed bytes with a scale for each group
// Every number is checked against the sizes of the files before it is used. It takes some MiB of memory.
base::Result<void> convert_llama2c(const std::string& checkpoint, const std::string& tokenizer, FileType type,
                                   const std::string& name, int fd);

}  // namespace llmd::convert
