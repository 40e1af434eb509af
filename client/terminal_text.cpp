#include "client/terminal_text.h"

#include "base/utf8.h"

namespace llmd::client {
namespace {

constexpr char32_t kEscape = 0x1b;
// A sequence that has not ended by then is no sequence; without a bound one stray ESC ] would swallow the whole answer.
constexpr size_t kMaxSequence = 1024;

bool is_bidi_control(char32_t c) {
    return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string TerminalText::clean(std::string_view piece) {
    std::string out;
    out.reserve(piece.size());
    while (!piece.empty()) {
        const base::Utf8Step step = base::next_utf8(piece);
        const bool valid = step.status == base::Utf8Status::Valid;
        take(step.character, valid ? piece.substr(0, step.length) : base::kReplacementCharacter, out);
        piece.remove_prefix(step.length);
    }
    return out;
}

void TerminalText::take(char32_t c, std::string_view bytes, std::string& out) {
    if (state_ == State::Text) return take_text(c, bytes, out);
    if (c == '\n' || ++sequence_length_ > kMaxSequence) {
        state_ = State::Text;
        return take_text(c, bytes, out);
    }
    switch (state_) {
        case State::Text:
            return;
        case State::Escape:
            if (c == '[') {
                state_ = State::Control;
            } else if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_') {
                state_ = State::String;
            } else if (c < 0x20 || c > 0x2f) {  // 0x20..0x2f are intermediate bytes: the code goes on
                state_ = State::Text;
                if (c > 0x7e || c < 0x20) take_text(c, bytes, out);
            }
            return;
        case State::Control:
            if (c >= 0x40 && c <= 0x7e) {
                state_ = State::Text;
            } else if (c < 0x20 || c > 0x3f) {  // not part of a sequence: it was cut short
                state_ = State::Text;
                take_text(c, bytes, out);
            }
            return;
        case State::String:
            if (c == 0x07 || c == 0x9c) state_ = State::Text;
            if (c == kEscape) state_ = State::StringEscape;
            return;
        case State::StringEscape:
            // ESC \ ends the string; any other ESC begins a sequence of its own, as terminals have it.
            state_ = State::Escape;
            if (c == '\\') {
                state_ = State::Text;
            } else {
                take(c, bytes, out);
            }
            return;
    }
}

void TerminalText::take_text(char32_t c, std::string_view bytes, std::string& out) {
    sequence_length_ = 0;
    if (c == kEscape) {
        state_ = State::Escape;
    } else if (c == 0x9b) {
        state_ = State::Control;
    } else if (c == 0x90 || c == 0x98 || (c >= 0x9d && c <= 0x9f)) {
        state_ = State::String;
    } else if (c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f && (c < 0x80 || c > 0x9f) && !is_bidi_control(c))) {
        out += bytes;
    }
}

}  // namespace llmd::client
