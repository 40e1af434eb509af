// The keys and values of all positions that a backend keeps, as f16 pages in one buffer a layer: of each page its keys,
// then its values (epilogue_qkv.cl says in which order).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/model/model_config.h"

namespace llmd::compute {

struct KvBuffers {
    std::vector<ClBuffer> kv;  // of each layer

    // Once. OutOfMemory names the layer and the size.
    base::Result<void> allocate(DeviceQueue& queue, const model::ModelConfig& config, uint32_t n_pages);
    // One page of all buffers, of each layer the keys, then the values. What is queued is done first; `bytes`, as many
    // as kv_bytes() of one page, may change after the call.
    base::Result<void> read_page(DeviceQueue& queue, uint32_t page, std::span<std::byte> bytes) const;
    base::Result<void> write_page(DeviceQueue& queue, uint32_t page, std::span<const std::byte> bytes) const;
};

// In all layers.
uint64_t kv_bytes(const model::ModelConfig& config, uint32_t n_pages);

}  // namespace llmd::compute
