// The log probabilities of tokens fit the text to the byte, whenever the text comes and whatever of it is missing.
#include "api/logprobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "base/utf8.h"

namespace llmd::api {
namespace {

using testing::ElementsAre;
using testing::Pair;
using Told = std::vector<std::pair<std::string, uint64_t>>;  // bytes and place

class LogprobAlignerTest : public testing::Test {
protected:
    void add(std::initializer_list<const char*> tokens) {
        for (const char* bytes : tokens) {
            const protocol::TokenLogprobs token{{0, -1, bytes}, {}};
            aligner_.add({&token, 1});
        }
    }
    Told take(std::string_view text) { return told(aligner_.take(text)); }
    Told finish() { return told(aligner_.finish()); }
    static Told told(const std::vector<AlignedLogprobs>& aligned) {
        Told out;
        for (const auto& one : aligned) out.emplace_back(one.token.chosen.bytes, one.text_offset);
        return out;
    }

    LogprobAligner aligner_;
};

TEST_F(LogprobAlignerTest, ATokenGoesOutWithItsText) {
    add({" once"});
    EXPECT_THAT(take(" once"), ElementsAre(Pair(" once", 0)));
    add({" upon", " a"});
    EXPECT_THAT(take(" upon a"), ElementsAre(Pair(" upon", 5), Pair(" a", 10)));
    EXPECT_THAT(finish(), ElementsAre());
}

TEST_F(LogprobAlignerTest, WhatIsHeldBackForAStopStringWaitsWithItsText) {
    add({"x"});
    EXPECT_THAT(take("x"), ElementsAre(Pair("x", 0)));
    add({"E", "N", "x"});
    EXPECT_THAT(take("ENx"), ElementsAre(Pair("E", 1), Pair("N", 2), Pair("x", 3)));
    add({"ab"});
    EXPECT_THAT(take("a"), ElementsAre()) << "its last byte has not come";
    add({"c"});
    EXPECT_THAT(take("bc"), ElementsAre(Pair("ab", 4), Pair("c", 6)));
}

TEST_F(LogprobAlignerTest, WhatAStopStringCutsAwayIsCutAwayHere) {
    // The stop string "!\n" begins in one token and ends in the next but one.
    add({"Hi", " you!", "\n\n"});
    EXPECT_THAT(take("Hi"), ElementsAre(Pair("Hi", 0)));
    EXPECT_THAT(take(" you"), ElementsAre());
    EXPECT_THAT(finish(), ElementsAre(Pair(" you", 2)));
}

TEST_F(LogprobAlignerTest, ATokenOfWhichNothingIsInTheTextIsNotTold) {
    add({"Hi", "STOP"});
    EXPECT_THAT(take("Hi"), ElementsAre(Pair("Hi", 0)));
    EXPECT_THAT(finish(), ElementsAre());
    EXPECT_THAT(finish(), ElementsAre());
    LogprobAligner nothing;
    EXPECT_TRUE(nothing.finish().empty());
}

TEST_F(LogprobAlignerTest, PiecesOfACharacterGoOutWithIt) {
    add({"a", "\xF0\x9F", "\x99", "\x82z"});
    EXPECT_THAT(take("a"), ElementsAre(Pair("a", 0)));
    EXPECT_THAT(take("\U0001F642z"), ElementsAre(Pair("\xF0\x9F", 1), Pair("\x99", 1), Pair("\x82z", 1)));
    add({"b"});
    EXPECT_THAT(take("b"), ElementsAre(Pair("b", 3)));
}

TEST_F(LogprobAlignerTest, WhatIsNoUtf8IsAReplacementCharacterInTheText) {
    const std::string r(base::kReplacementCharacter);
    add({"\xFF", "\xE2\x82", "z"});
    EXPECT_THAT(take(r + r + "z"), ElementsAre(Pair("\xFF", 0), Pair("\xE2\x82", 1), Pair("z", 2)));
    const protocol::TokenLogprobs nul{{0, -1, std::string(1, '\0')}, {}};
    aligner_.add({&nul, 1});
    EXPECT_THAT(take(r), ElementsAre(Pair(std::string(1, '\0'), 3)));
    // The end of generation makes one of a character that was begun.
    add({"\xF0", "\x9F"});
    EXPECT_THAT(take(r), ElementsAre(Pair("\xF0", 4), Pair("\x9F", 4)));
}

TEST_F(LogprobAlignerTest, ControlTokensAreToldWhereTheyStand) {
    add({"", "a"});
    EXPECT_THAT(take("a"), ElementsAre(Pair("", 0), Pair("a", 0)));
    add({"", "b"});
    EXPECT_THAT(take("b"), ElementsAre(Pair("", 1), Pair("b", 1)));
    add({"", ""});
    EXPECT_THAT(finish(), ElementsAre(Pair("", 2), Pair("", 2)));
}

TEST_F(LogprobAlignerTest, ABeginningThatIsCutGoesOutAtTheEndWithItsPlace) {
    add({"ab", "cde", "fgh"});
    EXPECT_THAT(take("abc"), ElementsAre(Pair("ab", 0)));
    EXPECT_THAT(take("d"), ElementsAre());
    EXPECT_THAT(finish(), ElementsAre(Pair("cd", 2)));
}

// Random bytes in random tokens, whose text comes in random pieces and may be cut: the bytes sent are those of the
// text.
TEST_F(LogprobAlignerTest, TheBytesToldAreThoseOfTheTextWhateverComesWhen) {
    std::mt19937_64 bits(5);
    const std::vector<std::string> parts = {"a", "\u00E9", "\u20AC", "\U0001F642", "\xFF", "\xE2\x82", " "};
    for (int round = 0; round < 2000; ++round) {
        std::string bytes;
        for (size_t i = 1 + bits() % 8; i > 0; --i) bytes += parts[bits() % parts.size()];
        const std::string whole = base::to_clean_text(bytes);
        const std::string text = whole.substr(0, base::utf8_cut(whole, bits() % (whole.size() + 1)));
        LogprobAligner aligner;
        for (size_t at = 0; at < bytes.size();) {
            const std::string token = bytes.substr(at, bits() % 4);
            at += token.size();
            const protocol::TokenLogprobs entry{{0, -1, token}, {}};
            aligner.add({&entry, 1});
        }
        std::string told;
        const auto collect = [&](const std::vector<AlignedLogprobs>& aligned) {
            for (const auto& one : aligned) told += one.token.chosen.bytes;
        };
        for (size_t at = 0; at < text.size();) {
            const size_t n = base::utf8_cut(std::string_view(text).substr(at), 4 + bits() % 4);
            collect(aligner.take(std::string_view(text).substr(at, n)));
            at += n;
        }
        collect(aligner.finish());
        ASSERT_EQ(base::to_clean_text(told), text) << round;
    }
}

}  // namespace
}  // namespace llmd::api
