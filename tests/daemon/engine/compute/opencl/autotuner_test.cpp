// The tuner's logic with kernels that take what the test says: the fastest is picked, never one that fails, and the
// budget holds. And what is remembered of it: every choice comes back, and no other text passes for one.
#include "engine/compute/opencl/autotune/autotuner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/compute/opencl/autotune/kernel_config_cache.h"

namespace llmd::test {
namespace {

using namespace compute::gpu;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

const ProductKind kPlain = {Layout::Q4_0, 768, 768, Ending::Rows};
const ProductKind kPairs = {Layout::Q8_0, 4096, 768, Ending::Pairs};
const ProductKind kLogits = {Layout::Q6_K, 50304, 768, Ending::Logits};

compute::DeviceLimits small_gpu() {
    return {.local_bytes = 32 * 1024, .group_items = 1024, .vendor_id = 0x5143};
}
compute::DeviceLimits nvidia() {
    return {.local_bytes = 48 * 1024, .group_items = 1024, .vendor_id = 0x10de};
}
compute::DeviceLimits in_turn() {
    return {.local_bytes = 32 * 1024, .group_items = 1024, .is_cpu = true};
}

class FakeContest : public Contest {
public:
    TimePoint now() override { return TimePoint() + clock; }
    bool goes_on(uint32_t per_mille) override {
        EXPECT_FALSE(has_given_up) << "went on after it was told not to";
        EXPECT_GE(per_mille, progress);
        EXPECT_LE(per_mille, 1000u);
        progress = per_mille;
        has_given_up = patience-- == 0;
        return !has_given_up;
    }
    bool admit(const Contender& contender) override {
        clock += building;
        asked.push_back(contender);
        return admits(contender);
    }
    std::optional<nanoseconds> time(const Contender& contender) override {
        EXPECT_TRUE(std::find(asked.begin(), asked.end(), contender) != asked.end()) << "not admitted";
        clock += timing;
        ++n_timed;
        return takes(contender);
    }

    std::function<bool(const Contender&)> admits = [](const Contender&) { return true; };
    std::function<std::optional<nanoseconds>(const Contender&)> takes = [](const Contender&) {
        return nanoseconds(1000);
    };
    milliseconds building{1}, timing{1}, clock{};
    std::vector<Contender> asked;
    uint32_t n_timed = 0, progress = 0;
    int64_t patience = -1;
    bool has_given_up = false;
};

constexpr milliseconds kPlenty{1'000'000};

Choices tuned(FakeContest& contest, const std::set<ProductKind>& kinds, milliseconds budget = kPlenty,
              const compute::DeviceLimits& device = small_gpu(), const std::set<Layout>& images = {},
              const std::set<Layout>& free_images = {}) {
    const Variants variants(device, compute::Precision::Faithful);
    const auto choices = tune(variants, {kinds, images, free_images, budget}, contest);
    EXPECT_TRUE(choices);
    return choices.value_or(Choices());
}

// Takes this long with so many lanes and pairs for one column, else a microsecond.
auto fast_shape(uint32_t lanes, uint32_t pairs, nanoseconds time) {
    return [=](const Contender& c) -> std::optional<nanoseconds> {
        const ProductShape& shape = c.choice.shape;
        return c.columns == 1 && shape.lanes == lanes && shape.pairs == pairs ? time : nanoseconds(1000);
    };
}

TEST(Autotuner, PicksWhatIsFasterForCertain) {
    FakeContest contest;
    contest.takes = fast_shape(32, 1, nanoseconds(900));
    const Choices choices = tuned(contest, {kPlain});
    ASSERT_EQ(choices.products.size(), 1u);
    const auto& [key, choice] = *choices.products.begin();
    EXPECT_EQ(key, std::pair(kPlain, 1u));
    EXPECT_EQ(choice.shape.lanes, 32u);
    EXPECT_EQ(choice.shape.pairs, 1u);
    EXPECT_EQ(contest.progress > 0, true);
}

TEST(Autotuner, KeepsTheUsualKernelWhereOthersGainLittleOrNothing) {
    FakeContest contest;
    contest.takes = fast_shape(32, 1, nanoseconds(960));
    EXPECT_TRUE(tuned(contest, {kPlain, kPairs, kLogits}).products.empty());
    EXPECT_GT(contest.n_timed, 0u);
}

TEST(Autotuner, FindsAnotherCoreInTheBestShape) {
    FakeContest contest;
    const auto shape = fast_shape(32, 2, nanoseconds(700));
    contest.takes = [&](const Contender& c) -> std::optional<nanoseconds> {
        return c.choice.core == Core::Float ? *shape(c) / 2 : *shape(c);
    };
    const Choices choices = tuned(contest, {kPlain});
    const ProductChoice& one = choices.products.at({kPlain, 1});
    EXPECT_EQ(one.shape.pairs, 2u);
    EXPECT_EQ(one.core, Core::Float);
    EXPECT_EQ(choices.products.at({kPlain, 8}).core, Core::Float);
}

TEST(Autotuner, NeverPicksAKernelThatFailsHoweverFast) {
    FakeContest contest;
    contest.takes = fast_shape(32, 1, nanoseconds(1));
    contest.admits = [](const Contender& c) { return c.choice.shape.lanes != 32 || c.choice.shape.pairs != 1; };
    EXPECT_TRUE(tuned(contest, {kPlain}).products.empty());

    FakeContest later;  // at its third round
    uint32_t rounds = 0;
    const auto shape = fast_shape(32, 1, nanoseconds(1));
    later.takes = [&](const Contender& c) -> std::optional<nanoseconds> {
        if (*shape(c) == nanoseconds(1) && ++rounds >= 3) return std::nullopt;
        return shape(c);
    };
    EXPECT_TRUE(tuned(later, {kPlain}).products.empty());
    EXPECT_EQ(rounds, 3u);
}

TEST(Autotuner, ComparesWithNothingWhereTheUsualKernelFails) {
    FakeContest contest;
    const Variants variants(small_gpu(), compute::Precision::Faithful);
    contest.takes = fast_shape(32, 1, nanoseconds(1));
    contest.admits = [&](const Contender& c) { return c.choice != variants.usual(c.kind, c.columns); };
    EXPECT_TRUE(tuned(contest, {kPlain}).products.empty());
}

TEST(Autotuner, TakesTheBestOfSeveralRounds) {
    FakeContest contest;
    uint32_t n = 0;
    const auto shape = fast_shape(32, 1, nanoseconds(800));
    contest.takes = [&](const Contender& c) -> std::optional<nanoseconds> {
        // Something else runs most of the time, and never as long.
        return *shape(c) + (++n % 3 == 0 ? nanoseconds(0) : nanoseconds(37 * n % 300));
    };
    const Choices choices = tuned(contest, {kPlain});
    ASSERT_TRUE(choices.products.contains({kPlain, 1}));
    EXPECT_EQ(choices.products.at({kPlain, 1}).shape.lanes, 32u);
}

TEST(Autotuner, WastesNoRoundsOnTheHopeless) {
    FakeContest contest, even;
    contest.takes = [](const Contender& c) {
        return nanoseconds(c.choice.shape == ProductShape{16, 2, 8} ? 1000 : 2000);  // mostly the table's
    };
    tuned(contest, {kPlain});
    tuned(even, {kPlain});
    EXPECT_EQ(contest.asked.size(), even.asked.size());
    EXPECT_LT(contest.n_timed, even.n_timed * 2 / 3);
}

TEST(Autotuner, StaysInItsBudget) {
    for (const milliseconds slow : {milliseconds(1), milliseconds(70), milliseconds(900), milliseconds(20'000)}) {
        FakeContest contest;
        contest.building = contest.timing = slow;
        contest.takes = fast_shape(32, 1, nanoseconds(500));
        const Choices choices = tuned(contest, {kPlain, kPairs, kLogits}, compute::kTuningBudget);
        EXPECT_LT(contest.clock, compute::kTuningBudget + slow + milliseconds(1)) << slow.count();
        // What was decided before counts.
        EXPECT_EQ(choices.products.contains({kPlain, 1}), slow < milliseconds(200)) << slow.count();
    }
    FakeContest contest;
    EXPECT_TRUE(tuned(contest, {kPlain}, milliseconds(0)).products.empty());
    EXPECT_TRUE(contest.asked.empty());
}

TEST(Autotuner, GivesUpWhenTold) {
    for (const int64_t patience : {0, 1, 5, 20}) {
        FakeContest contest;
        contest.patience = patience;
        const Variants variants(small_gpu(), compute::Precision::Faithful);
        EXPECT_FALSE(tune(variants, {{kPlain, kPairs}, {}, {}, kPlenty}, contest));
    }
}

// Whatever is fastest, it gives the same bits.
TEST(Autotuner, AsksForNothingThatChangesASum) {
    for (const auto& device : {small_gpu(), nvidia(), in_turn()}) {
        for (const uint32_t digits : {1u, 2u}) {
            const Variants variants(device, compute::Precision::Fast);
            const auto of_digits = [digits](ProductKind kind) {
                kind.digits = digits;
                return kind;
            };
            const std::set<ProductKind> kinds = {of_digits(kPlain), of_digits(kPairs), of_digits(kLogits)};
            FakeContest contest;
            contest.takes = [&](const Contender& c) {
                return nanoseconds(c.choice == variants.usual(c.kind, c.columns) ? 1000 : 500);
            };
            const auto choices = tune(variants, {kinds, {}, {}, kPlenty}, contest);
            ASSERT_TRUE(choices);
            EXPECT_GE(choices->products.size(), 8u);
            for (const Contender& c : contest.asked) {
                const ProductChoice usual = variants.usual(c.kind, c.columns);
                const ProductShape& shape = c.choice.shape;
                EXPECT_EQ(shape.slices, variants.usual(c.kind, 1).shape.slices);
                EXPECT_TRUE(variants.allows(c.kind, c.columns, c.choice));
                EXPECT_TRUE(has_integer_core(c.kind.layout) || c.choice.core == usual.core);
                EXPECT_FALSE(c.image);
                if (c.kind.ending == Ending::Logits) {
                    EXPECT_EQ(shape.group_pairs(), variants.usual(c.kind, 1).shape.group_pairs());
                }
                const uint32_t outputs = shape.group_pairs() * (c.kind.ending == Ending::Pairs ? 1 : 2);
                EXPECT_EQ(outputs % 32, 0u);
                EXPECT_LE(shape.items(), device.vendor_id == 0x10de ? 512u : 256u);
            }
        }
    }
}

// Eight rows go to two groups of four columns each, unless the groups of eight would be many, as measured.
TEST(KernelConfig, SpreadsEightRowsOverMoreGroupsWhereThereAreFew) {
    const ProductKind down = {Layout::Q4_0, 2048, 5632, Ending::Rows},
                      gates = {Layout::Q4_0, 11264, 2048, Ending::Pairs};
    const ProductKind gates_of_8_bits = {gates.layout, gates.rows, gates.cols, gates.ending, 1};
    const Variants large(nvidia(), compute::Precision::Fast);
    EXPECT_EQ(large.spread_rows(down, 4), 8u);
    EXPECT_EQ(large.spread_rows(down, 2), 0u);
    EXPECT_EQ(large.spread_rows(gates, 4), 0u);
    EXPECT_EQ(large.spread_rows(gates_of_8_bits, 4), 8u);
    EXPECT_EQ(Variants(small_gpu(), compute::Precision::Faithful).spread_rows(down, 4), 0u);
}

TEST(KernelConfig, SharesKeysAmongHeadsWhereGroupsAreMany) {
    const Variants large(nvidia(), compute::Precision::Faithful), small(small_gpu(), compute::Precision::Faithful);
    EXPECT_EQ(large.attention_heads(8, 64, false), 1u);
    EXPECT_EQ(large.attention_heads(8, 64, true), 4u);
    EXPECT_EQ(large.attention_heads(3, 64, true), 3u);
    EXPECT_EQ(large.attention_heads(1, 64, true), 1u);
    EXPECT_EQ(small.attention_heads(8, 64, false), 4u);
    EXPECT_EQ(small.attention_heads(8, 64, true), 4u);
}

TEST(Autotuner, ReadsALayoutAsItIsFastest) {
    for (const bool image_is_faster : {true, false}) {
        FakeContest contest;
        contest.takes = [=](const Contender& c) { return nanoseconds(c.image == image_is_faster ? 500 : 1000); };
        const Choices choices = tuned(contest, {kPlain, kLogits, kPairs}, kPlenty, small_gpu(),
                                      {Layout::Q6_K, Layout::Q8_0}, {Layout::Q4_0, Layout::Q6_K});
        EXPECT_EQ(choices.images,
                  image_is_faster ? (std::set{Layout::Q4_0, Layout::Q6_K, Layout::Q8_0}) : std::set{Layout::Q8_0});
        for (const Contender& c : contest.asked) {
            EXPECT_TRUE(c.image || c.kind.layout != Layout::Q8_0);
        }
    }
}

const std::set<ProductKind> kKinds = {kPlain, kPairs, kLogits};
const std::set<Layout> kUsualImages = {Layout::Q6_K, Layout::Q8_0}, kFreeImages = {Layout::Q4_0, Layout::Q6_K};

std::optional<Outcome> read(std::string_view text, const compute::DeviceLimits& device = small_gpu(),
                            const std::set<ProductKind>& kinds = kKinds) {
    const Variants variants(device, compute::Precision::Faithful);
    return outcome_from_text(text, variants, kinds, kUsualImages, kFreeImages);
}

Outcome some_outcome() {
    const Variants variants(small_gpu(), compute::Precision::Faithful);
    Outcome outcome{true, {.images = {Layout::Q4_0, Layout::Q8_0}}};
    for (const ProductKind& kind : kKinds) {
        for (const uint32_t columns : kColumnCounts) {
            const auto others = variants.in_other_shapes(kind, columns, variants.usual(kind, columns));
            if (!others.empty()) outcome.choices.products[{kind, columns}] = others.back();
            for (const auto& other : variants.in_other_ways(kind, variants.usual(kind, columns))) {
                if (columns == 2) outcome.choices.products[{kind, columns}] = other;
            }
        }
    }
    return outcome;
}

TEST(KernelConfigCache, ComesBack) {
    EXPECT_GE(some_outcome().choices.products.size(), 9u);
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
              "tuned\nimage Q6_K\nimage Q8_0\nproduct Q4_0 768 768 0 2 1 16 2 4 0 8192\nend\n"),  // other slices
          std::string(
              "tuned\nimage Q6_K\nimage Q8_0\nproduct Q4_0 768 768 0 2 3 16 2 8 0 8192\nend\n"),  // three columns
          std::string("tuned\nimage Q6_K\nimage Q8_0\nproduct Q4_0 768 768 0 1 1 32 1 8 0 8192\nend\n"),  // 8 bits
          std::string("tuned\nimage Q6_K\nimage Q8_0\nproduct Q4_0 768 768 9 2 1 16 2 8 0 8192\nend\n"),
          std::string("tuned\nimage Q6_K\nimage Q8_0\nproduct Q4_0 768 768 0 2 1 0 2 8 0 8192\nend\n"),
          std::string("tuned\nimage Q6_K\nimage Q8_0\nproduct Q4_0 768 768 0 2 1 16 2 8 0 99999999\nend\n"),
          std::string("tuned\nimage Q6_K\nimage Q8_0\nproduct Q4_0 768 99999999999999 0 2 1 16 2 8 0 8192\nend\n")}) {
        EXPECT_FALSE(read(other)) << other;
    }
    EXPECT_TRUE(read("tuned\nimage Q6_K\nimage Q8_0\nproduct Q4_0 768 768 0 2 1 32 1 8 0 8192\nend\n"));
    // Of another device, of another model.
    EXPECT_FALSE(read(text, nvidia()));
    EXPECT_FALSE(read(text, small_gpu(), {kPlain}));
}

}  // namespace
}  // namespace llmd::test
