#include "engine/compute/opencl/autotune/kernel_config.h"

#include <algorithm>

#include "engine/compute/opencl/gpu/layout.h"

namespace llmd::compute::gpu {
namespace {

constexpr uint32_t kNvidia = 0x10de;
constexpr uint32_t kMostItems = 256;  // in a work-group, on any device
constexpr uint32_t kManyRows = 8192;  // give groups enough to fill a device with few slices
constexpr uint32_t kSlices = 8;       // of a row where there are fewer
constexpr uint32_t kFewSlices = 4;
// For NVIDIA, measured on an H200, where a token's launches wait for memory and for each other: many items a row, all
// of x staged at once. From kManyColumns on two pairs share an item's work.
constexpr uint32_t kNvidiaMostItems = 512;
constexpr uint32_t kNvidiaSlices = 32;
constexpr uint32_t kNvidiaStagedBytes = 24 * 1024;
// Eight rows: twice as many work-groups, which compute half as much, are faster than fewer than these, which leave half
// the device idle.
constexpr uint32_t kNvidiaSpreadColumns = 4;
constexpr uint32_t kNvidiaSpreadRows = 8;
constexpr uint32_t kNvidiaManyGroups = 64;
// Gates and ups of so many rows have groups enough for two a processor, if those are small.
constexpr uint32_t kNvidiaManyGates = 16384;
constexpr uint32_t kNvidiaGateSlices = 8;
// Columns times digits. One multiply-add of integers takes as long as two of floats, but codes need no conversion.
constexpr uint32_t kNvidiaMostIntegers = 4;
// On an Adreno they take as long as each other. Above this, two digits of eight columns, integers of more than four
// bits, whose sums start anew within a block, take longer than floats (Q6_K: by a third) or more code than its cache
// holds (Q5_K); those of four bits need fewer registers (docs/adreno.md).
constexpr uint32_t kSmallGpuMostIntegers = 8;
constexpr uint32_t kAttentionItems = 64;
constexpr uint32_t kNvidiaAttentionItems = 256;
constexpr uint32_t kSomeColumns = 4;
constexpr uint32_t kManyColumns = 8;
// Shapes that are worth a try where the table's is not the best: few enough to time them all.
constexpr std::array<uint32_t, 3> kTriedLanes = {16, 32, 64};
constexpr std::array<uint32_t, 3> kTriedPairs = {1, 2, 4};
constexpr uint32_t kMostTriedPairs = 64;  // of a group: small matrices have too few groups of more
constexpr uint32_t kMostTriedSums = 16;   // of an item: more spill
// Local memory that holds kNvidiaStagedBytes of x and what epilogues take beside.
constexpr uint64_t kMuchLocalBytes = 48 << 10;
constexpr uint32_t kMaxAttentionHeads = 4;  // whose sums an item keeps in registers: eight spill on an Adreno

}  // namespace

Variants::Variants(const DeviceLimits& device, Precision precision)
    : precision_(precision),
      in_turn_(device.is_cpu),
      is_nvidia_(device.vendor_id == kNvidia),
      most_items_(
          static_cast<uint32_t>(std::min<uint64_t>(device.group_items, is_nvidia_ ? kNvidiaMostItems : kMostItems))),
      has_much_local_(device.local_bytes >= kMuchLocalBytes) {}

Core Variants::usual_core(Layout layout, uint32_t columns, uint32_t digits) const {
    const bool has_four_bits = layout == Layout::Q4_0 || layout == Layout::Q4_1 || layout == Layout::Q4_K;
    const bool prefers_floats = (is_nvidia_ && columns * digits > kNvidiaMostIntegers) ||
                                (is_small_gpu() && !has_four_bits && columns * digits > kSmallGpuMostIntegers);
    return has_integer_core(layout) && !prefers_floats ? Core::Integer : Core::Float;
}

ProductChoice Variants::product(const ProductKind& kind, uint32_t columns) const {
    const auto found = choices_.products.find({kind, columns});
    return found != choices_.products.end() ? found->second : usual(kind, columns);
}

ProductChoice Variants::usual(const ProductKind& kind, uint32_t columns) const {
    ProductShape shape = product_shape(kind.rows, columns, kind.ending == Ending::Pairs);
    if (kind.ending == Ending::Logits) {
        const ProductShape one = product_shape(kind.rows, 1, false);
        if (shape.group_pairs() != one.group_pairs()) shape = one;
    }
    return {shape, usual_core(kind.layout, columns, kind.digits), staged_bytes()};
}

std::vector<ProductChoice> Variants::in_other_shapes(const ProductKind& kind, uint32_t columns,
                                                     const ProductChoice& choice) const {
    const uint32_t logit_pairs = usual(kind, columns).shape.group_pairs();
    const uint32_t unit = kind.ending == Ending::Pairs ? kRecordBlock : kRecordBlock / 2;  // outputs in whole blocks
    std::vector<ProductChoice> others;
    for (const uint32_t lanes : kTriedLanes) {
        for (const uint32_t pairs : kTriedPairs) {
            ProductChoice other = choice;
            other.shape.lanes = lanes;
            other.shape.pairs = pairs;
            const uint32_t group_pairs = other.shape.group_pairs();
            if (other == choice || other.shape.items() > most_items_ || columns * pairs > kMostTriedSums) continue;
            if (group_pairs > kMostTriedPairs || group_pairs % unit != 0) continue;
            if (kind.ending == Ending::Logits && group_pairs != logit_pairs) continue;
            others.push_back(other);
        }
    }
    return others;
}

std::vector<ProductChoice> Variants::in_other_ways(const ProductKind& kind, const ProductChoice& choice) const {
    std::vector<ProductChoice> others;
    if (has_integer_core(kind.layout)) {
        others.push_back(choice);
        others.back().core = choice.core == Core::Integer ? Core::Float : Core::Integer;
    }
    if (has_much_local_) {
        others.push_back(choice);
        others.back().staged_bytes = choice.staged_bytes == kStagedBytes ? kNvidiaStagedBytes : kStagedBytes;
    }
    return others;
}

bool Variants::allows(const ProductKind& kind, uint32_t columns, const ProductChoice& choice) const {
    const ProductChoice normal = usual(kind, columns);
    const auto has = [](const std::vector<ProductChoice>& some, const ProductChoice& one) {
        return std::find(some.begin(), some.end(), one) != some.end();
    };
    for (ProductChoice shaped : in_other_shapes(kind, columns, normal)) {
        if (shaped == choice || has(in_other_ways(kind, shaped), choice)) return true;
    }
    return choice == normal || has(in_other_ways(kind, normal), choice);
}

ProductShape Variants::product_shape(uint32_t rows, uint32_t columns, bool one_output_a_pair) const {
    const bool many_rows = rows >= kManyRows && !(is_nvidia_ && one_output_a_pair);
    ProductShape shape;
    shape.lanes = one_output_a_pair || in_turn_ || many_rows || is_small_gpu() ? kRecordBlock : kRecordBlock / 2;
    // Two pairs an item share what a turn of the loop costs beside its products; columns do too, and with more of them
    // the registers would not suffice.
    if (is_small_gpu() && columns < kSomeColumns) {
        shape.lanes = kRecordBlock / 2;
        shape.pairs = 2;
    }
    if (is_nvidia_ && !many_rows && columns >= kManyColumns) shape.pairs = 2;
    const bool many_gates = is_nvidia_ && one_output_a_pair && rows >= kNvidiaManyGates;
    const uint32_t wanted = many_rows ? kFewSlices : many_gates ? kNvidiaGateSlices : slices();
    const uint32_t most_lanes = is_small_gpu() ? kRecordBlock : shape.lanes;  // of any number of columns
    shape.slices = in_turn_ ? 1 : std::min(wanted, most_items_ / most_lanes);
    return shape;
}

uint32_t Variants::slices() const {
    return in_turn_ ? 1 : is_nvidia_ ? kNvidiaSlices : kSlices;
}

uint32_t Variants::spread_rows(const ProductKind& kind, uint32_t columns) const {
    if (!is_nvidia_ || columns != kNvidiaSpreadColumns) return 0;
    const uint32_t groups = kind.rows / 2 / product(kind, kNvidiaSpreadRows).shape.group_pairs();
    const bool is_quick = product(kind, columns).core == Core::Integer;
    return groups < kNvidiaManyGroups || is_quick ? kNvidiaSpreadRows : 0;
}

uint32_t Variants::staged_bytes() const {
    return is_nvidia_ ? kNvidiaStagedBytes : kStagedBytes;
}

uint32_t Variants::attention_items() const {
    return is_nvidia_ ? kNvidiaAttentionItems : kAttentionItems;
}

uint32_t Variants::attention_heads(uint32_t heads_per_kv, uint32_t head_dim, bool has_many_rows) const {
    const auto fills_blocks = [&](uint32_t heads) { return heads * head_dim % kRecordBlock == 0; };
    uint32_t best = 1;
    for (uint32_t heads = 1; heads <= std::min(heads_per_kv, kMaxAttentionHeads); ++heads) {
        if (heads_per_kv % heads != 0) continue;
        // NVIDIA has more multiprocessors than a small model has heads, and a cache for the keys that they share. Many
        // rows have groups enough: a prompt of 512 is read 3 to 6 % faster on an H200.
        if (is_nvidia_ && !has_many_rows && fills_blocks(best)) break;
        if (fills_blocks(heads) || !fills_blocks(best)) best = heads;
    }
    return best;
}

std::string Variants::profile() const {
    std::string images;
    for (const Layout layout : choices_.images) {
        if (has_integer_core(layout)) continue;  // the same bits
        images += base::concat(images.empty() ? ", images " : " ", layout_name(layout));
    }
    return base::concat("packed, ", precision_ == Precision::Fast ? "fast" : "faithful", ", digits ", qkv_digits(), "/",
                        digits(), ", slices ", product_shape(1, 1, false).slices, "/", product_shape(1, 1, true).slices,
                        "/", product_shape(kManyRows, 1, false).slices, "/", product_shape(kManyRows, 1, true).slices,
                        "/", product_shape(kNvidiaManyGates, 1, true).slices, ", attention ", attention_items(),
                        is_nvidia_ ? ", float" : "", images);
}

}  // namespace llmd::compute::gpu
