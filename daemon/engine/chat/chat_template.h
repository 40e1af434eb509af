// How a model wants a conversation written: the turns of user and assistant with the tokens between them that it was
// trained with (chat_family.h). What the parts of a conversation hold is never read for control tokens: whoever writes
// "<|im_end|>" says these letters and ends no turn.
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
    // Of a model whose template nobody knows: renders nothing.
    ChatTemplate() = default;

    // `setting` names a family; empty: the file's tokenizer.chat_template says which, and a file without one has
    // "none". A template that is not recognised is no error, so that the model can still continue texts.
    // InvalidArgument names a setting that is no family.
    static base::Result<ChatTemplate> create(const model::Gguf& gguf, const Tokenizer& tokenizer,
                                             std::string_view setting);

    // The prompt for the assistant's next turn, for Tokenizer::encode_prompt(); a last message of the assistant is left
    // open, so that the model goes on with it. InvalidArgument names `chat_template` when the family is unknown, and
    // the message that this family has no place for: where it has no system turn, an optional first message of the
    // system must be followed by one of the user, and user and assistant must take turns.
    base::Result<std::vector<TextSegment>> render(std::span<const ChatMessage> messages) const;

    // What ends the assistant's turn, if it is no token that ends_generation(): for StreamDetokenizer.
    const std::vector<std::string>& stops() const { return stops_; }

private:
    struct Turn {
        std::string before, after;
    };
    ChatTemplate(const ChatFamily& family, const Tokenizer& tokenizer);
    bool trims(ChatMessage::Role role) const;
    base::Result<void> check(std::span<const ChatMessage> messages) const;
    class Writer;
    // `system` is null when the conversation does not begin with one.
    void write_system(const ChatMessage* system, Writer& out) const;
    void write_user(const ChatMessage* system, const ChatMessage& user, Writer& out) const;

    const ChatFamily* family_ = nullptr;  // null: unknown
    // The family's, with the model's own tokens.
    std::string begin_, answer_;
    Turn system_, user_, assistant_;
    // Of this file's template: see chat_family.h.
    std::string system_preamble_, default_system_;
    std::vector<std::string> stops_;
};

}  // namespace llmd::tokenizer
