#include "engine/generation/constraint/bare_calls.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "constraint/grammar.h"
#include "constraint/json_schema.h"
#include "constraint/json_text.h"

namespace llmd::constraint {

using chat::AnswerEvent;
using chat::JsonValue;
using chat::Tool;
using Kind = AnswerEvent::Kind;

namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kSpace = " \t\r\n";
constexpr int kMaxEscapes = 2;  // of JSON in a string of JSON in a string

// The texts that bare calls of these tools may be; what the arguments are is not said. TextChecker allows white space.
std::shared_ptr<const Grammar> grammar_of(std::span<const Tool> tools, bool many) {
    GrammarBuilder b;
    JsonText json(b);
    std::vector<std::string> names;
    for (const Tool& tool : tools) names.push_back(tool.name);
    const RuleId any_object = b.rule(json.object({}, {{{}, json.anything()}}, {}));
    const auto name = [&](NodeId next) { return b.literal("\"name\":\"", b.one_of(names, b.byte('"', next))); };
    const auto arguments = [&](NodeId next) {
        return b.one_of({"\"arguments\":", "\"parameters\":"}, b.call(any_object, next));
    };
    const auto call = [&](NodeId next) {
        const NodeId end = b.byte('}', next);
        return b.byte('{', b.choice(name(b.byte(',', arguments(end))), arguments(b.byte(',', name(end)))));
    };
    const auto calls = [&](NodeId next) {
        const NodeId after = b.unknown();
        const NodeId first = call(after);
        b.become_choice(after, b.byte(']', next), many ? b.byte(',', first) : b.nothing());
        return b.choice(call(next), b.byte('[', first));
    };
    const NodeId fenced = calls(b.literal(kFence, b.end()));
    const NodeId fence =
        b.literal(kFence, b.choice({fenced, b.literal("json", fenced), b.literal("tool_call", fenced)}));
    auto grammar = b.finish(b.rule(b.choice(calls(b.end()), fence)));
    return grammar ? std::make_shared<const Grammar>(std::move(*grammar)) : nullptr;
}

// The grammar of a schema has the properties in the schema's order, which is none that arguments must have.
void put_in_order(JsonValue& value, const JsonValue& schema) {
    if (const JsonValue* items = schema.find("items"); items != nullptr && value.kind == JsonValue::Kind::Array) {
        for (JsonValue& item : value.items) put_in_order(item, *items);
    }
    const JsonValue* properties = schema.find("properties");
    if (properties == nullptr || value.kind != JsonValue::Kind::Object) return;
    std::unordered_map<std::string_view, size_t> places;
    for (const JsonValue& property : properties->items) places.emplace(property.key, places.size());
    const auto place = [&](const JsonValue& member) {
        const auto found = places.find(member.key);
        return found == places.end() ? places.size() : found->second;
    };
    std::stable_sort(value.items.begin(), value.items.end(),
                     [&](const JsonValue& a, const JsonValue& b) { return place(a) < place(b); });
    for (JsonValue& member : value.items) {
        if (const size_t at = place(member); at < places.size()) put_in_order(member, properties->items[at]);
    }
}

// Checks arguments against the schemas of their tools, each of which is compiled once.
class ArgumentChecker {
public:
    bool fits(const Tool& tool, JsonValue arguments) {
        if (tool.parameters.empty()) return arguments.items.empty();
        const auto [known, is_new] = schemas_.try_emplace(&tool);
        Schema& schema = known->second;
        if (is_new) {
            auto value = chat::parse_json(tool.parameters);
            Unconstrained unconstrained{.is_strict = tool.strict};  // compile_answer_grammar() has given its notes
            auto grammar = compile_json_schema(tool.parameters, &unconstrained);
            if (value && grammar) {
                schema.value = *std::move(value);
                schema.grammar = std::make_shared<const Grammar>(*std::move(grammar));
            }
        }
        if (!schema.grammar) return false;
        put_in_order(arguments, schema.value);
        TextChecker checker(schema.grammar);
        return checker.push(chat::to_json(arguments)) && checker.is_complete();
    }

private:
    struct Schema {
        JsonValue value;
        std::shared_ptr<const Grammar> grammar;  // null: none can be made of it
    };
    std::unordered_map<const Tool*, Schema> schemas_;
};

bool is_call(const JsonValue& object, const BareCall& call) {
    const JsonValue* name = object.find("name");
    if (name == nullptr || name->kind != JsonValue::Kind::String || name->text != call.tool->name) return false;
    bool has_any = false;
    for (const char* key : {"arguments", "parameters"}) {
        const JsonValue* found = object.find(key);
        if (found == nullptr) continue;
        has_any = true;
        if (chat::is_same_value(*found, call.arguments)) return true;
        if (found->kind != JsonValue::Kind::String) continue;
        const auto spelled = chat::parse_json(found->text);
        if (spelled && chat::is_same_value(*spelled, call.arguments)) return true;
    }
    return !has_any && call.arguments.items.empty();
}

bool has_any_call(const JsonValue& value, std::span<const BareCall> calls) {
    return std::any_of(calls.begin(), calls.end(), [&](const BareCall& call) { return is_call(value, call); }) ||
           std::any_of(value.items.begin(), value.items.end(),
                       [&](const JsonValue& item) { return has_any_call(item, calls); });
}

// The text of a string of JSON, as far as it matters here.
std::string without_escapes(std::string_view text) {
    constexpr std::string_view kNames = "\"\\/nrt";
    constexpr std::string_view kValues = "\"\\/\n\r\t";
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const size_t known = text[i] == '\\' && i + 1 < text.size() ? kNames.find(text[i + 1]) : std::string_view::npos;
        if (known == std::string_view::npos) {
            out += text[i];
        } else {
            out += kValues[known];
            ++i;
        }
    }
    return out;
}

// `budget` is what may still be read; once it is used up the answer is yes.
bool text_has_call(std::string_view text, std::span<const BareCall> calls, size_t& budget) {
    for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at)) {
        const chat::JsonPrefix prefix = chat::read_json_prefix(text.substr(at));
        if (prefix.n_bytes >= budget) return true;
        budget -= prefix.n_bytes;
        if (prefix.value && has_any_call(*prefix.value, calls)) return true;
        at += prefix.value ? prefix.n_bytes : 1;
    }
    return false;
}

}  // namespace

bool stand_in(std::span<const std::string> texts, std::span<const BareCall> calls) {
    size_t budget = kMaxSearchedBytes;
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        if (text_has_call(text, calls, budget)) return true;
        std::string plain = text;
        for (int i = 0; i < kMaxEscapes && plain.find("\\\"") != std::string::npos; ++i) {
            plain = without_escapes(plain);
            if (text_has_call(plain, calls, budget)) return true;
        }
        return false;
    });
}

BareCalls::BareCalls(Options options) : options_(std::move(options)) {
    std::erase_if(options_.texts_of_others,
                  [](const std::string& text) { return text.find('{') == std::string::npos; });
}

std::vector<AnswerEvent> BareCalls::feed(std::vector<AnswerEvent> events) {
    std::vector<AnswerEvent> out;
    for (AnswerEvent& event : events) {
        if (event.kind == Kind::Text && !is_over_) {
            held_ += event.text;
            if (!may_be_call(event.text)) {
                release(out);
            } else if (std::exchange(thinks_, false)) {
                out.push_back({});
            }
            continue;
        }
        thinks_ = event.kind == Kind::Thinking;
        if (!thinks_) release(out);
        out.push_back(std::move(event));
    }
    return out;
}

std::vector<AnswerEvent> BareCalls::finish(std::vector<AnswerEvent> events, bool ended_itself) {
    std::vector<AnswerEvent> out = feed(std::move(events));
    const std::vector<BareCall> found = ended_itself && !is_over_ ? calls() : std::vector<BareCall>();
    if (found.empty()) {
        release(out);
        return out;
    }
    for (uint32_t i = 0; i < found.size(); ++i) {
        out.push_back({.kind = Kind::CallBegin, .text = found[i].tool->name, .call = i});
        out.push_back({.kind = Kind::CallArguments, .text = chat::to_json(found[i].arguments), .call = i});
        out.push_back({.kind = Kind::CallEnd, .text = {}, .call = i});
    }
    is_over_ = has_found_ = true;
    return out;
}

void BareCalls::release(std::vector<AnswerEvent>& out) {
    is_over_ = true;
    if (!held_.empty()) out.push_back({.kind = Kind::Text, .text = std::exchange(held_, {})});
}

bool BareCalls::may_be_call(std::string_view piece) {
    if (held_.size() > kMaxHeldBytes) return false;
    if (!checker_) {
        const size_t first = held_.find_first_not_of(kSpace);
        if (first == std::string::npos) return true;
        if (std::string_view("{[`").find(held_[first]) == std::string_view::npos) return false;
        auto grammar = grammar_of(options_.tools, options_.many);
        if (!grammar) return false;
        checker_.emplace(std::move(grammar));
        piece = held_;
    }
    return checker_->push(piece);
}

std::vector<BareCall> BareCalls::calls() const {
    if (!checker_ || !checker_->is_complete()) return {};
    std::vector<BareCall> found;
    ArgumentChecker checker;
    for (size_t at = held_.find('{'); at != std::string::npos; at = held_.find('{', at)) {
        const chat::JsonPrefix object = chat::read_json_prefix(std::string_view(held_).substr(at));
        if (!object.value || object.repeats_key || found.size() == kMaxBareCalls) return {};
        const JsonValue* name = object.value->find("name");
        const JsonValue* arguments = object.value->find("arguments");
        if (arguments == nullptr) arguments = object.value->find("parameters");
        if (name == nullptr || arguments == nullptr) return {};
        const auto tool = std::find_if(options_.tools.begin(), options_.tools.end(),
                                       [&](const Tool& one) { return one.name == name->text; });
        if (tool == options_.tools.end() || !checker.fits(*tool, *arguments)) return {};
        found.push_back({&*tool, *arguments});
        at += object.n_bytes;
    }
    return stand_in(options_.texts_of_others, found) ? std::vector<BareCall>() : found;
}

}  // namespace llmd::constraint
