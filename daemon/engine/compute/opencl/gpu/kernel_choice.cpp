#include "engine/compute/opencl/gpu/kernel_choice.h"

#include <algorithm>

#include "engine/compute/opencl/gpu/layout.h"

namespace llmd::compute::gpu {
namespace {

constexpr uint32_t kNvidia = 0x10de;
constexpr uint32_t kMostItems = 256;  // in a work-group, on any device
constexpr uint32_t kManyRows = 8192;  // give groups enough to fill a device with few K splits
constexpr uint32_t kKSplits = 8;      // where there are fewer rows
constexpr uint32_t kFewKSplits = 4;
// For NVIDIA, measured on an H200, where a token's launches wait for memory and for each other: many items a row, all
// of x staged at once. From kManyBatchRows on two pairs share an item's work.
constexpr uint32_t kNvidiaMostItems = 512;
constexpr uint32_t kNvidiaKSplits = 32;
constexpr uint32_t kNvidiaStagedBytes = 24 * 1024;
// Eight rows: twice as many work-groups that compute half as much are faster than fewer groups than these, which leave
// half the device idle.
constexpr uint32_t kNvidiaSpreadBatchRows = 4;
constexpr uint32_t kNvidiaSpreadRows = 8;
constexpr uint32_t kNvidiaManyGroups = 64;
// Gates and ups of so many rows have groups enough for two a processor, if the groups are small.
constexpr uint32_t kNvidiaManyGates = 16384;
constexpr uint32_t kNvidiaGateKSplits = 8;
// Without the dot core: batch rows times bytes. A multiply-add of integers takes as long as two of floats, but quants
// need no conversion.
constexpr uint32_t kNvidiaMostIntegers = 4;
// On an Adreno both take as long. Above this (two bytes of eight batch rows) integers of more than four bits, whose
// sums start anew within a block, take longer than floats (Q6_K: by a third) or more code than its cache holds (Q5_K);
// those of four bits need fewer registers (docs/adreno.md).
constexpr uint32_t kSmallGpuMostIntegers = 8;
constexpr uint32_t kAttentionItems = 64;
constexpr uint32_t kNvidiaAttentionItems = 256;
constexpr uint32_t kSomeBatchRows = 4;
constexpr uint32_t kManyBatchRows = 8;
// An attention work-group has at most so many heads whose sums an item keeps in registers, of which eight spill on an
// Adreno, and so many dimensions of them, of which 512 do.
constexpr uint32_t kMaxAttentionHeads = 4;
constexpr uint32_t kMaxAttentionWidth = 256;
constexpr uint32_t kNvidiaMaxAttentionWidth = 512;
constexpr uint32_t kLeastAttentionGroups = 3;  // of a row, where there are heads enough

}  // namespace

KernelChoice::KernelChoice(const DeviceLimits& device, Precision precision)
    : precision_(precision),
      is_cpu_(device.is_cpu),
      is_nvidia_(device.vendor_id == kNvidia),
      has_dot_(device.has_dot),
      most_items_(
          static_cast<uint32_t>(std::min<uint64_t>(device.group_items, is_nvidia_ ? kNvidiaMostItems : kMostItems))) {}

Core KernelChoice::core(Layout layout, uint32_t batch_rows, uint32_t value_bytes) const {
    const bool has_four_bits = layout == Layout::Q4_0 || layout == Layout::Q4_1 || layout == Layout::Q4_K;
    const bool prefers_floats = (is_nvidia_ && batch_rows * value_bytes > kNvidiaMostIntegers) ||
                                (is_small_gpu() && !has_four_bits && batch_rows * value_bytes > kSmallGpuMostIntegers);
    if (has_dot_ && has_dot_core(layout)) return Core::Dot;
    return has_integer_core(layout) && !prefers_floats ? Core::Integer : Core::Float;
}

KernelConfig KernelChoice::matmul(const MatmulKind& kind, uint32_t batch_rows) const {
    MatmulShape shape = matmul_shape(kind.rows, batch_rows, kind.output_kind == OutputKind::Pairs);
    if (kind.output_kind == OutputKind::Logits) {
        const MatmulShape one = matmul_shape(kind.rows, 1, false);
        if (shape.group_pairs() != one.group_pairs()) shape = one;
    }
    return {shape, core(kind.layout, batch_rows, kind.value_bytes), staged_bytes()};
}

MatmulShape KernelChoice::matmul_shape(uint32_t rows, uint32_t batch_rows, bool one_output_a_pair) const {
    const bool many_rows = rows >= kManyRows && !(is_nvidia_ && one_output_a_pair);
    MatmulShape shape;
    shape.lanes = one_output_a_pair || is_cpu_ || many_rows || is_small_gpu() ? kQuantBlock : kQuantBlock / 2;
    // Two pairs an item share the cost of the loop around their multiplications; batch rows do too, and with more of
    // them the registers would not suffice.
    if (is_small_gpu() && batch_rows < kSomeBatchRows) {
        shape.lanes = kQuantBlock / 2;
        shape.pairs = 2;
    }
    if (is_nvidia_ && !many_rows && batch_rows >= kManyBatchRows) shape.pairs = 2;
    const bool many_gates = is_nvidia_ && one_output_a_pair && rows >= kNvidiaManyGates;
    const uint32_t wanted = many_rows ? kFewKSplits : many_gates ? kNvidiaGateKSplits : k_splits();
    const uint32_t most_lanes = is_small_gpu() ? kQuantBlock : shape.lanes;  // for any number of batch rows
    shape.k_splits = is_cpu_ ? 1 : std::min(wanted, most_items_ / most_lanes);
    return shape;
}

uint32_t KernelChoice::k_splits() const {
    return is_cpu_ ? 1 : is_nvidia_ ? kNvidiaKSplits : kKSplits;
}

uint32_t KernelChoice::spread_rows(const MatmulKind& kind, uint32_t batch_rows) const {
    if (!is_nvidia_ || batch_rows != kNvidiaSpreadBatchRows) return 0;
    const uint32_t groups = kind.rows / 2 / matmul(kind, kNvidiaSpreadRows).shape.group_pairs();
    const bool is_quick = kind.value_bytes == 1 && matmul(kind, batch_rows).core != Core::Float;
    return groups < kNvidiaManyGroups || is_quick ? kNvidiaSpreadRows : 0;
}

uint32_t KernelChoice::staged_bytes() const {
    return is_nvidia_ ? kNvidiaStagedBytes : kStagedBytes;
}

uint32_t KernelChoice::attention_items() const {
    return is_nvidia_ ? kNvidiaAttentionItems : kAttentionItems;
}

uint32_t KernelChoice::attention_heads(const model::LayerSpec& layer, bool has_many_rows) const {
    const auto fills_blocks = [&](uint32_t heads) { return heads * layer.head_dim % kQuantBlock == 0; };
    uint32_t best = 1;
    for (uint32_t heads = 1; heads <= std::min(layer.heads_per_kv(), kMaxAttentionHeads); ++heads) {
        if (layer.heads_per_kv() % heads != 0) continue;
        const bool is_too_wide = heads * layer.head_dim > (is_nvidia_ ? kNvidiaMaxAttentionWidth : kMaxAttentionWidth);
        const bool has_few_groups = !has_many_rows && layer.n_heads / heads < kLeastAttentionGroups;
        if ((is_too_wide || has_few_groups) && fills_blocks(best)) break;
        // NVIDIA has more multiprocessors than a small model has heads, and a cache for the keys that they share. Many
        // rows have groups enough: a prompt of 512 is read 3 to 6 % faster on an H200.
        if (is_nvidia_ && !has_many_rows && fills_blocks(best)) break;
        if (fills_blocks(heads) || !fills_blocks(best)) best = heads;
    }
    return best;
}

std::string KernelChoice::fingerprint() const {
    std::string images;
    for (const Layout layout : sound_.images) {
        if (has_integer_core(layout)) continue;  // the same bits
        images += base::concat(images.empty() ? ", images " : " ", layout_name(layout));
    }
    return base::concat("gpu, ", precision_ == Precision::Fast ? "fast" : "faithful", ", activation bytes ",
                        qkv_value_bytes(), "/", value_bytes(), ", K splits ", matmul_shape(1, 1, false).k_splits, "/",
                        matmul_shape(1, 1, true).k_splits, "/", matmul_shape(kManyRows, 1, false).k_splits, "/",
                        matmul_shape(kManyRows, 1, true).k_splits, "/",
                        matmul_shape(kNvidiaManyGates, 1, true).k_splits, ", attention ", attention_items(),
                        is_nvidia_ ? ", float" : "", has_dot_ ? ", dot" : "", images);
}

}  // namespace llmd::compute::gpu
