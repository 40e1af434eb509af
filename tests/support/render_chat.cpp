// render_chat
// Reads lines from standard input, each a JSON object of a chat template and a conversation, and writes for each a line
// with what llmd makes of it for a model whose file has this template, and whose begin- and end-of-text tokens are <s>
// and </s>: {"family": ..., "prompt": ..., "begins_in_thinking": ...} or {"family": ..., "error": ...}. The family is
// empty if llmd does not recognise the template. The members of a line: `setting`, `template` (empty: the file has
// none), `messages` (objects with role, content, thinking, tool_call_id, tool_name and tool_calls, which are objects
// with id, name and arguments), `tools` and `thinking` ("on", "off" or ""). All but the lists are strings.
#include <iostream>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "daemon/engine/tokenizer/vocabularies.h"
#include "engine/chat/chat_template.h"
#include "engine/chat/json_value.h"

namespace {

using namespace llmd;
using chat::JsonValue;

std::string member(const JsonValue& object, std::string_view name) {
    const JsonValue* found = object.find(name);
    return found == nullptr ? "" : found->text;
}

std::vector<chat::ChatMessage> read_messages(const JsonValue& conversation) {
    using Role = chat::ChatMessage::Role;
    std::vector<chat::ChatMessage> messages;
    for (const JsonValue& item : conversation.find("messages")->items) {
        chat::ChatMessage& message = messages.emplace_back();
        const std::string role = member(item, "role");
        message.role = role == "system" ? Role::System
                       : role == "user" ? Role::User
                       : role == "tool" ? Role::Tool
                                        : Role::Assistant;
        message.content = member(item, "content");
        message.thinking = member(item, "thinking");
        message.tool_call_id = member(item, "tool_call_id");
        message.tool_name = member(item, "tool_name");
        const JsonValue* calls = item.find("tool_calls");
        if (calls == nullptr) continue;
        for (const JsonValue& call : calls->items) {
            message.tool_calls.push_back({member(call, "id"), member(call, "name"), member(call, "arguments")});
        }
    }
    return messages;
}

// Writes the family of the conversation's template to `family`.
base::Result<chat::ChatPrompt> render(const JsonValue& conversation, std::string& family) {
    const std::string text = member(conversation, "template");
    test::GgufWriter writer = test::sentencepiece_vocabulary().writer();
    if (!text.empty()) writer.add("tokenizer.chat_template", text);
    const auto bytes = writer.bytes();
    const auto gguf = model::Gguf::parse(bytes);
    if (!gguf) return gguf.error();
    const auto tokenizer = tokenizer::Tokenizer::create(*gguf);
    if (!tokenizer) return tokenizer.error();
    const auto chat = chat::ChatTemplate::create(*gguf, **tokenizer, member(conversation, "setting"));
    if (!chat) return chat.error();
    if (chat->family() != nullptr) family = chat->family()->name;
    const auto messages = read_messages(conversation);
    const std::string tools = member(conversation, "tools");
    const std::string thinking = member(conversation, "thinking");
    return chat->render({.messages = messages,
                         .tools = tools,
                         .thinking = thinking == "on"    ? chat::Thinking::On
                                     : thinking == "off" ? chat::Thinking::Off
                                                         : chat::Thinking::Default});
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const auto conversation = chat::parse_json(line);
        if (!conversation || conversation->find("messages") == nullptr) return 2;
        base::JsonWriter json;
        json.begin_object();
        std::string family;
        const auto prompt = render(*conversation, family);
        json.key("family").value(family);
        if (prompt) {
            std::string text;
            for (const auto& segment : prompt->segments) text += segment.text;
            json.key("prompt").value(text).key("begins_in_thinking").value(prompt->begins_in_thinking);
        } else {
            json.key("error").value(prompt.error().message);
        }
        json.end_object();
        std::cout << json.take() << std::endl;
    }
    return 0;
}
