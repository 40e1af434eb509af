// The prefix cache: a radix tree of KV pages for sequences that begin alike. A page's keys and values belong to its
// kPageTokens token ids and to all ids of the pages above it. Chains are found by comparing the ids themselves, not a
// hash of them. They are found within one scope only, because a hit is faster and so reveals what others have asked.
//
// A page in the tree is held by the sequences that use it. A page that none holds is idle and can be evicted, the least
// recently used first, but not before the pages below it, which would be useless without it. Every idle page can be
// evicted in time, since whoever holds a page also holds those above it.
//
// This is bookkeeping only: pages are numbers, and the caller knows their contents.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/compute/backend.h"

namespace llmd::generation {

class PrefixCache {
public:
    explicit PrefixCache(uint32_t n_pages) : entries_(n_pages) {}
    PrefixCache(const PrefixCache&) = delete;
    PrefixCache& operator=(const PrefixCache&) = delete;

    // Returns the pages of the longest chain of whole pages with which `ids` begins.
    std::vector<uint32_t> find(const std::string& scope, std::span<const int32_t> ids) const;

    // Enters `page` with these ids below `parent`, or at the top of the scope if there is no parent, and holds it. If
    // the tree has a page of these ids already, that one is held once more instead. Returns the page that is held.
    // Precondition: `parent` is in the tree and held, `page` is not in the tree.
    uint32_t enter(const std::string& scope, std::optional<uint32_t> parent,
                   std::span<const int32_t, compute::kPageTokens> ids, uint32_t page);

    // Precondition: `page` is in the tree.
    void hold(uint32_t page);
    // Returns true if the page is free now: forget() has removed it meanwhile and none holds it any more.
    // Precondition: it is held.
    bool release(uint32_t page);

    // Removes the least recently used idle page and returns it; returns nothing if none is idle.
    std::optional<uint32_t> evict();
    // Removes `page` and all pages below it, and returns them. Those that none holds are free; release() returns true
    // for the others.
    std::vector<uint32_t> forget(uint32_t page);

    bool contains(uint32_t page) const { return entries_[page].siblings != nullptr; }
    uint32_t n_holders(uint32_t page) const { return entries_[page].n_holders; }
    uint32_t n_pages() const { return n_pages_; }  // in the tree
    uint32_t n_idle() const { return n_idle_; }

private:
    using Ids = std::array<int32_t, compute::kPageTokens>;
    using Children = std::map<Ids, uint32_t>;

    struct Entry {
        Children* siblings = nullptr;  // and itself; null: it is not in the tree
        Children::iterator self;       // among them
        std::optional<uint32_t> parent;
        Children children;
        uint32_t n_holders = 0;
        uint64_t last_used = 0;  // meaningful while idle
    };

    // Removes an entry without children.
    void remove(uint32_t page);
    bool is_idle_leaf(const Entry& entry) const { return entry.n_holders == 0 && entry.children.empty(); }

    std::vector<Entry> entries_;  // by page
    std::map<std::string, Children> scopes_;
    std::set<std::pair<uint64_t, uint32_t>> idle_leaves_;  // (last_used, page)
    uint32_t n_pages_ = 0;
    uint32_t n_idle_ = 0;
    uint64_t now_ = 0;  // counts releases
};

}  // namespace llmd::generation
