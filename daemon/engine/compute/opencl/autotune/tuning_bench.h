// The data that kernels are tested and timed with: some rows of a model's matrix as the device holds them, activations
// for them, and their dot products in double precision; and matmuls on the device, at a probe's size and at their real
// size.
// Probes lie in host memory and are pure functions of their arguments; the rest is thread-bound, as DeviceQueue.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/compute/opencl/autotune/kernel_config.h"
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

// Makes buffers with such contents, none where that is empty: one in an address segment (SegmentProbe), or images of
// buffers. Errors are the queue's and SegmentProbe's.
base::Result<WeightBuffers> make_weight_buffers(
    DeviceQueue& queue, std::string_view what, Layout layout,
    const std::array<std::vector<std::byte>, kWeightArrays.size()>& contents, bool image);
// Sets the arguments for the weights, which come first.
base::Result<void> set_weight_buffers(const ClKernel& kernel, const WeightBuffers& arrays);

// A matrix and quantized activations on the device, for matmul kernels with the Store epilogue, without norm and bias.
// Owns its buffers.
struct StoreMatmul {
    WeightBuffers arrays;
    uint32_t n_pairs = 0, n_blocks = 0;
    ClBuffer activations;
    uint32_t quantized_row_bytes = 0, quantized_width = 0;
    ClBuffer y;  // float [row of the activations][2 n_pairs]

    base::Result<void> bind(const ClKernel& kernel) const;
    // Launches a kernel of such a shape, bound, for so many work-groups' worth of batch rows.
    base::Result<void> launch(DeviceQueue& queue, const ClKernel& kernel, const MatmulShape& shape,
                              uint32_t row_groups) const;
};

// The bytes of all copies together: beyond the caches of a phone's GPU, little beside a model. Of a larger matmul a
// part is timed, which still fills any device.
inline constexpr uint64_t kTimedBytes = 16u << 20;
inline constexpr uint32_t kMostTimedCopies = 16;
// The bytes that a round reads, divided by the batch rows: a millisecond's worth on a phone, so that the display does
// not wait.
inline constexpr uint64_t kRoundBytes = 16u << 20;
inline constexpr uint32_t kMostRoundLaunches = 32;
// Work-groups' worth of batch rows of the widest kernels, which prompts have more of; others are timed with one.
inline constexpr uint32_t kTimedPromptGroups = 4;

// A matmul of a kind at its real size on the device, to time kernels on. Its weights are a probe's rows again and
// again, in several copies that launches read in rotation, so that a launch finds hardly more of them in caches than it
// would between a step's other launches. Borrows the queue and refers to nothing else.
class TimedMatmul {
public:
    // `probe` has the layout and columns of the kind. Errors are the queue's.
    static base::Result<TimedMatmul> create(DeviceQueue& queue, const ProbeMatrix& probe, const MatmulKind& kind,
                                            bool image);

    // Runs a round of launches of a kernel with the Store epilogue, without norm and bias, and gives what one of them
    // took on average. How many there are does not depend on the time.
    base::Result<std::chrono::nanoseconds> round(const ClKernel& kernel, const MatmulShape& shape, uint32_t batch_rows);

private:
    explicit TimedMatmul(DeviceQueue& queue) : queue_(&queue) {}

    DeviceQueue* queue_;
    StoreMatmul matmul_;  // with the first copy of the weights
    std::vector<WeightBuffers> further_copies_;
    uint64_t bytes_ = 0;  // of a copy
    size_t next_ = 0;     // copy to read
};

// The bytes of a matmul's weights.
uint64_t weight_bytes(const MatmulKind& kind, bool image);

}  // namespace llmd::compute::gpu
