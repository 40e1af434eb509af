#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/config.h"
#include "base/json_writer.h"
#include "base/places.h"
#include "base/unique_fd.h"
#include "client/counts.h"
#include "client/doctor.h"
#include "client/exit_code.h"
#include "client/llmd_client.h"

namespace llmd::client {
namespace {

using State = Check::State;

constexpr std::chrono::seconds kVersionLimit{5};
constexpr const char* kVendors = "/etc/OpenCL/vendors";
// The size of one buffer below which a model of a billion parameters has matrices that do not fit.
constexpr uint64_t kSmallBufferBytes = 128u << 20;

// Has llmd leave the GPU alone.
constexpr const char* kCpuHint = "; backend = \"cpu\" in the settings does without OpenCL";

Check check_engine(const EngineAnswers& engine) {
    if (engine.is_ours()) return {"engine", State::Ok, engine.program, {}};
    const std::string& fault = engine.version.fault;
    if (!fault.empty()) {
        return {"engine", State::Fail, engine.program + ' ' + fault, install_command({}, "llmd"), fault};
    }
    return {"engine", State::Fail, engine.program + " is another version than llmctl, " LLMD_VERSION,
            install_command({}, "llmd"), "it is another version than llmctl"};
}

Check check_settings(const base::Result<base::Settings>& settings) {
    if (!settings) {
        return {"settings", State::Fail, settings.error().message, edit_command(), "they cannot be used"};
    }
    if (!settings->warnings.empty()) {
        return {"settings", State::Warn, settings->warnings.front(), edit_command(), "there is a warning about them"};
    }
    if (settings->files.empty()) return {"settings", State::Ok, "none: all as it comes", {}};
    return {"settings", State::Ok, base::listed(settings->files), {}};
}

std::string called(const Dictionary& device) {
    return text_of(device, "name") + " (" + text_of(device, "platform") + ", driver " + text_of(device, "driver") + ')';
}

// Where no device is taken: a fault only if the settings insist on one.
Check check_opencl(const Devices& devices, const base::Config& settings) {
    const bool insists = settings.backend == "opencl";
    if (settings.backend == "cpu") return {"OpenCL", State::Ok, "not used: backend = \"cpu\" in the settings", {}};
    const std::string on_cpu = insists ? ", and backend = \"opencl\" in the settings" : "; llmd computes on the CPU";
    if (!devices.fault.empty()) {
        return {"OpenCL", insists ? State::Fail : State::Warn, devices.fault + on_cpu + kCpuHint,
                settings_command("backend", "cpu"), devices.fault};
    }
    std::string names = base::listed(devices.list, called);
    for (const std::string& note : devices.notes) names += (names.empty() ? "" : "; ") + note;
    const std::string rusticl = install_command("mesa-opencl-icd", "mesa-rusticl");
    if (devices.list.empty()) {
        return {"OpenCL", insists ? State::Fail : State::Ok,
                "there is no platform" + (names.empty() ? "" : " (" + names + ')') + on_cpu, rusticl,
                "there is no platform"};
    }
    if (chosen_device(devices, settings) == nullptr) {
        const std::string what = (insists ? "no device" : "no GPU") +
                                 (settings.device.empty() ? "" : " named like " + base::in_quotes(settings.device)) +
                                 " among ";
        const bool missed = insists || !settings.device.empty();
        return {"OpenCL", missed ? State::Fail : State::Ok, what + names + on_cpu, missed ? edit_command() : "",
                "no device is as the settings want it"};
    }
    return {"OpenCL", devices.notes.empty() ? State::Ok : State::Warn, names, {}, "the drivers have said something"};
}

Check check_limits(const Devices& devices, const base::Config& settings) {
    const Dictionary* device = chosen_device(devices, settings);
    if (device == nullptr) return {"device limits", State::Ok, "no OpenCL device is used", {}};
    const std::string error = text_of(*device, "error");
    const uint64_t buffer = number_of(*device, "max_buffer_bytes");
    const std::string text = called(*device) + ": " + size_text(number_of(*device, "memory_bytes")) + " of memory, " +
                             size_text(buffer) + " in one piece";
    if (!error.empty()) {
        return {"device limits", settings.backend == "opencl" ? State::Fail : State::Warn,
                called(*device) + ": " + error + kCpuHint, settings_command("backend", "cpu"), error};
    }
    if (buffer < kSmallBufferBytes) {
        const std::string meaning = "large models may not fit";
        return {"device limits", State::Warn, text + ": " + meaning, {}, meaning};
    }
    return {"device limits", State::Ok, text, {}};
}

// Names the device that the running llmd computes on, and why.
Check check_device() {
    const auto status = running_status();
    std::string text = status ? text_of(*status, "device") : "";
    if (text.empty()) return {"device", State::Ok, "no model is loaded", {}};
    text += " (" + text_of(*status, "backend") + ')';
    for (const std::string& note : list_of(*status, "notes")) text += "; " + note;
    return {"device", State::Ok, text, {}};
}

Check check_rusticl(const Devices& devices) {
    std::error_code error;
    const bool installed = std::filesystem::exists(std::string(kVendors) + "/rusticl.icd", error);
    const char* enabled = std::getenv("RUSTICL_ENABLE");
    if (!installed) return {"Rusticl", State::Ok, "not installed; Mesa's OpenCL for GPUs of phones", {}};
    const bool offers = std::any_of(devices.list.begin(), devices.list.end(), [](const Dictionary& device) {
        return text_of(device, "platform").find("rusticl") != std::string::npos;
    });
    if (offers) return {"Rusticl", State::Ok, "offers a device", {}};
    if (enabled != nullptr) {
        return {"Rusticl", State::Warn,
                std::string("offers no device; RUSTICL_ENABLE is '") + enabled + "', which llmd does not change",
                "unset RUSTICL_ENABLE", "it offers no device, and RUSTICL_ENABLE is set"};
    }
    return {"Rusticl", State::Ok, "installed, but none of the drivers that llmd enables has a GPU here", {}};
}

Check check_render_node() {
    const std::string directory = "/dev/dri";
    std::string opened;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
        const std::string path = entry.path();
        if (entry.path().filename().string().rfind("renderD", 0) != 0) continue;
        const base::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (!fd && errno == EACCES) {
            struct stat info = {};
            const group* owner = ::stat(path.c_str(), &info) == 0 ? ::getgrgid(info.st_gid) : nullptr;
            const std::string name = owner != nullptr ? owner->gr_name : "render";
            return {"render node", State::Fail,
                    path + ": " + std::strerror(EACCES) +
                        ", the GPU cannot be used until you are in its group and have logged in again",
                    "sudo adduser $USER " + name, "the user is not in its group"};
        }
        if (!fd) return {"render node", State::Warn, path + ": " + std::strerror(errno), {}, std::strerror(errno)};
        opened += (opened.empty() ? "" : ", ") + path;
    }
    return {"render node",
            State::Ok,
            opened.empty() ? "there is none in " + directory + ": no GPU with a driver" : opened,
            {}};
}

}  // namespace

bool EngineAnswers::is_ours() const {
    return version.output == "llmd-engine " LLMD_VERSION "\n";
}

EngineAnswers ask_engine() {
    const std::string program = base::find_engine();
    return {program, run_child({program, "--version"}, kVersionLimit), ask_for_devices(program)};
}

std::vector<Check> check_compute(const EngineAnswers& engine) {
    const auto settings = base::read_settings(base::settings_files());
    const base::Config config = settings ? settings->config : base::Config();
    std::vector<Check> checks = {check_engine(engine), check_settings(settings)};
    const Devices& devices = engine.devices;
    checks.push_back(check_opencl(devices, config));
    checks.push_back(check_rusticl(devices));
    checks.push_back(check_render_node());
    checks.push_back(check_limits(devices, config));
    checks.push_back(check_device());
    return checks;
}

}  // namespace llmd::client
