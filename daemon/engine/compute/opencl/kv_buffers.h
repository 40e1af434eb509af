// The keys and values of all positions that a backend keeps, as f16 pages in two buffers a layer (layouts in
// blocks/rope_kv.cl and packed/epilogue.cl).
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/device_queue.h"
#include "engine/model/model_config.h"

namespace llmd::compute {

struct KvBuffers {
    std::vector<ClBuffer> keys;  // of each layer
    std::vector<ClBuffer> values;

    // Once. OutOfMemory names the layer and the size.
    base::Result<void> allocate(DeviceQueue& queue, const model::ModelConfig& config, uint32_t n_pages);
};

// Of both, in all layers.
uint64_t kv_bytes(const model::ModelConfig& config, uint32_t n_pages);

}  // namespace llmd::compute
