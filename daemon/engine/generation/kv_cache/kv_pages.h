// The KV cache as numbers: how many pages memory allows, which page belongs to which slot, and which hold a prefix that
// another sequence of the same scope may begin with (prefix_cache.h). The pages themselves live in the backend. A
// sequence gets every page it can ever need when it starts, so nothing runs out of memory in the middle of a text; one
// that cannot get them waits in its turn. A cached prefix is in nobody's way: its pages count as free.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend_factory.h"
#include "engine/generation/kv_cache/prefix_cache.h"
#include "engine/model/model_config.h"

namespace llmd::generation {

// For the activations, the driver and its compiler, and everybody else on the machine.
inline constexpr uint64_t kMemoryHeadroomBytes = 64u << 20;

// Keys and values of kPageTokens positions in every layer, as f16.
uint64_t kv_page_bytes(const model::ModelConfig& config);
uint32_t pages_for(uint32_t n_tokens);

// The number of pages to allocate: enough for n_slots sequences of n_ctx tokens if that takes at most half of what the
// weights leave free, else as many as that half holds, and not more than fit into one buffer, but never fewer than one
// whole sequence needs, and no more where memory is scarce. OutOfMemory names what is needed and what is there when
// weights, those pages and the headroom exceed what is available, or those pages the buffer.
base::Result<uint32_t> plan_kv_pages(const model::ModelConfig& config, uint32_t n_ctx, uint32_t n_slots,
                                     uint64_t weight_bytes, const compute::DeviceMemory& memory);

class KvPages {
public:
    // What a sequence consists of so far, and with whom it may share pages; with an empty scope with nobody.
    struct Text {
        const std::string& scope;
        std::span<const int32_t> ids;
    };

    KvPages(uint32_t n_pages, uint32_t n_slots);

    // A free slot with pages for n_tokens positions; nothing when slots or pages are short right now. The first of
    // these pages, n_cached(slot), hold what the cache has of `text`, its last token not included, since only that
    // token's computation gives the next one; nothing may be written to them.
    std::optional<uint32_t> open(uint32_t n_tokens, const Text& text);
    // Position p of the slot's sequence lives in page pages(slot)[p / kPageTokens].
    std::span<const uint32_t> pages(uint32_t slot) const { return slots_[slot].table; }
    uint32_t n_cached(uint32_t slot) const { return slots_[slot].n_cached; }
    // Before anything is computed in the slot: the first pages that n_cached() does not count have been filled from
    // elsewhere too, and `text` is what these hold now. They enter the cache, and n_cached() counts them.
    void take(uint32_t slot, const Text& text);
    // The keys and values of all of `text` are in the slot's pages, and right: those that are full enter the cache.
    // From now on nothing may be written to them.
    void enter(uint32_t slot, const Text& text);
    // What the slot's pages gave is wrong: the cache forgets those that it has, and whatever continues them.
    void forget(uint32_t slot);
    // The page that holds the last whole page of `text`, if the cache has it with all those before it.
    std::optional<uint32_t> find(const Text& text) const;
    // Precondition: open() gave this slot.
    void close(uint32_t slot);
    // Empties the cache, but for what slots hold. Gives the pages that hold nothing now.
    std::span<const uint32_t> drop_idle();

    // open(n_tokens, …) would succeed now.
    bool fits(uint32_t n_tokens) const;
    // It would if these slots were closed.
    bool fits_without(std::span<const uint32_t> slots, uint32_t n_tokens) const;

    struct Counts {
        uint32_t used = 0;    // held by slots
        uint32_t cached = 0;  // held by nobody, and of use to those who begin alike
        uint32_t total = 0;

        bool operator==(const Counts&) const = default;
    };
    Counts counts() const;

private:
    struct Slot {
        std::vector<uint32_t> table;  // empty: the slot is free
        // Where its text goes through the cache: element i is table[i], or another page with the same contents.
        std::vector<uint32_t> path;
        uint32_t n_cached = 0;
    };
    // The pages of the slot that closing it leaves to nobody; cached ones that have other holders are counted in
    // `n_closed`, by page.
    uint32_t n_only_of(const Slot& slot, std::map<uint32_t, uint32_t>& n_closed) const;

    uint32_t n_pages_;
    PrefixCache cache_;
    std::vector<uint32_t> free_pages_;  // the last one is given out first
    std::vector<uint32_t> free_slots_;
    std::vector<Slot> slots_;
};

}  // namespace llmd::generation
