// The syntax of one request's answer: the prompt that its conversation becomes, the grammar that holds the answer to
// tools and schema, and the reader that takes the answer apart into text, thinking and calls.
// Thread-bound. The model must outlive it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/chat/answer_reader.h"
#include "engine/chat/chat_template.h"
#include "engine/chat/tool.h"
#include "engine/generation/constraint/bare_calls.h"
#include "engine/generation/loaded_model.h"
#include "engine/generation/sequence.h"
#include "protocol/messages.h"

namespace llmd::engine {

class AnswerSyntax {
public:
    // Sets conversation, stops, markers and grammar of `request`, which has the other fields of `submit`. Errors are
    // those of ChatTemplate::render(), parse_tools(), compile_answer_grammar() and compile_text_form().
    static base::Result<std::unique_ptr<AnswerSyntax>> create(const protocol::Submit& submit,
                                                              const generation::LoadedModel& model,
                                                              generation::GenerationRequest& request);
    AnswerSyntax(const AnswerSyntax&) = delete;
    AnswerSyntax& operator=(const AnswerSyntax&) = delete;

    // Returns the parts that became certain with the next text of the answer, and at its end the rest.
    std::vector<protocol::AnswerPart> feed(std::string_view text);
    // `ended_itself`: the model has ended the answer, and not its length or an error.
    std::vector<protocol::AnswerPart> finish(bool ended_itself);
    // After finish(): what is to be told of the answer, at most protocol::kMaxNotes.
    std::vector<std::string> last_notes() const;
    // That a conversation has no form of the model's own (ChatTemplate::note()), which tools are left out
    // (constraint::ToolList), and what the grammar does not hold to its schema
    // (constraint::AnswerGrammar::unconstrained); at most protocol::kMaxNotes.
    const std::vector<std::string>& notes() const { return notes_; }
    // A call that is whole ends what is there of the answer.
    bool ends_with_call() const { return ends_with_call_; }

private:
    AnswerSyntax() = default;
    base::Result<void> take_conversation(const protocol::Submit& submit, const generation::LoadedModel& model,
                                         generation::GenerationRequest& request);
    // The first protocol::kMaxNotes are kept.
    void add_notes(std::vector<std::string> notes);
    // An engine that died has delivered the answer up to there.
    void skip_delivered(const generation::LoadedModel& model, const generation::GenerationRequest& request);
    std::vector<protocol::AnswerPart> parts(std::vector<chat::AnswerEvent> events);

    std::vector<chat::Tool> tools_;
    std::vector<std::string> notes_;
    std::optional<chat::AnswerReader> reader_;         // nothing: all of the answer is text
    std::optional<constraint::BareCalls> bare_calls_;  // nothing: calls have the form of the family alone
    bool ends_with_call_ = false;
};

// Returns the prompt of a conversation as text, control tokens spelled, and its length in tokens. Errors are those of
// ChatTemplate::render().
base::Result<protocol::Rendered> render_prompt(const protocol::Render& render, const generation::LoadedModel& model);

}  // namespace llmd::engine
