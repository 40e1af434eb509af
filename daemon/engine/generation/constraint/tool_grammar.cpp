#include "engine/generation/constraint/tool_grammar.h"

#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/json_writer.h"
#include "constraint/json_schema.h"
#include "constraint/merged_schema.h"
#include "engine/generation/constraint/value_spelling.h"

namespace llmd::constraint {

using base::ErrorCode;
using base::fail;
using chat::ArgumentSyntax;
using chat::CallSyntax;
using chat::Tool;
using chat::ValueKind;
using simdjson::SUCCESS;
using simdjson::dom::element;

namespace {

constexpr int kMaxGap = 2;  // white space between the thinking and what follows it
constexpr size_t kBytes = 256;

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// In a text that the syntax prescribes, white space may be left out.
NodeId spaced(GrammarBuilder& b, std::string_view text, NodeId next) {
    for (auto c = text.rbegin(); c != text.rend(); ++c) {
        const NodeId with = b.byte(*c, next);
        next = is_space(*c) ? b.choice(with, next) : with;
    }
    return next;
}

NodeId gap(GrammarBuilder& b, NodeId next) {
    NodeId all = next;
    for (int i = 0; i < kMaxGap; ++i) all = b.choice({next, b.byte('\n', all), b.byte(' ', all)});
    return all;
}

// Names that end where the syntaxes say so.
bool is_spelled_name(std::string_view name) {
    constexpr std::string_view kEnds = "=:<>(){}[]\"'\\,";
    return !name.empty() && name.front() != ' ' && name.back() != ' ' &&
           std::all_of(name.begin(), name.end(), [&](char c) {
               return static_cast<uint8_t>(c) >= 0x20 && c != 0x7F && kEnds.find(c) == std::string_view::npos;
           });
}

// As JSON Pointer (RFC 6901) spells a name.
std::string pointer_to(std::string_view property) {
    std::string pointer = "#/properties/";
    for (const char c : property) pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return pointer;
}

// Compiles the arguments of tools to rules.
class ArgumentCompiler {
public:
    ArgumentCompiler(GrammarBuilder& builder, const CallSyntax& syntax)
        : b_(builder), rules_(builder), syntax_(syntax), end_(b_.literal(syntax.parameter_end, b_.end())) {}

    // Matches what stands between the name and the end of a call. `field` is for messages.
    base::Result<RuleId> rule(const Tool& tool, const std::string& field) {
        if (tool.parameters.empty()) {
            if (!none_) none_ = b_.rule(is_json() ? b_.literal("{}", b_.end()) : b_.end());
            return *none_;
        }
        n_merges_ = 0;
        const auto known = known_.find({tool.parameters, tool.strict});
        if (known != known_.end()) return known->second;
        element schema;
        if (parser_.parse(tool.parameters).get(schema) != SUCCESS) {
            return fail(ErrorCode::InvalidArgument, field, ": it is not JSON");
        }
        unconstrained_.is_strict = tool.strict;
        unconstrained_.field = field;
        const size_t n_notes = unconstrained_.notes.size();
        auto rule = is_json() ? rules_.add(schema, "#", field, &unconstrained_) : parameters(tool, schema, field);
        if (rule && unconstrained_.notes.size() == n_notes)
            known_.emplace(std::pair(tool.parameters, tool.strict), *rule);
        return rule;
    }
    std::vector<std::string>& notes() { return unconstrained_.notes; }

private:
    bool is_json() const { return syntax_.arguments == ArgumentSyntax::Json; }

    // As JsonText::object() goes through properties, from the last to the first.
    base::Result<RuleId> parameters(const Tool& tool, element schema, const std::string& field) {
        std::set<std::string_view> required;
        if (auto checked = check(tool, schema, field, required); !checked) return checked.error();
        NodeId member = b_.nothing();  // one of those that are left
        bool may_close = true;
        for (auto property = tool.properties.rbegin(); property != tool.properties.rend(); ++property) {
            const bool is_required = required.contains(property->name);
            if (!is_spelled_name(property->name)) {
                if (!is_required) continue;
                return fail(ErrorCode::InvalidArgument, field,
                            ": at \"#/properties\": ", base::in_quotes(property->name, kQuotedBytes),
                            " is required, and calls of this model cannot spell this name");
            }
            const auto value = this->value(*property, schema, field);
            if (!value) return value.error();
            NodeId after = member == b_.nothing() ? member : spaced(b_, syntax_.parameter_separator, member);
            if (may_close) after = b_.choice(b_.end(), after);
            NodeId named = b_.literal(syntax_.parameter_name_end, b_.call(*value, after));
            named = spaced(b_, syntax_.parameter_begin, b_.literal(property->name, named));
            member = is_required ? named : b_.choice(named, member);
            may_close = may_close && !is_required;
        }
        return b_.rule(may_close ? b_.choice(b_.end(), member) : member);
    }

    // Checks the keywords beside the properties.
    base::Result<void> check(const Tool& tool, element schema, const std::string& field,
                             std::set<std::string_view>& required) {
        const auto refuse = [&](const auto&... parts) {
            return fail(ErrorCode::InvalidArgument, field, ": at \"#\": ", parts...);
        };
        simdjson::dom::object object;
        if (schema.get(object) != SUCCESS) return refuse("a schema is an object");
        const SchemaKeywords keywords(object, "#");
        if (keywords.twice) return refuse(keyword_name(*keywords.twice), " comes twice");
        if (const auto& listed = keywords[Keyword::Properties]; listed && !listed->is_object()) {
            return refuse("properties: ", as_told(*listed), " is not an object");
        }
        simdjson::dom::array names;
        std::string_view name;
        if (const auto& given = keywords[Keyword::Required]) {
            const auto refused = [&] { return refuse("required: ", as_told(*given), " is not an array of strings"); };
            if (given->get(names) != SUCCESS) return refused();
            for (const element one : names) {
                if (one.get(name) != SUCCESS) return refused();
                required.insert(name);
            }
        }
        std::vector<std::string_view> unsupported = keywords.unknown;
        for (size_t i = 0; i < kKeywords; ++i) {
            const auto keyword = static_cast<Keyword>(i);
            const bool is_known = keyword == Keyword::Type || keyword == Keyword::Properties ||
                                  keyword == Keyword::Required || keyword == Keyword::AdditionalProperties;
            if (!is_known && keywords.has(keyword)) unsupported.push_back(keyword_name(keyword));
        }
        for (const std::string_view keyword : unsupported) {
            if (tool.strict) return refuse(in_quotes(keyword), " is not supported");
            unconstrained_.add("at \"#\": ", in_quotes(keyword), " is not supported; it is not enforced");
        }
        return {};
    }

    // Matches the value of a parameter and the end of the parameter.
    base::Result<RuleId> value(const chat::ToolParameter& property, element schema, const std::string& field) {
        element own;
        const std::string pointer = pointer_to(property.name);
        if (schema.at_pointer(std::string_view(pointer).substr(1)).get(own) != SUCCESS) {
            return b_.rule(b_.call(unnamed_value(schema), end_));
        }
        const ValueParts parts = value_parts(own, schema, n_merges_);
        if (syntax_.arguments == ArgumentSyntax::Parameters && property.kind != ValueKind::Json) {
            const bool may_be_null = property.kind == ValueKind::TextOrNull;
            return b_.rule(b_.choice(text(*parts.text), may_be_null ? b_.literal("null", end_) : b_.nothing()));
        }
        auto json = rules_.add(schema, pointer, field, &unconstrained_);
        if (!json) return json;
        std::vector<NodeId> spellings = {b_.call(*json, end_)};
        if (syntax_.arguments != ArgumentSyntax::Parameters && parts.text) spellings.push_back(text(*parts.text));
        if (syntax_.arguments == ArgumentSyntax::Python) {
            if (parts.may_be_boolean) spellings.push_back(b_.one_of({"True", "False"}, b_.end()));
            if (parts.may_be_null) spellings.push_back(b_.literal("None", b_.end()));
        }
        return b_.rule(b_.choice(spellings));
    }

    // Matches a string as the syntax spells it, and the end of the parameter. Strings that only their length or a
    // format restricts share rules.
    NodeId text(const ValueParts::Text& text) {
        if (text.values) return text_node(text);
        const auto [rule, is_new] = texts_.try_emplace(std::pair(text.format, text.characters));
        if (is_new) rule->second = b_.rule(text_node(text));
        return b_.call(rule->second, b_.end());
    }
    NodeId text_node(const ValueParts::Text& text) {
        if (syntax_.arguments == ArgumentSyntax::Python) return single_quoted(b_, rules_.shared().json, text, b_.end());
        if (syntax_.arguments == ArgumentSyntax::Parameters) {
            return plain_text(b_, rules_.shared(), text, syntax_.parameter_end, b_.end());
        }
        const NodeId inner = plain_text(b_, rules_.shared(), text, chat::kBracesQuote, b_.end());
        return inner == b_.nothing() ? inner : b_.literal(chat::kBracesQuote, inner);
    }

    // The value of a required property without a schema.
    RuleId unnamed_value(element schema) {
        bool is_any = false;
        const auto rest = schema["additionalProperties"];
        const bool is_free = rest.error() != SUCCESS || rest.get(is_any) != SUCCESS || is_any;
        return is_free ? rules_.shared().json.anything() : b_.rule(b_.nothing());
    }

    GrammarBuilder& b_;
    SchemaRules rules_;
    const CallSyntax& syntax_;
    NodeId end_;  // of a parameter
    simdjson::dom::parser parser_;
    std::map<std::pair<std::string, Counts>, RuleId> texts_;  // by format and length
    std::map<std::pair<std::string, bool>, RuleId> known_;    // by schema and strictness
    std::optional<RuleId> none_;
    size_t n_merges_ = 0;  // of this tool
    Unconstrained unconstrained_;
};

std::string field_of(const Tool& tool) {
    return base::concat("tools[", tool.place, "].function.parameters");
}

base::Error no_text(const std::string& field) {
    return fail(ErrorCode::InvalidArgument, field, ": no JSON text fits it that nests less than ", kMaxDepth, " deep");
}

// Checks that a grammar of this tool's arguments alone has a text.
base::Result<void> check_alone(const Tool& tool, const CallSyntax& syntax, const std::string& field) {
    GrammarBuilder alone;
    const auto rule = ArgumentCompiler(alone, syntax).rule(tool, field);
    if (!rule) return rule.error();
    if (auto checked = alone.check(*rule, 0); !checked) {
        return fail(checked.error().code, field, ": ", checked.error().message);
    }
    const auto grammar = alone.finish(*rule);
    if (!grammar) return fail(grammar.error().code, field, ": ", grammar.error().message);
    if (grammar->depth_needed(grammar->entry(*rule)) >= kMaxDepth) return no_text(field);
    return {};
}

class AnswerCompiler {
public:
    explicit AnswerCompiler(const AnswerShape& shape) : shape_(shape) {}

    base::Result<AnswerGrammar> compile() {
        const ToolChoice& choice = shape_.choice;
        is_called_ = shape_.syntax != nullptr && !shape_.tools.empty() && choice.kind != ToolChoice::Kind::None;
        must_call_ = choice.kind == ToolChoice::Kind::Required || choice.kind == ToolChoice::Kind::Named;
        if (must_call_ && !is_called_) {
            return fail(ErrorCode::InvalidArgument, "tool_choice: it requires a call, but there are no tools");
        }
        if (!is_called_ && shape_.form.is_any()) return AnswerGrammar{};
        std::vector<std::string> unconstrained;
        if (is_called_) {
            if (auto added = add_calls(unconstrained); !added) return added.error();
        }
        if (!shape_.form.is_any() && !must_call_) {
            const auto rule = add_text_form(b_, shape_.form, unconstrained);
            if (!rule) return rule.error();
            form_ = b_.call(*rule, b_.end());
        }
        const RuleId start = b_.rule(answer());
        if (auto checked = check(start); !checked) return checked.error();
        auto grammar = b_.finish(start);
        if (!grammar) return fail(grammar.error().code, "tools: ", grammar.error().message);
        for (const auto& [i, rule] : tool_rules_) {
            if (grammar->depth_needed(grammar->entry(rule)) >= kMaxDepth) return no_text(field_of(shape_.tools[i]));
        }
        return AnswerGrammar{std::make_shared<const Grammar>(std::move(*grammar)), std::move(unconstrained)};
    }

private:
    // If the grammar is of no use, names the tool that is the cause.
    base::Result<void> check(RuleId start) {
        auto checked = b_.check(start, 0);
        if (checked) return checked;
        if (tool_rules_.empty()) return fail(checked.error().code, shape_.form.field(), ": ", checked.error().message);
        if (b_.is_full()) return fail(checked.error().code, "tools: ", checked.error().message);
        for (const auto& [i, rule] : tool_rules_) {
            const Tool& tool = shape_.tools[i];
            if (auto alone = check_alone(tool, *shape_.syntax, field_of(tool)); !alone) return alone;
        }
        return fail(checked.error().code, "tools: ", checked.error().message);
    }

    // Builds calls_ and what belongs to it.
    base::Result<void> add_calls(std::vector<std::string>& unconstrained) {
        const CallSyntax& syntax = *shape_.syntax;
        // The byte that ends a name in the trie of names, unless white space may stand there.
        lead_ = is_space(syntax.name_end[0]) ? 0 : 1;
        const NodeId after = b_.unknown();
        const NodeId tail = spaced(b_, syntax.call_end, after);
        ArgumentCompiler arguments(b_, syntax);
        for (size_t i = 0; i < shape_.tools.size(); ++i) {
            const Tool& tool = shape_.tools[i];
            if (shape_.choice.kind == ToolChoice::Kind::Named && tool.name != shape_.choice.name) continue;
            const auto rule = arguments.rule(tool, field_of(tool));
            if (!rule) return rule.error();
            if (!tool.fault.empty()) arguments.notes().push_back(base::concat(field_of(tool), ": ", tool.fault));
            const uint32_t at = names_.insert(tool.name);
            names_.entry(at).ends = true;
            const NodeId rest = spaced(b_, syntax.name_end.substr(lead_), b_.call(*rule, b_.end()));
            named_.emplace(at, b_.call(b_.rule(rest), tail));
            tool_rules_.emplace_back(i, *rule);
        }
        if (tool_rules_.empty()) {
            return fail(ErrorCode::InvalidArgument, "tool_choice: ", base::in_quotes(shape_.choice.name, kQuotedBytes),
                        " is none of the tools");
        }
        unconstrained = std::move(arguments.notes());
        const NodeId names = name_nodes(b_.nothing());
        const NodeId end = b_.literal(syntax.end, b_.end());
        const std::string first = base::concat(syntax.begin, syntax.call_begin);
        after_marker_ = spaced(b_, std::string_view(first).substr(syntax.marker.size()), names);
        calls_ = b_.literal(syntax.marker, after_marker_);
        // The marker is found as it is, and white space in it is not left out.
        const NodeId another = syntax.is_list() ? spaced(b_, base::concat(syntax.separator, syntax.call_begin), names)
                                                : spaced(b_, syntax.separator, calls_);
        const bool may_repeat = syntax.many && shape_.choice.parallel;
        b_.become_choice(after, end, may_repeat ? another : end);
        return {};
    }

    // Matches a tool's name and what follows it in a call. Other text goes on at `otherwise`.
    NodeId name_nodes(NodeId otherwise) {
        std::vector<NodeId> nodes(names_.size());
        for (uint32_t i = names_.size(); i-- > 0;) {
            const ByteTrie::Entry& entry = names_.entry(i);
            std::vector<NodeId> targets(kBytes, otherwise);
            for (const auto& [c, child] : entry.children) targets[c] = nodes[child];
            const NodeId call = entry.ends ? named_.at(i) : b_.nothing();
            if (entry.ends && lead_ > 0) targets[static_cast<uint8_t>(shape_.syntax->name_end[0])] = call;
            const NodeId bytes = byte_table(b_, targets);
            nodes[i] = otherwise != b_.nothing() ? b_.choice(b_.end(), bytes)
                       : lead_ == 0              ? b_.choice(bytes, call)
                                                 : bytes;
        }
        return nodes[0];
    }

    // The whole answer.
    NodeId answer() {
        if (is_called_ && !must_call_ && form_ == b_.nothing()) {
            const std::vector<NodeId> begin = shape_.syntax->marker.empty() ? text_or_bare_call() : text_until_marker();
            if (!shape_.thinking) return start_;
            const NodeId think = thinking(start_);
            return shape_.begins_in_thinking ? think : text_or_thinking(begin, think);
        }
        const NodeId exact = must_call_ ? calls_ : b_.choice(form_, calls_);
        if (!shape_.thinking) return exact;
        const NodeId after = shape_.form.is_exact() ? b_.literal(chat::kExactTextGap, exact) : gap(b_, exact);
        const NodeId think = thinking(after);
        return shape_.begins_in_thinking ? think : b_.choice(b_.literal(shape_.thinking->open, think), exact);
    }

    NodeId thinking(NodeId after) { return until(shape_.thinking->close, after, b_.nothing()).front(); }

    // Matches any bytes up to the end of the marker, and then `after`; without the marker, `end`. Returns the node of
    // each state of the search (matched_end()).
    std::vector<NodeId> until(std::string_view marker, NodeId after, NodeId end) {
        std::vector<NodeId> states;
        for (size_t i = 0; i < marker.size(); ++i) states.push_back(b_.unknown());
        for (size_t matched = 0; matched < marker.size(); ++matched) {
            std::string read(marker.substr(0, matched));
            read += ' ';
            std::vector<NodeId> targets(kBytes);
            for (size_t byte = 0; byte < kBytes; ++byte) {
                read.back() = static_cast<char>(byte);
                const size_t next = matched_end(marker, read);
                targets[byte] = next == marker.size() ? after : states[next];
            }
            b_.become_choice(states[matched], end, byte_table(b_, targets));
        }
        return states;
    }

    // Builds start_: text up to the first call. Returns where each byte leads from the beginning.
    std::vector<NodeId> text_until_marker() {
        text_ = until(shape_.syntax->marker, after_marker_, b_.end());
        start_ = text_[0];
        std::vector<NodeId> targets(kBytes);
        for (size_t byte = 0; byte < kBytes; ++byte)
            targets[byte] = after_text(std::string(1, static_cast<char>(byte)));
        return targets;
    }

    // Builds start_: a call at the beginning, or text. Returns where each byte leads from the beginning.
    std::vector<NodeId> text_or_bare_call() {
        text_ = {b_.unknown()};
        const NodeId text = text_[0];
        b_.become_choice(text, b_.end(), byte_table(b_, std::vector<NodeId>(kBytes, text)));
        NodeId next = name_nodes(text);
        const std::string_view begin = shape_.syntax->call_begin;
        std::vector<NodeId> targets;
        for (size_t i = begin.size(); i-- > 0;) {
            // White space may be left out. Where it is, the byte leads where it leads behind it.
            std::vector<NodeId> here = is_space(begin[i]) ? targets : std::vector<NodeId>(kBytes, text);
            if (here.empty()) here.assign(kBytes, text);
            here[static_cast<uint8_t>(begin[i])] = next;
            targets = std::move(here);
            next = b_.choice(b_.end(), byte_table(b_, targets));
        }
        start_ = b_.unknown();
        for (const char space : {' ', '\n', '\t', '\r'}) targets[static_cast<uint8_t>(space)] = start_;
        b_.become_choice(start_, b_.end(), byte_table(b_, targets));
        return targets;
    }

    // The node behind a text that has no call and is no beginning of a bare one.
    NodeId after_text(const std::string& read) {
        if (shape_.syntax->marker.empty()) return text_[0];
        const size_t matched = matched_end(shape_.syntax->marker, read);
        return matched == text_.size() ? after_marker_ : text_[matched];
    }

    // Matches white space and then the thinking; else what start_ matches. `begin` says where its bytes lead.
    NodeId text_or_thinking(const std::vector<NodeId>& begin, NodeId think) {
        const std::string_view open = shape_.thinking->open;
        NodeId next = think;
        for (size_t matched = open.size(); matched-- > 1;) {
            std::vector<NodeId> targets(kBytes);
            std::string read(open.substr(0, matched));
            read += ' ';
            for (size_t byte = 0; byte < kBytes; ++byte) {
                read.back() = static_cast<char>(byte);
                targets[byte] = after_text(read);
            }
            targets[static_cast<uint8_t>(open[matched])] = next;
            next = b_.choice(b_.end(), byte_table(b_, targets));
        }
        std::vector<NodeId> targets = begin;
        const NodeId start = b_.unknown();
        for (const char space : {' ', '\n', '\t', '\r'}) targets[static_cast<uint8_t>(space)] = start;
        targets[static_cast<uint8_t>(open[0])] = next;
        b_.become_choice(start, b_.end(), byte_table(b_, targets));
        return start;
    }

    const AnswerShape& shape_;
    GrammarBuilder b_;
    bool is_called_ = false;
    bool must_call_ = false;
    NodeId form_ = 0;  // the text
    ByteTrie names_;
    std::map<uint32_t, NodeId> named_;                   // by the end of the name in names_: what follows it
    std::vector<std::pair<size_t, RuleId>> tool_rules_;  // index of the tool, its arguments
    size_t lead_ = 0;                                    // bytes of name_end that the trie of names has
    NodeId after_marker_ = 0, calls_ = 0;
    std::vector<NodeId> text_;  // the states of text
    NodeId start_ = 0;
};

}  // namespace

base::Result<AnswerGrammar> compile_answer_grammar(const AnswerShape& shape) {
    return AnswerCompiler(shape).compile();
}

bool unconstrain_tools(std::span<Tool> tools, const CallSyntax& syntax) {
    bool has_any = false;
    for (Tool& tool : tools) {
        if (tool.strict) continue;
        const auto alone = check_alone(tool, syntax, {});
        if (alone) continue;
        unconstrain(tool, std::string_view(alone.error().message).substr(kFieldEnd.size()));
        has_any = true;
    }
    return has_any;
}

}  // namespace llmd::constraint
