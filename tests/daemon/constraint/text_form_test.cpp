// Whole texts that a regular expression matches, all short ones against the standard library's, and lists of texts.
#include "constraint/text_form.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "random_pattern.h"
#include "schema_matching.h"
#include "support/processor_time.h"

namespace llmd::constraint {
namespace {

std::string refusal(const TextForm& form) {
    std::vector<std::string> notes;
    const auto grammar = compile_text_form(form, notes);
    return grammar ? "accepted" : grammar.error().message;
}

Automaton automaton_of(const TextForm& form) {
    std::vector<std::string> notes;
    auto grammar = compile_text_form(form, notes);
    EXPECT_TRUE(grammar) << grammar.error().message;
    return Automaton(std::make_shared<const Grammar>(std::move(*grammar)));
}

bool fits(const TextForm& form, std::string_view text) {
    Automaton automaton = automaton_of(form);
    return test::is_text_of(automaton, text);
}

struct RegexCase {
    const char* regex;
    std::vector<const char*> fitting;
    std::vector<const char*> others;
};

TEST(Regex, MatchesTheWholeText) {
    const std::vector<RegexCase> cases = {
        {"a", {"a"}, {"", "aa", "xa"}},
        {"a|bc", {"a", "bc"}, {"ac", "abc", "b"}},
        {"^a$|b", {"a", "b"}, {"ab"}},
        {"a$b", {}, {"a", "ab"}},
        {"a*", {"", "aaa"}, {"b"}},
        {"\\w+@\\w+\\.com\\n", {"alan@enigma.com\n"}, {"alan@enigma.com"}},
        {R"("\\\t)", {"\"\\\t"}, {R"(\"\\\t)"}},
        {".", {"a", "\"", "\t", "\xC3\xA9", "\xF0\x9F\x98\x80"}, {"\n", "\xF0\x9F\x98", "\x01", "\x7F"}},
        {"[^a]{2}", {"\xF0\x9F\x98\x80\n"}, {"\xF0\x9F\x98\x80", "ab"}},
        {"\\S\\D\\W", {"\xF0\x9F\x98\x80--"}, {" --"}},
        {"(?P<year>\\d{2})-(?<day>\\d)", {"24-1"}, {"24-"}},
        {"(P<a>)", {"P<a>"}, {""}},
        {"(?=.*\\d)[a-z0-9]{2}", {"a1", "1a"}, {"aa"}},
        {"^(?!no)\\w{2,3}", {"yes", "on"}, {"no", "not"}},
        {"(?:\xE4\xB8\x80|\xE4\xB8\x83)+", {"\xE4\xB8\x80\xE4\xB8\x83"}, {"\xE4\xB8\x81", "\xE4\xB8"}},
    };
    for (const RegexCase& one : cases) {
        if (!one.fitting.empty()) {
            for (const char* text : one.fitting) EXPECT_TRUE(fits({.regex = one.regex}, text)) << one.regex << text;
            for (const char* text : one.others) EXPECT_FALSE(fits({.regex = one.regex}, text)) << one.regex << text;
        } else {
            EXPECT_EQ(refusal({.regex = one.regex}), "regex: no text matches it") << one.regex;
        }
    }
}

TEST(Regex, AgreesWithTheStandardLibrary) {
    std::mt19937 random(40);
    const std::vector<std::string> texts = test::short_texts();
    int n_compiled = 0;
    for (int i = 0; i < 400; ++i) {
        const std::string regex = test::random_pattern(random, 2);
        const std::regex expected(base::concat("^(?:", regex, ")$"));
        const bool is_refused = refusal({.regex = regex}) != "accepted";
        if (is_refused) EXPECT_EQ(refusal({.regex = regex}), "regex: no text matches it") << regex;
        n_compiled += is_refused ? 0 : 1;
        std::optional<Automaton> automaton;
        if (!is_refused) automaton = automaton_of({.regex = regex});
        for (const std::string& text : texts) {
            const bool is_text = automaton && test::is_text_of(*automaton, text);
            EXPECT_EQ(is_text, std::regex_match(text, expected)) << regex << " and " << text;
        }
    }
    EXPECT_GT(n_compiled, 200);
}

TEST(Regex, WhatIsNotSupportedIsNamed) {
    struct Refused {
        const char* regex;
        const char* why;
    };
    const std::vector<Refused> cases = {
        {"a(?<=b)", "regex: \"a(?<=b)\" at character 2: a look-behind is not supported"},
        {"(a)\\1", "regex: \"(a)\\\\1\" at character 4: a back-reference is not supported"},
        {"(?P<n>a)(?P=n)", "regex: \"(?P<n>a)(?P=n)\" at character 9: a back-reference is not supported"},
        {"x(?=a)", "regex: \"x(?=a)\" at character 2: a look-ahead is supported right after a leading ^ only"},
        {"[^\\s\\S]", "regex: no text matches it"},
    };
    for (const Refused& one : cases) EXPECT_EQ(refusal({.regex = one.regex}), one.why);
}

TEST(Regex, TakesBoundedWork) {
    for (const std::string& regex :
         std::vector<std::string>{"(a|b)*a(a|b){60}", "((a{0,99}){0,99}){0,99}", "(\\w{1,100}\\W?){100}", ".{0,16000}",
                                  std::string(60000, '(') + std::string(5000, ')'), std::string(65536, 'a')}) {
        const test::ProcessorTime time;
        const std::string said = refusal({.regex = regex});
        EXPECT_EQ(said.rfind("regex: ", 0), 0u) << regex.substr(0, 40) << said;
        EXPECT_LT(said.size(), 400u);
        EXPECT_LT(time.seconds(), 2) << regex.substr(0, 40);
    }
}

TEST(Choices, AreTheTextsExactly) {
    const std::vector<std::string> choices = {"yes", "yes, \"indeed\"", "ye", "\xE4\xB8\x80", "\xE4\xB8\x83",
                                              "\n",  "\xF0\x9F\x98\x80"};
    const TextForm form{.choices = choices};
    for (const std::string& choice : choices) EXPECT_TRUE(fits(form, choice)) << choice;
    for (const char* text : {"", "y", "yes,", "yes ", "\xE4\xB8", "\xE4\xB8\x81", "\n\n"}) {
        EXPECT_FALSE(fits(form, text)) << text;
    }
    Automaton automaton = automaton_of(form);
    EXPECT_FALSE(automaton.is_final(test::behind(automaton, "yes")));
    EXPECT_TRUE(automaton.is_final(test::behind(automaton, "yes, \"indeed\"")));
    EXPECT_TRUE(fits({.choices = std::vector<std::string>{""}}, ""));
}

TEST(Choices, AreAsManyAsARequestMayHave) {
    std::mt19937 random(41);
    std::vector<std::string> many(10'000);
    for (std::string& one : many) {
        one = std::to_string(random());
        one.resize(13, 'x');
    }
    for (const std::vector<std::string>& choices : {many, {std::string(128u << 10, 'x')}}) {
        const test::ProcessorTime time;
        Automaton automaton = automaton_of({.choices = choices});
        EXPECT_LT(time.seconds(), 2);
        for (size_t i = 0; i < choices.size(); i += 97) EXPECT_TRUE(test::is_text_of(automaton, choices[i]));
        EXPECT_FALSE(test::is_text_of(automaton, "x"));
    }
}

}  // namespace
}  // namespace llmd::constraint
