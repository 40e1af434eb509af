// The kernels that a device uses: one table by the kind of device and the shape of a matmul. The self-test takes away
// what a device gets wrong. What changes a bit is in the numeric fingerprint: bytes of an activation, K splits,
// attention items, a logit group's pairs, images of weights without integer quants, the dot core (of Q8_0).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "engine/compute/backend.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/gpu/matmul.h"
#include "engine/compute/opencl/runtime/device.h"

namespace llmd::compute::gpu {

// The kind of output that a matmul's groups write, as far as it limits their shape. Rows and Pairs: whole blocks of
// quantized activations, with one output for each row or, where gate and up alternate, for each pair. Logits: a part of
// the choice of a token.
enum class OutputKind : uint8_t { Rows, Pairs, Logits };

// Matmuls of one kind get the same kernels.
struct MatmulKind {
    Layout layout = Layout::Q4_0;
    uint32_t rows = 0;  // of the whole matmul, padded; parts in other layouts are kinds of their own
    uint32_t cols = 0;
    OutputKind output_kind = OutputKind::Rows;
    uint32_t value_bytes = kMostValueBytes;  // of the activations it reads

    auto operator<=>(const MatmulKind&) const = default;
};

// The kernel for a kind and a number of batch rows. Only the K splits change the bits of a result, and of Q8_0
// the core: Dot rounds once where Float rounds twice.
struct KernelConfig {
    MatmulShape shape;
    Core core = Core::Float;
    uint32_t staged_bytes = kStagedBytes;

    bool operator==(const KernelConfig&) const = default;
};

// The part of the table that a device computes right (self_test.h).
struct SoundKernels {
    uint32_t most_batch_rows = std::numeric_limits<uint32_t>::max();  // that one launch may compute together
    std::set<Layout> images;                                          // layouts that are read through images
};

// The numbers of batch rows that one launch of a matmul can compute together.
inline constexpr std::array<uint32_t, 4> kBatchRowCounts = {1, 2, 4, 8};
inline constexpr uint32_t kMaxBatchRows = kBatchRowCounts.back();
inline constexpr uint32_t kManyAttentionGroups = 128;  // about the multiprocessors of an H200

class KernelChoice {
public:
    KernelChoice(const DeviceLimits& device, Precision precision);

    // Bytes of the activations that queries, keys and values are computed from, in fast precision too: with 8 bits
    // there, some formats would err by more than they may (docs/performance.md, "Fidelity").
    uint32_t qkv_value_bytes() const { return kMostValueBytes; }
    // Bytes of all other activations.
    uint32_t value_bytes() const { return precision_ == Precision::Fast ? 1 : kMostValueBytes; }
    // The kernel for a launch of so many batch rows. K splits are the same for any number of batch rows. For logits
    // group_pairs() is too, since a group sums up what its ids leave, and the number of groups is fixed before.
    KernelConfig matmul(const MatmulKind& kind, uint32_t batch_rows) const;
    // Rows of a batch up to which launches of so many batch rows are better than wider ones (LaunchChoice); 0: none.
    uint32_t spread_rows(const MatmulKind& kind, uint32_t batch_rows) const;
    // Whether registers are plenty, so that matmuls (PREFETCH) and attention (AHEAD) load all they can before they
    // wait.
    bool loads_ahead() const { return is_nvidia_; }
    uint32_t attention_items() const;
    // Query heads of an attention work-group, for batches of any size or of rows enough for kManyAttentionGroups. The
    // number divides heads_per_kv(), and its outputs fill whole blocks if that is possible. It changes no bit.
    uint32_t attention_heads(const model::LayerSpec& layer, bool has_many_rows) const;

    // Whether the device is a GPU whose compiler is Mesa's: a 64-bit addition is several instructions, and images are
    // worth a try (weight_addressing.h).
    bool is_small_gpu() const { return !is_cpu_ && !is_nvidia_; }
    // Whether kernels rely on weights that lie in one address segment (SegmentProbe).
    bool needs_segments() const { return is_small_gpu(); }

    // Whether integers are summed by an instruction that only some devices have (Core::Dot).
    bool has_dot() const { return has_dot_; }
    void give_up_dot() { has_dot_ = false; }
    void use(SoundKernels sound) { sound_ = std::move(sound); }
    // Whether a launch may compute so many batch rows, one of kBatchRowCounts. On a CPU device, which is only ever
    // tested on, kernels take a second each to compile (Quirk::CompilesSlowly): it has those of one row and of most
    // rows.
    bool may_compute(uint32_t batch_rows) const {
        const bool is_left_out = is_cpu_ && batch_rows != 1 && batch_rows != kMaxBatchRows;
        return batch_rows <= sound_.most_batch_rows && !is_left_out;
    }

    std::string fingerprint() const;

private:
    // The shape for a matrix of so many rows and a launch of so many batch rows. A group's outputs fill whole blocks,
    // with one output a pair too where that is asked for.
    MatmulShape matmul_shape(uint32_t rows, uint32_t batch_rows, bool one_output_a_pair) const;
    Core core(Layout layout, uint32_t batch_rows, uint32_t value_bytes) const;
    uint32_t staged_bytes() const;  // local memory for x
    uint32_t k_splits() const;

    Precision precision_;
    bool is_cpu_;  // the items of a group run one after the other
    bool is_nvidia_;
    bool has_dot_;
    uint32_t most_items_;
    SoundKernels sound_;
};

}  // namespace llmd::compute::gpu
