// Whole texts against a schema, byte by byte.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constraint/automaton.h"
#include "constraint/json_schema.h"

namespace llmd::test {

using constraint::Automaton;

// Why the schema is refused; "accepted" if it is not.
inline std::string refusal(std::string_view schema) {
    const auto grammar = constraint::compile_json_schema(schema);
    if (grammar) return "accepted";
    EXPECT_EQ(grammar.error().code, base::ErrorCode::InvalidArgument);
    EXPECT_EQ(grammar.error().message.rfind("json_schema: ", 0), 0u) << grammar.error().message;
    EXPECT_LT(grammar.error().message.size(), 1000u);
    return grammar.error().message;
}

inline Automaton automaton_of(std::string_view schema) {
    auto grammar = constraint::compile_json_schema(schema);
    EXPECT_TRUE(grammar) << grammar.error().message << " in " << schema;
    return Automaton(std::make_shared<const constraint::Grammar>(std::move(*grammar)));
}

// Returns the state after the text; it compacts the automaton when it is full.
inline Automaton::State behind(Automaton& automaton, std::string_view text) {
    Automaton::State state = automaton.start();
    for (const char c : text) {
        if (state == Automaton::kDead) break;
        if (automaton.is_full()) automaton.compact(std::span(&state, 1));
        state = automaton.advance(state, static_cast<uint8_t>(c));
    }
    return state;
}

// A schema of which what is not supported is left out, as requests have it, and the notes on that.
struct LooseSchema {
    Automaton automaton;
    std::vector<std::string> notes;
};

inline LooseSchema loose(std::string_view schema) {
    constraint::Unconstrained unconstrained;
    auto grammar = constraint::compile_json_schema(schema, &unconstrained);
    EXPECT_TRUE(grammar) << grammar.error().message << " in " << schema;
    return {Automaton(std::make_shared<const constraint::Grammar>(std::move(*grammar))), unconstrained.notes};
}

inline bool is_text_of(Automaton& automaton, std::string_view text) {
    const auto state = behind(automaton, text);
    return state != Automaton::kDead && automaton.is_complete(state);
}

inline bool matches(std::string_view schema, std::string_view text) {
    Automaton automaton = automaton_of(schema);
    return is_text_of(automaton, text);
}

// True if some text continues from here.
inline bool begins(std::string_view schema, std::string_view text) {
    Automaton automaton = automaton_of(schema);
    return behind(automaton, text) != Automaton::kDead;
}

// A schema, texts that fit it and texts that do not.
struct SchemaCase {
    const char* schema;
    std::vector<const char*> fitting;
    std::vector<const char*> others;
};

inline void check(const SchemaCase& one) {
    for (const char* text : one.fitting) EXPECT_TRUE(matches(one.schema, text)) << one.schema << " and " << text;
    for (const char* text : one.others) EXPECT_FALSE(matches(one.schema, text)) << one.schema << " and " << text;
}

}  // namespace llmd::test
