// A language over bytes: rules that may call each other, each a graph of nodes (a recursive transition network, Woods
// 1970). Whoever makes text of it (automaton.h) never gets stuck: for every node the grammar knows how many more calls
// must nest to reach the end, so what cannot be finished within kMaxDepth is not begun.
// A Grammar is immutable: it may be used from any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace llmd::constraint {

using NodeId = uint32_t;
using RuleId = uint32_t;

inline constexpr uint32_t kMaxDepth = 64;      // calls in one another: no text nests deeper than this
inline constexpr size_t kMaxNodes = 1u << 18;  // 3 MB; what a schema of the largest size needs if it is not a bomb
inline constexpr uint32_t kUnbounded = std::numeric_limits<uint32_t>::max();

struct Node {
    enum class Kind : uint8_t {
        Byte,     // one byte, first to last; then next
        Choice,   // next, or the node `value`
        Call,     // the rule `value`, then next
        Count,    // one more repetition in this call, up to `value` of them told apart; then next
        AtLeast,  // next, if there were `value` repetitions
        Below,    // next, if there were fewer than `value`
        Return,   // the call has its text
        Fail,     // there is no such text
    };
    Kind kind = Kind::Fail;
    uint8_t first = 0;
    uint8_t last = 0;
    uint32_t value = 0;
    NodeId next = 0;
};

class Grammar {
public:
    const Node& node(NodeId id) const { return nodes_[id]; }
    NodeId entry(RuleId rule) const { return entries_[rule]; }
    RuleId start() const { return start_; }
    // Calls that must still be nested in the present one to get from `id` to its return; above kMaxDepth: too many.
    uint32_t depth_needed(NodeId id) const { return depths_[id]; }
    // The call's text ends the caller's too: it need not come back.
    bool is_last_call(const Node& call) const { return nodes_[call.next].kind == Node::Kind::Return; }

private:
    friend class GrammarBuilder;
    Grammar() = default;

    std::vector<Node> nodes_;
    std::vector<NodeId> entries_;  // by rule
    std::vector<uint8_t> depths_;  // by node
    RuleId start_ = 0;
};

// Makes a grammar from its ends backwards: each function takes what follows and gives the node before it. Past
// kMaxNodes nothing is added any more, and finish() refuses.
class GrammarBuilder {
public:
    GrammarBuilder();

    bool is_full() const { return nodes_.size() >= kMaxNodes; }

    NodeId nothing() const { return 0; }  // no text
    NodeId end() const { return 1; }      // of the rule
    NodeId byte(char c, NodeId next) { return bytes(c, c, next); }
    NodeId bytes(char first, char last, NodeId next);
    NodeId literal(std::string_view text, NodeId next);
    NodeId choice(NodeId a, NodeId b);
    NodeId choice(std::span<const NodeId> any);
    NodeId choice(std::initializer_list<NodeId> any) { return choice(std::span(any.begin(), any.size())); }
    // One of these texts. Those that begin alike share nodes.
    NodeId one_of(const std::vector<std::string>& texts, NodeId next);
    NodeId call(RuleId rule, NodeId next) { return add({.kind = Node::Kind::Call, .value = rule, .next = next}); }
    // Repetitions are counted within one call of a rule, from 0.
    NodeId count(uint32_t limit, NodeId next) { return add({.kind = Node::Kind::Count, .value = limit, .next = next}); }
    NodeId at_least(uint32_t n, NodeId next) {
        return n == 0 ? next : add({.kind = Node::Kind::AtLeast, .value = n, .next = next});
    }
    NodeId below(uint32_t n, NodeId next) {
        return n == kUnbounded ? next : add({.kind = Node::Kind::Below, .value = n, .next = next});
    }
    // A node for loops, to be named before it is known: become_choice() says what it is.
    NodeId unknown() { return add({}); }
    void become_choice(NodeId unknown, NodeId a, NodeId b);

    // A rule that may be called before it is defined.
    RuleId declare();
    void define(RuleId rule, NodeId entry) { entries_[rule] = entry; }
    RuleId rule(NodeId entry);

    // InvalidArgument, to be continued after "json_schema: ": too many nodes, a rule that calls itself before any byte,
    // or no text from `start` within kMaxDepth. The builder is then used up.
    base::Result<Grammar> finish(RuleId start);

private:
    NodeId add(const Node& node);
    std::vector<uint8_t> depths() const;
    bool calls_itself_at_once() const;

    std::vector<Node> nodes_;
    std::vector<NodeId> entries_;
};

// Strings by their common beginnings, byte by byte.
class ByteTrie {
public:
    struct Entry {
        std::vector<std::pair<uint8_t, uint32_t>> children;  // byte and entry, in the order of insertion
        bool ends = false;                                   // the caller's note: a string ends here
    };

    // The entry that the string ends in: 0 for an empty one. Children come behind their parents.
    uint32_t insert(std::string_view text);
    Entry& entry(uint32_t index) { return entries_[index]; }
    uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

private:
    std::vector<Entry> entries_ = std::vector<Entry>(1);
};

}  // namespace llmd::constraint
