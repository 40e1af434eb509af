#include "engine/tokenizer/token_texts.h"

#include <algorithm>
#include <functional>

#include "engine/model/gguf.h"

namespace llmd::tokenizer {

using base::ErrorCode;
using base::fail;

base::Result<TokenTexts> TokenTexts::create(const model::Gguf& gguf) {
    const auto tokens = gguf.get_strings("tokenizer.ggml.tokens");
    if (!tokens) return tokens.error();
    if (tokens->empty()) return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.tokens: absent or empty");

    TokenTexts texts;
    texts.by_text_.reset(tokens->size());
    texts.ends_.reserve(tokens->size());
    for (const std::string_view token : *tokens) {
        const auto id = static_cast<int32_t>(texts.ends_.size());
        if (token.size() > kMaxTotalBytes - texts.bytes_.size()) {
            return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.tokens: the texts up to token ", id,
                        " have more than ", kMaxTotalBytes, " bytes");
        }
        if (!token.empty()) {
            if (const int32_t other = texts.find(token); other >= 0) {
                return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.tokens: tokens ", other, " and ", id,
                            " have the same text ", model::in_quotes(token));
            }
        }
        texts.bytes_ += token;
        texts.ends_.push_back(static_cast<uint32_t>(texts.bytes_.size()));
        if (!token.empty()) texts.by_text_.insert(std::hash<std::string_view>()(token), id);
        texts.longest_ = std::max(texts.longest_, token.size());
    }
    texts.bytes_.shrink_to_fit();
    return texts;
}

std::string_view TokenTexts::operator[](int32_t id) const {
    const auto i = static_cast<size_t>(id);
    const uint32_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
}

int32_t TokenTexts::find(std::string_view text) const {
    return by_text_.find(std::hash<std::string_view>()(text), [&](int32_t id) { return (*this)[id] == text; });
}

}  // namespace llmd::tokenizer
