#include "engine/compute/page_tables.h"

#include <utility>

namespace llmd::compute {

using base::ErrorCode;

PageTables::PageTables(const BackendLimits& limits) : limits_(limits), slots_(limits.n_slots) {
    for (Slot& slot : slots_) {
        for (Table& table : slot.tables) {
            table.pages.reserve(max_pages(limits));
            table.next_pages.reserve(max_pages(limits));
        }
    }
}

base::Result<void> PageTables::set(uint32_t slot, std::span<const uint32_t> pages) {
    if (auto checked = check_pages(slot, KvPool::Full, pages.size(), pages); !checked) return checked;
    slots_[slot].of(KvPool::Full).set(0, pages);
    slots_[slot].of(KvPool::Window).set(0, {});
    slots_[slot].is_restarted = true;
    return {};
}

base::Result<void> PageTables::set_window(uint32_t slot, uint32_t first, std::span<const uint32_t> pages) {
    if (auto checked = check_pages(slot, KvPool::Window, first + pages.size(), pages); !checked) return checked;
    slots_[slot].of(KvPool::Window).set(first, pages);
    return {};
}

base::Result<void> PageTables::check_pages(uint32_t slot, KvPool pool, size_t n,
                                           std::span<const uint32_t> pages) const {
    if (slot >= limits_.n_slots) {
        return base::fail(ErrorCode::InvalidArgument, "slot ", slot, " is not below ", limits_.n_slots);
    }
    if (n > max_pages(limits_)) {
        return base::fail(ErrorCode::InvalidArgument, n, " pages for slot ", slot, " are more than ",
                          max_pages(limits_));
    }
    for (const uint32_t page : pages) {
        if (page >= limits_.pages_of(pool)) {
            return base::fail(ErrorCode::InvalidArgument, "page ", page, " is not below ", limits_.pages_of(pool));
        }
    }
    return {};
}

void PageTables::Table::set(uint32_t first, std::span<const uint32_t> all) {
    next_pages.assign(first, kNoPage);
    next_pages.insert(next_pages.end(), all.begin(), all.end());
    next_first = first;
    changed = true;
}

void PageTables::Table::begin() {
    is_new = std::exchange(changed, false);
    if (is_new) pages.assign(next_pages.begin(), next_pages.end());
}

base::Result<void> PageTables::begin(std::span<const Row> rows) {
    for (Slot& slot : slots_) slot.next_position.reset();
    for (const Row& row : rows) {
        const bool is_first = &row == rows.data() || (&row - 1)->slot != row.slot;
        if (auto checked = check(row, is_first); !checked) return checked;
    }
    for (Slot& slot : slots_) {
        for (Table& table : slot.tables) table.begin();
        if (std::exchange(slot.is_restarted, false)) slot.has_sampled = false;
        slot.has_output = false;
    }
    for (const Row& row : rows) slots_[row.slot].has_output |= row.wants_output;
    return {};
}

void PageTables::mark_sampled() {
    for (Slot& slot : slots_) slot.has_sampled |= slot.has_output;
}

base::Result<void> PageTables::check(const Row& row, bool is_first) {
    if (row.slot >= limits_.n_slots) {
        return base::fail(ErrorCode::InvalidArgument, "slot ", row.slot, " is not below ", limits_.n_slots);
    }
    Slot& slot = slots_[row.slot];
    const size_t n_pages = slot.of(KvPool::Full).next_pages.size();
    if (row.position >= limits_.n_ctx || row.position / kPageTokens >= n_pages) {
        return base::fail(ErrorCode::InvalidArgument, "position ", row.position, " of slot ", row.slot,
                          " has no page; the slot has ", n_pages, ", the context is ", limits_.n_ctx);
    }
    const Table& windowed = slot.of(KvPool::Window);
    const uint32_t first_seen = model::first_seen(row.position, limits_.window);
    if (limits_.window != 0 &&
        (first_seen / kPageTokens < windowed.next_first || row.position / kPageTokens >= windowed.next_pages.size())) {
        return base::fail(ErrorCode::InvalidArgument, "the window of position ", row.position, " of slot ", row.slot,
                          " has no page; the slot has those from ", windowed.next_first, " to ",
                          windowed.next_pages.size());
    }
    if (slot.next_position && is_first) {
        return base::fail(ErrorCode::InvalidArgument, "position ", row.position, " of slot ", row.slot,
                          " stands apart from the slot's other rows");
    }
    if (slot.next_position && row.position != *slot.next_position) {
        return base::fail(ErrorCode::InvalidArgument, "position ", row.position, " of slot ", row.slot,
                          " does not follow ", *slot.next_position - 1);
    }
    if (row.token == kSampledToken && (slot.is_restarted || !slot.has_sampled)) {
        return base::fail(ErrorCode::InvalidArgument, "slot ", row.slot, " has no sampled token for position ",
                          row.position);
    }
    slot.next_position = row.position + 1;
    return {};
}

}  // namespace llmd::compute
