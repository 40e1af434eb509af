#include "engine/compute/opencl/autotune/device_contest.h"

#include <algorithm>

#include "engine/compute/opencl/autotune/self_test.h"

namespace llmd::compute::gpu {

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
