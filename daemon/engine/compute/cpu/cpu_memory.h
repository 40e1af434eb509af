// The memory that the CPU backend computes in, beside the weights: rotations, KV pages, activations and scratch
// memory. All of it is allocated once, and zero until it is written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/model/decoder_spec.h"

namespace llmd::compute {

// Zero-filled memory that comes from the system in whole pages and goes back to it at once. Big allocations succeed on
// Linux whether or not the memory exists, so allocate() looks at what is available first: an error now instead of a
// killed process later.
class HostBuffer {
public:
    // OutOfMemory names `what`, the size and what is available. 0 bytes give an empty buffer.
    static base::Result<HostBuffer> allocate(uint64_t bytes, std::string_view what);
    // Addresses for as many bytes, which take memory as they are written: whether there is enough is not asked.
    static base::Result<HostBuffer> reserve(uint64_t bytes, std::string_view what);

    HostBuffer() = default;
    HostBuffer(HostBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    HostBuffer& operator=(HostBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~HostBuffer();

    uint64_t size() const { return size_; }
    // Aligned to a page.
    template <typename T>
    T* as() const {
        return static_cast<T*>(data_);
    }

private:
    HostBuffer(void* data, uint64_t size) : data_(data), size_(size) {}

    void* data_ = nullptr;
    uint64_t size_ = 0;
};

// Memory of many tensors side by side, which the system can back with huge pages whatever their sizes: a processor
// reads more bytes a second where it looks up fewer addresses. What has been allocated stays until the arena goes.
class HostArena {
public:
    // Zeros, aligned to a cache line; at least one byte. Errors as those of HostBuffer::allocate().
    base::Result<uint8_t*> allocate(uint64_t bytes, std::string_view what);

private:
    std::vector<HostBuffer> chunks_;  // the last is being filled
    uint64_t used_ = 0;               // of it
};

// The rotations of the rows of one batch, and what they do to a head. A table of all positions of a long context would
// take more memory than the activations, and would save some microseconds of a step. Different rows may be computed and
// rotated from different threads.
class Rotations {
public:
    // factors: as model::rotation_frequencies() takes them. OutOfMemory when max_rows rows do not fit.
    static base::Result<Rotations> create(const model::DecoderSpec& spec, uint32_t max_rows,
                                          std::span<const float> factors);

    // Row r of the batch is at this position, until the next call for the row.
    void compute(uint32_t r, uint32_t position) const;
    // Rotates the first n_rot dimensions of each of n_heads heads of this layer by row r's rotation; does nothing
    // without rotation.
    void rotate(const model::LayerSpec& layer, uint32_t r, float* heads, uint32_t n_heads) const;

private:
    struct Table {
        std::vector<double> frequencies;
        float magnitude = 1;
        HostBuffer rows;  // [row][pair](cos, sin)
    };
    std::vector<Table> tables_;  // one a rope
    uint32_t n_pairs_ = 0;
};

// [rows][stride], padded with zeros that nothing ever writes.
struct Activations {
    HostBuffer data;
    size_t stride = 0;

    float* row(uint32_t r) const { return data.as<float>() + r * stride; }
};

// Keys and values of every page as f16, in the layouts of AttendItem, and of convolutions their products as floats.
class KvStore {
public:
    // OutOfMemory names the size.
    static base::Result<KvStore> allocate(const model::DecoderSpec& spec, const BackendLimits& limits);

    uint16_t* keys(uint32_t layer, uint32_t page, uint32_t kv_head) const {
        const Layer& of = layers_[layer];
        return keys_.as<uint16_t>() + of.first_key + page * of.key_page + size_t{kv_head} * of.head_dim * kPageTokens;
    }
    uint16_t* values(uint32_t layer, uint32_t page, uint32_t kv_head) const {
        const Layer& of = layers_[layer];
        return values_.as<uint16_t>() + of.first_value + page * of.value_page +
               size_t{kv_head} * of.value_dim * kPageTokens;
    }
    // Keys and values of one position, [kv head][head_dim] each, at `place` of the page.
    void store(uint32_t layer, uint32_t page, uint32_t place, uint32_t n_kv_heads, const uint16_t* k,
               const uint16_t* v) const;
    // A convolution's products: [kPageTokens][n_embd].
    float* products(uint32_t layer, uint32_t page) const { return reinterpret_cast<float*>(values(layer, page, 0)); }
    // Elements of one page of a layer.
    size_t key_page(uint32_t layer) const { return layers_[layer].key_page; }
    size_t value_page(uint32_t layer) const { return layers_[layer].value_page; }
    // padded_value_dim() of the layer.
    uint32_t value_dim(uint32_t layer) const { return layers_[layer].value_dim; }
    uint64_t size_bytes() const { return keys_.size() + values_.size(); }
    // The bytes of one page in all layers of its pool: each layer has its keys, then its values.
    uint64_t page_bytes(KvPool pool) const { return page_bytes_[static_cast<size_t>(pool)]; }
    // Both have page_bytes().
    void read_page(KvPage page, std::span<std::byte> out) const;
    void write_page(KvPage page, std::span<const std::byte> in) const;
    // Gives the memory of these pages back to the system, as far as it makes up whole pages of that; they are zero
    // then.
    void discard(KvPool pool, std::span<const uint32_t> pages) const;

private:
    struct Layer {
        KvPool pool = KvPool::Full;
        uint32_t head_dim = 0, value_dim = 0;
        size_t first_key = 0, first_value = 0;  // elements in front of the layer
        size_t key_page = 0, value_page = 0;
    };

    HostBuffer keys_;    // [layer][page][kv head][head_dim][kPageTokens]
    HostBuffer values_;  // [layer][page][kv head][kPageTokens][value_dim]; products have the place of two values
    std::vector<Layer> layers_;
    std::array<uint64_t, kKvPools> page_bytes_{};
};

// Bytes from one row to the next of quantized activations whose floats are `stride` apart. An odd number of blocks, so
// that neighbouring rows do not fall on the same lines of a cache.
constexpr size_t quantized_stride(size_t stride) {
    return (stride / kActivationPadding | 1) * kQuantizedBlockBytes;
}

struct CpuMemory {
    // OutOfMemory names what does not fit and its size.
    static base::Result<CpuMemory> allocate(const model::DecoderSpec& spec, const BackendLimits& limits,
                                            uint32_t n_threads);
    // The bytes of all that allocate() allocates with these arguments, and of Rotations, without KV pages.
    static uint64_t working_bytes(const model::DecoderSpec& spec, const BackendLimits& limits, uint32_t n_threads);

    float* scratch(uint32_t worker) const { return scratch_data.as<float>() + worker * scratch_stride; }

    KvStore kv;
    // [max_rows][width, of the widest layer]
    Activations residual;           // [n_embd] the residual stream
    Activations normed;             // [n_embd]
    Activations query, key, value;  // [q_rows], [kv_rows], [kv_rows]
    Activations attended;           // [q_rows] what attention or a convolution gives
    Activations gate, up;           // [n_ff] up is then activated
    Activations projected;          // [n_embd] what is added to the residual stream
    Activations logits;             // [most_outputs()][n_vocab], not padded
    HostBuffer quantized;           // [max_rows][quantized_stride(widest)] a matmul's input
    HostBuffer scratch_data;        // [thread][scratch_stride]
    size_t scratch_stride = 0;
};

}  // namespace llmd::compute
