#include "engine/compute/opencl/autotune/autotuner.h"

#include <algorithm>

#include "engine/compute/opencl/autotune/self_test.h"

namespace llmd::compute::gpu {
namespace {

// The order of use: one token at a time, then prompts, then few sequences together.
constexpr std::array<uint32_t, kBatchRowCounts.size()> kBatchRowsByUse = {1, 8, 4, 2};

class Autotuner {
public:
    Autotuner(const KernelChoice& kernel_choice, const TuningPlan& plan, TuningBench& bench)
        : kernel_choice_(kernel_choice), plan_(plan), bench_(bench), begin_(bench.now()) {
        n_tasks_ = static_cast<uint32_t>(plan.free_images.size() + kBatchRowsByUse.size() * plan.kinds.size());
    }

    std::optional<KernelConfigs> run() {
        KernelConfigs configs;
        configs.images = plan_.usual_images;
        for (const Layout layout : plan_.free_images) {
            if (const auto kind = largest(layout)) tune_reading(*kind, configs.images);
            ++n_done_;
        }
        for (const uint32_t batch_rows : kBatchRowsByUse) {
            if (!kernel_choice_.may_compute(batch_rows)) {
                n_done_ += static_cast<uint32_t>(plan_.kinds.size());
                continue;
            }
            for (const MatmulKind& kind : plan_.kinds) {
                const KernelConfig usual = kernel_choice_.usual(kind, batch_rows);
                const KernelConfig found = tune_matmul(kind, batch_rows, configs.images.contains(kind.layout));
                if (found != usual) configs.matmuls[{kind, batch_rows}] = found;
                ++n_done_;
            }
        }
        if (gave_up_) return std::nullopt;
        return configs;
    }

private:
    bool is_over() { return gave_up_ || bench_.now() - begin_ >= plan_.budget; }

    // Reports progress; false when nothing more is to be done.
    bool may_go_on() {
        if (is_over()) return false;
        const double of_tasks = n_done_ / static_cast<double>(n_tasks_);
        const double of_budget = std::chrono::duration<double>(bench_.now() - begin_) / plan_.budget;
        gave_up_ = !bench_.goes_on(static_cast<uint32_t>(1000 * std::clamp(of_tasks, of_budget, 1.0)));
        return !gave_up_;
    }

    std::optional<MatmulKind> largest(Layout layout) const {
        std::optional<MatmulKind> largest;
        const auto size = [](const MatmulKind& kind) { return uint64_t{kind.rows} * kind.cols; };
        for (const MatmulKind& kind : plan_.kinds) {
            if (kind.layout == layout && (!largest || size(kind) > size(*largest))) largest = kind;
        }
        return largest;
    }

    void tune_reading(const MatmulKind& kind, std::set<Layout>& images) {
        const KernelConfig config = kernel_choice_.usual(kind, 1);
        const bool image = images.contains(kind.layout);
        if (fastest({{kind, 1, config, image}, {kind, 1, config, !image}}) == 0) return;
        if (image) {
            images.erase(kind.layout);
        } else {
            images.insert(kind.layout);
        }
    }

    KernelConfig tune_matmul(const MatmulKind& kind, uint32_t batch_rows, bool image) {
        KernelConfig best = kernel_choice_.usual(kind, batch_rows);
        for (const bool shapes : {true, false}) {
            std::vector<KernelCandidate> candidates = {{kind, batch_rows, best, image}};
            for (const KernelConfig& config : shapes ? kernel_choice_.in_other_shapes(kind, batch_rows, best)
                                                     : kernel_choice_.in_other_ways(kind, best)) {
                candidates.push_back({kind, batch_rows, config, image});
            }
            best = candidates[fastest(candidates)].config;
        }
        return best;
    }

    // Gives the index of the candidate to use: 0, the usual one, unless another is faster for certain.
    size_t fastest(const std::vector<KernelCandidate>& candidates) {
        struct Runner {
            size_t index;
            std::chrono::nanoseconds best = std::chrono::nanoseconds::max();
        };
        std::vector<Runner> runners;
        for (size_t i = 0; candidates.size() > 1 && i < candidates.size(); ++i) {
            if (!may_go_on()) return 0;
            if (bench_.admit(candidates[i])) runners.push_back({i});
        }
        for (uint32_t round = 0; round < kTimedRounds; ++round) {
            if (runners.size() < 2 || runners[0].index != 0) return 0;
            for (Runner& runner : runners) {
                if (!may_go_on()) return 0;
                const auto time = bench_.time(candidates[runner.index]);
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

    const KernelChoice& kernel_choice_;
    const TuningPlan& plan_;
    TuningBench& bench_;
    const TuningBench::TimePoint begin_;
    uint32_t n_tasks_ = 0, n_done_ = 0;
    bool gave_up_ = false;
};

}  // namespace

std::optional<KernelConfigs> tune(const KernelChoice& kernel_choice, const TuningPlan& plan, TuningBench& bench) {
    return Autotuner(kernel_choice, plan, bench).run();
}

using base::Result;

namespace {

MatmulKey key_of(const KernelCandidate& candidate) {
    return {.layout = candidate.kind.layout,
            .config = candidate.config,
            .batch_rows = candidate.batch_rows,
            .value_bytes = candidate.kind.value_bytes,
            .image = candidate.image};
}

}  // namespace

bool DeviceTuningBench::admit(const KernelCandidate& candidate) {
    if (kind_ != candidate.kind) {
        kernels_of_kind_.clear();
        benches_.clear();
        expected_.clear();
        kind_ = candidate.kind;
    }
    const auto is_it = [&](const auto& entry) { return entry.first == candidate; };
    if (std::any_of(kernels_of_kind_.begin(), kernels_of_kind_.end(), is_it)) return true;
    const bool admitted = static_cast<bool>(try_kernel(candidate));
    // Nothing may be left in the queue that uses a bench's buffers.
    return static_cast<bool>(queue_.finish()) && admitted;
}

Result<DeviceTuningBench::Bench> DeviceTuningBench::make_bench(const MatmulKind& kind, bool image) {
    const ProbeMatrix& probe = probes_.at(probe_key(kind));
    auto probe_matmul = ProbeMatmul::create(queue_, probe, image);
    if (!probe_matmul) return probe_matmul.error();
    auto timed = TimedMatmul::create(queue_, probe, kind, image);
    if (!timed) return timed.error();
    if (expected_.empty()) {
        const KernelConfig usual = kernel_choice_.usual(kind, 1);
        const auto kernel = kernels_.matmul(key_of({kind, 1, usual, image}));
        if (!kernel) return kernel.error();
        auto expected = probe_matmul->multiply(*kernel, usual.shape, 1);
        if (!expected) return expected.error();
        expected_ = std::move(*expected);
    }
    return Bench{std::move(*probe_matmul), std::move(*timed)};
}

Result<void> DeviceTuningBench::try_kernel(const KernelCandidate& candidate) {
    auto found = benches_.find(candidate.image);
    if (found == benches_.end()) {
        auto bench = make_bench(candidate.kind, candidate.image);
        if (!bench) return bench.error();
        found = benches_.emplace(candidate.image, std::move(*bench)).first;
    }
    Bench& bench = found->second;
    auto kernel = kernels_.matmul(key_of(candidate));
    if (!kernel) return kernel.error();
    const auto got = bench.probe_matmul.multiply(*kernel, candidate.config.shape, candidate.batch_rows);
    if (!got) return got.error();
    const ProbeMatrix& probe = probes_.at(probe_key(candidate.kind));
    if (auto same = check_same(probe, *got, expected_); !same) return same;
    // Drivers that compile at a launch do so now.
    if (auto first = bench.timed.round(*kernel, candidate.config.shape, candidate.batch_rows); !first) {
        return first.error();
    }
    kernels_of_kind_.emplace_back(candidate, std::move(*kernel));
    return {};
}

std::optional<std::chrono::nanoseconds> DeviceTuningBench::time(const KernelCandidate& candidate) {
    const auto found = std::find_if(kernels_of_kind_.begin(), kernels_of_kind_.end(),
                                    [&](const auto& entry) { return entry.first == candidate; });
    if (found == kernels_of_kind_.end()) return std::nullopt;
    const auto time =
        benches_.at(candidate.image).timed.round(found->second, candidate.config.shape, candidate.batch_rows);
    return time ? std::optional(*time) : std::nullopt;
}

}  // namespace llmd::compute::gpu
