// What the CPU backend computes in, beside the weights: KV pages, activations and scratch memory. All of it is
// allocated once, and zero until it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/host_buffer.h"
#include "engine/model/model_config.h"

namespace llmd::compute {

// [max_rows][stride], padded with zeros that nothing ever writes.
struct Activations {
    HostBuffer data;
    size_t stride = 0;

    float* row(uint32_t r) const { return data.as<float>() + r * stride; }
};

// Keys and values of every page as f16, in the layouts of AttendItem.
class KvStore {
public:
    // OutOfMemory names the size.
    static base::Result<KvStore> allocate(const model::ModelConfig& config, uint32_t n_pages);

    uint16_t* keys(uint32_t layer, uint32_t page, uint32_t kv_head) const {
        return keys_.as<uint16_t>() + (size_t{layer} * n_pages_ + page) * key_page_ +
               size_t{kv_head} * head_dim_ * kPageTokens;
    }
    uint16_t* values(uint32_t layer, uint32_t page, uint32_t kv_head) const {
        return values_.as<uint16_t>() + (size_t{layer} * n_pages_ + page) * value_page_ +
               size_t{kv_head} * value_dim_ * kPageTokens;
    }
    // Elements of one page of one layer.
    size_t key_page() const { return key_page_; }
    size_t value_page() const { return value_page_; }
    // head_dim rounded up to a multiple of 16.
    uint32_t value_dim() const { return value_dim_; }
    uint64_t size_bytes() const { return keys_.size() + values_.size(); }
    // Of one page in all layers: of each layer the keys, then the values.
    uint64_t page_bytes() const { return n_layers_ * (key_page_ + value_page_) * sizeof(uint16_t); }
    // Both have page_bytes().
    void read_page(uint32_t page, std::span<std::byte> out) const;
    void write_page(uint32_t page, std::span<const std::byte> in) const;
    // Gives the memory of these pages back to the system, as far as it makes up whole pages of that; they are zero
    // then.
    void discard(std::span<const uint32_t> pages) const;

private:
    HostBuffer keys_;    // [layer][page][kv head][head_dim][kPageTokens]
    HostBuffer values_;  // [layer][page][kv head][kPageTokens][value_dim]
    uint32_t n_layers_ = 0;
    uint32_t n_pages_ = 0;
    uint32_t head_dim_ = 0;
    uint32_t value_dim_ = 0;
    size_t key_page_ = 0;
    size_t value_page_ = 0;
};

// Bytes from one row to the next when x is rounded. An odd number of blocks, so that neighbouring rows do not fall on
// the same lines of a cache.
constexpr size_t rounded_stride(const Activations& x) {
    return (x.stride / kActivationPadding | 1) * kRoundedBlockBytes;
}

struct CpuMemory {
    // OutOfMemory names what does not fit and its size.
    static base::Result<CpuMemory> allocate(const model::ModelConfig& config, const BackendLimits& limits,
                                            uint32_t n_threads);

    float* scratch(uint32_t worker) const { return scratch_data.as<float>() + worker * scratch_stride; }
    float* logits() const { return logits_data.as<float>(); }  // [max_outputs][n_vocab]

    KvStore kv;
    Activations x;        // [max_rows][n_embd] residual stream
    Activations normed;   // [max_rows][n_embd]
    Activations y;        // [max_rows][n_embd] what is added to x
    Activations q;        // [max_rows][n_heads * head_dim]
    Activations k, v;     // [max_rows][n_kv_heads * head_dim]
    Activations a;        // [max_rows][n_heads * head_dim] what attention gives
    Activations gate, h;  // [max_rows][n_ff]
    HostBuffer rounded;   // [max_rows][rounded_stride(widest input)] a product's input
    HostBuffer logits_data;
    HostBuffer scratch_data;  // [thread][scratch_stride]
    size_t scratch_stride = 0;
};

}  // namespace llmd::compute
