// The one place that chooses a compute device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::compute {

std::optional<BackendKind> backend_kind_from_name(std::string_view name);

// A GPU that failed before. Auto takes the CPU in its place and `reason` is the note that says why. With a name, a
// device without it or with another driver is taken as if there were nothing to avoid; without, no OpenCL call is made.
struct AvoidedDevice {
    std::string name;    // as in DeviceReport
    std::string driver;  // likewise
    std::string reason;  // empty: nothing is avoided
};

// Where a model is about to go.
struct ChosenDevice {
    BackendKind kind = BackendKind::Cpu;
    std::string name;  // as in DeviceReport, like the driver; empty for the CPU
    std::string driver;
    std::string platform;  // of OpenCL, which tells drivers of one GPU apart

    bool operator==(const ChosenDevice&) const = default;
};

struct BackendOptions {
    BackendKind kind = BackendKind::Auto;
    std::string device;  // a part of the OpenCL platform's or device's name, any case; empty: the first suitable one
    uint32_t n_threads = 0;  // CPU workers; 0: one a performance core
    Precision precision = Precision::Faithful;
    bool compile_only = false;          // OpenClOverrides; for measurements, never for an answer
    std::optional<BackendKind> scarce;  // the kind whose DeviceMemory is scarce
    AvoidedDevice avoided;
    std::optional<ChosenDevice> only;  // no other device is taken; where Auto finds that it fails, the CPU is
    // Before anything is built on a device, and again for the next when that has failed; may be empty.
    std::function<void(const ChosenDevice&)> on_chosen;
};

struct AutoDevices {
    // The GPUs that Auto may take, in the loader's order, each driver of one as a device of its own; last the CPU. Of
    // devices that nothing tells apart the first.
    std::vector<ChosenDevice> devices;
    // The text changes with what may change how fast they are: names, drivers, kernels, threads and precision.
    std::string identity;
};
// Makes no OpenCL call where a GPU is to be avoided that has no name.
AutoDevices list_auto_devices(const BackendOptions& options);

// Bytes that a model's weights take where matrices stay as they are in the file and the rest becomes float.
uint64_t block_weight_bytes(std::span<const model::Weight> weights);

struct DeviceMemory {
    uint64_t available_bytes = 0;            // that can be allocated now
    uint64_t max_buffer_bytes = UINT64_MAX;  // in one piece; the keys of a layer's pages lie in one, its values too
    // The most bytes that a model's weights take there.
    uint64_t (*weight_bytes)(std::span<const model::Weight> weights) = block_weight_bytes;
    bool is_scarce = false;  // what an earlier plan allowed could not be allocated: only the least will do
    // The bytes that a backend with these limits takes for its steps (DeviceReport::working_bytes); empty: they are
    // unknown before it is built.
    std::function<uint64_t(const BackendLimits& limits)> working_bytes;
};

// The limits on a device with that memory; OutOfMemory where the model does not fit.
using LimitsPlan = std::function<base::Result<BackendLimits>(const DeviceMemory& memory)>;

// A device that runs out of memory is tried once more with the plan for a scarce one. DeviceError when no device fits
// (the message lists what there is and the command that mends it); whether a device's kernels are right turns out in
// Backend::declare_tensors() and finish_loading(). OutOfMemory when KV pages or activations do not fit; the plan's own
// errors.
base::Result<std::unique_ptr<Backend>> create_backend(const model::DecoderSpec& spec, const LimitsPlan& plan,
                                                      const BackendOptions& options);

}  // namespace llmd::compute
