// The values of parameters in a call: where each ends, and how it is spelled in JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/chat/call_syntax.h"

namespace llmd::chat {

// Finds the end of a value, byte by byte. Of arguments in JSON, the value is the object.
class ValueScanner {
public:
    explicit ValueScanner(ArgumentSyntax syntax = ArgumentSyntax::Json) : syntax_(syntax) {}

    // Takes the next byte. Returns false if the value has ended before it; then it is not taken.
    bool take(char c);
    // True if the value has certainly ended: it is a string, an array or an object, and nothing can follow in it.
    bool is_whole() const { return is_whole_; }

private:
    ArgumentSyntax syntax_;
    uint32_t depth_ = 0;     // of brackets
    char quote_ = 0;         // of the string; 0: outside of strings; kBraces: between <|"|>
    bool escaped_ = false;   // the last byte was a backslash in a string
    uint8_t n_matched_ = 0;  // bytes of <|"|>
    bool is_whole_ = false;
};

// Returns a value as JSON text. It understands JSON and the literals of the syntax; anything else gives some text. Not
// for ValueKind::Text.
std::string to_json(ArgumentSyntax syntax, std::string_view value);

}  // namespace llmd::chat
