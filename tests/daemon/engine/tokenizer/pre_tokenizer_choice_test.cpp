// A vocabulary tells its rule only where every kind of token points to it; the least doubt chooses none.
#include "engine/tokenizer/pre_tokenizer_choice.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace llmd::tokenizer {
namespace {

using Tokens = std::vector<std::string>;

std::string chosen(const Tokens& tokens) {
    const auto name = choose_pre_tokenizer(tokens);
    EXPECT_TRUE(name);
    return name && *name ? std::string(**name) : "";
}

Tokens operator+(Tokens tokens, const Tokens& others) {
    tokens.insert(tokens.end(), others.begin(), others.end());
    return tokens;
}

// Every vocabulary has these, also "e" with half a character.
const Tokens kCommon = {"the", " the", "'s", " (", "\n\n", "    ", "e\xc3"};
const Tokens kOfWords = {".get", "(x", "\u201cThe", ");\n"};
const std::map<std::string, Tokens> kOfRule = {
    {"gpt-2", kCommon + Tokens{"20", "2019", " 2", "eB"}},
    {"smollm", kCommon + Tokens{"eB"}},
    {"gpt-4o", kCommon + kOfWords + Tokens{"20", "200", "n't", " don't", "\n/", ";\n//"}},
    {"tekken", kCommon + kOfWords},
    {"deepseek-v3", kCommon + Tokens{"20", "200", "eB", ".get", ");\n", "\u0e17\u0e35\u0e48", "\u200d\u200d"}},
};

TEST(PreTokenizerChoice, EachRuleIsKnownByItsTokens) {
    for (const auto& [name, tokens] : kOfRule) EXPECT_EQ(chosen(tokens), name);
}

TEST(PreTokenizerChoice, AKindOfTokenThatIsMissingChoosesNone) {
    for (const auto& [name, tokens] : kOfRule) {
        for (const std::string missing : {"'s", " (", "\n\n"}) {
            Tokens fewer = tokens;
            std::erase(fewer, missing);
            EXPECT_EQ(chosen(fewer), "") << name << " without " << missing;
        }
    }
}

TEST(PreTokenizerChoice, OneTokenThatTheRuleCutsChoosesNone) {
    for (const auto& [name, tokens] : kOfRule) {
        for (const std::string cut : {"the end", "a1", "e.", "\na"}) {
            EXPECT_EQ(chosen(tokens + Tokens{cut}), "") << name << " with " << cut;
        }
    }
    EXPECT_EQ(chosen(kOfRule.at("smollm") + Tokens{"20"}), "");
    EXPECT_EQ(chosen(kOfRule.at("gpt-2") + Tokens{"\u0e17\u0e35"}), "") << "a mark in a word";
}

// Other rules leave the same traces.
TEST(PreTokenizerChoice, Llama3sAndQwensChooseNone) {
    EXPECT_EQ(chosen(kCommon + kOfWords + Tokens{"20", "200", "eB"}), "") << "Llama 3's or MiniCPM5's";
    EXPECT_EQ(chosen(kCommon + kOfWords + Tokens{"eB"}), "") << "Qwen 2's or Qwen 3.5's";
    EXPECT_EQ(chosen({}), "");
    EXPECT_EQ(chosen({"\xff", "he", "the"}), "");
}

}  // namespace
}  // namespace llmd::tokenizer
