#include "engine/compute/backend_factory.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "engine/compute/cpu/cpu_backend.h"
#include "engine/compute/cpu/cpu_memory.h"
#include "engine/compute/cpu/processor.h"
#include "engine/compute/opencl/gpu/gpu_weights.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/opencl_backend.h"

namespace llmd::compute {
namespace {

using base::ErrorCode;
using Devices = std::vector<OpenClDevice>;

bool contains_ignoring_case(std::string_view text, std::string_view part) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

ChosenDevice chosen(const OpenClDevice& device) {
    return {BackendKind::OpenCl, device.name, device.driver, device.platform};
}

bool matches(const OpenClDevice& device, const BackendOptions& options) {
    if (options.only && chosen(device) != *options.only) return false;
    return contains_ignoring_case(device.platform, options.device) ||
           contains_ignoring_case(device.name, options.device);
}

std::string label(const OpenClDevice& device) {
    return base::concat(device.name, " (", device.platform, ")");
}

std::string labels(const Devices& devices) {
    return base::listed(devices, label);
}

// As the rest of a sentence.
std::string joined(const std::vector<std::string>& notes) {
    std::string all;
    for (const std::string& note : notes) all += "; " + note;
    return all;
}

// A GPU that is there but that this user may not open; empty when there is none. Drivers just report no device then.
std::string forbidden_gpu() {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/dri", ignored)) {
        const std::string path = entry.path().string();
        if (entry.path().filename().string().rfind("renderD", 0) != 0) continue;
        if (::access(path.c_str(), R_OK | W_OK) == 0 || errno != EACCES) continue;
        struct stat status = {};
        const group* owner = ::stat(path.c_str(), &status) == 0 ? ::getgrgid(status.st_gid) : nullptr;
        const std::string name = owner != nullptr ? owner->gr_name : "render";
        return base::concat("permission denied on ", path, ": join the group ", name, " (sudo adduser $USER ", name,
                            ") and log in again");
    }
    return {};
}

bool has_render_node() {
    std::error_code ignored;
    const std::filesystem::directory_iterator nodes("/dev/dri", ignored);
    return std::any_of(begin(nodes), end(nodes),
                       [](const auto& node) { return node.path().filename().string().rfind("renderD", 0) == 0; });
}

// Installs OpenCL for the GPUs that Mesa knows, on this distribution.
const char* install_command() {
    return ::access("/sbin/apk", X_OK) == 0 ? "apk add mesa-rusticl" : "apt install mesa-opencl-icd";
}

// Names the devices and, if something can be done, the one command that does it.
std::string why_no_device(const Devices& devices) {
    if (std::string reason = forbidden_gpu(); !reason.empty()) return reason;
    const std::string only = devices.empty() ? "" : base::concat("; OpenCL offers only ", labels(devices));
    if (!has_render_node()) return base::concat("there is no GPU in /dev/dri", only);
    return base::concat("the GPU in /dev/dri has no OpenCL driver: sudo ", install_command(), only);
}

// The device that an explicit choice means: among those that match, a GPU before anything else.
base::Result<size_t> choose(const Devices& devices, const BackendOptions& options) {
    if (devices.empty()) return base::fail(ErrorCode::DeviceError, why_no_device(devices));
    std::optional<size_t> best;
    for (size_t i = 0; i < devices.size(); ++i) {
        if (!matches(devices[i], options)) continue;
        if (!best || (devices[i].is_gpu && !devices[*best].is_gpu)) best = i;
    }
    if (best) return *best;
    return base::fail(ErrorCode::DeviceError, "device: no OpenCL device is named like \"", options.device,
                      "\"; there are ", labels(devices));
}

template <typename Create>
base::Result<std::unique_ptr<Backend>> create_planned(const LimitsPlan& plan, DeviceMemory memory,
                                                      const Create& create) {
    const auto limits = plan(memory);
    if (!limits) return limits.error();
    auto backend = create(*limits);
    if (backend || backend.error().code != ErrorCode::OutOfMemory || memory.is_scarce) return backend;
    memory.is_scarce = true;
    const auto least = plan(memory);
    if (!least || (least->n_pages == limits->n_pages && least->n_window_pages == limits->n_window_pages))
        return backend;
    return create(*least);
}

void tell(const BackendOptions& options, const ChosenDevice& device) {
    if (options.on_chosen) options.on_chosen(device);
}

base::Result<std::unique_ptr<Backend>> create_on(const Devices& devices, size_t index, const model::DecoderSpec& spec,
                                                 const LimitsPlan& plan, const BackendOptions& options,
                                                 const std::vector<std::string>& notes) {
    const OpenClDevice& device = devices[index];
    const uint64_t host_bytes = device.shares_host_memory ? available_memory_bytes() : UINT64_MAX;
    const DeviceMemory memory = {std::min(device.memory_bytes, host_bytes),
                                 device.max_buffer_bytes,
                                 gpu::gpu_weight_bytes,
                                 options.scarce == BackendKind::OpenCl,
                                 {}};
    tell(options, chosen(device));
    return create_planned(plan, memory, [&](const BackendLimits& limits) {
        const OpenClOverrides overrides = {.compile_only = options.compile_only};
        return create_opencl_backend(spec, limits, index, overrides, notes, options.precision);
    });
}

// Tries every GPU that matches; `notes` tells why none was taken.
std::unique_ptr<Backend> try_gpus(const model::DecoderSpec& spec, const LimitsPlan& plan, const BackendOptions& options,
                                  std::vector<std::string>& notes) {
    const auto devices = list_opencl_devices(&notes);
    if (!devices) {
        notes.push_back(devices.error().message);
        return nullptr;
    }
    bool tried = false;
    for (size_t i = 0; i < devices->size(); ++i) {
        const OpenClDevice& device = (*devices)[i];
        if (!device.is_gpu || !matches(device, options)) continue;
        tried = true;
        auto backend = create_on(*devices, i, spec, plan, options, notes);
        if (backend) return std::move(*backend);
        notes.push_back(base::concat(label(device), " is not used: ", backend.error().message));
    }
    if (tried) return nullptr;
    const bool named =
        std::any_of(devices->begin(), devices->end(), [&](const auto& d) { return matches(d, options); });
    if (devices->empty() || named) {
        notes.push_back(why_no_device(*devices));
    } else {
        notes.push_back(
            base::concat("no OpenCL device is named like \"", options.device, "\"; there are ", labels(*devices)));
    }
    return nullptr;
}

uint32_t threads_of(const BackendOptions& options) {
    return options.n_threads == 0 ? count_performance_cores() : options.n_threads;
}

bool is_to_avoid(const AvoidedDevice& avoided) {
    if (avoided.reason.empty()) return false;
    if (avoided.name.empty()) return true;
    const auto devices = list_opencl_devices();
    return devices && std::any_of(devices->begin(), devices->end(), [&](const OpenClDevice& device) {
               return device.name == avoided.name && device.driver == avoided.driver;
           });
}

}  // namespace

std::string_view backend_name(BackendKind kind) {
    return kind == BackendKind::Auto ? "auto" : kind == BackendKind::OpenCl ? "opencl" : "cpu";
}

std::optional<BackendKind> backend_kind_from_name(std::string_view name) {
    for (const BackendKind kind : {BackendKind::Auto, BackendKind::OpenCl, BackendKind::Cpu}) {
        if (name == backend_name(kind)) return kind;
    }
    return std::nullopt;
}

AutoDevices list_auto_devices(const BackendOptions& options) {
    AutoDevices out;
    const auto listed = is_to_avoid(options.avoided) ? base::Result<Devices>(Devices()) : list_opencl_devices();
    for (const OpenClDevice& device : listed ? *listed : Devices()) {
        const bool is_known = std::count(out.devices.begin(), out.devices.end(), chosen(device)) > 0;
        if (!device.is_gpu || !matches(device, options) || is_known) continue;
        out.devices.push_back(chosen(device));
        out.identity += base::concat(device.platform, '\n', device.name, '\n', device.driver, '\n');
    }
    out.devices.emplace_back();
    out.identity +=
        base::concat("kernels ", gpu::hash_kernels(), "\nCPU ", cpu_name(), ", ", chosen_cpu_kernels().isa, ", ",
                     threads_of(options), " threads, precision ", static_cast<uint32_t>(options.precision));
    return out;
}

uint64_t block_weight_bytes(std::span<const model::Weight> weights) {
    uint64_t bytes = 0;
    for (const auto& [role, layer, tensor] : weights) {
        const bool as_floats = model::is_vector(role) || role == model::Role::PositionEmbedding;
        bytes += as_floats ? tensor.rows * tensor.cols * sizeof(float) : tensor.data.size();
    }
    return bytes;
}

base::Result<std::unique_ptr<Backend>> create_backend(const model::DecoderSpec& spec, const LimitsPlan& plan,
                                                      const BackendOptions& options) {
    std::vector<std::string> notes;
    switch (options.kind) {
        case BackendKind::OpenCl: {
            const auto devices = list_opencl_devices(&notes);
            if (!devices) return devices.error();
            const auto index = choose(*devices, options);
            if (!index) return base::fail(index.error().code, index.error().message, joined(notes));
            return create_on(*devices, *index, spec, plan, options, notes);
        }
        case BackendKind::Auto:
            if (is_to_avoid(options.avoided)) {
                notes.push_back(options.avoided.reason);
            } else if (options.only && options.only->kind == BackendKind::Cpu) {
                break;
            } else if (auto backend = try_gpus(spec, plan, options, notes)) {
                return backend;
            }
            break;
        case BackendKind::Cpu:
            break;
    }
    const uint32_t n_threads = threads_of(options);
    const DeviceMemory memory = {.available_bytes = available_memory_bytes(),
                                 .is_scarce = options.scarce == BackendKind::Cpu,
                                 .working_bytes = [&](const BackendLimits& limits) {
                                     return CpuMemory::working_bytes(spec, limits, n_threads);
                                 }};
    tell(options, ChosenDevice());
    return create_planned(plan, memory, [&](const BackendLimits& limits) {
        return create_cpu_backend(spec, limits, options.n_threads, notes, options.precision);
    });
}

}  // namespace llmd::compute
