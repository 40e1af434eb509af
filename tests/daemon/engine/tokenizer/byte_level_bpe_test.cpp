// Proves the order of merges, what happens to added tokens and odd bytes, and that errors for inconsistent vocabularies
// name the key and the value.
#include "engine/tokenizer/byte_level_bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "vocabularies.h"

namespace llmd::tokenizer {
namespace {

using test::byte_ids;
using test::byte_vocabulary;
using test::create;
using test::create_tokenizer;
using test::expect_refused;
using test::Ids;
using test::Vocabulary;

TEST(ByteLevelBpe, LowestRankFirstThenLeftmost) {
    Vocabulary vocabulary = byte_vocabulary();
    const int32_t bc = vocabulary.add_merge("b", "c");
    const int32_t ab = vocabulary.add_merge("a", "b");
    const int32_t aa = vocabulary.add_merge("a", "a");
    const int32_t aaaa = vocabulary.add_merge("aa", "aa");
    const auto tokenizer = create(vocabulary);
    EXPECT_EQ(tokenizer->encode("abc"), (Ids{'a', bc}));
    EXPECT_EQ(tokenizer->encode("abab"), (Ids{ab, ab}));
    EXPECT_EQ(tokenizer->encode("aaa"), (Ids{aa, 'a'}));
    EXPECT_EQ(tokenizer->encode("aaaaa"), (Ids{aaaa, 'a'}));
    EXPECT_EQ(tokenizer->encode("aab"), (Ids{'a', ab}));
    EXPECT_EQ(tokenizer->encode("ab bc"), (Ids{ab, ' ', bc}));
    EXPECT_EQ(tokenizer->encode(""), Ids{});
}

// The definition, word for word, in quadratic time.
Ids merge_naively(const std::vector<std::pair<std::string, std::string>>& merges, std::string_view text) {
    std::vector<std::string> symbols;
    for (const char c : text) symbols.emplace_back(1, c);
    while (true) {
        size_t best = merges.size(), at = 0;
        for (size_t i = 0; i + 1 < symbols.size(); ++i) {
            for (size_t rank = 0; rank < best; ++rank) {
                if (merges[rank].first == symbols[i] && merges[rank].second == symbols[i + 1]) best = rank, at = i;
            }
        }
        if (best == merges.size()) break;
        symbols[at] += symbols[at + 1];
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    Ids lengths;
    for (const std::string& symbol : symbols) lengths.push_back(static_cast<int32_t>(symbol.size()));
    return lengths;
}

TEST(ByteLevelBpe, AgreesWithTheDefinitionOnRandomMerges) {
    std::mt19937_64 bits(7);
    const auto below = [&](size_t n) { return static_cast<size_t>(bits() % n); };
    for (int round = 0; round < 50; ++round) {
        Vocabulary vocabulary = byte_vocabulary();
        std::vector<std::string> words = {"a", "b", "c"};
        std::vector<std::pair<std::string, std::string>> merges;
        while (merges.size() < 12) {
            const std::string left = words[below(words.size())], right = words[below(words.size())];
            if (std::find(words.begin(), words.end(), left + right) != words.end()) continue;
            vocabulary.add_merge(left, right);
            merges.emplace_back(left, right);
            words.push_back(left + right);
        }
        const auto tokenizer = create(vocabulary);
        for (int text_number = 0; text_number < 20; ++text_number) {
            std::string text;
            for (size_t i = below(40); i > 0; --i) text += static_cast<char>('a' + below(3));
            Ids lengths;
            for (const int32_t id : tokenizer->encode(text)) {
                lengths.push_back(static_cast<int32_t>(tokenizer->decode({id}).size()));
            }
            ASSERT_EQ(lengths, merge_naively(merges, text)) << text;
        }
    }
}

TEST(ByteLevelBpe, EveryByteStringComesBack) {
    Vocabulary vocabulary = byte_vocabulary();
    vocabulary.add_merge("\xC3", "\xA9");
    for (const char* pre : {"gpt-2", "llama-bpe", "qwen2", "smollm", "starcoder"}) {
        vocabulary.pre = pre;
        const auto tokenizer = create(vocabulary);
        std::string all;
        for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
        EXPECT_EQ(tokenizer->encode(all), byte_ids(all));
        for (const std::string& text : {all + all, std::string("caf\u00E9 \xFF\r\n\r\n x"), std::string(3, '\0'),
                                        std::string("\U0001F468\u200D\U0001F469 e\u0301")}) {
            EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
        }
    }
}

TEST(ByteLevelBpe, LongRunsStayFast) {
    Vocabulary vocabulary = byte_vocabulary("llama-bpe");
    for (const char c : {'a', ' ', '\n'}) {
        std::string word(1, c);
        for (int doubling = 0; doubling < 5; ++doubling, word += word) vocabulary.add_merge(word, word);
    }
    const auto tokenizer = create(vocabulary);
    for (const char c : {'a', ' ', '\n', '\xFF'}) {
        const std::string text(1'000'000, c);
        const Ids ids = tokenizer->encode(text);
        EXPECT_EQ(ids.size(), c == '\xFF' ? text.size() : text.size() / 32);
        EXPECT_EQ(tokenizer->decode(ids), text);
    }
}

TEST(ByteLevelBpe, ALargePromptOfManyWordsComesBack) {
    const auto tokenizer = create(byte_vocabulary());
    std::string text;
    while (text.size() < 64 * 1024) text += "word \u4F60 12\r\n";
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
}

TEST(ByteLevelBpe, WholePiecesOverrideMergesWhereTheRuleSaysSo) {
    Vocabulary vocabulary = byte_vocabulary("llama-bpe");
    const int32_t the = vocabulary.add("the");
    vocabulary.add("hidden", TokenKind::Control);
    EXPECT_EQ(create(vocabulary)->encode("the"), Ids{the});
    EXPECT_EQ(create(vocabulary)->encode("hidden"), byte_ids("hidden"));
    vocabulary.pre = "qwen2";
    EXPECT_EQ(create(vocabulary)->encode("the"), byte_ids("the"));
}

TEST(ByteLevelBpe, ControlTokensOnlyWhereAskedForAndUserDefinedOnesAlways) {
    Vocabulary vocabulary = byte_vocabulary();
    const int32_t end = vocabulary.add("<|end|>", TokenKind::Control);
    const int32_t user = vocabulary.add("<user>", TokenKind::UserDefined);
    const auto tokenizer = create(vocabulary);
    const std::string text = "a<user>b<|end|>";
    Ids literal = {'a', user, 'b'};
    for (const int32_t id : byte_ids("<|end|>")) literal.push_back(id);
    EXPECT_EQ(tokenizer->encode(text), literal);
    EXPECT_EQ(tokenizer->encode(text, SpecialTokens::Parse), (Ids{'a', user, 'b', end}));
    EXPECT_EQ(tokenizer->decode(literal), text);
    EXPECT_EQ(tokenizer->decode({'a', user, 'b', end}), "a<user>b");
}

TEST(ByteLevelBpe, AddedTokensLongestAtTheLeftmostPlace) {
    Vocabulary vocabulary = byte_vocabulary();
    const int32_t a = vocabulary.add("<x", TokenKind::UserDefined);
    const int32_t ab = vocabulary.add("<x>", TokenKind::UserDefined);
    const int32_t abc = vocabulary.add("<x><y>", TokenKind::UserDefined);
    const int32_t late = vocabulary.add("y><x>", TokenKind::UserDefined);
    const int32_t spaces = vocabulary.add("    ", TokenKind::UserDefined);
    const auto tokenizer = create(vocabulary);
    EXPECT_EQ(tokenizer->encode("<x<x><x><y>"), (Ids{a, ab, abc}));
    EXPECT_EQ(tokenizer->encode("<x><y><x>"), (Ids{abc, ab}));
    EXPECT_EQ(tokenizer->encode("y><x><y"), (Ids{late, '<', 'y'}));
    EXPECT_EQ(tokenizer->encode("     "), (Ids{spaces, ' '}));
    EXPECT_EQ(tokenizer->decode({spaces, ' '}), "     ");
}

TEST(ByteLevelBpe, IdsOutsideTheVocabularyAreNothing) {
    const auto tokenizer = create(byte_vocabulary());
    EXPECT_EQ(tokenizer->decode({-1, 'a', 257, 1'000'000, INT32_MIN, INT32_MAX}), "a");
    EXPECT_FALSE(tokenizer->ends_generation(-1));
}

TEST(ByteLevelBpe, MissingBytesBecomeTheUnknownToken) {
    Vocabulary vocabulary = byte_vocabulary();
    vocabulary.tokens[0xFF] = "<other>";
    EXPECT_EQ(create(vocabulary)->encode("a\xFFz"), (Ids{'a', 'z'}));
    vocabulary.ids = {{"unknown_token_id", 255}};
    EXPECT_EQ(create(vocabulary)->encode("a\xFFz"), (Ids{'a', 255, 'z'}));
}

TEST(ByteLevelBpe, CharactersThatSpellNoByteStandForThemselves) {
    Vocabulary vocabulary = byte_vocabulary();
    const int32_t odd = vocabulary.add("a \u4F60\xFF");
    EXPECT_EQ(create(vocabulary)->decode({odd}), "a \u4F60\xFF");
}

TEST(ByteLevelBpe, RefusesWhatContradictsItself) {
    Vocabulary vocabulary = byte_vocabulary();
    vocabulary.pre = "";
    expect_refused(vocabulary, {"tokenizer.ggml.pre", "absent", "convert"});
    vocabulary.pre = "default";
    expect_refused(vocabulary, {"tokenizer.ggml.pre", "\"default\"", "convert"});
    vocabulary.pre = "viking";
    expect_refused(vocabulary, {"tokenizer.ggml.pre", "\"viking\"", "gpt-2"});

    const auto with_merge = [](const std::string& merge) {
        Vocabulary changed = byte_vocabulary();
        changed.add("ab");
        changed.merges.push_back(merge);
        return changed;
    };
    EXPECT_TRUE(create_tokenizer(with_merge("a b")));
    expect_refused(with_merge("b a"), {"tokenizer.ggml.merges[1]", "\"b a\"", "result"});
    expect_refused(with_merge("aa b"), {"tokenizer.ggml.merges[1]", "left"});
    expect_refused(with_merge("a bb"), {"tokenizer.ggml.merges[1]", "right"});
    for (const char* merge : {"", " ", "a", "a ", " b", "ab"}) {
        expect_refused(with_merge(merge), {"tokenizer.ggml.merges[1]", "two parts"});
    }
    Vocabulary control = byte_vocabulary();
    control.types.back() = static_cast<int32_t>(TokenKind::Control);
    expect_refused(control, {"tokenizer.ggml.merges[0]", "control"});
    Vocabulary no_merges = byte_vocabulary();
    no_merges.merges.clear();
    expect_refused(no_merges, {"tokenizer.ggml.merges", "absent"});
    Vocabulary twice = byte_vocabulary();
    twice.add("a");
    expect_refused(twice, {"tokens 97 and 257", "\"a\""});
    Vocabulary long_token = byte_vocabulary();
    long_token.add(std::string(AddedTokens::kMaxBytes, 'x'), TokenKind::UserDefined);
    EXPECT_TRUE(create_tokenizer(long_token));
    long_token.add(std::string(AddedTokens::kMaxBytes + 1, 'x'), TokenKind::UserDefined);
    expect_refused(long_token, {"token 258", "1025"});
}

}  // namespace
}  // namespace llmd::tokenizer
