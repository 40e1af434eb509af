// The chat formats that models were trained with, as a table. The templates in model files are programs from strangers,
// so llmd does not interpret them; template_text.h recognises a template by the strings that it contains.
// Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace llmd::tokenizer {

// In the texts of a family "{bos}" and "{eos}" stand for the model's begin-of-text and end-of-text tokens.
struct ChatFamily {
    std::string_view name;  // as the setting `chat_template` spells it

    // The texts before and after the content of a message.
    struct Turn {
        std::string_view before, after;
    };
    std::string_view begin;  // before the first message
    Turn system, user, assistant;
    std::string_view answer;  // after the last message, unless the model continues a message of the assistant
    // Stands in place of assistant.before where the model continues a message of the assistant that follows one of the
    // user. Empty: assistant.before.
    std::string_view open;

    bool alternates = false;  // messages of user and assistant must alternate
    // Whether the system message is a part of the first or the last user message.
    enum class Fold : uint8_t { None, First, Last };
    Fold fold = Fold::None;

    // The white space around a message that is dropped.
    enum class Trim : uint8_t { None, End, Both };
    Trim trim_system = Trim::None, trim_user = Trim::None, trim_assistant = Trim::None;
    // White space is dropped around a folded system message and the user message together.
    bool trims_fold = false;
    // A system message that is empty (after what is dropped) counts as none.
    bool omits_empty_system = false;

    std::string_view end;  // the model ends its answer with it

    // What stands in a template before its own system message (default_system()); empty: it has none.
    std::string_view default_system_after;

    // A template is of this family if its text, after normalized(), contains all of `has` and none of `lacks`.
    std::span<const std::string_view> has, lacks;
};

// Values of default_system_after that default_system() reads in another way than a string: the message follows in the
// same string, or is Granite 3's, which has the date in it.
inline constexpr std::string_view kChatMlSystem = "<|im_start|>system";
inline constexpr std::string_view kGraniteCutoff = "Knowledge Cutoff Date: April 2024.";

std::span<const ChatFamily> chat_families();
// Returns the names of all families for messages: "none, zephyr, ...".
std::string chat_family_names();

// Returns null if there is no family of that name.
const ChatFamily* find_chat_family(std::string_view name);

}  // namespace llmd::tokenizer
