// Decimal numbers within bounds, of which only multiples of a number may be allowed, as automata.
// Thread-bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "constraint/character_dfa.h"
#include "constraint/json_text.h"

namespace llmd::constraint {

struct NumberBound {
    std::string number;  // decimal, without an exponent
    bool is_low = false;
    bool is_exclusive = false;
};

struct NumberLimits {
    std::vector<NumberBound> bounds;
    bool only_whole = false;  // without a fraction
    // Numbers are multiples of multiple / 10^scale, unless multiple is 0.
    int64_t multiple = 0;
    uint32_t scale = 0;
};

// Returns the rule of a number without an exponent. Near an exclusive bound a number has no more digits than a double
// tells from the bound.
base::Result<RuleId> number_rule(GrammarBuilder& builder, DfaText& text, const NumberLimits& limits, DfaWork& work);

}  // namespace llmd::constraint
