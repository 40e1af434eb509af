#include "engine/generation/kv_cache/window_pages.h"

#include <algorithm>
#include <utility>

namespace llmd::generation {

using compute::kPageTokens;

uint32_t pages_for(uint32_t n_tokens) {
    return n_tokens / kPageTokens + (n_tokens % kPageTokens != 0 ? 1 : 0);
}

WindowPages::WindowPages(const Limits& limits, uint32_t n_slots, uint32_t n_nodes)
    : limits_(limits), pages_(limits.n_pages), slots_(n_slots), of_node_(n_nodes) {
    for (uint32_t i = limits.n_pages; i-- > 0;) free_.push_back(i);
}

uint32_t WindowPages::first_seen(uint32_t window, uint32_t n) {
    return model::first_seen(n * kPageTokens, window) / kPageTokens;
}

uint32_t WindowPages::most_held(uint32_t window, uint32_t max_rows, uint32_t n_tokens) {
    // So many positions take the most pages, wherever they begin.
    const uint32_t most = pages_for(window - 1 + max_rows) + 1;
    return std::min(most, pages_for(n_tokens));
}

bool WindowPages::fits(uint32_t n_tokens, uint32_t n_reserved) const {
    return reserved_ - n_reserved + most_held(limits_.window, limits_.max_rows, n_tokens) <= limits_.n_pages;
}

uint32_t WindowPages::longest(std::span<const uint32_t> chain) const {
    // From the end: how many nodes from here on have a page without a gap.
    for (auto n = static_cast<uint32_t>(chain.size()); n > 0;) {
        const uint32_t first = first_seen(limits_.window, n);
        uint32_t i = n;
        while (i > first && of_node_[chain[i - 1]]) --i;
        if (i == first) return n;
        n = i - 1;  // every border that sees page i - 1 lacks it, and so does the one right behind it
        while (n > 0 && !of_node_[chain[n - 1]]) --n;
    }
    return 0;
}

void WindowPages::open(uint32_t number, uint32_t n_tokens, std::span<const uint32_t> chain, uint32_t n_prompt,
                       uint32_t n_branch) {
    Slot& slot = slots_[number];
    const auto n = static_cast<uint32_t>(chain.size());
    slot.first = first_seen(limits_.window, n);
    for (const uint32_t node : chain.subspan(slot.first)) {
        hold(*of_node_[node]);
        slot.pages.push_back(*of_node_[node]);
    }
    slot.reserved = most_held(limits_.window, limits_.max_rows, n_tokens);
    slot.n_prompt = n_prompt;
    // A branch's pages are computed long before they can be attached. They are kept if there is room.
    const uint32_t for_branch = n_branch > n ? behind_border(limits_.window, n_branch) : 0;
    if (reserved_ + slot.reserved + for_branch <= limits_.n_pages) {
        slot.reserved += for_branch;
        slot.n_branch = n_branch;
    }
    reserved_ += slot.reserved;
}

bool WindowPages::cover(uint32_t number, uint32_t begin, uint32_t end) {
    Slot& slot = slots_[number];
    const uint32_t first = model::first_seen(begin, limits_.window) / kPageTokens;
    size_t n_behind = 0;
    for (; slot.first < first && n_behind < slot.pages.size(); ++slot.first, ++n_behind) {
        const uint32_t page = slot.pages[n_behind];
        if (is_behind(slot.n_branch, slot.first) && !pages_[page].node) {
            slot.kept.emplace_back(slot.first, page);
        } else {
            release(page, is_border(slot, slot.first));
        }
    }
    slot.pages.erase(slot.pages.begin(), slot.pages.begin() + static_cast<ptrdiff_t>(n_behind));
    if (slot.pages.empty()) slot.first = first;
    while (slot.first + slot.pages.size() < pages_for(end)) {
        slot.pages.push_back(take());
        slot.changed = true;
    }
    return std::exchange(slot.changed, false);
}

void WindowPages::attach(uint32_t number, uint32_t i, uint32_t node) {
    Slot& slot = slots_[number];
    const auto kept = std::find_if(slot.kept.begin(), slot.kept.end(), [&](const auto& one) { return one.first == i; });
    const bool is_seen = i >= slot.first && i - slot.first < slot.pages.size();
    if (kept == slot.kept.end() && !is_seen) return;
    const uint32_t page = is_seen ? slot.pages[i - slot.first] : kept->second;
    if (!of_node_[node] && !pages_[page].node) {
        of_node_[node] = page;
        pages_[page].node = node;
    }
    if (is_seen) return;
    release(page, true);
    slot.kept.erase(kept);
}

std::optional<std::vector<uint32_t>> WindowPages::borrow(uint32_t n) {
    const uint32_t wanted = behind_border(limits_.window, n);
    if (free_.size() + idle_.size() < wanted) return std::nullopt;
    std::vector<uint32_t> pages;
    while (pages.size() < wanted) pages.push_back(take());
    return pages;
}

void WindowPages::replace(uint32_t number, uint32_t n, std::vector<uint32_t> pages) {
    Slot& slot = slots_[number];
    for (const uint32_t page : slot.pages) release(page, false);
    slot.first = first_seen(limits_.window, n);
    slot.pages = std::move(pages);
    slot.changed = true;
}

void WindowPages::give_back(std::span<const uint32_t> pages) {
    for (const uint32_t page : pages) release(page, false);
}

void WindowPages::close(uint32_t number) {
    Slot& slot = slots_[number];
    for (const auto& [i, page] : slot.kept) release(page, true);
    for (const uint32_t page : slot.pages) release(page, true);
    reserved_ -= slot.reserved;
    slot = {};
}

void WindowPages::drop_node(uint32_t node) {
    const auto page = std::exchange(of_node_[node], std::nullopt);
    if (!page) return;
    if (pages_[*page].n_holders == 0) {
        idle_.erase(key(*page));
        free_.push_back(*page);
    }
    pages_[*page].node.reset();
}

uint32_t WindowPages::take() {
    if (free_.empty()) drop_node(*pages_[std::get<uint32_t>(*idle_.begin())].node);
    const uint32_t page = free_.back();
    free_.pop_back();
    pages_[page] = {.n_holders = 1};
    return page;
}

void WindowPages::hold(uint32_t page) {
    if (pages_[page].n_holders++ == 0) idle_.erase(key(page));
}

void WindowPages::release(uint32_t number, bool is_border) {
    Page& page = pages_[number];
    if (--page.n_holders > 0) return;
    if (!page.node) {
        free_.push_back(number);
        return;
    }
    page.is_border = is_border;
    page.last_used = ++now_;
    idle_.insert(key(number));
}

}  // namespace llmd::generation
