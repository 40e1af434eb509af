// The parts of a prompt: markup of the family, and texts of the client, which are trimmed as templates do.
// Thread-bound.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/chat/chat_family.h"
#include "engine/chat/json_value.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::chat {

// Python's str.strip() and str.rstrip(), which drop the characters of str.isspace().
std::string_view trimmed(std::string_view text);
std::string_view trimmed_end(std::string_view text);
std::string_view trimmed(std::string_view text, Trim trim);

// A tool of the list, and the value of a call's argument, as a family spells them.
std::string tool_text(const JsonValue& tool, ToolSyntax::Spelling spelling);
std::string value_text(const JsonValue& value, ToolSyntax::Value spelling);

// Joins consecutive texts that are tokenized in the same way.
class PromptWriter {
public:
    void markup(std::string_view text) { write(text, tokenizer::SpecialTokens::Parse); }
    void content(std::string_view text) { write(text, tokenizer::SpecialTokens::Literal); }
    // Writes a text of a family as markup, and calls write_field(name) for each word in braces.
    template <typename WriteField>
    void fill(std::string_view text, const WriteField& write_field) {
        size_t written = 0;
        for (size_t at = 0; (at = text.find('{', at)) != std::string_view::npos; ++at) {
            const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at + 1);
            if (end == std::string_view::npos || text[end] != '}' || end == at + 1) continue;
            markup(text.substr(written, at - written));
            write_field(text.substr(at + 1, end - at - 1));
            written = end + 1;
        }
        markup(text.substr(written));
    }
    std::vector<tokenizer::TextSegment> take() { return std::move(segments_); }

private:
    void write(std::string_view text, tokenizer::SpecialTokens special);
    std::vector<tokenizer::TextSegment> segments_;
};

}  // namespace llmd::chat
