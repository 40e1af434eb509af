#include "engine/generation/constraint/value_spelling.h"

#include <algorithm>

#include "base/utf8.h"
#include "constraint/merged_schema.h"
#include "constraint/pattern.h"

namespace llmd::constraint {

using simdjson::SUCCESS;
using simdjson::dom::element;

namespace {

void add(ValueParts& all, const ValueParts& one) {
    // Two kinds of strings need a choice between them, which JSON's spelling has.
    all.may_be_more = all.may_be_more || one.may_be_more || (all.text && one.text);
    all.may_be_null = all.may_be_null || one.may_be_null;
    all.may_be_boolean = all.may_be_boolean || one.may_be_boolean;
    if (!all.text) all.text = one.text;
}

ValueParts parts_of_values(const std::vector<std::string>& values) {
    ValueParts parts;
    std::vector<std::string> texts;
    simdjson::dom::parser parser;
    for (const std::string& value : values) {
        std::string_view text;
        if (value == "null") {
            parts.may_be_null = true;
        } else if (parser.parse(value).get(text) == SUCCESS) {
            texts.emplace_back(text);
        } else {
            parts.may_be_more = true;
        }
    }
    if (!texts.empty()) parts.text = {.characters = {}, .values = std::move(texts), .format = {}};
    return parts;
}

std::optional<ValueParts::Text> text_of(MergedSchema& merged) {
    ValueParts::Text text{.characters = merged.counts(Keyword::MinLength, Keyword::MaxLength)};
    if (merged.refusal()) return std::nullopt;
    for (const SchemaKeywords& keywords : merged.members()) {
        std::string_view format;
        if (keywords.has(Keyword::Pattern)) return std::nullopt;
        if (!keywords.has(Keyword::Format)) continue;
        const bool is_known = keywords[Keyword::Format]->get(format) == SUCCESS && text_format(format, false);
        if (!is_known || !text.format.empty()) return std::nullopt;
        text.format = format;
    }
    const bool has_length = text.characters.least > 0 || text.characters.most != kUnbounded;
    return has_length && !text.format.empty() ? std::nullopt : std::optional(text);
}

// `merged` may still have alternatives if nothing is around it.
ValueParts parts_of(MergedSchema& merged, element root, size_t& n_merges, bool is_alternative) {
    ValueParts unknown{.text = {}, .may_be_more = true};
    const auto alternatives = merged.take_alternatives();
    if (merged.refusal() || merged.is_never()) return unknown;
    if (alternatives) {
        if (is_alternative || alternatives->keyword != Keyword::AnyOf) return unknown;
        ValueParts all;
        for (const SchemaAt& schema : alternatives->schemas) {
            MergedSchema both = merged;
            both.add(schema, root, n_merges);
            add(all, parts_of(both, root, n_merges, true));
        }
        return all;
    }
    const auto values = merged.values();
    const auto types = merged.types();
    if (merged.refusal()) return unknown;
    if (values) {
        const auto other = merged.besides(
            {Keyword::Enum, Keyword::Const, Keyword::Type, Keyword::Nullable, Keyword::AllOf, Keyword::Ref});
        return other ? unknown : parts_of_values(*values);
    }
    const uint8_t bits = types.value_or(0xFF);
    ValueParts parts;
    if ((bits & kString) != 0) parts.text = text_of(merged);
    parts.may_be_null = (bits & kNull) != 0;
    parts.may_be_boolean = (bits & kBoolean) != 0;
    parts.may_be_more = (bits & ~(kString | kNull | kBoolean)) != 0 || ((bits & kString) != 0 && !parts.text);
    return parts;
}

}  // namespace

ValueParts value_parts(element schema, element root, size_t& n_merges) {
    MergedSchema merged;
    merged.add({schema, "#/value"}, root, n_merges);
    return parts_of(merged, root, n_merges, false);
}

chat::ValueKind value_kind(const ValueParts& parts) {
    if (!parts.text || parts.may_be_more || parts.may_be_boolean) return chat::ValueKind::Json;
    if (parts.text->values) {
        // The end of a value begins with "</", maybe after a line break.
        const auto is_spelled = [](const std::string& value) {
            return base::is_clean_text(value) && value.find("</") == std::string::npos && !value.ends_with('<');
        };
        if (!std::all_of(parts.text->values->begin(), parts.text->values->end(), is_spelled)) {
            return chat::ValueKind::Json;
        }
    }
    return parts.may_be_null ? chat::ValueKind::TextOrNull : chat::ValueKind::Text;
}

size_t matched_end(std::string_view marker, std::string_view text) {
    size_t n = std::min(marker.size(), text.size());
    while (marker.substr(0, n) != text.substr(text.size() - n)) --n;
    return n;
}

NodeId byte_table(GrammarBuilder& builder, const std::vector<NodeId>& targets) {
    std::vector<NodeId> alternatives;
    for (size_t first = 0, last = 0; first < targets.size(); first = last + 1) {
        for (last = first; last + 1 < targets.size() && targets[last + 1] == targets[first];) ++last;
        if (targets[first] == builder.nothing()) continue;
        alternatives.push_back(builder.bytes(static_cast<char>(first), static_cast<char>(last), targets[first]));
    }
    return builder.choice(alternatives);
}

namespace {

bool is_text_byte(size_t byte) {
    return (byte >= 0x20 && byte <= 0x7E) || byte == '\n' || byte == '\t';
}

// The characters of a text and its end, of which `matched` have been read when its state is entered. The end counts as
// characters until it is known whether it is one. A state is entered only if the text can still have a length that is
// allowed: when the end comes at once, or when one more character is allowed, which may be the first of the end.
class TextUntil {
public:
    TextUntil(GrammarBuilder& builder, JsonText& json, Counts characters, std::string_view end, NodeId next)
        : b_(builder), json_(json), end_(end), next_(next), characters_(characters) {
        const auto n_end = static_cast<uint32_t>(end.size());
        is_counted_ = characters.least > 0 || characters.most != kUnbounded;
        limit_ = (characters.most == kUnbounded ? characters.least : characters.most) + n_end;
    }

    NodeId node() {
        if (characters_.least > characters_.most) return b_.nothing();
        for (size_t i = 0; i < end_.size(); ++i) states_.push_back(b_.unknown());
        for (size_t matched = 0; matched < end_.size(); ++matched) define(matched);
        return states_[0];
    }

private:
    void define(size_t matched) {
        std::string read(end_.substr(0, matched));
        read += ' ';
        std::vector<std::vector<NodeId>> by_state(end_.size() + 1, std::vector<NodeId>(0x80, b_.nothing()));
        for (size_t byte = 0; byte < 0x80; ++byte) {
            if (!is_text_byte(byte)) continue;
            read.back() = static_cast<char>(byte);
            const size_t after = matched_end(end_, read);
            by_state[after][byte] = after == end_.size() ? next_ : counted(states_[after]);
        }
        std::vector<NodeId> alternatives;
        for (size_t after = 0; after <= end_.size(); ++after) {
            NodeId bytes = byte_table(b_, by_state[after]);
            if (after == 0) bytes = b_.choice(bytes, b_.call(json_.wide_character(), counted(states_[0])));
            if (bytes != b_.nothing()) alternatives.push_back(allowed(static_cast<uint32_t>(after), bytes));
        }
        const NodeId all = b_.choice(alternatives);
        b_.become_choice(states_[matched], all, all);
    }

    NodeId counted(NodeId state) { return is_counted_ ? b_.count(limit_, state) : state; }

    // Before a byte that leads to the state `after`.
    NodeId allowed(uint32_t after, NodeId byte) {
        if (!is_counted_) return byte;
        const auto [least, most] = characters_;
        const NodeId fits = b_.below(most == kUnbounded ? most : most + after, byte);
        if (after == 0 || least == 0) return fits;
        const NodeId may_end = b_.at_least(least + after - 1, fits);
        return after == end_.size() ? may_end : b_.choice(may_end, b_.below(most, fits));
    }

    GrammarBuilder& b_;
    JsonText& json_;
    std::string_view end_;
    NodeId next_;
    Counts characters_;
    bool is_counted_ = false;
    uint32_t limit_ = 0;
    std::vector<NodeId> states_;
};

}  // namespace

NodeId plain_text(GrammarBuilder& builder, SharedRules& shared, const ValueParts::Text& text, std::string_view end,
                  NodeId next) {
    if (text.values) {
        std::vector<std::string> spelled;
        for (const std::string& value : *text.values) {
            const bool is_whole = (value + std::string(end)).find(end) == value.size();
            if (is_whole && base::is_clean_text(value)) spelled.push_back(value);
        }
        return spelled.empty() ? builder.nothing() : builder.one_of(spelled, builder.literal(end, next));
    }
    if (!text.format.empty()) {
        // No format has characters that JSON escapes.
        const auto format = text_format(text.format, false);
        const auto dfa = compile_pattern(format->pattern, shared.work);
        if (!dfa) return builder.nothing();
        const auto rule = shared.dfa_text.rule(*dfa, {.least = 0, .most = format->longest}, "", end, shared.work);
        return rule ? builder.call(*rule, next) : builder.nothing();
    }
    return TextUntil(builder, shared.json, text.characters, end, next).node();
}

NodeId single_quoted(GrammarBuilder& builder, JsonText& json, const ValueParts::Text& text, NodeId next) {
    GrammarBuilder& b = builder;
    const NodeId quote = b.byte('\'', next);
    if (text.values) {
        std::vector<std::string> spelled;
        for (const std::string& value : *text.values) {
            const bool is_plain = std::all_of(value.begin(), value.end(), [](char c) {
                return static_cast<uint8_t>(c) >= 0x20 && c != '\'' && c != '\\' && c != 0x7F;
            });
            if (is_plain && base::is_clean_text(value)) spelled.push_back(value);
        }
        return spelled.empty() ? b.nothing() : b.byte('\'', b.one_of(spelled, quote));
    }
    if (!text.format.empty()) return b.nothing();
    const auto [least, most] = text.characters;
    if (least > most) return b.nothing();
    if (most == 0) return b.byte('\'', quote);
    const NodeId loop = b.unknown();
    const uint32_t told_apart = most == kUnbounded ? least : most;
    const NodeId again = told_apart == 0 ? loop : b.count(told_apart, loop);
    std::vector<NodeId> escapes;
    for (const char c : {'\'', '"', '\\', 'n', 't'}) escapes.push_back(b.byte(c, again));
    const NodeId character = b.choice({b.bytes(' ', '&', again), b.bytes('(', '[', again), b.bytes(']', '~', again),
                                       b.byte('\\', b.choice(escapes)), b.call(json.wide_character(), again)});
    b.become_choice(loop, b.at_least(least, quote), b.below(most, character));
    return b.byte('\'', loop);
}

}  // namespace llmd::constraint
