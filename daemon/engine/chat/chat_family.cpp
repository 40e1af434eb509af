#include "engine/chat/chat_family.h"

#include <vector>

namespace llmd::chat {

constexpr ToolSyntax kGenericTools = {
    .tools =
        "You can call functions. Each line describes one in JSON: its name, what it does, and a schema of its "
        "parameters.\n{tools}\nTo call a function, answer with this JSON object and nothing else: {\"name\": name of "
        "the "
        "function, \"parameters\": object with the value of each parameter}\nTo call several functions, write one "
        "object a line. What they return comes in the next message. If no function helps, answer in plain text.",
    .tool = "{tool}\n",
    .spelling = ToolSyntax::Spelling::FunctionJson,
    .call = "{\"name\": \"{name}\", \"parameters\": {arguments}}",
    .result = "The function {name} returned: {result}",
    .trim_result = Trim::Both,
};

std::span<const ChatFamily> chat_families() {
    static const std::vector<ChatFamily> families = [] {
        std::vector<ChatFamily> all(other_families().begin(), other_families().end());
        for (const auto more : {llama_families(), chatml_families()}) all.insert(all.end(), more.begin(), more.end());
        return all;
    }();
    return families;
}

std::string chat_family_names() {
    return base::listed(chat_families(), &ChatFamily::name);
}

const ChatFamily* find_chat_family(std::string_view name) {
    for (const ChatFamily& family : chat_families()) {
        if (family.name == name) return &family;
    }
    return nullptr;
}

}  // namespace llmd::chat
