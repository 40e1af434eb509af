// The OpenCL devices of this machine, as llmd-engine sees them.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"
#include "client/value.h"

namespace llmd::client {

struct Devices {
    std::vector<Dictionary> list;
    std::string fault;  // why it could not be made
    std::vector<std::string> notes;
};

// Runs `engine` --devices. Does not throw.
Devices ask_for_devices(const std::string& engine);

// As the engine chooses (create_backend()): "auto" takes the first GPU that can be used; "opencl" the first GPU, else
// the first device. Where "auto" can use none, the first GPU says why.
const Dictionary* chosen_device(const Devices& devices, const base::Config& settings);

}  // namespace llmd::client
