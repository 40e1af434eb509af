#include "constraint/text_form.h"

#include <simdjson.h>

#include <iterator>
#include <utility>
#include <vector>

#include "constraint/character_dfa.h"
#include "constraint/json_schema.h"
#include "constraint/pattern.h"

namespace llmd::constraint {

using base::ErrorCode;
using base::fail;

namespace {

base::Result<RuleId> add_schema(GrammarBuilder& builder, const TextForm& form, std::vector<std::string>& notes) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    if (auto parsed = parse_json_schema(form.json_schema, parser, root); !parsed) return parsed.error();
    Unconstrained unconstrained{.is_strict = form.is_strict};
    auto rule = add_json_schema(builder, root, "json_schema", &unconstrained);
    if (rule) std::move(unconstrained.notes.begin(), unconstrained.notes.end(), std::back_inserter(notes));
    return rule;
}

base::Result<RuleId> add_regex(GrammarBuilder& builder, std::string_view regex) {
    DfaWork work;
    const auto dfa = compile_pattern(regex, work, PatternUse::WholeText);
    if (!dfa) return fail(dfa.error().code, "regex: ", dfa.error().message);
    if (dfa->states.empty()) return fail(ErrorCode::InvalidArgument, "regex: no text matches it");
    auto rule = DfaText(builder, TextSpelling::AsItIs).rule(*dfa, {}, "", "", work);
    if (!rule) return fail(rule.error().code, "regex: ", rule.error().message);
    return rule;
}

}  // namespace

base::Result<RuleId> add_text_form(GrammarBuilder& builder, const TextForm& form, std::vector<std::string>& notes) {
    if (form.is_json()) return add_schema(builder, form, notes);
    const NodeId first = builder.n_nodes();
    auto rule = form.regex.empty()
                    ? builder.rule(builder.one_of({form.choices.begin(), form.choices.end()}, builder.end()))
                    : add_regex(builder, form.regex);
    if (!rule) return rule;
    if (const auto checked = builder.check(*rule, first); !checked) {
        return fail(checked.error().code, form.field(), ": ", checked.error().message);
    }
    return rule;
}

base::Result<Grammar> compile_text_form(const TextForm& form, std::vector<std::string>& notes) {
    GrammarBuilder builder;
    const auto rule = add_text_form(builder, form, notes);
    if (!rule) return rule.error();
    return builder.finish(*rule);
}

}  // namespace llmd::constraint
