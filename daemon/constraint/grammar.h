// A grammar over bytes: rules that may call each other, each a graph of nodes (a recursive transition network, Woods
// 1970). Generation with a grammar (automaton.h) never gets stuck: for each node the grammar knows how many more calls
// must nest to reach the end, so that nothing is begun that cannot be finished within kMaxDepth.
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

inline constexpr uint32_t kMaxDepth = 64;      // of nested calls
inline constexpr size_t kMaxNodes = 1u << 18;  // 3 MB; enough for a schema of the largest size that is not a bomb
inline constexpr uint32_t kUnbounded = std::numeric_limits<uint32_t>::max();

struct Node {
    enum class Kind : uint8_t {
        Byte,     // one byte, first to last; then next
        Choice,   // next, or the node `value`
        Call,     // the rule `value`, then next
        Count,    // one more repetition in this call, counted up to `value`; then next
        AtLeast,  // next, if there were `value` repetitions
        Below,    // next, if there were fewer than `value`
        Return,   // the end of the rule
        Fail,     // matches no text
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
    // The calls that must still nest to get from `id` to its return; more than kMaxDepth if there are too many.
    uint32_t depth_needed(NodeId id) const { return depths_[id]; }
    // A tail call: the caller returns with it.
    bool is_last_call(const Node& call) const { return nodes_[call.next].kind == Node::Kind::Return; }

private:
    friend class GrammarBuilder;
    Grammar() = default;

    std::vector<Node> nodes_;
    std::vector<NodeId> entries_;  // by rule
    std::vector<uint8_t> depths_;  // by node
    RuleId start_ = 0;
};

// Builds a grammar backwards from its ends: each function takes the node that follows and returns the node before it.
// Once there are kMaxNodes nodes no more are added, and finish() fails.
class GrammarBuilder {
public:
    GrammarBuilder();

    bool is_full() const { return nodes_.size() >= kMaxNodes; }
    NodeId n_nodes() const { return static_cast<NodeId>(nodes_.size()); }

    NodeId nothing() const { return 0; }  // matches no text
    NodeId end() const { return 1; }      // the end of the rule
    NodeId byte(char c, NodeId next) { return bytes(c, c, next); }
    NodeId bytes(char first, char last, NodeId next);
    NodeId literal(std::string_view text, NodeId next);
    NodeId choice(NodeId a, NodeId b);
    NodeId choice(std::span<const NodeId> any);
    NodeId choice(std::initializer_list<NodeId> any) { return choice(std::span(any.begin(), any.size())); }
    // Matches one of these texts. Texts that begin alike share nodes.
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
    // Returns a placeholder for loops, which become_choice() defines later.
    NodeId unknown() { return add({}); }
    void become_choice(NodeId unknown, NodeId a, NodeId b);

    // Returns a rule that may be called before it is defined.
    RuleId declare();
    void define(RuleId rule, NodeId entry) { entries_[rule] = entry; }
    RuleId rule(NodeId entry);
    bool is_nothing(RuleId rule) const { return entries_[rule] == nothing(); }

    // Returns InvalidArgument, with a message to be put after the name of a field and a colon, if there are too many
    // nodes, a rule calls itself before it reads a byte, or `start` has no text within kMaxDepth. It looks at the nodes
    // from `first` on only, which refer to no earlier ones.
    base::Result<void> check(RuleId start, NodeId first) const;
    // Returns the grammar whose texts are those of `start`, or the error of check(). The builder cannot be used
    // afterwards.
    base::Result<Grammar> finish(RuleId start);

private:
    NodeId add(const Node& node);
    std::vector<uint8_t> depths(NodeId first) const;
    bool calls_itself_at_once(NodeId first) const;
    base::Result<void> check(RuleId start, NodeId first, const std::vector<uint8_t>& depths) const;

    std::vector<Node> nodes_;
    std::vector<NodeId> entries_;
};

// A trie of strings, byte by byte.
class ByteTrie {
public:
    struct Entry {
        std::vector<std::pair<uint8_t, uint32_t>> children;  // byte and entry, in the order of insertion
        bool ends = false;                                   // set by the caller: a string ends here
    };

    // Returns the entry in which the string ends, 0 for an empty one. Children come after their parents.
    uint32_t insert(std::string_view text);
    Entry& entry(uint32_t index) { return entries_[index]; }
    uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }

private:
    std::vector<Entry> entries_ = std::vector<Entry>(1);
};

}  // namespace llmd::constraint
