#include "engine/generation/constraint/json_format.h"

namespace llmd::constraint {

namespace {

constexpr uint32_t kMaxSecondFraction = 6;  // digits, as many as parsers keep

NodeId digits(GrammarBuilder& b, uint32_t n, NodeId next) {
    for (uint32_t i = 0; i < n; ++i) next = b.bytes('0', '9', next);
    return next;
}

NodeId hex_digits(GrammarBuilder& b, uint32_t n, NodeId next) {
    for (uint32_t i = 0; i < n; ++i) next = b.choice(b.bytes('0', '9', next), b.bytes('a', 'f', next));
    return next;
}

// Two digits from "00" to at most "59".
NodeId sixtieth(GrammarBuilder& b, NodeId next) {
    return b.bytes('0', '5', digits(b, 1, next));
}

NodeId hour(GrammarBuilder& b, NodeId next) {
    return b.choice(b.bytes('0', '1', digits(b, 1, next)), b.byte('2', b.bytes('0', '3', next)));
}

NodeId date(GrammarBuilder& b, NodeId next) {
    const NodeId any_digit = digits(b, 1, next);
    const NodeId from_1 = b.byte('0', b.bytes('1', '9', next));
    const NodeId to_28 = b.choice({from_1, b.byte('1', any_digit), b.byte('2', b.bytes('0', '8', next))});
    const NodeId to_29 = b.choice({from_1, b.bytes('1', '2', any_digit)});
    const NodeId to_30 = b.choice(to_29, b.literal("30", next));
    const NodeId to_31 = b.choice(to_30, b.literal("31", next));
    std::vector<NodeId> months;
    for (const std::string_view month : {"01-", "03-", "05-", "07-", "08-", "10-", "12-"}) {
        months.push_back(b.literal(month, to_31));
    }
    for (const std::string_view month : {"04-", "06-", "09-", "11-"}) months.push_back(b.literal(month, to_30));
    months.push_back(b.literal("02-", to_28));
    return b.bytes('1', '9', digits(b, 3, b.byte('-', b.choice(months))));
}

NodeId time(GrammarBuilder& b, NodeId next) {
    const NodeId offset = hour(b, b.byte(':', sixtieth(b, next)));
    const NodeId zone = b.choice({b.byte('Z', next), b.byte('+', offset), b.byte('-', offset)});
    NodeId fraction = zone;
    for (uint32_t i = 1; i < kMaxSecondFraction; ++i) fraction = b.choice(zone, b.bytes('0', '9', fraction));
    const NodeId seconds = sixtieth(b, b.choice(zone, b.byte('.', b.bytes('0', '9', fraction))));
    return hour(b, b.byte(':', sixtieth(b, b.byte(':', seconds))));
}

NodeId uuid(GrammarBuilder& b, NodeId next) {
    NodeId rest = hex_digits(b, 12, next);
    for (int group = 0; group < 3; ++group) rest = hex_digits(b, 4, b.byte('-', rest));
    return hex_digits(b, 8, b.byte('-', rest));
}

NodeId ipv4(GrammarBuilder& b, NodeId next) {
    const auto octet = [&](NodeId after) {
        const NodeId one = digits(b, 1, after);
        const NodeId from_200 = b.byte('2', b.choice(b.bytes('0', '4', one), b.byte('5', b.bytes('0', '5', after))));
        return b.choice({one, b.bytes('1', '9', one), b.byte('1', digits(b, 2, after)), from_200});
    };
    for (int i = 0; i < 3; ++i) next = b.byte('.', octet(next));
    return octet(next);
}

// Matches one or more letters and digits, then `next`.
NodeId word(GrammarBuilder& b, NodeId next) {
    const NodeId loop = b.unknown();
    const NodeId letter = b.choice({b.bytes('a', 'z', loop), b.bytes('A', 'Z', loop), b.bytes('0', '9', loop)});
    b.become_choice(loop, next, letter);
    return letter;
}

// word(.word)*@word.word(.word)*
NodeId email(GrammarBuilder& b, NodeId next) {
    const auto dotted = [&](NodeId after) {
        const NodeId more = b.unknown();
        const NodeId first = word(b, more);
        b.become_choice(more, after, b.byte('.', first));
        return first;
    };
    const NodeId domain = word(b, b.byte('.', dotted(next)));
    return dotted(b.byte('@', domain));
}

}  // namespace

std::optional<NodeId> json_format(GrammarBuilder& builder, std::string_view name, NodeId next) {
    if (name == "date") return date(builder, next);
    if (name == "time") return time(builder, next);
    if (name == "date-time") return date(builder, builder.byte('T', time(builder, next)));
    if (name == "uuid") return uuid(builder, next);
    if (name == "ipv4") return ipv4(builder, next);
    if (name == "email") return email(builder, next);
    return std::nullopt;
}

}  // namespace llmd::constraint
