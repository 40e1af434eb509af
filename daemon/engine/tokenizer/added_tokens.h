// Tokens that are found in the text as a whole before anything else is done to it: user-defined ones everywhere,
// control tokens where the caller asks for them. At each place the longest one wins, and places are tried from left to
// right, as Hugging Face's tokenizers and SentencePiece do it. Immutable after create(): may be used from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/tokenizer/token_texts.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::tokenizer {

class AddedTokens {
public:
    // Bounds the work that each byte of a prompt can cost; the longest known ones, runs of spaces, have under 256.
    static constexpr size_t kMaxBytes = 1024;

    // All tokens of the kinds UserDefined and Control. ModelLoadFailed when one is longer than kMaxBytes.
    static base::Result<AddedTokens> create(const TokenTexts& texts, const std::vector<TokenKind>& kinds);

    struct Piece {
        std::string_view text;
        int32_t id;  // -1: text between added tokens, never empty
    };
    // Consecutive pieces that make up `text`. Control tokens are found within `parsed` only: ascending ranges that do
    // not touch.
    std::vector<Piece> split(std::string_view text, std::span<const ByteRange> parsed) const;

private:
    struct Token {
        std::string text;
        int32_t id;
        bool is_control;
    };
    // The longest token that `text` begins with, a control token only within its first `n_parsed` bytes; null if there
    // is none.
    const Token* longest_prefix(std::string_view text, size_t n_parsed) const;

    std::vector<Token> tokens_;  // sorted by text
    std::array<bool, 256> begins_token_ = {};
};

}  // namespace llmd::tokenizer
