// The matmul kernel with a matrix and activations of its own, for its tests. What OpenCL refuses ends a test by an
// exception.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "daemon/engine/compute/device_under_test.h"
#include "daemon/engine/compute/opencl/border_memory.h"
#include "daemon/engine/compute/opencl/gpu_matrix.h"
#include "engine/compute/opencl/gpu/matmul.h"
#include "engine/compute/opencl/gpu/weight_addressing.h"
#include "engine/compute/opencl/runtime/device_queue.h"

namespace llmd::test {

// The batch rows of every test: no multiple of kBatchRowCounts but 1, so that the last group has rows to spare.
inline constexpr uint32_t kRows = 9;
inline constexpr uint32_t kPaddedRows = 16;

template <typename T>
T must(base::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
}
void must(const base::Result<void>& result);

compute::DeviceQueue open_queue(const DeviceUnderTest& device);

// A buffer over the host's memory itself, where the device uses that.
compute::ClBuffer buffer_over(compute::DeviceQueue& queue, std::span<std::byte> memory);

// y[row][matrix row] of kRows rows, padding rows included.
struct Output {
    uint32_t width;
    std::vector<float> y;
};

// A matrix and quantized activations, with the expected result.
struct Case {
    Case(const GpuMatrix& matrix, uint32_t value_bytes, Noise& noise);
    // To be called after a change of the activations.
    void compute_exact();

    const GpuMatrix& matrix;
    QuantizedRows x;
    std::vector<ExactSum> exact;  // [batch row][matrix row]
};

// How the arrays of a matrix lie on the device.
enum class WeightsIn {
    Buffers,  // each in a segment of 4 GiB (SegmentProbe)
    Images,
    BorderMemory,  // each across a border of 4 GiB, where the device uses the host's memory
};

// A case on the device. Refers to both.
class MatmulUnderTest {
public:
    MatmulUnderTest(const Case& of, compute::DeviceQueue& queue, WeightsIn weights_in);

    Output run(const compute::gpu::MatmulChoice& choice, const compute::ClKernel& kernel);

private:
    const GpuMatrix& matrix_;
    const QuantizedRows& x_;
    compute::DeviceQueue& queue_;
    compute::ClBuffer x_buffer_;
    std::vector<BorderMemory> memory_;
    compute::gpu::WeightBuffers arrays_;
};

compute::ClKernel build(compute::DeviceQueue& queue, const compute::gpu::MatmulChoice& choice);

std::string name_of(const compute::gpu::MatmulChoice& choice);

}  // namespace llmd::test
