// Regular expressions of the keyword `pattern` (ECMA-262) and of whole texts, and the formats of the keyword `format`,
// as automata over characters. As in a search, a pattern may match anywhere in the text, unless ^ and $ say otherwise.
//
// Supported: literals, `.`, classes with ranges and negation, \d \w \s \D \W \S, \t \n \v \f \r, \x41, \u0041 and
// \u{41}, escaped punctuation, groups (capturing, named or not), alternatives, the quantifiers * + ? {n} {n,} {n,m},
// also lazy ones, which match the same texts, ^ and $. A look-ahead is supported right after a leading ^ of the whole
// pattern, where it says what the whole text must match too, or must not; the ^ may be missing where the whole text
// must match. Refused: other look-aheads, look-behinds, back-references, \b and \B, \p, \c, flags, an empty class, and
// a { } or ] that means nothing and is not escaped.
//
// Dialects differ in which characters outside ASCII \d, \w and \s match, and whether one beyond U+FFFF is one character
// or two. A text matches in all of them: \d and \w are ASCII, `.`, \S and negated classes leave out characters beyond
// U+FFFF, and \D and \W those beyond ASCII. Only in JSON schemas a character beyond U+FFFF may be two.
// Reentrant.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "constraint/character_dfa.h"
#include "constraint/pattern_parser.h"

namespace llmd::constraint {

// Returns the texts that match, trimmed: none if there is no such text. InvalidArgument names the place in the pattern
// and what is not supported there: `"a(?<=b)" at character 2: ...`.
base::Result<CharacterDfa> compile_pattern(std::string_view pattern, DfaWork& work,
                                           PatternUse use = PatternUse::Search);

// A value of the keyword `format`. It stands for texts that all parsers of the format accept; those that only lenient
// parsers accept, such as a leap second or a year before 1000, are left out.
struct TextFormat {
    std::string pattern;
    uint32_t longest = kUnbounded;  // characters
};
// The names that text_format() knows, for messages.
inline constexpr std::string_view kTextFormats =
    "date, time, date-time (RFC 3339), duration (ISO 8601), uuid, ipv4, ipv6, hostname, email, uri";
// Beside a pattern, which then tells, a time may be without its offset from UTC.
std::optional<TextFormat> text_format(std::string_view name, bool beside_pattern);

}  // namespace llmd::constraint
