// Splits text into pre-tokens, within which byte-level BPE merges. GGUF files name the rule in `tokenizer.ggml.pre` and
// do not contain it. The rules are those of the named models' own tokenizer.json; the names are those of llama.cpp
// (https://github.com/ggml-org/llama.cpp, src/llama-vocab.cpp).
// Immutable after create(): may be used from any thread.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace llmd::tokenizer {

class PreTokenizer {
public:
    // ModelLoadFailed for a name that is not known; the message lists those that are.
    static base::Result<PreTokenizer> create(std::string_view name);

    PreTokenizer(PreTokenizer&&) noexcept;
    PreTokenizer& operator=(PreTokenizer&&) noexcept;
    ~PreTokenizer();

    // Returns consecutive pre-tokens that make up `text`, none of them empty. Each byte that does not belong to valid
    // UTF-8 is a pre-token of its own, and the text before it is split as if the input ended there.
    std::vector<std::string_view> split(std::string_view text) const;

    // A pre-token whose whole text is a token becomes that token, whatever the merges say.
    bool ignores_merges() const { return ignores_merges_; }
    // The models of this rule expect a begin-of-text token unless the file says otherwise.
    bool adds_begin() const { return adds_begin_; }

private:
    struct Pattern;  // a compiled PCRE2 pattern

    PreTokenizer(std::unique_ptr<Pattern> pattern, bool ignores_merges, bool adds_begin);
    // After `n_isolated` of the patterns whose matches are split off first.
    void split_valid(std::string_view text, size_t n_isolated, std::vector<std::string_view>& pre_tokens) const;

    std::unique_ptr<Pattern> pattern_;
    bool ignores_merges_;
    bool adds_begin_;
};

}  // namespace llmd::tokenizer
