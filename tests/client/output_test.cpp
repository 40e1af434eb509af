// Lines for people: broken between words, never longer than the terminal unless a word is.
#include "client/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/unique_fd.h"

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

TEST(Table, ACellIsOneLineWhateverItHolds) {
    EXPECT_EQ(table({{"NAME", "WHY"}, {"a\nb", "it\x1b[2J"}}), "NAME    WHY\na\\x0ab  it\\x1b[2J\n");
}

TEST(Wrap, OnlyATerminalHasColumns) {
    EXPECT_FALSE(terminal_columns(-1));
}

// Returns the bytes that a terminal gets of `text`, which the terminal's own new lines ("\r\n") end.
std::string on_terminal(const char* term, std::string_view text, TextOutput::Style style) {
    int ours = -1;
    int theirs = -1;
    EXPECT_EQ(::openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
    const base::UniqueFd our_end(ours);
    const base::UniqueFd their_end(theirs);
    ::setenv("TERM", term, 1);
    TextOutput output(theirs);
    EXPECT_TRUE(output.write(text, style));
    output.finish();
    std::string seen;
    for (char c = 0; c != '\n' && ::read(ours, &c, 1) == 1;) seen += c;
    return seen;
}

TEST(TextOutput, DimsOnATerminalThatCanAndLeavesItAsItWas) {
    EXPECT_EQ(on_terminal("xterm", "hm", TextOutput::Style::Dim), "\x1b[2mhm\x1b[22m\r\n");
    EXPECT_EQ(on_terminal("xterm", "\x1b[5mhm", TextOutput::Style::Dim), "\x1b[2mhm\x1b[22m\r\n");
    EXPECT_EQ(on_terminal("xterm", "hm", TextOutput::Style::Plain), "hm\r\n");
    EXPECT_EQ(on_terminal("dumb", "hm", TextOutput::Style::Dim), "hm\r\n");
}

TEST(TextOutput, ColoursAreForTerminalsThatCanUnlessSomebodySaysOtherwise) {
    const auto bold = [](const char* term) { return on_terminal(term, "hm", TextOutput::Style::Bold); };
    EXPECT_EQ(bold("xterm"), "\x1b[1mhm\x1b[22m\r\n");
    EXPECT_EQ(on_terminal("xterm", "a\nb\n", TextOutput::Style::Bad), "\x1b[31ma\x1b[39m\r\n") << "each line by itself";
    EXPECT_EQ(bold("dumb"), "hm\r\n");
    ::setenv("NO_COLOR", "1", 1);
    EXPECT_EQ(bold("xterm"), "hm\r\n");
    EXPECT_EQ(on_terminal("xterm", "hm", TextOutput::Style::Dim), "\x1b[2mhm\x1b[22m\r\n") << "dim is no colour";
    ::setenv("CLICOLOR_FORCE", "1", 1);
    EXPECT_EQ(bold("dumb"), "\x1b[1mhm\x1b[22m\r\n");
    ::unsetenv("CLICOLOR_FORCE");
    ::setenv("NO_COLOR", "", 1);
    EXPECT_EQ(bold("xterm"), "\x1b[1mhm\x1b[22m\r\n") << "an empty one says nothing";
    ::unsetenv("NO_COLOR");
}

TEST(TextOutput, APipeGetsTheBytes) {
    std::array<int, 2> ends;
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const base::UniqueFd read_end(ends[0]);
    const base::UniqueFd write_end(ends[1]);
    TextOutput output(ends[1]);
    EXPECT_FALSE(output.can_dim());
    EXPECT_TRUE(output.write("\x1b[5mhm", TextOutput::Style::Dim));
    std::array<char, 16> bytes;
    EXPECT_EQ(::read(ends[0], bytes.data(), bytes.size()), 6);
}

}  // namespace
}  // namespace llmd::client
