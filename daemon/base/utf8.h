// Bytes that may or may not be UTF-8, judged strictly: overlong forms, surrogates and values beyond U+10FFFF are
// invalid (The Unicode Standard 15, table 3-7). What cannot become a character is shown as one U+FFFD for each maximal
// subpart (section 3.9), as web browsers and the standard's own examples have it. Pure functions: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace llmd::base {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";         // in front of a text
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

enum class Utf8Status : uint8_t {
    Valid,       // one character
    Invalid,     // a maximal subpart of an ill-formed sequence: one U+FFFD
    Incomplete,  // the text ends inside a sequence that is well-formed so far; one U+FFFD if nothing follows
};

struct Utf8Step {
    Utf8Status status;
    uint8_t length;      // bytes, 1..4
    char32_t character;  // U+FFFD unless Valid
};

// The first step of `text`, which must not be empty.
Utf8Step next_utf8(std::string_view text);

// `character` is a Unicode scalar value.
void append_utf8(char32_t character, std::string& out);

// The length of the longest prefix of `text` that is valid UTF-8.
size_t valid_utf8_prefix(std::string_view text);

// Where to cut valid UTF-8 so that at most `limit` bytes remain and no character is split.
size_t utf8_cut(std::string_view text, size_t limit);

// "Clean text" is valid UTF-8 without U+0000 and without noncharacters (U+FFFE, U+FFFF and their like in every plane,
// U+FDD0 to U+FDEF): what a D-Bus string may hold. The bus disconnects a sender of anything else, and libsystemd does
// not send noncharacters.
bool is_clean(const Utf8Step& step);         // of one character
size_t clean_prefix(std::string_view text);  // the length of the longest clean prefix
bool is_clean_text(std::string_view text);
bool is_control(char c);
// Clean text without control characters: it can be shown to people and logged.
bool is_one_line(std::string_view text);
// Clean text on one line for people, in which each byte of another kind is spelled, "\x1b" say: also those of the
// controls U+0080 to U+009F, which terminals obey. So is whatever llmd and llmctl quote that others wrote: file names,
// errors of servers and drivers. Two texts that differ in such bytes look different.
std::string shown(std::string_view bytes);
// With U+FFFD for U+0000, noncharacters and everything that is not UTF-8.
std::string to_clean_text(std::string_view bytes);

// Two lower-case hexadecimal digits for each byte, with `before` in front of each two.
std::string hex_digits(std::string_view bytes, std::string_view before = {});

}  // namespace llmd::base
