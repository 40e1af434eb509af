#include "client/gtk/conversation.h"

#include <string_view>

#include "base/value.h"

namespace llmd::gtk {
namespace {

constexpr char kSystem[] = "system";
constexpr char kUser[] = "user";
constexpr char kAssistant[] = "assistant";
constexpr char kTool[] = "tool";

void add_text(GVariantBuilder* dictionary, const char* key, const std::string& text) {
    g_variant_builder_add(dictionary, "{sv}", key, g_variant_new_string(text.c_str()));
}

}  // namespace

void Conversation::ask(const std::string& text) {
    const auto is_open = [](const Message& message) {
        return message.role != std::string_view(kAssistant) || !message.tool_calls.empty();
    };
    while (!messages_.empty() && is_open(messages_.back())) messages_.pop_back();
    messages_.push_back({kUser, text, {}, {}});
}

void Conversation::answer(const std::string& text, const std::vector<client::ToolCall>& calls) {
    if (text.empty() && calls.empty()) return;
    const bool goes_on = !messages_.empty() && messages_.back().role == std::string_view(kAssistant);
    if (!goes_on) messages_.push_back({kAssistant, {}, {}, {}});
    messages_.back().content += text;
    if (!calls.empty()) messages_.back().tool_calls = base::json_text(client::calls_value(calls));
}

void Conversation::add_result(const std::string& call_id, const std::string& text) {
    messages_.push_back({kTool, text, {}, call_id});
}

std::vector<Conversation::Message> Conversation::without_calls() const {
    std::vector<Message> out;
    for (const Message& message : messages_) {
        const bool says_nothing = message.content.empty() || message.role == std::string_view(kTool);
        if (says_nothing) continue;
        if (!out.empty() && out.back().role == std::string_view(message.role)) {
            out.back().content += "\n" + message.content;
        } else {
            out.push_back({message.role, message.content, {}, {}});
        }
    }
    return out;
}

GVariant* Conversation::messages(Calls calls, const std::string& system) const {
    GVariantBuilder list;
    g_variant_builder_init(&list, G_VARIANT_TYPE("aa{sv}"));
    std::vector<Message> messages = calls == Calls::With ? messages_ : without_calls();
    if (!system.empty()) messages.insert(messages.begin(), {kSystem, system, {}, {}});
    for (const Message& message : messages) {
        g_variant_builder_open(&list, G_VARIANT_TYPE("a{sv}"));
        add_text(&list, "role", message.role);
        add_text(&list, "content", message.content);
        if (!message.tool_calls.empty()) add_text(&list, "tool_calls", message.tool_calls);
        if (!message.tool_call_id.empty()) add_text(&list, "tool_call_id", message.tool_call_id);
        g_variant_builder_close(&list);
    }
    return g_variant_builder_end(&list);
}

}  // namespace llmd::gtk
