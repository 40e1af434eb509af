// Proves where each rule splits, on the cases that distinguish them.
#include "engine/tokenizer/pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace llmd::tokenizer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PreTokenizer create(std::string_view name) {
    auto created = PreTokenizer::create(name);
    EXPECT_TRUE(created) << (created ? "" : created.error().message);
    return std::move(*created);
}

TEST(PreTokenizer, UnknownNameIsNamedAndTheKnownOnesAreListed) {
    const auto created = PreTokenizer::create("klingon-\xFF");
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code, base::ErrorCode::ModelLoadFailed);
    EXPECT_THAT(created.error().message, HasSubstr("\"klingon-?\""));
    for (const char* known : {"gpt-2", "llama-bpe", "qwen2", "smollm", "starcoder"}) {
        EXPECT_THAT(created.error().message, HasSubstr(known));
    }
    EXPECT_FALSE(PreTokenizer::create("default"));
    EXPECT_FALSE(PreTokenizer::create(""));
}

TEST(PreTokenizer, Gpt2) {
    const PreTokenizer gpt2 = create("gpt-2");
    EXPECT_TRUE(gpt2.split("").empty());
    EXPECT_THAT(gpt2.split("Hello world"), ElementsAre("Hello", " world"));
    EXPECT_THAT(gpt2.split("a   b"), ElementsAre("a", "  ", " b"));
    EXPECT_THAT(gpt2.split("a\n\nb"), ElementsAre("a", "\n", "\n", "b"));
    EXPECT_THAT(gpt2.split("x  \n"), ElementsAre("x", "  \n"));
    EXPECT_THAT(gpt2.split("a 1234 5"), ElementsAre("a", " 1234", " 5"));
    EXPECT_THAT(gpt2.split("we'll WE'LL"), ElementsAre("we", "'ll", " WE", "'", "LL"));
    EXPECT_THAT(gpt2.split("a, \"b\""), ElementsAre("a", ",", " \"", "b", "\""));
}

// As in other implementations, what stands between matches is one pre-token.
TEST(PreTokenizer, WhatNoRuleNamesStaysTogether) {
    EXPECT_THAT(create("deepseek-v3").split("a\u200d\u200d!\u200d\u200db"),
                ElementsAre("a", "\u200d\u200d", "!", "\u200d", "\u200db"));
}

TEST(PreTokenizer, SingleDigits) {
    for (const char* name : {"smollm", "starcoder"}) {
        const PreTokenizer rule = create(name);
        EXPECT_THAT(rule.split("a 12 b"), ElementsAre("a", " ", "1", "2", " b"));
        EXPECT_THAT(rule.split("a   1"), ElementsAre("a", "   ", "1"));
        EXPECT_THAT(rule.split("a   b"), ElementsAre("a", "  ", " b"));
        EXPECT_THAT(rule.split("'s'1's"), ElementsAre("'s", "'", "1", "'s"));
        EXPECT_THAT(rule.split("x\n7"), ElementsAre("x", "\n", "7"));
    }
}

TEST(PreTokenizer, Llama3AndQwen2) {
    const PreTokenizer llama = create("llama-bpe");
    const PreTokenizer qwen = create("qwen2");
    for (const PreTokenizer* rule : {&llama, &qwen}) {
        EXPECT_THAT(rule->split("we'll WE'LL"), ElementsAre("we", "'ll", " WE", "'LL"));
        EXPECT_THAT(rule->split("(foo)"), ElementsAre("(foo", ")"));
        EXPECT_THAT(rule->split("x ;\r\ny"), ElementsAre("x", " ;\r\n", "y"));
        EXPECT_THAT(rule->split("x  \n \n y"), ElementsAre("x", "  \n \n", " y"));
        EXPECT_THAT(rule->split("a\tb"), ElementsAre("a", "\tb"));
        EXPECT_THAT(rule->split("a  1"), ElementsAre("a", " ", " ", "1"));
    }
    EXPECT_THAT(llama.split("12345 6"), ElementsAre("123", "45", " ", "6"));
    EXPECT_THAT(qwen.split("123 4"), ElementsAre("1", "2", "3", " ", "4"));
    EXPECT_TRUE(llama.ignores_merges());
    EXPECT_TRUE(llama.adds_begin());
    EXPECT_FALSE(qwen.ignores_merges());
    EXPECT_FALSE(qwen.adds_begin());
    // U+017F folds to "s" and is no contraction.
    EXPECT_THAT(qwen.split("a'\u017F"), ElementsAre("a", "'\u017F"));
}

TEST(PreTokenizer, WordsEndWhereUpperCaseBegins) {
    const PreTokenizer gpt4o = create("gpt-4o"), tekken = create("tekken");
    for (const PreTokenizer* rule : {&gpt4o, &tekken}) {
        EXPECT_THAT(rule->split("camelCase HTTPServer"), ElementsAre("camel", "Case", " HTTPServer"));
        EXPECT_THAT(rule->split("a//\nb"), ElementsAre("a", "//\n", "b"));
        EXPECT_THAT(rule->split("नमस्ते"), ElementsAre("नमस्ते")) << "marks are in words";
    }
    EXPECT_THAT(gpt4o.split("we'll 1234"), ElementsAre("we'll", " ", "123", "4"));
    EXPECT_THAT(tekken.split("we'll 12"), ElementsAre("we", "'ll", " ", "1", "2"));
    EXPECT_TRUE(tekken.ignores_merges());
    EXPECT_TRUE(tekken.adds_begin());
}

// A text that is split off first ends the text before it, so that spaces there stay together.
TEST(PreTokenizer, NumbersAndChineseAreIsolated) {
    for (const char* name : {"deepseek-v3", "hunyuan-dense"}) {
        const PreTokenizer rule = create(name);
        EXPECT_THAT(rule.split("a  12345 b"), ElementsAre("a", "  ", "123", "45", " b"));
        EXPECT_THAT(rule.split("ab你好cd"), ElementsAre("ab", "你好", "cd"));
        EXPECT_THAT(rule.split("x.foo"), ElementsAre("x", ".foo"));
        EXPECT_TRUE(rule.split("").empty());
    }
    EXPECT_THAT(create("minicpm5").split("a  12345"), ElementsAre("a", "  ", "123", "45"));
}

TEST(PreTokenizer, MarksAreInWordsOfQwen35) {
    EXPECT_THAT(create("qwen35").split("e\u0301a 12"), ElementsAre("e\u0301a", " ", "1", "2"));
    EXPECT_THAT(create("qwen2").split("e\u0301a"), ElementsAre("e", "\u0301a"));
}

TEST(PreTokenizer, SpacesBeyondAscii) {
    const PreTokenizer gpt2 = create("gpt-2");
    for (const char* space : {"\u0085", "\u00A0", "\u2028", "\u3000"}) {
        EXPECT_THAT(gpt2.split(std::string("a") + space + space + "b"), ElementsAre("a", space, space, "b"));
    }
    // Neither is White_Space: U+180E was until Unicode 6.3, U+200B never.
    for (const char* other : {"\u180E", "\u200B"}) {
        EXPECT_THAT(gpt2.split(std::string(" ") + other + other), ElementsAre(std::string(" ") + other + other));
    }
}

TEST(PreTokenizer, MarksAreNeitherLettersNorNumbers) {
    EXPECT_THAT(create("gpt-2").split("e\u0301x"), ElementsAre("e", "\u0301", "x"));
    EXPECT_THAT(create("qwen2").split("e\u0301x"), ElementsAre("e", "\u0301x"));
}

TEST(PreTokenizer, InvalidBytesStandAlone) {
    const PreTokenizer gpt2 = create("gpt-2");
    EXPECT_THAT(gpt2.split("ab\xFF\xC3\x28z"), ElementsAre("ab", "\xFF", "\xC3", "(", "z"));
    EXPECT_THAT(gpt2.split("a  \x80 b"), ElementsAre("a", "  ", "\x80", " b"));
    EXPECT_THAT(gpt2.split("\xE2\x82"), ElementsAre("\xE2", "\x82"));
    EXPECT_THAT(gpt2.split(std::string_view("a\0b", 3)), ElementsAre("a", std::string_view("\0", 1), "b"));
}

TEST(PreTokenizer, LongRunsAreOnePiece) {
    constexpr size_t kLength = 1'000'000;
    for (const char* name : {"gpt-2", "llama-bpe", "qwen2", "smollm"}) {
        const PreTokenizer rule = create(name);
        for (const char c : {'a', ' ', '\n', '.'}) {
            EXPECT_EQ(rule.split(std::string(kLength, c)).size(), 1u) << name << " " << c;
        }
        // The longest backtracking: a run of spaces without a newline, then a word.
        EXPECT_EQ(rule.split(std::string(kLength, ' ') + "x").size(), 2u) << name;
        EXPECT_EQ(rule.split("\n" + std::string(kLength, '\t') + "\n").size(), 1u) << name;
    }
}

TEST(PreTokenizer, PiecesMakeUpTheText) {
    const std::string text = "It's 2024,\r\n  \u4F60\u597D \U0001F642\u200D! caf\u00E9\xFF\xFE  x\t\t1";
    for (const char* name : {"gpt-2", "llama-bpe", "qwen2", "smollm", "starcoder"}) {
        std::string joined;
        for (const std::string_view pre_token : create(name).split(text)) {
            EXPECT_FALSE(pre_token.empty());
            joined += pre_token;
        }
        EXPECT_EQ(joined, text) << name;
    }
}

}  // namespace
}  // namespace llmd::tokenizer
