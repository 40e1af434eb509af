// Converts a model's directory, as Hugging Face's transformers writes it (config.json, tokenizer.json,
// tokenizer_config.json and model.safetensors, or several of them with an index), to GGUF, for the models that HfConfig
// knows. Nothing in it is executed: pickles of PyTorch are not read. Untrusted input.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "engine/convert/file_type.h"

namespace llmd::convert {

// Writes the GGUF file to `fd`. Whatever the model's size, it takes some ten MiB of memory beside the vocabulary.
// Without a `type` all matrices get the type of most of the weights. ModelLoadFailed names file, key or tensor, and the
// value; Failed says why the output could not be written.
base::Result<void> convert_hf_directory(const std::string& directory, std::optional<FileType> type,
                                        const std::string& name, int fd);

}  // namespace llmd::convert
