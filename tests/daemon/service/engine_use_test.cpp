// How long a model stays follows from who has used it and what each has asked for.
#include "service/engine_use.h"

#include <gtest/gtest.h>

namespace llmd::service {
namespace {

using std::chrono::seconds;

class EngineUseTest : public testing::Test {
protected:
    base::TimePoint at(int s) const { return begin_ + seconds(s); }
    base::TimePoint stays(bool pinned = false) const { return use_.stays_until({}, pinned, seconds(100)); }

    const base::TimePoint begin_ = base::TimePoint{} + std::chrono::hours(1);
    EngineUse use_;
};

TEST_F(EngineUseTest, TheLongestWishHolds) {
    use_.note_question(at(0));
    EXPECT_EQ(stays(), at(100));
    use_.note("a", std::nullopt, false, at(10));
    EXPECT_EQ(stays(), at(110));
    use_.note("b", seconds(500), false, at(20));
    EXPECT_EQ(stays(), at(520));
    use_.note("b", seconds(0), false, at(30));
    EXPECT_EQ(stays(), at(110)) << "what it asked for last";
    EXPECT_EQ(use_.last(), at(30));
}

TEST_F(EngineUseTest, WhoRunsEndsNowAtTheEarliest) {
    use_.note("a", std::nullopt, false, at(10));
    EXPECT_EQ(use_.stays_until({{at(50), std::nullopt, false}}, false, seconds(100)), at(150));
}

TEST_F(EngineUseTest, APinnedModelStays) {
    use_.note_question(at(0));
    EXPECT_EQ(stays(true), base::TimePoint::max());
    EXPECT_EQ(use_.keep_alives(true).size(), 1u);
    EXPECT_TRUE(use_.keep_alives(false).empty());
}

TEST_F(EngineUseTest, OnlyACertainWishKeepsItFromOthers) {
    EXPECT_EQ(use_.kept_until(), base::TimePoint::min());
    use_.note("a", std::nullopt, false, at(10));
    use_.note("b", seconds(500), true, at(10));
    EXPECT_EQ(use_.kept_until(), base::TimePoint::min()) << "a sandbox has the idle time at most";
    use_.note("c", seconds(500), false, at(10));
    EXPECT_EQ(use_.kept_until(), at(510));
}

TEST_F(EngineUseTest, WhatLoadModelWishedGivesWayToAProgramOfTheHost) {
    use_.note({}, seconds(-1), false, at(0));
    use_.note("sandbox", std::nullopt, true, at(10));
    EXPECT_EQ(stays(), base::TimePoint::max());
    use_.note("host", std::nullopt, false, at(20));
    EXPECT_EQ(stays(), at(120));
}

TEST_F(EngineUseTest, WhoUsedItLongestAgoIsForgotten) {
    use_.note("first", seconds(-1), false, at(0));
    for (size_t i = 1; i < EngineUse::kMaxKept; ++i) use_.note(std::to_string(i), std::nullopt, false, at(1));
    EXPECT_EQ(stays(), base::TimePoint::max());
    use_.note("one more", std::nullopt, false, at(2));
    EXPECT_EQ(stays(), at(102));
    EXPECT_EQ(use_.keep_alives(false).size(), EngineUse::kMaxKept);
}

}  // namespace
}  // namespace llmd::service
