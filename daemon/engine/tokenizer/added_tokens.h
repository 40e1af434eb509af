// Added tokens are found in the text as a whole before the text is tokenized: user-defined ones everywhere, control
// tokens and barred ones only where the caller asks for them. The text is scanned from left to right, and the longest
// token wins at each position, as in Hugging Face's tokenizers and SentencePiece. Immutable after create(): may be used
// from any thread.
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
    // This bounds the work for each byte of a prompt. The longest known added tokens, runs of spaces, have under 256.
    static constexpr size_t kMaxBytes = 1024;

    // Takes all tokens of the kinds UserDefined and Control. ModelLoadFailed when one is longer than kMaxBytes.
    static base::Result<AddedTokens> create(const TokenTexts& texts, const std::vector<TokenKind>& kinds);

    struct Fragment {
        std::string_view text;
        int32_t id;  // -1: text between added tokens, never empty
    };
    // Returns consecutive fragments that make up `text`.
    std::vector<Fragment> split(std::string_view text, const Scan& scan) const;

private:
    struct Token {
        std::string text;
        int32_t id;
        bool is_control;
    };
    // Returns the longest token that `text` begins with, or null. A control token or a barred one counts only within
    // the first `n_parsed` bytes.
    const Token* longest_prefix(std::string_view text, size_t n_parsed, const Scan& scan) const;

    std::vector<Token> tokens_;  // sorted by text
    std::array<bool, 256> begins_token_ = {};
};

}  // namespace llmd::tokenizer
