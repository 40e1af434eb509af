#include "constraint/pattern.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace llmd::constraint {

namespace {

// An expression as an NFA (Thompson 1968), and the DFA of its sets of states.
class Determinizer {
public:
    // `sure` says which characters of a class match.
    Determinizer(const Expression& expression, bool sure) : sure_(sure) {
        nodes_.push_back({.kind = Kind::Match});
        start_ = build(expression, 0);
        split_characters();
        starts_later_ = !is_nothing(close({start_}, false, false));
    }

    base::Result<CharacterDfa> run(DfaWork& work);

private:
    enum class Kind : uint8_t { Chars, Split, Start, End, Match };
    struct Node {
        Kind kind;
        uint32_t next = 0;
        uint32_t other = 0;  // of Split; of Chars, the index of the set
    };
    struct Closure {
        std::vector<uint32_t> nodes;  // Chars and End, sorted
        bool matches = false;
    };
    static bool is_nothing(const Closure& closure) { return closure.nodes.empty() && !closure.matches; }

    uint32_t add(Node node) {
        nodes_.push_back(node);
        return static_cast<uint32_t>(nodes_.size() - 1);
    }
    uint32_t build(const Expression& expression, uint32_t next);
    uint32_t build_repeat(const Expression& expression, uint32_t next);
    void split_characters();
    // Follows the nodes that read no character.
    Closure close(std::vector<uint32_t> from, bool at_start, bool at_end);
    uint32_t number(const Closure& closure, bool at_start);
    bool accepts(const Closure& closure, bool at_start) {
        std::vector<uint32_t> ends;
        for (const uint32_t node : closure.nodes) {
            if (nodes_[node].kind == Kind::End) ends.push_back(node);
        }
        return closure.matches || close(std::move(ends), at_start, true).matches;
    }

    bool sure_;
    std::vector<Node> nodes_;
    uint32_t start_ = 0;
    bool starts_later_ = false;  // a match may start after the first character
    std::map<CharSet, uint32_t> set_numbers_;
    std::vector<CharRange> atoms_;  // the characters that no set tells apart
    // By set: the first and the last atom of each range.
    std::vector<std::vector<std::pair<size_t, size_t>>> sets_;
    std::vector<uint32_t> seen_;  // by node: the latest call of close() that has seen it
    uint32_t n_closures_ = 0;
    size_t n_steps_ = 0;
    std::map<std::vector<uint32_t>, uint32_t> numbers_;
    std::vector<Closure> closures_;  // by state
    CharacterDfa dfa_;
};

uint32_t Determinizer::build(const Expression& expression, uint32_t next) {
    switch (expression.kind) {
        case Expression::Kind::Chars: {
            const CharSet& set = sure_ ? expression.chars.sure : expression.chars.possible;
            const auto n_sets = static_cast<uint32_t>(set_numbers_.size());
            return add(
                {.kind = Kind::Chars, .next = next, .other = set_numbers_.try_emplace(set, n_sets).first->second});
        }
        case Expression::Kind::Start:
            return add({.kind = Kind::Start, .next = next});
        case Expression::Kind::End:
            return add({.kind = Kind::End, .next = next});
        case Expression::Kind::Sequence:
            for (auto part = expression.parts.rbegin(); part != expression.parts.rend(); ++part) {
                next = build(*part, next);
            }
            return next;
        case Expression::Kind::Alternatives: {
            uint32_t any = build(expression.parts.back(), next);
            for (size_t i = expression.parts.size() - 1; i-- > 0;) {
                any = add({.kind = Kind::Split, .next = build(expression.parts[i], next), .other = any});
            }
            return any;
        }
        case Expression::Kind::Repeat:
            break;
    }
    return build_repeat(expression, next);
}

uint32_t Determinizer::build_repeat(const Expression& expression, uint32_t next) {
    const Expression& one = expression.parts.front();
    uint32_t all = next;
    uint32_t n_before = expression.least;
    if (expression.most == kUnbounded) {
        const uint32_t loop = add({.kind = Kind::Split, .other = next});
        const uint32_t first = build(one, loop);
        nodes_[loop].next = first;
        all = n_before == 0 ? loop : first;
        n_before -= n_before == 0 ? 0 : 1;
    } else {
        for (uint32_t i = expression.least; i < expression.most; ++i) {
            all = add({.kind = Kind::Split, .next = build(one, all), .other = next});
        }
    }
    for (; n_before > 0; --n_before) all = build(one, all);
    return all;
}

void Determinizer::split_characters() {
    std::vector<char32_t> cuts;
    const auto cut = [&](const CharSet& set) {
        for (const CharRange& range : set) cuts.insert(cuts.end(), {range.first, range.last + 1});
    };
    cut(written_characters());
    for (const auto& [set, number] : set_numbers_) cut(set);
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (size_t i = 0; i + 1 < cuts.size(); ++i) atoms_.push_back({cuts[i], cuts[i + 1] - 1});
    sets_.resize(set_numbers_.size());
    const auto atom_at = [&](char32_t c) {
        return static_cast<size_t>(std::upper_bound(cuts.begin(), cuts.end(), c) - cuts.begin()) - 1;
    };
    for (const auto& [set, number] : set_numbers_) {
        for (const CharRange& range : set) sets_[number].emplace_back(atom_at(range.first), atom_at(range.last));
    }
}

Determinizer::Closure Determinizer::close(std::vector<uint32_t> from, bool at_start, bool at_end) {
    Closure closure;
    seen_.resize(nodes_.size());
    ++n_closures_;
    while (!from.empty()) {
        const uint32_t id = from.back();
        from.pop_back();
        if (std::exchange(seen_[id], n_closures_) == n_closures_) continue;
        ++n_steps_;
        const Node& node = nodes_[id];
        switch (node.kind) {
            case Kind::Split:
                from.insert(from.end(), {node.other, node.next});
                break;
            case Kind::Start:
                if (at_start) from.push_back(node.next);
                break;
            case Kind::End:
                if (at_end) from.push_back(node.next);
                closure.nodes.push_back(id);
                break;
            case Kind::Chars:
                closure.nodes.push_back(id);
                break;
            case Kind::Match:
                closure.matches = true;
                break;
        }
    }
    std::sort(closure.nodes.begin(), closure.nodes.end());
    return closure;
}

// Returns the state of a closure, which is added if it is new. The state at the start is never another one.
uint32_t Determinizer::number(const Closure& closure, bool at_start) {
    const auto added = static_cast<uint32_t>(dfa_.states.size());
    // Whatever follows a match, the text matches.
    std::vector<uint32_t> key = closure.matches ? std::vector<uint32_t>{0} : closure.nodes;
    if (!at_start) {
        const auto [found, is_new] = numbers_.try_emplace(std::move(key), added);
        if (!is_new) return found->second;
    }
    dfa_.states.emplace_back().accepts = accepts(closure, at_start);
    closures_.push_back(closure);
    if (closure.matches) {
        for (const CharRange& range : written_characters()) {
            dfa_.states.back().steps.push_back({range.first, range.last, added});
        }
    }
    return added;
}

base::Result<CharacterDfa> Determinizer::run(DfaWork& work) {
    constexpr size_t kWorkOfAtom = 4;
    if (!work.spend(nodes_.size())) return dfa_too_large();
    number(close({start_}, true, false), true);
    for (uint32_t at = 0; at < dfa_.states.size(); ++at) {
        if (closures_[at].matches) continue;
        std::vector<std::vector<uint32_t>> by_atom(atoms_.size());
        for (const uint32_t id : closures_[at].nodes) {
            if (nodes_[id].kind != Kind::Chars) continue;
            for (const auto& [first, last] : sets_[nodes_[id].other]) {
                for (size_t atom = first; atom <= last; ++atom) by_atom[atom].push_back(nodes_[id].next);
                n_steps_ += last - first + 1;
            }
        }
        const CharSet& written = written_characters();
        auto allowed = written.begin();
        std::optional<size_t> latest;    // the atom whose target is known
        std::optional<uint32_t> target;  // nothing: no text goes on with it
        for (size_t atom = 0; atom < atoms_.size(); ++atom) {
            while (allowed != written.end() && allowed->last < atoms_[atom].first) ++allowed;
            if (allowed == written.end()) break;
            if (allowed->first > atoms_[atom].first || (by_atom[atom].empty() && !starts_later_)) continue;
            if (!latest || by_atom[atom] != by_atom[*latest]) {
                std::vector<uint32_t> from = by_atom[atom];
                if (starts_later_) from.push_back(start_);
                const Closure closure = close(std::move(from), false, false);
                target = is_nothing(closure) ? std::nullopt : std::optional(number(closure, false));
                latest = atom;
            }
            if (target) CharacterDfa::add_step(dfa_.states[at], {atoms_[atom].first, atoms_[atom].last, *target});
        }
        n_steps_ += kWorkOfAtom * atoms_.size();
        if (dfa_.states.size() > kMaxDfaStates || !work.spend(std::exchange(n_steps_, 0))) return dfa_too_large();
    }
    dfa_.trim();
    return std::move(dfa_);
}

}  // namespace

base::Result<CharacterDfa> compile_pattern(std::string_view pattern, DfaWork& work, PatternUse use) {
    const auto parsed = parse_pattern(pattern, use);
    if (!parsed) return parsed.error();
    auto all = Determinizer(parsed->expression, true).run(work);
    for (const Pattern::LookAhead& look_ahead : parsed->look_aheads) {
        if (!all) return all;
        auto ahead = Determinizer(look_ahead.expression, look_ahead.must_match).run(work);
        if (!ahead) return ahead;
        all = intersection(*all, look_ahead.must_match ? *ahead : complement(std::move(*ahead)), work);
    }
    return all;
}

// --- Formats ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kDate =
    R"([1-9]\d{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|)"
    R"(02-(?:0[1-9]|1\d|2[0-8])))";
constexpr std::string_view kTime = R"((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?)";
constexpr std::string_view kOffset = R"((?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))";
// RFC 3339, appendix A: no unit is left out between two others.
constexpr std::string_view kDuration =
    R"(P(?:\d{1,6}W|(?:\d{1,6}D|\d{1,6}M(?:\d{1,6}D)?|\d{1,6}Y(?:\d{1,6}M(?:\d{1,6}D)?)?))"
    R"((?:T(?:\d{1,6}S|\d{1,6}M(?:\d{1,6}S)?|\d{1,6}H(?:\d{1,6}M(?:\d{1,6}S)?)?))?|)"
    R"(T(?:\d{1,6}S|\d{1,6}M(?:\d{1,6}S)?|\d{1,6}H(?:\d{1,6}M(?:\d{1,6}S)?)?)))";
constexpr std::string_view kUuid = R"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})";
constexpr std::string_view kIpv4 =
    R"((?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3})";
constexpr std::string_view kIpv6 =
    R"((?:[\da-f]{1,4}:){7}[\da-f]{1,4}|(?:[\da-f]{1,4}:){1,7}:|(?:[\da-f]{1,4}:){1,6}:[\da-f]{1,4}|)"
    R"((?:[\da-f]{1,4}:){1,5}(?::[\da-f]{1,4}){1,2}|(?:[\da-f]{1,4}:){1,4}(?::[\da-f]{1,4}){1,3}|)"
    R"((?:[\da-f]{1,4}:){1,3}(?::[\da-f]{1,4}){1,4}|(?:[\da-f]{1,4}:){1,2}(?::[\da-f]{1,4}){1,5}|)"
    R"([\da-f]{1,4}:(?::[\da-f]{1,4}){1,6}|:(?::[\da-f]{1,4}){1,7}|::)";
// A label has up to 31 letters and digits, so that it stays below 64 characters, and two hyphens never meet, as they do
// in an encoded label. The last label is no number.
constexpr std::string_view kHost = R"((?:[a-z\d](?:-?[a-z\d]){0,30}\.)*[a-z](?:-?[a-z\d]){0,30})";
constexpr std::string_view kMailbox = R"([A-Za-z\d](?:[._+-]?[A-Za-z\d]){0,31}@(?:[A-Za-z\d](?:-?[A-Za-z\d]){0,30}\.)+)"
                                      R"([A-Za-z]{2,16})";
constexpr std::string_view kScheme = R"([a-z](?:[+.-]?[a-z\d]){1,15}://)";
constexpr std::string_view kUriRest = R"((?::[1-9]\d{0,3})?(?:/(?:[\w.~!$&'()*+,;=:@-]|%[\dA-F]{2})*)*)"
                                      R"((?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-F]{2})*)?)"
                                      R"((?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-F]{2})*)?)";

struct NamedFormat {
    std::string_view name;
    std::array<std::string_view, 4> parts;  // of the pattern
    uint32_t longest = kUnbounded;
};
constexpr std::array<NamedFormat, 10> kFormats = {{
    {"date", {kDate}},
    {"time", {kTime, kOffset}},
    {"date-time", {kDate, "T", kTime, kOffset}},
    {"duration", {kDuration}},
    {"uuid", {kUuid}},
    {"ipv4", {kIpv4}},
    {"ipv6", {kIpv6}},
    {"hostname", {kHost}, 253},
    {"email", {kMailbox}, 254},
    {"uri", {kScheme, kHost, kUriRest}},
}};

}  // namespace

std::optional<TextFormat> text_format(std::string_view name, bool beside_pattern) {
    const auto found =
        std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& one) { return one.name == name; });
    if (found == kFormats.end()) return std::nullopt;
    const auto& parts = found->parts;
    const std::string_view end = name == "time" && beside_pattern ? "?)$" : ")$";
    return TextFormat{base::concat("^(?:", parts[0], parts[1], parts[2], parts[3], end), found->longest};
}

}  // namespace llmd::constraint
