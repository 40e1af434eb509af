// `llmctl doctor`: what of this device and this installation keeps llmd from working, or from working well, and the one
// command that mends it. Each check looks at one thing and needs none of the others, nor a daemon. Nothing is started
// or changed; a driver is only opened in another process.
#pragma once

#include <string>
#include <vector>

#include "client/value.h"

namespace llmd::client {

struct Check {
    enum class State {
        Ok,    // or absent and not needed, as OpenCL on a device without a GPU
        Warn,  // works, but not as it could
        Fail,  // llmd does not work, or not as the settings say
    };
    std::string name;
    State state = State::Ok;
    std::string text;  // what is so
    std::string fix;   // the command that changes it; empty: there is none, or no need
};

// How one reaches llmd: the session bus, the socket, the daemon, the service manager (doctor_reach.cpp).
std::vector<Check> check_reach();
// Engine, settings, OpenCL, Rusticl, render nodes, the device's limits (doctor_compute.cpp).
std::vector<Check> check_compute();
// Models, the cache of kernels, memory, temperature, power (doctor_system.cpp).
std::vector<Check> check_system();

// --- What checks share (doctor.cpp) ----------------------------------------------------------------------------------
// "sudo apt install DEBIAN" or "doas apk add ALPINE", as the system is; empty on another, and where DEBIAN is.
std::string install_command(const std::string& debian, const std::string& alpine);
// Of a file of a few lines in /sys or /proc, without its last line break; empty when it cannot be read.
std::string first_line(const std::string& path);

}  // namespace llmd::client
