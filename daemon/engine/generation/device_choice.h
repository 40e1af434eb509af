// Chooses among the devices that `backend = "auto"` may take, at the first load of a model: each driver of a GPU, and
// the CPU. GPUs whose kernels fail their self-test are out. The rest decode tokens for kTimingTime each, one after the
// other, so that only one of them holds the weights. The choice is by decode alone: that is what people wait for, and a
// device's prefill is bound by the same weights. It is kept in a file with its figures; the next load takes it from
// there. A choice is made anew when the file is gone, damaged or another user's, and with other devices, drivers,
// kernels, CPU settings, another shape of model or another llmd, which all are in the file's key.
//
// Thread-bound to the engine's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/backend_factory.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/weights.h"

namespace llmd::generation {

// A person with a phone waits for this once: loading every device but the one that is loaded last is given up after so
// much reading. The time of compilers does not count, whose programs are kept.
inline constexpr std::chrono::seconds kMostTrialRead{15};
inline constexpr std::chrono::seconds kTimingTime{2};  // of one device
// The first tokens compile, upload or find out how much a device may be given at once, and are not counted.
inline constexpr uint32_t kWarmUpTokens = 4;
inline constexpr std::chrono::seconds kWarmUpTime{1};  // no more are begun then
// More say no more about a device that is so fast.
inline constexpr uint32_t kTimedTokens = 64;
// A GPU is taken where it has at least this share of the CPU's speed: it leaves the processor to other programs and
// warms a phone less.
inline constexpr double kGpuShare = 0.8;
// All kept choices together; one takes a few hundred bytes.
inline constexpr uint64_t kMaxDeviceChoiceBytes = 64u << 10;

// Where choices are kept, and for which version of this program. An empty directory: no choice is made.
struct ChoicesKept {
    std::filesystem::path directory;
    std::string version;
};

// The calls by which devices are compared. DeviceError, OutOfMemory and Timeout rule a device out; another error is the
// model's or the caller's, and ends the load.
class DeviceTrials {
public:
    virtual ~DeviceTrials() = default;
    // Runs the self-test of the device's kernels.
    virtual base::Result<void> test(const compute::ChosenDevice& device) = 0;
    // Loads the model on the device, in the place of the one before, and returns tokens per second. Timeout where
    // reading the weights takes more than kMostTrialRead and `is_last` is false.
    virtual base::Result<double> time(const compute::ChosenDevice& device, bool is_last) = 0;
};

struct DeviceChoice {
    compute::ChosenDevice device;
    std::vector<std::string> notes;  // the devices that failed, then the figures; one sentence each
};

// Nothing where there is nothing to choose from or no place to keep a choice: then nothing is timed or written.
// `model` is what model_shape() gives.
base::Result<std::optional<DeviceChoice>> choose_device(const compute::AutoDevices& devices, std::string_view model,
                                                        const ChoicesKept& kept, DeviceTrials& trials,
                                                        std::chrono::system_clock::time_point now);

// The text is the same for models that are equally fast: of one architecture, with tensors of the same types and sizes.
std::string model_shape(const model::DecoderSpec& spec, std::span<const model::Weight> weights);

// Tokens per second of one sequence from its beginning, each step as the generator makes it. The backend is loaded and
// new, and afterwards as it was. DeviceError where logits are not finite; the backend's own.
base::Result<double> decode_speed(compute::Backend& backend,
                                  const std::function<std::chrono::steady_clock::time_point()>& now);

}  // namespace llmd::generation
