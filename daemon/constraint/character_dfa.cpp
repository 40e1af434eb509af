#include "constraint/character_dfa.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/utf8.h"

namespace llmd::constraint {

using Step = CharacterDfa::Step;
using State = CharacterDfa::State;

namespace {

constexpr uint32_t kNone = 0xFFFFFFFF;
constexpr char32_t kLastCharacter = 0x10FFFF;

// Written unescaped and of one byte.
const CharSet& plain_characters(TextSpelling spelling) {
    static const CharSet in_json = {{' ', '!'}, {'#', '['}, {']', '~'}};
    static const CharSet as_they_are = intersection(written_characters(), {{0, 0x7F}});
    return spelling == TextSpelling::JsonString ? in_json : as_they_are;
}

// The steps that lead to each state.
std::vector<std::vector<uint32_t>> predecessors(const CharacterDfa& dfa) {
    std::vector<std::vector<uint32_t>> before(dfa.states.size());
    for (uint32_t from = 0; from < dfa.states.size(); ++from) {
        for (const Step& step : dfa.states[from].steps) before[step.target].push_back(from);
    }
    return before;
}

bool has_any(const Step& step, const CharSet& set) {
    return std::any_of(set.begin(), set.end(),
                       [&](const CharRange& range) { return step.first <= range.last && range.first <= step.last; });
}

// Orders the states by how they reach an accepting one: first those that do it with characters of `plain`, the nearest
// first, then the others. So each state has a step to an earlier one that needs the fewest nested calls.
std::vector<uint32_t> order_from_end(const CharacterDfa& dfa, const CharSet& plain) {
    const auto before = predecessors(dfa);
    std::vector<uint32_t> order;
    std::vector<bool> is_known(dfa.states.size());
    const auto add = [&](uint32_t state) {
        if (!is_known[state]) order.push_back(state);
        is_known[state] = true;
    };
    for (uint32_t i = 0; i < dfa.states.size(); ++i) {
        if (dfa.states[i].accepts) add(i);
    }
    for (const bool only_plain : {true, false}) {
        for (size_t i = 0; i < order.size(); ++i) {
            const uint32_t to = order[i];
            for (const uint32_t from : before[to]) {
                if (is_known[from]) continue;
                const auto& steps = dfa.states[from].steps;
                const bool leads = !only_plain || std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
                    return step.target == to && has_any(step, plain);
                });
                if (leads) add(from);
            }
        }
    }
    return order;
}

}  // namespace

// --- Sets of characters ----------------------------------------------------------------------------------------------

const CharSet& written_characters() {
    static const CharSet set = {{'\b', '\n'}, {'\f', '\r'}, {' ', '~'}, {0x80, 0xD7FF}, {0xE000, kLastCharacter}};
    return set;
}

CharSet normalized(CharSet ranges) {
    std::sort(ranges.begin(), ranges.end());
    CharSet joined;
    for (const CharRange& range : ranges) {
        if (!joined.empty() && range.first <= joined.back().last + 1) {
            joined.back().last = std::max(joined.back().last, range.last);
        } else {
            joined.push_back(range);
        }
    }
    return joined;
}

CharSet intersection(const CharSet& a, const CharSet& b) {
    CharSet both;
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        const CharRange range{std::max(i->first, j->first), std::min(i->last, j->last)};
        if (range.first <= range.last) both.push_back(range);
        i->last < j->last ? ++i : ++j;
    }
    return both;
}

CharSet difference(const CharSet& a, const CharSet& b) {
    CharSet others;
    char32_t next = 0;
    for (const CharRange& range : b) {
        if (range.first > next) others.push_back({next, range.first - 1});
        next = range.last + 1;
    }
    if (next <= kLastCharacter) others.push_back({next, kLastCharacter});
    return intersection(a, others);
}

// --- Automata --------------------------------------------------------------------------------------------------------

base::Error dfa_too_large() {
    return base::fail(base::ErrorCode::InvalidArgument, "it is too complicated: it needs more than ", kMaxDfaStates,
                      " states or ", kMaxDfaWork, " steps to compile");
}

void CharacterDfa::add_step(State& state, Step step) {
    if (!state.steps.empty() && state.steps.back().target == step.target && state.steps.back().last + 1 == step.first) {
        state.steps.back().last = step.last;
    } else {
        state.steps.push_back(step);
    }
}

void CharacterDfa::trim() {
    std::vector<uint32_t> number(states.size(), kNone);
    for (const uint32_t state : order_from_end(*this, written_characters())) number[state] = 0;
    if (states.empty() || number[0] == kNone) {
        states.clear();
        return;
    }
    uint32_t n_kept = 0;
    for (uint32_t& one : number) {
        if (one != kNone) one = n_kept++;
    }
    std::vector<State> kept(n_kept);
    for (uint32_t i = 0; i < states.size(); ++i) {
        if (number[i] == kNone) continue;
        kept[number[i]].accepts = states[i].accepts;
        for (const Step& step : states[i].steps) {
            if (number[step.target] != kNone) {
                add_step(kept[number[i]], {step.first, step.last, number[step.target]});
            }
        }
    }
    states = std::move(kept);
}

std::vector<uint32_t> CharacterDfa::shortest() const {
    const auto before = predecessors(*this);
    std::vector<uint32_t> lengths(states.size(), kNone);
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < states.size(); ++i) {
        if (!states[i].accepts) continue;
        lengths[i] = 0;
        order.push_back(i);
    }
    for (size_t i = 0; i < order.size(); ++i) {
        for (const uint32_t from : before[order[i]]) {
            if (lengths[from] != kNone) continue;
            lengths[from] = lengths[order[i]] + 1;
            order.push_back(from);
        }
    }
    return lengths;
}

// Peels off the states whose steps all lead to states that are known. Those that are left reach a loop.
std::vector<uint32_t> CharacterDfa::longest() const {
    const auto before = predecessors(*this);
    std::vector<uint32_t> lengths(states.size(), 0);
    std::vector<size_t> n_left(states.size());
    std::vector<uint32_t> known;
    for (uint32_t i = 0; i < states.size(); ++i) {
        n_left[i] = states[i].steps.size();
        if (n_left[i] == 0) known.push_back(i);
    }
    for (size_t i = 0; i < known.size(); ++i) {
        for (const uint32_t from : before[known[i]]) {
            lengths[from] = std::max(lengths[from], lengths[known[i]] + 1);
            if (--n_left[from] == 0) known.push_back(from);
        }
    }
    for (size_t i = 0; i < states.size(); ++i) {
        if (n_left[i] > 0) lengths[i] = kUnbounded;
    }
    return lengths;
}

base::Result<CharacterDfa> texts_of_length(Counts characters) {
    const uint32_t told_apart = characters.most == kUnbounded ? characters.least : characters.most;
    if (told_apart >= kMaxDfaStates) return dfa_too_large();
    CharacterDfa dfa;
    for (uint32_t n = 0; n <= told_apart; ++n) {
        State& state = dfa.states.emplace_back();
        state.accepts = n >= characters.least;
        if (n == characters.most) continue;
        for (const CharRange& range : written_characters()) {
            state.steps.push_back({range.first, range.last, std::min(n + 1, told_apart)});
        }
    }
    return dfa;
}

base::Result<CharacterDfa> intersection(const CharacterDfa& a, const CharacterDfa& b, DfaWork& work) {
    CharacterDfa both;
    if (a.states.empty() || b.states.empty()) return both;
    std::unordered_map<uint64_t, uint32_t> numbers;
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    const auto number = [&](uint32_t in_a, uint32_t in_b) {
        const auto [found, is_new] =
            numbers.try_emplace(uint64_t{in_a} << 32 | in_b, static_cast<uint32_t>(pairs.size()));
        if (is_new) pairs.emplace_back(in_a, in_b);
        return found->second;
    };
    number(0, 0);
    for (uint32_t at = 0; at < pairs.size(); ++at) {
        const State& x = a.states[pairs[at].first];
        const State& y = b.states[pairs[at].second];
        if (pairs.size() > kMaxDfaStates || !work.spend(x.steps.size() + y.steps.size())) return dfa_too_large();
        State& state = both.states.emplace_back();
        state.accepts = x.accepts && y.accepts;
        for (auto i = x.steps.begin(), j = y.steps.begin(); i != x.steps.end() && j != y.steps.end();) {
            const CharRange range{std::max(i->first, j->first), std::min(i->last, j->last)};
            if (range.first <= range.last) {
                CharacterDfa::add_step(state, {range.first, range.last, number(i->target, j->target)});
            }
            i->last < j->last ? ++i : ++j;
        }
    }
    both.trim();
    return both;
}

CharacterDfa all_texts() {
    CharacterDfa dfa;
    State& any = dfa.states.emplace_back();
    any.accepts = true;
    for (const CharRange& range : written_characters()) any.steps.push_back({range.first, range.last, 0});
    return dfa;
}

CharacterDfa one_of_texts(const std::vector<std::string>& texts) {
    std::vector<std::map<char32_t, uint32_t>> children(1);  // by state
    std::vector<bool> ends(1);
    for (const std::string_view text : texts) {
        uint32_t at = 0;
        for (size_t i = 0; i < text.size();) {
            const base::Utf8Step step = base::next_utf8(text.substr(i));
            i += step.length;
            const auto [child, is_new] = children[at].try_emplace(step.character, children.size());
            at = child->second;
            if (!is_new) continue;
            children.emplace_back();
            ends.push_back(false);
        }
        ends[at] = true;
    }
    CharacterDfa dfa;
    for (size_t i = 0; i < children.size(); ++i) {
        State& state = dfa.states.emplace_back();
        state.accepts = ends[i];
        for (const auto& [character, target] : children[i]) {
            if (intersection(written_characters(), {{character, character}}).empty()) continue;
            state.steps.push_back({character, character, target});
        }
    }
    dfa.trim();
    return dfa;
}

bool accepts(const CharacterDfa& dfa, std::string_view text) {
    uint32_t at = 0;
    for (size_t i = 0; i < text.size() && !dfa.states.empty();) {
        const base::Utf8Step read = base::next_utf8(text.substr(i));
        i += read.length;
        const auto& steps = dfa.states[at].steps;
        const auto found = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
            return step.first <= read.character && read.character <= step.last;
        });
        if (found == steps.end()) return false;
        at = found->target;
    }
    return !dfa.states.empty() && dfa.states[at].accepts;
}

CharacterDfa complement(CharacterDfa dfa) {
    if (dfa.states.empty()) dfa.states.emplace_back();
    const auto others = static_cast<uint32_t>(dfa.states.size());  // the state after a step that `dfa` lacks
    dfa.states.emplace_back();
    for (State& state : dfa.states) {
        state.accepts = !state.accepts;
        CharSet known;
        for (const Step& step : state.steps) known.push_back({step.first, step.last});
        for (const CharRange& range : difference(written_characters(), normalized(known))) {
            state.steps.push_back({range.first, range.last, others});
        }
        std::sort(state.steps.begin(), state.steps.end(),
                  [](const Step& one, const Step& other) { return one.first < other.first; });
    }
    dfa.trim();
    return dfa;
}

// --- DfaText ---------------------------------------------------------------------------------------------------------

DfaText::DfaText(GrammarBuilder& builder, TextSpelling spelling)
    : builder_(builder), plain_(plain_characters(spelling)) {}

bool DfaText::is_plain_range(const CharRange& range) const {
    return std::any_of(plain_.begin(), plain_.end(),
                       [&](const CharRange& plain) { return plain.first <= range.first && range.last <= plain.last; });
}

// If one of the two lengths is a restriction, repetitions are counted: from each state all lengths are then within
// reach that the gates promise. If both are, there might be a gap between them, and lengths become part of the states.
base::Result<RuleId> DfaText::rule(const CharacterDfa& dfa, Counts characters, std::string_view opening,
                                   std::string_view closing, DfaWork& work) {
    GrammarBuilder& b = builder_;
    if (dfa.states.empty() || characters.least > characters.most) return b.rule(b.nothing());
    if (characters.least <= dfa.shortest()[0]) characters.least = 0;
    if (characters.most >= dfa.longest()[0]) characters.most = kUnbounded;
    std::optional<CharacterDfa> exact;
    if (characters.least > 0 && characters.most != kUnbounded) {
        const auto lengths = texts_of_length(characters);
        if (!lengths) return lengths.error();
        auto both = intersection(dfa, *lengths, work);
        if (!both) return std::move(both).error();
        exact = std::move(*both);
        characters = {};
        if (exact->states.empty()) return b.rule(b.nothing());
    }
    size_t n_steps = 0;
    for (const State& state : exact ? exact->states : dfa.states) n_steps += 1 + state.steps.size();
    constexpr size_t kWorkOfStep = 4;
    if (!work.spend(n_steps * kWorkOfStep)) return dfa_too_large();
    const NodeId entry = nodes(exact ? *exact : dfa, characters, b.literal(closing, b.end()));
    if (entry == b.nothing()) return b.rule(entry);
    // The characters that a count leaves may need one more nested call than those it excludes, so there must be room
    // for one.
    const bool is_counted = characters.least > 0 || characters.most != kUnbounded;
    return b.rule(b.literal(opening, is_counted ? b.call(b.rule(b.end()), entry) : entry));
}

// Steps lead to states that have their node already, as far as possible (order_from_end()), since this is what
// GrammarBuilder computes nesting from quickly.
NodeId DfaText::nodes(const CharacterDfa& dfa, Counts characters, NodeId next) {
    GrammarBuilder& b = builder_;
    const auto shortest = dfa.shortest();
    const auto longest = dfa.longest();
    const uint32_t told_apart = characters.most == kUnbounded ? characters.least : characters.most;
    std::vector<NodeId> entries(dfa.states.size(), kNone);
    if (shortest[0] > characters.most || longest[0] < characters.least) return b.nothing();
    for (const uint32_t from : order_from_end(dfa, plain_)) {
        const State& state = dfa.states[from];
        std::vector<NodeId> alternatives;
        if (state.accepts) alternatives.push_back(b.at_least(characters.least, next));
        std::map<uint32_t, CharSet> by_target;
        for (const Step& step : state.steps) by_target[step.target].push_back({step.first, step.last});
        for (const auto& [target, set] : by_target) {
            if (entries[target] == kNone) entries[target] = b.unknown();
            if (characters.most != kUnbounded && characters.most <= shortest[target]) continue;
            const NodeId after = told_apart == 0 ? entries[target] : b.count(told_apart, entries[target]);
            NodeId gate = one_of(set, after);
            if (characters.most != kUnbounded) gate = b.below(characters.most - shortest[target], gate);
            if (longest[target] != kUnbounded && characters.least > longest[target] + 1) {
                gate = b.at_least(characters.least - longest[target] - 1, gate);
            }
            alternatives.push_back(gate);
        }
        const NodeId node = b.choice(alternatives);
        if (entries[from] == kNone) {
            entries[from] = node;
        } else {
            b.become_choice(entries[from], node, b.nothing());
        }
    }
    return entries[0];
}

NodeId DfaText::one_of(const CharSet& characters, NodeId next) {
    GrammarBuilder& b = builder_;
    std::vector<NodeId> alternatives;
    if (std::all_of(characters.begin(), characters.end(),
                    [this](const CharRange& range) { return is_plain_range(range); })) {
        for (const CharRange& range : characters) {
            alternatives.push_back(b.bytes(static_cast<char>(range.first), static_cast<char>(range.last), next));
        }
        return b.choice(alternatives);
    }
    for (const CharRange& range : intersection(characters, plain_)) {
        alternatives.push_back(b.bytes(static_cast<char>(range.first), static_cast<char>(range.last), next));
    }
    const CharSet others = difference(characters, plain_);
    const auto [found, is_new] = sets_.try_emplace(others);
    if (is_new) {
        constexpr std::array<std::pair<char, char>, 7> kEscapes = {
            {{'"', '"'}, {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}}};
        std::vector<NodeId> letters;
        std::vector<NodeId> forms;
        for (const auto& [character, letter] : kEscapes) {
            const auto code = static_cast<char32_t>(character);
            if (!intersection(others, {{code, code}}).empty()) letters.push_back(b.byte(letter, b.end()));
        }
        if (!letters.empty()) forms.push_back(b.byte('\\', b.choice(letters)));
        for (const CharRange& range : intersection(others, {{0x80, kLastCharacter}})) {
            forms.push_back(utf8(range.first, range.last));
        }
        found->second = b.rule(b.choice(forms));
    }
    alternatives.push_back(b.call(found->second, next));
    return b.choice(alternatives);
}

// Splits the range until each byte of a part is any of a range, whatever the bytes before it (RFC 3629).
NodeId DfaText::utf8(char32_t first, char32_t last) {
    GrammarBuilder& b = builder_;
    for (const char32_t longest : {char32_t{0x7FF}, char32_t{0xFFFF}}) {
        if (first <= longest && longest < last) return b.choice(utf8(first, longest), utf8(longest + 1, last));
    }
    const uint32_t n_more = last <= 0x7FF ? 1 : last <= 0xFFFF ? 2 : 3;
    for (uint32_t i = 1; i <= n_more; ++i) {
        const char32_t low_bits = (char32_t{1} << 6 * i) - 1;
        if ((first & ~low_bits) == (last & ~low_bits)) continue;
        if ((first & low_bits) != 0) return b.choice(utf8(first, first | low_bits), utf8((first | low_bits) + 1, last));
        if ((last & low_bits) != low_bits) {
            return b.choice(utf8(first, (last & ~low_bits) - 1), utf8(last & ~low_bits, last));
        }
    }
    constexpr std::array<uint32_t, 4> kLeads = {0, 0xC0, 0xE0, 0xF0};  // by the number of bytes that follow
    NodeId next = b.end();
    for (uint32_t i = 0; i < n_more; ++i) {
        const auto bits = [&](char32_t c) { return static_cast<char>(0x80 | (c >> 6 * i & 0x3F)); };
        next = b.bytes(bits(first), bits(last), next);
    }
    const auto lead = [&](char32_t c) { return static_cast<char>(kLeads[n_more] | c >> 6 * n_more); };
    return b.bytes(lead(first), lead(last), next);
}

}  // namespace llmd::constraint
