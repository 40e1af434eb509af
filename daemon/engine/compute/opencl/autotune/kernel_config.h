// Which of the possible kernels a device gets: a table of what is usual for its kind, and what was found out on the
// device itself instead. What changes a bit is in the table alone, and in the numeric profile: digits, slices,
// attention items, a logit group's pairs, images of weights without integer codes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/compute/backend.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/gpu/matmul.h"
#include "engine/compute/opencl/runtime/device.h"

namespace llmd::compute::gpu {

// What a device's product kernels were found to do with one model: which of them are used at all (self_test.h), and
// which are the fastest (autotuner.h).

// What a product's groups leave, as far as it limits their shape: whole blocks of a record, with one output for each
// row or, where gate and up lie by turns, for each pair; or a part of the choice among logits.
enum class OutputKind : uint8_t { Rows, Pairs, Logits };

// Products of one kind get the same kernels.
struct MatmulKind {
    Layout layout = Layout::Q4_0;
    uint32_t rows = 0;  // of the whole product, padded; parts in other layouts are kinds of their own
    uint32_t cols = 0;
    OutputKind output_kind = OutputKind::Rows;
    uint32_t limbs = kMostLimbs;  // of the records it reads

    auto operator<=>(const MatmulKind&) const = default;
};

// The kernel of a kind and a number of columns. Of it only the slices change the bits of a result; where a layout has
// both cores, they give the same.
struct KernelConfig {
    MatmulShape shape;
    Core core = Core::Float;
    uint32_t staged_bytes = kStagedBytes;

    bool operator==(const KernelConfig&) const = default;
};

struct KernelConfigs {
    uint32_t most_batch_rows = std::numeric_limits<uint32_t>::max();  // that one launch may compute together
    std::set<Layout> images;                                          // layouts whose planes are read through images
    // What is used instead of the table's kernels, by kind and columns.
    std::map<std::pair<MatmulKind, uint32_t>, KernelConfig> matmuls;

    bool operator==(const KernelConfigs&) const = default;
};

// Columns that one launch of a product can compute together.
inline constexpr std::array<uint32_t, 4> kBatchRowCounts = {1, 2, 4, 8};
inline constexpr uint32_t kMaxBatchRows = kBatchRowCounts.back();
inline constexpr uint32_t kManyAttentionGroups = 128;  // about the multiprocessors of an H200

class Variants {
public:
    Variants(const DeviceLimits& device, Precision precision);

    // Of the records that queries, keys and values are made of. In fast precision too: with 8 bits there some formats
    // are beyond what it may be off (docs/performance.md, "Fidelity").
    uint32_t qkv_limbs() const { return kMostLimbs; }
    // Of all others.
    uint32_t limbs() const { return precision_ == Precision::Fast ? 1 : kMostLimbs; }
    // For a launch of so many columns. `slices` is the same for any number of columns; for logits group_pairs() is,
    // since the group adds up what its ids leave, and what it leaves is counted before.
    KernelConfig matmul(const MatmulKind& kind, uint32_t batch_rows) const;
    // The same by the table alone.
    KernelConfig usual(const MatmulKind& kind, uint32_t batch_rows) const;
    // Others that give the same bits: first `choice` in other shapes; then with the other core and with another share
    // of local memory.
    std::vector<KernelConfig> in_other_shapes(const MatmulKind& kind, uint32_t batch_rows,
                                              const KernelConfig& config) const;
    std::vector<KernelConfig> in_other_ways(const MatmulKind& kind, const KernelConfig& config) const;
    // Whether it is the usual choice but for what these may change.
    bool allows(const MatmulKind& kind, uint32_t batch_rows, const KernelConfig& config) const;
    // Rows of a batch up to which launches of so many columns are better than wider ones (LaunchVariant); 0: none.
    uint32_t spread_rows(const MatmulKind& kind, uint32_t batch_rows) const;
    // Whether registers are plenty, so that products (PREFETCH) and attention (AHEAD) load all they can before they
    // wait.
    bool loads_ahead() const { return is_nvidia_; }
    uint32_t attention_items() const;
    // Query heads of an attention work-group, for batches of any size or of rows enough for kManyAttentionGroups: a
    // divisor of heads_per_kv, whose outputs fill whole blocks if that is possible. It changes no bit.
    uint32_t attention_heads(uint32_t heads_per_kv, uint32_t head_dim, bool has_many_rows) const;

    // A GPU whose compiler is Mesa's: 64-bit additions are several, images are worth a try (weight_addressing.h).
    bool is_small_gpu() const { return !is_cpu_ && !is_nvidia_; }
    // Whether kernels take every plane for one in a window (SegmentProbe).
    bool needs_segments() const { return is_small_gpu(); }

    // What was found out on the device, in place of the table.
    void use(KernelConfigs configs) { configs_ = std::move(configs); }
    // Whether a launch may compute so many columns, of kBatchRowCounts.
    bool may_compute(uint32_t batch_rows) const { return batch_rows <= configs_.most_batch_rows; }

    std::string profile() const;

private:
    // For a matrix of so many rows and a launch of so many columns. A group's outputs fill whole blocks of a record,
    // with one output a pair too where that is asked for.
    MatmulShape matmul_shape(uint32_t rows, uint32_t batch_rows, bool one_output_a_pair) const;
    Core usual_core(Layout layout, uint32_t batch_rows, uint32_t limbs) const;
    uint32_t staged_bytes() const;  // local memory for x
    uint32_t k_splits() const;

    Precision precision_;
    bool is_cpu_;  // items run one after the other
    bool is_nvidia_;
    uint32_t most_items_;
    bool has_much_local_;  // local memory
    KernelConfigs configs_;
};

}  // namespace llmd::compute::gpu
