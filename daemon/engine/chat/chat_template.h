// Renders a conversation as the prompt that a model was trained with (chat_family.h). The contents of messages are
// never parsed for control tokens: a message that contains "<|im_end|>" has these letters and does not end its turn.
// Immutable after create(): may be used from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/chat/chat_family.h"
#include "engine/model/gguf.h"
#include "engine/tokenizer/tokenizer.h"

namespace llmd::tokenizer {

struct ChatMessage {
    enum class Role : uint8_t { System = 0, User, Assistant };
    Role role = Role::User;
    std::string content;
};

class ChatTemplate {
public:
    // The template of a model whose family is unknown. It renders nothing.
    ChatTemplate() = default;

    // `setting` names a family. If it is empty, the file's tokenizer.chat_template decides, and a file without one has
    // "none". A template that is not recognised is no error, so that the model can still continue texts.
    // InvalidArgument names a setting that is no family.
    static base::Result<ChatTemplate> create(const model::Gguf& gguf, const Tokenizer& tokenizer,
                                             std::string_view setting);

    // Returns the prompt for the assistant's next message, for Tokenizer::encode_prompt(). A last message of the
    // assistant is left open, so that the model continues it. InvalidArgument names `chat_template` if the family is
    // unknown, and the message that does not fit: in a family whose messages alternate, an optional system message must
    // be followed by one of the user, and user and assistant must alternate.
    base::Result<std::vector<TextSegment>> render(std::span<const ChatMessage> messages) const;

    // The stop strings for StreamDetokenizer: the end of the assistant's turn, unless it is a token that
    // ends_generation().
    const std::vector<std::string>& stops() const { return stops_; }

private:
    struct Turn {
        std::string before, after;
    };
    ChatTemplate(const ChatFamily& family, const Tokenizer& tokenizer);
    base::Result<void> check(std::span<const ChatMessage> messages) const;
    class Writer;
    // `system` is null if the conversation does not begin with a system message, or if that has another place.
    void write_system(const ChatMessage* system, Writer& out) const;
    void write_user(const ChatMessage* system, const ChatMessage& user, Writer& out) const;

    const ChatFamily* family_ = nullptr;  // null: unknown
    // The family's texts with the model's own tokens.
    std::string begin_, answer_, open_;
    Turn system_, user_, assistant_;
    // Results of system_preamble() and default_system() for this file's template.
    std::string system_preamble_, default_system_;
    std::vector<std::string> stops_;
};

}  // namespace llmd::tokenizer
