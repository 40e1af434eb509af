// The autotuner's logic, with kernels that take what the test says: the fastest is picked, never one that fails, and
// the budget holds. And what is remembered of it: every kernel config comes back, and no other text passes for one.
#include "engine/compute/opencl/autotune/autotuner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/compute/opencl/autotune/kernel_config_cache.h"

namespace llmd::test {
namespace {

using namespace compute::gpu;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

const MatmulKind kPlain = {Layout::Q4_0, 768, 768, OutputKind::Rows};
const MatmulKind kPairs = {Layout::Q8_0, 4096, 768, OutputKind::Pairs};
const MatmulKind kLogits = {Layout::Q6_K, 50304, 768, OutputKind::Logits};

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

class FakeTuningBench : public TuningBench {
public:
    TimePoint now() override { return TimePoint() + clock; }
    bool goes_on(uint32_t per_mille) override {
        EXPECT_FALSE(has_given_up) << "went on after it was told not to";
        EXPECT_GE(per_mille, progress);
        EXPECT_LE(per_mille, 1000u);
        progress = per_mille;
        has_given_up = gives_up_after-- == 0;
        return !has_given_up;
    }
    bool admit(const KernelCandidate& candidate) override {
        clock += building;
        asked.push_back(candidate);
        return admits(candidate);
    }
    std::optional<nanoseconds> time(const KernelCandidate& candidate) override {
        EXPECT_TRUE(std::find(asked.begin(), asked.end(), candidate) != asked.end()) << "not admitted";
        clock += timing;
        ++n_timed;
        return takes(candidate);
    }

    std::function<bool(const KernelCandidate&)> admits = [](const KernelCandidate&) { return true; };
    std::function<std::optional<nanoseconds>(const KernelCandidate&)> takes = [](const KernelCandidate&) {
        return nanoseconds(1000);
    };
    milliseconds building{1}, timing{1}, clock{};
    std::vector<KernelCandidate> asked;
    uint32_t n_timed = 0, progress = 0;
    int64_t gives_up_after = -1;
    bool has_given_up = false;
};

constexpr milliseconds kPlenty{1'000'000};

KernelConfigs tuned(FakeTuningBench& bench, const std::set<MatmulKind>& kinds, milliseconds budget = kPlenty,
                    const compute::DeviceLimits& device = small_gpu(), const std::set<Layout>& images = {},
                    const std::set<Layout>& free_images = {}) {
    const KernelChoice kernel_choice(device, compute::Precision::Faithful);
    const auto configs = tune(kernel_choice, {kinds, images, free_images, budget}, bench);
    EXPECT_TRUE(configs);
    return configs.value_or(KernelConfigs());
}

// A kernel takes this long with so many lanes and pairs for one batch row, else a microsecond.
auto fast_shape(uint32_t lanes, uint32_t pairs, nanoseconds time) {
    return [=](const KernelCandidate& c) -> std::optional<nanoseconds> {
        const MatmulShape& shape = c.config.shape;
        return c.batch_rows == 1 && shape.lanes == lanes && shape.pairs == pairs ? time : nanoseconds(1000);
    };
}

TEST(Autotuner, PicksWhatIsFasterForCertain) {
    FakeTuningBench bench;
    bench.takes = fast_shape(32, 1, nanoseconds(900));
    const KernelConfigs configs = tuned(bench, {kPlain});
    ASSERT_EQ(configs.matmuls.size(), 1u);
    const auto& [key, config] = *configs.matmuls.begin();
    EXPECT_EQ(key, std::pair(kPlain, 1u));
    EXPECT_EQ(config.shape.lanes, 32u);
    EXPECT_EQ(config.shape.pairs, 1u);
    EXPECT_EQ(bench.progress > 0, true);
}

TEST(Autotuner, KeepsTheUsualKernelWhereOthersGainLittleOrNothing) {
    FakeTuningBench bench;
    bench.takes = fast_shape(32, 1, nanoseconds(960));
    EXPECT_TRUE(tuned(bench, {kPlain, kPairs, kLogits}).matmuls.empty());
    EXPECT_GT(bench.n_timed, 0u);
}

TEST(Autotuner, FindsAnotherCoreInTheBestShape) {
    FakeTuningBench bench;
    const auto shape = fast_shape(32, 2, nanoseconds(700));
    bench.takes = [&](const KernelCandidate& c) -> std::optional<nanoseconds> {
        return c.config.core == Core::Float ? *shape(c) / 2 : *shape(c);
    };
    const KernelConfigs configs = tuned(bench, {kPlain});
    const KernelConfig& one = configs.matmuls.at({kPlain, 1});
    EXPECT_EQ(one.shape.pairs, 2u);
    EXPECT_EQ(one.core, Core::Float);
    EXPECT_EQ(configs.matmuls.at({kPlain, 8}).core, Core::Float);
}

TEST(Autotuner, NeverPicksAKernelThatFailsHoweverFast) {
    FakeTuningBench bench;
    bench.takes = fast_shape(32, 1, nanoseconds(1));
    bench.admits = [](const KernelCandidate& c) { return c.config.shape.lanes != 32 || c.config.shape.pairs != 1; };
    EXPECT_TRUE(tuned(bench, {kPlain}).matmuls.empty());

    FakeTuningBench later;  // at its third round
    uint32_t rounds = 0;
    const auto shape = fast_shape(32, 1, nanoseconds(1));
    later.takes = [&](const KernelCandidate& c) -> std::optional<nanoseconds> {
        if (*shape(c) == nanoseconds(1) && ++rounds >= 3) return std::nullopt;
        return shape(c);
    };
    EXPECT_TRUE(tuned(later, {kPlain}).matmuls.empty());
    EXPECT_EQ(rounds, 3u);
}

TEST(Autotuner, ComparesWithNothingWhereTheUsualKernelFails) {
    FakeTuningBench bench;
    const KernelChoice kernel_choice(small_gpu(), compute::Precision::Faithful);
    bench.takes = fast_shape(32, 1, nanoseconds(1));
    bench.admits = [&](const KernelCandidate& c) { return c.config != kernel_choice.usual(c.kind, c.batch_rows); };
    EXPECT_TRUE(tuned(bench, {kPlain}).matmuls.empty());
}

TEST(Autotuner, TakesTheBestOfSeveralRounds) {
    FakeTuningBench bench;
    uint32_t n = 0;
    const auto shape = fast_shape(32, 1, nanoseconds(800));
    bench.takes = [&](const KernelCandidate& c) -> std::optional<nanoseconds> {
        // Something else runs most of the time, and never as long.
        return *shape(c) + (++n % 3 == 0 ? nanoseconds(0) : nanoseconds(37 * n % 300));
    };
    const KernelConfigs configs = tuned(bench, {kPlain});
    ASSERT_TRUE(configs.matmuls.contains({kPlain, 1}));
    EXPECT_EQ(configs.matmuls.at({kPlain, 1}).shape.lanes, 32u);
}

TEST(Autotuner, WastesNoRoundsOnTheHopeless) {
    FakeTuningBench bench, even;
    bench.takes = [](const KernelCandidate& c) {
        return nanoseconds(c.config.shape == MatmulShape{16, 2, 8} ? 1000 : 2000);  // mostly the table's
    };
    tuned(bench, {kPlain});
    tuned(even, {kPlain});
    EXPECT_EQ(bench.asked.size(), even.asked.size());
    EXPECT_LT(bench.n_timed, even.n_timed * 2 / 3);
}

TEST(Autotuner, StaysInItsBudget) {
    for (const milliseconds slow : {milliseconds(1), milliseconds(70), milliseconds(900), milliseconds(20'000)}) {
        FakeTuningBench bench;
        bench.building = bench.timing = slow;
        bench.takes = fast_shape(32, 1, nanoseconds(500));
        const KernelConfigs configs = tuned(bench, {kPlain, kPairs, kLogits}, compute::kTuningBudget);
        EXPECT_LT(bench.clock, compute::kTuningBudget + slow + milliseconds(1)) << slow.count();
        // Earlier decisions count.
        EXPECT_EQ(configs.matmuls.contains({kPlain, 1}), slow < milliseconds(200)) << slow.count();
    }
    FakeTuningBench bench;
    EXPECT_TRUE(tuned(bench, {kPlain}, milliseconds(0)).matmuls.empty());
    EXPECT_TRUE(bench.asked.empty());
}

TEST(Autotuner, GivesUpWhenTold) {
    for (const int64_t gives_up_after : {0, 1, 5, 20}) {
        FakeTuningBench bench;
        bench.gives_up_after = gives_up_after;
        const KernelChoice kernel_choice(small_gpu(), compute::Precision::Faithful);
        EXPECT_FALSE(tune(kernel_choice, {{kPlain, kPairs}, {}, {}, kPlenty}, bench));
    }
}

// Whatever is fastest, it gives the same bits.
TEST(Autotuner, AsksForNothingThatChangesASum) {
    for (const auto& device : {small_gpu(), nvidia(), nvidia_with_dot(), host_cpu()}) {
        for (const uint32_t value_bytes : {1u, 2u}) {
            const KernelChoice kernel_choice(device, compute::Precision::Fast);
            const auto of_value_bytes = [value_bytes](MatmulKind kind) {
                kind.value_bytes = value_bytes;
                return kind;
            };
            const std::set<MatmulKind> kinds = {of_value_bytes(kPlain), of_value_bytes(kPairs),
                                                of_value_bytes(kLogits)};
            FakeTuningBench bench;
            bench.takes = [&](const KernelCandidate& c) {
                return nanoseconds(c.config == kernel_choice.usual(c.kind, c.batch_rows) ? 1000 : 500);
            };
            const auto configs = tune(kernel_choice, {kinds, {}, {}, kPlenty}, bench);
            ASSERT_TRUE(configs);
            EXPECT_GE(configs->matmuls.size(), device.is_cpu ? 6u : 8u);  // with two counts of batch rows, or four
            for (const KernelCandidate& c : bench.asked) {
                const KernelConfig usual = kernel_choice.usual(c.kind, c.batch_rows);
                const MatmulShape& shape = c.config.shape;
                EXPECT_EQ(shape.k_splits, kernel_choice.usual(c.kind, 1).shape.k_splits);
                EXPECT_TRUE(kernel_choice.allows(c.kind, c.batch_rows, c.config));
                EXPECT_TRUE(has_integer_core(c.kind.layout) || c.config.core == usual.core);
                EXPECT_FALSE(c.image);
                if (c.kind.output_kind == OutputKind::Logits) {
                    EXPECT_EQ(shape.group_pairs(), kernel_choice.usual(c.kind, 1).shape.group_pairs());
                }
                const uint32_t outputs = shape.group_pairs() * (c.kind.output_kind == OutputKind::Pairs ? 1 : 2);
                EXPECT_EQ(outputs % 32, 0u);
                EXPECT_LE(shape.items(), device.vendor_id == 0x10de ? 512u : 256u);
            }
        }
    }
}

// Eight rows go to two groups of four batch rows each, unless the groups of eight would be many, as measured.
TEST(KernelConfig, SpreadsEightRowsOverMoreGroupsWhereThereAreFew) {
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
TEST(KernelConfig, MultipliesTwoColumnsAtOnceWhereTheDeviceCan) {
    const KernelChoice with(nvidia_with_dot(), compute::Precision::Faithful),
        without(nvidia(), compute::Precision::Faithful);
    for (const uint32_t batch_rows : kBatchRowCounts) {
        for (const Layout layout : {Layout::Q4_0, Layout::Q6_K, Layout::Q8_0}) {
            EXPECT_EQ(with.usual({layout, 2048, 2048}, batch_rows).core, Core::Dot);
            EXPECT_NE(without.usual({layout, 2048, 2048}, batch_rows).core, Core::Dot);
        }
        const MatmulKind q8 = {Layout::Q8_0, 2048, 2048};
        for (const KernelConfig& other : with.in_other_ways(q8, with.usual(q8, batch_rows))) {
            EXPECT_EQ(other.core, Core::Dot);
        }
        EXPECT_EQ(with.usual({Layout::F16, 2048, 2048}, batch_rows).core, Core::Float);
    }
    EXPECT_NE(with.fingerprint(), without.fingerprint());
}

TEST(KernelConfig, SharesKeysAmongHeadsWhereGroupsAreMany) {
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

TEST(Autotuner, ReadsALayoutAsItIsFastest) {
    for (const bool image_is_faster : {true, false}) {
        FakeTuningBench bench;
        bench.takes = [=](const KernelCandidate& c) { return nanoseconds(c.image == image_is_faster ? 500 : 1000); };
        const KernelConfigs configs = tuned(bench, {kPlain, kLogits, kPairs}, kPlenty, small_gpu(),
                                            {Layout::Q6_K, Layout::Q8_0}, {Layout::Q4_0, Layout::Q6_K});
        EXPECT_EQ(configs.images,
                  image_is_faster ? (std::set{Layout::Q4_0, Layout::Q6_K, Layout::Q8_0}) : std::set{Layout::Q8_0});
        for (const KernelCandidate& c : bench.asked) {
            EXPECT_TRUE(c.image || c.kind.layout != Layout::Q8_0);
        }
    }
}

const std::set<MatmulKind> kKinds = {kPlain, kPairs, kLogits};
const std::set<Layout> kUsualImages = {Layout::Q6_K, Layout::Q8_0}, kFreeImages = {Layout::Q4_0, Layout::Q6_K};

std::optional<Outcome> read(std::string_view text, const compute::DeviceLimits& device = small_gpu(),
                            const std::set<MatmulKind>& kinds = kKinds) {
    const KernelChoice kernel_choice(device, compute::Precision::Faithful);
    return outcome_from_text(text, kernel_choice, kinds, kUsualImages, kFreeImages);
}

Outcome some_outcome() {
    const KernelChoice kernel_choice(small_gpu(), compute::Precision::Faithful);
    Outcome outcome{true, {.images = {Layout::Q4_0, Layout::Q8_0}}};
    for (const MatmulKind& kind : kKinds) {
        for (const uint32_t batch_rows : kBatchRowCounts) {
            const auto others = kernel_choice.in_other_shapes(kind, batch_rows, kernel_choice.usual(kind, batch_rows));
            if (!others.empty()) outcome.configs.matmuls[{kind, batch_rows}] = others.back();
            for (const auto& other : kernel_choice.in_other_ways(kind, kernel_choice.usual(kind, batch_rows))) {
                if (batch_rows == 2) outcome.configs.matmuls[{kind, batch_rows}] = other;
            }
        }
    }
    return outcome;
}

TEST(KernelConfigCache, ComesBack) {
    EXPECT_GE(some_outcome().configs.matmuls.size(), 9u);
    for (const Outcome& outcome :
         {some_outcome(), Outcome{false, {.images = kUsualImages}}, Outcome{true, {.images = kUsualImages}}}) {
        EXPECT_EQ(read(to_text(outcome)), outcome) << to_text(outcome);
    }
}

TEST(KernelConfigCache, IsNotReadFromAnythingElse) {
    const std::string text = to_text(some_outcome());
    for (size_t length = 0; length < text.size(); ++length) EXPECT_FALSE(read(text.substr(0, length))) << length;
    for (const std::string& other :
         {text + "end\n", text + " ", "x" + text, std::string(100, '\0'), std::string("passed\nimage Q5_9\nend\n"),
          std::string("tuned\nimage Q6_K\nend\n"),   // Q8_0 by pointers: other sums
          std::string("passed\nimage Q8_0\nend\n"),  // tuned, or not?
          std::string(
              "tuned\nimage Q6_K\nimage Q8_0\nmatmul Q4_0 768 768 0 2 1 16 2 4 0 8192\nend\n"),  // other K splits
          std::string(
              "tuned\nimage Q6_K\nimage Q8_0\nmatmul Q4_0 768 768 0 2 3 16 2 8 0 8192\nend\n"),  // three batch rows
          std::string("tuned\nimage Q6_K\nimage Q8_0\nmatmul Q4_0 768 768 0 1 1 32 1 8 0 8192\nend\n"),  // 8 bits
          std::string("tuned\nimage Q6_K\nimage Q8_0\nmatmul Q4_0 768 768 9 2 1 16 2 8 0 8192\nend\n"),
          std::string("tuned\nimage Q6_K\nimage Q8_0\nmatmul Q4_0 768 768 0 2 1 0 2 8 0 8192\nend\n"),
          std::string("tuned\nimage Q6_K\nimage Q8_0\nmatmul Q4_0 768 768 0 2 1 16 2 8 0 99999999\nend\n"),
          std::string("tuned\nimage Q6_K\nimage Q8_0\nmatmul Q4_0 768 99999999999999 0 2 1 16 2 8 0 8192\nend\n")}) {
        EXPECT_FALSE(read(other)) << other;
    }
    EXPECT_TRUE(read("tuned\nimage Q6_K\nimage Q8_0\nmatmul Q4_0 768 768 0 2 1 32 1 8 0 8192\nend\n"));
    // The text is refused for another device and for another model.
    EXPECT_FALSE(read(text, nvidia()));
    EXPECT_FALSE(read(text, small_gpu(), {kPlain}));
}

}  // namespace
}  // namespace llmd::test
