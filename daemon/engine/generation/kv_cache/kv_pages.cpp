#include "engine/generation/kv_cache/kv_pages.h"

#include <algorithm>
#include <string_view>

namespace llmd::generation {

namespace {

constexpr uint64_t kKeyAndValue = 2;
constexpr uint64_t kHalfBytes = 2;

uint64_t page_bytes(uint32_t kv_rows) {
    return uint64_t{compute::kPageTokens} * kKeyAndValue * kv_rows * kHalfBytes;
}

uint64_t token_bytes(const model::LayerSpec& layer) {
    // Floats in place of two halves.
    if (layer.is_convolution()) return kKeyAndValue * layer.kv_rows() * kHalfBytes;
    return (layer.kv_rows() + uint64_t{layer.n_kv_heads} * compute::padded_value_dim(layer.head_dim)) * kHalfBytes;
}

uint64_t page_bytes(const model::LayerSpec& layer) {
    return compute::kPageTokens * token_bytes(layer);
}

uint64_t page_bytes(const model::DecoderSpec& spec, const compute::BackendLimits& limits, compute::KvPool pool) {
    uint64_t bytes = 0;
    for (const model::LayerSpec& layer : spec.layers) {
        bytes += limits.pool_of(layer) == pool ? page_bytes(layer) : 0;
    }
    return bytes;
}

// The window whose layers save most if they keep what it sees only, and a border of each sequence for the prefix cache;
// 0 if none saves anything.
uint32_t best_window(const model::DecoderSpec& spec, const compute::BackendLimits& limits) {
    std::map<uint32_t, uint64_t> saved;  // by window
    for (const model::LayerSpec& layer : spec.layers) {
        if (layer.window == 0 || layer.window >= limits.n_ctx) continue;
        const uint32_t all = pages_for(limits.n_ctx);
        const uint32_t kept = WindowPages::most_held(layer.window, limits.max_rows, limits.n_ctx) +
                              WindowPages::behind_border(layer.window, all);
        if (kept < all) saved[layer.window] += (all - kept) * page_bytes(layer);
    }
    uint32_t best = 0;
    for (const auto& [window, bytes] : saved) {
        if (bytes > (best == 0 ? 0 : saved[best])) best = window;
    }
    return best;
}

}  // namespace

ContextMemory context_memory(const model::DecoderSpec& spec, compute::BackendLimits limits) {
    limits.window = best_window(spec, limits);
    ContextMemory memory;
    for (const model::LayerSpec& layer : spec.layers) {
        const bool is_windowed = limits.pool_of(layer) == compute::KvPool::Window;
        (is_windowed ? memory.window_bytes_per_token : memory.bytes_per_token) += token_bytes(layer);
    }
    if (limits.window == 0) return memory;
    memory.window_tokens = compute::kPageTokens * WindowPages::most_held(limits.window, limits.max_rows, limits.n_ctx);
    memory.border_tokens = compute::kPageTokens * WindowPages::behind_border(limits.window, pages_for(limits.n_ctx));
    return memory;
}

base::Result<void> plan_kv_pages(const model::DecoderSpec& spec, uint32_t n_sequences, uint64_t weight_bytes,
                                 const compute::DeviceMemory& memory, compute::BackendLimits& limits,
                                 const std::optional<MemoryBound>& bound) {
    limits.window = best_window(spec, limits);
    const uint64_t least = pages_for(limits.n_ctx);
    const uint64_t windowed =
        limits.window == 0 ? 0 : WindowPages::most_held(limits.window, limits.max_rows, limits.n_ctx);
    const uint64_t window_page_bytes = page_bytes(spec, limits, compute::KvPool::Window);
    const uint64_t sequence_bytes =
        least * page_bytes(spec, limits, compute::KvPool::Full) + windowed * window_page_bytes;
    // Weights and `rest` leave so many of these bytes for pages; nothing if those of one sequence do not fit.
    const auto left_of = [&](uint64_t bytes, uint64_t rest) -> std::optional<uint64_t> {
        if (weight_bytes > bytes || rest > bytes - weight_bytes) return std::nullopt;  // their sum may overflow
        const uint64_t left = bytes - weight_bytes - rest;
        return left < sequence_bytes ? std::nullopt : std::optional(left);
    };
    const auto too_little = [&](uint64_t rest, uint64_t bytes, std::string_view of) {
        return base::fail(base::ErrorCode::OutOfMemory, "the model needs ", weight_bytes, " bytes for weights, ",
                          sequence_bytes, " for the cache of one sequence of ", limits.n_ctx, " tokens and ", rest,
                          " to work in; ", bytes, of);
    };
    const auto free = left_of(memory.available_bytes, kMemoryHeadroomBytes);
    if (!free) return too_little(kMemoryHeadroomBytes, memory.available_bytes, " bytes of memory are available");
    uint64_t for_pages = std::max(*free / 2, sequence_bytes);
    if (bound) {
        const auto allowed = left_of(bound->bytes, bound->rest);
        if (!allowed) return too_little(bound->rest, bound->bytes, " bytes are allowed");
        for_pages = std::min(*free, *allowed);
    }
    const uint64_t buffer_page_bytes = page_bytes(spec.max_kv_rows());
    const uint64_t most_in_buffer = memory.max_buffer_bytes / buffer_page_bytes;
    if (least > most_in_buffer) {
        return base::fail(base::ErrorCode::OutOfMemory, "the cache of one sequence of ", limits.n_ctx, " tokens needs ",
                          least * buffer_page_bytes, " bytes in one buffer; the device gives at most ",
                          memory.max_buffer_bytes);
    }
    uint64_t of_border =
        limits.window == 0 || memory.is_scarce ? 0 : WindowPages::behind_border(limits.window, pages_for(limits.n_ctx));
    if (bound && sequence_bytes + of_border * window_page_bytes > for_pages) of_border = 0;
    // A page of KvPool::Full takes so many with its share of the windowed ones.
    const uint64_t share_bytes = (sequence_bytes + of_border * window_page_bytes + least - 1) / least;
    const uint64_t most = std::min(least * n_sequences, most_in_buffer);
    limits.n_pages = static_cast<uint32_t>(
        memory.is_scarce ? least : std::clamp(for_pages / share_bytes, least, std::max(least, most)));
    limits.n_window_pages = static_cast<uint32_t>((windowed + of_border) * limits.n_pages / least);
    return {};
}

KvPages::KvPages(uint32_t n_pages, uint32_t n_slots, const std::optional<WindowPages::Limits>& window)
    : n_pages_(n_pages), cache_(n_pages), slots_(n_slots) {
    for (uint32_t i = n_pages; i-- > 0;) free_pages_.push_back(i);
    for (uint32_t i = n_slots; i-- > 0;) free_slots_.push_back(i);
    if (window) window_.emplace(*window, n_slots, n_pages);
}

KvPages::KvPages(const compute::BackendLimits& limits)
    : KvPages(limits.n_pages, limits.n_slots,
              limits.window == 0
                  ? std::optional<WindowPages::Limits>()
                  : WindowPages::Limits{
                        .window = limits.window, .n_pages = limits.n_window_pages, .max_rows = limits.max_rows}) {}

bool KvPages::fits(uint32_t n_tokens) const {
    return fits_without({}, n_tokens);
}

bool KvPages::fits_without(std::span<const uint32_t> slots, uint32_t n_tokens) const {
    if (free_slots_.empty() && slots.empty()) return false;
    std::map<uint32_t, uint32_t> n_closed;
    size_t n = free_pages_.size() + cache_.n_idle();
    uint32_t n_reserved = 0;  // windowed pages
    for (const uint32_t slot : slots) {
        n += n_only_of(slots_[slot], n_closed);
        n_reserved += window_ ? window_->n_reserved(slot) : 0;
    }
    return n >= pages_for(n_tokens) && (!window_ || window_->fits(n_tokens, n_reserved));
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
    const auto n_branch = static_cast<uint32_t>(slot.path.size());
    if (window_) {
        slot.path.resize(window_->longest(slot.path));
        const size_t n_found_next = text.ids.empty() ? 0 : text.ids.size() - 1;  // of the same text
        const auto n_prompt = static_cast<uint32_t>(n_found_next / compute::kPageTokens);
        window_->open(number, n_tokens, slot.path, n_prompt, n_branch);
    }
    // They are held first, so that they are not evicted to make room.
    for (const uint32_t page : slot.path) cache_.hold(page);
    slot.n_cached = static_cast<uint32_t>(slot.path.size());
    slot.table = slot.path;
    while (slot.table.size() < pages_for(n_tokens)) {
        if (free_pages_.empty()) free_pages_.push_back(*evict());
        slot.table.push_back(free_pages_.back());
        free_pages_.pop_back();
    }
    return number;
}

std::optional<uint32_t> KvPages::evict() {
    const auto page = cache_.evict();
    if (page && window_) window_->drop_node(*page);
    return page;
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
        if (window_) window_->attach(number, static_cast<uint32_t>(i), slot.path.back());
    }
}

void KvPages::forget(uint32_t number) {
    const Slot& slot = slots_[number];
    if (slot.path.empty() || !cache_.contains(slot.path.front())) return;
    for (const uint32_t page : cache_.forget(slot.path.front())) {
        if (window_) window_->drop_node(page);
        if (cache_.n_holders(page) == 0) free_pages_.push_back(page);
    }
}

std::optional<uint32_t> KvPages::find(compute::KvPool pool, const Text& text) const {
    const auto chain = cache_.find(text.scope, text.ids);
    if (chain.empty() || chain.size() < text.ids.size() / compute::kPageTokens) return std::nullopt;
    if (pool == compute::KvPool::Full) return chain.back();
    return window_ ? window_->of_node(chain.back()) : std::nullopt;
}

void KvPages::close(uint32_t number) {
    Slot& slot = slots_[number];
    if (window_) window_->close(number);
    for (size_t i = slot.table.size(); i-- > 0;) {
        const bool on_path = i < slot.path.size();
        if (on_path && cache_.release(slot.path[i])) free_pages_.push_back(slot.path[i]);
        if (!on_path || slot.path[i] != slot.table[i]) free_pages_.push_back(slot.table[i]);
    }
    slot = {};
    free_slots_.push_back(number);
}

void KvPages::drop_idle() {
    while (const auto page = evict()) free_pages_.push_back(*page);
}

std::span<const uint32_t> KvPages::free_pages(compute::KvPool pool) const {
    if (pool == compute::KvPool::Full) return free_pages_;
    return window_ ? window_->free_pages() : std::span<const uint32_t>();
}

KvPages::Counts KvPages::counts() const {
    const auto n_free = static_cast<uint32_t>(free_pages_.size());
    return {.used = n_pages_ - n_free - cache_.n_idle(), .cached = cache_.n_idle(), .total = n_pages_};
}

}  // namespace llmd::generation
