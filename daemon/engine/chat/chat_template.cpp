#include "engine/chat/chat_template.h"

#include <utility>

#include "base/utf8.h"
#include "engine/chat/template_text.h"
#include "engine/model/gguf.h"

namespace llmd::tokenizer {

using base::ErrorCode;
using base::fail;
using Role = ChatMessage::Role;

namespace {

std::string_view role_name(Role role) {
    return role == Role::System ? "system" : role == Role::User ? "user" : "assistant";
}

// Templates trim with Python's str.strip(), which drops the characters of str.isspace().
bool is_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

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

std::string_view trimmed(std::string_view text, ChatFamily::Trim trim) {
    if (trim == ChatFamily::Trim::None) return text;
    return trim == ChatFamily::Trim::End ? trimmed_end(text) : trimmed(text);
}

// Inserts the model's own tokens into a family's text.
std::string filled(std::string_view text, const Tokenizer& tokenizer) {
    std::string out(text);
    for (const auto& [name, token] : {std::pair{std::string_view("{bos}"), &tokenizer.begin_text()},
                                      std::pair{std::string_view("{eos}"), &tokenizer.end_text()}}) {
        if (const size_t at = out.find(name); at != std::string::npos) out.replace(at, name.size(), *token);
    }
    return out;
}

bool ends_generation(const Tokenizer& tokenizer, const std::string& text) {
    const std::vector<int32_t> ids = tokenizer.encode(text, SpecialTokens::Parse);
    return ids.size() == 1 && tokenizer.ends_generation(ids.front());
}

}  // namespace

// Joins consecutive texts that are tokenized in the same way.
class ChatTemplate::Writer {
public:
    void markup(std::string_view text) { write(text, SpecialTokens::Parse); }
    void content(std::string_view text) { write(text, SpecialTokens::Literal); }
    std::vector<TextSegment> take() { return std::move(segments_); }

private:
    void write(std::string_view text, SpecialTokens special) {
        if (text.empty()) return;
        if (segments_.empty() || segments_.back().special != special) segments_.push_back({"", special});
        segments_.back().text += text;
    }
    std::vector<TextSegment> segments_;
};

base::Result<ChatTemplate> ChatTemplate::create(const model::Gguf& gguf, const Tokenizer& tokenizer,
                                                std::string_view setting) {
    const auto text = gguf.get_string_or("tokenizer.chat_template", "");
    if (!text) return text.error();
    const ChatFamily* family = nullptr;
    if (!setting.empty()) {
        family = find_chat_family(setting);
        if (family == nullptr) {
            return fail(ErrorCode::InvalidArgument, "chat_template: ", model::quoted(setting), " is none of ",
                        chat_family_names());
        }
    } else {
        family = text->empty() ? find_chat_family("none") : recognize_chat_family(*text);
    }
    if (family == nullptr) return ChatTemplate();
    ChatTemplate chat(*family, tokenizer);
    if (family == recognize_chat_family(*text)) {
        if (family->name == "llama3") chat.system_preamble_ = system_preamble(*text);
        chat.default_system_ = default_system(*family, *text);
    }
    return chat;
}

ChatTemplate::ChatTemplate(const ChatFamily& family, const Tokenizer& tokenizer)
    : family_(&family),
      begin_(filled(family.begin, tokenizer)),
      answer_(filled(family.answer, tokenizer)),
      open_(filled(family.open.empty() ? family.assistant.before : family.open, tokenizer)),
      system_{filled(family.system.before, tokenizer), filled(family.system.after, tokenizer)},
      user_{filled(family.user.before, tokenizer), filled(family.user.after, tokenizer)},
      assistant_{filled(family.assistant.before, tokenizer), filled(family.assistant.after, tokenizer)} {
    std::string end = filled(family.end, tokenizer);
    if (!end.empty() && !ends_generation(tokenizer, end)) stops_.push_back(std::move(end));
}

base::Result<void> ChatTemplate::check(std::span<const ChatMessage> messages) const {
    if (family_ == nullptr) {
        return fail(ErrorCode::InvalidArgument,
                    "chat_template: this model's own is not one that llmd knows; set chat_template in llmd.toml to the "
                    "one that it was trained with: ",
                    chat_family_names());
    }
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "messages: there is none");
    if (!family_->alternates) return {};
    const size_t first = messages.front().role == Role::System ? 1 : 0;
    if (first == messages.size()) {
        return fail(ErrorCode::InvalidArgument, "messages: a system message alone; the chat template ", family_->name,
                    " needs a user message after it");
    }
    for (size_t i = first; i < messages.size(); ++i) {
        const Role expected = (i - first) % 2 == 0 ? Role::User : Role::Assistant;
        if (messages[i].role == expected) continue;
        return fail(ErrorCode::InvalidArgument, "messages[", i, "].role: \"", role_name(messages[i].role),
                    "\" where the chat template ", family_->name, " has the turn of the ", role_name(expected));
    }
    return {};
}

base::Result<std::vector<TextSegment>> ChatTemplate::render(std::span<const ChatMessage> messages) const {
    if (auto checked = check(messages); !checked) return checked.error();
    const ChatMessage* system = messages.front().role == Role::System ? &messages.front() : nullptr;
    const auto turns = messages.subspan(system == nullptr ? 0 : 1);
    const ChatMessage* first_user = nullptr;
    const ChatMessage* last_user = nullptr;
    for (const ChatMessage& message : turns) {
        if (message.role != Role::User) continue;
        if (first_user == nullptr) first_user = &message;
        last_user = &message;
    }
    Writer out;
    out.markup(begin_);
    if (family_->fold == ChatFamily::Fold::None) write_system(system, out);
    const ChatMessage* folded_into = family_->fold == ChatFamily::Fold::First  ? first_user
                                     : family_->fold == ChatFamily::Fold::Last ? last_user
                                                                               : nullptr;
    for (const ChatMessage& message : turns) {
        if (message.role == Role::User) {
            write_user(&message == folded_into ? system : nullptr, message, out);
            continue;
        }
        const bool is_assistant = message.role == Role::Assistant;
        const std::string_view content =
            trimmed(message.content, is_assistant ? family_->trim_assistant : family_->trim_system);
        const bool is_open = is_assistant && &message == &turns.back();
        if (is_open && content.empty()) break;
        const Turn& turn = is_assistant ? assistant_ : system_;
        out.markup(is_open && last_user != nullptr ? open_ : turn.before);
        out.content(content);
        if (is_open) return out.take();
        out.markup(turn.after);
    }
    out.markup(answer_);
    return out.take();
}

void ChatTemplate::write_system(const ChatMessage* system, Writer& out) const {
    const ChatFamily::Trim trim = family_->trim_system;
    std::string_view content = system == nullptr ? std::string_view() : trimmed(system->content, trim);
    if (content.empty() && family_->omits_empty_system) system = nullptr;
    if (system == nullptr && default_system_.empty() && system_preamble_.empty()) return;
    out.markup(system_.before + system_preamble_);
    if (system == nullptr) {
        out.markup(trimmed(default_system_, trim));
    } else {
        out.content(content);
    }
    out.markup(system_.after);
}

void ChatTemplate::write_user(const ChatMessage* system, const ChatMessage& user, Writer& out) const {
    const bool trims_together = system != nullptr && family_->trims_fold;
    std::string_view content = trims_together ? trimmed_end(user.content) : trimmed(user.content, family_->trim_user);
    out.markup(user_.before);
    if (system != nullptr) {
        const bool is_alone = trims_together && trimmed(content).empty();
        if (is_alone) content = {};
        out.markup(system_.before);
        out.content(trimmed(system->content, family_->trim_system));
        out.markup(is_alone ? trimmed_end(system_.after) : std::string_view(system_.after));
    }
    out.content(content);
    out.markup(user_.after);
}

}  // namespace llmd::tokenizer
