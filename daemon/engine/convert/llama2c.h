// Converts checkpoints of llama2.c (https://github.com/karpathy/llama2.c, export.py and tokenizer.py) to GGUF: a LLaMA
// model and its SentencePiece tokenizer, in three versions of the format:
//   0  seven numbers, then float weights, then RoPE tables, which GGUF does not need
//   1  "ak42" and a header of 256 bytes, then the same weights in another order
//   2  the same header with the size of a group, norms as floats, matrices as signed bytes with a scale for each group
// Both files are untrusted input: every number is checked against the sizes of the files before it is used.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "engine/convert/file_type.h"

namespace llmd::convert {

// Writes the GGUF file to `fd`. It takes some MiB of memory whatever the model's size. ModelLoadFailed names file,
// field and value; Failed says why the output could not be written.
base::Result<void> convert_llama2c(const std::string& checkpoint, const std::string& tokenizer, FileType type,
                                   const std::string& name, int fd);

}  // namespace llmd::convert
