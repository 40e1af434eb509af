// One table of what OpenCL drivers do wrong, or otherwise than all others, and of what llmd does about it, a row for
// each, which docs/driver-quirks.md shows. Other code names a Quirk and no driver. Pure, but for
// set_driver_environment() and check_built_ins().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "engine/compute/opencl/runtime/device.h"

namespace llmd::compute {

class DeviceQueue;

enum class Quirk : uint8_t {
    NamesNoDriver,
    HidesHalf,
    ReusesFaultyContext,
    NoDeviceAtFirst,
    PassesForGpu,
    LeavesOutBarriers,
    UnrollsNothing,
    StartsLate,
    CountsArguments,
    NeedsSampler,
    WrongBuiltIns,
    CallsFunctions,
    AbortsOnBinary,
    ReleasesImage,
    ConditionForAll,
    AbortsOnBranches,
    CompilesSlowly,
    CopiesHoldQueue,
    NamesNoDotProduct,
    CrossesSegments,
};

// How a device that has the quirk is met.
enum class QuirkMet : uint8_t {
    ByName,   // its platform, device and driver version are the row's
    ByProbe,  // a small kernel shows it on any device
    Always,   // what is done for it is done on every device, and harms none
};

struct QuirkRow {
    Quirk quirk;
    QuirkMet met;
    std::string_view platform;     // a part of the name of the platform that has it; empty: any
    std::string_view device;       // likewise of the device
    std::string_view from, below;  // driver versions that have it; empty: no bound
    std::string_view done;
    std::string_view why;
    std::string_view source;
};

// All rows, in the order of Quirk.
std::span<const QuirkRow> quirk_rows();

// Whether names and driver version of the device are those of the quirk's row, however it is met.
bool has_quirk(Quirk quirk, const OpenClDevice& device);

// Whether a version comes before another one, number by number: "26.1.10-1" is not before "26.1.9".
bool is_earlier_version(std::string_view version, std::string_view other);

// Asks a device what the built-in functions give whose values no other part of the self-test sees, or sees only in a
// quotient in which an error may cancel (Quirk::WrongBuiltIns). DeviceError names the function that gives something
// else than on the host, with its argument and both values. Other errors are the queue's. Thread-bound, as DeviceQueue.
base::Result<void> check_built_ins(DeviceQueue& queue);

// `error`, that of a device's self-test, with the cure where a quirk of the device may be its cause.
base::Error with_cure(base::Error error, const OpenClDevice& device);

// Sets the variables that drivers read once, at the first OpenCL call, unless the user has set them.
void set_driver_environment();

}  // namespace llmd::compute
