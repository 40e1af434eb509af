#include "api/conversation.h"

#include <algorithm>
#include <utility>

#include "api/field_readers.h"

namespace llmd::api {

namespace {

using base::Value;
using protocol::ChatMessage;
using service::RequestLimits;
using Role = ChatMessage::Role;

constexpr std::string_view kTextParts[] = {"text", "input_text", "output_text", "reasoning_text", "summary_text"};
constexpr std::string_view kRefusalPart = "refusal";
// Parts of an assistant's message with what it thought.
constexpr std::string_view kThoughtParts[] = {"thinking", "redacted_thinking", "reasoning"};
// All dialects' parts that are media, which are refused by this name.
constexpr std::string_view kMediaParts[] = {"image", "image_url", "input_image", "input_audio", "input_file",
                                            "file",  "document",  "video_url",   "audio_url"};

bool is_one_of(std::string_view type, const auto& types) {
    return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

// A result of a tool may be an array of other objects.
bool is_part(const Value& value) {
    const auto* object = value.get<Value::Object>();
    const Value* type = object ? base::find(*object, "type") : nullptr;
    const auto* name = type ? type->get<std::string>() : nullptr;
    return name && (*name == kRefusalPart || is_one_of(*name, kTextParts) || is_one_of(*name, kMediaParts));
}

bool is_object(const FieldReader& reader, std::string_view key) {
    const Value* value = reader.find(key);
    return value && value->is<Value::Object>();
}

void read_role(FieldReader& reader, Role& out) {
    constexpr std::pair<std::string_view, Role> kRoles[] = {
        {"system", Role::System}, {"user", Role::User},        {"assistant", Role::Assistant},
        {"tool", Role::Tool},     {"developer", Role::System},  // newer OpenAI clients say that
        {"function", Role::Tool},                               // older ones that
    };
    std::string name;
    reader.text("role", name);
    for (const auto& [role, value] : kRoles) {
        if (role == name) {
            out = value;
            return;
        }
    }
    reader.find("role") ? reader.refuse("role", base::in_quotes(name), " is none of system, user, assistant, tool")
                        : reader.refuse("role", "it is missing");
}

void read_function(FieldReader& reader, std::string_view key, protocol::ToolCall& out) {
    reader.within(key, [&out](FieldReader& fields) {
        fields.text("name", out.name);
        read_arguments(fields, "arguments", out.arguments);
    });
}

void read_tool_call(FieldReader& reader, protocol::ToolCall& out) {
    read_id(reader, "id", out.id);
    read_function(reader, "function", out);
}

// An array at `key`, or its JSON as a text, which is then kept in `parsed`. An empty object, as which Lua writes an
// empty list, is none.
const Value::Array* read_list(FieldReader& reader, std::string_view key, Value& parsed) {
    const Value* value = reader.find(key);
    if (!value) return nullptr;
    if (const auto* text = value->get<std::string>()) {
        auto json = base::parse_json(*text);
        if (!json) {
            reader.refuse(key, "it is not JSON");
            return nullptr;
        }
        parsed = std::move(*json);
        value = &parsed;
    }
    if (const auto* object = value->get<Value::Object>(); object && object->empty()) return nullptr;
    if (!value->is<Value::Array>()) reader.wrong_type(key, "an array", *value);
    return value->get<Value::Array>();
}

void read_tool_calls(FieldReader& reader, std::vector<protocol::ToolCall>& out) {
    Value parsed;
    const auto* calls = read_list(reader, "tool_calls", parsed);
    if (!calls) return;
    if (calls->size() > protocol::kMaxToolCalls) {
        return reader.refuse("tool_calls", calls->size(), " are more than ", protocol::kMaxToolCalls);
    }
    reader.each("tool_calls", *calls, "an object",
                [&out](FieldReader& fields) { read_tool_call(fields, out.emplace_back()); });
}

void read_message(FieldReader& reader, MissingContent missing, ChatMessage& out) {
    read_role(reader, out.role);
    if (out.role == Role::Tool) {
        read_result(reader, "content", out.content);
    } else {
        read_content(reader, "content", out.content, out.role == Role::Assistant ? &out.thinking : nullptr);
    }
    const bool may_say_nothing = out.role == Role::Assistant || out.role == Role::Tool;
    const bool needs_content = !may_say_nothing && missing == MissingContent::Refused;
    if (needs_content && !reader.has("content")) reader.refuse("content", "it is missing");
    for (const std::string_view key : {"reasoning", "reasoning_content", "thinking"}) reader.text(key, out.thinking);
    read_tool_calls(reader, out.tool_calls);
    // A call as OpenAI's API had it before there were several.
    if (out.role == Role::Assistant && out.tool_calls.empty() && is_object(reader, "function_call")) {
        read_function(reader, "function_call", out.tool_calls.emplace_back());
    } else if (out.role != Role::Assistant) {
        reader.refuse_unless_no("function_call");
    }
    read_id(reader, "tool_call_id", out.tool_call_id);
    if (out.role == Role::Tool) {
        reader.text("name", out.tool_name);
        reader.text("tool_name", out.tool_name);
    }
    for (const std::string_view key : {"images", "audio", "videos"}) {
        reader.refuse_unless_no(key);
    }
}

// The message of the assistant that what it said, thought or called belongs to.
ChatMessage& assistant_turn(std::vector<ChatMessage>& messages) {
    if (messages.empty() || messages.back().role != Role::Assistant) messages.emplace_back().role = Role::Assistant;
    return messages.back();
}

void read_item(FieldReader& reader, std::vector<ChatMessage>& out) {
    std::string type = "message";
    reader.text("type", type);
    if (type == "message") {
        ChatMessage message;
        read_message(reader, MissingContent::Refused, message);
        const bool continues = message.role == Role::Assistant && !out.empty() && out.back().role == Role::Assistant &&
                               out.back().content.empty() && out.back().tool_calls.empty();
        if (continues) {
            out.back().content = std::move(message.content);
        } else {
            out.push_back(std::move(message));
        }
    } else if (type == "function_call") {
        protocol::ToolCall& call = assistant_turn(out).tool_calls.emplace_back();
        read_id(reader, "call_id", call.id);
        reader.text("name", call.name);
        read_arguments(reader, "arguments", call.arguments);
    } else if (type == "function_call_output") {
        ChatMessage& result = out.emplace_back();
        result.role = Role::Tool;
        read_id(reader, "call_id", result.tool_call_id);
        read_result(reader, "output", result.content);
    } else if (type == "reasoning") {
        ChatMessage& turn = out.emplace_back();
        turn.role = Role::Assistant;
        read_content(reader, "content", turn.thinking);
        if (turn.thinking.empty()) read_content(reader, "summary", turn.thinking);
        if (turn.thinking.empty()) out.pop_back();  // another server has encrypted it
    } else {
        reader.refuse("type", base::in_quotes(type), " is not offered");
    }
}

// Each message or item of the array at `key`.
template <typename Read>
void each_turn(FieldReader& reader, std::string_view key, const Value::Array& array, Read read) {
    if (array.size() > kMaxTurnsRead) {
        return reader.refuse(key, array.size(), " are more than ", kMaxTurnsRead);
    }
    reader.each(key, array, "an object", read);
}

}  // namespace

void read_content(FieldReader& reader, std::string_view key, std::string& out, std::string* thinking) {
    const Value* content = reader.find(key);
    if (!content) return;
    if (const auto* text = content->get<std::string>()) {
        out = *text;
        return;
    }
    const auto* parts = content->get<Value::Array>();
    if (!parts) return reader.wrong_type(key, "a string or an array of parts", *content);
    reader.each(key, *parts, "a part that is an object", [&out, thinking](FieldReader& fields) {
        std::string type;
        std::string text;
        fields.text("type", type);
        if (is_one_of(type, kTextParts)) {
            fields.text("text", text);
        } else if (type == kRefusalPart) {
            fields.text(kRefusalPart, text);
        } else if (thinking && is_one_of(type, kThoughtParts)) {
            std::string thought;
            read_content(fields, fields.has("thinking") ? "thinking" : "text", thought);
            *thinking += thought;
        } else {
            fields.refuse("type", base::in_quotes(type), " is not offered, only text is");
        }
        out += text;
    });
}

void read_result(FieldReader& reader, std::string_view key, std::string& out) {
    const Value* result = reader.find(key);
    const auto* array = result ? result->get<Value::Array>() : nullptr;
    const bool are_parts = array && !array->empty() && std::all_of(array->begin(), array->end(), is_part);
    const bool is_json = result && !are_parts && !result->is<std::string>() && !result->is<Value::Other>();
    if (!is_json) return read_content(reader, key, out);
    out = base::json_text(*result);
}

void read_id(FieldReader& reader, std::string_view key, std::string& out) {
    const Value* id = reader.find(key);
    if (!id) return;
    const bool is_number = id->is<int64_t>() || id->is<uint64_t>() || id->is<double>();
    if (!is_number) return reader.text(key, out);
    out = base::json_text(*id);
}

void read_arguments(FieldReader& reader, std::string_view key, std::string& out) {
    const Value* arguments = reader.find(key);
    const auto* text = arguments ? arguments->get<std::string>() : nullptr;
    if (text) {
        out = *text;
    } else if (arguments) {
        out = base::json_text(*arguments);
    }
    if (out.empty()) out = "{}";  // of a tool that takes nothing
}

void read_messages(FieldReader& reader, std::string_view key, MissingContent missing, std::vector<ChatMessage>& out) {
    const auto* messages = reader.array(key);
    if (!messages) return;
    each_turn(reader, key, *messages, [&](FieldReader& fields) { read_message(fields, missing, out.emplace_back()); });
}

void read_input_items(FieldReader& reader, std::string_view key, std::vector<ChatMessage>& out) {
    const Value* input = reader.find(key);
    if (!input) return;
    if (const auto* text = input->get<std::string>()) {
        out.emplace_back().content = *text;
        return;
    }
    const auto* items = input->get<Value::Array>();
    if (!items) return reader.wrong_type(key, "a string or an array of items", *input);
    each_turn(reader, key, *items, [&](FieldReader& fields) { read_item(fields, out); });
}

void read_tools(FieldReader& reader, std::string_view key, std::string& out) {
    Value parsed;
    const auto* tools = read_list(reader, key, parsed);
    if (!tools || tools->empty()) return;
    Value::Array listed = *tools;
    for (Value& tool : listed) {
        const auto* object = tool.get<Value::Object>();
        if (!object || !base::find(*object, "name") || base::find(*object, "function")) continue;
        Value::Object function = *object;
        std::erase_if(function, [](const Value::Member& member) { return member.key == "type"; });
        const Value* type = base::find(*object, "type");
        tool = Value::Object{{"type", type ? *type : Value("function")}, {"function", std::move(function)}};
    }
    out = schema_text(std::move(listed));
    if (out.size() > RequestLimits::kMaxToolsBytes) {
        reader.refuse(key, out.size(), " bytes are more than ", RequestLimits::kMaxToolsBytes);
    }
}

void read_tool_choice(FieldReader& reader, std::string_view key, service::GenerateRequest& out) {
    using protocol::ToolChoice;
    const Value* choice = reader.find(key);
    if (!choice) return;
    if (const auto* object = choice->get<Value::Object>()) {
        FieldReader fields(*object, base::concat(reader.path(), key, "."));
        std::string type;
        fields.text("type", type);
        if (type != "function") fields.refuse("type", base::in_quotes(type), " is not offered, only function is");
        const auto* function = fields.object("function");
        FieldReader name(function ? *function : *object, fields.path() + (function ? "function." : ""));
        name.text("name", out.tool_name);
        if (out.tool_name.empty()) name.refuse("name", "it is missing");
        for (const FieldReader* one : {&fields, &name}) {
            if (one->error()) return reader.set(*one->error());
        }
        out.tool_choice = ToolChoice::Named;
        return;
    }
    std::string name;
    reader.text(key, name);
    if (name == "none") {
        out.tool_choice = ToolChoice::None;
    } else if (name == "required" || name == "any") {  // Mistral's word
        out.tool_choice = ToolChoice::Required;
    } else if (name != "auto") {
        reader.refuse(key, base::in_quotes(name), " is none of none, auto, required");
    }
}

}  // namespace llmd::api
