#include "engine/compute/opencl/kv_buffers.h"

#include "engine/compute/backend.h"

namespace llmd::compute {
namespace {

// Of one layer.
uint64_t page_bytes(const model::ModelConfig& config) {
    return 2 * uint64_t{config.kv_rows()} * kPageTokens * sizeof(uint16_t);
}

}  // namespace

base::Result<void> KvBuffers::allocate(DeviceQueue& queue, const model::ModelConfig& config, uint32_t n_pages) {
    for (uint32_t layer = 0; layer < config.n_layers; ++layer) {
        auto buffer = queue.allocate(base::concat(n_pages, " KV pages of layer ", layer), page_bytes(config) * n_pages);
        if (!buffer) return buffer.error();
        kv.push_back(std::move(*buffer));
    }
    return {};
}

uint64_t kv_bytes(const model::ModelConfig& config, uint32_t n_pages) {
    return page_bytes(config) * n_pages * config.n_layers;
}

}  // namespace llmd::compute
