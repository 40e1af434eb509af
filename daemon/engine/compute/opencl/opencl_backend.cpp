#include "engine/compute/opencl/opencl_backend.h"

#include "engine/compute/checks.h"
#include "engine/compute/opencl/gpu/gpu_backend.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute {
namespace {

using base::ErrorCode;
using base::Result;

}  // namespace

Result<std::unique_ptr<Backend>> create_opencl_backend(const model::DecoderSpec& spec, const BackendLimits& limits,
                                                       size_t device_index, const OpenClOverrides& overrides,
                                                       std::vector<std::string> notes, Precision precision) {
    auto devices = find_cl_devices();
    if (!devices) return devices.error();
    if (device_index >= devices->size()) {
        return base::fail(ErrorCode::DeviceError, "OpenCL device ", device_index, " does not exist; there are ",
                          devices->size());
    }
    if (auto checked = check_limits(spec, limits); !checked) return checked.error();
    const ClDevice& device = (*devices)[device_index];
    const auto named = [&](const base::Error& error) {
        return base::fail(error.code, device.names.name, " (", device.names.platform, "): ", error.message);
    };
    auto queue = DeviceQueue::open(device, overrides);
    if (!queue) return named(queue.error());

    DeviceReport report;
    report.kind = BackendKind::OpenCl;
    report.device = device.names.name;
    report.driver = device.names.driver;
    report.notes = std::move(notes);
    if (overrides.submit_each_launch) {
        queue->submit_each_launch();
    } else if (!overrides.compile_only) {
        auto ordered = launches_are_ordered(*queue);
        if (!ordered) return named(ordered.error());
        if (!*ordered) {
            queue->submit_each_launch();
            report.notes.push_back(
                "Mesa too old: it does not order dependent launches, so each is submitted on its own");
        }
    }
    queue->pace_submissions();  // not before: the probe of launch order wants its launches in one submission
    report.fingerprint =
        base::concat("opencl, ", device.names.platform, ", ", device.names.name, ", ", device.names.driver, ", ");
    auto backend = gpu::create_gpu_backend(spec, limits, std::move(*queue), precision, std::move(report));
    if (!backend) return named(backend.error());
    return backend;
}

}  // namespace llmd::compute
