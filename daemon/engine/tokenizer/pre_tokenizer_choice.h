// Tells which pre-tokenizer a vocabulary was made with, for files that do not say (llama.cpp's converter before 2024,
// and Ollama's, which writes "default" for what it does not know).
//
// BPE merges within pre-tokens only, so a token that a rule would cut was not made with that rule; and a rule that lets
// common texts through in one piece, as "12", " (" or ".a", makes tokens of them. A rule is chosen if the vocabulary
// has tokens of just those kinds that it lets through, and none that it would always cut. A wrong choice would cost
// quality silently, so where two rules leave the same traces neither is chosen:
// - Llama 3's and MiniCPM5's differ in the spaces before a number.
// - Qwen 2's vocabulary was made with Qwen 3.5's rule, which lets marks be in words, and is used with another.
// Pure: any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace llmd::tokenizer {

// `tokens`: the texts of the tokens that merges make; those that are not UTF-8 tell nothing. Returns a name for
// PreTokenizer::create(), or nothing where they do not tell. Fails as that does. Takes time in proportion to the
// tokens' bytes, about half a second for a million.
base::Result<std::optional<std::string_view>> choose_pre_tokenizer(std::span<const std::string> tokens);

// The names that it may return, for messages.
std::string choosable_pre_tokenizers();

}  // namespace llmd::tokenizer
