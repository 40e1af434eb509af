#include "engine/generation/kv_cache/kv_pages.h"

#include <algorithm>

namespace llmd::generation {

namespace {

constexpr uint64_t kKeyAndValue = 2;
constexpr uint64_t kHalfBytes = 2;

}  // namespace

uint64_t kv_page_bytes(const model::DecoderSpec& spec) {
    uint64_t rows = 0;
    for (const model::LayerSpec& layer : spec.layers) rows += layer.kv_rows();
    return uint64_t{compute::kPageTokens} * kKeyAndValue * rows * kHalfBytes;
}

uint32_t pages_for(uint32_t n_tokens) {
    return n_tokens / compute::kPageTokens + (n_tokens % compute::kPageTokens != 0 ? 1 : 0);
}

base::Result<uint32_t> plan_kv_pages(const model::DecoderSpec& spec, uint32_t n_ctx, uint32_t n_slots,
                                     uint64_t weight_bytes, const compute::DeviceMemory& memory) {
    const uint64_t available_bytes = memory.available_bytes;
    const uint64_t page_bytes = kv_page_bytes(spec);
    const uint64_t least = pages_for(n_ctx);
    const uint64_t most = least * n_slots;
    const uint64_t taken = weight_bytes + kMemoryHeadroomBytes;
    const uint64_t free = available_bytes > taken ? available_bytes - taken : 0;
    // weight_bytes is compared alone first, since `taken` may overflow.
    if (weight_bytes > available_bytes || least * page_bytes > free) {
        return base::fail(base::ErrorCode::OutOfMemory, "the model needs ", weight_bytes, " bytes for weights, ",
                          least * page_bytes, " for the cache of one sequence of ", n_ctx, " tokens and ",
                          kMemoryHeadroomBytes, " to work in; ", available_bytes, " bytes of memory are available");
    }
    const uint64_t buffer_page_bytes = uint64_t{compute::kPageTokens} * kKeyAndValue * spec.max_kv_rows() * kHalfBytes;
    const uint64_t most_in_buffer = memory.max_buffer_bytes / buffer_page_bytes;
    if (least > most_in_buffer) {
        return base::fail(base::ErrorCode::OutOfMemory, "the cache of one sequence of ", n_ctx, " tokens needs ",
                          least * buffer_page_bytes, " bytes in one buffer; the device gives at most ",
                          memory.max_buffer_bytes);
    }
    if (memory.is_scarce) return static_cast<uint32_t>(least);
    return static_cast<uint32_t>(std::clamp(free / 2 / page_bytes, least, std::min(most, most_in_buffer)));
}

KvPages::KvPages(uint32_t n_pages, uint32_t n_slots) : n_pages_(n_pages), cache_(n_pages), slots_(n_slots) {
    for (uint32_t i = n_pages; i-- > 0;) free_pages_.push_back(i);
    for (uint32_t i = n_slots; i-- > 0;) free_slots_.push_back(i);
}

bool KvPages::fits(uint32_t n_tokens) const {
    return !free_slots_.empty() && free_pages_.size() + cache_.n_idle() >= pages_for(n_tokens);
}

bool KvPages::fits_without(std::span<const uint32_t> slots, uint32_t n_tokens) const {
    if (free_slots_.empty() && slots.empty()) return false;
    std::map<uint32_t, uint32_t> n_closed;
    size_t n = free_pages_.size() + cache_.n_idle();
    for (const uint32_t slot : slots) n += n_only_of(slots_[slot], n_closed);
    return n >= pages_for(n_tokens);
}

uint32_t KvPages::n_only_of(const Slot& slot, std::map<uint32_t, uint32_t>& n_closed) const {
    uint32_t n = 0;
    for (size_t i = 0; i < slot.table.size(); ++i) {
        const bool on_path = i < slot.path.size();
        if (on_path && ++n_closed[slot.path[i]] == cache_.n_holders(slot.path[i])) ++n;
        if (!on_path || slot.path[i] != slot.table[i]) ++n;
    }
    return n;
}

std::optional<uint32_t> KvPages::open(uint32_t n_tokens, const Text& text) {
    if (!fits(n_tokens)) return std::nullopt;
    const uint32_t number = free_slots_.back();
    free_slots_.pop_back();
    Slot& slot = slots_[number];
    if (!text.scope.empty() && !text.ids.empty()) {
        slot.path = cache_.find(text.scope, text.ids.first(text.ids.size() - 1));
    }
    // They are held first, so that they are not evicted to make room.
    for (const uint32_t page : slot.path) cache_.hold(page);
    slot.n_cached = static_cast<uint32_t>(slot.path.size());
    slot.table = slot.path;
    while (slot.table.size() < pages_for(n_tokens)) {
        if (free_pages_.empty()) free_pages_.push_back(*cache_.evict());
        slot.table.push_back(free_pages_.back());
        free_pages_.pop_back();
    }
    return number;
}

void KvPages::take(uint32_t number, const Text& text) {
    enter(number, text);
    slots_[number].n_cached = static_cast<uint32_t>(slots_[number].path.size());
}

void KvPages::enter(uint32_t number, const Text& text) {
    Slot& slot = slots_[number];
    if (text.scope.empty()) return;
    const size_t n_full = text.ids.size() / compute::kPageTokens;
    while (slot.path.size() < n_full) {
        const size_t i = slot.path.size();
        if (i > 0 && !cache_.contains(slot.path.back())) return;  // forgotten
        slot.path.push_back(cache_.enter(text.scope, i > 0 ? std::optional(slot.path.back()) : std::nullopt,
                                         text.ids.subspan(i * compute::kPageTokens).first<compute::kPageTokens>(),
                                         slot.table[i]));
    }
}

void KvPages::forget(uint32_t number) {
    const Slot& slot = slots_[number];
    if (slot.path.empty() || !cache_.contains(slot.path.front())) return;
    const auto idle = cache_.forget(slot.path.front());
    free_pages_.insert(free_pages_.end(), idle.begin(), idle.end());
}

std::optional<uint32_t> KvPages::find(const Text& text) const {
    const auto chain = cache_.find(text.scope, text.ids);
    if (chain.empty() || chain.size() < text.ids.size() / compute::kPageTokens) return std::nullopt;
    return chain.back();
}

void KvPages::close(uint32_t number) {
    Slot& slot = slots_[number];
    for (size_t i = slot.table.size(); i-- > 0;) {
        const bool on_path = i < slot.path.size();
        if (on_path && cache_.release(slot.path[i])) free_pages_.push_back(slot.path[i]);
        if (!on_path || slot.path[i] != slot.table[i]) free_pages_.push_back(slot.table[i]);
    }
    slot = {};
    free_slots_.push_back(number);
}

std::span<const uint32_t> KvPages::drop_idle() {
    while (const auto page = cache_.evict()) free_pages_.push_back(*page);
    return free_pages_;
}

KvPages::Counts KvPages::counts() const {
    const auto n_free = static_cast<uint32_t>(free_pages_.size());
    return {.used = n_pages_ - n_free - cache_.n_idle(), .cached = cache_.n_idle(), .total = n_pages_};
}

}  // namespace llmd::generation
