// The form that an answer's text is held to: JSON of a schema (json_schema.h), a text that a regular expression matches
// from its beginning to its end (pattern.h), or one of a list of texts. The last two are written as they are, with no
// quotes and no escapes. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constraint/grammar.h"
#include "constraint/unconstrained.h"

namespace llmd::constraint {

// At most one of them is given; it must outlive this.
struct TextForm {
    std::string_view json_schema;
    bool is_strict = false;  // a keyword of json_schema that is not supported is an error
    std::string_view regex;
    std::span<const std::string> choices;

    // The field that gives it, for messages.
    std::string_view field() const { return is_json() ? "json_schema" : regex.empty() ? "choices" : "regex"; }
    bool is_any() const { return json_schema.empty() && regex.empty() && choices.empty(); }
    bool is_json() const { return !json_schema.empty(); }
    bool is_exact() const { return !is_any() && !is_json(); }  // white space around it is part of it
};

// Adds a rule that matches the texts of a form that is not any. InvalidArgument names `json_schema`, `regex` or
// `choices`, and what is wrong there; the builder is of no use afterwards. `notes` takes what of a schema is not
// enforced (unconstrained.h). Takes some tens of milliseconds at most.
base::Result<RuleId> add_text_form(GrammarBuilder& builder, const TextForm& form, std::vector<std::string>& notes);
// The same as a grammar of its own.
base::Result<Grammar> compile_text_form(const TextForm& form, std::vector<std::string>& notes);

}  // namespace llmd::constraint
