#include "engine/compute/opencl/self_test.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "engine/compute/noise.h"
#include "kernel_sources.h"

namespace llmd::compute {
namespace {

using base::ErrorCode;
using base::Result;

constexpr uint32_t kChainSize = 16 * 1024;
constexpr uint32_t kChainLinks = 32;  // even: the result is in the first buffer

// In [-1, 1), the same everywhere.
float test_value(uint32_t i) {
    return static_cast<float>(mix32(i) >> 8) * 0x1p-23f - 1.0f;
}

struct MatvecRun {
    DeviceQueue& queue;
    const DeviceMatrix& matrix;
    uint32_t rows;
    const ClBuffer& x;
    const ClBuffer& y;  // also the absent bias

    // y[column][row] for `columns` columns from `values`.
    Result<std::vector<float>> operator()(const ClKernel& kernel, std::span<const float> values,
                                          uint32_t columns) const {
        if (auto ok = queue.upload(x, 0, std::as_bytes(values)); !ok) return ok.error();
        if (auto ok = set_args(kernel, matrix.parts[0].buffer, matrix.row_bytes, rows, matrix.cols, x, y, uint32_t{0},
                               y, rows, uint32_t{0}, uint32_t{0}, uint32_t{0});
            !ok) {
            return ok.error();
        }
        // More groups than rows need, whatever the device: those past the end must write nothing.
        if (auto ok = queue.launch(kernel, rows, 1); !ok) return ok.error();
        std::vector<float> result(size_t{rows} * columns);
        if (auto ok = queue.read(y, 0, std::as_writable_bytes(std::span(result))); !ok) return ok.error();
        return result;
    }
};

}  // namespace

Result<bool> launches_are_ordered(DeviceQueue& queue) {
    auto program = queue.build("chain", {kernels::kChainCl}, base::concat("-DCHAIN_SIZE=", kChainSize));
    if (!program) return program.error();
    std::vector<uint32_t> values(kChainSize, 0);
    ClBuffer buffers[2];
    ClKernel kernels[2];
    for (int i = 0; i < 2; ++i) {
        auto buffer = queue.allocate_scratch("the self-test", kChainSize * sizeof(uint32_t));
        if (!buffer) return buffer.error();
        buffers[i] = std::move(*buffer);
        if (auto ok = queue.upload(buffers[i], 0, std::as_bytes(std::span(values))); !ok) return ok.error();
        auto kernel = make_kernel(*program, "chain");
        if (!kernel) return kernel.error();
        kernels[i] = std::move(*kernel);
    }
    for (int i = 0; i < 2; ++i) {
        if (auto ok = set_args(kernels[i], buffers[i], buffers[1 - i]); !ok) return ok.error();
    }
    for (uint32_t link = 0; link < kChainLinks; ++link) {
        if (auto ok = queue.launch(kernels[link % 2], kChainSize / kGroupItems, 1); !ok) return ok.error();
    }
    if (auto ok = queue.read(buffers[0], 0, std::as_writable_bytes(std::span(values))); !ok) return ok.error();
    return std::all_of(values.begin(), values.end(), [](uint32_t v) { return v == kChainLinks; });
}

Result<void> check_matvec(DeviceQueue& queue, KernelSet& kernels, const TestRows& test) {
    const DeviceMatrix& matrix = *test.matrix;
    const auto rows = static_cast<uint32_t>(test.bytes.size() / matrix.row_bytes);
    const uint32_t cols = matrix.cols;
    const std::string name =
        base::concat("self-test: matvec for ", model::block_format(matrix.type).name, " of ", cols, " columns");
    auto x = queue.allocate_scratch(name, uint64_t{kBatchColumns} * cols * sizeof(float));
    if (!x) return x.error();
    auto y = queue.allocate_scratch(name, uint64_t{kBatchColumns} * rows * sizeof(float));
    if (!y) return y.error();
    auto single = kernels.matvec(queue, matrix.type, 1);
    if (!single) return single.error();
    auto batched = kernels.matvec(queue, matrix.type, kBatchColumns);
    if (!batched) return batched.error();

    std::vector<float> columns(size_t{kBatchColumns} * cols);
    for (size_t i = 0; i < columns.size(); ++i) columns[i] = test_value(static_cast<uint32_t>(i));
    const MatvecRun run{queue, matrix, rows, *x, *y};
    const auto together = run(*batched, columns, kBatchColumns);
    if (!together) return together.error();

    std::vector<float> weights(cols);
    for (uint32_t n = 0; n < kBatchColumns; ++n) {
        const auto column = std::span<const float>(columns).subspan(size_t{n} * cols, cols);
        const auto alone = run(*single, column, 1);
        if (!alone) return alone.error();
        for (uint32_t r = 0; r < rows; ++r) {
            model::dequantize(matrix.type,
                              std::span(test.bytes).subspan(size_t{r} * matrix.row_bytes, matrix.row_bytes), weights);
            double sum = 0, magnitude = 0;
            for (uint32_t i = 0; i < cols; ++i) {
                const double product = static_cast<double>(weights[i]) * column[i];
                sum += product;
                magnitude += std::fabs(product);
            }
            if (!std::isfinite(sum)) continue;
            const float got = (*alone)[r];
            const float got_together = (*together)[size_t{n} * rows + r];
            if (!(std::fabs(got - sum) <= kMatvecTolerance * magnitude)) {
                return base::fail(ErrorCode::DeviceError, name, " gives ", got, " instead of ", sum, " in row ", r);
            }
            if (std::bit_cast<uint32_t>(got) != std::bit_cast<uint32_t>(got_together)) {
                return base::fail(ErrorCode::DeviceError, name, " gives ", got, " alone and ", got_together, " among ",
                                  kBatchColumns, " columns in row ", r);
            }
        }
    }
    return {};
}

}  // namespace llmd::compute
