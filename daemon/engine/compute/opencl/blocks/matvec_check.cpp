#include "engine/compute/opencl/blocks/matvec_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "engine/compute/noise.h"

namespace llmd::compute::blocks {
namespace {

using base::ErrorCode;
using base::Result;

// In [-1, 1), the same everywhere.
float test_value(uint32_t i) {
    return static_cast<float>(mix32(i) >> 8) * 0x1p-23f - 1.0f;
}

struct MatvecRun {
    DeviceQueue& queue;
    const Kernels& kernels;
    const BlockMatrix& matrix;
    uint32_t rows;
    const ClBuffer& x;
    const ClBuffer& y;
    const ClBuffer& step;
    const ClBuffer& packed;  // for shapes that take it

    // y[column][row] for the columns in `values`.
    Result<std::vector<float>> operator()(const ClKernel& kernel, std::span<const float> values,
                                          const MatvecShape& shape) const {
        if (auto ok = queue.upload(x, 0, std::as_bytes(values)); !ok) return ok.error();
        if (shape.takes_packed) {
            auto pack = kernels.pack();
            if (!pack) return pack.error();
            if (auto ok = set_pack_args(*pack, x, matrix.cols, step, false, packed); !ok) return ok.error();
            if (auto ok = queue.launch(*pack, kPackGroups, 1, 1); !ok) return ok.error();
        }
        const MatvecArguments arguments{matrix.parts[0].buffer,
                                        matrix.row_bytes,
                                        rows,
                                        matrix.cols,
                                        shape.takes_packed ? packed : x,
                                        nullptr,
                                        y,
                                        rows,
                                        0,
                                        0,
                                        Epilogue::Store,
                                        step,
                                        false};
        if (auto ok = set_matvec_args(kernel, shape, arguments); !ok) return ok.error();
        // More groups than rows need: those past the end must write nothing.
        if (auto ok = queue.launch(kernel, rows, 1, 1); !ok) return ok.error();
        std::vector<float> result(rows * (values.size() / matrix.cols));
        if (auto ok = queue.read(y, 0, std::as_writable_bytes(std::span(result))); !ok) return ok.error();
        return result;
    }
};

// Compares a column's products with double-precision ones of the host.
Result<void> check_column(const TestRows& test, std::span<const float> column, std::span<const float> got,
                          const std::string& name) {
    const BlockMatrix& matrix = *test.matrix;
    std::vector<float> weights(matrix.cols);
    for (uint32_t r = 0; r < got.size(); ++r) {
        model::dequantize(matrix.type, std::span(test.bytes).subspan(size_t{r} * matrix.row_bytes, matrix.row_bytes),
                          weights);
        double sum = 0, magnitude = 0;
        for (uint32_t i = 0; i < matrix.cols; ++i) {
            const double product = static_cast<double>(weights[i]) * column[i];
            sum += product;
            magnitude += std::fabs(product);
        }
        if (std::isfinite(sum) && !(std::fabs(got[r] - sum) <= kMatvecTolerance * magnitude)) {
            return base::fail(ErrorCode::DeviceError, name, " gives ", got[r], " instead of ", sum, " in row ", r);
        }
    }
    return {};
}

Result<void> check_same(std::span<const float> alone, std::span<const float> together, const std::string& name) {
    for (size_t i = 0; i < alone.size(); ++i) {
        if (std::isfinite(alone[i]) && std::bit_cast<uint32_t>(alone[i]) != std::bit_cast<uint32_t>(together[i])) {
            return base::fail(ErrorCode::DeviceError, name, ": gives ", together[i], " instead of ", alone[i],
                              " alone");
        }
    }
    return {};
}

}  // namespace

Result<void> check_matvec(DeviceQueue& queue, Kernels& kernels, const TestRows& test) {
    const BlockMatrix& matrix = *test.matrix;
    const auto rows = static_cast<uint32_t>(test.bytes.size() / matrix.row_bytes);
    const uint32_t cols = matrix.cols;
    const std::string name =
        base::concat("self-test: matvec for ", model::block_format(matrix.type).name, " of ", cols, " columns");
    auto x = queue.allocate_scratch(name, uint64_t{kTileColumns} * cols * sizeof(float));
    if (!x) return x.error();
    auto y = queue.allocate_scratch(name, uint64_t{kTileColumns} * rows * sizeof(float));
    if (!y) return y.error();

    std::vector<float> columns(size_t{kTileColumns} * cols);
    for (size_t i = 0; i < columns.size(); ++i) columns[i] = test_value(static_cast<uint32_t>(i));
    auto step = queue.allocate_scratch(name, sizeof(uint32_t) * 2);
    if (!step) return step.error();
    const uint32_t counts[] = {kTileColumns, kTileColumns};  // of outputs and of rows, whatever the variant
    if (auto ok = queue.upload(*step, 0, std::as_bytes(std::span(counts))); !ok) return ok;
    const auto packed = queue.allocate_scratch(name, std::max<uint64_t>(kernels.packed_bytes(kTileColumns, cols), 1));
    if (!packed) return packed.error();
    const MatvecRun run{queue, kernels, matrix, rows, *x, *y, *step, *packed};
    std::vector<float> alone;  // [column][row]
    for (const MatvecShape& shape : kernels.matvec_shapes(cols)) {
        auto kernel = kernels.matvec(queue, matrix.type, shape);
        if (!kernel) return kernel.error();
        const uint32_t together = std::min(shape.columns, kTileColumns);
        for (uint32_t first = 0; first < kTileColumns; first += together) {
            const auto values = std::span<const float>(columns).subspan(size_t{first} * cols, size_t{together} * cols);
            const auto got = run(*kernel, values, shape);
            if (!got) return got.error();
            if (shape.columns == 1) {
                if (auto ok = check_column(test, values, *got, name); !ok) return ok;
                alone.insert(alone.end(), got->begin(), got->end());
            } else if (auto ok = check_same(std::span(alone).subspan(size_t{first} * rows, got->size()), *got,
                                            base::concat(name, ", ", together, " at once"));
                       !ok) {
                return ok;
            }
        }
    }
    return {};
}

}  // namespace llmd::compute::blocks
