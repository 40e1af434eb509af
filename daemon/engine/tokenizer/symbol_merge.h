// The merge loop of both kinds of byte-pair encoding: as long as two neighbours can be merged, it merges the pair of
// the lowest rank, and the leftmost of several. A heap of candidates over a linked list makes that O(n log n).
// Thread-bound scratch: one object a call of encode().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace llmd::tokenizer {

// A substring of the text that becomes a token. With a `length` of 0 it has been merged into its left neighbour.
struct Symbol {
    uint32_t begin;
    uint32_t length;  // bytes
    int32_t id;       // -1: no token has this text
};

struct Merge {
    uint32_t rank;  // lower goes first
    int32_t id;     // what the pair becomes; -1: the pair does not merge
};

class SymbolMerger {
public:
    // Merges `symbols`, which cover a text of less than 2^31 bytes without gaps, and leaves the result in them.
    // `find(left, right)` returns the Merge of two neighbouring symbols.
    template <typename Find>
    void merge(std::vector<Symbol>& symbols, const Find& find) {
        const size_t n = symbols.size();
        links_.resize(n);
        heap_.clear();
        for (size_t i = 0; i < n; ++i) {
            links_[i] = {static_cast<int32_t>(i) - 1, i + 1 < n ? static_cast<int32_t>(i + 1) : -1};
            if (i + 1 < n) consider(symbols, find, static_cast<int32_t>(i));
        }
        std::make_heap(heap_.begin(), heap_.end(), later);
        while (!heap_.empty()) {
            std::pop_heap(heap_.begin(), heap_.end(), later);
            const Candidate candidate = heap_.back();
            heap_.pop_back();
            Symbol& left = symbols[static_cast<size_t>(candidate.left)];
            const int32_t next = links_[static_cast<size_t>(candidate.left)].next;
            if (left.length == 0 || next < 0) continue;
            Symbol& right = symbols[static_cast<size_t>(next)];
            // A candidate is stale when the pair no longer spans the same bytes. Borders only disappear, so equal
            // lengths mean equal borders.
            if (left.length + right.length != candidate.length) continue;

            left.length = candidate.length;
            left.id = candidate.id;
            right.length = 0;
            const int32_t after = links_[static_cast<size_t>(next)].next;
            links_[static_cast<size_t>(candidate.left)].next = after;
            if (after >= 0) links_[static_cast<size_t>(after)].previous = candidate.left;

            const int32_t before = links_[static_cast<size_t>(candidate.left)].previous;
            for (const int32_t i : {before, candidate.left}) {
                if (i >= 0 && consider(symbols, find, i)) std::push_heap(heap_.begin(), heap_.end(), later);
            }
        }
        std::erase_if(symbols, [](const Symbol& symbol) { return symbol.length == 0; });
    }

private:
    struct Link {
        int32_t previous, next;  // -1: none
    };
    struct Candidate {
        uint32_t rank;
        int32_t left;
        uint32_t length;  // of the pair
        int32_t id;
    };

    static bool later(const Candidate& a, const Candidate& b) {
        return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
    }

    template <typename Find>
    bool consider(const std::vector<Symbol>& symbols, const Find& find, int32_t at) {
        const int32_t next = links_[static_cast<size_t>(at)].next;
        if (next < 0) return false;
        const Symbol& left = symbols[static_cast<size_t>(at)];
        const Symbol& right = symbols[static_cast<size_t>(next)];
        const Merge merge = find(left, right);
        if (merge.id < 0) return false;
        heap_.push_back({merge.rank, at, left.length + right.length, merge.id});
        return true;
    }

    std::vector<Link> links_;
    std::vector<Candidate> heap_;
};

}  // namespace llmd::tokenizer
