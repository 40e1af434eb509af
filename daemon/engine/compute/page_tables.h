// The page tables say which KV pages hold each slot's positions, and whether the device holds an id sampled in
// it. What set() says takes effect with the next begin(), so that a step in progress keeps its pages. Thread-bound to
// the engine's thread; of() may be called from workers during a step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"

namespace llmd::compute {

class PageTables {
public:
    explicit PageTables(const BackendLimits& limits);

    // Most pages that one slot can have.
    static uint32_t max_pages(const BackendLimits& limits) { return (limits.n_ctx + kPageTokens - 1) / kPageTokens; }

    // As Backend::set_pages() and set_window_pages(). InvalidArgument names a slot, a page or a count that is beyond
    // the limits.
    base::Result<void> set(uint32_t slot, std::span<const uint32_t> pages);
    base::Result<void> set_window(uint32_t slot, uint32_t first, std::span<const uint32_t> pages);
    // Starts a batch. InvalidArgument names a row's slot or position that is beyond the limits or has no page, or a
    // position that does not follow the slot's previous one in the row before, or a slot that has no sampled token
    // where a row wants it; then nothing has changed. A row's window must have pages too.
    base::Result<void> begin(std::span<const Row> rows);

    // sample() was called for the batch: the slots of its outputs have a sampled token.
    void mark_sampled();

    // The pages of one slot, position p in [p / kPageTokens], kNoPage where it has none; they stay where they are until
    // the next begin().
    std::span<const uint32_t> of(uint32_t slot, KvPool pool) const { return slots_[slot].of(pool).pages; }
    // The last begin() gave the slot other pages.
    bool is_new(uint32_t slot, KvPool pool) const { return slots_[slot].of(pool).is_new; }

    static constexpr uint32_t kNoPage = UINT32_MAX;

private:
    struct Table {
        std::vector<uint32_t> pages;
        std::vector<uint32_t> next_pages;
        uint32_t next_first = 0;  // of next_pages that is a page
        bool changed = false;     // next_pages are not in use yet
        bool is_new = false;

        void set(uint32_t first, std::span<const uint32_t> all);
        void begin();
    };
    struct Slot {
        std::array<Table, kKvPools> tables;
        bool is_restarted = false;              // by set()
        bool has_output = false;                // in this batch
        bool has_sampled = false;               // of a batch before it, or of this one after sample()
        std::optional<uint32_t> next_position;  // that a further row of this batch must have

        Table& of(KvPool pool) { return tables[static_cast<size_t>(pool)]; }
        const Table& of(KvPool pool) const { return tables[static_cast<size_t>(pool)]; }
    };

    base::Result<void> check(const Row& row, bool is_first);  // of its slot's rows here
    base::Result<void> check_pages(uint32_t slot, KvPool pool, size_t n, std::span<const uint32_t> pages) const;

    BackendLimits limits_;
    std::vector<Slot> slots_;
};

}  // namespace llmd::compute
