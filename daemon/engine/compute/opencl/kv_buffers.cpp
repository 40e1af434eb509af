#include "engine/compute/opencl/kv_buffers.h"

#include "engine/compute/backend.h"

namespace llmd::compute {
namespace {

uint64_t page_bytes(const model::ModelConfig& config) {
    return uint64_t{config.kv_rows()} * kPageTokens * sizeof(uint16_t);
}

}  // namespace

base::Result<void> KvBuffers::allocate(DeviceQueue& queue, const model::ModelConfig& config, uint32_t n_pages) {
    for (uint32_t layer = 0; layer < config.n_layers; ++layer) {
        for (auto* list : {&keys, &values}) {
            const std::string what = base::concat(n_pages, " KV pages of layer ", layer);
            auto buffer = queue.allocate(what, page_bytes(config) * n_pages);
            if (!buffer) return buffer.error();
            list->push_back(std::move(*buffer));
        }
    }
    return {};
}

uint64_t kv_bytes(const model::ModelConfig& config, uint32_t n_pages) {
    return 2 * page_bytes(config) * n_pages * config.n_layers;
}

}  // namespace llmd::compute
