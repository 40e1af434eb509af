// The one place that chooses a compute device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::compute {

// Values are part of the frame protocol.
enum class BackendKind : uint8_t {
    // A GPU, else the CPU; the report's notes say why. When the GPU fails later, while the model is loaded on it, the
    // caller sets avoid_device_reason and creates another.
    Auto = 0,
    OpenCl = 1,  // an OpenCL device or an error: never falls back silently. Takes CPU devices (PoCL, llvmpipe) too
    Cpu = 2,
};

// "auto", "opencl", "cpu"
std::optional<BackendKind> backend_kind_from_name(std::string_view name);

struct BackendOptions {
    BackendKind kind = BackendKind::Auto;
    std::string device;  // a part of the OpenCL platform's or device's name, any case; empty: the first suitable one
    uint32_t n_threads = 0;  // CPU workers; 0: one a performance core
    Precision precision = Precision::Faithful;
    bool compile_only = false;        // OpenClOverrides; for measurements, never for an answer
    std::string avoid_device_reason;  // not empty: Auto must take the CPU, and this is the note that says why
};

struct DeviceMemory {
    uint64_t available_bytes = 0;            // that can be allocated now
    uint64_t max_buffer_bytes = UINT64_MAX;  // in one piece; the keys of a layer's pages lie in one, its values too
};

// The limits on a device with that memory; OutOfMemory where the model does not fit.
using LimitsPlan = std::function<base::Result<BackendLimits>(const DeviceMemory& memory)>;

// DeviceError when no device fits (the message lists what there is and the command that mends it) or the device fails
// its self-test; OutOfMemory when KV pages or activations do not fit; the plan's own errors.
base::Result<std::unique_ptr<Backend>> create_backend(const model::ModelConfig& config, const LimitsPlan& plan,
                                                      const BackendOptions& options);

}  // namespace llmd::compute
