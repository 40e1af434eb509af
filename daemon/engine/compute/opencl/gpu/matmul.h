// The choices of the matmul kernel (kernels/matmul.cl): their sources and options. All functions are pure and
// callable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/compute/opencl/gpu/layout.h"

namespace llmd::compute::gpu {

// The epilogue is the use that a matmul makes of its sums (epilogue.cl).
enum class Epilogue : uint8_t { Qkv, Residual, Gelu, SwiGlu, Store, Gated, Logits, ReluSquared };

// The norm that a matmul's input has gone through (epilogue.cl).
enum class InputNorm : uint8_t { None, Rms, Layer };

// How a matmul is summed. Only has_integer_core() layouts have Integer, only has_dot_core() layouts in buffers have
// Dot.
enum class Core : uint8_t { Integer, Float, Dot };
inline constexpr Core kLastCore = Core::Dot;

// A matmul's work-group: `lanes` items side by side with `pairs` row pairs each, times `k_splits` items that share a
// row's columns. Only `k_splits` changes the bits of a result.
struct MatmulShape {
    uint32_t lanes = 32;
    uint32_t pairs = 1;
    uint32_t k_splits = 1;

    bool operator==(const MatmulShape&) const = default;
    uint32_t group_pairs() const { return lanes * pairs; }
    uint32_t items() const { return lanes * k_splits; }
};

// Local memory for x: small enough for several work-groups on a processor of 32 KiB.
inline constexpr uint32_t kStagedBytes = 8192;

struct MatmulChoice {
    Layout layout = Layout::Q4_0;
    Core core = Core::Float;
    uint32_t value_bytes = 2;  // of the activations it reads
    uint32_t batch_rows = 1;
    MatmulShape shape;
    bool image = false;     // weights are image1d_buffers
    bool segment = false;   // dot.cl's SEGMENT, where weights are no images
    bool prefetch = false;  // weights are loaded one block ahead: for GPUs with registers to spare
    uint32_t staged_bytes = kStagedBytes;
    uint32_t chunk_blocks = 0;  // of x in local memory at a time; 0: as staged_bytes allows
};

// The source that reads weights: dot, layout, core and activations, without common.cl.
std::string layout_source(Layout layout, Core core);
// The whole program without common.cl.
std::string matmul_source(const MatmulChoice& choice, Epilogue epilogue);
// The options of the program, but for those that an epilogue needs besides.
std::string matmul_options(const MatmulChoice& choice, Epilogue epilogue, InputNorm norm, bool has_bias);
// Those that tell how weights are read, for another program with layout_source().
std::string layout_options(const MatmulChoice& choice);
// The local memory of the kernel, but for the epilogue's.
uint32_t matmul_local_bytes(const MatmulChoice& choice);

}  // namespace llmd::compute::gpu
