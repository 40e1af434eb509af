// Tools and shapes of answers, and whole answers against them.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "../../../constraint/schema_matching.h"
#include "../../chat/read_answer.h"
#include "engine/generation/constraint/tool_grammar.h"

namespace llmd::test {

inline std::vector<chat::Tool> tools_of(std::string_view json) {
    auto tools = constraint::parse_tools(json);
    EXPECT_TRUE(tools) << tools.error().message;
    return tools ? tools->tools : std::vector<chat::Tool>();
}

// The fault of a list, or of the first tool that is left out of it.
inline std::string list_error(std::string_view json) {
    const auto tools = constraint::parse_tools(json);
    if (tools) return tools->left_out.empty() ? "accepted" : tools->left_out.front();
    EXPECT_EQ(tools.error().code, base::ErrorCode::InvalidArgument);
    return tools.error().message;
}

inline std::string shape_error(const constraint::AnswerShape& shape) {
    const auto grammar = constraint::compile_answer_grammar(shape);
    if (grammar) return "accepted";
    EXPECT_EQ(grammar.error().code, base::ErrorCode::InvalidArgument);
    return grammar.error().message;
}

inline Automaton automaton_of(const constraint::AnswerShape& shape) {
    auto grammar = constraint::compile_answer_grammar(shape);
    EXPECT_TRUE(grammar) << grammar.error().message;
    EXPECT_TRUE(grammar->grammar);
    return Automaton(grammar->grammar);
}

inline bool accepts(const constraint::AnswerShape& shape, std::string_view text) {
    Automaton automaton = automaton_of(shape);
    const auto state = behind(automaton, text);
    return state != Automaton::kDead && automaton.is_complete(state);
}

inline bool begins(const constraint::AnswerShape& shape, std::string_view text) {
    Automaton automaton = automaton_of(shape);
    return behind(automaton, text) != Automaton::kDead;
}

inline ReadAnswer read(const constraint::AnswerShape& shape, std::string_view text, std::mt19937* random = nullptr) {
    return read_answer({.syntax = shape.syntax,
                        .tools = shape.tools,
                        .thinking = shape.thinking,
                        .begins_in_thinking = shape.begins_in_thinking,
                        .calls_come_first = shape.form.is_json(),
                        .text_is_exact = shape.form.is_exact()},
                       text, random);
}

// A list of one tool "f".
inline std::string with_parameters(std::string_view parameters, bool strict = false) {
    return base::concat(R"([{"type":"function","function":{"name":"f","strict":)", strict ? "true" : "false",
                        R"(,"parameters":)", parameters, "}}]");
}

}  // namespace llmd::test
