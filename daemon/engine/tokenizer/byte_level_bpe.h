// Byte-level byte-pair encoding (`tokenizer.ggml.model` = "gpt2"): a pre-tokenizer splits the text, each byte of a
// pre-token becomes a symbol, and neighbours merge by the file's ranked list. Token texts spell each byte as one
// printable character: bytes 33..126, 161..172 and 174..255 as the code point of that value, the others in ascending
// order as U+0100.. (https://github.com/openai/gpt-2, src/encoder.py).
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
#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/symbol_merge.h"
#include "engine/tokenizer/token_texts.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::tokenizer {

class ByteLevelBpe final : public Tokenizer {
public:
    // Besides the conditions of Tokenizer::create(), both parts of a merge and its result must be in the vocabulary,
    // and the result must not be a control token. A pair that is listed twice keeps its first rank.
    static base::Result<std::unique_ptr<Tokenizer>> create(const model::Gguf& gguf);

    // A user-defined token stands for its text. In other tokens a character that spells no byte stands for itself.
    void append_bytes(int32_t id, std::string& out) const override;
    std::string_view token_text(int32_t id) const override {
        return id < 0 || static_cast<uint32_t>(id) >= vocabulary_size() ? std::string_view() : texts_[id];
    }

private:
    struct RankedMerge {
        int32_t left, right, result;
    };
    struct Scratch {
        std::string spelled;
        std::vector<Symbol> symbols;
        SymbolMerger merger;
    };

    ByteLevelBpe(TokenTexts texts, PreTokenizer pre_tokenizer)
        : texts_(std::move(texts)), pre_tokenizer_(std::move(pre_tokenizer)) {}
    base::Result<void> read(const model::Gguf& gguf);
    // A byte that the vocabulary has no token for becomes the unknown token, or nothing where the file names none.
    std::vector<int32_t> encode_scanned(std::string_view text, const Scan& scan) const override;
    base::Result<void> read_merges(const model::Gguf& gguf);
    Merge find_merge(int32_t left, int32_t right) const;
    void encode_pre_token(std::string_view pre_token, const Scan& scan, Scratch& scratch,
                          std::vector<int32_t>& ids) const;

    TokenTexts texts_;
    PreTokenizer pre_tokenizer_;
    AddedTokens added_;
    std::array<int32_t, 256> byte_ids_ = {};  // -1: no token
    std::vector<RankedMerge> merges_;         // by rank
    SlotTable merge_by_pair_;
    int32_t unknown_id_ = -1;
};

}  // namespace llmd::tokenizer
