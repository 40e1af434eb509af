#include "engine/compute/cpu/cpu_memory.h"

#include <algorithm>
#include <utility>

#include "engine/compute/cpu/cpu_kernels.h"

namespace llmd::compute {

using base::Result;

Result<KvStore> KvStore::allocate(const model::ModelConfig& config, uint32_t n_pages) {
    KvStore kv;
    kv.n_pages_ = n_pages;
    kv.head_dim_ = config.head_dim;
    kv.value_dim_ = (config.head_dim + 15) / 16 * 16;
    kv.key_page_ = size_t{config.kv_rows()} * kPageTokens;
    kv.value_page_ = size_t{config.n_kv_heads} * kv.value_dim_ * kPageTokens;
    const uint64_t pages = uint64_t{config.n_layers} * n_pages;
    for (auto [buffer, page] : {std::pair{&kv.keys_, kv.key_page_}, std::pair{&kv.values_, kv.value_page_}}) {
        auto data = HostBuffer::allocate(pages * page * sizeof(uint16_t), "KV pages");
        if (!data) return data.error();
        *buffer = std::move(*data);
    }
    return kv;
}

Result<CpuMemory> CpuMemory::allocate(const model::ModelConfig& config, const BackendLimits& limits,
                                      uint32_t n_threads) {
    CpuMemory memory;
    auto kv = KvStore::allocate(config, limits.n_pages);
    if (!kv) return kv.error();
    memory.kv = std::move(*kv);
    for (auto [to, width] : {std::pair{&memory.x, config.n_embd}, std::pair{&memory.normed, config.n_embd},
                             std::pair{&memory.y, config.n_embd}, std::pair{&memory.q, config.q_rows()},
                             std::pair{&memory.k, config.kv_rows()}, std::pair{&memory.v, config.kv_rows()},
                             std::pair{&memory.a, config.q_rows()}, std::pair{&memory.gate, config.n_ff},
                             std::pair{&memory.h, config.n_ff}}) {
        to->stride = (size_t{width} + kActivationPadding - 1) / kActivationPadding * kActivationPadding;
        auto data = HostBuffer::allocate(limits.max_rows * to->stride * sizeof(float), "activations");
        if (!data) return data.error();
        to->data = std::move(*data);
    }
    auto logits = HostBuffer::allocate(uint64_t{limits.max_outputs} * config.n_vocab * sizeof(float), "logits");
    if (!logits) return logits.error();
    memory.logits_data = std::move(*logits);

    const size_t widest = std::max({memory.x.stride, memory.a.stride, memory.h.stride});
    memory.scratch_stride =
        std::max(kDecodedRows * widest, attend_scratch_floats(config.heads_per_kv(), memory.kv.value_dim()));
    auto scratch = HostBuffer::allocate(n_threads * memory.scratch_stride * sizeof(float), "scratch memory");
    if (!scratch) return scratch.error();
    memory.scratch_data = std::move(*scratch);
    return memory;
}

}  // namespace llmd::compute
