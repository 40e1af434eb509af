// A model's directory as Hugging Face's transformers writes it (config.json, tokenizer.json, tokenizer_config.json and
// model.safetensors, or several of them with an index) as GGUF: the models that HfConfig knows. Nothing in it is
// executed: pickles of PyTorch are not read. Untrusted input.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "engine/convert/file_type.h"

namespace llmd::convert {

// Writes the GGUF file to `fd`, in some ten MiB of memory beside what the tokenizer's words take, whatever the model's
// size. Without a `type` all matrices get the one that most of the weights have. ModelLoadFailed names file, key or
// tensor, and the value; Failed says why the output could not be written.
base::Result<void> convert_hf_directory(const std::string& folder, std::optional<FileType> type,
                                        const std::string& name, int fd);

}  // namespace llmd::convert
