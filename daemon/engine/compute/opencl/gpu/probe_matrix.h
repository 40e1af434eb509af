// The data that kernels are tested with: some rows of a model's matrix as the device holds them, activations for them,
// and their dot products in double precision; and a matmul of them on the device.
// Probes lie in host memory and are pure functions of their arguments; the rest is thread-bound, as DeviceQueue.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/gpu/kernel_choice.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/gpu/matmul.h"
#include "engine/compute/opencl/gpu/weight_addressing.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/model/gguf.h"

namespace llmd::compute::gpu {

inline constexpr uint32_t kProbeTiles = 4;  // the first of the matrix, its last and some between
inline constexpr uint32_t kProbeVectors = kMaxBatchRows;

// Pseudo-random vectors as kernels/activations.cl lays them out, the same on every machine.
struct ProbeActivations {
    // `cols` values each, padded with zeros; 1 or 2 bytes.
    ProbeActivations(uint32_t cols, uint32_t n_value_bytes);

    uint32_t width;  // padded
    uint32_t value_bytes;
    uint32_t row_bytes;
    std::vector<std::byte> bytes;  // kProbeVectors rows
    std::vector<float> values;     // [vector][width], what the bytes stand for, exactly but for one rounding
};

// One probe serves all matmuls of these.
struct ProbeKey {
    Layout layout;
    uint32_t cols;
    uint32_t value_bytes;  // of the activations

    auto operator<=>(const ProbeKey&) const = default;
};
inline ProbeKey probe_key(const MatmulKind& kind) {
    return {kind.layout, kind.cols, kind.value_bytes};
}

struct ProbeMatrix {
    // Reads kProbeTiles * kTileRows rows of the tensor, fewer where it has fewer, and nothing later.
    ProbeMatrix(const model::TensorView& tensor, uint32_t value_bytes);

    Layout layout;
    uint32_t cols;
    uint32_t tiles;
    ProbeActivations x;
    std::array<std::vector<std::byte>, kWeightArrays.size()>
        buffer_arrays;  // tile after tile; empty: the layout has none
    // The same for images. Rows that images cannot hold (holds_minus_128()) are zeros.
    std::array<std::vector<std::byte>, kWeightArrays.size()> image_arrays;
    struct Sum {
        double sum = 0;
        double magnitude = 0;     // sum of the products' magnitudes
        bool is_in_image = true;  // the row is not one of zeros in image_arrays
    };
    std::vector<Sum> sums;  // [vector][row of the tiles]; padding rows are 0

    uint32_t rows() const { return tiles * kTileRows; }
};

// A probe on the device, to run matmul kernels on. Borrows the queue and the probe, and owns its buffers.
class ProbeMatmul {
public:
    // `image`: weights are read through images; else they lie in one address segment. Errors are the queue's and
    // SegmentProbe's.
    static base::Result<ProbeMatmul> create(DeviceQueue& queue, const ProbeMatrix& probe, bool image);

    // Gives [vector][row] of all the probe's vectors, by a kernel of such a shape and number of batch rows with the
    // Store epilogue, without norm and bias. What the kernel does not write is NaN.
    base::Result<std::vector<float>> multiply(const ClKernel& kernel, const MatmulShape& shape, uint32_t batch_rows);

private:
    ProbeMatmul(DeviceQueue& queue, const ProbeMatrix& probe) : queue_(&queue), probe_(&probe) {}

    base::Result<ClBuffer> upload(std::span<const std::byte> content);
    base::Result<WeightBuffers> make_images();
    base::Result<WeightBuffers> make_buffer();
    base::Result<void> bind(const ClKernel& kernel) const;

    DeviceQueue* queue_;
    const ProbeMatrix* probe_;
    WeightBuffers arrays_;
    ClBuffer activations_;
    ClBuffer y_;  // float [vector][row]
};

}  // namespace llmd::compute::gpu
