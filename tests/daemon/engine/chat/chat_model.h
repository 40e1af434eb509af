// A model of tests that has a tokenizer and a chat template.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/engine/tokenizer/vocabularies.h"
#include "engine/chat/chat_template.h"

namespace llmd::chat {

using namespace tokenizer;

using Messages = std::vector<ChatMessage>;

// A tokenizer and the chat template of one file.
struct Model {
    explicit Model(const test::Vocabulary& vocabulary, const std::string& text = "", std::string_view setting = "") {
        test::GgufWriter writer = vocabulary.writer();
        if (!text.empty()) writer.add("tokenizer.chat_template", text);
        const auto bytes = writer.bytes();
        const auto gguf = model::Gguf::parse(bytes);
        EXPECT_TRUE(gguf);
        auto created = Tokenizer::create(*gguf);
        EXPECT_TRUE(created);
        tokenizer = std::move(*created);
        auto found = ChatTemplate::create(*gguf, *tokenizer, setting);
        EXPECT_TRUE(found) << found.error().message;
        chat = std::move(*found);
    }
    std::vector<TextSegment> segments(const Messages& messages, std::string_view tools = {}) const {
        auto rendered = chat.render({.messages = messages, .tools = tools});
        EXPECT_TRUE(rendered) << rendered.error().message;
        return rendered ? rendered->segments : std::vector<TextSegment>();
    }
    std::string text(const Messages& messages) const {
        std::string text;
        for (const TextSegment& segment : segments(messages)) text += segment.text;
        return text;
    }
    test::Ids ids(const Messages& messages, std::string_view tools = {}) const {
        return tokenizer->encode_prompt(segments(messages, tools));
    }
    std::string refusal(const Messages& messages, std::string_view tools = {}) const {
        const auto rendered = chat.render({.messages = messages, .tools = tools});
        if (rendered) return "accepted";
        EXPECT_EQ(rendered.error().code, base::ErrorCode::InvalidArgument);
        return rendered.error().message;
    }

    std::unique_ptr<Tokenizer> tokenizer;
    ChatTemplate chat;
};

inline test::Vocabulary chatml_vocabulary() {
    test::Vocabulary vocabulary = test::byte_vocabulary("qwen2");
    vocabulary.add("<|im_start|>", TokenKind::Control);
    vocabulary.add("<|im_end|>", TokenKind::Control);
    return vocabulary;
}

inline void add_markers(std::vector<std::string>& found, std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) {
        for (size_t at = 0; (at = text.find_first_of("<[", at)) != std::string_view::npos;) {
            const size_t end = text.find(text[at] == '<' ? '>' : ']', at);
            found.emplace_back(text.substr(at, end + 1 - at));
            at = end;
        }
    }
    // Llama 2's are no tokens, thoughts are part of a turn, and a list in brackets is none.
    std::erase_if(found, [](const std::string& marker) {
        return marker.find("SYS>") != std::string::npos || marker.find("think") != std::string::npos ||
               marker.find_first_of("{ ") != std::string::npos;
    });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
}

// The texts of a family that are tokens in its models' vocabularies.
inline std::vector<std::string> markers(const ChatFamily& family) {
    std::vector<std::string> found;
    add_markers(found, {family.begin, family.system.before, family.system.after, family.user.before, family.user.after,
                        family.assistant.before, family.assistant.after, family.answer, family.end});
    return found;
}

}  // namespace llmd::chat
