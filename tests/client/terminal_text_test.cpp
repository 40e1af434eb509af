// The text of a model on a terminal: no sequence survives, however it is cut, and ordinary text is untouched.
#include "client/terminal_text.h"

#include <gtest/gtest.h>

namespace llmd::client {
namespace {

std::string clean(std::string_view text) {
    return TerminalText().clean(text);
}

// The same text in two pieces, cut before byte `at`.
std::string clean_cut(std::string_view text, size_t at) {
    TerminalText cleaner;
    const std::string first = cleaner.clean(text.substr(0, at));
    return first + cleaner.clean(text.substr(at));
}

TEST(TerminalText, OrdinaryTextPassesUnchanged) {
    const std::string text = "Zwölf Bären,\n\t„ja“ – 三匹の熊 🐻 ~[]\\ \xc2\xa0|";
    EXPECT_EQ(clean(text), text);
}

TEST(TerminalText, RemovesEscapeSequencesWhereverTheyAreCut) {
    const struct {
        std::string_view text, expected;
    } cases[] = {
        {"a\x1b[31mb\x1b[0mc", "abc"},                         // colours
        {"a\x1b]0;title\x07z", "az"},                          // window title, ended by BEL
        {"a\x1b]52;c;cm0gLXJm\x1b\\z", "az"},                  // clipboard, ended by ST
        {"a\x1bP1$r0m\x1b\\z", "az"},                          // DCS
        {"a\x1b_x\x1b\\b\x1b^y\x1b\\c\x1bXz\x1b\\d", "abcd"},  // APC, PM, SOS
        {"a\x1b(0b\x1b"
         "cc\x1b#8d",
         "abcd"},                   // character set, reset, alignment test
        {"a\x1b[\x1b[1mb", "ab"},   // a sequence cut short by another
        {"a\x1b]x\x1b[1mb", "ab"},  // the same inside a string
        {"a\x1b[3\nb", "a\nb"},     // a line's end ends everything
        {"a\x1b]0;never ended\nb", "a\nb"},
    };
    for (const auto& [text, expected] : cases) {
        for (size_t at = 0; at <= text.size(); ++at) EXPECT_EQ(clean_cut(text, at), expected) << "cut at " << at;
    }
}

TEST(TerminalText, RemovesTheC1FormsOfTheSameSequences) {
    EXPECT_EQ(clean("a\xc2\x9b"
                    "31mb"),
              "ab");
    EXPECT_EQ(clean("a\xc2\x9d"
                    "0;title\xc2\x9c"
                    "b"),
              "ab");
    EXPECT_EQ(clean("a\xc2\x85"
                    "b\xc2\x80"),
              "ab");
}

TEST(TerminalText, RemovesControlsButLineFeedAndTab) {
    EXPECT_EQ(clean("a\rb\bc\x07"
                    "d\x7f"
                    "e\vf\n\tg"),
              "abcdef\n\tg");
}

// A D-Bus string is UTF-8, but a file's name or an argument that is quoted back need not be.
TEST(TerminalText, ReplacesWhatIsNotUtf8) {
    EXPECT_EQ(clean("a\xff"
                    "b\xe2\x82"
                    "c\xf0\x9f"),
              "a\uFFFDb\uFFFDc\uFFFD");
}

TEST(TerminalText, RemovesBidirectionalControls) {
    EXPECT_EQ(clean("a\u202eb\u2066c\u2069d\u200fe\u061cf\u200eg"), "abcdefg");
    EXPECT_EQ(clean("\u2065\u206a\u2029"), "\u2065\u206a\u2029") << "their neighbours stay";
}

TEST(TerminalText, AStringThatNeverEndsDoesNotSwallowTheAnswer) {
    const std::string tail = "the rest of the answer";
    const std::string out = clean("\x1b]0;" + std::string(2000, 'x') + tail);
    EXPECT_EQ(out.substr(out.size() - tail.size()), tail);
}

}  // namespace
}  // namespace llmd::client
