#include "engine/compute/page_tables.h"

namespace llmd::compute {

using base::ErrorCode;

PageTables::PageTables(const BackendLimits& limits) : limits_(limits), slots_(limits.n_slots) {
    for (Slot& slot : slots_) {
        slot.pages.reserve(max_pages(limits));
        slot.next_pages.reserve(max_pages(limits));
    }
}

base::Result<void> PageTables::set(uint32_t slot, std::span<const uint32_t> pages) {
    if (slot >= limits_.n_slots) {
        return base::fail(ErrorCode::InvalidArgument, "slot ", slot, " is not below ", limits_.n_slots);
    }
    if (pages.size() > max_pages(limits_)) {
        return base::fail(ErrorCode::InvalidArgument, pages.size(), " pages for slot ", slot, " are more than ",
                          max_pages(limits_));
    }
    for (const uint32_t page : pages) {
        if (page >= limits_.n_pages) {
            return base::fail(ErrorCode::InvalidArgument, "page ", page, " is not below ", limits_.n_pages);
        }
    }
    slots_[slot].next_pages.assign(pages.begin(), pages.end());
    slots_[slot].changed = true;
    return {};
}

base::Result<void> PageTables::begin(std::span<const Row> rows) {
    for (Slot& slot : slots_) slot.next_position.reset();
    for (const Row& row : rows) {
        if (auto checked = check(row); !checked) return checked;
    }
    for (Slot& slot : slots_) {
        slot.is_new = slot.changed;
        if (slot.changed) slot.pages.assign(slot.next_pages.begin(), slot.next_pages.end());
        if (slot.changed) slot.has_sampled = false;
        slot.changed = false;
        slot.has_output = false;
    }
    for (const Row& row : rows) slots_[row.slot].has_output |= row.wants_output;
    return {};
}

void PageTables::mark_sampled() {
    for (Slot& slot : slots_) slot.has_sampled |= slot.has_output;
}

base::Result<void> PageTables::check(const Row& row) {
    if (row.slot >= limits_.n_slots) {
        return base::fail(ErrorCode::InvalidArgument, "slot ", row.slot, " is not below ", limits_.n_slots);
    }
    Slot& slot = slots_[row.slot];
    if (row.position >= limits_.n_ctx || row.position / kPageTokens >= slot.next_pages.size()) {
        return base::fail(ErrorCode::InvalidArgument, "position ", row.position, " of slot ", row.slot,
                          " has no page; the slot has ", slot.next_pages.size(), ", the context is ", limits_.n_ctx);
    }
    if (slot.next_position && row.position != *slot.next_position) {
        return base::fail(ErrorCode::InvalidArgument, "position ", row.position, " of slot ", row.slot,
                          " does not follow ", *slot.next_position - 1);
    }
    if (row.token == kSampledToken && (slot.changed || !slot.has_sampled)) {
        return base::fail(ErrorCode::InvalidArgument, "slot ", row.slot, " has no sampled token for position ",
                          row.position);
    }
    slot.next_position = row.position + 1;
    return {};
}

}  // namespace llmd::compute
