// Cuts text into the pieces within which byte-level BPE merges. GGUF files name the rule in `tokenizer.ggml.pre` and do
// not contain it; the rules are those that the named models' own tokenizers use (their tokenizer.json, and
// https://github.com/ggml-org/llama.cpp, src/llama-vocab.cpp, for the names).
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

    // Consecutive pieces that make up `text`, none empty. Each byte that does not belong to valid UTF-8 is a piece of
    // its own and ends the context of the text before it.
    std::vector<std::string_view> split(std::string_view text) const;

    // The rule goes with vocabularies in which a whole piece that is a token is that token, whatever merges say.
    bool ignores_merges() const { return ignores_merges_; }
    // The rule goes with models that expect a begin-of-text token unless the file says otherwise.
    bool adds_begin() const { return adds_begin_; }

private:
    struct Pattern;  // a compiled PCRE2 pattern

    PreTokenizer(std::unique_ptr<Pattern> pattern, bool ignores_merges, bool adds_begin);
    void split_valid(std::string_view text, std::vector<std::string_view>& pieces) const;

    std::unique_ptr<Pattern> pattern_;
    bool ignores_merges_;
    bool adds_begin_;
};

}  // namespace llmd::tokenizer
