// Picks by time among product kernels that give the same bits (Variants): which is fastest follows from a device's
// caches, registers and scheduler, and no table knows them all. A sum never depends on what is picked, so a text is the
// same however the tuner chose, and after a choice is lost.
// Pure logic: kernels and the clock are behind Contest.
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

#include "engine/compute/opencl/autotune/choices.h"
#include "engine/compute/opencl/autotune/kernel_config.h"

namespace llmd::compute::gpu {

inline constexpr uint32_t kTimedRounds = 5;  // of each kernel, by turns; its best counts
inline constexpr double kTuningGain =
    0.05;  // what another than the usual kernel must save at least: less may be chance
inline constexpr double kHopelessTime = 1.5;  // times the best after the first round: no more rounds

struct Contender {
    ProductKind kind;
    uint32_t columns = 1;
    ProductChoice choice;
    bool image = false;

    bool operator==(const Contender&) const = default;
};

// Where kernels run.
class Contest {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    virtual ~Contest() = default;
    virtual TimePoint now() = 0;
    // Before each call below that may block; `per_mille` of the tuning is done. False gives up.
    virtual bool goes_on(uint32_t per_mille) = 0;
    // Builds a kernel and tries it: false where it fails, or does not compute what the usual one does, bit for bit.
    virtual bool admit(const Contender& contender) = 0;
    // What a launch of an admitted kernel takes, on average over a round of them; none where it fails.
    virtual std::optional<std::chrono::nanoseconds> time(const Contender& contender) = 0;
};

// What is to be tuned. `kinds`: those worth it; of the layouts in `images` either reading may be used.
struct TuningPlan {
    std::set<ProductKind> kinds;
    std::set<Layout> usual_images;
    std::set<Layout> free_images;
    std::chrono::milliseconds budget{};  // when it is used up, what is not decided stays as usual
};

// First how each layout in free_images is read; then the kernels for one column of every kind, for eight, four and two.
// Nothing is kept of a choice that is as usual. None when goes_on() gave up.
std::optional<Choices> tune(const Variants& variants, const TuningPlan& plan, Contest& contest);

}  // namespace llmd::compute::gpu
