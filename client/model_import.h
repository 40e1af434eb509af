// Puts a model file where llmd finds it, after llmd-engine has looked at it. A hard link is the same file under another
// name: whoever writes into the one changes the other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "client/model_folder.h"

namespace llmd::client {

struct ImportOptions {
    std::string name;       // its name here; empty: as the file, without ".gguf" or ".bin"
    std::string tokenizer;  // of a checkpoint of llama2.c; empty: tokenizer.bin beside it
    std::string quantize;   // the type that a converted model's matrices get; empty: that of most
};

// Shows how much of a copy or a conversion is done.
using ImportProgress = std::function<void(uint64_t done_bytes, uint64_t size_bytes)>;

// `file` is a GGUF file, of a split model the first part beside which the others are, or a checkpoint of llama2.c or a
// directory of Hugging Face's, which become one. The directory is made if need be. A model appears in it complete and
// checked, or not at all, even if llmctl is killed: until it has its name it is a file without one (O_TMPFILE, which
// filesystems for Linux have). Throws CommandError: Usage, naming the value, for a name that no model can have, one
// that is taken, or what is no file; Failed with the reason for one that llmd cannot use, and where the disk is full.
NewModel import_model(const std::string& file, const ImportOptions& options, const std::string& folder,
                      const std::string& engine, const ImportProgress& progress);

}  // namespace llmd::client
