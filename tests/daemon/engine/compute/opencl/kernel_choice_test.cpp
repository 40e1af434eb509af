// The table of kernels: what a device of each kind gets, as measured.
#include "engine/compute/opencl/gpu/kernel_choice.h"

#include <gtest/gtest.h>

#include <utility>

namespace llmd::test {
namespace {

using namespace compute::gpu;

compute::DeviceLimits small_gpu() {
    return {.local_bytes = 32 * 1024, .group_items = 1024, .vendor_id = 0x5143};
}
compute::DeviceLimits nvidia() {
    return {.local_bytes = 48 * 1024, .group_items = 1024, .vendor_id = 0x10de};
}
compute::DeviceLimits nvidia_with_dot() {
    return {.local_bytes = 48 * 1024, .group_items = 1024, .has_dot = true, .vendor_id = 0x10de};
}
compute::DeviceLimits host_cpu() {
    return {.local_bytes = 32 * 1024, .group_items = 1024, .is_cpu = true};
}

// A batch is a sum of the same order in each of its rows: K splits do not depend on their number. A group of logits has
// as many pairs for any number, since the number of groups is fixed before; other groups fill whole blocks.
TEST(KernelChoice, ComputesARowTheSameWayInAnyCompany) {
    const MatmulKind kinds[] = {{Layout::Q4_0, 768, 768, OutputKind::Rows},
                                {Layout::Q8_0, 4096, 768, OutputKind::Pairs},
                                {Layout::Q6_K, 50304, 768, OutputKind::Logits},
                                {Layout::Q4_K, 22528, 4096, OutputKind::Pairs}};
    for (const auto& device : {small_gpu(), nvidia(), nvidia_with_dot(), host_cpu()}) {
        for (const auto precision : {compute::Precision::Faithful, compute::Precision::Fast}) {
            const KernelChoice kernel_choice(device, precision);
            for (const MatmulKind& kind : kinds) {
                const MatmulShape alone = kernel_choice.matmul(kind, 1).shape;
                for (const uint32_t batch_rows : kBatchRowCounts) {
                    const KernelConfig config = kernel_choice.matmul(kind, batch_rows);
                    EXPECT_EQ(config.shape.k_splits, alone.k_splits);
                    EXPECT_LE(config.shape.items(), device.vendor_id == 0x10de ? 512u : 256u);
                    EXPECT_TRUE(has_integer_core(kind.layout) || config.core == kernel_choice.matmul(kind, 1).core);
                    const uint32_t outputs =
                        config.shape.group_pairs() * (kind.output_kind == OutputKind::Pairs ? 1 : 2);
                    EXPECT_EQ(outputs % 32, 0u);
                    if (kind.output_kind == OutputKind::Logits) {
                        EXPECT_EQ(config.shape.group_pairs(), alone.group_pairs());
                    }
                }
            }
        }
    }
}

// Eight rows go to two groups of four batch rows each, unless the groups of eight would be many, as measured.
TEST(KernelChoice, SpreadsEightRowsOverMoreGroupsWhereThereAreFew) {
    const MatmulKind down = {Layout::Q4_0, 2048, 5632, OutputKind::Rows},
                     gates = {Layout::Q4_0, 11264, 2048, OutputKind::Pairs};
    const MatmulKind gates_of_8_bits = {gates.layout, gates.rows, gates.cols, gates.output_kind, 1};
    const KernelChoice large(nvidia(), compute::Precision::Fast);
    EXPECT_EQ(large.spread_rows(down, 4), 8u);
    EXPECT_EQ(large.spread_rows(down, 2), 0u);
    EXPECT_EQ(large.spread_rows(gates, 4), 0u);
    EXPECT_EQ(large.spread_rows(gates_of_8_bits, 4), 8u);
    EXPECT_EQ(KernelChoice(small_gpu(), compute::Precision::Faithful).spread_rows(down, 4), 0u);
}

// Q8_0's sums as integers are not those as floats: all its kernels have the one core, and the fingerprint says which.
TEST(KernelChoice, MultipliesTwoColumnsAtOnceWhereTheDeviceCan) {
    const KernelChoice with(nvidia_with_dot(), compute::Precision::Faithful),
        without(nvidia(), compute::Precision::Faithful);
    for (const uint32_t batch_rows : kBatchRowCounts) {
        for (const Layout layout : {Layout::Q4_0, Layout::Q6_K, Layout::Q8_0}) {
            EXPECT_EQ(with.matmul({layout, 2048, 2048}, batch_rows).core, Core::Dot);
            EXPECT_NE(without.matmul({layout, 2048, 2048}, batch_rows).core, Core::Dot);
        }
        EXPECT_EQ(with.matmul({Layout::F16, 2048, 2048}, batch_rows).core, Core::Float);
    }
    EXPECT_NE(with.fingerprint(), without.fingerprint());
}

TEST(KernelChoice, SharesKeysAmongHeadsWhereGroupsAreMany) {
    const KernelChoice large(nvidia(), compute::Precision::Faithful), small(small_gpu(), compute::Precision::Faithful);
    const auto heads = [](const KernelChoice& kernel_choice, const model::LayerSpec& layer) {
        return std::pair(kernel_choice.attention_heads(layer, false), kernel_choice.attention_heads(layer, true));
    };
    using Pair = std::pair<uint32_t, uint32_t>;
    EXPECT_EQ(heads(large, {.n_heads = 32, .n_kv_heads = 4, .head_dim = 64}), Pair(1, 4));
    EXPECT_EQ(heads(large, {.n_heads = 9, .n_kv_heads = 3, .head_dim = 64}), Pair(1, 3));
    EXPECT_EQ(heads(large, {.n_heads = 12, .n_kv_heads = 12, .head_dim = 64}), Pair(1, 1));
    EXPECT_EQ(heads(small, {.n_heads = 32, .n_kv_heads = 4, .head_dim = 64}), Pair(4, 4));
    EXPECT_EQ(heads(small, {.n_heads = 9, .n_kv_heads = 3, .head_dim = 64}), Pair(3, 3));
    EXPECT_EQ(heads(small, {.n_heads = 4, .n_kv_heads = 2, .head_dim = 64}), Pair(1, 2)) << "two groups are few";
    EXPECT_EQ(heads(small, {.n_heads = 16, .n_kv_heads = 4, .head_dim = 128}), Pair(2, 2)) << "SmolLM3 3B";
    EXPECT_EQ(heads(small, {.n_heads = 4, .n_kv_heads = 1, .head_dim = 256}), Pair(1, 1)) << "Gemma 3 1B";
    EXPECT_EQ(heads(large, {.n_heads = 4, .n_kv_heads = 1, .head_dim = 256}), Pair(1, 2));
}

}  // namespace
}  // namespace llmd::test
