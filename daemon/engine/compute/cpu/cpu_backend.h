// The CPU backend: the fallback, the reference, and on a machine without a GPU what everybody uses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::compute {

// n_threads 0: one worker a performance core. `notes` go into the report as they are.
// InvalidArgument names a limit that makes no sense, OutOfMemory the size that does not fit.
base::Result<std::unique_ptr<Backend>> create_cpu_backend(const model::DecoderSpec& spec, const BackendLimits& limits,
                                                          uint32_t n_threads, std::vector<std::string> notes = {},
                                                          Precision precision = Precision::Faithful);

}  // namespace llmd::compute
