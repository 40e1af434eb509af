// The contest of product kernels (tuner.h) on a device. What OpenCL refuses, or what computes other bits than the usual
// kernel of one column, is not admitted. Thread-bound, as DeviceQueue; borrows everything that it is made with.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/compute/opencl/autotune/autotuner.h"
#include "engine/compute/opencl/autotune/kernel_config.h"
#include "engine/compute/opencl/autotune/timed_product.h"
#include "engine/compute/opencl/autotune/trial.h"
#include "engine/compute/opencl/autotune/tuning_bench.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

class DeviceContest final : public Contest {
public:
    using Samples = std::map<SampleKey, SampleMatrix>;

    // `samples` has all that will be asked for. `goes_on`: as the function of that name.
    DeviceContest(DeviceQueue& queue, Kernels& kernels, const Variants& variants, const Samples& samples,
                  const std::function<bool(uint32_t per_mille)>& goes_on)
        : queue_(queue), kernels_(kernels), variants_(variants), samples_(samples), goes_on_(goes_on) {}

    TimePoint now() override { return std::chrono::steady_clock::now(); }
    bool goes_on(uint32_t per_mille) override { return goes_on_(per_mille); }
    bool admit(const Contender& contender) override;
    std::optional<std::chrono::nanoseconds> time(const Contender& contender) override;

private:
    // A product in one reading.
    struct Arena {
        Trial trial;
        TimedProduct timed;
    };

    base::Result<Arena> make_arena(const ProductKind& kind, bool image);
    base::Result<void> try_kernel(const Contender& contender);

    DeviceQueue& queue_;
    Kernels& kernels_;
    const Variants& variants_;
    const Samples& samples_;
    const std::function<bool(uint32_t)>& goes_on_;
    std::optional<ProductKind> kind_;  // of the arenas
    std::map<bool, Arena> arenas_;     // by image
    std::vector<float> expected_;  // what the usual kernel of one column gives, in the reading that is admitted first
    std::vector<std::pair<Contender, ClKernel>> kernels_of_kind_;
};

}  // namespace llmd::compute::gpu
