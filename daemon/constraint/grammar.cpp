#include "constraint/grammar.h"

#include <algorithm>

namespace llmd::constraint {

using base::ErrorCode;
using base::fail;
using Kind = Node::Kind;

namespace {

constexpr uint8_t kNever = kMaxDepth + 1;

// Returns the nodes that a node reaches without reading a byte and without returning from a call; 0 is none.
std::pair<NodeId, NodeId> silent_steps(const Node& node, const std::vector<NodeId>& entries) {
    switch (node.kind) {
        case Kind::Choice:
            return {node.next, node.value};
        case Kind::Call:
            return {entries[node.value], entries[node.value]};
        case Kind::Count:
        case Kind::AtLeast:
        case Kind::Below:
            return {node.next, node.next};
        case Kind::Byte:
        case Kind::Return:
        case Kind::Fail:
            break;
    }
    return {0, 0};
}

}  // namespace

GrammarBuilder::GrammarBuilder() : nodes_(2) {
    nodes_[end()].kind = Kind::Return;
}

NodeId GrammarBuilder::add(const Node& node) {
    if (is_full()) return nothing();
    nodes_.push_back(node);
    return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId GrammarBuilder::bytes(char first, char last, NodeId next) {
    return add(
        {.kind = Kind::Byte, .first = static_cast<uint8_t>(first), .last = static_cast<uint8_t>(last), .next = next});
}

NodeId GrammarBuilder::literal(std::string_view text, NodeId next) {
    for (auto c = text.rbegin(); c != text.rend(); ++c) next = byte(*c, next);
    return next;
}

NodeId GrammarBuilder::choice(NodeId a, NodeId b) {
    if (a == nothing() || a == b) return b;
    return b == nothing() ? a : add({.kind = Kind::Choice, .value = b, .next = a});
}

NodeId GrammarBuilder::choice(std::span<const NodeId> any) {
    NodeId all = nothing();
    for (auto node = any.rbegin(); node != any.rend(); ++node) all = choice(*node, all);
    return all;
}

NodeId GrammarBuilder::one_of(const std::vector<std::string>& texts, NodeId next) {
    ByteTrie trie;
    for (const std::string& text : texts) trie.entry(trie.insert(text)).ends = true;
    std::vector<NodeId> nodes(trie.size());
    for (uint32_t i = trie.size(); i-- > 0;) {
        std::vector<NodeId> alternatives;
        if (trie.entry(i).ends) alternatives.push_back(next);
        for (const auto& [c, child] : trie.entry(i).children)
            alternatives.push_back(byte(static_cast<char>(c), nodes[child]));
        nodes[i] = choice(alternatives);
    }
    return nodes[0];
}

void GrammarBuilder::become_choice(NodeId unknown, NodeId a, NodeId b) {
    if (unknown != nothing()) nodes_[unknown] = {.kind = Kind::Choice, .value = b, .next = a};
}

RuleId GrammarBuilder::declare() {
    return rule(nothing());
}

RuleId GrammarBuilder::rule(NodeId entry) {
    entries_.push_back(entry);
    return static_cast<RuleId>(entries_.size() - 1);
}

base::Result<void> GrammarBuilder::check(RuleId start, NodeId first) const {
    return check(start, first, depths(first));
}

base::Result<void> GrammarBuilder::check(RuleId start, NodeId first, const std::vector<uint8_t>& depths) const {
    if (is_full()) {
        return fail(ErrorCode::InvalidArgument, "it is too complicated: it needs more than ", kMaxNodes, " states");
    }
    if (calls_itself_at_once(first)) {
        return fail(ErrorCode::InvalidArgument, "a $ref leads back to itself with nothing in between");
    }
    if (depths[entries_[start]] > kMaxDepth) {
        return fail(ErrorCode::InvalidArgument, "no JSON text fits it that nests less than ", kMaxDepth, " deep");
    }
    return {};
}

base::Result<Grammar> GrammarBuilder::finish(RuleId start) {
    Grammar grammar;
    grammar.depths_ = depths(0);
    if (auto checked = check(start, 0, grammar.depths_); !checked) return std::move(checked).error();
    grammar.nodes_ = std::move(nodes_);
    grammar.entries_ = std::move(entries_);
    grammar.start_ = start;
    return grammar;
}

// Computes the least fixed point from above: a pass can only lower values. Most nodes come after those that follow
// them, so that one pass propagates a value through a whole rule. More passes are needed only if rules were added in
// the opposite order.
std::vector<uint8_t> GrammarBuilder::depths(NodeId first) const {
    std::vector<uint8_t> depths(nodes_.size(), kNever);
    depths[end()] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (NodeId id = first; id < nodes_.size(); ++id) {
            const Node& node = nodes_[id];
            if (node.kind == Kind::Fail || node.kind == Kind::Return) continue;
            uint8_t depth = depths[node.next];
            if (node.kind == Kind::Choice) depth = std::min(depth, depths[node.value]);
            if (node.kind == Kind::Call) {
                const uint8_t callee = depths[entries_[node.value]];
                const bool is_last = nodes_[node.next].kind == Kind::Return;
                depth = is_last ? callee : std::max<uint8_t>(depth, std::min<uint8_t>(callee + 1, kNever));
            }
            changed = changed || depth < depths[id];
            depths[id] = std::min(depth, depths[id]);
        }
    }
    return depths;
}

bool GrammarBuilder::calls_itself_at_once(NodeId first) const {
    enum class Mark : uint8_t { New, Open, Done };
    std::vector<Mark> marks(nodes_.size(), Mark::New);
    std::vector<NodeId> stack;
    for (NodeId from = first; from < nodes_.size(); ++from) {
        stack.push_back(from);
        while (!stack.empty()) {
            const NodeId id = stack.back();
            if (marks[id] != Mark::New) {
                marks[id] = Mark::Done;
                stack.pop_back();
                continue;
            }
            marks[id] = Mark::Open;
            const auto [a, b] = silent_steps(nodes_[id], entries_);
            for (const NodeId next : {a, b}) {
                if (next == nothing()) continue;
                if (marks[next] == Mark::Open) return true;
                if (marks[next] == Mark::New) stack.push_back(next);
            }
        }
    }
    return false;
}

uint32_t ByteTrie::insert(std::string_view text) {
    uint32_t at = 0;
    for (const char c : text) {
        const auto byte = static_cast<uint8_t>(c);
        const auto& children = entries_[at].children;
        const auto child =
            std::find_if(children.begin(), children.end(), [&](const auto& known) { return known.first == byte; });
        if (child != children.end()) {
            at = child->second;
            continue;
        }
        const auto added = static_cast<uint32_t>(entries_.size());
        entries_[at].children.emplace_back(byte, added);
        entries_.emplace_back();
        at = added;
    }
    return at;
}

}  // namespace llmd::constraint
