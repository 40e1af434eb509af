#include "engine/compute/cpu/cpu_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/processor.h"

namespace llmd::compute {

using base::Result;

namespace {

base::Error does_not_fit(uint64_t bytes, std::string_view what) {
    return base::fail(base::ErrorCode::OutOfMemory, what, ": ", bytes, " bytes do not fit, ", available_memory_bytes(),
                      " bytes are available");
}

}  // namespace

base::Result<HostBuffer> HostBuffer::allocate(uint64_t bytes, std::string_view what) {
    if (bytes == 0) return HostBuffer();
    if (bytes > available_memory_bytes() || bytes > std::numeric_limits<size_t>::max())
        return does_not_fit(bytes, what);
    auto buffer = reserve(bytes, what);
    if (!buffer) return does_not_fit(bytes, what);
    return buffer;
}

base::Result<HostBuffer> HostBuffer::reserve(uint64_t bytes, std::string_view what) {
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) {
        return base::fail(base::ErrorCode::OutOfMemory, what, ": no addresses for ", bytes, " bytes are left");
    }
    return HostBuffer(data, bytes);
}

HostBuffer::~HostBuffer() {
    if (data_ != nullptr) ::munmap(data_, size_);
}

base::Result<uint8_t*> HostArena::allocate(uint64_t bytes, std::string_view what) {
    constexpr uint64_t kChunkBytes = 256u << 20;  // of addresses
    constexpr uint64_t kHugePageBytes = 2u << 20;
    if (bytes > available_memory_bytes()) return does_not_fit(bytes, what);
    if (chunks_.empty() || chunks_.back().size() - used_ < bytes) {
        auto chunk = HostBuffer::reserve(std::max(kChunkBytes, bytes + kHugePageBytes), what);
        // Where the system counts addresses as memory (vm.overcommit_memory = 2) there may be fewer.
        if (!chunk) chunk = HostBuffer::reserve(bytes + kHugePageBytes, what);
        if (!chunk) return chunk.error();
        // Kernels without huge pages refuse, which changes nothing.
        ::madvise(chunk->as<uint8_t>(), chunk->size(), MADV_HUGEPAGE);
        const auto address = reinterpret_cast<uintptr_t>(chunk->as<uint8_t>());
        used_ = (kHugePageBytes - address % kHugePageBytes) % kHugePageBytes;
        chunks_.push_back(std::move(*chunk));
    }
    uint8_t* const data = chunks_.back().as<uint8_t>() + used_;
    used_ += (bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
    used_ = std::min(used_, chunks_.back().size());
    return data;
}

base::Result<Rotations> Rotations::create(const model::DecoderSpec& spec, uint32_t max_rows,
                                          std::span<const float> factors) {
    Rotations rotations;
    rotations.n_pairs_ = spec.n_rot() / 2;
    for (const model::Rope& rope : spec.ropes) {
        auto rows = HostBuffer::allocate(size_t{max_rows} * rotations.n_pairs_ * 2 * sizeof(float), "rotations");
        if (!rows) return rows.error();
        const bool is_first = rotations.tables_.empty();
        rotations.tables_.push_back(
            {model::rotation_frequencies(rope, spec.n_rot(), is_first ? factors : std::span<const float>()),
             rope.magnitude, std::move(*rows)});
    }
    return rotations;
}

void Rotations::compute(uint32_t r, uint32_t position) const {
    const size_t width = size_t{n_pairs_} * 2;
    for (const Table& table : tables_) {
        model::fill_rotation(table.frequencies, table.magnitude, position, {table.rows.as<float>() + r * width, width});
    }
}

void Rotations::rotate(const model::LayerSpec& layer, uint32_t r, float* heads, uint32_t n_heads) const {
    if (layer.rotation == model::Rotation::None) return;
    const float* rotation = tables_[layer.rope].rows.as<float>() + size_t{r} * n_pairs_ * 2;
    const bool half_split = layer.rotation == model::Rotation::HalfSplit;
    const uint32_t step = half_split ? 1 : 2;
    const uint32_t partner = half_split ? n_pairs_ : 1;
    for (uint32_t h = 0; h < n_heads; ++h, heads += layer.head_dim) {
        for (uint32_t i = 0; i < n_pairs_; ++i) {
            float& a = heads[size_t{i} * step];
            float& b = heads[size_t{i} * step + partner];
            const float c = rotation[size_t{2} * i], s = rotation[size_t{2} * i + 1];
            const float rotated = a * c - b * s;
            b = a * s + b * c;
            a = rotated;
        }
    }
}

Result<KvStore> KvStore::allocate(const model::DecoderSpec& spec, const BackendLimits& limits) {
    KvStore kv;
    size_t n_keys = 0, n_values = 0;  // of all pages of the layers so far
    for (const model::LayerSpec& of : spec.layers) {
        Layer layer;
        layer.pool = limits.pool_of(of);
        layer.head_dim = of.head_dim;
        layer.value_dim = padded_value_dim(of.head_dim);
        layer.first_key = n_keys;
        layer.first_value = n_values;
        layer.key_page = size_t{of.kv_rows()} * kPageTokens;
        layer.value_page = size_t{of.n_kv_heads} * layer.value_dim * kPageTokens;
        if (of.is_convolution()) {
            layer.key_page = 0;
            layer.value_page = size_t{of.head_dim} * kPageTokens * (sizeof(float) / sizeof(uint16_t));
        }
        n_keys += limits.pages_of(layer.pool) * layer.key_page;
        n_values += limits.pages_of(layer.pool) * layer.value_page;
        kv.page_bytes_[static_cast<size_t>(layer.pool)] += (layer.key_page + layer.value_page) * sizeof(uint16_t);
        kv.layers_.push_back(layer);
    }
    for (auto [buffer, n] : {std::pair{&kv.keys_, n_keys}, std::pair{&kv.values_, n_values}}) {
        auto data = HostBuffer::allocate(n * sizeof(uint16_t), "KV pages");
        if (!data) return data.error();
        *buffer = std::move(*data);
    }
    return kv;
}

void KvStore::store(uint32_t layer, uint32_t page, uint32_t place, uint32_t n_kv_heads, const uint16_t* k,
                    const uint16_t* v) const {
    const uint32_t head_dim = layers_[layer].head_dim;
    for (uint32_t head = 0; head < n_kv_heads; ++head, k += head_dim, v += head_dim) {
        uint16_t* key = keys(layer, page, head) + place;
        for (uint32_t d = 0; d < head_dim; ++d) key[size_t{d} * kPageTokens] = k[d];
        std::copy_n(v, head_dim, values(layer, page, head) + size_t{place} * layers_[layer].value_dim);
    }
}

void KvStore::read_page(KvPage page, std::span<std::byte> out) const {
    for (uint32_t layer = 0; layer < layers_.size(); ++layer) {
        if (layers_[layer].pool != page.pool) continue;
        for (const auto part : {std::span(keys(layer, page.number, 0), key_page(layer)),
                                std::span(values(layer, page.number, 0), value_page(layer))}) {
            std::ranges::copy(std::as_bytes(part), out.begin());
            out = out.subspan(part.size_bytes());
        }
    }
}

void KvStore::write_page(KvPage page, std::span<const std::byte> in) const {
    for (uint32_t layer = 0; layer < layers_.size(); ++layer) {
        if (layers_[layer].pool != page.pool) continue;
        for (const auto part : {std::span(keys(layer, page.number, 0), key_page(layer)),
                                std::span(values(layer, page.number, 0), value_page(layer))}) {
            std::ranges::copy(in.first(part.size_bytes()), std::as_writable_bytes(part).begin());
            in = in.subspan(part.size_bytes());
        }
    }
}

void KvStore::discard(KvPool pool, std::span<const uint32_t> pages) const {
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
        for (uint32_t layer = 0; layer < layers_.size(); ++layer) {
            if (layers_[layer].pool != pool) continue;
            give_back(keys(layer, sorted[i], 0), n * key_page(layer));
            give_back(values(layer, sorted[i], 0), n * value_page(layer));
        }
    }
}

namespace {

// In floats, of one row or thread.
struct Strides {
    std::array<std::pair<Activations CpuMemory::*, size_t>, 9> activations;
    size_t widest = 0;  // of a matmul's input
    size_t scratch = 0;
};

Strides strides_of(const model::DecoderSpec& spec) {
    const size_t n_embd = spec.n_embd, q_rows = spec.max_q_rows(), kv_rows = spec.max_kv_rows(), n_ff = spec.max_ff();
    Strides strides;
    strides.activations = {{{&CpuMemory::residual, n_embd},
                            {&CpuMemory::normed, n_embd},
                            {&CpuMemory::query, q_rows},
                            {&CpuMemory::key, kv_rows},
                            {&CpuMemory::value, kv_rows},
                            {&CpuMemory::attended, q_rows},
                            {&CpuMemory::gate, n_ff},
                            {&CpuMemory::up, n_ff},
                            {&CpuMemory::projected, n_embd}}};
    const auto padded = [](size_t width) {
        return (width + kActivationPadding - 1) / kActivationPadding * kActivationPadding;
    };
    for (auto& [member, width] : strides.activations) width = padded(width);
    strides.widest = padded(std::max({n_embd, q_rows, n_ff}));
    strides.scratch = kDecodedRows * strides.widest;
    for (const model::LayerSpec& layer : spec.layers) {
        if (layer.is_convolution()) continue;
        const size_t of_attention = attend_scratch_floats(layer.heads_per_kv(), padded_value_dim(layer.head_dim));
        strides.scratch = std::max(strides.scratch, of_attention);
    }
    return strides;
}

}  // namespace

uint64_t CpuMemory::working_bytes(const model::DecoderSpec& spec, const BackendLimits& limits, uint32_t n_threads) {
    const Strides strides = strides_of(spec);
    uint64_t of_row = spec.ropes.size() * (spec.n_rot() / 2) * 2;
    for (const auto& [member, stride] : strides.activations) of_row += stride;
    const uint64_t floats = limits.max_rows * of_row + uint64_t{limits.most_outputs()} * spec.n_vocab +
                            uint64_t{n_threads} * strides.scratch;
    return floats * sizeof(float) + limits.max_rows * quantized_stride(strides.widest);
}

Result<CpuMemory> CpuMemory::allocate(const model::DecoderSpec& spec, const BackendLimits& limits, uint32_t n_threads) {
    CpuMemory memory;
    auto kv = KvStore::allocate(spec, limits);
    if (!kv) return kv.error();
    memory.kv = std::move(*kv);
    const Strides strides = strides_of(spec);
    for (const auto& [member, stride] : strides.activations) {
        auto data = HostBuffer::allocate(limits.max_rows * stride * sizeof(float), "activations");
        if (!data) return data.error();
        memory.*member = {std::move(*data), stride};
    }
    auto logits = HostBuffer::allocate(uint64_t{limits.most_outputs()} * spec.n_vocab * sizeof(float), "logits");
    if (!logits) return logits.error();
    memory.logits = {std::move(*logits), spec.n_vocab};

    auto quantized = HostBuffer::allocate(limits.max_rows * quantized_stride(strides.widest), "activations");
    if (!quantized) return quantized.error();
    memory.quantized = std::move(*quantized);
    memory.scratch_stride = strides.scratch;
    auto scratch = HostBuffer::allocate(n_threads * memory.scratch_stride * sizeof(float), "scratch memory");
    if (!scratch) return scratch.error();
    memory.scratch_data = std::move(*scratch);
    return memory;
}

}  // namespace llmd::compute
