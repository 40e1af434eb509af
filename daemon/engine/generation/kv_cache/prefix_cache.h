// Which KV pages hold the beginning of a text, for sequences that begin alike: a tree in which a page's keys and values
// belong to its kPageTokens token ids and to all those above it. Chains are found by their ids themselves, never by a
// hash of them, and within one scope only: a hit answers sooner, which tells what others have asked.
//
// A page in the tree is held by the sequences that use it; one that nobody holds is idle and can be taken back, the
// least recently used first, and none before those below it, which would be of no use without it. Since whoever holds a
// page holds those above it too, every idle page can be taken back.
//
// Bookkeeping only: pages are numbers, and what lies in them is the caller's to know.
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

    // The pages that hold the longest chain of whole pages with which `ids` begins.
    std::vector<uint32_t> find(const std::string& scope, std::span<const int32_t> ids) const;

    // The page of these ids below `parent`, or at the top of the scope without one: `page`, which enters the tree held
    // once, or one that is there already, which is held once more.
    // Precondition: `parent` is in the tree and held, `page` is not in the tree.
    uint32_t enter(const std::string& scope, std::optional<uint32_t> parent,
                   std::span<const int32_t, compute::kPageTokens> ids, uint32_t page);

    // Precondition: `page` is in the tree.
    void hold(uint32_t page);
    // Precondition: it is held. True when forget() has taken it out of the tree meanwhile and nobody else holds it.
    bool release(uint32_t page);

    // Takes the least recently used idle page out of the tree; nothing when none is idle.
    std::optional<uint32_t> evict();
    // Takes `page` and all below it out of the tree. Gives those that were idle; of the rest release() tells.
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

    // Takes an entry without children out of the tree.
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
