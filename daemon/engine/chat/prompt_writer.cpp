#include "engine/chat/prompt_writer.h"

#include <algorithm>

#include "base/utf8.h"

namespace llmd::chat {

namespace {

// Python's str.isspace()
bool is_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

std::string_view without_first_lines(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

}  // namespace

std::string_view trimmed_end(std::string_view text) {
    size_t end = 0;
    for (size_t at = 0; at < text.size();) {
        const base::Utf8Step step = base::next_utf8(text.substr(at));
        at += step.length;
        if (!is_space(step.character)) end = at;
    }
    return text.substr(0, end);
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty()) {
        const base::Utf8Step step = base::next_utf8(text);
        if (!is_space(step.character)) break;
        text.remove_prefix(step.length);
    }
    return trimmed_end(text);
}

std::string_view trimmed(std::string_view text, Trim trim) {
    switch (trim) {
        case Trim::None:
            return text;
        case Trim::End:
            return trimmed_end(text);
        case Trim::Both:
            return trimmed(text);
        case Trim::Lines:
            return without_first_lines(text.substr(0, text.find_last_not_of('\n') + 1));
        case Trim::FirstLines:
            return without_first_lines(text);
    }
    return text;
}

std::string tool_text(const JsonValue& tool, ToolSyntax::Spelling spelling) {
    constexpr uint32_t kIndent = 4;
    switch (spelling) {
        case ToolSyntax::Spelling::Json:
            return to_json(tool);
        case ToolSyntax::Spelling::IndentedJson:
        case ToolSyntax::Spelling::IndentedList:
            return to_json(tool, kIndent);
        case ToolSyntax::Spelling::FunctionJson:
            return to_json(*tool.find("function"));
        case ToolSyntax::Spelling::Python:
            return to_python(tool);
    }
    return {};
}

std::string value_text(const JsonValue& value, ToolSyntax::Value spelling) {
    using Kind = JsonValue::Kind;
    using Value = ToolSyntax::Value;
    if (value.kind == Kind::String) {
        if (spelling == Value::Quoted) return '"' + value.text + '"';
        if (spelling == Value::SingleQuoted) return '\'' + value.text + '\'';
        const bool is_cdata = spelling == Value::Cdata && value.text.find_first_of("<&\n") != std::string::npos;
        return is_cdata ? "<![CDATA[" + value.text + "]]>" : value.text;
    }
    const bool quotes = spelling == Value::Quoted || spelling == Value::SingleQuoted;
    const bool is_json = spelling == Value::TextElseJson || (quotes && value.kind == Kind::Object) ||
                         (spelling == Value::TextOrJson && (value.kind == Kind::Object || value.kind == Kind::Array));
    return is_json ? to_json(value) : to_python(value);
}

void PromptWriter::write(std::string_view text, tokenizer::SpecialTokens special) {
    if (text.empty()) return;
    if (segments_.empty() || segments_.back().special != special) segments_.push_back({"", special});
    segments_.back().text += text;
}

}  // namespace llmd::chat
