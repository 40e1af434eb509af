// A text that comes in parts, broken between words wherever the parts are cut.
#include "client/word_wrap.h"

#include <gtest/gtest.h>

#include <clocale>

#include "base/utf8.h"

namespace llmd::client {
namespace {

std::string wrapped(std::string_view text, size_t columns, size_t part) {
    WordWrap wrap;
    std::string out;
    while (!text.empty()) {
        size_t length = 0;
        for (size_t i = 0; i < part && length < text.size(); ++i) length += base::next_utf8(text.substr(length)).length;
        out += wrap.add(text.substr(0, length), columns);
        text.remove_prefix(length);
    }
    return out + wrap.rest(columns);
}

// However it is cut.
std::string wrapped(std::string_view text, size_t columns) {
    const std::string whole = wrapped(text, columns, text.size() + 1);
    for (const size_t part : {1, 2, 3, 7}) EXPECT_EQ(wrapped(text, columns, part), whole) << part;
    return whole;
}

TEST(WordWrap, BreaksBetweenWords) {
    EXPECT_EQ(wrapped("one two three", 80), "one two three");
    EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
    EXPECT_EQ(wrapped("one two three", 6), "one\ntwo\nthree");
    EXPECT_EQ(wrapped("one  two\nthree four\n", 9), "one  two\nthree\nfour\n");
    EXPECT_EQ(wrapped("", 9), "");
}

TEST(WordWrap, HoldsBackNoMoreThanTheLastWord) {
    WordWrap wrap;
    EXPECT_EQ(wrap.add("one two", 80), "one");
    EXPECT_EQ(wrap.add("s ", 80), " twos");
    EXPECT_EQ(wrap.add("three\n", 80), " three\n");
    EXPECT_EQ(wrap.add("aaaaaaaa", 8), "aaaaaaaa") << "a word as long as a line cannot be broken better later";
    EXPECT_EQ(wrap.rest(8), "");
}

TEST(WordWrap, AWordThatDoesNotFitStandsAlone) {
    EXPECT_EQ(wrapped("a /very/long/path b", 8), "a\n/very/long/path\nb") << "its second line has 7 columns";
    EXPECT_EQ(wrapped("/very/long/path", 8), "/very/long/path");
}

TEST(WordWrap, CodeStaysAsItIs) {
    EXPECT_EQ(wrapped("see\n```sh\nllmctl generate --seed 7 x\n```\nthat is it", 10),
              "see\n```sh\nllmctl generate --seed 7 x\n```\nthat is it");
    EXPECT_EQ(wrapped("see\n    int main() { return 0; }\nthat is all of it", 12),
              "see\n    int main() { return 0; }\nthat is all\nof it");
}

TEST(WordWrap, ScriptsWithoutSpacesBreakAnywhere) {
    const std::string before = std::setlocale(LC_CTYPE, nullptr);
    ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
    EXPECT_EQ(wrapped("昔々ある所に", 8), "昔々ある\n所に");
    EXPECT_EQ(wrapped("e\u0301t\u00e9 e\u0301t\u00e9", 7), "e\u0301t\u00e9 e\u0301t\u00e9")
        << "what combines takes no column";
    std::setlocale(LC_CTYPE, before.c_str());
}

}  // namespace
}  // namespace llmd::client
