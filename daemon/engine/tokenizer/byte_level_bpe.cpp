#include "engine/tokenizer/byte_level_bpe.h"

#include <optional>

#include "base/utf8.h"
#include "engine/model/gguf.h"
#include "engine/tokenizer/pre_tokenizer_choice.h"

namespace llmd::tokenizer {

using base::ErrorCode;
using base::fail;

namespace {

constexpr bool is_spelled_by_itself(uint32_t byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
}

constexpr uint32_t kSpellings = 256 + 68;  // code points below this may spell a byte; 68 bytes have U+0100..

// Both directions of the spelling in the header.
struct Spelling {
    std::array<uint16_t, 256> of_byte = {};
    std::array<int16_t, kSpellings> to_byte = {};  // -1: spells none
};

constexpr Spelling make_spelling() {
    Spelling spelling;
    for (auto& byte : spelling.to_byte) byte = -1;
    uint16_t next = 256;
    for (uint16_t byte = 0; byte < 256; ++byte) {
        const uint16_t code_point = is_spelled_by_itself(byte) ? byte : next++;
        spelling.of_byte[byte] = code_point;
        spelling.to_byte[code_point] = static_cast<int16_t>(byte);
    }
    return spelling;
}
constexpr Spelling kSpelling = make_spelling();

uint64_t pair_hash(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

// Appends the bytes that the text of a token spells. A character that spells no byte stands for itself.
void append_spelled(std::string_view text, std::string& out) {
    while (!text.empty()) {
        const base::Utf8Step step = base::next_utf8(text);
        if (step.character < kSpellings && kSpelling.to_byte[step.character] >= 0)
            out += static_cast<char>(kSpelling.to_byte[step.character]);
        else
            out += text.substr(0, step.length);
        text.remove_prefix(step.length);
    }
}

// The two parts of a line of tokenizer.ggml.merges; nothing where it has another form.
std::optional<std::pair<std::string_view, std::string_view>> parts_of(std::string_view line) {
    const size_t space = line.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == line.size()) return std::nullopt;
    return std::pair(line.substr(0, space), line.substr(space + 1));
}

base::Result<PreTokenizer> find_pre_tokenizer(const model::Gguf& gguf) {
    constexpr std::string_view kKey = "tokenizer.ggml.pre";
    constexpr std::string_view kUnknown = "default";  // Ollama's converter writes it for what it does not know
    const auto name = gguf.get_string_or(kKey, kUnknown);
    if (!name) return name.error();
    if (*name != kUnknown) return PreTokenizer::create(*name);
    const auto lines = gguf.get_strings("tokenizer.ggml.merges");
    if (!lines) return lines.error();
    std::vector<std::string> tokens;
    for (const std::string_view line : *lines) {
        const auto parts = parts_of(line);
        if (!parts) continue;  // read_merges() refuses it
        std::string& token = tokens.emplace_back();
        append_spelled(parts->first, token);
        append_spelled(parts->second, token);
    }
    const auto chosen = choose_pre_tokenizer(tokens);
    if (!chosen) return chosen.error();
    if (*chosen) return PreTokenizer::create(**chosen);
    return fail(ErrorCode::ModelLoadFailed, kKey, ": ", gguf.has(kKey) ? "\"default\"" : "absent",
                ", so how to split text is unknown, and the vocabulary is not clearly one of ",
                choosable_pre_tokenizers(), "; convert the model again or set the key to its pre-tokenizer's name");
}

}  // namespace

base::Result<std::unique_ptr<Tokenizer>> ByteLevelBpe::create(const model::Gguf& gguf) {
    auto pre_tokenizer = find_pre_tokenizer(gguf);
    if (!pre_tokenizer) return pre_tokenizer.error();
    auto texts = TokenTexts::create(gguf);
    if (!texts) return texts.error();

    std::unique_ptr<ByteLevelBpe> bpe(new ByteLevelBpe(std::move(*texts), std::move(*pre_tokenizer)));
    if (const auto read = bpe->read(gguf); !read) return read.error();
    return std::unique_ptr<Tokenizer>(std::move(bpe));
}

base::Result<void> ByteLevelBpe::read(const model::Gguf& gguf) {
    if (const auto common = read_common(gguf, texts_, pre_tokenizer_.adds_begin()); !common) return common.error();
    auto added = AddedTokens::create(texts_, kinds_);
    if (!added) return added.error();
    added_ = std::move(*added);

    std::string spelled;
    for (size_t byte = 0; byte < 256; ++byte) {
        spelled.clear();
        base::append_utf8(kSpelling.of_byte[byte], spelled);
        byte_ids_[byte] = texts_.find(spelled);
    }
    const auto unknown = read_token_id(gguf, "tokenizer.ggml.unknown_token_id");
    if (!unknown) return unknown.error();
    unknown_id_ = *unknown;
    return read_merges(gguf);
}

base::Result<void> ByteLevelBpe::read_merges(const model::Gguf& gguf) {
    const auto lines = gguf.get_strings("tokenizer.ggml.merges");
    if (!lines) return lines.error();
    if (lines->empty()) return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.merges: absent or empty");

    merges_.reserve(lines->size());
    merge_by_pair_.reset(lines->size());
    std::string joined;
    for (const std::string_view line : *lines) {
        const size_t i = merges_.size();
        const auto refuse = [&](std::string_view reason) {
            return fail(ErrorCode::ModelLoadFailed, "tokenizer.ggml.merges[", i, "] = ", model::in_quotes(line), ": ",
                        reason);
        };
        const auto parts = parts_of(line);
        if (!parts) return refuse("not two parts with a space between");
        const auto [left, right] = *parts;
        joined.assign(left).append(right);
        const RankedMerge merge = {texts_.find(left), texts_.find(right), texts_.find(joined)};
        if (merge.left < 0) return refuse("the left part is not in tokenizer.ggml.tokens");
        if (merge.right < 0) return refuse("the right part is not in tokenizer.ggml.tokens");
        if (merge.result < 0) return refuse("the result is not in tokenizer.ggml.tokens");
        if (kind(merge.result) == TokenKind::Control) return refuse("the result is a control token");
        merges_.push_back(merge);
        if (find_merge(merge.left, merge.right).id < 0) {
            merge_by_pair_.insert(pair_hash(merge.left, merge.right), static_cast<int32_t>(i));
        }
    }
    return {};
}

Merge ByteLevelBpe::find_merge(int32_t left, int32_t right) const {
    const int32_t rank = merge_by_pair_.find(pair_hash(left, right), [&](int32_t i) {
        const RankedMerge& merge = merges_[static_cast<size_t>(i)];
        return merge.left == left && merge.right == right;
    });
    return {static_cast<uint32_t>(rank), rank < 0 ? -1 : merges_[static_cast<size_t>(rank)].result};
}

std::vector<int32_t> ByteLevelBpe::encode_scanned(std::string_view text, const Scan& scan) const {
    std::vector<int32_t> ids;
    Scratch scratch;
    for (const AddedTokens::Fragment& fragment : added_.split(text, scan)) {
        if (fragment.id >= 0) {
            ids.push_back(fragment.id);
            continue;
        }
        for (const std::string_view pre_token : pre_tokenizer_.split(fragment.text))
            encode_pre_token(pre_token, scan, scratch, ids);
    }
    return ids;
}

void ByteLevelBpe::encode_pre_token(std::string_view pre_token, const Scan& scan, Scratch& scratch,
                                    std::vector<int32_t>& ids) const {
    if (pre_tokenizer_.ignores_merges() && pre_token.size() <= texts_.longest()) {
        scratch.spelled.clear();
        for (const char c : pre_token) base::append_utf8(kSpelling.of_byte[static_cast<uint8_t>(c)], scratch.spelled);
        if (const int32_t id = texts_.find(scratch.spelled);
            id >= 0 && kind(id) != TokenKind::Control && !scan.bars(id)) {
            ids.push_back(id);
            return;
        }
    }
    auto& symbols = scratch.symbols;
    symbols.resize(pre_token.size());
    for (uint32_t i = 0; i < pre_token.size(); ++i) symbols[i] = {i, 1, byte_ids_[static_cast<uint8_t>(pre_token[i])]};
    scratch.merger.merge(symbols, [&](const Symbol& left, const Symbol& right) {
        const Merge merge = find_merge(left.id, right.id);
        return scan.bars(merge.id) ? Merge{merge.rank, -1} : merge;
    });
    for (const Symbol& symbol : symbols) {
        if (const int32_t id = symbol.id >= 0 ? symbol.id : unknown_id_; id >= 0) ids.push_back(id);
    }
}

void ByteLevelBpe::append_bytes(int32_t id, std::string& out) const {
    if (id < 0 || static_cast<uint32_t>(id) >= vocabulary_size() || kind(id) == TokenKind::Control) return;
    const std::string_view text = texts_[id];
    if (kind(id) == TokenKind::UserDefined) {
        out += text;
        return;
    }
    append_spelled(text, out);
}

}  // namespace llmd::tokenizer
