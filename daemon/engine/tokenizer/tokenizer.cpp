#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <array>

#include "engine/model/gguf.h"
#include "engine/tokenizer/byte_level_bpe.h"
#include "engine/tokenizer/sentencepiece_bpe.h"
#include "engine/tokenizer/token_texts.h"

namespace llmd::tokenizer {

using base::ErrorCode;
using base::fail;

namespace {

// Tokens that end an answer in the chat formats of the models that llmd runs. Files often name only one of them as
// tokenizer.ggml.eos_token_id, and some mark them as user-defined.
constexpr auto kEndTexts = std::to_array<std::string_view>({
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|end|>",
    "<|endoftext|>",
    "</s>",
    "<end_of_turn>",
    "<turn|>",
    "<|tool_response>",
    "<eos>",
    "<|return|>",
    "<|call|>",
    "<end_of_utterance>",
    "[|endofturn|]",
    "<｜end▁of▁sentence｜>",
    "<|end_of_sentence|>",
    "<｜hy_place▁holder▁no▁2｜>",
});

// Tokens that begin a turn, or the text in one. Some files mark them, and those above, as user-defined, which are found
// in every text. Here they are control tokens, so that no user's text begins or ends a turn.
constexpr auto kTurnTexts = std::to_array<std::string_view>({
    "<|im_start|>",
    "<start_of_turn>",
    "<|turn>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|start_of_role|>",
    "<|end_of_role|>",
    "[|system|]",
    "[|user|]",
    "[|assistant|]",
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "<｜User｜>",
    "<｜Assistant｜>",
    "<｜hy_User｜>",
    "<｜hy_Assistant｜>",
    "<｜hy_place▁holder▁no▁3｜>",
    "<|begin_of_sentence|>",
    "<用户>",
    "<AI>",
});

}  // namespace

base::Result<std::unique_ptr<Tokenizer>> Tokenizer::create(const model::Gguf& gguf) {
    const auto family = gguf.get_string("tokenizer.ggml.model");
    if (!family) return family.error();
    if (*family == "gpt2") return ByteLevelBpe::create(gguf);
    if (*family == "llama") return SentencePieceBpe::create(gguf);
    return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.model: unknown tokenizer ", model::in_quotes(*family),
                "; known are gpt2, llama");
}

std::string Tokenizer::decode(const std::vector<int32_t>& ids) const {
    std::string text;
    for (const int32_t id : ids) append_bytes(id, text);
    return text;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, SpecialTokens special) const {
    const ByteRange all{0, text.size()};
    return encode_scanned(text, {{&all, special == SpecialTokens::Parse ? size_t{1} : size_t{0}}, {}});
}

std::vector<int32_t> Tokenizer::encode(std::span<const TextSegment> segments) const {
    std::string text;
    std::vector<ByteRange> parsed;
    for (const TextSegment& segment : segments) {
        const size_t begin = text.size();
        text += segment.text;
        if (segment.special == SpecialTokens::Literal || segment.text.empty()) continue;
        if (!parsed.empty() && parsed.back().end == begin) {
            parsed.back().end = text.size();
        } else {
            parsed.push_back({begin, text.size()});
        }
    }
    return encode_scanned(text, {parsed, barred_});
}

void Tokenizer::bar_in_conversations(std::vector<int32_t> ids) {
    barred_ = std::move(ids);
    std::sort(barred_.begin(), barred_.end());
}

std::vector<int32_t> Tokenizer::encode_prompt(std::string_view text) const {
    std::vector<int32_t> ids = encode(text);
    if (add_begin_) ids.insert(ids.begin(), begin_id_);
    return ids;
}

std::vector<int32_t> Tokenizer::encode_prompt(std::span<const TextSegment> segments) const {
    std::vector<int32_t> ids = encode(segments);
    if (add_begin_ && (ids.empty() || ids.front() != begin_id_)) ids.insert(ids.begin(), begin_id_);
    return ids;
}

std::vector<int32_t> Tokenizer::encode_embedded(std::string_view text) const {
    std::vector<int32_t> ids = encode_prompt(text);
    if (add_end_) ids.push_back(end_id_);
    return ids;
}

bool Tokenizer::ends_generation(int32_t id) const {
    return std::binary_search(end_ids_.begin(), end_ids_.end(), id);
}

base::Result<void> Tokenizer::read_common(const model::Gguf& gguf, const TokenTexts& texts, bool add_begin) {
    kinds_.assign(texts.size(), TokenKind::Normal);
    if (gguf.has("tokenizer.ggml.token_type")) {
        const auto types = gguf.get_ints("tokenizer.ggml.token_type");
        if (!types) return types.error();
        if (types->size() != texts.size()) {
            return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.token_type: ", types->size(), " types for ",
                        texts.size(), " tokens");
        }
        for (size_t i = 0; i < types->size(); ++i) {
            const int32_t type = (*types)[i];
            if (type < static_cast<int32_t>(TokenKind::Normal) || type > static_cast<int32_t>(TokenKind::Byte)) {
                return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.token_type[", i, "] = ", type, " is not 1..6");
            }
            kinds_[i] = static_cast<TokenKind>(type);
        }
    }

    const auto begin = read_token_id(gguf, "tokenizer.ggml.bos_token_id");
    if (!begin) return begin.error();
    begin_id_ = *begin;
    const auto add = gguf.get_bool_or("tokenizer.ggml.add_bos_token", add_begin && begin_id_ >= 0);
    if (!add) return add.error();
    add_begin_ = *add;
    if (add_begin_ && begin_id_ < 0) {
        return fail(ErrorCode::ModelLoadFailed,
                    "tokenizer.ggml.add_bos_token: true, but tokenizer.ggml.bos_token_id is absent");
    }

    for (const char* key :
         {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
        const auto end = read_token_id(gguf, key);
        if (!end) return end.error();
        if (*end >= 0) end_ids_.push_back(*end);
    }
    if (gguf.has("tokenizer.ggml.eos_token_id")) {
        end_id_ = end_ids_.front();
        empty_prompt_id_ = end_id_;
        end_text_ = texts[end_id_];
    }
    const auto add_end = gguf.get_bool_or("tokenizer.ggml.add_eos_token", false);
    if (!add_end) return add_end.error();
    add_end_ = *add_end;
    if (add_end_ && end_id_ < 0) {
        return fail(ErrorCode::ModelLoadFailed,
                    "tokenizer.ggml.add_eos_token: true, but tokenizer.ggml.eos_token_id is absent");
    }
    if (begin_id_ >= 0) {
        empty_prompt_id_ = begin_id_;
        begin_text_ = texts[begin_id_];
    }
    const auto find_special = [&](std::string_view text) {
        const int32_t id = texts.find(text);
        if (id < 0) return -1;
        TokenKind& kind = kinds_[static_cast<size_t>(id)];
        if (kind == TokenKind::UserDefined) kind = TokenKind::Control;
        return kind == TokenKind::Control ? id : -1;
    };
    for (const std::string_view text : kTurnTexts) find_special(text);
    for (const std::string_view text : kEndTexts) {
        if (const int32_t id = find_special(text); id >= 0) end_ids_.push_back(id);
    }
    std::sort(end_ids_.begin(), end_ids_.end());
    end_ids_.erase(std::unique(end_ids_.begin(), end_ids_.end()), end_ids_.end());
    return {};
}

base::Result<int32_t> Tokenizer::read_token_id(const model::Gguf& gguf, std::string_view key) const {
    if (!gguf.has(key)) return -1;
    const auto id = gguf.get_u32(key);
    if (!id) return id.error();
    if (*id >= vocabulary_size()) {
        return fail(ErrorCode::ModelLoadFailed, key, ": ", *id, " is not below the vocabulary's size ",
                    vocabulary_size());
    }
    return static_cast<int32_t>(*id);
}

}  // namespace llmd::tokenizer
