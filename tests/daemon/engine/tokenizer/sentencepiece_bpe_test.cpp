// Proves the order of merges by score, the space prefix, byte fallback, and what is refused.
#include "engine/tokenizer/sentencepiece_bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "vocabularies.h"

namespace llmd::tokenizer {
namespace {

using test::create;
using test::create_tokenizer;
using test::expect_refused;
using test::Ids;
using test::sentencepiece_vocabulary;
using test::Vocabulary;

constexpr int32_t kFirstByte = 3;

Vocabulary without_prefix() {
    Vocabulary vocabulary = sentencepiece_vocabulary();
    vocabulary.flags = {{"add_space_prefix", false}};
    return vocabulary;
}

TEST(SentencePieceBpe, HighestScoreFirstThenLeftmost) {
    Vocabulary vocabulary = without_prefix();
    const int32_t a = vocabulary.add("a", TokenKind::Normal, -10);
    const int32_t b = vocabulary.add("b", TokenKind::Normal, -11);
    const int32_t c = vocabulary.add("c", TokenKind::Normal, -12);
    const int32_t bc = vocabulary.add("bc", TokenKind::Normal, -1);
    const int32_t ab = vocabulary.add("ab", TokenKind::Normal, -2);
    const int32_t aa = vocabulary.add("aa", TokenKind::Normal, -2);
    const int32_t aab = vocabulary.add("aab", TokenKind::Normal, 5);
    const auto tokenizer = create(vocabulary);
    EXPECT_EQ(tokenizer->encode("abc"), (Ids{a, bc}));
    EXPECT_EQ(tokenizer->encode("abab"), (Ids{ab, ab}));
    EXPECT_EQ(tokenizer->encode("aaa"), (Ids{aa, a}));
    EXPECT_EQ(tokenizer->encode("aab"), Ids{aab});  // aa and ab tie, the left one goes first, then aa+b
    EXPECT_EQ(tokenizer->encode("cb"), (Ids{c, b}));
    EXPECT_EQ(tokenizer->encode(""), Ids{});
}

TEST(SentencePieceBpe, MergesCharactersThatAreNoTokensThemselves) {
    Vocabulary vocabulary = without_prefix();
    const int32_t pair = vocabulary.add("\u4F60\u597D", TokenKind::Normal, -1);
    const auto tokenizer = create(vocabulary);
    EXPECT_EQ(tokenizer->encode("\u4F60\u597D"), Ids{pair});
    EXPECT_EQ(tokenizer->encode("\u4F60"), (Ids{kFirstByte + 0xE4, kFirstByte + 0xBD, kFirstByte + 0xA0}));
}

TEST(SentencePieceBpe, SpacePrefixAtTheBeginningAndAfterAddedTokens) {
    Vocabulary vocabulary = sentencepiece_vocabulary();
    const int32_t space = vocabulary.add("\u2581", TokenKind::Normal, -5);
    const int32_t x = vocabulary.add("x", TokenKind::Normal, -6);
    const int32_t space_x = vocabulary.add("\u2581x", TokenKind::Normal, -1);
    const int32_t newline = vocabulary.add("\n", TokenKind::UserDefined);
    const auto tokenizer = create(vocabulary);
    EXPECT_EQ(tokenizer->encode("x"), Ids{space_x});
    EXPECT_EQ(tokenizer->encode(" x"), (Ids{space, space_x}));
    EXPECT_EQ(tokenizer->encode("xx\nx"), (Ids{space_x, x, newline, space_x}));
    EXPECT_EQ(tokenizer->encode("\n"), Ids{newline});
    EXPECT_EQ(tokenizer->encode("\u2581x"), (Ids{space, space_x}));  // U+2581 and a space are the same
    EXPECT_EQ(tokenizer->decode({space, space_x, newline, x}), "  x\nx");
    EXPECT_EQ(tokenizer->encode("</s>x", SpecialTokens::Parse), (Ids{2, space_x}));
    EXPECT_EQ(tokenizer->encode_prompt("x"), (Ids{1, space_x}));
    EXPECT_TRUE(tokenizer->adds_space(space_x));
    for (const int32_t id : {-1, 2, newline, newline + 1}) EXPECT_FALSE(tokenizer->adds_space(id)) << id;
    EXPECT_FALSE(create(without_prefix())->adds_space(kFirstByte - 1));
}

TEST(SentencePieceBpe, BytesThatAreNoTokensFallBackToByteTokens) {
    const auto tokenizer = create(without_prefix());
    const std::string text("a\0\xFF\xC3\xE2\x82\n\U0001F642 ", 12);
    const Ids ids = tokenizer->encode(text);
    EXPECT_EQ(ids.size(), text.size() + 2);  // the space is three bytes of U+2581
    std::string bytes = tokenizer->decode(ids);
    EXPECT_EQ(bytes, text.substr(0, text.size() - 1) + "\u2581");
}

TEST(SentencePieceBpe, TheUnknownTokenOnlyWithoutByteTokens) {
    Vocabulary vocabulary = without_prefix();
    vocabulary.types[kFirstByte + 0xBD] = static_cast<int32_t>(TokenKind::Unused);
    const int32_t a = vocabulary.add("a");
    const auto tokenizer = create(vocabulary);
    EXPECT_EQ(tokenizer->encode("a\u4F60a"), (Ids{a, 0, a}));
    EXPECT_EQ(tokenizer->encode("\n"), Ids{kFirstByte + '\n'});
    EXPECT_EQ(tokenizer->decode({a, 0, a}), "aa");
}

TEST(SentencePieceBpe, TextThatSpellsControlUnknownOrByteTokensIsText) {
    Vocabulary vocabulary = without_prefix();
    // Enough merges to reach each of them.
    for (const char* text : {"<",  ">",  "/",   "s",  "u",   "n",    "k",  "0",   "x",    "A",
                             "<s", "</", "</s", "<u", "<un", "<unk", "<0", "<0x", "<0xA", "<0xAA"}) {
        vocabulary.add(text);
    }
    const auto tokenizer = create(vocabulary);
    for (const char* text : {"<s>", "</s>", "<unk>", "<0xAA>"}) {
        const Ids ids = tokenizer->encode(text);
        EXPECT_GT(ids.size(), 1u) << text;
        EXPECT_EQ(tokenizer->decode(ids), text);
    }
}

TEST(SentencePieceBpe, LongRunsStayFast) {
    Vocabulary vocabulary = without_prefix();
    for (const char* c : {"a", "\u2581", "\n"}) {
        std::string word = c;
        for (int doubling = 0; doubling <= 5; ++doubling, word += word) {
            vocabulary.add(word, TokenKind::Normal, static_cast<float>(doubling));
        }
    }
    const auto tokenizer = create(vocabulary);
    for (const char c : {'a', ' ', '\n', '\xFF'}) {
        const std::string text(1'000'000, c);
        const Ids ids = tokenizer->encode(text);
        EXPECT_EQ(ids.size(), c == '\xFF' ? text.size() : text.size() / 32);
        EXPECT_EQ(tokenizer->decode(ids), text);
    }
}

TEST(SentencePieceBpe, RefusesWhatContradictsItself) {
    Vocabulary no_scores = sentencepiece_vocabulary();
    no_scores.scores.clear();
    expect_refused(no_scores, {"tokenizer.ggml.scores", "0", "259"});
    Vocabulary few_scores = sentencepiece_vocabulary();
    few_scores.scores.pop_back();
    expect_refused(few_scores, {"tokenizer.ggml.scores", "258", "259"});
    Vocabulary nan = sentencepiece_vocabulary();
    nan.scores[7] = std::numeric_limits<float>::quiet_NaN();
    expect_refused(nan, {"tokenizer.ggml.scores[7]", "NaN"});
    Vocabulary infinite = sentencepiece_vocabulary();
    infinite.scores[7] = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(create_tokenizer(infinite));
    for (const char* text : {"<0xG0>", "<0x0g>", "0x00", "<0x000>", "", "<0xaa>"}) {
        Vocabulary odd_byte = sentencepiece_vocabulary();
        odd_byte.tokens[kFirstByte] = text;
        expect_refused(odd_byte, {"token 3", "<0x00>..<0xFF>"});
    }
    Vocabulary no_unknown = sentencepiece_vocabulary();
    no_unknown.types[0] = static_cast<int32_t>(TokenKind::Normal);
    EXPECT_TRUE(create_tokenizer(no_unknown));
    no_unknown.types[kFirstByte + 9] = static_cast<int32_t>(TokenKind::Normal);
    expect_refused(no_unknown, {"byte 9", "unknown token"});
}

}  // namespace
}  // namespace llmd::tokenizer
