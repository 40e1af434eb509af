// Lines for people: broken between words, never longer than the terminal unless a word is.
#include "client/output.h"

#include <gtest/gtest.h>

namespace llmd::client {
namespace {

TEST(Wrap, BreaksBetweenWordsAndIndents) {
    EXPECT_EQ(wrap("one two three", 0, 80), "one two three");
    EXPECT_EQ(wrap("one two three", 0, 7), "one two\nthree");
    EXPECT_EQ(wrap("one two three", 4, 11), "one two\n    three");
    EXPECT_EQ(wrap("one two three", 4, 10), "one\n    two\n    three");
    EXPECT_EQ(wrap("", 4, 10), "");
}

TEST(Wrap, AWordThatDoesNotFitStandsAlone) {
    EXPECT_EQ(wrap("a /very/long/path b", 2, 8), "a\n  /very/long/path\n  b");
    EXPECT_EQ(wrap("/very/long/path", 2, 8), "/very/long/path");
}

TEST(Wrap, CountsCharactersNotBytes) {
    EXPECT_EQ(columns_of("Bär 🐻"), 5u);
    EXPECT_EQ(wrap("äöü äöü", 0, 7), "äöü äöü");
    EXPECT_EQ(wrap("äöü äöü", 0, 6), "äöü\näöü");
}

TEST(Wrap, OnlyATerminalHasColumns) {
    EXPECT_FALSE(terminal_columns(-1));
}

}  // namespace
}  // namespace llmd::client
