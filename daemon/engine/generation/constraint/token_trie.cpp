#include "engine/generation/constraint/token_trie.h"

#include <algorithm>
#include <array>
#include <bit>

namespace llmd::constraint {

uint32_t TokenSet::first() const {
    const auto word = std::find_if(words_.begin(), words_.end(), [](uint32_t w) { return w != 0; });
    return static_cast<uint32_t>(word - words_.begin()) * kBits + static_cast<uint32_t>(std::countr_zero(*word));
}

void TokenSet::list(std::span<uint32_t> ids) const {
    size_t n = 0;
    for (size_t word = 0; word < words_.size() && n < ids.size(); ++word) {
        for (uint32_t bits = words_[word]; bits != 0 && n < ids.size(); bits &= bits - 1) {
            ids[n++] = static_cast<uint32_t>(word) * kBits + static_cast<uint32_t>(std::countr_zero(bits));
        }
    }
}

TokenTrie::TokenTrie(const tokenizer::Tokenizer& tokenizer, uint32_t n_vocab, std::span<const int32_t> markers)
    : short_(kMaxShortBytes + 1, TokenSet(n_vocab)) {
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
    const auto rest =
        std::stable_partition(ids_.begin(), ids_.end(), [&](uint32_t id) { return is_short_and_plain(id); });
    const auto n_short = static_cast<uint32_t>(rest - ids_.begin());
    const auto by_bytes = [&](uint32_t a, uint32_t b) {
        const int order = bytes(static_cast<int32_t>(a)).compare(bytes(static_cast<int32_t>(b)));
        return order != 0 ? order < 0 : a < b;
    };
    std::sort(ids_.begin(), rest, by_bytes);
    std::sort(rest, ids_.end(), by_bytes);
    add_nodes(0, n_short);
    n_short_nodes_ = static_cast<uint32_t>(nodes_.size());
    for (uint32_t i = 0; i < n_short; ++i) {
        for (size_t n = bytes(static_cast<int32_t>(ids_[i])).size(); n <= kMaxShortBytes; ++n)
            short_[n].insert(ids_[i]);
    }
    add_nodes(n_short, static_cast<uint32_t>(ids_.size()));
    nodes_.push_back({0, static_cast<uint32_t>(ids_.size()), 0, 0, 0});
    find_plain();
}

bool TokenTrie::is_short_and_plain(uint32_t id) const {
    const std::string_view token = bytes(static_cast<int32_t>(id));
    return token.size() <= kMaxShortBytes &&
           std::all_of(token.begin(), token.end(), [](char c) { return is_plain(static_cast<uint8_t>(c)); });
}

void TokenTrie::add_nodes(uint32_t first, uint32_t last) {
    std::vector<uint32_t> path;  // the nodes above, from the first byte on
    std::string_view before;
    for (uint32_t i = first; i < last; ++i) {
        const std::string_view token = bytes(static_cast<int32_t>(ids_[i]));
        const auto differ = std::mismatch(token.begin(), token.end(), before.begin(), before.end());
        const auto n_same = static_cast<size_t>(differ.first - token.begin());
        for (; path.size() > n_same; path.pop_back())
            nodes_[path.back()].subtree_end = static_cast<uint32_t>(nodes_.size());
        for (size_t depth = n_same; depth < token.size(); ++depth) {
            path.push_back(static_cast<uint32_t>(nodes_.size()));
            nodes_.push_back({0, i, static_cast<uint16_t>(depth + 1), static_cast<uint8_t>(token[depth]), 0});
        }
        before = token;
    }
    for (const uint32_t node : path) nodes_[node].subtree_end = static_cast<uint32_t>(nodes_.size());
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

TokenSet TokenTrie::following(Automaton& automaton, std::span<Automaton::State> states) const {
    const auto [n_plain, ends] = automaton.plain_run(states.back(), kMaxShortBytes);
    const bool knows_short = ends || n_plain == kMaxShortBytes;
    TokenSet set = knows_short ? short_[n_plain] : TokenSet(n_vocab());
    std::vector<Automaton::State> live(states.begin(), states.end());  // the last ones are the states at each depth
    live.resize(states.size() + kMaxTokenBytes);
    const auto path = std::span(live).subspan(states.size() - 1);
    const auto end = static_cast<uint32_t>(nodes_.size() - 1);
    for (uint32_t i = knows_short ? n_short_nodes_ : 0; i < end;) {
        const Node& node = nodes_[i];
        if (!automaton.has_room_for(path[node.depth - 1u], node.byte)) {
            automaton.compact(std::span(live).first(states.size() - 1 + node.depth));
        }
        const Automaton::State after = automaton.advance(path[node.depth - 1u], node.byte);
        if (after == Automaton::kDead) {
            i = node.subtree_end;
            continue;
        }
        path[node.depth] = after;
        const uint8_t below = node.plain_below;
        i = below > 0 && automaton.plain_run(after, below).n == below ? node.subtree_end : i + 1;
        const uint32_t last_id = nodes_[i].first_id;
        for (uint32_t n = node.first_id; n < last_id; ++n) set.insert(ids_[n]);
    }
    std::copy_n(live.begin(), states.size(), states.begin());
    return set;
}

}  // namespace llmd::constraint
