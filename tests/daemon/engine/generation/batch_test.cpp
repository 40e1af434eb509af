#include "engine/generation/batch.h"

#include <gtest/gtest.h>

#include "fake_model.h"

namespace llmd::generation {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

class PlanBatch : public testing::Test {
protected:
    Sequence make(uint64_t id, size_t n_prompt, uint32_t slot) {
        GenerationRequest request;
        request.id = id;
        request.prompt = std::string(n_prompt, 'a');
        request.max_tokens = 10;
        auto sequence = Sequence::create(request, tokenizer_, {.n_ctx = 100, .n_vocab = 257});
        EXPECT_TRUE(sequence);
        sequence->slot = slot;
        return std::move(*sequence);
    }
    Sequence make_decoding(uint64_t id, size_t n_prompt, uint32_t slot) {
        Sequence sequence = make(id, n_prompt, slot);
        sequence.schedule(sequence.n_pending(), true);
        sequence.arrive(sequence.n_scheduled(), true);
        EXPECT_TRUE(sequence.accept('x'));
        return sequence;
    }

    test::ByteTokenizer tokenizer_;
    Batch batch_;
};

TEST_F(PlanBatch, DecodingRowsComeFirstAndOnlyLastRowsWantOutput) {
    Sequence prefilling = make(1, 5, 0);
    Sequence decoding = make_decoding(2, 7, 1);
    const std::vector<Sequence*> all = {&prefilling, &decoding};
    plan_batch(all, 8, batch_);
    ASSERT_EQ(batch_.rows.size(), 6u);
    EXPECT_EQ(batch_.rows[0].slot, 1u);
    EXPECT_EQ(batch_.rows[0].position, 7u);
    EXPECT_EQ(batch_.rows[0].token, 'x');
    EXPECT_TRUE(batch_.rows[0].wants_output);
    for (uint32_t i = 0; i < 5; ++i) {
        EXPECT_EQ(batch_.rows[1 + i].position, i);
        EXPECT_EQ(batch_.rows[1 + i].wants_output, i == 4);
    }
    EXPECT_EQ(batch_.n_prefill_rows, 5u);
}

TEST_F(PlanBatch, PrefillIsCutIntoChunks) {
    Sequence sequence = make(1, 10, 0);
    const std::vector<Sequence*> all = {&sequence};
    std::vector<uint32_t> sizes;
    while (sequence.n_pending() > 0) {
        plan_batch(all, 4, batch_);
        ASSERT_EQ(batch_.parts.size(), 1u);
        sizes.push_back(batch_.parts[0].n_rows);
        EXPECT_EQ(batch_.parts[0].n_outputs > 0, sizes.size() == 3);
        EXPECT_EQ(batch_.rows.back().wants_output, sizes.size() == 3);
        sequence.schedule(batch_.parts[0].n_rows, false);
    }
    EXPECT_EQ(sizes, (std::vector<uint32_t>{4, 4, 2}));
}

TEST_F(PlanBatch, PrefillingSequencesShareTheRowsInTurn) {
    Sequence first = make(1, 5, 0);
    Sequence second = make(2, 5, 1);
    Sequence third = make(3, 5, 2);
    const std::vector<Sequence*> all = {&first, &second, &third};
    plan_batch(all, 7, batch_);
    ASSERT_EQ(batch_.parts.size(), 2u);
    EXPECT_EQ(batch_.parts[0].n_rows, 5u);
    EXPECT_EQ(batch_.parts[1].n_rows, 2u);
    EXPECT_EQ(batch_.parts[1].n_outputs, 0u);
}

// Tokens that nothing was sampled for lie behind the last one: they take what others' prefill would, and leave the
// rest.
TEST_F(PlanBatch, ADecodingSequenceCatchesUp) {
    Sequence prefilling = make(1, 9, 0);
    Sequence decoding = make_decoding(2, 7, 1);
    for (const char c : {'y', 'z', 'w'}) ASSERT_TRUE(decoding.accept(c));
    const std::vector<Sequence*> all = {&prefilling, &decoding};
    plan_batch(all, 2, batch_);
    ASSERT_EQ(batch_.parts.size(), 1u);
    EXPECT_EQ(batch_.parts[0].n_rows, 3u);
    EXPECT_EQ(batch_.parts[0].n_outputs, 0u);
    EXPECT_FALSE(batch_.parts[0].is_prefill);
    EXPECT_EQ(batch_.rows[2].token, 'z');
    plan_batch(all, 5, batch_);
    ASSERT_EQ(batch_.parts.size(), 2u);
    EXPECT_EQ(batch_.parts[0].n_rows, 4u);
    EXPECT_EQ(batch_.parts[0].n_outputs, 1u);
    EXPECT_EQ(batch_.parts[1].n_rows, 2u);
    EXPECT_EQ(batch_.n_prefill_rows, 5u);
}

// Behind a step that is in flight: a row for the token that is being sampled, and the rest of a prompt.
TEST_F(PlanBatch, GoesOnBehindWhatIsInFlight) {
    Sequence decoding = make_decoding(1, 7, 0);
    decoding.schedule(1, true);
    Sequence prefilling = make(2, 5, 1);
    prefilling.schedule(3, false);
    const std::vector<Sequence*> all = {&decoding, &prefilling};
    plan_batch(all, 8, batch_);
    ASSERT_EQ(batch_.rows.size(), 3u);
    EXPECT_EQ(batch_.rows[0].position, 8u);
    EXPECT_EQ(batch_.rows[0].token, compute::kSampledToken);
    EXPECT_TRUE(batch_.rows[0].wants_output);
    EXPECT_EQ(batch_.rows[1].position, 3u);
    EXPECT_EQ(batch_.rows[1].token, 'a');
    EXPECT_TRUE(batch_.rows[2].wants_output);
    EXPECT_FALSE(batch_.parts[0].is_prefill);
    EXPECT_TRUE(batch_.parts[1].is_prefill);
    decoding.recall();
    plan_batch(all, 8, batch_);
    EXPECT_EQ(batch_.rows[0].position, 7u);
    EXPECT_EQ(batch_.rows[0].token, 'x');
}

TEST_F(PlanBatch, ATokenThatIsTheLastToFitHasNoRow) {
    Sequence sequence = make_decoding(1, 5, 0);  // and 9 more
    const std::vector<Sequence*> all = {&sequence};
    for (int i = 0; i < 8; ++i) {
        sequence.schedule(1, true);
        sequence.arrive(1, true);
        ASSERT_TRUE(sequence.accept('x') && !sequence.end());
    }
    sequence.schedule(1, true);
    plan_batch(all, 8, batch_);
    EXPECT_TRUE(batch_.rows.empty());
}

TEST_F(PlanBatch, LeavesOutPausedAndWaitingOnes) {
    Sequence paused = make_decoding(1, 5, 0);
    paused.paused = true;
    Sequence waiting = make(2, 5, 1);
    waiting.slot.reset();
    const std::vector<Sequence*> all = {&paused, &waiting};
    plan_batch(all, 8, batch_);
    EXPECT_TRUE(batch_.rows.empty());
}

TEST(PrefillPace, GrowsAtMostTwofoldAndStopsAtTheLimit) {
    PrefillPace pace(0);
    EXPECT_EQ(pace.rows(), kFirstPrefillRows);
    for (uint32_t expected = 2 * kFirstPrefillRows; expected <= kMaxPrefillRows; expected *= 2) {
        pace.measured(pace.rows(), microseconds(0));
        EXPECT_EQ(pace.rows(), expected);
    }
    pace.measured(pace.rows(), microseconds(1));
    EXPECT_EQ(pace.rows(), kMaxPrefillRows);
}

TEST(PrefillPace, FitsTheTimeOfAStep) {
    PrefillPace pace(0);
    for (int i = 0; i < 20; ++i) pace.measured(pace.rows(), pace.rows() * milliseconds(5));
    EXPECT_EQ(pace.rows(), kPrefillTime / milliseconds(5));
    pace.measured(pace.rows(), std::chrono::hours(1));
    EXPECT_EQ(pace.rows(), 1u);
}

TEST(PrefillPace, TheShortEndOfAPromptShrinksItOnlyWhenItTookTooLongItself) {
    PrefillPace pace(0);
    while (pace.rows() < 64) pace.measured(pace.rows(), microseconds(1));
    // Dear for three rows, because a step has its own cost, but within its time.
    pace.measured(3, kPrefillTime - milliseconds(1));
    EXPECT_EQ(pace.rows(), 64u);
    pace.measured(32, 4 * kPrefillTime);
    EXPECT_EQ(pace.rows(), 8u);
}

TEST(PrefillPace, AGivenSizeIsOnlyTheLargest) {
    PrefillPace large(512);
    EXPECT_EQ(large.rows(), kFirstPrefillRows);
    for (int i = 0; i < 20; ++i) large.measured(large.rows(), microseconds(1));
    EXPECT_EQ(large.rows(), 512u);
    large.measured(512, std::chrono::seconds(100));
    EXPECT_EQ(large.rows(), 1u);
    PrefillPace small(3);
    EXPECT_EQ(small.rows(), 3u);
    small.measured(3, microseconds(1));
    EXPECT_EQ(small.rows(), 3u);
}

TEST(PrefillPace, IsConstantWhereATestWantsIt) {
    PrefillPace pace = PrefillPace::exactly(7);
    pace.measured(7, std::chrono::hours(1));
    EXPECT_EQ(pace.rows(), 7u);
}

}  // namespace
}  // namespace llmd::generation
