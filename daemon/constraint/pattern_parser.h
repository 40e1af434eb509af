// The syntax of regular expressions (pattern.h) as trees.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constraint/character_dfa.h"

namespace llmd::constraint {

inline constexpr size_t kMaxPatternNodes = 1u << 14;  // characters and operators, with repetitions written out
inline constexpr size_t kMaxPatternDepth = 32;        // of nested groups

// A class of characters. Dialects agree on those that are `sure`; those that are not `possible` match in none.
struct CharacterClass {
    CharSet sure;
    CharSet possible;

    static CharacterClass of(char32_t first, char32_t last) { return {{{first, last}}, {{first, last}}}; }
    void add(const CharacterClass& other);
    // Without those of `unsure`, which some dialects take for two characters.
    CharacterClass negated(const CharSet& unsure) const;
    // Without the characters that are not written.
    CharacterClass written() const;
};

struct Expression {
    enum class Kind : uint8_t {
        Chars,         // one of `chars`
        Start,         // nothing, at the start of the text
        End,           // nothing, at its end
        Sequence,      // all parts, one after the other
        Alternatives,  // one of the parts
        Repeat,        // the part, `least` to `most` times
    };
    Kind kind = Kind::Sequence;
    CharacterClass chars = {};
    std::vector<Expression> parts = {};
    uint32_t least = 0;
    uint32_t most = 0;
    size_t size = 1;  // nodes that it takes, at most kMaxPatternNodes
};

enum class PatternUse : uint8_t {
    Search,     // in a string of a JSON schema: it may match anywhere, and a dialect may count in UTF-16
    WholeText,  // it matches from the beginning of the text to its end
};

struct Pattern {
    struct LookAhead {
        Expression expression;  // begins with Start
        bool must_match;
    };
    Expression expression;
    std::vector<LookAhead> look_aheads;  // what the whole text must match too, or must not
};

// The errors of compile_pattern(). Precondition: the pattern is UTF-8.
base::Result<Pattern> parse_pattern(std::string_view pattern, PatternUse use);

}  // namespace llmd::constraint
