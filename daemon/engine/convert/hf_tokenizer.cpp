#include "engine/convert/hf_tokenizer.h"

#include <charconv>
#include <span>
#include <utility>

#include "base/utf8.h"
#include "engine/model/gguf.h"
#include "engine/tokenizer/sentencepiece_bpe.h"

namespace llmd::convert {
namespace {

using base::ErrorCode;
using base::Result;
using model::in_quotes;
using simdjson::SUCCESS;
using tokenizer::TokenKind;
namespace dom = simdjson::dom;

// The steps of a pipeline are compared as one line, such as "Digits ByteLevel+regex". The patterns are those of the
// named models' tokenizer.json.
struct ByteLevelRule {
    std::string_view steps;
    std::string_view name;  // tokenizer.ggml.pre
    bool ignores_merges = false;
};
#define WORDS_AND_NUMBERS(numbers)                                            \
    R"(Split:(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)" numbers \
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+ ByteLevel)"
constexpr ByteLevelRule kByteLevelRules[] = {
    {"ByteLevel+regex", "gpt-2"},
    {"Digits ByteLevel+regex", "smollm"},
    {WORDS_AND_NUMBERS(R"(\p{N}{1,3})"), "llama-bpe", true},
    {WORDS_AND_NUMBERS(R"(\p{N})"), "qwen2"},
};
#undef WORDS_AND_NUMBERS

struct SentencePieceRule {
    std::string_view normalizer, pre_tokenizer;
    bool adds_space_prefix;
};
constexpr SentencePieceRule kSentencePieceRules[] = {
    {"Prepend Replace", "", true},  {"Replace", "", false},         {"", "Metaspace:first", true},
    {"", "Metaspace:always", true}, {"", "Metaspace:never", false},
};

std::string_view text_at(dom::element step, std::string_view key) {
    std::string_view text;
    return step[key].get(text) == SUCCESS ? text : "";
}

bool is_true(dom::element step, std::string_view key, bool other = false) {
    bool is = other;
    return step[key].get(is) == SUCCESS ? is : other;
}

// Returns the kind of an added token.
int32_t added_kind(dom::element token) {
    return static_cast<int32_t>(is_true(token, "special") ? TokenKind::Control : TokenKind::UserDefined);
}

// Describes a step by its type and the options that matter. Unsupported options give a '?', which no rule has.
std::string describe_step(dom::element step) {
    const std::string_view type = text_at(step, "type");
    std::string description(type);
    if (type == "ByteLevel") {
        if (is_true(step, "use_regex", true)) description += "+regex";
        if (is_true(step, "add_prefix_space", true)) description += '?';
    } else if (type == "Digits") {
        if (!is_true(step, "individual_digits")) description += '?';
    } else if (type == "Split") {
        std::string_view pattern;
        if (step["pattern"]["Regex"].get(pattern) != SUCCESS) return "Split?";
        description.append(":").append(pattern);
        // Both forms make the matches of the pattern pre-tokens.
        const std::string_view behavior = text_at(step, "behavior");
        if (behavior != (is_true(step, "invert") ? "Removed" : "Isolated")) description += '?';
    } else if (type == "Prepend") {
        if (text_at(step, "prepend") != tokenizer::kSpace) description += '?';
    } else if (type == "Replace") {
        std::string_view pattern;
        if (step["pattern"]["String"].get(pattern) != SUCCESS || pattern != " ") description += '?';
        if (text_at(step, "content") != tokenizer::kSpace) description += '?';
    } else if (type == "Metaspace") {
        description.append(":").append(text_at(step, "prepend_scheme"));
        if (text_at(step, "replacement") != tokenizer::kSpace || is_true(step, "split", true)) description += '?';
    }
    return description;
}

// Describes the steps under `key`, which is one step or a sequence; "" if there is none.
std::string describe(const JsonObject& file, std::string_view key, std::string_view list) {
    dom::element step;
    if (file.raw().at_key(key).get(step) != SUCCESS || step.is_null()) return "";
    if (text_at(step, "type") != "Sequence") return describe_step(step);
    dom::array steps;
    if (step[list].get(steps) != SUCCESS) return "Sequence?";
    std::string line;
    for (const dom::element one : steps) line.append(line.empty() ? "" : " ").append(describe_step(one));
    return line;
}

// Returns the text of the token that a template puts before each text; "" if it puts none.
std::string_view begin_of_template(dom::element processor) {
    if (text_at(processor, "type") == "Sequence") {
        dom::array steps;
        if (processor["processors"].get(steps) != SUCCESS) return "";
        for (const dom::element one : steps) {
            if (const std::string_view begin = begin_of_template(one); !begin.empty()) return begin;
        }
    }
    dom::array single;
    if (processor["single"].get(single) != SUCCESS || single.size() == 0) return "";
    std::string_view id;
    return single.at(0)["SpecialToken"]["id"].get(id) == SUCCESS ? id : "";
}

}  // namespace

Result<HfTokenizer> HfTokenizer::read(const JsonObject& file, uint32_t n_vocab) {
    const auto model = file.object("model");
    if (!model) return model.error();
    if (!*model) return file.fail("model is absent");
    HfTokenizer tokenizer;
    if (auto read = tokenizer.read_pipeline(file, **model); !read) return std::move(read).error();
    if (auto read = tokenizer.read_vocabulary(**model, n_vocab); !read) return std::move(read).error();
    if (auto read = tokenizer.read_added(file); !read) return std::move(read).error();
    if (auto read = tokenizer.read_merges(**model); !read) return std::move(read).error();
    const auto unknown = (*model)->text("unk_token", "");
    if (!unknown) return unknown.error();
    tokenizer.unknown_id_ = tokenizer.find(*unknown);
    if (tokenizer.unknown_id_ && tokenizer.is_sentencepiece_) {
        tokenizer.types_[*tokenizer.unknown_id_] = static_cast<int32_t>(TokenKind::Unknown);
    }
    dom::element processor;
    if (file.raw()["post_processor"].get(processor) == SUCCESS && processor.is_object()) {
        tokenizer.begin_id_ = tokenizer.find(begin_of_template(processor));
    }
    tokenizer.name_unused();
    return tokenizer;
}

Result<HfTokenizer> HfTokenizer::from(const SentencePieceModel& model, const JsonObject& config, uint32_t n_vocab) {
    HfTokenizer tokenizer;
    tokenizer.is_sentencepiece_ = true;
    tokenizer.adds_space_prefix_ = model.adds_space_prefix;
    if (model.begin_id && *model.begin_id >= n_vocab) {
        return base::fail(ErrorCode::ModelLoadFailed, model.path, ": bos_id is ", *model.begin_id, ", the model has ",
                          n_vocab, " tokens");
    }
    tokenizer.begin_id_ = model.begin_id;
    tokenizer.start(n_vocab);
    tokenizer.scores_.assign(n_vocab, 0);
    for (size_t id = 0; id < model.pieces.size(); ++id) {
        const SentencePieceModel::Piece& piece = model.pieces[id];
        if (auto set = tokenizer.set_token(id, piece.text, model.path); !set) return std::move(set).error();
        tokenizer.types_[id] = piece.kind;
        tokenizer.scores_[id] = piece.score;
        if (piece.kind == static_cast<int32_t>(TokenKind::Unknown)) tokenizer.unknown_id_ = static_cast<uint32_t>(id);
    }
    const auto added = config.object("added_tokens_decoder");
    if (!added) return added.error();
    if (*added) {
        for (const auto& [number, token] : (*added)->raw()) {
            uint32_t id = 0;
            const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
            if (error != std::errc() || end != number.data() + number.size()) {
                return (*added)->fail(in_quotes(number), " is no id");
            }
            const std::string_view text = text_at(token, "content");
            if (tokenizer.find(text) == id) continue;  // it is a piece already
            if (auto set = tokenizer.set_token(id, text, (*added)->path()); !set) return std::move(set).error();
            tokenizer.types_[id] = added_kind(token);
        }
    }
    tokenizer.name_unused();
    return tokenizer;
}

void HfTokenizer::start(uint32_t n_vocab) {
    tokens_.resize(n_vocab);
    types_.assign(n_vocab, static_cast<int32_t>(TokenKind::Unused));
}

// Names unused ids like llama.cpp's converter.
void HfTokenizer::name_unused() {
    for (size_t id = 0; id < tokens_.size(); ++id) {
        if (!tokens_[id].empty()) continue;
        tokens_[id] = base::concat("[PAD", id, "]");
        while (find(tokens_[id])) tokens_[id] += '_';
    }
}

Result<void> HfTokenizer::read_pipeline(const JsonObject& file, const JsonObject& model) {
    const auto type = model.text("type", "BPE");  // older files do not say it
    if (!type) return type.error();
    if (*type != "BPE") return model.fail("type: ", in_quotes(*type), " is not supported (BPE is)");
    for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        const auto text = model.text(key, "");
        if (!text) return text.error();
        if (!text->empty()) return model.fail(key, ": ", in_quotes(*text), " is not supported");
    }
    const auto is_sentencepiece = model.boolean("byte_fallback", false);
    if (!is_sentencepiece) return is_sentencepiece.error();
    is_sentencepiece_ = *is_sentencepiece;
    const std::string normalizer = describe(file, "normalizer", "normalizers");
    const std::string pre_tokenizer = describe(file, "pre_tokenizer", "pretokenizers");
    if (is_sentencepiece_) {
        for (const SentencePieceRule& rule : kSentencePieceRules) {
            if (rule.normalizer != normalizer || rule.pre_tokenizer != pre_tokenizer) continue;
            adds_space_prefix_ = rule.adds_space_prefix;
            return {};
        }
        return file.fail("normalizer ", in_quotes(normalizer), " with pre_tokenizer ", in_quotes(pre_tokenizer),
                         " is not known");
    }
    // llmd does not compose characters, so with Qwen's NFC only text that is composed already gives the same ids.
    if (!normalizer.empty() && normalizer != "NFC")
        return file.fail("normalizer ", in_quotes(normalizer), " is not known");
    for (const ByteLevelRule& rule : kByteLevelRules) {
        if (rule.steps != pre_tokenizer) continue;
        pre_tokenizer_ = rule.name;
        const auto ignores = model.boolean("ignore_merges", rule.ignores_merges);
        if (!ignores) return ignores.error();
        if (*ignores == rule.ignores_merges) return {};
        return model.fail("ignore_merges is not as with the other tokenizers called ", rule.name);
    }
    return file.fail("pre_tokenizer ", in_quotes(pre_tokenizer), " is not known");
}

Result<void> HfTokenizer::set_token(uint64_t id, std::string_view text, std::string_view from) {
    const auto fail = [&](const auto&... parts) {
        return base::fail(ErrorCode::ModelLoadFailed, from, ": ", parts...);
    };
    if (id >= tokens_.size()) {
        return fail("token ", in_quotes(text), " has the id ", id, ", the model has ", tokens_.size(), " tokens");
    }
    if (text.empty() || !base::is_clean_text(text)) return fail("token ", id, " ", in_quotes(text), " is no text");
    const auto [known, is_new] = ids_.try_emplace(std::string(text), static_cast<uint32_t>(id));
    if (!is_new && known->second != id) {
        return fail("token ", in_quotes(text), " has the ids ", known->second, " and ", id);
    }
    if (is_new && types_[id] != static_cast<int32_t>(TokenKind::Unused)) {
        return fail("tokens ", in_quotes(tokens_[id]), " and ", in_quotes(text), " have the same id ", id);
    }
    tokens_[id] = text;
    return {};
}

Result<void> HfTokenizer::read_vocabulary(const JsonObject& model, uint32_t n_vocab) {
    dom::object vocabulary;
    if (model.raw()["vocab"].get(vocabulary) != SUCCESS) return model.fail("vocab is not an object");
    start(n_vocab);
    for (const auto& [text, value] : vocabulary) {
        uint64_t id = 0;
        if (value.get(id) != SUCCESS) return model.fail("vocab: the id of ", in_quotes(text), " is no number");
        if (auto set = set_token(id, text, model.path()); !set) return set;
        const TokenKind kind =
            is_sentencepiece_ && tokenizer::spelled_byte(text) >= 0 ? TokenKind::Byte : TokenKind::Normal;
        types_[id] = static_cast<int32_t>(kind);
    }
    return {};
}

// Reads the added tokens. GGUF has no flags for those that absorb the spaces around them.
Result<void> HfTokenizer::read_added(const JsonObject& file) {
    if (!file.has("added_tokens")) return {};
    dom::array added;
    if (file.raw()["added_tokens"].get(added) != SUCCESS) return file.fail("added_tokens is not an array");
    for (const dom::element token : added) {
        uint64_t id = 0;
        if (token["id"].get(id) != SUCCESS) return file.fail("added_tokens holds one without an id");
        if (auto set = set_token(id, text_at(token, "content"), file.path()); !set) return set;
        types_[id] = added_kind(token);
    }
    return {};
}

Result<void> HfTokenizer::read_merges(const JsonObject& model) {
    dom::array merges;
    if (model.raw()["merges"].get(merges) != SUCCESS) return model.fail("merges is not an array");
    // SentencePiece's BPE merges into the token with the best score, so scores follow the order of the merges.
    const float worst = -static_cast<float>(merges.size());
    if (is_sentencepiece_) scores_.assign(tokens_.size(), worst);
    size_t rank = 0;
    for (const dom::element merge : merges) {
        std::string_view line, left, right;
        dom::array pair;
        if (merge.get(line) == SUCCESS) {
            const size_t space = line.find(' ', 1);
            if (space != std::string_view::npos) left = line.substr(0, space), right = line.substr(space + 1);
        } else if (merge.get(pair) == SUCCESS && pair.size() == 2) {
            if (pair.at(0).get(left) != SUCCESS || pair.at(1).get(right) != SUCCESS) left = right = "";
        }
        if (left.empty() || right.empty()) return model.fail("merges[", rank, "] is not two tokens");
        const auto result = find(base::concat(left, right));
        if (!find(left) || !find(right) || !result) {
            return model.fail("merges[", rank, "]: ", in_quotes(left), " and ", in_quotes(right),
                              " or what they make are no tokens");
        }
        if (!is_sentencepiece_) {
            merges_.push_back(base::concat(left, " ", right));
        } else if (scores_[*result] == worst) {  // the first merge that makes it
            scores_[*result] = -static_cast<float>(rank);
        }
        ++rank;
    }
    return {};
}

std::optional<uint32_t> HfTokenizer::find(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

void HfTokenizer::add_metadata(GgufOutput& out) const {
    out.add("tokenizer.ggml.model", is_sentencepiece_ ? "llama" : "gpt2");
    out.add("tokenizer.ggml.pre", is_sentencepiece_ ? "default" : pre_tokenizer_);
    out.add("tokenizer.ggml.tokens", tokens_);
    out.add("tokenizer.ggml.token_type", std::span<const int32_t>(types_));
    if (unknown_id_) out.add("tokenizer.ggml.unknown_token_id", *unknown_id_);
    if (is_sentencepiece_) {
        out.add("tokenizer.ggml.scores", std::span<const float>(scores_));
        out.add("tokenizer.ggml.add_space_prefix", adds_space_prefix_);
    } else {
        out.add("tokenizer.ggml.merges", merges_);
    }
}

}  // namespace llmd::convert
