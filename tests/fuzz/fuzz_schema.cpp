// Hostile schemas, and hostile texts against them: whatever is compiled must be readable without getting stuck, what it
// takes for whole must be JSON, and the checker of texts from elsewhere must agree, and what is refused must be one
// clean line. What is left out of a schema is told, and nothing is left out of one that is taken strictly. Input: a
// schema up to the first zero byte, then bytes: each chooses among those that may come next, so that a short input is a
// long walk.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "base/utf8.h"
#include "constraint/automaton.h"
#include "constraint/json_schema.h"
#include "constraint/text_checker.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using namespace llmd;
using constraint::Automaton;

void require(bool holds) {
    if (!holds) __builtin_trap();
}

void check_message(const std::string& message) {
    require(message.rfind("json_schema: ", 0) == 0);
    require(base::is_clean_text(message));
    for (const char c : message) require(static_cast<unsigned char>(c) >= 0x20);
}

void check_refusal(const base::Error& error) {
    require(error.code == base::ErrorCode::InvalidArgument);
    check_message(error.message);
}

std::vector<uint8_t> following(Automaton& automaton, Automaton::State& state) {
    std::vector<uint8_t> bytes;
    for (int byte = 0; byte < 256; ++byte) {
        if (automaton.is_full()) automaton.compact(std::span(&state, 1));
        if (automaton.advance(state, static_cast<uint8_t>(byte)) != Automaton::kDead) {
            bytes.push_back(static_cast<uint8_t>(byte));
        }
    }
    return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const size_t zero = std::min(input.find('\0'), size);
    constraint::Unconstrained unconstrained;
    auto grammar = constraint::compile_json_schema(input.substr(0, zero), &unconstrained);
    const auto strict = constraint::compile_json_schema(input.substr(0, zero));
    if (!strict) check_refusal(strict.error());
    if (!grammar) {
        require(!strict.has_value());
        check_refusal(grammar.error());
        return 0;
    }
    require(strict.has_value() || !unconstrained.notes.empty());
    require(unconstrained.notes.size() <= constraint::kMaxUnconstrained);
    for (const std::string& note : unconstrained.notes) {
        check_message(note);
        require(!strict.has_value() || note.find(": format: ") != std::string::npos);
    }
    Automaton automaton(std::make_shared<const constraint::Grammar>(std::move(*grammar)));
    constraint::Unconstrained again;
    auto checker = constraint::TextChecker::create(input.substr(0, zero), &again);
    require(checker.has_value());
    auto state = automaton.start();
    std::string text;
    simdjson::dom::parser parser;
    for (const char choice : input.substr(std::min(zero + 1, size))) {
        const auto bytes = following(automaton, state);
        require(bytes.empty() == automaton.is_final(state));
        if (bytes.empty()) break;
        text += static_cast<char>(bytes[static_cast<uint8_t>(choice) % bytes.size()]);
        if (automaton.is_full()) automaton.compact(std::span(&state, 1));
        state = automaton.advance(state, static_cast<uint8_t>(text.back()));
        require(checker->push(std::string_view(text).substr(text.size() - 1)));
        require(checker->is_complete() == automaton.is_complete(state));
        if (automaton.is_complete(state)) require(parser.parse(text).error() == simdjson::SUCCESS);
    }
    return 0;
}
