// The parts of a JSON text (RFC 8259) as nodes of a grammar, for the schema compiler. A text is compact, except that
// one space may follow a ',' or a ':'. If more were allowed, a small model could generate spaces for ever.
//
// The digits of numbers are bounded. An integer has up to 15, which every JSON parser keeps exactly (2^53), unless the
// schema bounds it otherwise; a fraction has up to 15, and an exponent up to two. A string contains no NUL, no control
// character and no half of a surrogate pair.
// Thread-bound; the builder must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constraint/grammar.h"

namespace llmd::constraint {

inline constexpr int64_t kUsualMagnitude = 999'999'999'999'999;    // 15 digits
inline constexpr int64_t kMaxMagnitude = 999'999'999'999'999'999;  // 18 digits, what a schema may name
inline constexpr uint32_t kMaxFractionDigits = 15;

// The whole numbers from low to high, both included. Their magnitude is at most kMaxMagnitude.
struct Range {
    int64_t low = -kUsualMagnitude;
    int64_t high = kUsualMagnitude;
    bool operator==(const Range&) const = default;
};

// The least and the most repetitions, both included.
struct Counts {
    uint32_t least = 0;
    uint32_t most = kUnbounded;
    bool operator<(const Counts& other) const { return std::pair(least, most) < std::pair(other.least, other.most); }
};

struct Property {
    std::string name;  // UTF-8
    RuleId value = 0;
    bool required = false;
};

// The properties of an object that are not listed.
struct OtherProperties {
    std::optional<RuleId> name;  // matches a name with its quotes; nothing: any name that is not listed
    RuleId value = 0;
};

class JsonText {
public:
    explicit JsonText(GrammarBuilder& builder) : builder_(builder) {}

    // Matches any JSON value.
    RuleId anything();
    // Matches a string of so many characters (code points).
    RuleId string(Counts characters);
    // Before the end of a rule, equal ranges share a rule. So do numbers.
    NodeId integer(Range range, NodeId next);
    NodeId number(NodeId next);
    // Matches a character of a string between its quotes.
    RuleId character();
    // Matches a character of two bytes and more.
    RuleId wide_character();
    // Matches an array of `items` in this order, then `more` as often as the counts allow.
    NodeId array(const std::vector<RuleId>& items, std::optional<RuleId> more, Counts counts);
    // Matches an array of some of the values, which are distinct constants, in any order and each at most once.
    // Precondition: there are at most 64.
    NodeId unique_array(const std::vector<RuleId>& values, Counts counts);
    // Matches an object with the properties in this order, and then any number of the others. So many properties have
    // distinct names; there may be fewer than the most because of names that are repeated.
    NodeId object(const std::vector<Property>& properties, const std::vector<OtherProperties>& others, Counts counts);

private:
    NodeId comma(NodeId next) { return builder_.byte(',', builder_.choice(builder_.byte(' ', next), next)); }
    NodeId colon(NodeId next) { return builder_.byte(':', builder_.choice(builder_.byte(' ', next), next)); }
    NodeId escape();
    NodeId hex_digit(NodeId next);
    // Matches a key that is none of the properties' names, and its colon.
    NodeId other_key(const std::vector<Property>& properties, NodeId next);
    // Matches the key of a property, and its colon.
    NodeId key(std::string_view name, NodeId next);
    // Matches one of the others.
    NodeId other_member(const std::vector<Property>& properties, const std::vector<OtherProperties>& others,
                        NodeId next);
    NodeId counted_object(const std::vector<Property>& properties, const std::vector<OtherProperties>& others,
                          Counts counts);
    NodeId integer_before(Range range, NodeId next);
    NodeId number_before(NodeId next);
    NodeId fraction(NodeId next);

    GrammarBuilder& builder_;
    std::optional<RuleId> anything_;
    std::optional<RuleId> character_;
    std::optional<RuleId> wide_character_;
    std::map<Counts, RuleId> strings_;
    std::map<std::pair<int64_t, int64_t>, RuleId> integers_;
    std::optional<RuleId> number_;
};

}  // namespace llmd::constraint
