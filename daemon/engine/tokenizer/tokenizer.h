// Converts text to token ids and back with the model file's own vocabulary: byte-level BPE (`tokenizer.ggml.model` =
// "gpt2", after a split by the regular expression that `tokenizer.ggml.pre` names) or SentencePiece-style BPE with byte
// fallback ("llama").
// Immutable after create() and bar_in_conversations(): may be used from any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/model/gguf.h"

namespace llmd::tokenizer {

class TokenTexts;

// GGUF's tokenizer.ggml.token_type. Unused tokens are treated like normal ones.
enum class TokenKind : uint8_t { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

enum class SpecialTokens : uint8_t {
    Literal,  // text that spells a control token stays text; for everything a user wrote
    Parse,    // control tokens in the text become their ids; for chat templates
};

// A part of a text that is tokenized as one.
struct TextSegment {
    std::string text;
    SpecialTokens special = SpecialTokens::Literal;

    bool operator==(const TextSegment&) const = default;
};

// Bytes [begin, end) of a text.
struct ByteRange {
    size_t begin, end;
};

// Where some tokens are found in a text, and where not.
struct Scan {
    std::span<const ByteRange> parsed;  // control tokens and the barred ones; ascending, and they do not touch
    std::span<const int32_t> barred;    // user-defined tokens that ordinary text never becomes, rising

    bool bars(int32_t id) const { return std::binary_search(barred.begin(), barred.end(), id); }
};

class Tokenizer {
public:
    virtual ~Tokenizer() = default;

    // ModelLoadFailed names an unknown tokenizer model, an unknown pre-tokenizer, or an inconsistency of the
    // vocabulary. A pre-tokenizer that the file does not name is chosen only where the vocabulary leaves no doubt
    // (pre_tokenizer_choice.h), because a wrong split silently costs quality.
    static base::Result<std::unique_ptr<Tokenizer>> create(const model::Gguf& gguf);

    // Returns the ids of `text`, without begin- or end-of-text tokens. User-defined tokens are found as a whole
    // whatever `special` says. Any bytes are accepted; invalid UTF-8 is encoded byte by byte. Time is O(n log n) for
    // any input. Precondition: text has less than 2^30 bytes.
    std::vector<int32_t> encode(std::string_view text, SpecialTokens special = SpecialTokens::Literal) const;
    // Returns the ids of the segments' joined text. Their borders change nothing, except that a control token is found
    // only where all of it is in segments to be parsed, and so are those of bar_in_conversations().
    std::vector<int32_t> encode(std::span<const TextSegment> segments) const;
    // `ids` are user-defined tokens that mark calls, thoughts or turns. Nobody's text in a conversation becomes one.
    void bar_in_conversations(std::vector<int32_t> ids);

    // Appends the bytes that `id` stands for. A control token and an id outside the vocabulary append nothing. The
    // bytes may be part of a UTF-8 sequence; StreamDetokenizer joins them.
    virtual void append_bytes(int32_t id, std::string& out) const = 0;
    // Returns the text of the token as the file spells it, control tokens included; empty if the vocabulary lacks `id`.
    virtual std::string_view token_text(int32_t id) const = 0;

    // Inverts encode(), except that SentencePiece-style vocabularies with a space prefix keep that space.
    std::string decode(const std::vector<int32_t>& ids) const;

    // Returns the ids of a prompt as the model expects it: encode() with the begin-of-text token in front if the file
    // asks for one and the segments do not begin with it already.
    std::vector<int32_t> encode_prompt(std::string_view text) const;
    std::vector<int32_t> encode_prompt(std::span<const TextSegment> segments) const;

    // Returns the ids of a text that is embedded: encode_prompt() with the end-of-text token behind it if the file asks
    // for one, as tokenizers of models do whose embedding is the vector of that token.
    std::vector<int32_t> encode_embedded(std::string_view text) const;

    // Whether encode() puts a space before a text, and token `id` is one that may begin with it.
    bool adds_space(int32_t id) const {
        if (!adds_space_ || id < 0 || static_cast<uint32_t>(id) >= vocabulary_size()) return false;
        return kind(id) == TokenKind::Normal || kind(id) == TokenKind::Unused;
    }

    // The texts of the file's begin-of-text and end-of-text tokens; empty if it names none.
    const std::string& begin_text() const { return begin_text_; }
    const std::string& end_text() const { return end_text_; }

    // The token that stands for an empty prompt: the begin-of-text token, else the end-of-text token, else -1.
    int32_t empty_prompt_id() const { return empty_prompt_id_; }

    // Ids are 0..vocabulary_size() - 1.
    uint32_t vocabulary_size() const { return static_cast<uint32_t>(kinds_.size()); }
    // Precondition: the vocabulary has `id`.
    TokenKind kind(int32_t id) const { return kinds_[static_cast<size_t>(id)]; }
    // Generation stops at the ids that the file names as end of text, turn or message (tokenizer.ggml.eos_token_id,
    // eot_token_id, eom_token_id) and at control or user-defined tokens with a text that chat models end their turn
    // with.
    bool ends_generation(int32_t id) const;
    // All of them, rising.
    std::span<const int32_t> end_ids() const { return end_ids_; }

protected:
    Tokenizer() = default;
    virtual std::vector<int32_t> encode_scanned(std::string_view text, const Scan& scan) const = 0;
    // Reads what both families have: kinds, begin and end ids, and whether prompts begin with the begin-of-text token
    // (`add_begin` is used if the file does not say). create() of each family calls it.
    base::Result<void> read_common(const model::Gguf& gguf, const TokenTexts& texts, bool add_begin);
    // Returns the id under `key`, checked against the vocabulary, or -1 if the key is absent. read_common() comes
    // first.
    base::Result<int32_t> read_token_id(const model::Gguf& gguf, std::string_view key) const;

    std::vector<TokenKind> kinds_;  // by id
    std::vector<int32_t> end_ids_;  // sorted
    std::vector<int32_t> barred_;   // sorted
    int32_t begin_id_ = -1;         // -1: none
    int32_t empty_prompt_id_ = -1;
    int32_t end_id_ = -1;  // tokenizer.ggml.eos_token_id; -1: none
    bool add_begin_ = false;
    bool add_end_ = false;  // behind a text that is embedded
    bool adds_space_ = false;

private:
    std::string begin_text_;
    std::string end_text_;
};

}  // namespace llmd::tokenizer
