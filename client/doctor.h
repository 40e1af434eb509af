// `llmctl doctor`: what of this device and this installation keeps llmd from working, or from working well, and the one
// command that mends it. Each check looks at one thing and needs none of the others, nor a daemon. No daemon is started
// and no setting changed. A driver is only opened in another process, the engine, which may make its cache.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/child.h"
#include "client/devices.h"

namespace llmd::client {

struct Check {
    enum class State {
        Ok,    // or absent and not needed, as OpenCL on a device without a GPU
        Warn,  // works, but not as it could
        Fail,  // llmd does not work, or not as the settings say
    };
    std::string name;
    State state = State::Ok;
    std::string text;  // the finding
    std::string fix;   // the command that changes it; empty: there is none, or no need
    // Why it is not Ok, in words of ours and figures alone: no name, path or text that somebody else has chosen. For
    // reports that strangers read.
    std::string reason = {};
};

// "ok", "warn" or "fail".
const char* state_name(Check::State state);

// How one reaches llmd: the session bus, the socket, the daemon, the service manager (doctor_reach.cpp).
std::vector<Check> check_reach();
// The engine says this of itself and of the drivers, each in a process of its own: asked once (doctor_compute.cpp).
struct EngineAnswers {
    std::string program;
    ChildEnd version;
    Devices devices;

    bool is_ours() const;  // of the same version as llmctl
};
EngineAnswers ask_engine();
// Engine, settings, OpenCL, Rusticl, render nodes, the device's limits (doctor_compute.cpp).
std::vector<Check> check_compute(const EngineAnswers& engine);
// Models, the cache of kernels, memory, the processor, temperature, power (doctor_system.cpp).
std::vector<Check> check_system();

std::vector<Check> all_checks(const EngineAnswers& engine);

// --- What checks share (doctor.cpp) ----------------------------------------------------------------------------------
// As the engine words it: "sudo apt install DEBIAN" or "sudo apk add ALPINE", as the system is; empty on another, and
// where DEBIAN is.
std::string install_command(const std::string& debian, const std::string& alpine);
// Returns the command that restarts llmd, also where it does not run yet.
std::string restart_command();
// Opens the user's settings in an editor, and has llmd read them again: no process is ended for it.
std::string edit_command();
// Makes it a setting; edit_command() where the settings cannot be read, or the shell would read the value otherwise.
std::string settings_command(const std::string& key, const std::string& value);
// Returns the first line of a file of a few lines in /sys or /proc, without its line break; empty when it cannot be
// read.
std::string first_line(const std::string& path);
// Returns the entry of /proc/meminfo that is called "MemTotal", for example (doctor_system.cpp); 0 where it is absent.
uint64_t meminfo_bytes(const std::string& name);

}  // namespace llmd::client
