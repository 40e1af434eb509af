// The keys and values of all positions that a backend keeps, as f16 pages in one buffer a layer: of each page its keys,
// then its values (blocks/rope_kv.cl and packed/epilogue_qkv.cl say in which order).
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/device_queue.h"
#include "engine/model/model_config.h"

namespace llmd::compute {

struct KvBuffers {
    std::vector<ClBuffer> kv;  // of each layer

    // Once. OutOfMemory names the layer and the size.
    base::Result<void> allocate(DeviceQueue& queue, const model::ModelConfig& config, uint32_t n_pages);
};

// In all layers.
uint64_t kv_bytes(const model::ModelConfig& config, uint32_t n_pages);

}  // namespace llmd::compute
