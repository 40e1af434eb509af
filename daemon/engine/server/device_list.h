// `llmd-engine --devices`: what OpenCL offers here, from a process that a driver may end without harm.
#pragma once

#include <string>

namespace llmd::engine {

// One object of JSON and a line end. `devices`, in the loader's order: platform, name, driver, gpu (one that llmd takes
// by itself), memory_bytes, max_buffer_bytes, and error where the kernels cannot run on it. `notes`: platforms that are
// passed over. `error` where there are no devices because something failed.
std::string device_list();

}  // namespace llmd::engine
