// Proves that UTF-8 is judged by the table of the Unicode Standard, every valid character and nothing else, and that
// whatever is not valid becomes one U+FFFD a maximal subpart.
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace llmd::base {
namespace {

void expect_step(std::string_view text, Utf8Status status, int length) {
    const Utf8Step step = next_utf8(text);
    EXPECT_EQ(static_cast<int>(step.status), static_cast<int>(status)) << testing::PrintToString(text);
    EXPECT_EQ(step.length, length) << testing::PrintToString(text);
    EXPECT_EQ(static_cast<uint32_t>(step.character), 0xFFFDu) << testing::PrintToString(text);
}

TEST(Utf8, EveryScalarValueRoundTrips) {
    for (uint32_t value = 0; value <= 0x10FFFF; ++value) {
        if (value >= 0xD800 && value <= 0xDFFF) continue;
        std::string text;
        append_utf8(value, text);
        const Utf8Step step = next_utf8(text);
        ASSERT_EQ(step.status, Utf8Status::Valid) << value;
        ASSERT_EQ(step.length, text.size()) << value;
        ASSERT_EQ(static_cast<uint32_t>(step.character), value);
        for (size_t cut = 1; cut < text.size(); ++cut) {
            const Utf8Step partial = next_utf8(std::string_view(text).substr(0, cut));
            ASSERT_EQ(partial.status, Utf8Status::Incomplete) << value;
            ASSERT_EQ(partial.length, cut) << value;
        }
    }
}

TEST(Utf8, InvalidSequencesEndAtTheirMaximalSubpart) {
    expect_step("\x80", Utf8Status::Invalid, 1);
    expect_step("\xC0\x80", Utf8Status::Invalid, 1);  // overlong
    expect_step("\xC1\xBF", Utf8Status::Invalid, 1);
    expect_step("\xE0\x9F\xBF", Utf8Status::Invalid, 1);      // overlong
    expect_step("\xED\xA0\x80", Utf8Status::Invalid, 1);      // surrogate
    expect_step("\xF0\x8F\xBF\xBF", Utf8Status::Invalid, 1);  // overlong
    expect_step("\xF4\x90\x80\x80", Utf8Status::Invalid, 1);  // beyond U+10FFFF
    expect_step("\xF5", Utf8Status::Invalid, 1);
    expect_step("\xFF", Utf8Status::Invalid, 1);
    expect_step("\xE2\x82\x41", Utf8Status::Invalid, 2);
    expect_step("\xF0\x9F\x99\xC3", Utf8Status::Invalid, 3);
    expect_step("\xE2\x41", Utf8Status::Invalid, 1);
}

TEST(Utf8, ValidPrefix) {
    EXPECT_EQ(valid_utf8_prefix(""), 0u);
    EXPECT_EQ(valid_utf8_prefix("a\xC3\xA9z"), 4u);
    EXPECT_EQ(valid_utf8_prefix("a\xC3"), 1u);
    EXPECT_EQ(valid_utf8_prefix("ab\xFFzz"), 2u);
    EXPECT_EQ(valid_utf8_prefix({"a\0b", 3}), 3u);
}

TEST(Utf8, BytesAreSpelledInHexadecimalDigits) {
    EXPECT_EQ(hex_digits(std::string_view("\0\x0f\xa5\xff", 4)), "000fa5ff");
    EXPECT_EQ(hex_digits("a\xff", "\\x"), "\\x61\\xff");
    EXPECT_EQ(hex_digits(""), "");
}

TEST(Utf8, CutsBetweenCharacters) {
    const std::string text = "aé三🐻";  // 1, 2, 3 and 4 bytes
    const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (size_t limit = 0; limit < std::size(expected); ++limit) {
        EXPECT_EQ(utf8_cut(text, limit), expected[limit]) << limit;
    }
    EXPECT_EQ(utf8_cut("", 0), 0u);
}

TEST(CleanText, ValidTextPassesUnchanged) {
    for (const std::string text :
         {"", "a", "\x7f", "\u0080\u07ff", "\u0800\ufffd", "\U00010000\U0010fffd", "\ufdcf\ufdf0"}) {
        EXPECT_TRUE(is_clean_text(text)) << text;
        EXPECT_EQ(to_clean_text(text), text);
    }
}

// The first two cases are the examples of the standard's tables 3-8 and 3-11 (Unicode 15).
TEST(CleanText, EveryMaximalSubpartBecomesOneReplacement) {
    const struct {
        std::string_view bytes;
        int replacements;
    } cases[] = {
        {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82", 8},
        {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF", 4},
        {{"\0", 1}, 1},
        {"\x80", 1},
        {"\xED\xA0\x80", 3},      // surrogate
        {"\xF4\x90\x80\x80", 4},  // above U+10FFFF
        {"\xF5\xFF", 2},
        {"\xF0\x9F\x98", 1},                                  // cut off
        {"\uffff\ufffe\ufdd0\ufdef\U0001ffff\U0010fffe", 6},  // noncharacters
    };
    for (const auto& [bytes, replacements] : cases) {
        std::string expected;
        for (int i = 0; i < replacements; ++i) expected += kReplacementCharacter;
        EXPECT_EQ(to_clean_text(bytes), expected) << testing::PrintToString(bytes);
        const std::string framed = "<" + std::string(bytes) + ">";
        EXPECT_FALSE(is_clean_text(framed));
        EXPECT_EQ(clean_prefix(framed), 1u);
        EXPECT_EQ(to_clean_text(framed), "<" + expected + ">");
    }
}

TEST(Shown, SpellsWhatATerminalWouldObey) {
    EXPECT_EQ(shown("plain text, größer \\x1b 😀"), "plain text, größer \\x1b 😀");
    EXPECT_EQ(shown("a\x1b[2Jb\nllmctl: done\r\t\x7f"), "a\\x1b[2Jb\\x0allmctl: done\\x0d\\x09\\x7f");
    EXPECT_EQ(shown("\u009b2J\u0085"), "\\xc2\\x9b2J\\xc2\\x85") << "controls of eight bits";
    EXPECT_EQ(shown({"\0\xff\xc3", 3}), "\\x00\\xff\\xc3");
    EXPECT_EQ(shown(shown("\x1b\xff")), shown("\x1b\xff"));
}

TEST(CleanText, WhatComesOutIsClean) {
    for (int first = 0; first < 256; ++first) {
        for (int second = 0; second < 256; ++second) {
            const char three[] = {static_cast<char>(first), static_cast<char>(second), '\x80'};
            const std::string bytes(three, sizeof(three));
            EXPECT_TRUE(is_clean_text(to_clean_text(bytes)));
            EXPECT_EQ(is_clean_text(bytes), to_clean_text(bytes) == bytes);
        }
    }
}

}  // namespace
}  // namespace llmd::base
