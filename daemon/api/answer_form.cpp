#include "api/answer_form.h"

#include <algorithm>
#include <cstdlib>
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

}  // namespace

std::string schema_text(const Value& schema) {
    Value rounded = schema;
    round_numbers(rounded);
    return base::json_text(rounded);
}

void read_schema(FieldReader& reader, Key key, Call& call) {
    const Value* schema = reader.find(key);
    if (!schema) return;
    take_schema(reader, key, *schema, call.request.json_schema);
    call.sent.schema = base::concat(reader.path(), key);
}

// OpenAI's response_format, whose schema is within `json_schema`, and the `format` of responses, where it is beside the
// type, each with `strict` beside it; llama-server takes a schema beside json_object.
void read_format(FieldReader& reader, Key key, Call& call) {
    const auto read_required_schema = [&call](FieldReader& fields) {
        read_schema(fields, "schema", call);
        fields.boolean("strict", call.request.strict_schema);
        if (!fields.find("schema")) fields.refuse("schema", "it is missing");
    };
    reader.within(key, [&](FieldReader& fields) {
        std::string type;
        fields.text("type", type);
        if (type == "json_object") {
            call.request.json_schema = kAnyObjectSchema;
            read_schema(fields, "schema", call);
        } else if (type == "json_schema") {
            fields.find("json_schema") ? fields.within("json_schema", read_required_schema)
                                       : read_required_schema(fields);
        } else if (type != "text") {
            fields.refuse("type", base::in_quotes(type), " is none of text, json_object, json_schema");
        }
    });
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
        call.request.json_schema = kAnyObjectSchema;
    } else if (!name->empty()) {
        reader.refuse(key, base::in_quotes(*name), " is neither json nor a schema");
    }
}

// vLLM's.
void read_structured_outputs(FieldReader& reader, Key key, Call& call) {
    reader.within(key, [&](FieldReader& fields) {
        for (const auto& [name, value] : fields.members()) {
            if (name == "json") {
                read_schema(fields, name, call);
            } else if (name == "json_object") {
                bool wanted = false;
                fields.boolean(name, wanted);
                if (wanted) call.request.json_schema = kAnyObjectSchema;
            } else {
                fields.refuse_value_unless_no(name, value);
            }
        }
    });
}

}  // namespace llmd::api
