// `llmd-engine --inspect FILE` and `--convert`: what the catalogue wants to know of a model file, and a model in
// another format as GGUF, from processes that can do little else.
#pragma once

#include <string>

#include "base/result.h"
#include "protocol/messages.h"

namespace llmd::engine {

// Gives up what reading a file's metadata does not need, for good: new privileges, children, more than a few
// descriptors, files of more than a few bytes, core dumps, more than 256 MiB of memory and 5 s of CPU time. Failed
// names the call.
base::Result<void> confine_to_inspection();
// The same with 1 GiB of memory and without the limits of files and time: a model may take gigabytes and minutes.
base::Result<void> confine_to_conversion();

// Never fails: what is wrong with the file is in the Inspection.
protocol::Inspection inspect_model(const std::string& path);

// What a conversion has written to `fd` can be loaded: all its tensors are there in their shapes, and its tokenizer
// works. The error says what is wrong. A pipe, which somebody has who tries the program by hand, is not looked at.
base::Result<void> check_model(int fd);

}  // namespace llmd::engine
