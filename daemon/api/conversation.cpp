#include "api/conversation.h"

#include <utility>

namespace llmd::api {

namespace {

using base::Value;
using protocol::ChatMessage;
using service::RequestLimits;
using Role = ChatMessage::Role;

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

void read_tool_call(FieldReader& reader, protocol::ToolCall& out) {
    reader.text("id", out.id);
    reader.within("function", [&out](FieldReader& fields) {
        fields.text("name", out.name);
        read_arguments(fields, "arguments", out.arguments);
    });
}

// An array at `key`, or its JSON as a text, which is then kept in `parsed`.
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
    reader.each("tool_calls", *calls, "objects",
                [&out](FieldReader& fields) { read_tool_call(fields, out.emplace_back()); });
}

void read_message(FieldReader& reader, MissingContent missing, ChatMessage& out) {
    read_role(reader, out.role);
    read_content(reader, "content", out.content);
    const bool may_say_nothing = out.role == Role::Assistant || out.role == Role::Tool;
    const bool needs_content = !may_say_nothing && missing == MissingContent::Refused;
    if (needs_content && !reader.find("content")) reader.refuse("content", "it is missing");
    for (const std::string_view key : {"reasoning", "reasoning_content", "thinking"}) reader.text(key, out.thinking);
    read_tool_calls(reader, out.tool_calls);
    reader.text("tool_call_id", out.tool_call_id);
    if (out.role == Role::Tool) {
        reader.text("name", out.tool_name);
        reader.text("tool_name", out.tool_name);
    }
    for (const std::string_view key : {"function_call", "images", "audio", "videos"}) {
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
        reader.text("call_id", call.id);
        reader.text("name", call.name);
        read_arguments(reader, "arguments", call.arguments);
    } else if (type == "function_call_output") {
        ChatMessage& result = out.emplace_back();
        result.role = Role::Tool;
        reader.text("call_id", result.tool_call_id);
        read_content(reader, "output", result.content);
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
    if (array.size() > RequestLimits::kMaxMessages) {
        return reader.refuse(key, array.size(), " are more than ", RequestLimits::kMaxMessages);
    }
    reader.each(key, array, "objects", read);
}

}  // namespace

void read_content(FieldReader& reader, std::string_view key, std::string& out) {
    const Value* content = reader.find(key);
    if (!content) return;
    if (const auto* text = content->get<std::string>()) {
        out = *text;
        return;
    }
    const auto* parts = content->get<Value::Array>();
    if (!parts) return reader.wrong_type(key, "a string or an array of parts", *content);
    reader.each(key, *parts, "parts that are objects", [&out](FieldReader& fields) {
        std::string type;
        std::string text;
        fields.text("type", type);
        const bool is_text = type == "text" || type == "input_text" || type == "output_text" ||
                             type == "reasoning_text" || type == "summary_text";
        if (is_text) {
            fields.text("text", text);
        } else if (type == "refusal") {
            fields.text("refusal", text);
        } else {
            fields.refuse("type", base::in_quotes(type), " is not offered, only text is");
        }
        out += text;
    });
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
    out = base::json_text(std::move(listed));
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
