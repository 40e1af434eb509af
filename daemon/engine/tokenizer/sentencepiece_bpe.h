// SentencePiece-style byte-pair encoding with byte fallback (`tokenizer.ggml.model` = "llama"): spaces become U+2581,
// each character is a symbol, and those neighbours merge first whose joined text is the token with the highest score
// (https://github.com/google/sentencepiece, src/bpe_model.cc).
// Immutable after create(): may be used from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tokenizer/added_tokens.h"
#include "engine/tokenizer/symbol_merge.h"
#include "engine/tokenizer/token_texts.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::tokenizer {

// Vocabularies spell a space as U+2581.
inline constexpr std::string_view kSpace = "\xE2\x96\x81";
// Returns the value of "<0xHH>", as vocabularies spell a byte, and -1 for any other text.
int32_t spelled_byte(std::string_view text);

class SentencePieceBpe final : public Tokenizer {
public:
    // Besides the conditions of Tokenizer::create(), each token has a score and none is NaN, tokens of kind Byte are
    // spelled <0x00>..<0xFF>, and there is an unknown token if some byte has no token.
    static base::Result<std::unique_ptr<Tokenizer>> create(const model::Gguf& gguf);

    // The unknown token appends nothing, since the text that it stood for is lost.
    void append_bytes(int32_t id, std::string& out) const override;
    std::string_view token_text(int32_t id) const override {
        return id < 0 || static_cast<uint32_t>(id) >= vocabulary_size() ? std::string_view() : texts_[id];
    }

private:
    explicit SentencePieceBpe(TokenTexts texts) : texts_(std::move(texts)) {}
    base::Result<void> read(const model::Gguf& gguf);
    // With tokenizer.ggml.add_space_prefix, a space is put before the text at the beginning and after each added token,
    // as in llama.cpp.
    std::vector<int32_t> encode_scanned(std::string_view text, const Scan& scan) const override;
    base::Result<void> read_ranks(const model::Gguf& gguf);
    base::Result<void> read_bytes();
    // Returns the token that ordinary text of this spelling may become; -1 if there is none.
    int32_t find_text(std::string_view text, const Scan& scan) const;
    void encode_plain(std::string_view text, const Scan& scan, std::vector<int32_t>& ids) const;

    TokenTexts texts_;
    AddedTokens added_;
    std::vector<uint32_t> ranks_;             // by id: how many different scores are higher than the token's
    std::array<int32_t, 256> byte_ids_ = {};  // -1: no token
    int32_t unknown_id_ = -1;
};

}  // namespace llmd::tokenizer
