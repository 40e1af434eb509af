#include "http/generate_fields.h"

#include "api/sampling_fields.h"
#include "base/json_writer.h"

namespace llmd::http {

namespace {

using base::ErrorCode;
using protocol::ChatMessage;
using service::RequestLimits;

constexpr std::string_view kLatest = ":latest";

bool says_no(const base::Value& value) {
    if (const auto* flag = value.get<bool>()) return !*flag;
    if (const auto* integer = value.get<int64_t>()) return *integer == 0;
    if (const auto* number = value.get<double>()) return *number == 0;
    if (const auto* text = value.get<std::string>()) return text->empty();
    if (const auto* array = value.get<base::Value::Array>()) return array->empty();
    if (const auto* object = value.get<base::Value::Object>()) return object->empty();
    return value.is<std::nullptr_t>();
}

void read_role(api::FieldReader& reader, ChatMessage::Role& out) {
    std::string role;
    reader.text("role", role);
    if (role == "user") {
        out = ChatMessage::Role::User;
    } else if (role == "assistant") {
        out = ChatMessage::Role::Assistant;
    } else if (role == "system" || role == "developer") {  // newer OpenAI clients say the latter
        out = ChatMessage::Role::System;
    } else {
        reader.refuse("role", base::in_quotes(role), " is none of system, user, assistant");
    }
}

// A string, or parts of which only text is understood; absent in an answer that had no text.
void read_content(api::FieldReader& reader, std::string& out) {
    const base::Value* content = reader.find("content");
    if (!content) return;
    if (const auto* text = content->get<std::string>()) {
        out = *text;
        return;
    }
    const auto* parts = content->get<base::Value::Array>();
    if (!parts) return reader.wrong_type("content", "a string or an array of parts", *content);
    for (const base::Value& part : *parts) {
        const auto* object = part.get<base::Value::Object>();
        if (!object) return reader.wrong_type("content", "parts that are objects", part);
        api::FieldReader fields(*object, reader.path() + "content.");
        std::string type;
        std::string text;
        fields.text("type", type);
        if (type != "text") fields.refuse("type", base::in_quotes(type), " is not offered, only text is");
        fields.text("text", text);
        if (fields.error()) return reader.set(*fields.error());
        out += text;
    }
}

// Not of nothing: what that would begin with is the model's to say.
void read_ids(api::FieldReader& reader, const std::string& key, const base::Value& value, std::vector<Prompt>& out) {
    reader.ids(key, value, out.emplace_back().ids);
    if (!reader.error() && out.back().ids.empty()) reader.refuse(key, "an array of no tokens");
}

}  // namespace

base::Result<base::Value> parse_body(std::string_view body) {
    auto value = base::parse_json(body);
    if (value && !value->is<base::Value::Object>()) {
        return base::fail(ErrorCode::InvalidArgument, "body: not a JSON object");
    }
    return value;
}

void read_model(api::FieldReader& reader, std::string& out) {
    reader.text("model", out);
    if (out.ends_with(kLatest)) out.resize(out.size() - kLatest.size());
}

void read_stops(api::FieldReader& reader, std::vector<std::string>& out) {
    reader.strings("stop", out);
    if (out.size() > RequestLimits::kMaxStops) {
        return reader.refuse("stop", out.size(), " strings are more than ", RequestLimits::kMaxStops);
    }
    for (const std::string& stop : out) {
        if (stop.empty() || stop.size() > RequestLimits::kMaxStopBytes) {
            return reader.refuse("stop", "a string of ", stop.size(), " bytes, must be 1 to ",
                                 RequestLimits::kMaxStopBytes);
        }
    }
}

void read_seed_or_none(api::FieldReader& reader, std::optional<uint64_t>& out) {
    const base::Value* value = reader.find("seed");
    const auto* number = value ? value->get<int64_t>() : nullptr;
    if (!number || *number != -1) api::read_seed(reader, out);
}

void read_priority(api::FieldReader& reader, service::Priority& out) {
    std::string name;
    reader.text("priority", name);
    if (!reader.find("priority")) return;
    const auto priority = service::priority_from_name(name);
    if (!priority)
        return reader.refuse("priority", base::in_quotes(name), " is none of interactive, normal, background");
    out = *priority;
}

void read_messages(api::FieldReader& reader, std::vector<ChatMessage>& out) {
    const auto* messages = reader.array("messages");
    if (!messages || messages->empty()) return reader.refuse("messages", "there must be at least one");
    if (messages->size() > RequestLimits::kMaxMessages) {
        return reader.refuse("messages", messages->size(), " are more than ", RequestLimits::kMaxMessages);
    }
    for (size_t i = 0; i < messages->size(); ++i) {
        const base::Value& message = (*messages)[i];
        const auto* object = message.get<base::Value::Object>();
        if (!object) return reader.wrong_type("messages", "objects", message);
        api::FieldReader fields(*object, base::concat(reader.path(), "messages[", i, "]."));
        ChatMessage& turn = out.emplace_back();
        read_role(fields, turn.role);
        read_content(fields, turn.content);
        refuse_fields(fields, {"tool_calls", "function_call", "images", "audio"});
        if (fields.error()) return reader.set(*fields.error());
    }
}

void read_schema(api::FieldReader& reader, std::string_view key, const base::Value& schema, std::string& out) {
    if (!schema.is<base::Value::Object>()) return reader.wrong_type(key, "a JSON schema, which is an object", schema);
    base::JsonWriter json;
    write_json(json, schema);
    out = json.take();
    if (out.size() > RequestLimits::kMaxJsonSchemaBytes) {
        reader.refuse(key, "a schema of ", out.size(), " bytes is longer than ", RequestLimits::kMaxJsonSchemaBytes);
    }
}

void read_prompts(api::FieldReader& reader, const std::string& key, size_t most, std::vector<Prompt>& out) {
    const base::Value* value = reader.find(key);
    if (!value) return reader.refuse(key, "it is missing");
    const auto* array = value->get<base::Value::Array>();
    if (array && !array->empty() && array->front().is<base::Value::Array>()) {
        for (size_t i = 0; i < array->size(); ++i) read_ids(reader, base::concat(key, '[', i, ']'), (*array)[i], out);
    } else if (array && !array->empty() && !array->front().is<std::string>()) {
        read_ids(reader, key, *value, out);
    } else {
        std::vector<std::string> texts;
        reader.strings(key, texts);
        for (std::string& text : texts) out.push_back({std::move(text), {}});
    }
    if (reader.error()) return;
    if (out.empty() || out.size() > most) reader.refuse(key, out.size(), ' ', key, "s, must be 1 to ", most);
}

void refuse_fields(api::FieldReader& reader, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
        const base::Value* value = reader.find(key);
        if (value && !says_no(*value)) reader.refuse(key, "this version of llmd does not offer it");
    }
}

}  // namespace llmd::http
