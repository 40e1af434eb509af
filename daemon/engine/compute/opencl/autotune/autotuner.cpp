#include "engine/compute/opencl/autotune/autotuner.h"

#include <algorithm>

#include "engine/compute/opencl/autotune/self_test.h"

namespace llmd::compute::gpu {
namespace {

// One token at a time, then prompts, then few sequences together.
constexpr std::array<uint32_t, kColumnCounts.size()> kColumnsByUse = {1, 8, 4, 2};

class Tuner {
public:
    Tuner(const Variants& variants, const TuningPlan& plan, Contest& contest)
        : variants_(variants), plan_(plan), contest_(contest), begin_(contest.now()) {
        n_tasks_ = static_cast<uint32_t>(plan.free_images.size() + kColumnsByUse.size() * plan.kinds.size());
    }

    std::optional<Choices> run() {
        Choices choices;
        choices.images = plan_.usual_images;
        for (const Layout layout : plan_.free_images) {
            if (const auto kind = largest(layout)) tune_reading(*kind, choices.images);
            ++n_done_;
        }
        for (const uint32_t columns : kColumnsByUse) {
            for (const ProductKind& kind : plan_.kinds) {
                const ProductChoice usual = variants_.usual(kind, columns);
                const ProductChoice found = tune_product(kind, columns, choices.images.contains(kind.layout));
                if (found != usual) choices.products[{kind, columns}] = found;
                ++n_done_;
            }
        }
        if (gave_up_) return std::nullopt;
        return choices;
    }

private:
    bool is_over() { return gave_up_ || contest_.now() - begin_ >= plan_.budget; }

    // Says what is about to be done; false when nothing is to be.
    bool may_go_on() {
        if (is_over()) return false;
        const double of_tasks = n_done_ / static_cast<double>(n_tasks_);
        const double of_budget = std::chrono::duration<double>(contest_.now() - begin_) / plan_.budget;
        gave_up_ = !contest_.goes_on(static_cast<uint32_t>(1000 * std::clamp(of_tasks, of_budget, 1.0)));
        return !gave_up_;
    }

    std::optional<ProductKind> largest(Layout layout) const {
        std::optional<ProductKind> largest;
        const auto size = [](const ProductKind& kind) { return uint64_t{kind.rows} * kind.cols; };
        for (const ProductKind& kind : plan_.kinds) {
            if (kind.layout == layout && (!largest || size(kind) > size(*largest))) largest = kind;
        }
        return largest;
    }

    void tune_reading(const ProductKind& kind, std::set<Layout>& images) {
        const ProductChoice choice = variants_.usual(kind, 1);
        const bool image = images.contains(kind.layout);
        if (fastest({{kind, 1, choice, image}, {kind, 1, choice, !image}}) == 0) return;
        if (image) {
            images.erase(kind.layout);
        } else {
            images.insert(kind.layout);
        }
    }

    ProductChoice tune_product(const ProductKind& kind, uint32_t columns, bool image) {
        ProductChoice best = variants_.usual(kind, columns);
        for (const bool shapes : {true, false}) {
            std::vector<Contender> contenders = {{kind, columns, best, image}};
            for (const ProductChoice& choice :
                 shapes ? variants_.in_other_shapes(kind, columns, best) : variants_.in_other_ways(kind, best)) {
                contenders.push_back({kind, columns, choice, image});
            }
            best = contenders[fastest(contenders)].choice;
        }
        return best;
    }

    // The index of the one that is to be used: 0, the usual one, unless another is faster for certain.
    size_t fastest(const std::vector<Contender>& contenders) {
        struct Runner {
            size_t index;
            std::chrono::nanoseconds best = std::chrono::nanoseconds::max();
        };
        std::vector<Runner> runners;
        for (size_t i = 0; contenders.size() > 1 && i < contenders.size(); ++i) {
            if (!may_go_on()) return 0;
            if (contest_.admit(contenders[i])) runners.push_back({i});
        }
        for (uint32_t round = 0; round < kTimedRounds; ++round) {
            if (runners.size() < 2 || runners[0].index != 0) return 0;
            for (Runner& runner : runners) {
                if (!may_go_on()) return 0;
                const auto time = contest_.time(contenders[runner.index]);
                runner.best = time ? std::min(runner.best, *time) : std::chrono::nanoseconds::max();
            }
            const auto least = std::min_element(runners.begin(), runners.end(), is_faster)->best;
            std::erase_if(runners, [&](const Runner& runner) {
                return runner.best == std::chrono::nanoseconds::max() ||
                       (runner.index != 0 && round == 0 &&
                        static_cast<double>(runner.best.count()) > kHopelessTime * static_cast<double>(least.count()));
            });
        }
        if (runners.empty() || runners[0].index != 0) return 0;
        const Runner& winner = *std::min_element(runners.begin(), runners.end(), is_faster);
        const auto usual = static_cast<double>(runners[0].best.count());
        return static_cast<double>(winner.best.count()) < (1 - kTuningGain) * usual ? winner.index : 0;
    }

    static constexpr auto is_faster = [](const auto& a, const auto& b) { return a.best < b.best; };

    const Variants& variants_;
    const TuningPlan& plan_;
    Contest& contest_;
    const Contest::TimePoint begin_;
    uint32_t n_tasks_ = 0, n_done_ = 0;
    bool gave_up_ = false;
};

}  // namespace

std::optional<Choices> tune(const Variants& variants, const TuningPlan& plan, Contest& contest) {
    return Tuner(variants, plan, contest).run();
}

using base::Result;

namespace {

ProductKey key_of(const Contender& contender) {
    return {.layout = contender.kind.layout,
            .choice = contender.choice,
            .columns = contender.columns,
            .digits = contender.kind.digits,
            .image = contender.image};
}

}  // namespace

bool DeviceContest::admit(const Contender& contender) {
    if (kind_ != contender.kind) {
        kernels_of_kind_.clear();
        arenas_.clear();
        expected_.clear();
        kind_ = contender.kind;
    }
    const auto is_it = [&](const auto& entry) { return entry.first == contender; };
    if (std::any_of(kernels_of_kind_.begin(), kernels_of_kind_.end(), is_it)) return true;
    const bool admitted = static_cast<bool>(try_kernel(contender));
    // Nothing may be left that uses an arena's buffers.
    return static_cast<bool>(queue_.finish()) && admitted;
}

Result<DeviceContest::Arena> DeviceContest::make_arena(const ProductKind& kind, bool image) {
    const SampleMatrix& sample = samples_.at(sample_key(kind));
    auto trial = Trial::create(queue_, sample, image);
    if (!trial) return trial.error();
    auto timed = TimedProduct::create(queue_, sample, kind, image);
    if (!timed) return timed.error();
    if (expected_.empty()) {
        const ProductChoice usual = variants_.usual(kind, 1);
        const auto kernel = kernels_.product(key_of({kind, 1, usual, image}));
        if (!kernel) return kernel.error();
        auto expected = trial->products(*kernel, usual.shape, 1);
        if (!expected) return expected.error();
        expected_ = std::move(*expected);
    }
    return Arena{std::move(*trial), std::move(*timed)};
}

Result<void> DeviceContest::try_kernel(const Contender& contender) {
    auto found = arenas_.find(contender.image);
    if (found == arenas_.end()) {
        auto arena = make_arena(contender.kind, contender.image);
        if (!arena) return arena.error();
        found = arenas_.emplace(contender.image, std::move(*arena)).first;
    }
    Arena& arena = found->second;
    auto kernel = kernels_.product(key_of(contender));
    if (!kernel) return kernel.error();
    const auto got = arena.trial.products(*kernel, contender.choice.shape, contender.columns);
    if (!got) return got.error();
    const SampleMatrix& sample = samples_.at(sample_key(contender.kind));
    if (auto same = check_same(sample, *got, expected_); !same) return same;
    // Drivers that compile at a launch do so now.
    if (auto first = arena.timed.round(*kernel, contender.choice.shape, contender.columns); !first) {
        return first.error();
    }
    kernels_of_kind_.emplace_back(contender, std::move(*kernel));
    return {};
}

std::optional<std::chrono::nanoseconds> DeviceContest::time(const Contender& contender) {
    const auto found = std::find_if(kernels_of_kind_.begin(), kernels_of_kind_.end(),
                                    [&](const auto& entry) { return entry.first == contender; });
    if (found == kernels_of_kind_.end()) return std::nullopt;
    const auto time = arenas_.at(contender.image).timed.round(found->second, contender.choice.shape, contender.columns);
    return time ? std::optional(*time) : std::nullopt;
}

}  // namespace llmd::compute::gpu
