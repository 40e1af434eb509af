#include "api/field_readers.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <variant>

namespace llmd::api {

using base::Value;
using service::RequestLimits;

namespace {

using Key = std::string_view;

// The schema of "any JSON object".
constexpr std::string_view kAnyObjectSchema = R"({"type":"object"})";

void round_numbers(Value& value) {
    if (const auto* number = value.get<Value::LargeNumber>()) {
        constexpr double kMost = std::numeric_limits<double>::max();
        value = std::clamp(std::strtod(number->text.c_str(), nullptr), -kMost, kMost);
    } else if (auto* array = std::get_if<Value::Array>(&value.value)) {
        for (Value& one : *array) round_numbers(one);
    } else if (auto* object = std::get_if<Value::Object>(&value.value)) {
        for (Value::Member& member : *object) round_numbers(member.value);
    }
}

// A schema, as an object or as its JSON text.
void take_schema(FieldReader& reader, Key key, const Value& schema, std::string& out) {
    if (const auto* text = schema.get<std::string>()) {
        out = *text;
    } else if (schema.is<Value::Object>()) {
        out = schema_text(schema);
    } else {
        return reader.wrong_type(key, "a JSON schema, which is an object", schema);
    }
    if (out.empty() || out.size() > RequestLimits::kMaxJsonSchemaBytes) {
        reader.refuse(key, "a schema of ", out.size(), " bytes, must be 1 to ", RequestLimits::kMaxJsonSchemaBytes);
    }
}

// Notes that a field says the form of the answer. Returns false if another one has.
bool takes_form(FieldReader& reader, Key key, Call& call) {
    if (!call.sent.form.empty()) reader.refuse(key, "given together with ", call.sent.form);
    call.sent.form = base::concat(reader.path(), key);
    return !reader.error();
}

void take_any_object(FieldReader& reader, Key key, Call& call) {
    bool wanted = false;
    reader.boolean(key, wanted);
    if (wanted && takes_form(reader, key, call)) call.request.json_schema = kAnyObjectSchema;
}

}  // namespace

std::string schema_text(Value schema) {
    round_numbers(schema);
    return base::json_text(schema);
}

void read_schema(FieldReader& reader, Key key, Call& call) {
    const Value* schema = reader.find(key);
    if (schema && takes_form(reader, key, call)) take_schema(reader, key, *schema, call.request.json_schema);
}

void read_regex(FieldReader& reader, Key key, Call& call) {
    if (!reader.find(key) || !takes_form(reader, key, call)) return;
    std::string& regex = call.request.regex;
    reader.text(key, regex);
    if (regex.empty() || regex.size() > RequestLimits::kMaxRegexBytes) {
        reader.refuse(key, "a regular expression of ", regex.size(), " bytes, must be 1 to ",
                      RequestLimits::kMaxRegexBytes);
    }
}

void read_choices(FieldReader& reader, Key key, Call& call) {
    const Value* listed = reader.find(key);
    if (!listed || !takes_form(reader, key, call)) return;
    if (!listed->is<Value::Array>()) return reader.wrong_type(key, "an array of strings", *listed);
    std::vector<std::string>& choices = call.request.choices;
    reader.strings(key, choices);
    if (choices.empty() || choices.size() > RequestLimits::kMaxChoices) {
        reader.refuse(key, choices.size(), " texts, must be 1 to ", RequestLimits::kMaxChoices);
    }
    size_t n_bytes = 0;
    for (const std::string& choice : choices) n_bytes += choice.size();
    if (n_bytes > RequestLimits::kMaxChoicesBytes) {
        reader.refuse(key, n_bytes, " bytes of texts are more than ", RequestLimits::kMaxChoicesBytes);
    }
}

// OpenAI's response_format, whose schema is within `json_schema`, and the `format` of responses, where it is beside the
// type, each with `strict` beside it; llama-server takes a schema beside json_object.
void read_format(FieldReader& reader, Key key, Call& call) {
    std::string type = "text";
    const auto read_schema_in = [&call](FieldReader& fields) {
        if (const Value* schema = fields.find("schema")) {
            take_schema(fields, "schema", *schema, call.request.json_schema);
        }
    };
    const auto read_required_schema = [&](FieldReader& fields) {
        read_schema_in(fields);
        fields.boolean("strict", call.request.strict_schema);
        if (!fields.find("schema")) fields.refuse("schema", "it is missing");
    };
    reader.within(key, [&](FieldReader& fields) {
        type.clear();
        fields.text("type", type);
        if (type == "json_object") {
            call.request.json_schema = kAnyObjectSchema;
            read_schema_in(fields);
        } else if (type == "json_schema") {
            fields.find("json_schema") ? fields.within("json_schema", read_required_schema)
                                       : read_required_schema(fields);
        } else if (type != "text") {
            fields.refuse("type", base::in_quotes(type), " is none of text, json_object, json_schema");
        }
    });
    if (type != "text") takes_form(reader, key, call);
}

// Responses' `text`.
void read_text_form(FieldReader& reader, Key key, Call& call) {
    reader.within(key, [&](FieldReader& fields) {
        read_format(fields, "format", call);
        fields.refuse_unless_no("verbosity", R"("medium")");
    });
}

// Ollama's: "json", or a schema.
void read_ollama_format(FieldReader& reader, Key key, Call& call) {
    const Value* format = reader.find(key);
    const auto* name = format ? format->get<std::string>() : nullptr;
    if (!name) return read_schema(reader, key, call);
    if (*name == "json") {
        if (takes_form(reader, key, call)) call.request.json_schema = kAnyObjectSchema;
    } else if (!name->empty()) {
        reader.refuse(key, base::in_quotes(*name), " is neither json nor a schema");
    }
}

// vLLM's.
void read_structured_outputs(FieldReader& reader, Key key, Call& call) {
    struct Form {
        Key name;
        ReadField* read;  // null: it is not offered
        Key why = {};
    };
    constexpr Form kForms[] = {
        {"json", read_schema},
        {"json_object", take_any_object},
        {"regex", read_regex},
        {"choice", read_choices},
        {"grammar", nullptr, "grammars are not offered; json, regex and choice are"},
        {"structural_tag", nullptr, "tags are not offered; tools are, whose calls are held to their schemas"},
    };
    reader.within(key, [&](FieldReader& fields) {
        std::string_view given;
        for (const auto& [name, read, why] : kForms) {
            if (!fields.find(name)) continue;
            if (!given.empty()) fields.refuse(name, "given together with ", fields.path(), given);
            given = name;
            read ? read(fields, name, call) : fields.refuse(name, why);
        }
        for (const auto& member : fields.members()) {
            const bool is_form = std::any_of(std::begin(kForms), std::end(kForms),
                                             [&member](const Form& form) { return form.name == member.key; });
            if (!is_form) fields.refuse_value_unless_no(member.key, member.value);
        }
        if (given.empty()) fields.refuse("json", "it is missing, as are json_object, regex and choice");
    });
}

void check_form(FieldReader& reader, const Call& call) {
    const service::GenerateRequest& request = call.request;
    const bool may_call = !request.tools.empty() && request.tool_choice != protocol::ToolChoice::None;
    if (may_call && (!request.regex.empty() || !request.choices.empty())) {
        reader.refuse(call.sent.form, "given together with tools");
    }
}

}  // namespace llmd::api
