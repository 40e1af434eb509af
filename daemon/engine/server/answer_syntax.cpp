#include "engine/server/answer_syntax.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/json_writer.h"
#include "constraint/text_form.h"
#include "engine/generation/constraint/tool_grammar.h"
#include "engine/server/truncation.h"
#include "engine/tokenizer/stream_detokenizer.h"

namespace llmd::engine {

using base::ErrorCode;
using base::fail;
using protocol::AnswerPart;

namespace {

template <typename Protocol, typename Taken>
constexpr bool same(Protocol named, Taken taken) {
    return static_cast<uint8_t>(named) == static_cast<uint8_t>(taken);
}
using Role = protocol::ChatMessage::Role;
static_assert(same(Role::System, chat::ChatMessage::Role::System));
static_assert(same(Role::User, chat::ChatMessage::Role::User));
static_assert(same(Role::Assistant, chat::ChatMessage::Role::Assistant));
static_assert(same(Role::Tool, chat::ChatMessage::Role::Tool));
static_assert(same(protocol::Thinking::Default, chat::Thinking::Default));
static_assert(same(protocol::Thinking::On, chat::Thinking::On));
static_assert(same(protocol::Thinking::Off, chat::Thinking::Off));

chat::ChatMessage taken(const protocol::ChatMessage& message) {
    chat::ChatMessage out;
    out.role = static_cast<chat::ChatMessage::Role>(message.role);
    out.content = message.content;
    out.thinking = message.thinking;
    for (const protocol::ToolCall& call : message.tool_calls) {
        out.tool_calls.push_back({call.id, call.name, call.arguments});
    }
    out.tool_call_id = message.tool_call_id;
    out.tool_name = message.tool_name;
    return out;
}

std::vector<chat::ChatMessage> taken(const std::vector<protocol::ChatMessage>& messages) {
    std::vector<chat::ChatMessage> out;
    out.reserve(messages.size());
    for (const protocol::ChatMessage& message : messages) out.push_back(taken(message));
    return out;
}

std::vector<std::string> texts_of_others(const std::vector<protocol::ChatMessage>& messages) {
    std::vector<std::string> texts;
    for (const protocol::ChatMessage& message : messages) {
        if (message.role == Role::User || message.role == Role::Tool) texts.push_back(message.content);
    }
    return texts;
}

constraint::ToolChoice choice_of(const protocol::Submit& submit) {
    using Kind = constraint::ToolChoice::Kind;
    constraint::ToolChoice choice;
    choice.parallel = submit.parallel_tool_calls;
    switch (submit.tool_choice) {
        case protocol::ToolChoice::Auto:
            choice.kind = Kind::Auto;
            break;
        case protocol::ToolChoice::None:
            choice.kind = Kind::None;
            break;
        case protocol::ToolChoice::Required:
            choice.kind = Kind::Required;
            break;
        case protocol::ToolChoice::Named:
            choice.kind = Kind::Named;
            choice.name = submit.tool_name;
            break;
    }
    return choice;
}

constraint::TextForm form_of(const protocol::Submit& submit) {
    return {.json_schema = submit.json_schema,
            .is_strict = submit.strict_schema,
            .regex = submit.regex,
            .choices = submit.choices};
}

AnswerPart::Kind kind_of(const chat::AnswerEvent& event) {
    using Kind = chat::AnswerEvent::Kind;
    switch (event.kind) {
        case Kind::Text:
            return AnswerPart::Kind::Text;
        case Kind::Thinking:
            return AnswerPart::Kind::Thinking;
        case Kind::CallBegin:
            return AnswerPart::Kind::CallBegin;
        case Kind::CallArguments:
            return AnswerPart::Kind::CallArguments;
        case Kind::CallEnd:
            return event.finished ? AnswerPart::Kind::CallEnd : AnswerPart::Kind::CallCut;
    }
    return AnswerPart::Kind::Text;
}

}  // namespace

base::Result<std::unique_ptr<AnswerSyntax>> AnswerSyntax::create(const protocol::Submit& submit,
                                                                 const generation::LoadedModel& model,
                                                                 generation::GenerationRequest& request) {
    std::unique_ptr<AnswerSyntax> syntax(new AnswerSyntax());
    const std::string_view note = model.chat_template.note();
    if (!submit.messages.empty() && !note.empty()) syntax->notes_.emplace_back(note);
    const bool has_prompt_instead = !submit.prompt.empty() && !model.chat_template.has_family();
    if (!submit.messages.empty() && !has_prompt_instead) {
        if (auto done = syntax->take_conversation(submit, model, request); !done) return done.error();
        syntax->skip_delivered(model, request);
        return syntax;
    }
    if (submit.embeds && submit.truncate) cut_input(model, request, syntax->notes_);
    if (!submit.tools.empty()) return fail(ErrorCode::InvalidArgument, "tools: they need messages");
    if (const constraint::TextForm form = form_of(submit); !form.is_any()) {
        std::vector<std::string> notes;
        auto grammar = constraint::compile_text_form(form, notes);
        if (!grammar) return grammar.error();
        syntax->add_notes(std::move(notes));
        request.grammar = std::make_shared<const constraint::Grammar>(std::move(*grammar));
    }
    return syntax;
}

base::Result<void> AnswerSyntax::take_conversation(const protocol::Submit& submit, const generation::LoadedModel& model,
                                                   generation::GenerationRequest& request) {
    const std::vector<chat::ChatMessage> messages = taken(submit.messages);
    const bool has_tools = !submit.tools.empty() && submit.tool_choice != protocol::ToolChoice::None;
    if (has_tools && submit.top_logprobs) {
        return fail(ErrorCode::InvalidArgument, "logprobs: not together with tools");
    }
    auto tools = has_tools ? constraint::parse_tools(submit.tools) : constraint::ToolList{};
    if (!tools) return tools.error();
    tools_ = std::move(tools->tools);
    const bool is_offered = std::any_of(tools_.begin(), tools_.end(),
                                        [&](const chat::Tool& tool) { return tool.name == submit.tool_name; });
    if (submit.tool_choice == protocol::ToolChoice::Named && !is_offered && !tools->left_out.empty()) {
        return fail(ErrorCode::InvalidArgument, "tool_choice: ", base::in_quotes(submit.tool_name),
                    " is none of the tools that are left: ", tools->left_out.front());
    }
    chat::ChatInput input;
    input.messages = messages;
    input.tools = tools->text;
    input.thinking = static_cast<chat::Thinking>(submit.thinking);
    auto rendered = model.chat_template.render(input);
    if (rendered && submit.truncate) rendered = fit(model, input, submit.max_tokens, std::move(*rendered), notes_);
    if (!rendered) return rendered.error();
    request.conversation = std::move(rendered->segments);
    const auto& stops = model.chat_template.stops();
    request.stops.insert(request.stops.end(), stops.begin(), stops.end());

    const chat::ChatFamily& family = *model.chat_template.family();
    if (family.thinking == nullptr && submit.thinking == protocol::Thinking::On) {
        notes_.emplace_back("thinking: this model does not think before it answers");
    }
    add_notes(std::move(tools->left_out));
    std::optional<chat::ThinkingMarkers> thinking;
    // Where logprobs are wanted the text is all of the tokens', with what the model thinks.
    if (family.thinking != nullptr && !submit.top_logprobs) {
        thinking = {family.thinking->open, family.thinking->close};
    }
    const chat::CallSyntax* syntax = tools_.empty() ? nullptr : family.calls;
    const bool has_one_call = family.tools != nullptr && family.tools->one_call;
    const bool is_parallel = submit.parallel_tool_calls && !has_one_call;
    const constraint::TextForm form = form_of(submit);
    if (!tools_.empty() || !form.is_any()) {
        constraint::AnswerShape shape;
        if (submit.thinking != protocol::Thinking::Off) shape.thinking = thinking;
        shape.begins_in_thinking = rendered->begins_in_thinking;
        shape.tools = tools_;
        shape.choice = choice_of(submit);
        shape.choice.parallel = is_parallel;
        shape.syntax = syntax;
        shape.form = form;
        auto grammar = constraint::compile_answer_grammar(shape);
        if (!grammar && syntax != nullptr && constraint::unconstrain_tools(tools_, *syntax)) {
            grammar = constraint::compile_answer_grammar(shape);
        }
        if (!grammar) return grammar.error();
        request.grammar = std::move(grammar->grammar);
        add_notes(std::move(grammar->unconstrained));
    }
    if (tools_.empty() && !thinking) return {};
    request.markers = chat::marker_tokens(*model.tokenizer, family.calls, thinking ? &*thinking : nullptr);
    chat::AnswerReader::Options options;
    options.syntax = syntax;
    options.tools = tools_;
    options.thinking = thinking;
    options.begins_in_thinking = rendered->begins_in_thinking;
    options.calls_come_first = form.is_json();
    options.text_is_exact = form.is_exact();
    options.must_call =
        submit.tool_choice == protocol::ToolChoice::Required || submit.tool_choice == protocol::ToolChoice::Named;
    reader_.emplace(options);
    const bool begins_with_text = submit.messages.back().role == Role::Assistant;
    if (submit.bare_calls.value_or(true) && has_tools && submit.tool_choice == protocol::ToolChoice::Auto &&
        form.is_any() && !begins_with_text) {
        bare_calls_.emplace(constraint::BareCalls::Options{
            .tools = tools_, .many = is_parallel, .texts_of_others = texts_of_others(submit.messages)});
    }
    return {};
}

void AnswerSyntax::add_notes(std::vector<std::string> notes) {
    std::move(notes.begin(), notes.end(), std::back_inserter(notes_));
    notes_.resize(std::min(notes_.size(), protocol::kMaxNotes));
}

void AnswerSyntax::skip_delivered(const generation::LoadedModel& model, const generation::GenerationRequest& request) {
    if (!reader_ || request.delivered_bytes == 0) return;
    // Stop strings cut the end of a text only, which has not been delivered.
    tokenizer::StreamDetokenizer detokenizer(*model.tokenizer, {}, request.markers);
    std::string text;
    for (const int32_t id : request.replay_ids) text += detokenizer.push(id);
    (void)feed(std::string_view(text).substr(0, request.delivered_bytes));
}

std::vector<AnswerPart> AnswerSyntax::feed(std::string_view text) {
    if (!reader_) {
        if (text.empty()) return {};
        return {{AnswerPart::Kind::Text, std::string(text), 0}};
    }
    auto events = reader_->feed(text);
    return parts(bare_calls_ ? bare_calls_->feed(std::move(events)) : std::move(events));
}

std::vector<AnswerPart> AnswerSyntax::finish(bool ended_itself) {
    if (!reader_) return {};
    auto events = reader_->finish();
    return parts(bare_calls_ ? bare_calls_->finish(std::move(events), ended_itself) : std::move(events));
}

std::vector<std::string> AnswerSyntax::last_notes() const {
    if (!bare_calls_ || !bare_calls_->has_found()) return {};
    return {"bare_calls: the model wrote the call as plain JSON, without the markers of its chat template"};
}

std::vector<AnswerPart> AnswerSyntax::parts(std::vector<chat::AnswerEvent> events) {
    std::vector<AnswerPart> out;
    for (chat::AnswerEvent& event : events) {
        const AnswerPart::Kind kind = kind_of(event);
        ends_with_call_ = kind == AnswerPart::Kind::CallEnd;
        out.push_back({kind, std::move(event.text), event.call});
    }
    return out;
}

base::Result<protocol::Rendered> render_prompt(const protocol::Render& render, const generation::LoadedModel& model) {
    const std::vector<chat::ChatMessage> messages = taken(render.messages);
    const auto tools = render.tools.empty() ? constraint::ToolList{} : constraint::parse_tools(render.tools);
    if (!tools) return tools.error();
    chat::ChatInput input;
    input.messages = messages;
    input.tools = tools->text;
    input.thinking = static_cast<chat::Thinking>(render.thinking);
    const auto prompt = model.chat_template.render(input);
    if (!prompt) return prompt.error();
    protocol::Rendered rendered{.id = render.id, .text = {}};
    for (const tokenizer::TextSegment& segment : prompt->segments) rendered.text += segment.text;
    rendered.n_tokens = static_cast<uint32_t>(model.tokenizer->encode_prompt(prompt->segments).size());
    return rendered;
}

}  // namespace llmd::engine
