#include "constraint/number_dfa.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "constraint/pattern.h"

namespace llmd::constraint {

namespace {

constexpr size_t kUsualDigits = 15;         // of kUsualMagnitude, and what a double keeps exactly
constexpr size_t kMaxMagnitudeDigits = 18;  // of kMaxMagnitude

enum class Order : uint8_t { Less, Equal, Greater };

// A bound without its sign.
struct Magnitude {
    std::string_view whole;
    std::string_view fraction;  // without zeros at the end
    bool is_negative;

    explicit Magnitude(std::string_view number) : is_negative(number.starts_with('-')) {
        number.remove_prefix(is_negative ? 1 : 0);
        const size_t point = std::min(number.find('.'), number.size());
        whole = number.substr(0, point);
        if (point < number.size()) fraction = number.substr(point + 1);
        while (fraction.ends_with('0')) fraction.remove_suffix(1);
    }
    bool is_zero() const { return whole == "0" && fraction.empty(); }
};

// Compares the numbers without a sign with a bound, digit by digit.
class Comparison {
public:
    Comparison(const Magnitude& bound, bool is_low, bool is_exclusive)
        : bound_(bound), allowed_(is_low ? Order::Greater : Order::Less), is_exclusive_(is_exclusive) {}

    CharacterDfa run() {
        number({});
        for (uint32_t i = 0; i < places_.size(); ++i) {
            const Place at = places_[i];
            const Order order = order_at(at);
            dfa_.states[i].accepts = order == allowed_ || (order == Order::Equal && !is_exclusive_);
            if (!at.is_in_fraction) {
                const uint32_t target = number({.is_in_fraction = true, .n_digits = 0, .order = whole_order(at)});
                dfa_.states[i].steps.push_back({'.', '.', target});
            }
            for (char32_t digit = '0'; digit <= '9'; ++digit) {
                const uint32_t target = number(after(at, static_cast<char>(digit)));
                CharacterDfa::add_step(dfa_.states[i], {digit, digit, target});
            }
        }
        return std::move(dfa_);
    }

private:
    struct Place {
        bool is_in_fraction = false;
        size_t n_digits = 0;  // of this part, as far as they matter
        Order order = Order::Equal;
        auto operator<=>(const Place&) const = default;
    };

    static Order compare(char digit, char other) {
        return digit < other ? Order::Less : digit > other ? Order::Greater : Order::Equal;
    }

    // How the digits before the point compare with those of the bound.
    Order whole_order(const Place& at) const {
        if (at.n_digits != bound_.whole.size()) {
            return at.n_digits < bound_.whole.size() ? Order::Less : Order::Greater;
        }
        return at.order;
    }

    // How the number compares if it ends here.
    Order order_at(const Place& at) const {
        const Order order = at.is_in_fraction ? at.order : whole_order(at);
        const size_t n_digits = at.is_in_fraction ? at.n_digits : 0;
        return order == Order::Equal && n_digits < bound_.fraction.size() ? Order::Less : order;
    }

    Place after(const Place& at, char digit) const {
        const std::string_view digits = at.is_in_fraction ? bound_.fraction : bound_.whole;
        Place next = at;
        if (at.is_in_fraction) {
            if (at.order != Order::Equal) return at;
            next.order = compare(digit, at.n_digits < digits.size() ? digits[at.n_digits] : '0');
        } else if (at.order == Order::Equal && at.n_digits < digits.size()) {
            next.order = compare(digit, digits[at.n_digits]);
        }
        next.n_digits = std::min(at.n_digits + 1, digits.size() + (at.is_in_fraction ? 0 : 1));
        return next;
    }

    uint32_t number(const Place& place) {
        const auto [found, is_new] = numbers_.try_emplace(place, static_cast<uint32_t>(places_.size()));
        if (is_new) {
            places_.push_back(place);
            dfa_.states.emplace_back();
        }
        return found->second;
    }

    Magnitude bound_;
    Order allowed_;
    bool is_exclusive_;
    std::map<Place, uint32_t> numbers_;
    std::vector<Place> places_;  // by state
    CharacterDfa dfa_;
};

// The multiples of divisor / 10^scale. A state is the place of the next digit and the remainder of those before: place
// 0 is before the point, and place n behind it and n - 1 digits.
CharacterDfa multiples(int64_t divisor, uint32_t scale) {
    CharacterDfa dfa;
    const auto number = [&](uint32_t place, int64_t rest) { return static_cast<uint32_t>(place * divisor + rest); };
    for (uint32_t place = 0; place <= scale + 1; ++place) {
        for (int64_t rest = 0; rest < divisor; ++rest) {
            auto& state = dfa.states.emplace_back();
            int64_t scaled = rest;
            for (uint32_t n = place == 0 ? 0 : place - 1; n < scale; ++n) scaled = scaled * 10 % divisor;
            state.accepts = scaled == 0;
            if (place == 0) state.steps.push_back({'.', '.', number(1, rest)});
            if (place > scale) continue;
            for (char32_t digit = '0'; digit <= '9'; ++digit) {
                const int64_t next = (rest * 10 + (digit - '0')) % divisor;
                CharacterDfa::add_step(state, {digit, digit, number(place == 0 ? 0 : place + 1, next)});
            }
        }
    }
    return dfa;
}

// Adds the bounds that hold for numbers of this sign. Returns false if there is no such number.
bool compare_with_bounds(const NumberLimits& limits, bool is_negative, std::vector<CharacterDfa>& all) {
    for (const NumberBound& bound : limits.bounds) {
        const Magnitude magnitude(bound.number);
        const bool is_beyond = bound.is_low == is_negative;  // of 0, all numbers of this sign are
        if (magnitude.is_zero()) {
            if (is_beyond && (is_negative || bound.is_exclusive)) return false;
            if (!is_beyond && !bound.is_exclusive) continue;
        } else if (magnitude.is_negative != is_negative) {
            if (is_beyond) return false;
            continue;
        }
        all.push_back(Comparison(magnitude, bound.is_low != is_negative, bound.is_exclusive).run());
    }
    return true;
}

base::Result<RuleId> signed_rule(GrammarBuilder& b, DfaText& text, const NumberLimits& limits, bool is_negative,
                                 DfaWork& work) {
    size_t most_digits = kUsualDigits;
    size_t fraction_digits = limits.only_whole ? 0 : limits.multiple > 0 ? limits.scale : kMaxFractionDigits;
    for (const NumberBound& bound : limits.bounds) {
        const Magnitude magnitude(bound.number);
        if (magnitude.whole.size() > kUsualDigits) most_digits = kMaxMagnitudeDigits;
        if (!bound.is_exclusive || magnitude.is_zero()) continue;
        fraction_digits = std::min(fraction_digits, kUsualDigits - std::min(kUsualDigits, magnitude.whole.size()));
    }
    // A double keeps a multiple with a fraction exactly enough if all its digits are few.
    if (fraction_digits > 0 && limits.multiple > 0) most_digits = kUsualDigits - limits.scale;
    if (most_digits == 0) ++most_digits;
    std::vector<CharacterDfa> all;
    if (!compare_with_bounds(limits, is_negative, all)) return b.rule(b.nothing());
    if (limits.multiple > 0) all.push_back(multiples(limits.multiple, limits.scale));
    std::string shape = R"(^(?:0|[1-9]\d*)$)";
    Counts characters{0, static_cast<uint32_t>(most_digits)};
    if (fraction_digits > 0) {
        shape = base::concat(R"(^(?:0|[1-9]\d{0,)", most_digits - 1, R"(})(?:\.\d{1,)", fraction_digits, "})?$");
        characters.most = kUnbounded;
    } else if (is_negative) {
        shape = R"(^[1-9]\d*$)";
    }
    auto numbers = compile_pattern(shape, work);
    for (const CharacterDfa& one : all) {
        if (!numbers) break;
        numbers = intersection(*numbers, one, work);
    }
    if (!numbers) return std::move(numbers).error();
    return text.rule(*numbers, characters, is_negative ? "-" : "", "", work);
}

}  // namespace

base::Result<RuleId> number_rule(GrammarBuilder& builder, DfaText& text, const NumberLimits& limits, DfaWork& work) {
    auto positive = signed_rule(builder, text, limits, false, work);
    if (!positive) return positive;
    auto negative = signed_rule(builder, text, limits, true, work);
    if (!negative) return negative;
    if (builder.is_nothing(*positive)) return negative;
    if (builder.is_nothing(*negative)) return positive;
    return builder.rule(builder.choice(builder.call(*positive, builder.end()), builder.call(*negative, builder.end())));
}

}  // namespace llmd::constraint
