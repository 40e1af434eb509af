// Proves that the stream is valid UTF-8 that ends exactly at the first stop string, however the text is cut into
// tokens.
#include "engine/tokenizer/stream_detokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "vocabularies.h"

namespace llmd::tokenizer {
namespace {

using test::byte_ids;
using testing::ElementsAre;

constexpr const char* kReplacement = "\uFFFD";

class StreamDetokenizerTest : public testing::Test {
protected:
    void SetUp() override {
        test::Vocabulary vocabulary = test::byte_vocabulary();
        control_ = vocabulary.add("<|end|>", TokenKind::Control);
        hello_ = vocabulary.add_merge("hel", "lo");
        tokenizer_ = make(vocabulary);
    }

    static std::unique_ptr<Tokenizer> make(test::Vocabulary& vocabulary) {
        for (const char* part : {"hel", "lo"}) vocabulary.add(part);
        auto created = test::create_tokenizer(vocabulary);
        EXPECT_TRUE(created) << (created ? "" : created.error().message);
        return std::move(*created);
    }

    struct Outcome {
        std::vector<std::string> texts;  // of each push
        std::string rest;                // of finish()
        bool stopped;
        std::string stop;  // the stop string

        std::string text() const {
            std::string all;
            for (const std::string& text : texts) all += text;
            return all + rest;
        }
    };
    Outcome run(const test::Ids& ids, std::vector<std::string> stops = {}) const {
        StreamDetokenizer stream(*tokenizer_, std::move(stops));
        Outcome outcome;
        for (const int32_t id : ids) {
            outcome.texts.push_back(stream.push(id));
            EXPECT_EQ(base::valid_utf8_prefix(outcome.texts.back()), outcome.texts.back().size());
        }
        outcome.rest = stream.finish();
        outcome.stopped = stream.stopped();
        outcome.stop = stream.stop();
        EXPECT_EQ(base::valid_utf8_prefix(outcome.rest), outcome.rest.size());
        return outcome;
    }
    std::string text(std::string_view bytes, std::vector<std::string> stops = {}) const {
        return run(byte_ids(bytes), std::move(stops)).text();
    }

    int32_t control_ = 0, hello_ = 0;
    std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_F(StreamDetokenizerTest, HoldsBackIncompleteCharacters) {
    EXPECT_THAT(run(byte_ids("a\u20ACb")).texts, ElementsAre("a", "", "", "\u20AC", "b"));
    EXPECT_THAT(run(byte_ids("\U0001F642")).texts, ElementsAre("", "", "", "\U0001F642"));
    // A control token adds nothing and separates nothing.
    EXPECT_THAT(run({0xC3, control_, 0xA9}).texts, ElementsAre("", "", "\u00E9"));
    const Outcome cut = run(byte_ids("a\xF0\x9F"));
    EXPECT_THAT(cut.texts, ElementsAre("a", "", ""));
    EXPECT_EQ(cut.rest, kReplacement);
}

TEST_F(StreamDetokenizerTest, ReplacesWhatCannotBecomeUtf8) {
    const std::string r = kReplacement;
    EXPECT_EQ(text("a\xFFz"), "a" + r + "z");
    EXPECT_EQ(text("\xC3\x28"), r + "(");
    EXPECT_EQ(text("\xE2\x82\x41"), r + "A");            // one for a maximal subpart
    EXPECT_EQ(text("\xC0\xAF"), r + r);                  // overlong
    EXPECT_EQ(text("\xE0\x80\xAF"), r + r + r);          // overlong
    EXPECT_EQ(text("\xED\xA0\x80"), r + r + r);          // surrogate
    EXPECT_EQ(text("\xF4\x90\x80\x80"), r + r + r + r);  // beyond U+10FFFF
    EXPECT_EQ(text("\xF0\x9F\xF0\x9F\x99\x82"), r + "\U0001F642");
    EXPECT_EQ(text(std::string_view("a\0b", 3)), "a" + r + "b");
    // The example of The Unicode Standard, table 3-8.
    EXPECT_EQ(text("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
              "a" + r + r + r + "b" + r + "c" + r + r + "d");
}

TEST_F(StreamDetokenizerTest, HoldsBackWhatMayBeginAStopString) {
    const Outcome missed = run(byte_ids("xENx"), {"END"});
    EXPECT_THAT(missed.texts, ElementsAre("x", "", "", "ENx"));
    EXPECT_FALSE(missed.stopped);
    const Outcome found = run(byte_ids("xENDy"), {"END"});
    EXPECT_THAT(found.texts, ElementsAre("x", "", "", "", ""));
    EXPECT_EQ(found.rest, "");
    EXPECT_TRUE(found.stopped);
    const Outcome pending = run(byte_ids("xEN"), {"END"});
    EXPECT_EQ(pending.rest, "EN");
    EXPECT_FALSE(pending.stopped);
}

TEST_F(StreamDetokenizerTest, NoncharactersAreReplaced) {
    EXPECT_EQ(text("a\uffffb\ufdd0\U0010fffe", {"\uffff"}), "a\ufffdb\ufffd\ufffd");
}

TEST_F(StreamDetokenizerTest, StopStringsThatOverlapThemselves) {
    EXPECT_EQ(text("aaab", {"aab"}), "a");
    EXPECT_EQ(text("ababac", {"abac"}), "ab");
    EXPECT_EQ(text("aabaabaaab", {"aabaaa"}), "aab");
    EXPECT_EQ(text("\n\n\n", {"\n\n"}), "");
    EXPECT_EQ(run(byte_ids("aaab"), {"aab"}).texts[2], "a");
}

TEST_F(StreamDetokenizerTest, TheFirstToBeCompleteWinsThenTheLongest) {
    EXPECT_EQ(text("xabcd", {"abcd", "bc"}), "xa");
    EXPECT_EQ(text("xabcd", {"bcd", "abcd", "d"}), "x");
    EXPECT_EQ(text("xabcd", {"cd", "abx"}), "xab");
}

TEST_F(StreamDetokenizerTest, WhereTheTextEndsDoesNotDependOnTheTokens) {
    const std::vector<std::string> stops = {"elx", "llo!", "o!"};
    const Outcome whole = run({'<', hello_, '!', 'x'}, stops);
    EXPECT_EQ(whole.text(), "<he");
    EXPECT_EQ(run(byte_ids("<hello!x"), stops).text(), "<he");
    // A stop string inside one token ends the text in the middle of it.
    const Outcome inside = run({hello_, hello_}, {"l"});
    EXPECT_THAT(inside.texts, ElementsAre("he", ""));
    EXPECT_TRUE(inside.stopped);
}

TEST_F(StreamDetokenizerTest, StopStringsOfCharactersBeyondAscii) {
    EXPECT_EQ(text("a\u00E9b", {"\u00E9"}), "a");
    EXPECT_EQ(text("a\u00E8b", {"\u00E9"}), "a\u00E8b");
    EXPECT_EQ(text("a\xFF"
                   "b",
                   {kReplacement}),
              "a");
    // Even when only the end of generation makes it one.
    const Outcome at_end = run(byte_ids("a\xF0"), {kReplacement});
    EXPECT_EQ(at_end.text(), "a");
    EXPECT_TRUE(at_end.stopped);
}

TEST_F(StreamDetokenizerTest, StopStringsThatCannotOccurDoNothing) {
    const Outcome outcome = run(byte_ids("a\u00E9b"), {"", "\xA9", std::string(1, '\0'), "b\xFF"});
    EXPECT_EQ(outcome.text(), "a\u00E9b");
    EXPECT_FALSE(outcome.stopped);
}

TEST_F(StreamDetokenizerTest, TellsWhichStopStringItWas) {
    EXPECT_EQ(run(byte_ids("a b, c"), {".", ",", "c"}).stop, ",");
    EXPECT_EQ(run(byte_ids("abc"), {"c", "bc"}).stop, "bc") << "the longest of those that end together";
    EXPECT_EQ(run(byte_ids("abc"), {"d"}).stop, "");
}

// Text that comes while nothing may stop is returned at once, and is no beginning of a stop string either.
TEST_F(StreamDetokenizerTest, StopsNowhereButWhereItMay) {
    StreamDetokenizer stream(*tokenizer_, {"abc"});
    const auto push = [&](std::string_view bytes, bool may_stop) {
        std::string text;
        for (const int32_t id : byte_ids(bytes)) text += stream.push(id, may_stop);
        return text;
    };
    EXPECT_EQ(push("xab", true), "x");
    EXPECT_EQ(push("cabcab", false), "abcabcab");
    EXPECT_EQ(push("cab", true), "c");
    EXPECT_FALSE(stream.stopped());
    EXPECT_EQ(push("c", true), "");
    EXPECT_TRUE(stream.stopped());
}

TEST_F(StreamDetokenizerTest, NothingComesAfterTheEnd) {
    StreamDetokenizer stream(*tokenizer_, {"b"});
    EXPECT_EQ(stream.push('a'), "a");
    EXPECT_EQ(stream.push('b'), "");
    EXPECT_TRUE(stream.stopped());
    EXPECT_EQ(stream.push('a'), "");
    EXPECT_EQ(stream.finish(), "");
    EXPECT_EQ(StreamDetokenizer(*tokenizer_, {"b"}).finish(), "");
}

// The rule of the header, word for word: reading character by character, stop at the first complete stop string.
std::string cut_naively(const std::string& text, const std::vector<std::string>& stops, bool& stopped) {
    stopped = false;
    for (size_t end = 1; end <= text.size(); ++end) {
        size_t longest = 0;
        for (const std::string& stop : stops) {
            if (text.substr(0, end).ends_with(stop)) longest = std::max(longest, stop.size());
        }
        if (longest > 0) {
            stopped = true;
            return text.substr(0, end - longest);
        }
    }
    return text;
}

TEST_F(StreamDetokenizerTest, AgreesWithTheRuleOnRandomText) {
    std::mt19937_64 bits(11);
    const auto word = [&](size_t longest) {
        std::string letters;
        for (size_t i = 1 + bits() % longest; i > 0; --i) letters += static_cast<char>('a' + bits() % 2);
        return letters;
    };
    int n_stopped = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::string> stops;
        for (size_t i = bits() % 4; i > 0; --i) stops.push_back(word(7));
        const std::string bytes = word(24);
        bool stopped = false;
        const std::string expected = cut_naively(bytes, stops, stopped);
        const Outcome outcome = run(byte_ids(bytes), stops);
        ASSERT_EQ(outcome.text(), expected) << bytes;
        ASSERT_EQ(outcome.stopped, stopped) << bytes;
        n_stopped += stopped;
    }
    EXPECT_GT(n_stopped, 500);
}

TEST_F(StreamDetokenizerTest, RandomBytesGiveTheSameTextInTheSamePlaces) {
    std::mt19937_64 bits(3);
    for (int round = 0; round < 200; ++round) {
        test::Ids ids;
        for (int i = 0; i < 64; ++i) ids.push_back(static_cast<int32_t>(bits() % 256));
        const Outcome first = run(ids, {"ab"});
        EXPECT_EQ(run(ids, {"ab"}).texts, first.texts);
    }
}

TEST_F(StreamDetokenizerTest, ManyLongStopStringsStayFast) {
    std::vector<std::string> stops;
    for (int i = 0; i < 16; ++i) stops.push_back(std::string(255, 'a') + static_cast<char>('A' + i));
    const std::string bytes(200'000, 'a');
    EXPECT_EQ(text(bytes, stops), bytes);
    EXPECT_EQ(text(bytes + "P", stops).size(), bytes.size() - 255);
}

}  // namespace
}  // namespace llmd::tokenizer
