#include "engine/generation/speculation/drafter.h"

#include <gtest/gtest.h>

#include <random>
#include <string_view>

#include "fake_model.h"

namespace llmd::generation {
namespace {

std::vector<int32_t> ids_of(std::string_view text) {
    return {text.begin(), text.end()};
}

// Follows the text token by token, as it is generated.
void follow_all(Drafter& drafter, std::span<const int32_t> ids, const Drafter::Context& context = {}) {
    for (size_t n = 1; n <= ids.size(); ++n) drafter.follow(ids.first(n), context);
}

TEST(Drafter, DraftsWhatFollowedBefore) {
    const auto ids = ids_of("one two three four five six. one two three fo");
    Drafter drafter(1000);
    follow_all(drafter, ids);
    std::vector<Draft> drafts;
    drafter.draft(ids, {}, 6, drafts);
    std::string text;
    for (const Draft& one : drafts) text.push_back(static_cast<char>(one.id));
    EXPECT_EQ(text, "ur fiv");
    for (size_t i = 1; i < drafts.size(); ++i) EXPECT_LE(drafts[i].probability, drafts[i - 1].probability);
}

// A text that repeats itself goes on behind its end.
TEST(Drafter, GoesOnWithItsOwnDrafts) {
    const auto ids = ids_of("xabababababababababab");
    Drafter drafter(1000);
    follow_all(drafter, ids);
    std::vector<Draft> drafts;
    drafter.draft(ids, {}, kMaxDrafts, drafts);
    ASSERT_EQ(drafts.size(), kMaxDrafts);
    for (size_t i = 0; i < drafts.size(); ++i) EXPECT_EQ(drafts[i].id, i % 2 == 0 ? 'a' : 'b');
}

TEST(Drafter, ATextWithoutRepetitionIsNotExpectedToRepeatItself) {
    std::mt19937 random(1);
    std::vector<int32_t> ids;
    Drafter drafter(4000);
    std::vector<Draft> drafts;
    size_t n_drafts = 0;
    // The text has few tokens, so that pairs come again all the time, and what follows them does not.
    while (ids.size() < 2000) {
        ids.push_back(static_cast<int32_t>(random() % 20));
        drafter.follow(ids, {});
        drafter.draft(ids, {}, kMaxDrafts, drafts);
        if (ids.size() > 200) n_drafts += drafts.size();
    }
    EXPECT_LE(n_drafts, 2000u / 10);
    EXPECT_LT(drafter.expectation(), 0.25);
}

TEST(Drafter, LearnsFromTokensWhetherTheirRowsWereDraftedOrNot) {
    Drafter drafter(4000);
    auto ids = ids_of("The quick brown fox jumps over the lazy dog. The qui");
    follow_all(drafter, ids);
    const double at_first = drafter.expectation();
    for (const char c : std::string_view("ck brown fox ju")) {
        ids.push_back(c);
        drafter.follow(ids, {});
    }
    EXPECT_GT(drafter.expectation(), 0.8);
    EXPECT_GT(drafter.expectation(), at_first);
}

TEST(Drafter, DraftsNoTokenThatEndsTheText) {
    const auto ids = ids_of("abcd|abcd|abcd|abcd");
    const std::vector<int32_t> end = {'|'};
    Drafter drafter(1000);
    const Drafter::Context context{.end_ids = end};
    follow_all(drafter, ids, context);
    std::vector<Draft> drafts;
    drafter.draft(ids, context, 5, drafts);
    EXPECT_TRUE(drafts.empty());
}

// A recording's drafts are right as often as is asked for.
TEST(Drafter, ARecordingIsRightAsOftenAsAsked) {
    for (const float acceptance : {0.6f, 0.8f, 0.95f}) {
        Recording recording;
        recording.acceptance = acceptance;
        for (int i = 0; i < 2000; ++i) recording.ids.push_back(i % 250);
        const Drafter::Context context{.recording = &recording, .n_prompt = 3, .n_vocab = 257};
        std::vector<int32_t> ids = {1, 2, 3};
        Drafter drafter(4000);
        std::vector<Draft> drafts;
        double right = 0, all = 0;
        for (const int32_t id : recording.ids) {
            drafter.follow(ids, context);
            drafter.draft(ids, context, 1, drafts);
            if (!drafts.empty()) right += drafts[0].id == id ? 1 : 0, ++all;
            ids.push_back(id);
        }
        EXPECT_GT(all, 1900);
        EXPECT_NEAR(right / all, acceptance, 0.03);
        EXPECT_NEAR(drafter.expectation(), acceptance, 0.25);
    }
}

}  // namespace
}  // namespace llmd::generation
