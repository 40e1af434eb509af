#include "constraint/json_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "base/json_writer.h"

namespace llmd::constraint {

namespace {

constexpr uint32_t kExponentDigits = 2;  // a number with 10^99 is far below the largest double

std::string digits(int64_t number, size_t n) {
    std::string text = std::to_string(number);
    return std::string(n - text.size(), '0') + text;
}

// The decimal numbers between two numbers of the same length. At the first digit where the two differ, a digit strictly
// between them is followed by any digits, and a digit of a bound by what this bound alone still allows.
class Between {
public:
    Between(GrammarBuilder& builder, size_t n_digits, NodeId next) : builder_(builder), any_{next} {
        for (size_t i = 0; i < n_digits; ++i) any_.push_back(builder.bytes('0', '9', any_.back()));
    }

    NodeId nodes(std::string_view low, std::string_view high) const {
        if (is_all(low, '0') && is_all(high, '9')) return any_[low.size()];
        const std::string_view low_rest = low.substr(1);
        const std::string_view high_rest = high.substr(1);
        if (low[0] == high[0]) return builder_.byte(low[0], nodes(low_rest, high_rest));
        const std::string nines(low_rest.size(), '9');
        const std::string zeros(low_rest.size(), '0');
        char first = low[0];
        char last = high[0];
        NodeId lowest = builder_.nothing();
        NodeId highest = builder_.nothing();
        if (!is_all(low_rest, '0')) lowest = builder_.byte(first++, nodes(low_rest, nines));
        if (!is_all(high_rest, '9')) highest = builder_.byte(last--, nodes(zeros, high_rest));
        const NodeId inner = first <= last ? builder_.bytes(first, last, any_[low_rest.size()]) : builder_.nothing();
        return builder_.choice({lowest, inner, highest});
    }

private:
    static bool is_all(std::string_view text, char digit) {
        return std::all_of(text.begin(), text.end(), [&](char c) { return c == digit; });
    }

    GrammarBuilder& builder_;
    std::vector<NodeId> any_;  // by number of digits
};

// Precondition: 0 <= range.low <= range.high.
NodeId unsigned_integer(GrammarBuilder& builder, Range range, NodeId next) {
    std::vector<NodeId> by_length;
    const size_t longest = std::to_string(range.high).size();
    const Between between(builder, longest, next);
    int64_t first = 0;  // of this length
    int64_t last = 9;
    for (size_t n = 1; n <= longest; ++n) {
        const int64_t low = std::max(first, range.low);
        const int64_t high = std::min(last, range.high);
        if (low <= high) by_length.push_back(between.nodes(digits(low, n), digits(high, n)));
        if (n == longest) break;
        first = last + 1;
        // The longest numbers end at range.high, and 19 nines do not fit into an int64_t.
        last = n + 1 < longest ? last * 10 + 9 : range.high;
    }
    return builder.choice(by_length);
}

}  // namespace

RuleId JsonText::anything() {
    if (!anything_) {
        GrammarBuilder& b = builder_;
        anything_ = b.declare();
        b.define(*anything_, b.choice({object({}, {{{}, *anything_}}, {}), array({}, anything_, {}),
                                       b.call(string({}), b.end()), number(b.end()), b.literal("true", b.end()),
                                       b.literal("false", b.end()), b.literal("null", b.end())}));
    }
    return *anything_;
}

NodeId JsonText::integer(Range range, NodeId next) {
    if (next != builder_.end()) return integer_before(range, next);
    const auto [rule, is_new] = integers_.try_emplace(std::pair(range.low, range.high));
    if (is_new) rule->second = builder_.rule(integer_before(range, next));
    return builder_.call(rule->second, next);
}

NodeId JsonText::integer_before(Range range, NodeId next) {
    NodeId positive = builder_.nothing();
    NodeId negative = builder_.nothing();
    if (range.low > range.high) return builder_.nothing();
    if (range.high >= 0) positive = unsigned_integer(builder_, {std::max<int64_t>(range.low, 0), range.high}, next);
    if (range.low < 0) {
        const Range magnitudes{std::max<int64_t>(-range.high, 1), -range.low};
        negative = builder_.byte('-', unsigned_integer(builder_, magnitudes, next));
    }
    return builder_.choice(positive, negative);
}

NodeId JsonText::fraction(NodeId next) {
    NodeId rest = next;
    for (uint32_t i = 1; i < kMaxFractionDigits; ++i) rest = builder_.choice(next, builder_.bytes('0', '9', rest));
    return builder_.byte('.', builder_.bytes('0', '9', rest));
}

NodeId JsonText::number(NodeId next) {
    if (next != builder_.end()) return number_before(next);
    if (!number_) number_ = builder_.rule(number_before(next));
    return builder_.call(*number_, next);
}

NodeId JsonText::number_before(NodeId next) {
    NodeId power = next;
    for (uint32_t i = 1; i < kExponentDigits; ++i) power = builder_.choice(next, builder_.bytes('0', '9', power));
    power = builder_.bytes('0', '9', power);
    const NodeId signed_power = builder_.choice({power, builder_.byte('+', power), builder_.byte('-', power)});
    const NodeId exponent = builder_.choice(builder_.byte('e', signed_power), builder_.byte('E', signed_power));
    const NodeId end = builder_.choice(next, exponent);
    const NodeId magnitude = unsigned_integer(builder_, {0, kUsualMagnitude}, builder_.choice(end, fraction(end)));
    return builder_.choice(magnitude, builder_.byte('-', magnitude));
}

NodeId JsonText::hex_digit(NodeId next) {
    return builder_.choice(
        {builder_.bytes('0', '9', next), builder_.bytes('a', 'f', next), builder_.bytes('A', 'F', next)});
}

// Matches what may follow a backslash. U+0000 and unpaired surrogates are left out.
NodeId JsonText::escape() {
    GrammarBuilder& b = builder_;
    const auto d = [&](NodeId next) { return b.choice(b.byte('d', next), b.byte('D', next)); };
    const NodeId one = hex_digit(b.end());
    const NodeId two = hex_digit(one);
    const NodeId three = hex_digit(two);
    const NodeId low_surrogate = d(b.choice(b.bytes('c', 'f', two), b.bytes('C', 'F', two)));
    const NodeId pair = hex_digit(hex_digit(b.literal("\\u", low_surrogate)));
    const NodeId high_surrogate =
        d(b.choice({b.bytes('8', '9', pair), b.bytes('a', 'b', pair), b.bytes('A', 'B', pair)}));
    const auto not_zero = [&](NodeId next) {
        return b.choice({b.bytes('1', '9', next), b.bytes('a', 'f', next), b.bytes('A', 'F', next)});
    };
    const NodeId above_zero =
        b.choice(not_zero(two), b.byte('0', b.choice(not_zero(one), b.byte('0', not_zero(b.end())))));
    const NodeId code_unit =
        b.choice({b.byte('0', above_zero), b.bytes('1', '9', three), b.bytes('a', 'c', three), b.bytes('A', 'C', three),
                  b.bytes('e', 'f', three), b.bytes('E', 'F', three), d(b.bytes('0', '7', two)), high_surrogate});
    std::vector<NodeId> all = {b.byte('u', code_unit)};
    for (const char c : {'"', '\\', '/', 'b', 'f', 'n', 'r', 't'}) all.push_back(b.byte(c, b.end()));
    return b.choice(all);
}

// UTF-8 of two bytes and more (The Unicode Standard 15, table 3-7).
RuleId JsonText::wide_character() {
    if (!wide_character_) {
        GrammarBuilder& b = builder_;
        const NodeId one = b.bytes('\x80', '\xBF', b.end());
        const NodeId two = b.bytes('\x80', '\xBF', one);
        const NodeId three = b.bytes('\x80', '\xBF', two);
        wide_character_ = b.rule(b.choice({
            b.bytes('\xC2', '\xDF', one),
            b.byte('\xE0', b.bytes('\xA0', '\xBF', one)),
            b.bytes('\xE1', '\xEC', two),
            b.byte('\xED', b.bytes('\x80', '\x9F', one)),
            b.bytes('\xEE', '\xEF', two),
            b.byte('\xF0', b.bytes('\x90', '\xBF', two)),
            b.bytes('\xF1', '\xF3', three),
            b.byte('\xF4', b.bytes('\x80', '\x8F', two)),
        }));
    }
    return *wide_character_;
}

RuleId JsonText::character() {
    if (!character_) {
        GrammarBuilder& b = builder_;
        character_ =
            b.rule(b.choice({b.bytes(' ', '!', b.end()), b.bytes('#', '[', b.end()), b.bytes(']', '~', b.end()),
                             b.byte('\\', escape()), b.call(wide_character(), b.end())}));
    }
    return *character_;
}

RuleId JsonText::string(Counts characters) {
    const auto [found, is_new] = strings_.try_emplace(characters);
    if (!is_new) return found->second;
    GrammarBuilder& b = builder_;
    const NodeId quote = b.byte('"', b.end());
    NodeId entry = quote;
    if (characters.most != 0) {
        const NodeId loop = b.unknown();
        const uint32_t told_apart = characters.most == kUnbounded ? characters.least : characters.most;
        const NodeId next = told_apart == 0 ? loop : b.count(told_apart, loop);
        const NodeId first = b.call(character(), next);
        b.become_choice(loop, b.at_least(characters.least, quote), b.below(characters.most, first));
        // If a character must come, the string begins with it and not with the loop's choice, so that the depth that
        // the string needs includes it.
        entry = characters.least > 0 ? first : loop;
    }
    found->second = b.rule(characters.least > characters.most ? b.nothing() : b.byte('"', entry));
    return found->second;
}

NodeId JsonText::array(const std::vector<RuleId>& items, std::optional<RuleId> more, Counts counts) {
    GrammarBuilder& b = builder_;
    const auto n_items = static_cast<uint32_t>(items.size());
    const uint32_t longest = more ? counts.most : std::min(counts.most, n_items);
    if (counts.least > longest) return b.nothing();
    const NodeId close = b.byte(']', b.end());
    NodeId after = close;  // what follows an item
    NodeId item = b.nothing();
    if (more && longest > n_items) {
        const uint32_t least = counts.least > n_items ? counts.least - n_items : 0;
        const uint32_t most = longest == kUnbounded ? kUnbounded : longest - n_items;
        const uint32_t told_apart = most == kUnbounded ? least : most;
        const NodeId loop = b.unknown();
        item = b.call(*more, told_apart == 0 ? loop : b.count(told_apart, loop));
        const NodeId another = comma(item);
        b.become_choice(loop, b.at_least(least, close), b.below(most, another));
        after = least > 0 ? another : b.choice(close, another);
    }
    for (uint32_t i = std::min(n_items, longest); i-- > 0;) {
        item = b.call(items[i], after);
        after = counts.least > i ? comma(item) : b.choice(close, comma(item));
    }
    if (longest == 0) return b.byte('[', close);
    return b.byte('[', counts.least > 0 ? item : b.choice(close, item));
}

NodeId JsonText::key(std::string_view name, NodeId next) {
    std::string text;
    base::append_json_string(text, name);
    return builder_.literal(text, colon(next));
}

// The values that are left are the node's identity, so that no node can give one twice.
NodeId JsonText::unique_array(const std::vector<RuleId>& values, Counts counts) {
    GrammarBuilder& b = builder_;
    const NodeId close = b.byte(']', b.end());
    std::map<uint64_t, NodeId> known;  // by the values that are used, as bits
    const auto after = [&](const auto& self, uint64_t used) {
        const auto found = known.find(used);
        if (found != known.end()) return found->second;
        const auto n_used = static_cast<uint32_t>(std::popcount(used));
        std::vector<NodeId> items;
        for (size_t i = 0; i < values.size() && n_used < counts.most; ++i) {
            if ((used >> i & 1) == 0) items.push_back(b.call(values[i], self(self, used | uint64_t{1} << i)));
        }
        NodeId item = b.choice(items);
        if (n_used > 0 && item != b.nothing()) item = comma(item);
        const NodeId node = n_used >= counts.least ? b.choice(close, item) : item;
        known.emplace(used, node);
        return node;
    };
    return b.byte('[', after(after, 0));
}

NodeId JsonText::other_member(const std::vector<Property>& properties, const std::vector<OtherProperties>& others,
                              NodeId next) {
    GrammarBuilder& b = builder_;
    std::vector<NodeId> any;
    for (const auto& [name, value] : others) {
        const NodeId after = b.call(value, next);
        any.push_back(name ? b.call(*name, colon(after)) : b.byte('"', other_key(properties, after)));
    }
    return b.choice(any);
}

NodeId JsonText::object(const std::vector<Property>& properties, const std::vector<OtherProperties>& others,
                        Counts counts) {
    if (counts.least > 0 || counts.most != kUnbounded) return counted_object(properties, others, counts);
    GrammarBuilder& b = builder_;
    const NodeId close = b.byte('}', b.end());
    NodeId member = b.nothing();  // one of those that are left
    if (!others.empty()) {
        const NodeId loop = b.unknown();
        member = other_member(properties, others, loop);
        b.become_choice(loop, close, comma(member));
    }
    bool may_close = true;
    for (auto property = properties.rbegin(); property != properties.rend(); ++property) {
        NodeId after = member == b.nothing() ? b.nothing() : comma(member);
        if (may_close) after = b.choice(close, after);
        const NodeId named = key(property->name, b.call(property->value, after));
        member = property->required ? named : b.choice(named, member);
        may_close = may_close && !property->required;
    }
    return b.byte('{', may_close ? b.choice(close, member) : member);
}

// A node for each property and number of properties before it. An additional key might repeat another additional one,
// so that only the first is sure to count towards the least, but each counts towards the most.
NodeId JsonText::counted_object(const std::vector<Property>& properties, const std::vector<OtherProperties>& others,
                                Counts counts) {
    GrammarBuilder& b = builder_;
    const NodeId close = b.byte('}', b.end());
    const bool has_most = counts.most != kUnbounded;
    const uint32_t told_apart = has_most ? counts.most : counts.least;
    // By the number of properties before: a member that comes next, and what follows it.
    std::vector<NodeId> member(told_apart + 1, b.nothing());
    if (!others.empty()) {
        const RuleId another = b.rule(other_member(properties, others, b.end()));
        NodeId following = close;
        if (!has_most) {
            following = b.unknown();
            b.become_choice(following, close, comma(b.call(another, following)));
            for (uint32_t n = counts.least - 1; n <= told_apart; ++n) member[n] = b.call(another, following);
        }
        for (uint32_t n = told_apart; has_most && n-- > 0;) {
            const NodeId one = b.call(another, following);
            if (n + 1 >= counts.least) member[n] = one;
            following = b.choice(close, comma(one));
        }
    }
    bool may_close = true;
    for (auto property = properties.rbegin(); property != properties.rend(); ++property) {
        const RuleId named = b.rule(key(property->name, b.call(property->value, b.end())));
        std::vector<NodeId> taken(told_apart + 1, b.nothing());
        for (uint32_t n = 0; n <= told_apart; ++n) {
            if (has_most && n == told_apart) continue;
            const uint32_t with = std::min(n + 1, told_apart);
            NodeId after = member[with] == b.nothing() ? b.nothing() : comma(member[with]);
            if (may_close && with >= counts.least) after = b.choice(close, after);
            if (after != b.nothing()) taken[n] = b.call(named, after);
        }
        for (uint32_t n = 0; n <= told_apart; ++n) {
            member[n] = property->required ? taken[n] : b.choice(taken[n], member[n]);
        }
        may_close = may_close && !property->required;
    }
    return b.byte('{', may_close && counts.least == 0 ? b.choice(close, member[0]) : member[0]);
}

// The key must differ at some character from every name with which it shares a beginning; after that any characters
// follow. An escape could spell a character of a name, and a character of several bytes could begin like one in a name.
// Both are left out at positions where they could lead to a name.
NodeId JsonText::other_key(const std::vector<Property>& properties, NodeId next) {
    GrammarBuilder& b = builder_;
    const NodeId close = b.byte('"', colon(next));
    const NodeId free = b.unknown();
    b.become_choice(free, close, b.call(character(), free));
    if (properties.empty()) return free;

    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
    ByteTrie names;
    std::set<uint32_t> may_continue_oddly;
    for (const Property& property : properties) {
        const std::string& name = property.name;
        const auto odd = static_cast<size_t>(std::find_if_not(name.begin(), name.end(), is_plain) - name.begin());
        const uint32_t at = names.insert(std::string_view(name).substr(0, odd));
        if (odd == name.size()) {
            names.entry(at).ends = true;
        } else {
            may_continue_oddly.insert(at);
        }
    }
    std::vector<NodeId> nodes(names.size());
    for (uint32_t i = names.size(); i-- > 0;) {
        const ByteTrie::Entry& entry = names.entry(i);
        std::vector<NodeId> alternatives;
        if (!entry.ends) alternatives.push_back(close);
        if (!may_continue_oddly.contains(i)) alternatives.push_back(b.call(wide_character(), free));
        std::array<NodeId, 128> targets{};
        for (unsigned char c = ' '; c <= '~'; ++c) targets[c] = is_plain(static_cast<char>(c)) ? free : b.nothing();
        for (const auto& [c, child] : entry.children) targets[c] = nodes[child];
        for (size_t first = 0, last = 0; first < targets.size(); first = last + 1) {
            for (last = first; last + 1 < targets.size() && targets[last + 1] == targets[first];) ++last;
            if (targets[first] == b.nothing()) continue;
            alternatives.push_back(b.bytes(static_cast<char>(first), static_cast<char>(last), targets[first]));
        }
        nodes[i] = b.choice(alternatives);
    }
    return nodes[0];
}

}  // namespace llmd::constraint
