#include "constraint/text_checker.h"

#include <algorithm>
#include <span>

#include "constraint/json_schema.h"

namespace llmd::constraint {

namespace {

constexpr bool is_space(uint8_t byte) {
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

// Signs that stand for themselves. All others make up numbers and names, which white space ends.
constexpr bool is_sign(uint8_t byte) {
    return byte == '{' || byte == '}' || byte == '[' || byte == ']' || byte == ',' || byte == ':' || byte == '"';
}

}  // namespace

base::Result<TextChecker> TextChecker::create(std::string_view schema, Unconstrained* unconstrained) {
    auto grammar = compile_json_schema(schema, unconstrained);
    if (!grammar) return std::move(grammar).error();
    return TextChecker(std::make_shared<const Grammar>(std::move(*grammar)));
}

bool TextChecker::push(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [this](char c) { return push(static_cast<uint8_t>(c)); }) &&
           !failed_;
}

bool TextChecker::push(uint8_t byte) {
    if (failed_) return false;
    if (!in_string_ && is_space(byte)) return !(failed_ = !push_space());
    // "1 2" is not the number 12.
    failed_ = (n_spaces_ > 0 && in_word_ && !is_sign(byte)) || !advance(byte);
    n_spaces_ = 0;
    if (in_string_) {
        in_string_ = escaped_ || byte != '"';
        escaped_ = !escaped_ && byte == '\\';
    } else {
        in_string_ = byte == '"';
        in_word_ = !is_sign(byte);
    }
    return !failed_;
}

bool TextChecker::push_space() {
    if (n_spaces_ == 0 && in_word_ && !word_may_end()) return false;
    return ++n_spaces_ <= kMaxSpaceRun;
}

bool TextChecker::word_may_end() {
    if (automaton_.is_complete(state_)) return true;
    for (const char sign : {',', ']', '}', '[', '{'}) {
        make_room();
        if (automaton_.advance(state_, static_cast<uint8_t>(sign)) != Automaton::kDead) return true;
    }
    return false;
}

bool TextChecker::advance(uint8_t byte) {
    make_room();
    state_ = automaton_.advance(state_, byte);
    return state_ != Automaton::kDead;
}

void TextChecker::make_room() {
    if (automaton_.is_full()) automaton_.compact(std::span(&state_, 1));
}

}  // namespace llmd::constraint
