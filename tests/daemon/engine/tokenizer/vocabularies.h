// Small vocabularies made in memory, for tests of both tokenizer families.
// Thread-bound.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/model/gguf.h"
#include "engine/tokenizer/tokenizer.h"
#include "support/gguf_writer.h"

namespace llmd::test {

// The character that spells `byte` in byte-level vocabularies.
inline std::string spelled(uint8_t byte) {
    const auto by_itself = [](int b) { return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174; };
    int code_point = byte;
    if (!by_itself(byte)) {
        code_point = 256;
        for (int b = 0; b < byte; ++b) code_point += by_itself(b) ? 0 : 1;
    }
    if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
    return {static_cast<char>(0xC0 | code_point >> 6), static_cast<char>(0x80 | (code_point & 0x3F))};
}

inline std::string spelled(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) text += spelled(static_cast<uint8_t>(c));
    return text;
}

struct Vocabulary {
    std::string family;  // tokenizer.ggml.model; empty: absent
    std::string pre;     // empty: absent
    std::vector<std::string> tokens;
    std::vector<int32_t> types;       // empty: absent
    std::vector<std::string> merges;  // empty: absent
    std::vector<float> scores;        // empty: absent
    std::vector<std::pair<std::string, uint32_t>> ids;
    std::vector<std::pair<std::string, bool>> flags;

    int32_t add(std::string text, tokenizer::TokenKind kind = tokenizer::TokenKind::Normal, float score = 0) {
        tokens.push_back(std::move(text));
        types.push_back(static_cast<int32_t>(kind));
        if (family == "llama") scores.push_back(score);
        return static_cast<int32_t>(tokens.size() - 1);
    }
    // Byte-level: the merge of two byte strings and the token it makes.
    int32_t add_merge(std::string_view left, std::string_view right) {
        merges.push_back(spelled(left) + " " + spelled(right));
        return add(spelled(left) + spelled(right));
    }

    GgufWriter writer() const {
        GgufWriter file;
        if (!family.empty()) file.add("tokenizer.ggml.model", family);
        if (!pre.empty()) file.add("tokenizer.ggml.pre", pre);
        file.add_array("tokenizer.ggml.tokens", tokens);
        if (!types.empty()) file.add_array("tokenizer.ggml.token_type", types);
        if (!merges.empty()) file.add_array("tokenizer.ggml.merges", merges);
        if (!scores.empty()) file.add_array("tokenizer.ggml.scores", scores);
        for (const auto& [key, id] : ids) file.add("tokenizer.ggml." + key, id);
        for (const auto& [key, flag] : flags) file.add("tokenizer.ggml." + key, flag);
        return file;
    }
};

inline base::Result<std::unique_ptr<tokenizer::Tokenizer>> create_tokenizer(const GgufWriter& writer) {
    // A tokenizer keeps no view into its file, so the bytes may go: sanitizers check that it is true.
    const std::vector<std::byte> bytes = writer.bytes();
    const auto gguf = model::Gguf::parse(bytes);
    if (!gguf) return gguf.error();
    return tokenizer::Tokenizer::create(*gguf);
}

inline base::Result<std::unique_ptr<tokenizer::Tokenizer>> create_tokenizer(const Vocabulary& vocabulary) {
    return create_tokenizer(vocabulary.writer());
}

// Fails the test when the vocabulary is refused; then null.
inline std::unique_ptr<tokenizer::Tokenizer> create(const Vocabulary& vocabulary) {
    auto created = create_tokenizer(vocabulary);
    EXPECT_TRUE(created) << (created ? "" : created.error().message);
    return created ? std::move(*created) : nullptr;
}

// The vocabulary is refused with a message that has all the parts.
inline void expect_refused(const Vocabulary& vocabulary, const std::vector<std::string>& parts) {
    const auto created = create_tokenizer(vocabulary);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().code, base::ErrorCode::ModelLoadFailed);
    for (const std::string& part : parts) EXPECT_THAT(created.error().message, testing::HasSubstr(part));
}

// Byte-level: ids 0..255 are the bytes in the order of their values; there has to be one merge, so "zq" is 256.
inline Vocabulary byte_vocabulary(std::string pre = "gpt-2") {
    Vocabulary vocabulary;
    vocabulary.family = "gpt2";
    vocabulary.pre = std::move(pre);
    for (int byte = 0; byte < 256; ++byte) vocabulary.add(spelled(static_cast<uint8_t>(byte)));
    vocabulary.add_merge("z", "q");
    return vocabulary;
}

// SentencePiece-style: <unk> 0, <s> 1, </s> 2, then the bytes at 3..258.
inline Vocabulary sentencepiece_vocabulary() {
    using tokenizer::TokenKind;
    Vocabulary vocabulary;
    vocabulary.family = "llama";
    vocabulary.add("<unk>", TokenKind::Unknown);
    vocabulary.add("<s>", TokenKind::Control);
    vocabulary.add("</s>", TokenKind::Control);
    for (int byte = 0; byte < 256; ++byte) {
        constexpr std::string_view kDigits = "0123456789ABCDEF";
        const std::string text = {
            '<', '0', 'x', kDigits[static_cast<size_t>(byte / 16)], kDigits[static_cast<size_t>(byte % 16)], '>'};
        vocabulary.add(text, TokenKind::Byte);
    }
    vocabulary.ids = {{"bos_token_id", 1}, {"eos_token_id", 2}};
    return vocabulary;
}

using Ids = std::vector<int32_t>;

// The ids 0..255 of a byte vocabulary.
inline Ids byte_ids(std::string_view bytes) {
    Ids ids;
    for (const char c : bytes) ids.push_back(static_cast<uint8_t>(c));
    return ids;
}

}  // namespace llmd::test
