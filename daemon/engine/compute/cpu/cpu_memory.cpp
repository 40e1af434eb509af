#include "engine/compute/cpu/cpu_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/compute/cpu/cpu_kernels.h"

namespace llmd::compute {

using base::Result;

Result<KvStore> KvStore::allocate(const model::ModelConfig& config, uint32_t n_pages) {
    KvStore kv;
    kv.n_layers_ = config.n_layers;
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

void KvStore::read_page(uint32_t page, std::span<std::byte> out) const {
    for (uint32_t layer = 0; layer < n_layers_; ++layer) {
        for (const auto part :
             {std::span(keys(layer, page, 0), key_page_), std::span(values(layer, page, 0), value_page_)}) {
            std::ranges::copy(std::as_bytes(part), out.begin());
            out = out.subspan(part.size_bytes());
        }
    }
}

void KvStore::write_page(uint32_t page, std::span<const std::byte> in) const {
    for (uint32_t layer = 0; layer < n_layers_; ++layer) {
        for (const auto part :
             {std::span(keys(layer, page, 0), key_page_), std::span(values(layer, page, 0), value_page_)}) {
            std::ranges::copy(in.first(part.size_bytes()), std::as_writable_bytes(part).begin());
            in = in.subspan(part.size_bytes());
        }
    }
}

void KvStore::discard(std::span<const uint32_t> pages) const {
    const auto system_page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto give_back = [&](const uint16_t* data, size_t n) {
        const uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + system_page - 1) / system_page * system_page;
        const uintptr_t end = reinterpret_cast<uintptr_t>(data + n) / system_page * system_page;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel wants whole pages
        if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    };
    std::vector<uint32_t> sorted(pages.begin(), pages.end());
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0, n; i < sorted.size(); i += n) {
        // Neighbours together: a page of a small model is less than one of the system.
        for (n = 1; i + n < sorted.size() && sorted[i + n] == sorted[i] + n;) ++n;
        for (uint32_t layer = 0; layer < n_layers_; ++layer) {
            give_back(keys(layer, sorted[i], 0), n * key_page_);
            give_back(values(layer, sorted[i], 0), n * value_page_);
        }
    }
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
    const size_t rounded_bytes =
        std::max({rounded_stride(memory.x), rounded_stride(memory.a), rounded_stride(memory.h)});
    auto rounded = HostBuffer::allocate(limits.max_rows * rounded_bytes, "activations");
    if (!rounded) return rounded.error();
    memory.rounded = std::move(*rounded);
    memory.scratch_stride =
        std::max(kDecodedRows * widest, attend_scratch_floats(config.heads_per_kv(), memory.kv.value_dim()));
    auto scratch = HostBuffer::allocate(n_threads * memory.scratch_stride * sizeof(float), "scratch memory");
    if (!scratch) return scratch.error();
    memory.scratch_data = std::move(*scratch);
    return memory;
}

}  // namespace llmd::compute
