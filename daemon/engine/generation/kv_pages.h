// The KV cache as numbers: how many pages memory allows, and which page belongs to which slot. The pages themselves
// live in the backend. A sequence gets every page it can ever need when it starts, so nothing runs out of memory in the
// middle of a text; one that cannot get them waits in its turn.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend_factory.h"
#include "engine/model/model_config.h"

namespace llmd::generation {

// For the activations, the driver and its compiler, and everybody else on the machine.
inline constexpr uint64_t kMemoryHeadroomBytes = 64u << 20;

// Keys and values of kPageTokens positions in every layer, as f16.
uint64_t kv_page_bytes(const model::ModelConfig& config);
uint32_t pages_for(uint32_t n_tokens);

// The number of pages to allocate: enough for n_slots sequences of n_ctx tokens if that takes at most half of what the
// weights leave free, else as many as that half holds, and not more than fit into one buffer, but never fewer than one
// whole sequence needs. OutOfMemory names what is needed and what is there when weights, those pages and the headroom
// exceed what is available, or those pages the buffer.
base::Result<uint32_t> plan_kv_pages(const model::ModelConfig& config, uint32_t n_ctx, uint32_t n_slots,
                                     uint64_t weight_bytes, const compute::DeviceMemory& memory);

class KvPages {
public:
    KvPages(uint32_t n_pages, uint32_t n_slots);

    // A free slot with pages for n_tokens positions; nothing when slots or pages are short right now.
    std::optional<uint32_t> open(uint32_t n_tokens);
    // Position p of the slot's sequence lives in page pages(slot)[p / kPageTokens].
    std::span<const uint32_t> pages(uint32_t slot) const { return tables_[slot]; }
    // Precondition: open() gave this slot.
    void close(uint32_t slot);

    // open(n_tokens) would succeed now.
    bool fits(uint32_t n_tokens) const;

private:
    std::vector<uint32_t> free_pages_;  // the last one is given out first
    std::vector<uint32_t> free_slots_;
    std::vector<std::vector<uint32_t>> tables_;  // by slot; empty when free
};

}  // namespace llmd::generation
