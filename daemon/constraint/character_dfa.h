// Deterministic finite automata over the characters of a JSON string, for the keywords that describe one: `pattern`,
// `format` and lengths, and over the digits of numbers for `multipleOf`. They are intersected before they become nodes
// of a grammar, so that no text is begun that one of them cannot finish.
//
// A character is written in one way only: as itself in UTF-8, except that `"` and `\` and the control characters that
// JSON gives a letter (\b \f \n \r \t) are written as that escape. The other control characters, U+007F and surrogates
// are not written at all. A text that is no JSON has the same characters, each as itself.
// Thread-bound.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constraint/grammar.h"
#include "constraint/json_text.h"

namespace llmd::constraint {

inline constexpr size_t kMaxDfaStates = 1u << 13;
inline constexpr size_t kMaxDfaWork = 1u << 21;  // steps of computation for one grammar, some tens of milliseconds

struct CharRange {
    char32_t first;
    char32_t last;
    auto operator<=>(const CharRange&) const = default;
};
// Sorted, disjoint and not adjacent.
using CharSet = std::vector<CharRange>;

// All characters that are written.
const CharSet& written_characters();
// Sorts ranges and joins those that touch.
CharSet normalized(CharSet ranges);
CharSet intersection(const CharSet& a, const CharSet& b);
CharSet difference(const CharSet& a, const CharSet& b);

// The work that computations of one grammar may still take.
class DfaWork {
public:
    // Returns false once too much has been spent.
    bool spend(size_t steps) {
        left_ -= steps < left_ ? steps : left_;
        return left_ > 0;
    }

private:
    size_t left_ = kMaxDfaWork;
};

// InvalidArgument: a computation exceeded kMaxDfaStates or kMaxDfaWork.
base::Error dfa_too_large();

struct CharacterDfa {
    struct Step {
        char32_t first;
        char32_t last;
        uint32_t target;
    };
    struct State {
        std::vector<Step> steps;  // sorted and disjoint
        bool accepts = false;
    };
    std::vector<State> states;  // the first is the start; none if no text fits

    // Appends a step, or lengthens the last one.
    static void add_step(State& state, Step step);

    // Drops the states from which no accepting one is reached.
    void trim();
    // Returns, for each state, the fewest and the most characters to an accepting one; kUnbounded if there is no most.
    // Precondition of both: it is trimmed.
    std::vector<uint32_t> shortest() const;
    std::vector<uint32_t> longest() const;
};

// All texts.
CharacterDfa all_texts();
// These texts, which are UTF-8. One with a character that is not written is left out.
CharacterDfa one_of_texts(const std::vector<std::string>& texts);
// Says whether a text, which is UTF-8, is one of the automaton's.
bool accepts(const CharacterDfa& dfa, std::string_view text);
// Texts of so many characters.
base::Result<CharacterDfa> texts_of_length(Counts characters);
// The texts that both accept, trimmed.
base::Result<CharacterDfa> intersection(const CharacterDfa& a, const CharacterDfa& b, DfaWork& work);
// The texts of written characters that `dfa` does not accept.
CharacterDfa complement(CharacterDfa dfa);

// How the characters are written that JSON strings escape.
enum class TextSpelling : uint8_t { JsonString, AsItIs };

// Makes nodes of automata. The builder must outlive it.
class DfaText {
public:
    explicit DfaText(GrammarBuilder& builder, TextSpelling spelling = TextSpelling::JsonString);

    // Returns the rule that matches `opening`, the characters of a text of the automaton of so many characters, and
    // `closing`.
    base::Result<RuleId> rule(const CharacterDfa& dfa, Counts characters, std::string_view opening,
                              std::string_view closing, DfaWork& work);

private:
    // Returns nothing if there is no such text.
    NodeId nodes(const CharacterDfa& dfa, Counts characters, NodeId next);
    NodeId one_of(const CharSet& characters, NodeId next);
    NodeId utf8(char32_t first, char32_t last);

    bool is_plain_range(const CharRange& range) const;

    GrammarBuilder& builder_;
    const CharSet& plain_;            // the characters that are written as one byte
    std::map<CharSet, RuleId> sets_;  // of characters that are not one plain byte
};

}  // namespace llmd::constraint
