#include "engine/compute/opencl/runtime/kv_buffers.h"

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

base::Result<void> KvBuffers::read_page(DeviceQueue& queue, uint32_t page, std::span<std::byte> bytes) const {
    const size_t part = bytes.size() / kv.size();
    for (size_t layer = 0; layer < kv.size(); ++layer) {
        auto ok = queue.read(kv[layer], uint64_t{page} * part, bytes.subspan(layer * part, part));
        if (!ok) return ok;
    }
    return {};
}

base::Result<void> KvBuffers::write_page(DeviceQueue& queue, uint32_t page, std::span<const std::byte> bytes) const {
    const size_t part = bytes.size() / kv.size();
    for (size_t layer = 0; layer < kv.size(); ++layer) {
        auto ok = queue.upload(kv[layer], uint64_t{page} * part, bytes.subspan(layer * part, part));
        if (!ok) return ok;
    }
    return {};
}

uint64_t kv_bytes(const model::ModelConfig& config, uint32_t n_pages) {
    return page_bytes(config) * n_pages * config.n_layers;
}

}  // namespace llmd::compute
