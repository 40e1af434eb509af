// Picks by time among matmul kernels that give the same bits (KernelChoice): which is fastest follows from a device's
// caches, registers and scheduler, and no table knows them all. A sum never depends on what is picked, so a text is the
// same whatever the autotuner picked, and after its findings are lost. tune() is pure logic: kernels and the clock are
// behind TuningBench.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/compute/opencl/autotune/kernel_config.h"
#include "engine/compute/opencl/autotune/self_test.h"
#include "engine/compute/opencl/autotune/tuning_bench.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::compute::gpu {

inline constexpr uint32_t kTimedRounds = 5;   // of each kernel, one kernel after the other; its best counts
inline constexpr double kTuningGain = 0.05;   // what another than the usual kernel must save: less may be chance
inline constexpr double kHopelessTime = 1.5;  // times the best after the first round: no more rounds

struct KernelCandidate {
    MatmulKind kind;
    uint32_t batch_rows = 1;
    KernelConfig config;
    bool image = false;

    bool operator==(const KernelCandidate&) const = default;
};

// The bench that kernels run on.
class TuningBench {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    virtual ~TuningBench() = default;
    virtual TimePoint now() = 0;
    // Is asked before each call below that may block; `per_mille` of the tuning is done. False gives up.
    virtual bool goes_on(uint32_t per_mille) = 0;
    // Builds a kernel and tests it: false where it fails, or does not compute what the usual one does, bit for bit.
    virtual bool admit(const KernelCandidate& candidate) = 0;
    // Gives what a launch of an admitted kernel takes, on average over a round of them; none where it fails.
    virtual std::optional<std::chrono::nanoseconds> time(const KernelCandidate& candidate) = 0;
};

// The plan of a tuning: the kinds that are worth it, and the layouts that may be read through images or not.
struct TuningPlan {
    std::set<MatmulKind> kinds;
    std::set<Layout> usual_images;
    std::set<Layout> free_images;
    std::chrono::milliseconds budget{};  // when it is used up, what is not decided stays as usual
};

// Decides how each layout in free_images is read; then the kernels for one batch row of every kind, then for eight,
// four and two. Keeps nothing that is as usual. None when goes_on() gave up.
std::optional<KernelConfigs> tune(const KernelChoice& kernel_choice, const TuningPlan& plan, TuningBench& bench);

// The tuning bench of a device. It admits nothing that OpenCL refuses or that computes other bits than the usual kernel
// of one batch row. Thread-bound, as DeviceQueue; borrows everything that it is made with.
class DeviceTuningBench final : public TuningBench {
public:
    using Probes = std::map<ProbeKey, ProbeMatrix>;

    // `probes` has all that will be asked for. `goes_on` is the function of that name.
    DeviceTuningBench(DeviceQueue& queue, Kernels& kernels, const KernelChoice& kernel_choice, const Probes& probes,
                      const std::function<bool(uint32_t per_mille)>& goes_on)
        : queue_(queue), kernels_(kernels), kernel_choice_(kernel_choice), probes_(probes), goes_on_(goes_on) {}

    TimePoint now() override { return std::chrono::steady_clock::now(); }
    bool goes_on(uint32_t per_mille) override { return goes_on_(per_mille); }
    bool admit(const KernelCandidate& candidate) override;
    std::optional<std::chrono::nanoseconds> time(const KernelCandidate& candidate) override;

private:
    // A matmul whose weights are read through images, or are not.
    struct Bench {
        ProbeMatmul probe_matmul;
        TimedMatmul timed;
    };

    base::Result<Bench> make_bench(const MatmulKind& kind, bool image);
    base::Result<void> try_kernel(const KernelCandidate& candidate);

    DeviceQueue& queue_;
    Kernels& kernels_;
    const KernelChoice& kernel_choice_;
    const Probes& probes_;
    const std::function<bool(uint32_t)>& goes_on_;
    std::optional<MatmulKind> kind_;  // of the benches
    std::map<bool, Bench> benches_;   // by image
    std::vector<float> expected_;     // what the usual kernel of one batch row gives
    std::vector<std::pair<KernelCandidate, ClKernel>> kernels_of_kind_;
};

}  // namespace llmd::compute::gpu
