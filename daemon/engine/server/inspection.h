// What `llmd-engine --inspect FILE` tells the catalogue of a model file, and how `--convert` checks what it has
// written. Both run in processes that can do little else.
#pragma once

#include <string>

#include "base/result.h"
#include "protocol/messages.h"

namespace llmd::engine {

// Restricts this process for good to what reading a file's metadata needs: no new privileges, no children, a few
// descriptors, small files, no core dumps, 256 MiB of memory and 5 s of CPU time. Failed names the call.
base::Result<void> enter_inspection_sandbox();
// Does the same with 1 GiB of memory and without the limits of file size and time, since a model may take gigabytes and
// minutes.
base::Result<void> enter_conversion_sandbox();

// Never fails: the Inspection says what is wrong with the file.
protocol::Inspection inspect_model(const std::string& path);

// Checks that the model that a conversion has written to `fd` can be loaded: all tensors are there in their shapes, and
// the tokenizer works. A pipe, as when the program is tried by hand, is not checked.
base::Result<void> check_model(int fd);

}  // namespace llmd::engine
