// The pages of KvPool::Window: those of the layers whose queries see the last positions only. A slot holds the pages
// that its next rows see and lets go of those behind; it reserves the most that it can need when it opens, so that it
// cannot run out of them in the middle of a text.
//
// A page that is let go stays for the prefix cache as long as nobody needs it. It belongs to a node of the cache: the
// page of KvPool::Full that holds the same positions of the same text. A text can go on from a border between two pages
// if all windowed pages that the position behind it sees are still there. The pages behind a border that is likely to
// come again are given away last: the end of a text and of its prompt, and where another text has branched off.
//
// This is bookkeeping only, part of KvPages. "Page i" is the i-th of a text, as in a page table.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/compute/backend.h"

namespace llmd::generation {

// The pages of so many tokens.
uint32_t pages_for(uint32_t n_tokens);

class WindowPages {
public:
    struct Limits {
        uint32_t window = 0;
        uint32_t n_pages = 0;
        uint32_t max_rows = 0;  // of one slot that are computed together
    };

    WindowPages(const Limits& limits, uint32_t n_slots, uint32_t n_nodes);

    // The first page that the position behind page n - 1 sees.
    static uint32_t first_seen(uint32_t window, uint32_t n);
    // How many windowed pages a text needs to go on behind its first n pages.
    static uint32_t behind_border(uint32_t window, uint32_t n) { return n - first_seen(window, n); }
    // The most pages that a slot of so many tokens holds.
    static uint32_t most_held(uint32_t window, uint32_t max_rows, uint32_t n_tokens);

    uint32_t behind_border(uint32_t n) const { return behind_border(limits_.window, n); }
    // True if there is room for one more slot once `n_reserved` pages are reserved no more.
    bool fits(uint32_t n_tokens, uint32_t n_reserved = 0) const;
    uint32_t n_reserved(uint32_t slot) const { return slots_[slot].reserved; }
    // The longest part of this chain of nodes that a text can go on from.
    uint32_t longest(std::span<const uint32_t> chain) const;

    // Opens a slot that goes on behind `chain`, which longest() allows. `n_prompt` is how many pages the same text
    // would find, `n_branch` how many another text in the cache has in common: their borders are likely to come again.
    // Precondition: fits().
    void open(uint32_t slot, uint32_t n_tokens, std::span<const uint32_t> chain, uint32_t n_prompt, uint32_t n_branch);
    // As KvPages::cover().
    bool cover(uint32_t slot, uint32_t begin, uint32_t end);
    uint32_t first(uint32_t slot) const { return slots_[slot].first; }
    std::span<const uint32_t> pages(uint32_t slot) const { return slots_[slot].pages; }
    // Page i of the slot, if it still has it, belongs to this node, unless the node has one.
    void attach(uint32_t slot, uint32_t i, uint32_t node);
    // Free pages for the n pages of a text that the position behind them sees, to be filled from elsewhere; nothing if
    // there are too few. Either replace() makes them the slot's, in place of what it holds, or give_back() takes them
    // back.
    std::optional<std::vector<uint32_t>> borrow(uint32_t n);
    void replace(uint32_t slot, uint32_t n, std::vector<uint32_t> pages);
    void give_back(std::span<const uint32_t> pages);
    void close(uint32_t slot);

    // The page of this node, if it has one.
    std::optional<uint32_t> of_node(uint32_t node) const { return of_node_[node]; }
    // The node has left the prefix cache.
    void drop_node(uint32_t node);
    // Those that no slot holds and no node has.
    std::span<const uint32_t> free_pages() const { return free_; }

private:
    struct Page {
        std::optional<uint32_t> node;
        uint32_t n_holders = 0;
        bool is_border = false;  // meaningful, like last_used, while none holds it
        uint64_t last_used = 0;
    };
    struct Slot {
        uint32_t first = 0;
        std::vector<uint32_t> pages;  // page first + i
        // These pages are needed by a branch, and the slot does not see them any more, until attach(): page i, its
        // number.
        std::vector<std::pair<uint32_t, uint32_t>> kept;
        uint32_t reserved = 0;
        uint32_t n_prompt = 0, n_branch = 0;
        bool changed = true;  // since cover() said so
    };

    auto key(uint32_t page) const { return std::tuple(pages_[page].is_border, pages_[page].last_used, page); }
    bool is_behind(uint32_t border, uint32_t i) const { return i < border && i >= first_seen(limits_.window, border); }
    bool is_border(const Slot& slot, uint32_t i) const {
        return is_behind(slot.n_prompt, i) || is_behind(slot.n_branch, i);
    }
    uint32_t take();
    void hold(uint32_t page);
    void release(uint32_t page, bool is_border);

    const Limits limits_;
    std::vector<Page> pages_;
    std::vector<Slot> slots_;
    std::vector<std::optional<uint32_t>> of_node_;
    std::vector<uint32_t> free_;
    std::set<std::tuple<bool, uint64_t, uint32_t>> idle_;  // key() of those that have a node and no holder
    uint32_t reserved_ = 0;                                // by all slots
    uint64_t now_ = 0;                                     // counts releases
};

}  // namespace llmd::generation
