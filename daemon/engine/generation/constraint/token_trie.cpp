#include "engine/generation/constraint/token_trie.h"

#include <algorithm>
#include <array>
#include <bit>

namespace llmd::constraint {

uint32_t TokenSet::size() const {
    uint32_t n = 0;
    for (const uint32_t word : words_) n += static_cast<uint32_t>(std::popcount(word));
    return n;
}

uint32_t TokenSet::first() const {
    const auto word = std::find_if(words_.begin(), words_.end(), [](uint32_t w) { return w != 0; });
    return static_cast<uint32_t>(word - words_.begin()) * kBits + static_cast<uint32_t>(std::countr_zero(*word));
}

TokenTrie::TokenTrie(const tokenizer::Tokenizer& tokenizer, uint32_t n_vocab, std::span<const int32_t> markers) {
    starts_.reserve(n_vocab + size_t{1});
    starts_.push_back(0);
    for (uint32_t id = 0; id < n_vocab; ++id) {
        const auto token = static_cast<int32_t>(id);
        const bool exists = id < tokenizer.vocabulary_size();
        const size_t start = bytes_.size();
        if (exists && tokenizer.ends_generation(token)) {
            end_ids_.push_back(id);
        } else if (exists && std::binary_search(markers.begin(), markers.end(), token)) {
            bytes_ += tokenizer.token_text(token);
        } else if (exists && tokenizer.kind(token) != tokenizer::TokenKind::Control) {
            tokenizer.append_bytes(token, bytes_);
            if (bytes_.size() - start > kMaxTokenBytes) bytes_.resize(start);
        }
        if (bytes_.size() > start) ids_.push_back(id);
        starts_.push_back(static_cast<uint32_t>(bytes_.size()));
    }
    std::sort(ids_.begin(), ids_.end(), [&](uint32_t a, uint32_t b) {
        const int order = bytes(static_cast<int32_t>(a)).compare(bytes(static_cast<int32_t>(b)));
        return order != 0 ? order < 0 : a < b;
    });
    add_nodes();
    find_plain();
}

void TokenTrie::add_nodes() {
    std::vector<uint32_t> path;  // the nodes above, from the first byte on
    std::string_view last;
    for (uint32_t i = 0; i < ids_.size(); ++i) {
        const std::string_view token = bytes(static_cast<int32_t>(ids_[i]));
        const auto differ = std::mismatch(token.begin(), token.end(), last.begin(), last.end());
        const auto n_same = static_cast<size_t>(differ.first - token.begin());
        for (; path.size() > n_same; path.pop_back())
            nodes_[path.back()].subtree_end = static_cast<uint32_t>(nodes_.size());
        for (size_t depth = n_same; depth < token.size(); ++depth) {
            path.push_back(static_cast<uint32_t>(nodes_.size()));
            nodes_.push_back({0, i, static_cast<uint16_t>(depth + 1), static_cast<uint8_t>(token[depth]), 0});
        }
        last = token;
    }
    for (const uint32_t node : path) nodes_[node].subtree_end = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({0, static_cast<uint32_t>(ids_.size()), 0, 0, 0});
}

void TokenTrie::find_plain() {
    for (auto i = static_cast<uint32_t>(nodes_.size() - 1); i-- > 0;) {
        Node& node = nodes_[i];
        uint32_t deepest = 0;
        bool all = true;
        for (uint32_t child = i + 1; child < node.subtree_end; child = nodes_[child].subtree_end) {
            const bool is_leaf = nodes_[child].subtree_end == child + 1;
            all = all && is_plain(nodes_[child].byte) && (is_leaf || nodes_[child].plain_below > 0);
            deepest = std::max(deepest, nodes_[child].plain_below + 1u);
        }
        node.plain_below = all && deepest <= UINT8_MAX ? static_cast<uint8_t>(deepest) : 0;
    }
}

std::string_view TokenTrie::bytes(int32_t id) const {
    const auto at = static_cast<size_t>(id);
    if (id < 0 || at + 1 >= starts_.size()) return {};
    return std::string_view(bytes_).substr(starts_[at], starts_[at + 1] - starts_[at]);
}

TokenSet TokenTrie::following(Automaton& automaton, Automaton::State& state) const {
    TokenSet set(n_vocab());
    std::array<Automaton::State, kMaxTokenBytes + 1> path;  // the state at each depth
    path[0] = state;
    const auto end = static_cast<uint32_t>(nodes_.size() - 1);
    for (uint32_t i = 0; i < end;) {
        const Node& node = nodes_[i];
        if (automaton.is_full()) automaton.compact(std::span(path).first(node.depth));
        path[node.depth] = automaton.advance(path[node.depth - 1u], node.byte);
        if (path[node.depth] == Automaton::kDead) {
            i = node.subtree_end;
            continue;
        }
        // Inside a string nearly the whole vocabulary is allowed, and this skips nearly all nodes.
        i = node.plain_below > 0 && automaton.takes_plain(path[node.depth], node.plain_below) ? node.subtree_end
                                                                                              : i + 1;
        for (uint32_t n = node.first_id; n < nodes_[i].first_id; ++n) set.insert(ids_[n]);
    }
    state = path[0];
    return set;
}

}  // namespace llmd::constraint
