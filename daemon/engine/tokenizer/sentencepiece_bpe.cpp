#include "engine/tokenizer/sentencepiece_bpe.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/utf8.h"
#include "engine/model/gguf.h"

namespace llmd::tokenizer {

using base::ErrorCode;
using base::fail;

int32_t spelled_byte(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>') return -1;
    const size_t high = kDigits.find(text[3]), low = kDigits.find(text[4]);
    if (high == std::string_view::npos || low == std::string_view::npos) return -1;
    return static_cast<int32_t>(high * 16 + low);
}

base::Result<std::unique_ptr<Tokenizer>> SentencePieceBpe::create(const model::Gguf& gguf) {
    auto texts = TokenTexts::create(gguf);
    if (!texts) return texts.error();
    std::unique_ptr<SentencePieceBpe> bpe(new SentencePieceBpe(std::move(*texts)));
    if (const auto read = bpe->read(gguf); !read) return read.error();
    return std::unique_ptr<Tokenizer>(std::move(bpe));
}

base::Result<void> SentencePieceBpe::read(const model::Gguf& gguf) {
    if (const auto common = read_common(gguf, texts_, true); !common) return common.error();
    auto added = AddedTokens::create(texts_, kinds_);
    if (!added) return added.error();
    added_ = std::move(*added);

    const auto prefix = gguf.get_bool_or("tokenizer.ggml.add_space_prefix", true);
    if (!prefix) return prefix.error();
    adds_space_ = *prefix;
    const auto unknown = read_token_id(gguf, "tokenizer.ggml.unknown_token_id");
    if (!unknown) return unknown.error();
    unknown_id_ = *unknown;
    if (const auto bytes = read_bytes(); !bytes) return bytes.error();
    return read_ranks(gguf);
}

base::Result<void> SentencePieceBpe::read_bytes() {
    byte_ids_.fill(-1);
    for (uint32_t i = 0; i < vocabulary_size(); ++i) {
        const auto id = static_cast<int32_t>(i);
        if (kind(id) == TokenKind::Unknown && unknown_id_ < 0) unknown_id_ = id;
        if (kind(id) != TokenKind::Byte) continue;
        const int32_t byte = spelled_byte(texts_[id]);
        if (byte < 0) {
            return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.tokens: token ", id, " ",
                        model::in_quotes(texts_[id]), " has the type of a byte and is not <0x00>..<0xFF>");
        }
        byte_ids_[static_cast<size_t>(byte)] = id;
    }
    const auto missing = std::find(byte_ids_.begin(), byte_ids_.end(), -1);
    if (missing != byte_ids_.end() && unknown_id_ < 0) {
        return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.tokens: neither a token for byte ",
                    missing - byte_ids_.begin(), " nor an unknown token");
    }
    return {};
}

base::Result<void> SentencePieceBpe::read_ranks(const model::Gguf& gguf) {
    const auto scores = gguf.get_floats("tokenizer.ggml.scores");
    if (!scores) return scores.error();
    if (scores->size() != texts_.size()) {
        return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.scores: ", scores->size(), " scores for ",
                    texts_.size(), " tokens");
    }
    for (size_t i = 0; i < scores->size(); ++i) {
        if (std::isnan((*scores)[i])) return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.scores[", i, "]: NaN");
    }
    std::vector<float> descending = *scores;
    std::sort(descending.begin(), descending.end(), std::greater<>());
    descending.erase(std::unique(descending.begin(), descending.end()), descending.end());
    ranks_.reserve(scores->size());
    for (const float score : *scores) {
        const auto at = std::lower_bound(descending.begin(), descending.end(), score, std::greater<>());
        ranks_.push_back(static_cast<uint32_t>(at - descending.begin()));
    }
    return {};
}

int32_t SentencePieceBpe::find_text(std::string_view text, const Scan& scan) const {
    if (text.size() > texts_.longest()) return -1;
    const int32_t id = texts_.find(text);
    if (id < 0) return -1;
    const TokenKind is = kind(id);
    const bool is_text = is != TokenKind::Control && is != TokenKind::Unknown && is != TokenKind::Byte;
    return is_text && !scan.bars(id) ? id : -1;
}

std::vector<int32_t> SentencePieceBpe::encode_scanned(std::string_view text, const Scan& scan) const {
    std::vector<int32_t> ids;
    for (const AddedTokens::Fragment& fragment : added_.split(text, scan)) {
        if (fragment.id >= 0) {
            ids.push_back(fragment.id);
        } else {
            encode_plain(fragment.text, scan, ids);
        }
    }
    return ids;
}

void SentencePieceBpe::encode_plain(std::string_view text, const Scan& scan, std::vector<int32_t>& ids) const {
    std::string spelled;
    spelled.reserve(text.size() + kSpace.size());
    if (adds_space_) spelled += kSpace;
    for (const char c : text) {
        if (c == ' ')
            spelled += kSpace;
        else
            spelled += c;
    }
    const std::string_view view = spelled;
    std::vector<Symbol> symbols;
    for (uint32_t at = 0; at < view.size();) {
        const base::Utf8Step step = base::next_utf8(view.substr(at));
        const uint32_t length = step.status == base::Utf8Status::Valid ? step.length : 1;
        symbols.push_back({at, length, find_text(view.substr(at, length), scan)});
        at += length;
    }
    SymbolMerger merger;
    merger.merge(symbols, [&](const Symbol& left, const Symbol& right) -> Merge {
        const int32_t id = find_text(view.substr(left.begin, left.length + right.length), scan);
        return {id < 0 ? 0 : ranks_[static_cast<size_t>(id)], id};
    });
    for (const Symbol& symbol : symbols) {
        if (symbol.id >= 0) {
            ids.push_back(symbol.id);
            continue;
        }
        const std::string_view bytes = view.substr(symbol.begin, symbol.length);
        const auto id_of = [&](char c) { return byte_ids_[static_cast<uint8_t>(c)]; };
        if (std::any_of(bytes.begin(), bytes.end(), [&](char c) { return id_of(c) < 0; })) {
            ids.push_back(unknown_id_);
        } else {
            for (const char c : bytes) ids.push_back(id_of(c));
        }
    }
}

void SentencePieceBpe::append_bytes(int32_t id, std::string& out) const {
    if (id < 0 || static_cast<uint32_t>(id) >= vocabulary_size()) return;
    std::string_view text = texts_[id];
    switch (kind(id)) {
        case TokenKind::Control:
        case TokenKind::Unknown:
            return;
        case TokenKind::Byte:
            out += static_cast<char>(spelled_byte(text));
            return;
        case TokenKind::UserDefined:
            out += text;
            return;
        case TokenKind::Normal:
        case TokenKind::Unused:
            break;
    }
    while (!text.empty()) {
        const size_t space = std::min(text.find(kSpace), text.size());
        out += text.substr(0, space);
        text.remove_prefix(space);
        if (text.empty()) return;
        out += ' ';
        text.remove_prefix(kSpace.size());
    }
}

}  // namespace llmd::tokenizer
