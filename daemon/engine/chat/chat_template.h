// Renders a conversation as the prompt that a model was trained with (chat_family.h). The contents of messages are
// never parsed for control tokens, nor for markers of the family that are user-defined tokens: a message that contains
// "<|im_end|>" or "<tool_call>" has these letters, and neither ends its turn nor calls a tool.
// Immutable after create(): may be used from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/chat/chat_family.h"
#include "engine/chat/chat_message.h"
#include "engine/chat/template_text.h"
#include "engine/model/gguf.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::chat {

class ChatTemplate {
public:
    // The template of a model whose family is unknown. It renders nothing.
    ChatTemplate() = default;

    // `setting` names a family. If it is empty, the file's tokenizer.chat_template decides, and a file without one has
    // "none". A template that is not recognised is no error, so that the model can still continue texts.
    // InvalidArgument names a setting that is no family. In the tokenizer the family's markers are then barred from the
    // texts of conversations.
    static base::Result<ChatTemplate> create(const model::Gguf& gguf, tokenizer::Tokenizer& tokenizer,
                                             std::string_view setting);

    // Returns the prompt for the assistant's next message. A last message of the assistant without calls is left open,
    // so that the model continues it. InvalidArgument names `chat_template` if the family is unknown, the message that
    // the family has no place for, and what Conversation::read() and parse_arguments() refuse. In a family whose
    // messages alternate, an optional system message must be followed by one of the user, and user and assistant must
    // alternate; calls and their results stand between the two, or count as them if the family has no form for tools.
    base::Result<ChatPrompt> render(const ChatInput& input) const;

    // Null if it is unknown.
    const ChatFamily* family() const { return family_; }
    // The model was trained with one that is known, rather than with none.
    bool has_family() const { return family_ != nullptr && family_->name != kNoFamily; }
    // A sentence for whoever asks in conversations, if neither the file nor the setting says which form they have.
    std::string_view note() const { return note_; }

    // The stop strings for StreamDetokenizer: the end of the assistant's turn, unless it is a token that
    // ends_generation().
    const std::vector<std::string>& stops() const { return stops_; }

private:
    struct Turn {
        std::string before, after;
    };
    ChatTemplate(const ChatFamily& family, TemplateDetails details, const tokenizer::Tokenizer& tokenizer);
    base::Result<void> check_turns(std::span<const ChatMessage> messages) const;
    class Rendering;

    const ChatFamily* family_ = nullptr;  // null: unknown
    std::string_view note_;
    // The family's texts with the model's own tokens.
    std::string begin_, answer_;
    Turn system_, user_, assistant_;
    TemplateDetails details_;  // of this file's template, if that is what decided
    std::vector<std::string> stops_;
};

}  // namespace llmd::chat
