// The page tables of the KV cache: how many pages memory allows, which page belongs to which slot, and which pages hold
// a prefix that another sequence of the same scope may begin with (prefix_cache.h). The pages themselves are in the
// backend. A sequence gets all pages that it can need when it starts, so that it cannot run out of memory in the middle
// of a text; if there are too few it waits. Cached pages that no sequence uses count as free.
//
// Layers with a window have pages of their own (window_pages.h), which come and go while a sequence runs. A sequence
// can then go on from a cached prefix only where the pages that its windows see are there too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend_factory.h"
#include "engine/generation/kv_cache/prefix_cache.h"
#include "engine/generation/kv_cache/window_pages.h"
#include "engine/model/decoder_spec.h"

namespace llmd::generation {

// Memory that is left for the activations, the driver and its compiler, and other programs.
inline constexpr uint64_t kMemoryHeadroomBytes = 64u << 20;

// Left beside these where the engine's memory is bounded: for what requests hold, like texts and grammars.
inline constexpr uint64_t kRequestReserveBytes = 16u << 20;

// The memory of one sequence's pages, as the CPU keeps them; OpenCL takes no more. Layers of the window that has pages
// of its own let go of what it no longer sees.
struct ContextMemory {
    uint64_t bytes_per_token = 0;         // of all other layers, at each position
    uint64_t window_bytes_per_token = 0;  // of those layers
    uint32_t window_tokens = 0;           // positions that those keep, at most
    uint32_t border_tokens = 0;           // and as many for the prefix cache, where memory is not scarce
};
// n_ctx and max_rows of `limits` must be set. The window is chosen as plan_kv_pages() does for that context.
ContextMemory context_memory(const model::DecoderSpec& spec, compute::BackendLimits limits);

// A bound of the engine's memory (LoadOptions::memory_bytes).
struct MemoryBound {
    uint64_t bytes = 0;
    uint64_t rest = 0;  // of them, for all but weights and pages
};

// Sets the limits' n_pages, and where pages of their own for the layers of a window take less memory, window and
// n_window_pages; n_ctx and max_rows must be set. The pages are enough for n_sequences of n_ctx tokens, if that takes
// at most half of the memory that the weights leave free, and else for as many as that half holds; they are not more
// than fit into one buffer, and never fewer than one whole sequence needs. If memory is scarce they are just that.
// Otherwise there are windowed pages for the prefix cache beside those of sequences: of one border for each sequence.
// With a bound, the pages may take all that weights and rest leave of it, instead of half of what is available, and
// there are none for borders if those of one sequence leave too little.
// OutOfMemory names the memory that is needed and available or allowed, if the weights, the pages of one sequence and
// the headroom exceed the available memory, with the rest exceed the bound, or those pages exceed the buffer.
base::Result<void> plan_kv_pages(const model::DecoderSpec& spec, uint32_t n_sequences, uint64_t weight_bytes,
                                 const compute::DeviceMemory& memory, compute::BackendLimits& limits,
                                 const std::optional<MemoryBound>& bound = {});

class KvPages {
public:
    // The tokens of a sequence so far, and the scope in which it may share pages; with an empty scope it shares none.
    struct Text {
        const std::string& scope;
        std::span<const int32_t> ids;
    };

    KvPages(uint32_t n_pages, uint32_t n_slots, const std::optional<WindowPages::Limits>& window = {});
    // For the pages of such a backend.
    explicit KvPages(const compute::BackendLimits& limits);

    // Opens a free slot with pages for n_tokens positions; returns nothing if there are too few slots or pages. The
    // first n_cached(slot) of these pages hold what the cache has of `text`, and nothing may be written to them. The
    // last token is never taken from the cache, since only computing it gives the next one.
    std::optional<uint32_t> open(uint32_t n_tokens, const Text& text);
    // Position p of the slot's sequence is in page pages(slot)[p / kPageTokens].
    std::span<const uint32_t> pages(uint32_t slot) const { return slots_[slot].table; }
    uint32_t n_cached(uint32_t slot) const { return slots_[slot].n_cached; }
    // Before positions [begin, end) are computed, of which `begin` is the first that has not been for certain: gives
    // the slot windowed pages for them, and takes back what no position from `begin` on sees. Returns true if the
    // backend must be told of the slot's windowed pages.
    bool cover(uint32_t slot, uint32_t begin, uint32_t end) { return window_ && window_->cover(slot, begin, end); }
    // The slot's windowed pages: page first_window_page(slot) + i of its table.
    uint32_t first_window_page(uint32_t slot) const { return window_ ? window_->first(slot) : 0; }
    std::span<const uint32_t> window_pages(uint32_t slot) const {
        return window_ ? window_->pages(slot) : std::span<const uint32_t>();
    }
    // Null without windowed pages.
    WindowPages* windows() { return window_ ? &*window_ : nullptr; }
    const WindowPages* windows() const { return window_ ? &*window_ : nullptr; }
    // Takes pages that were filled from the on-disk prefix cache, before anything is computed in the slot: the slot's
    // first pages hold all of `text` now, and its windowed ones what the position behind it sees. They enter the cache,
    // and n_cached() counts them.
    void take(uint32_t slot, const Text& text);
    // Enters the full pages of `text` into the cache. The keys and values of all of `text` are in the slot's pages and
    // valid, and from now on nothing may be written to the full ones.
    void enter(uint32_t slot, const Text& text);
    // Drops the slot's pages, and all that continue them, from the cache, because their contents are wrong.
    void forget(uint32_t slot);
    // Returns the page of this pool of the last whole page of `text`, if the cache has it and all of KvPool::Full
    // before it.
    std::optional<uint32_t> find(compute::KvPool pool, const Text& text) const;
    // Precondition: open() gave this slot.
    void close(uint32_t slot);
    // Drops all cached pages that no slot holds.
    void drop_idle();
    std::span<const uint32_t> free_pages(compute::KvPool pool) const;

    // True if open(n_tokens, …) would succeed now.
    bool fits(uint32_t n_tokens) const;
    // True if it would succeed with these slots closed.
    bool fits_without(std::span<const uint32_t> slots, uint32_t n_tokens) const;

    // The counts of KvPool::Full.
    struct Counts {
        uint32_t used = 0;    // held by slots
        uint32_t cached = 0;  // held by no slot, and in the prefix cache
        uint32_t total = 0;

        bool operator==(const Counts&) const = default;
    };
    Counts counts() const;

private:
    struct Slot {
        std::vector<uint32_t> table;  // empty: the slot is free
        // The cached pages of its text: element i is table[i], or another page with the same contents.
        std::vector<uint32_t> path;
        uint32_t n_cached = 0;
    };
    // Returns the number of pages that closing the slot makes free. `n_closed` counts by page the closed slots that
    // hold a cached page, which becomes free with its last holder.
    uint32_t n_only_of(const Slot& slot, std::map<uint32_t, uint32_t>& n_closed) const;

    std::optional<uint32_t> evict();

    uint32_t n_pages_;
    PrefixCache cache_;
    std::optional<WindowPages> window_;
    std::vector<uint32_t> free_pages_;  // the last one is given out first
    std::vector<uint32_t> free_slots_;
    std::vector<Slot> slots_;
};

}  // namespace llmd::generation
