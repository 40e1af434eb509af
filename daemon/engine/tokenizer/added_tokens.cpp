#include "engine/tokenizer/added_tokens.h"

#include <algorithm>

#include "engine/model/gguf.h"

namespace llmd::tokenizer {

base::Result<AddedTokens> AddedTokens::create(const TokenTexts& texts, const std::vector<TokenKind>& kinds) {
    AddedTokens added;
    for (size_t i = 0; i < kinds.size(); ++i) {
        const bool is_control = kinds[i] == TokenKind::Control;
        const std::string_view text = texts[static_cast<int32_t>(i)];
        if (text.empty() || !(is_control || kinds[i] == TokenKind::UserDefined)) continue;
        if (text.size() > kMaxBytes) {
            return base::fail(base::ErrorCode::ModelLoadFailed, "tokenizer.ggml.tokens: token ", i, " ",
                              model::in_quotes(text), " is user-defined or a control token and has ", text.size(),
                              " bytes, more than ", kMaxBytes);
        }
        added.tokens_.push_back({std::string(text), static_cast<int32_t>(i), is_control});
        added.begins_token_[static_cast<uint8_t>(text[0])] = true;
    }
    std::sort(added.tokens_.begin(), added.tokens_.end(),
              [](const Token& a, const Token& b) { return a.text < b.text; });
    return added;
}

const AddedTokens::Token* AddedTokens::longest_prefix(std::string_view text, size_t n_parsed, const Scan& scan) const {
    // The tokens that begin with the first `depth` bytes of the text are a range, which each further byte narrows. The
    // one that has no more bytes comes first in it.
    const Token* longest = nullptr;
    auto first = tokens_.begin(), last = tokens_.end();
    for (size_t depth = 0; depth < text.size(); ++depth) {
        const auto wanted = static_cast<uint8_t>(text[depth]);
        const auto byte = [depth](const Token& token) { return static_cast<uint8_t>(token.text[depth]); };
        first = std::partition_point(first, last, [&](const Token& token) { return byte(token) < wanted; });
        last = std::partition_point(first, last, [&](const Token& token) { return byte(token) == wanted; });
        if (first == last) break;
        if (first->text.size() == depth + 1) {
            const bool is_markup = first->is_control || scan.bars(first->id);
            if (!is_markup || depth < n_parsed) longest = &*first;
            if (++first == last) break;
        }
    }
    return longest;
}

std::vector<AddedTokens::Fragment> AddedTokens::split(std::string_view text, const Scan& scan) const {
    std::vector<Fragment> fragments;
    auto parsed = scan.parsed;
    size_t plain = 0;  // where the text begins that is not yet in a fragment
    for (size_t at = 0; at < text.size();) {
        while (!parsed.empty() && parsed.front().end <= at) parsed = parsed.subspan(1);
        const size_t n_parsed = parsed.empty() || at < parsed.front().begin ? 0 : parsed.front().end - at;
        const bool may_begin = begins_token_[static_cast<uint8_t>(text[at])];
        const Token* token = may_begin ? longest_prefix(text.substr(at), n_parsed, scan) : nullptr;
        if (token == nullptr) {
            ++at;
            continue;
        }
        if (plain < at) fragments.push_back({text.substr(plain, at - plain), -1});
        fragments.push_back({text.substr(at, token->text.size()), token->id});
        at += token->text.size();
        plain = at;
    }
    if (plain < text.size()) fragments.push_back({text.substr(plain), -1});
    return fragments;
}

}  // namespace llmd::tokenizer
