#include "engine/chat/chat_family.h"

#include <algorithm>
#include <vector>

namespace llmd::chat {

namespace {

bool is_in_brackets(std::string_view text) {
    return text.size() > 2 && (text[0] == '<' || text[0] == '[') && text.find_first_of(">]") != std::string_view::npos;
}

// All of a family's texts in which a marker may stand.
std::vector<std::string_view> markup(const ChatFamily& family) {
    std::vector<std::string_view> texts = {family.begin,           family.system.before, family.system.after,
                                           family.user.before,     family.user.after,    family.assistant.before,
                                           family.assistant.after, family.answer,        family.end};
    const auto add = [&](std::initializer_list<std::string_view> more) {
        texts.insert(texts.end(), more.begin(), more.end());
    };
    const ToolSyntax& tools = family.tools == nullptr ? kGenericTools : *family.tools;
    add({tools.system_preamble, tools.tools, tools.tool, tools.calls, tools.call, tools.argument, tools.results,
         tools.result});
    if (const CallSyntax* calls = family.calls) {
        add({calls->marker, calls->begin, calls->separator, calls->end, calls->call_begin, calls->name_end,
             calls->call_end, calls->parameter_begin, calls->parameter_name_end, calls->parameter_end});
        if (calls->arguments == ArgumentSyntax::Braces) add({kBracesQuote});
    }
    if (const ThinkingSyntax* thinking = family.thinking) {
        add({thinking->open, thinking->close, thinking->by_default, thinking->on, thinking->off, thinking->turn,
             thinking->off_turn});
    }
    return texts;
}

}  // namespace

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

std::vector<int32_t> user_defined_markers(const ChatFamily& family, const tokenizer::Tokenizer& tokenizer) {
    const std::vector<std::string_view> texts = markup(family);
    std::vector<int32_t> ids;
    for (uint32_t i = 0; i < tokenizer.vocabulary_size(); ++i) {
        const auto id = static_cast<int32_t>(i);
        const std::string_view text = tokenizer.token_text(id);
        if (tokenizer.kind(id) != tokenizer::TokenKind::UserDefined || !is_in_brackets(text)) continue;
        const bool is_marker = std::any_of(
            texts.begin(), texts.end(), [&](std::string_view one) { return one.find(text) != std::string_view::npos; });
        if (is_marker) ids.push_back(id);
    }
    return ids;
}

}  // namespace llmd::chat
