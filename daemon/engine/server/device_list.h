// `llmd-engine --devices` lists the OpenCL devices, in a process that a driver may crash without harm.
#pragma once

#include <string>

namespace llmd::engine {

// Returns a JSON object and a line end. `devices` has, in the loader's order: platform, name, driver, gpu (llmd takes
// it by itself), memory_bytes, max_buffer_bytes, and error if the kernels cannot run on it. `notes` names the platforms
// that are skipped. `error` is there if there are no devices because something failed.
std::string device_list();

}  // namespace llmd::engine
