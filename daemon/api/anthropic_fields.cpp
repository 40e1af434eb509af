#include "api/field_readers.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "api/conversation.h"

namespace llmd::api {

namespace {

using base::Value;
using protocol::ChatMessage;
using protocol::Thinking;
using Key = std::string_view;
using Role = ChatMessage::Role;

// Reads the content of a turn: text is added to `text`, and `read(block, type)` has every other block.
template <typename Read>
void read_blocks(FieldReader& reader, std::string& text, Read read) {
    const Value* content = reader.find("content");
    const auto* blocks = content ? content->get<Value::Array>() : nullptr;
    if (!blocks) return read_content(reader, "content", text);
    reader.each("content", *blocks, "a block that is an object", [&](FieldReader& block) {
        std::string type;
        block.text("type", type);
        if (type != "text") return read(block, type);
        std::string part;
        block.text("text", part);
        text += part;
    });
}

void refuse_block(FieldReader& block, const std::string& type) {
    block.refuse("type", base::in_quotes(type), " is not offered, only text is");
}

void read_result_block(FieldReader& block, ChatMessage& out) {
    out.role = Role::Tool;
    read_id(block, "tool_use_id", out.tool_call_id);
    read_result(block, "content", out.content);
    bool is_error = false;
    block.boolean("is_error", is_error);
    if (is_error) out.content.insert(0, kToolError);
}

void read_answer_block(FieldReader& block, const std::string& type, ChatMessage& out) {
    if (type == "tool_use") {
        protocol::ToolCall& call = out.tool_calls.emplace_back();
        read_id(block, "id", call.id);
        block.text("name", call.name);
        read_arguments(block, "input", call.arguments);
    } else if (type == "thinking") {
        std::string thought;
        block.text("thinking", thought);
        out.thinking += thought;
    } else if (type != "redacted_thinking") {
        refuse_block(block, type);
    }
}

void join(std::string& text, const std::string& more) {
    if (!text.empty() && !more.empty()) text += "\n\n";
    text += more;
}

void add(std::vector<ChatMessage>& out, ChatMessage message) {
    if (out.empty() || out.back().role != message.role) return out.push_back(std::move(message));
    ChatMessage& last = out.back();
    join(last.content, message.content);
    join(last.thinking, message.thinking);
    for (protocol::ToolCall& call : message.tool_calls) last.tool_calls.push_back(std::move(call));
}

void read_turn(FieldReader& reader, std::vector<ChatMessage>& out) {
    std::string role;
    reader.text("role", role);
    ChatMessage said;
    if (role == "user") {
        bool has_results = false;
        read_blocks(reader, said.content, [&](FieldReader& block, const std::string& type) {
            if (type != "tool_result") return refuse_block(block, type);
            read_result_block(block, out.emplace_back());
            has_results = true;
        });
        if (!has_results || !said.content.empty()) add(out, std::move(said));
    } else if (role == "assistant") {
        said.role = Role::Assistant;
        read_blocks(reader, said.content,
                    [&](FieldReader& block, const std::string& type) { read_answer_block(block, type, said); });
        add(out, std::move(said));
    } else if (role == "system") {
        said.role = Role::System;
        read_blocks(reader, said.content, refuse_block);
        add(out, std::move(said));
    } else {
        return reader.find("role") ? reader.refuse("role", base::in_quotes(role), " is none of user, assistant, system")
                                   : reader.refuse("role", "it is missing");
    }
    if (role != "assistant" && !reader.has("content")) reader.refuse("content", "it is missing");
    if (out.size() > kMaxTurnsRead) {
        reader.refuse("content", "turns and results are more than ", kMaxTurnsRead);
    }
    if (!out.empty() && out.back().tool_calls.size() > protocol::kMaxToolCalls) {
        reader.refuse("content", out.back().tool_calls.size(), " calls are more than ", protocol::kMaxToolCalls);
    }
}

// Has `read` read the field `key` as if it were `value`, in the spelling of OpenAI.
void read_as(FieldReader& reader, Key key, Value value, Call& call, void (*read)(FieldReader&, Key, Call&)) {
    const Value::Object object{{std::string(key), std::move(value)}};
    FieldReader fields(object, reader.path());
    if (reader.error()) return;
    read(fields, key, call);
    if (fields.error()) reader.set(*fields.error());
}

}  // namespace

void read_anthropic_messages(FieldReader& reader, Key key, Call& call) {
    const auto* messages = reader.array(key);
    if (!messages) return;
    reader.each(key, *messages, "an object", [&](FieldReader& fields) { read_turn(fields, call.request.messages); });
}

void read_anthropic_system(FieldReader& reader, Key key, Call& call) {
    std::string system;
    read_content(reader, key, system);
    if (!system.empty()) call.system = std::move(system);
}

void read_anthropic_tools(FieldReader& reader, Key key, Call& call) {
    // The other fields of a tool change nothing: they say when it is cached, loaded or streamed, and give examples.
    constexpr std::pair<Key, const char*> kFields[] = {
        {"name", "name"}, {"description", "description"}, {"input_schema", "parameters"}, {"strict", "strict"}};
    const auto* tools = reader.array(key);
    if (!tools) return;
    Value::Array listed;
    for (const Value& one : *tools) {
        const auto* tool = one.get<Value::Object>();
        const Value* type = tool ? base::find(*tool, "type") : nullptr;
        const auto* kind = type ? type->get<std::string>() : nullptr;
        if (kind && *kind != "custom") {
            const std::string field = base::concat(key, "[", listed.size(), "].type");
            return reader.refuse(field, base::in_quotes(*kind), " is not offered, only custom is");
        }
        if (!tool || (type && !kind && !type->is_null())) {
            listed.push_back(one);  // the engine says that it is left out
            continue;
        }
        Value::Object function;
        for (const auto& [name, openai_name] : kFields) {
            if (const Value* value = base::find(*tool, name)) function.push_back({openai_name, *value});
        }
        listed.push_back(Value::Object{{"type", "function"}, {"function", std::move(function)}});
    }
    call.sent.function = "";
    call.sent.parameters = ".input_schema";
    read_as(reader, key, std::move(listed), call, read_call_tools);
}

void read_anthropic_tool_choice(FieldReader& reader, Key key, Call& call) {
    Value choice;
    reader.within(key, [&](FieldReader& fields) {
        std::string type;
        fields.text("type", type);
        bool is_single = false;
        fields.boolean("disable_parallel_tool_use", is_single);
        call.request.parallel_tool_calls = !is_single;
        if (type == "tool") {
            const Value* name = fields.find("name");
            choice = Value::Object{{"type", "function"}, {"name", name ? *name : Value()}};
        } else if (type == "any" || type == "auto" || type == "none") {
            choice = type;
        } else {
            fields.refuse("type", base::in_quotes(type), " is none of auto, any, tool, none");
        }
    });
    read_as(reader, key, std::move(choice), call, read_call_tool_choice);
}

void read_anthropic_thinking(FieldReader& reader, Key key, Call& call) {
    reader.within(key, [&](FieldReader& fields) {
        std::string type;
        fields.text("type", type);
        if (type == "enabled") {
            call.request.thinking = Thinking::On;
        } else if (type == "disabled") {
            call.request.thinking = Thinking::Off;
        } else if (type != "adaptive" && type != "between_tools") {
            fields.refuse("type", base::in_quotes(type), " is none of enabled, disabled, adaptive, between_tools");
        }
        uint32_t budget = 0;
        fields.integer("budget_tokens", 0, std::numeric_limits<int32_t>::max(), budget);
        if (budget > 0) call.notes.push_back(fields.path() + "budget_tokens: only max_tokens ends the thinking");
        std::string display;
        fields.text("display", display);
        if (display == "omitted") call.notes.push_back(fields.path() + "display: the thinking is sent");
    });
}

void read_output_config(FieldReader& reader, Key key, Call& call) {
    reader.within(key, [&](FieldReader& fields) {
        std::string effort;
        fields.text("effort", effort);
        if (!effort.empty()) call.notes.push_back(fields.path() + "effort: the models here have no degrees of it");
        read_format(fields, "format", call);
    });
}

void read_context_management(FieldReader& reader, Key key, Call& call) {
    const auto* asked = reader.object(key);
    if (asked && !asked->empty()) call.notes.push_back(base::concat(key, ": nothing of the conversation is dropped"));
}

}  // namespace llmd::api
