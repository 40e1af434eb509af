// Schemas that are drawn, and texts that are drawn from a schema.
#pragma once

#include <random>
#include <string>
#include <string_view>

#include "constraint/automaton.h"
#include "schema_matching.h"

namespace llmd::test {

// A schema of the supported keywords, nested at most so deep.
inline std::string random_schema(std::mt19937& random, int depth) {
    const auto inner = [&] { return random_schema(random, depth - 1); };
    switch (random() % (depth > 0 ? 10 : 6)) {
        case 0:
            return R"({"type":"boolean"})";
        case 1:
            return R"({"type":"integer","minimum":-30,"maximum":1200})";
        case 2:
            return R"({"type":["number","null"]})";
        case 3:
            return base::concat(R"({"type":"string","maxLength":)", random() % 6, "}");
        case 4:
            return R"({"enum":["a","ab",12,1.5,null,{"a":[1,"x y"]}]})";
        case 5:
            return R"({"type":"string","pattern":"^[a-c]{1,3}( x|\\d)?$"})";
        case 6:
            return base::concat(R"({"type":"array","items":)", inner(), R"(,"minItems":1,"maxItems":3})");
        case 7:
            return base::concat(R"({"type":"object","properties":{"a":)", inner(), R"(,"b c":)", inner(),
                                R"(},"required":["b c"]})");
        case 8:
            return base::concat(R"({"type":"object","properties":{"a":)", inner(), R"(},"additionalProperties":)",
                                inner(), "}");
        default:
            return base::concat(R"({"anyOf":[)", inner(), ",", inner(), "]}");
    }
}

// A text that fits the schema and has no white space between its signs; empty if the walk became too long.
inline std::string random_text(std::mt19937& random, std::string_view schema) {
    auto automaton = automaton_of(schema);
    auto state = automaton.start();
    std::string text;
    bool in_string = false, escaped = false;
    while (!automaton.is_final(state) && text.size() < 400) {
        if (automaton.is_complete(state) && random() % 2 == 0) break;
        std::string next;
        for (int byte = 0; byte < 256; ++byte) {
            if (byte == ' ' && !in_string) continue;
            if (automaton.is_full()) automaton.compact(std::span(&state, 1));
            if (automaton.advance(state, static_cast<uint8_t>(byte)) == Automaton::kDead) continue;
            next += static_cast<char>(byte);
            if (byte == '"' || byte == '}' || byte == ']') next += std::string(30, static_cast<char>(byte));
        }
        const char c = next[random() % next.size()];
        if (c == '"' && !escaped) in_string = !in_string;
        escaped = in_string && !escaped && c == '\\';
        text += c;
        if (automaton.is_full()) automaton.compact(std::span(&state, 1));
        state = automaton.advance(state, static_cast<uint8_t>(c));
    }
    return automaton.is_complete(state) ? text : std::string();
}

}  // namespace llmd::test
