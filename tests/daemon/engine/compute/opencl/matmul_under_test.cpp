#include "daemon/engine/compute/opencl/matmul_under_test.h"

#include <algorithm>
#include <limits>

#include "engine/compute/opencl/gpu/weight_addressing.h"
#include "engine/compute/opencl/runtime/device.h"

namespace llmd::test {

using namespace compute::gpu;
using compute::ClBuffer;
using compute::ClKernel;
using compute::DeviceQueue;

namespace {

ClBuffer upload(DeviceQueue& queue, std::span<const std::byte> bytes) {
    ClBuffer buffer = must(queue.allocate_scratch("a test", bytes.size()));
    must(queue.upload(buffer, 0, bytes));
    return buffer;
}

}  // namespace

void must(const base::Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().message);
}

DeviceQueue open_queue(const DeviceUnderTest& device) {
    const auto found = must(compute::find_cl_devices());
    return must(DeviceQueue::open(found.at(device.opencl_index), {}));
}

ClBuffer buffer_over(DeviceQueue& queue, std::span<std::byte> memory) {
    // The queue's context is that of its buffers.
    const ClBuffer other = must(queue.allocate_scratch("a test", sizeof(uint32_t)));
    cl_context context = nullptr;
    must(compute::cl_check("clGetMemObjectInfo",
                           clGetMemObjectInfo(other.get(), CL_MEM_CONTEXT, sizeof(cl_context), &context, nullptr)));
    cl_int status = CL_SUCCESS;
    ClBuffer buffer(
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, memory.size(), memory.data(), &status));
    must(compute::cl_check("clCreateBuffer", status));
    return buffer;
}

Case::Case(const GpuMatrix& a_matrix, uint32_t value_bytes, Noise& noise)
    : matrix(a_matrix), x(kPaddedRows, block_count(matrix.cols) * kBlockCols, value_bytes, noise) {
    compute_exact();
}

void Case::compute_exact() {
    exact.clear();
    for (uint32_t n = 0; n < kRows; ++n) {
        for (uint32_t r = 0; r < matrix.rows; ++r) exact.push_back(exact_dot(matrix, x, r, n));
    }
}

MatmulUnderTest::MatmulUnderTest(const Case& of, DeviceQueue& queue, WeightsIn weights_in)
    : matrix_(of.matrix), x_(of.x), queue_(queue), x_buffer_(upload(queue, of.x.bytes)) {
    const bool image = weights_in == WeightsIn::Images;
    auto arrays = matrix_.pack(image);
    for (size_t i = 1; !image && i < arrays.size(); ++i) {  // one behind the other
        arrays[0].insert(arrays[0].end(), arrays[i].begin(), arrays[i].end());
        arrays[i].clear();
    }
    const Layout layout = layout_for(matrix_.type);
    const auto make = [&]() -> base::Result<WeightBuffers> {
        WeightBuffers made;
        for (size_t i = 0; i < kWeightArrays.size(); ++i) {
            if (arrays[i].empty()) continue;
            if (weights_in != WeightsIn::BorderMemory) {
                made[i] = upload(queue, arrays[i]);
                continue;
            }
            const BorderMemory& memory = memory_.emplace_back(arrays[i].size());
            std::copy(arrays[i].begin(), arrays[i].end(), memory.bytes().begin());
            made[i] = buffer_over(queue, memory.bytes());
        }
        return made;
    };
    arrays_ =
        must(weights_in == WeightsIn::Buffers ? must(SegmentProbe::create(queue)).make_in_segments(make) : make());
    for (size_t i = 0; image && i < kWeightArrays.size(); ++i) {
        if (arrays[i].empty()) continue;
        const uint64_t texels = arrays[i].size() / array_format(layout, kWeightArrays[i], true).element_bytes;
        arrays_[i] = must(queue.image_of(arrays_[i], texel_format(layout, kWeightArrays[i]), texels));
    }
}

Output MatmulUnderTest::run(const MatmulChoice& choice, const ClKernel& kernel) {
    const uint32_t pairs = matrix_.n_pairs();
    std::vector<float> y(size_t{kPaddedRows} * 2 * pairs, std::numeric_limits<float>::quiet_NaN());
    const ClBuffer out = upload(queue_, std::as_bytes(std::span(y)));
    constexpr uint32_t kInputAt = 0, kFirstPair = 0;
    compute::Arguments args(kernel);
    for (const ClBuffer& array : arrays_) {
        if (array) args.add(array);
    }
    args.add(pairs, block_count(matrix_.cols), x_buffer_);
    must(args.add(kInputAt, x_.row_bytes, x_.width, kFirstPair, out, 2 * pairs).finish());
    const uint32_t group_pairs = choice.shape.group_pairs();
    must(queue_.launch(kernel, (pairs + group_pairs - 1) / group_pairs,
                       (kRows + choice.batch_rows - 1) / choice.batch_rows, choice.shape.items()));
    must(queue_.read(out, 0, std::as_writable_bytes(std::span(y))));
    y.resize(size_t{kRows} * 2 * pairs);
    return {2 * pairs, std::move(y)};
}

ClKernel build(DeviceQueue& queue, const MatmulChoice& choice) {
    const auto program = must(
        queue.build("matmul", {matmul_source(choice, Epilogue::Store)},
                    base::concat(matmul_options(choice, Epilogue::Store, InputNorm::None, false), " -DMAX_ROWS=16")));
    return must(compute::make_kernel(program, "matmul"));
}

std::string name_of(const MatmulChoice& v) {
    return base::concat(layout_name(v.layout),
                        v.core == Core::Integer ? " integer"
                        : v.core == Core::Float ? " float"
                                                : " dot",
                        ", value_bytes ", v.value_bytes, ", batch rows ", v.batch_rows, ", pairs ", v.shape.pairs,
                        ", lanes ", v.shape.lanes, ", K splits ", v.shape.k_splits, ", chunks of ", v.chunk_blocks,
                        v.image ? ", images" : "", v.segment ? ", segment" : "", v.prefetch ? ", prefetch" : "");
}

}  // namespace llmd::test
