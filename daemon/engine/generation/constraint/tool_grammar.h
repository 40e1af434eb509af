// Compiles the grammar of an answer: what a model may think, say and call.
//
// With tools an answer is
//     [thinking] (text | [text] call (separator call)*)
// so that a finished call is never malformed, names one of the tools, and has arguments that fit its schema. Text comes
// before the calls only, as in all templates, since what a model writes after a call is a result that it invents. Text
// is any bytes that do not begin a call. The thinking must be closed, and contains no calls.
//
// The arguments have the properties of the schema in its order, and optional ones may be left out. Where a syntax has
// its own spelling of strings, true, false and null, it is allowed for the value of a parameter; within arrays and
// objects values are spelled as in JSON. ArgumentSyntax::Json alone allows properties that the schema does not name.
// Any thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constraint/grammar.h"
#include "constraint/text_form.h"
#include "engine/chat/call_syntax.h"
#include "engine/chat/tool.h"
#include "engine/generation/constraint/tool_list.h"

namespace llmd::constraint {

struct AnswerShape {
    // The markers of the thinking, if the model can think. Thinking is optional unless `begins_in_thinking`.
    std::optional<chat::ThinkingMarkers> thinking;
    bool begins_in_thinking = false;  // the prompt ends with thinking->open
    // Calls are possible if there are tools and `choice` is not None; `syntax` must be given then.
    std::span<const chat::Tool> tools;
    ToolChoice choice;
    const chat::CallSyntax* syntax = nullptr;
    // The form of the answer's text. Beside tools the answer is either calls or JSON of the schema, for
    // AnswerReader::Options::calls_come_first. A form that is exact is for AnswerReader::Options::text_is_exact,
    // without tools.
    TextForm form;
};

struct AnswerGrammar {
    std::shared_ptr<const Grammar> grammar;  // null: every text is allowed
    // The keywords that are not enforced (Unconstrained): `tools[2].function.parameters: at "#/properties/a": ...`.
    std::vector<std::string> unconstrained;
};

// InvalidArgument names the field: `tool_choice` if it names no tool, `tools[i].function.parameters` if the schema is
// malformed, if it fits no text, or if it has a keyword that is not supported and the tool is strict, and the form as
// compile_text_form() does. A thousand tools take some tens of milliseconds.
base::Result<AnswerGrammar> compile_answer_grammar(const AnswerShape& shape);

// Lets each tool take any object that is not strict and of whose schema no grammar can be made, since one odd schema
// among many is no reason to refuse them all. Returns whether there is one. Takes as long as compile_answer_grammar().
bool unconstrain_tools(std::span<chat::Tool> tools, const chat::CallSyntax& syntax);

}  // namespace llmd::constraint
