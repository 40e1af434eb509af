#include "engine/generation/kv_pages.h"

#include <algorithm>

namespace llmd::generation {

namespace {

constexpr uint64_t kKeyAndValue = 2;
constexpr uint64_t kHalfBytes = 2;

}  // namespace

uint64_t kv_page_bytes(const model::ModelConfig& config) {
    return uint64_t{compute::kPageTokens} * config.n_layers * kKeyAndValue * config.kv_rows() * kHalfBytes;
}

uint32_t pages_for(uint32_t n_tokens) {
    return n_tokens / compute::kPageTokens + (n_tokens % compute::kPageTokens != 0 ? 1 : 0);
}

base::Result<uint32_t> plan_kv_pages(const model::ModelConfig& config, uint32_t n_ctx, uint32_t n_slots,
                                     uint64_t weight_bytes, const compute::DeviceMemory& memory) {
    const uint64_t available_bytes = memory.available_bytes;
    const uint64_t page_bytes = kv_page_bytes(config);
    const uint64_t least = pages_for(n_ctx);
    const uint64_t most = least * n_slots;
    const uint64_t taken = weight_bytes + kMemoryHeadroomBytes;
    const uint64_t free = available_bytes > taken ? available_bytes - taken : 0;
    // Twice: the second test cannot overflow, and says the same.
    if (weight_bytes > available_bytes || least * page_bytes > free) {
        return base::fail(base::ErrorCode::OutOfMemory, "the model needs ", weight_bytes, " bytes for weights, ",
                          least * page_bytes, " for the cache of one sequence of ", n_ctx, " tokens and ",
                          kMemoryHeadroomBytes, " to work in; ", available_bytes, " bytes of memory are available");
    }
    const uint64_t buffer_page_bytes = page_bytes / config.n_layers / kKeyAndValue;
    const uint64_t most_in_buffer = memory.max_buffer_bytes / buffer_page_bytes;
    if (least > most_in_buffer) {
        return base::fail(base::ErrorCode::OutOfMemory, "the cache of one sequence of ", n_ctx, " tokens needs ",
                          least * buffer_page_bytes, " bytes in one piece; the device gives at most ",
                          memory.max_buffer_bytes);
    }
    return static_cast<uint32_t>(std::clamp(free / 2 / page_bytes, least, std::min(most, most_in_buffer)));
}

KvPages::KvPages(uint32_t n_pages, uint32_t n_slots) : tables_(n_slots) {
    for (uint32_t i = n_pages; i-- > 0;) free_pages_.push_back(i);
    for (uint32_t i = n_slots; i-- > 0;) free_slots_.push_back(i);
}

bool KvPages::fits(uint32_t n_tokens) const {
    return !free_slots_.empty() && free_pages_.size() >= pages_for(n_tokens);
}

std::optional<uint32_t> KvPages::open(uint32_t n_tokens) {
    if (!fits(n_tokens)) return std::nullopt;
    const uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    const auto first = free_pages_.end() - pages_for(n_tokens);
    tables_[slot].assign(first, free_pages_.end());
    free_pages_.erase(first, free_pages_.end());
    return slot;
}

void KvPages::close(uint32_t slot) {
    free_pages_.insert(free_pages_.end(), tables_[slot].begin(), tables_[slot].end());
    tables_[slot].clear();
    free_slots_.push_back(slot);
}

}  // namespace llmd::generation
