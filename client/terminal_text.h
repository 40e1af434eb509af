// Makes a model's text safe for a terminal: a text may hold sequences that rename the window, write the clipboard or
// reverse the reading direction. Used only when the output is a terminal; a pipe gets the bytes as they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace llmd::client {

// Removes, across the borders of the pieces it is given:
// - escape sequences of ECMA-48: ESC or its C1 form, then CSI …, OSC …, DCS …, SOS …, PM …, APC … or a two-byte code;
// - C0 controls but line feed and tab, DEL, and the C1 controls U+0080 to U+009F;
// - the bidirectional controls U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069.
class TerminalText {
public:
    // `piece` is UTF-8 cut at character borders; what is not UTF-8 becomes U+FFFD. Returns what may be printed.
    std::string clean(std::string_view piece);

private:
    enum class State {
        Text,
        Escape,        // after ESC
        Control,       // inside CSI, up to its final byte
        String,        // inside OSC, DCS, SOS, PM, APC, up to BEL, ST or the end of the line
        StringEscape,  // after ESC inside such a string
    };
    void take(char32_t character, std::string_view bytes, std::string& out);
    void take_text(char32_t character, std::string_view bytes, std::string& out);

    State state_ = State::Text;
    size_t sequence_length_ = 0;  // characters of the sequence so far
};

}  // namespace llmd::client
