// Converts the tokenizer of a model's directory to a GGUF vocabulary: a tokenizer.json
// (https://huggingface.co/docs/tokenizers) or SentencePiece's tokenizer.model. The former may describe any pipeline.
// Only those are accepted that llmd is known to tokenize alike: byte-level BPE with a rule of PreTokenizer, and
// SentencePiece's BPE with byte fallback. Pure data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/convert/gguf_output.h"
#include "engine/convert/input_file.h"
#include "engine/convert/sentencepiece_model.h"

namespace llmd::convert {

class HfTokenizer {
public:
    static constexpr uint64_t kMaxFileBytes = 40u << 20;  // Gemma's, one of the largest, has 33 MB

    // ModelLoadFailed names the part of the pipeline that is not known, or what is wrong with the vocabulary: ids that
    // are not below `n_vocab` or occur twice, or merges of texts that are no tokens.
    static base::Result<HfTokenizer> read(const JsonObject& file, uint32_t n_vocab);

    // Takes `model` and the tokens that tokenizer_config.json, `config`, adds to it. The errors are those of read().
    static base::Result<HfTokenizer> from(const SentencePieceModel& model, const JsonObject& config, uint32_t n_vocab);

    std::optional<uint32_t> find(std::string_view text) const;
    // The token with which every text begins.
    const std::optional<uint32_t>& begin_id() const { return begin_id_; }

    // Adds vocabulary and rules, without the ids that other files name.
    void add_metadata(GgufOutput& out) const;

private:
    base::Result<void> read_pipeline(const JsonObject& file, const JsonObject& model);
    base::Result<void> read_vocabulary(const JsonObject& model, uint32_t n_vocab);
    base::Result<void> read_added(const JsonObject& file);
    base::Result<void> read_merges(const JsonObject& model);
    void start(uint32_t n_vocab);
    void name_unused();
    base::Result<void> set_token(uint64_t id, std::string_view text, std::string_view from);

    bool is_sentencepiece_ = false;
    std::string pre_tokenizer_;       // of byte-level BPE
    bool adds_space_prefix_ = false;  // of SentencePiece
    std::vector<std::string> tokens_;
    std::vector<int32_t> types_;  // tokenizer::TokenKind
    std::map<std::string, uint32_t, std::less<>> ids_;
    std::vector<std::string> merges_;  // of byte-level BPE: "left right"
    std::vector<float> scores_;        // of SentencePiece
    std::optional<uint32_t> unknown_id_;
    std::optional<uint32_t> begin_id_;
};

}  // namespace llmd::convert
