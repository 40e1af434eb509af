// `llmd-engine --inspect FILE`: what the catalogue wants to know of a model file, from a process that can do little
// else.
#pragma once

#include <string>

#include "base/result.h"
#include "protocol/messages.h"

namespace llmd::engine {

// Gives up what reading a file's metadata does not need, for good: new privileges, children, more than a few
// descriptors, files of more than a few bytes, core dumps, more than 256 MiB of memory and 5 s of CPU time. Failed
// names the call.
base::Result<void> confine_to_inspection();

// Never fails: what is wrong with the file is in the Inspection.
protocol::Inspection inspect_model(const std::string& path);

}  // namespace llmd::engine
