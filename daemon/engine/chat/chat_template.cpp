#include "engine/chat/chat_template.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/chat/conversation.h"
#include "engine/chat/json_value.h"
#include "engine/chat/prompt_writer.h"
#include "engine/chat/template_text.h"
#include "engine/model/gguf.h"

namespace llmd::chat {

using base::ErrorCode;
using base::fail;
using Role = ChatMessage::Role;

namespace {

std::string_view role_name(Role role) {
    constexpr std::string_view kNames[] = {"system", "user", "assistant", "tool"};
    return kNames[static_cast<size_t>(role)];
}

// Inserts the model's own tokens into a family's text.
std::string filled(std::string_view text, const tokenizer::Tokenizer& tokenizer) {
    std::string out(text);
    for (const auto& [name, token] : {std::pair{std::string_view("{bos}"), &tokenizer.begin_text()},
                                      std::pair{std::string_view("{eos}"), &tokenizer.end_text()}}) {
        if (const size_t at = out.find(name); at != std::string::npos) out.replace(at, name.size(), *token);
    }
    return out;
}

bool ends_generation(const tokenizer::Tokenizer& tokenizer, const std::string& text) {
    const std::vector<int32_t> ids = tokenizer.encode(text, tokenizer::SpecialTokens::Parse);
    return ids.size() == 1 && tokenizer.ends_generation(ids.front());
}

bool is_short_id(std::string_view id) {
    const auto fits = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return id.size() == 9 && std::all_of(id.begin(), id.end(), fits);
}

std::string without(std::string_view text, std::string_view what) {
    std::string out;
    for (size_t at = 0; (at = text.find(what)) != std::string_view::npos; text.remove_prefix(at + what.size())) {
        out += text.substr(0, at);
    }
    return out += text;
}

}  // namespace

base::Result<ChatTemplate> ChatTemplate::create(const model::Gguf& gguf, tokenizer::Tokenizer& tokenizer,
                                                std::string_view setting) {
    const auto text = gguf.get_string_or("tokenizer.chat_template", "");
    if (!text) return text.error();
    const ChatFamily* family = nullptr;
    if (!setting.empty()) {
        family = find_chat_family(setting);
        if (family == nullptr) {
            return fail(ErrorCode::InvalidArgument, "chat_template: ", model::in_quotes(setting), " is none of ",
                        chat_family_names());
        }
    } else {
        family = text->empty() ? find_chat_family(kNoFamily) : recognize_chat_family(*text);
    }
    if (family == nullptr) {
        ChatTemplate unknown;
        unknown.note_ = "chat_template: the model's own is not one that llmd knows; the prompt is continued as a text";
        return unknown;
    }
    const bool is_of_family = setting.empty() || family == recognize_chat_family(*text);
    TemplateDetails details =
        is_of_family ? read_details(*family, *text, tokenizer.begin_text()) : usual_details(*family);
    tokenizer.bar_in_conversations(user_defined_markers(*family, tokenizer));
    ChatTemplate chat(*family, std::move(details), tokenizer);
    if (setting.empty() && text->empty()) {
        chat.note_ = "chat_template: the model's file has none; messages are written as \"User: \" and \"Assistant: \"";
    }
    return chat;
}

ChatTemplate::ChatTemplate(const ChatFamily& family, TemplateDetails details, const tokenizer::Tokenizer& tokenizer)
    : family_(&family),
      begin_(filled(details.begins            ? "{bos}"
                    : family.begin == "{bos}" ? ""
                                              : family.begin,
                    tokenizer)),
      answer_(filled(family.answer, tokenizer)),
      system_{filled(family.system.before, tokenizer), filled(family.system.after, tokenizer)},
      user_{filled(family.user.before, tokenizer), filled(family.user.after, tokenizer)},
      assistant_{filled(family.assistant.before, tokenizer), filled(family.assistant.after, tokenizer)},
      details_(std::move(details)) {
    std::string end = filled(family.end, tokenizer);
    if (!end.empty() && !ends_generation(tokenizer, end)) stops_.push_back(std::move(end));
}

base::Result<void> ChatTemplate::check_turns(std::span<const ChatMessage> messages) const {
    if (!family_->alternates) return {};
    const size_t first = messages.front().role == Role::System ? 1 : 0;
    if (first == messages.size()) {
        return fail(ErrorCode::InvalidArgument, "messages: a system message alone; the chat template ", family_->name,
                    " needs a user message after it");
    }
    Role expected = Role::User;
    for (size_t i = first; i < messages.size(); ++i) {
        Role role = messages[i].role;
        if (family_->tools != nullptr && (role == Role::Tool || !messages[i].tool_calls.empty())) continue;
        if (role == Role::Tool) {
            if (messages[i - 1].role == Role::Tool) continue;
            role = Role::User;
        }
        if (role != expected) {
            return fail(ErrorCode::InvalidArgument, "messages[", i, "].role: \"", role_name(messages[i].role),
                        "\" where the chat template ", family_->name, " has the turn of the ", role_name(expected));
        }
        expected = role == Role::User ? Role::Assistant : Role::User;
    }
    return {};
}

// Writes one conversation.
class ChatTemplate::Rendering {
public:
    Rendering(const ChatTemplate& chat, const ChatInput& input, const Conversation& conversation)
        : chat_(chat),
          family_(*chat.family_),
          tools_(family_.tools == nullptr ? kGenericTools : *family_.tools),
          thinking_(family_.thinking == nullptr ? kNoThinking : *family_.thinking),
          conversation_(conversation),
          messages_(input.messages) {
        const bool is_default = input.thinking == Thinking::Default && chat.details_.thinks_by_default;
        thinks_ = input.thinking == Thinking::On || is_default;
        if (messages_.front().role == Role::System) read_system(messages_.front().content);
        prompt_end_ = !thinks_ ? thinking_.off : is_default ? thinking_.by_default : thinking_.on;
        for (size_t i = 0; i < messages_.size(); ++i) {
            if (messages_[i].role == Role::User) {
                if (first_user_ == kNone) first_user_ = i;
                last_user_ = i;
            } else if (messages_[i].role == Role::Assistant) {
                last_assistant_ = i;
            }
        }
    }

    base::Result<ChatPrompt> render() {
        using Place = ToolSyntax::Place;
        if (auto checked = check(); !checked) return checked.error();
        out_.markup(chat_.begin_);
        if (has_tools(Place::BeforeSystem)) write_tools();
        if (family_.fold == ChatFamily::Fold::None) write_system();
        if (has_tools(Place::AfterSystem)) write_tools();
        const size_t begin = messages_.front().role == Role::System ? 1 : 0;
        for (size_t i = begin; i < messages_.size(); ++i) {
            const ChatMessage& message = messages_[i];
            switch (message.role) {
                case Role::System:
                    write_turn(chat_.system_, trimmed(message.content, family_.trim_system));
                    break;
                case Role::User:
                    if (i == last_user_ && has_tools(Place::LastUser)) write_tools();
                    write_user(i);
                    break;
                case Role::Assistant: {
                    auto is_open = write_assistant(i);
                    if (!is_open) return is_open.error();
                    if (*is_open) return ChatPrompt{out_.take(), false};
                    break;
                }
                case Role::Tool:
                    i = write_results(i);
                    break;
            }
        }
        out_.markup(chat_.answer_);
        out_.markup(prompt_end_);
        const bool begins = !prompt_end_.empty() && prompt_end_.find(thinking_.close) == std::string_view::npos;
        return ChatPrompt{out_.take(), begins};
    }

private:
    static constexpr size_t kNone = static_cast<size_t>(-1);
    static constexpr ThinkingSyntax kNoThinking = {};

    void read_system(std::string_view content) {
        std::string text(content);
        if (!thinking_.mode_on.empty()) {
            const bool says_off = text.find(thinking_.mode_off) != std::string::npos;
            if (says_off || text.find(thinking_.mode_on) != std::string::npos) thinks_ = !says_off;
            for (const std::string_view mode : {thinking_.mode_off, thinking_.mode_on}) text = without(text, mode);
        }
        const std::string_view said = trimmed(text, family_.trim_system);
        if (!said.empty() || !chat_.details_.omits_empty_system) system_ = std::string(said);
    }

    base::Result<void> check() const {
        if (first_user_ == kNone &&
            (has_tools(ToolSyntax::Place::FirstUser) || has_tools(ToolSyntax::Place::LastUser))) {
            return fail(ErrorCode::InvalidArgument, "tools: the chat template ", family_.name,
                        " needs a message of the user");
        }
        if (!tools_.one_call) return {};
        for (size_t i = 0; i < messages_.size(); ++i) {
            if (messages_[i].tool_calls.size() <= 1) continue;
            return fail(ErrorCode::InvalidArgument, "messages[", i, "].tool_calls: ", messages_[i].tool_calls.size(),
                        " where the chat template ", family_.name, " has one");
        }
        return {};
    }

    bool has_tools(ToolSyntax::Place place) const { return !conversation_.tools.empty() && tools_.place == place; }
    bool has_tools() const { return !conversation_.tools.empty(); }
    std::string_view default_system() const {
        if (system_) return {};
        const TemplateDetails& own = chat_.details_;
        if (has_tools() && !tools_.keeps_default) return own.system_tools;
        return trimmed(thinks_ ? own.system : own.system_off, family_.trim_system);
    }
    bool has_system() const {
        return system_ || !family_.system_preamble.empty() || !default_system().empty() ||
               has_tools(ToolSyntax::Place::SystemBegin) || has_tools(ToolSyntax::Place::SystemEnd);
    }

    void write_turn(const Turn& turn, std::string_view content) {
        out_.markup(turn.before);
        out_.content(content);
        out_.markup(turn.after);
    }

    void write_tools() {
        out_.fill(tools_.tools, [&](std::string_view) {
            if (tools_.spelling == ToolSyntax::Spelling::IndentedList) {
                const JsonValue list{JsonValue::Kind::Array, "", "", conversation_.tools};
                out_.content(tool_text(list, tools_.spelling));
                return;
            }
            bool is_first = true;
            for (const JsonValue& tool : conversation_.tools) {
                if (!is_first) out_.markup(tools_.tool_gap);
                is_first = false;
                out_.fill(tools_.tool, [&](std::string_view) { out_.content(tool_text(tool, tools_.spelling)); });
            }
        });
    }

    std::string_view gap() const { return chat_.details_.has_line_gap ? "\n" : tools_.gap; }

    // Writes what the system message says, with the tools if they belong to it.
    void write_system_text() {
        using Place = ToolSyntax::Place;
        if (has_tools()) out_.markup(tools_.system_preamble);
        out_.markup(family_.system_preamble);
        const std::string_view own = default_system();
        const std::string_view said = system_ ? std::string_view(*system_) : std::string_view();
        if (has_tools(Place::SystemBegin)) {
            write_tools();
            if (!own.empty() || !said.empty()) out_.markup(gap());
        }
        if (system_ || !own.empty() || has_tools(Place::SystemEnd)) out_.markup(family_.preamble_gap);
        out_.markup(own);
        out_.content(said);
        if (has_tools(Place::SystemEnd)) {
            if (system_ || !own.empty()) out_.markup(gap());
            write_tools();
        } else {
            out_.markup(family_.system_tail);
        }
    }

    void write_system() {
        if (!has_system()) return;
        out_.fill(chat_.system_.before,
                  [&](std::string_view) { out_.markup(thinks_ ? thinking_.mode_on : thinking_.mode_off); });
        write_system_text();
        out_.markup(chat_.system_.after);
    }

    void write_user(size_t index) {
        using Fold = ChatFamily::Fold;
        const size_t folded_into = family_.fold == Fold::First  ? first_user_
                                   : family_.fold == Fold::Last ? last_user_
                                                                : kNone;
        const bool has_folded = index == folded_into && has_system();
        const bool trims_together = has_folded && family_.trims_fold;
        std::string_view content = messages_[index].content;
        content = trims_together ? trimmed_end(content) : trimmed(content, family_.trim_user);
        out_.markup(chat_.user_.before);
        if (index == first_user_ && has_tools(ToolSyntax::Place::FirstUser)) write_tools();
        if (has_folded) {
            const bool is_alone = trims_together && trimmed(content).empty();
            if (is_alone) content = {};
            out_.markup(chat_.system_.before);
            write_system_text();
            out_.markup(is_alone ? trimmed_end(chat_.system_.after) : std::string_view(chat_.system_.after));
        }
        out_.content(content);
        out_.markup(chat_.user_.after);
    }

    // Takes the thinking out of what a message says.
    void split(std::string_view& content, std::string_view& thinking) const {
        const size_t close = content.find(thinking_.close);
        if (close == std::string_view::npos) return;
        const std::string_view before = content.substr(0, close);
        const size_t open = before.rfind(thinking_.open);
        thinking = open == std::string_view::npos ? before : before.substr(open + thinking_.open.size());
        content.remove_prefix(content.rfind(thinking_.close) + thinking_.close.size());
        content = trimmed(content, thinking_.trim_split);
    }

    bool is_since_user(size_t index) const { return last_user_ != kNone && index > last_user_; }

    // Whether the message is not taken apart although it may have its thinking in its content.
    bool stays_whole(size_t index) const {
        if (!thinking_.keeps_whole) return false;
        return thinking_.kept == ThinkingSyntax::Kept::LastTurn ? index == last_assistant_ : is_since_user(index);
    }

    bool keeps_thinking(size_t index, std::string_view thinking) const {
        using Kept = ThinkingSyntax::Kept;
        switch (thinking_.kept) {
            case Kept::None:
                return false;
            case Kept::LastTurn:
                return index == last_assistant_ && !thinking.empty();
            case Kept::SinceUserIfAny:
                return is_since_user(index) && !thinking.empty();
            case Kept::SinceUser:
                return is_since_user(index) && (index + 1 == messages_.size() || !thinking.empty());
            case Kept::AlwaysSinceUser:
                return is_since_user(index);
            case Kept::All:
                return !thinking.empty();
        }
        return false;
    }

    // Writes what a message of the assistant says, which may have its thinking in it.
    void write_said(size_t index, std::string_view content) {
        const size_t open = stays_whole(index) ? content.find(thinking_.open) : std::string_view::npos;
        if (open != std::string_view::npos) {
            out_.content(content.substr(0, open));
            out_.markup(thinking_.open);
            content.remove_prefix(open + thinking_.open.size());
            if (const size_t close = content.find(thinking_.close); close != std::string_view::npos) {
                out_.content(content.substr(0, close));
                out_.markup(thinking_.close);
                content.remove_prefix(close + thinking_.close.size());
            }
        }
        out_.content(content);
    }

    // Returns whether the message is left open for the model.
    base::Result<bool> write_assistant(size_t index) {
        using Content = ToolSyntax::Content;
        const ChatMessage& message = messages_[index];
        std::string_view content = message.content;
        std::string_view thinking = message.thinking;
        if (thinking_.splits && thinking.empty() && !stays_whole(index)) split(content, thinking);
        content = trimmed(content, family_.trim_assistant);
        thinking = trimmed(thinking, thinking_.trim);
        const bool has_calls = !message.tool_calls.empty();
        const bool is_open = index + 1 == messages_.size() && !has_calls;
        if (is_open && content.empty()) return false;  // there is nothing to continue
        if (!has_calls || !tools_.bare_turn) out_.markup(chat_.assistant_.before);
        if (!thinks_) out_.markup(thinking_.off_turn);
        if (keeps_thinking(index, thinking)) {
            out_.fill(thinking_.turn, [&](std::string_view) { out_.content(thinking); });
            if (thinking_.trim != Trim::None) content = trimmed(content, Trim::FirstLines);
        }
        if (has_calls && tools_.content == Content::Dropped) content = {};
        if (tools_.content != Content::After) write_said(index, content);
        if (has_calls) {
            if (!content.empty() && tools_.content == Content::Before) out_.markup(tools_.content_gap);
            if (auto written = write_calls(index); !written) return written.error();
            if (!content.empty() && tools_.content == Content::After) out_.markup(tools_.content_gap);
        }
        if (tools_.content == Content::After) write_said(index, content);
        if (!is_open) out_.markup(chat_.assistant_.after);
        return is_open;
    }

    base::Result<void> write_calls(size_t index) {
        const std::vector<ToolCall>& calls = messages_[index].tool_calls;
        std::vector<JsonValue> arguments;
        for (size_t j = 0; j < calls.size(); ++j) {
            auto parsed = parse_arguments(calls[j]);
            if (!parsed) {
                return fail(ErrorCode::InvalidArgument, "messages[", index, "].tool_calls[", j,
                            "].arguments: ", parsed.error().message);
            }
            arguments.push_back(std::move(*parsed));
        }
        out_.fill(tools_.calls, [&](std::string_view) {
            for (size_t j = 0; j < calls.size(); ++j) {
                if (j > 0) out_.markup(tools_.call_gap);
                out_.fill(tools_.call, [&](std::string_view field) {
                    if (field == "arguments") {
                        write_arguments(arguments[j]);
                    } else {
                        out_.content(field == "id" ? id_of({&calls[j], conversation_.calls[index].number + j})
                                                   : calls[j].name);
                    }
                });
            }
        });
        return {};
    }

    void write_arguments(const JsonValue& arguments) {
        if (tools_.argument.empty()) {
            out_.content(to_json(arguments));
            return;
        }
        std::vector<JsonValue> members = arguments.items;
        if (arguments.kind != JsonValue::Kind::Object) {  // what could not be read, under a name that it needs here
            members = {arguments};
            members.front().key = "arguments";
        }
        bool is_first = true;
        for (const JsonValue& argument : members) {
            if (!is_first) out_.markup(tools_.argument_gap);
            is_first = false;
            out_.fill(tools_.argument, [&](std::string_view field) {
                out_.content(field == "key" ? argument.key : value_text(argument, tools_.value));
            });
        }
    }

    // Writes the results that follow each other from `begin` on, and returns the last of them.
    size_t write_results(size_t begin) {
        size_t last = begin;
        while (last + 1 < messages_.size() && messages_[last + 1].role == Role::Tool) ++last;
        if (tools_.in_user_turn) out_.markup(chat_.user_.before);
        out_.fill(tools_.results, [&](std::string_view) {
            for (size_t i = begin; i <= last; ++i) {
                if (i > begin) out_.markup(tools_.result_gap);
                out_.fill(tools_.result, [&](std::string_view field) { write_result(i, field); });
            }
        });
        if (tools_.in_user_turn) out_.markup(chat_.user_.after);
        return last;
    }

    void write_result(size_t index, std::string_view field) {
        const std::string_view said = trimmed(messages_[index].content, tools_.trim_result);
        const Conversation::Call& answered = conversation_.calls[index];
        if (field == "id") {
            out_.content(id_of(answered));
        } else if (field == "name") {
            out_.content(answered.call->name);
        } else if (tools_.quotes_result) {
            out_.content(to_json_string(said));
        } else {
            out_.content(said);
        }
    }

    std::string id_of(const Conversation::Call& call) const {
        if (!tools_.short_ids || is_short_id(call.call->id)) return call.call->id;
        std::string digits = std::to_string(call.number);
        return std::string(9 - std::min<size_t>(9, digits.size()), '0') + digits;
    }

    const ChatTemplate& chat_;
    const ChatFamily& family_;
    const ToolSyntax& tools_;
    const ThinkingSyntax& thinking_;
    const Conversation& conversation_;
    std::span<const ChatMessage> messages_;
    bool thinks_ = true;
    std::string_view prompt_end_;
    std::optional<std::string> system_;  // what the system message says that the conversation begins with
    size_t first_user_ = kNone, last_user_ = kNone, last_assistant_ = kNone;
    PromptWriter out_;
};

base::Result<ChatPrompt> ChatTemplate::render(const ChatInput& input) const {
    if (family_ == nullptr) {
        return fail(ErrorCode::InvalidArgument,
                    "chat_template: this model's own is not one that llmd knows; set chat_template in llmd.toml to the "
                    "one that it was trained with: ",
                    chat_family_names());
    }
    const auto conversation = Conversation::read(input);
    if (!conversation) return conversation.error();
    if (auto checked = check_turns(input.messages); !checked) return checked.error();
    return Rendering(*this, input, *conversation).render();
}

}  // namespace llmd::chat
