// The findings of short-lived processes of llmd-engine for llmd: `--inspect FILE [PART...]` reads a model's metadata
// for the catalogue, `--convert` checks the model that it has written, and `--devices` lists the OpenCL devices. A
// model file or a driver that crashes such a process harms nothing else.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "protocol/messages.h"

namespace llmd::engine {

// Inspects the model at the only path, as ModelFile::open() takes it, or the one of all these parts. Never fails:
// the Inspection says what is wrong with the model. Precondition: there is a path.
protocol::Inspection inspect_model(std::span<const std::string> paths);

// Checks that the model that a conversion has written to `fd` can be loaded: all tensors are there in their shapes, and
// the tokenizer works. A pipe, as when the program is tried by hand, is not checked.
base::Result<void> check_model(int fd);

// Returns the OpenCL devices as a JSON object and a line end. `devices` has, in the loader's order: platform, name,
// driver, gpu (llmd takes it by itself), memory_bytes, max_buffer_bytes, and error if the kernels cannot run on it.
// `notes` names the platforms that are skipped. `error` is there if there are no devices because something failed.
std::string device_list();

}  // namespace llmd::engine
