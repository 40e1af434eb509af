// Values as the syntaxes of tool calls spell them other than JSON does.
// Pure functions.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "constraint/grammar.h"
#include "constraint/json_schema.h"
#include "constraint/json_text.h"
#include "engine/chat/tool.h"

namespace llmd::constraint {

// The parts of a schema for the values that have another spelling.
struct ValueParts {
    // The strings, if their schema has no other keywords than these.
    struct Text {
        Counts characters;
        std::optional<std::vector<std::string>> values;  // the only ones
        std::string format;                              // one that text_format() knows; empty: none
    };
    std::optional<Text> text;
    bool may_be_null = false;
    bool may_be_boolean = false;  // true and false
    bool may_be_more = false;     // any other value
};

// A $ref is looked up in `root`. A schema that is not understood has `may_be_more` alone.
// `n_merges` is that of MergedSchema::add(), which bounds the work for a tool.
ValueParts value_parts(simdjson::dom::element schema, simdjson::dom::element root, size_t& n_merges);

// How ArgumentSyntax::Parameters spells the values of the schema: as text only if nothing else looks like one.
chat::ValueKind value_kind(const ValueParts& parts);

// Matches a text as it is and then `end`, which does not occur in it. A text has printable characters, line breaks and
// tabs. `end` is ASCII.
NodeId plain_text(GrammarBuilder& builder, SharedRules& shared, const ValueParts::Text& text, std::string_view end,
                  NodeId next);

// Matches a string between single quotes, with Python's escapes; nothing if it has a format.
NodeId single_quoted(GrammarBuilder& builder, JsonText& json, const ValueParts::Text& text, NodeId next);

// Returns the longest end of the text that `marker` begins with: the state of the search of Knuth, Morris and Pratt.
size_t matched_end(std::string_view marker, std::string_view text);

// Matches a byte that leads to another node than nothing(), and goes on there.
NodeId byte_table(GrammarBuilder& builder, const std::vector<NodeId>& targets);

}  // namespace llmd::constraint
