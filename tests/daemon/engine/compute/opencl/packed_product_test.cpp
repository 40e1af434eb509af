// The packed product kernel on every OpenCL device, against double-precision sums of the file's own weights and the
// records' digits: every layout in every variant, and the same bits in all that promise it.
#include "engine/compute/opencl/packed/product.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "daemon/engine/compute/device_under_test.h"
#include "daemon/engine/compute/opencl/packed_matrix.h"
#include "engine/compute/opencl/device.h"
#include "engine/compute/opencl/device_queue.h"

namespace llmd::test {
namespace {

using namespace compute::packed;
using compute::ClBuffer;
using compute::ClKernel;
using compute::DeviceQueue;
using model::TensorType;

// Batch rows of every test: no multiple of the column counts but 1, so the last group has rows to spare.
constexpr uint32_t kRows = 9;
constexpr uint32_t kPaddedRows = 16;
// Sums within a block are exact; what rounds is one multiply-add a block, the scales, and within a block those of
// weights that are no small integers: a few times 2^-24 of the magnitude.
constexpr double kTolerance = 1e-6;

template <typename T>
T must(base::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
}
void must(const base::Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().message);
}

DeviceQueue open_queue(const DeviceUnderTest& device) {
    const auto found = must(compute::find_cl_devices());
    return must(DeviceQueue::open(found.at(device.opencl_index), {}));
}

ClBuffer upload(DeviceQueue& queue, std::span<const std::byte> bytes) {
    ClBuffer buffer = must(queue.allocate_scratch("a test", bytes.size()));
    must(queue.upload(buffer, 0, bytes));
    return buffer;
}

// y[row][matrix row] of kRows rows, padding rows included.
struct Output {
    uint32_t width;
    std::vector<float> y;
};

class Products {
public:
    Products(const PackedMatrix& matrix, const RecordRows& x, DeviceQueue& queue)
        : matrix_(matrix), x_(x), queue_(queue), record_(upload(queue, x.bytes)) {
        for (size_t i = 0; i < kPlanes.size(); ++i) {
            if (!matrix.planes[i].empty()) planes_.push_back(upload(queue, matrix.planes[i]));
        }
    }

    Output run(const ProductVariant& variant, const ClKernel& kernel) {
        const uint32_t pairs = matrix_.n_pairs();
        std::vector<float> y(size_t{kPaddedRows} * 2 * pairs, std::numeric_limits<float>::quiet_NaN());
        const ClBuffer out = upload(queue_, std::as_bytes(std::span(y)));
        cl_uint index = 0;
        for (const ClBuffer& plane : planes_) must(compute::set_arg(kernel, index++, plane));
        must(compute::set_arg(kernel, index++, pairs));
        must(compute::set_arg(kernel, index++, block_count(matrix_.cols)));
        must(compute::set_arg(kernel, index++, record_));
        must(compute::set_arg(kernel, index++, x_.row_bytes));
        must(compute::set_arg(kernel, index++, x_.columns));
        must(compute::set_arg(kernel, index++, uint32_t{0}));
        must(compute::set_arg(kernel, index++, out));
        must(compute::set_arg(kernel, index++, 2 * pairs));
        const uint32_t group_pairs = variant.shape.group_pairs();
        must(queue_.launch(kernel, std::array<size_t, 2>{variant.shape.lanes, variant.shape.slices},
                           (pairs + group_pairs - 1) / group_pairs, (kRows + variant.columns - 1) / variant.columns));
        must(queue_.read(out, 0, std::as_writable_bytes(std::span(y))));
        y.resize(size_t{kRows} * 2 * pairs);
        return {2 * pairs, std::move(y)};
    }

    const PackedMatrix& matrix() const { return matrix_; }
    const RecordRows& x() const { return x_; }

private:
    const PackedMatrix& matrix_;
    const RecordRows& x_;
    DeviceQueue& queue_;
    ClBuffer record_;
    std::vector<ClBuffer> planes_;
};

ClKernel build(DeviceQueue& queue, const ProductVariant& variant) {
    const auto program = must(
        queue.build("product", {product_source(variant)},
                    base::concat(product_options(variant), " -DEPILOGUE=5 -DINPUT_NORM=0 -DSHIFT=0 -DMAX_ROWS=16")));
    return must(compute::make_kernel(program, "product"));
}

std::string name_of(const ProductVariant& v) {
    return base::concat(layout_name(v.layout), v.core == Core::Integer ? " integer" : " float", ", digits ", v.digits,
                        ", columns ", v.columns, ", pairs ", v.shape.pairs, ", lanes ", v.shape.lanes, ", slices ",
                        v.shape.slices, ", chunks of ", v.chunk_blocks);
}

void expect_close(const Output& got, const Products& products, const std::string& name) {
    const PackedMatrix& matrix = products.matrix();
    double worst = 0;
    for (uint32_t n = 0; n < kRows; ++n) {
        for (uint32_t r = 0; r < got.width; ++r) {
            const float y = got.y[size_t{n} * got.width + r];
            if (r >= matrix.rows) {
                ASSERT_EQ(y, 0) << name << ": padding row " << r << " of " << matrix.rows;
                continue;
            }
            const ExactSum exact = exact_product(matrix, products.x(), r, n);
            const double error = std::fabs(y - exact.sum) / exact.magnitude;
            ASSERT_LE(error, kTolerance) << name << ", " << matrix.cols << " columns: row " << r << ", batch row " << n
                                         << ": " << y << " instead of " << exact.sum;
            worst = std::max(worst, error);
        }
    }
}

void expect_same_bits(const Output& got, const Output& expected, const std::string& name) {
    for (size_t i = 0; i < got.y.size(); ++i) {
        ASSERT_EQ(std::bit_cast<uint32_t>(got.y[i]), std::bit_cast<uint32_t>(expected.y[i]))
            << name << ": row " << i % got.width << ", batch row " << i / got.width << ": " << got.y[i] << " and "
            << expected.y[i];
    }
}

// Every number of columns, pairs and lanes and several lengths of chunks, for one number of slices.
std::vector<ProductVariant> variants_of(Layout layout, uint32_t digits, uint32_t slices) {
    struct Shape {
        uint32_t columns, pairs, lanes, chunks_of_slices;
    };
    std::vector<Shape> shapes;
    if (slices == 1) {
        shapes = {{1, 1, 32, 0}, {8, 2, 16, 1}, {4, 4, 8, 3}};
    } else {
        shapes = {{1, 4, 16, 0}, {2, 2, 32, 2}, {8, 1, 8, 1}};
    }
    std::vector<ProductVariant> variants;
    for (const Core core : {Core::Float, Core::Integer}) {
        if (core == Core::Integer && !has_integer_core(layout)) continue;
        for (const Shape& s : shapes) {
            // A chunk has room for the group's sums.
            const uint32_t least = (s.lanes * slices * 8 + 128 * s.columns - 1) / (128 * s.columns);
            const uint32_t chunk = (std::max(least, s.chunks_of_slices * slices) + slices - 1) / slices * slices;
            variants.push_back({layout,
                                core,
                                digits,
                                s.columns,
                                {s.lanes, s.pairs, slices},
                                false,
                                s.chunks_of_slices == 0 ? 0 : chunk});
        }
    }
    return variants;
}

struct Parameter {
    DeviceUnderTest device;
    TensorType type;
};

void PrintTo(const Parameter& parameter, std::ostream* out) {
    *out << parameter.device.name << " " << model::block_format(parameter.type).name;
}

class PackedProduct : public testing::TestWithParam<Parameter> {
protected:
    std::vector<PackedMatrix> matrices_of(TensorType type) {
        // One tile; several with padding in the last; rows that no group divides; long rows; a row of one block.
        std::vector<std::pair<uint32_t, uint32_t>> shapes = {{64, 576}, {100, 896}, {200, 2560}, {70, 8192}, {64, 32}};
        const uint32_t unit = model::block_format(type).block_weights;
        if (unit == 1) shapes.push_back({65, 49});
        std::vector<PackedMatrix> matrices;
        for (const auto& [rows, cols] : shapes) {
            matrices.emplace_back(type, rows, (cols + unit - 1) / unit * unit, noise_);
        }
        return matrices;
    }

    Noise noise_{static_cast<uint64_t>(GetParam().type) + 77};
};

TEST_P(PackedProduct, IsExactAndTheSameInEveryVariant) {
    DeviceQueue queue = open_queue(GetParam().device);
    const std::vector<PackedMatrix> matrices = matrices_of(GetParam().type);
    const Layout layout = layout_for(GetParam().type);
    for (const uint32_t digits : {2u, 1u}) {
        std::vector<RecordRows> records;
        for (const PackedMatrix& matrix : matrices) {
            records.emplace_back(kPaddedRows, block_count(matrix.cols) * kBlockColumns, digits, noise_);
        }
        std::vector<Products> products;
        for (size_t i = 0; i < matrices.size(); ++i) products.emplace_back(matrices[i], records[i], queue);
        for (const uint32_t slices : {1u, 8u}) {
            std::vector<std::optional<Output>> first(matrices.size());
            for (const ProductVariant& variant : variants_of(layout, digits, slices)) {
                // Types that are held in another's layout have no kernels of their own.
                if (is_reencoded(GetParam().type) && first[0]) break;
                const ClKernel kernel = build(queue, variant);
                for (size_t i = 0; i < matrices.size(); ++i) {
                    Output got = products[i].run(variant, kernel);
                    const std::string name =
                        base::concat(name_of(variant), ", ", matrices[i].rows, " x ", matrices[i].cols);
                    if (first[i]) {
                        expect_same_bits(got, *first[i], name);
                    } else {
                        expect_close(got, products[i], name);
                        first[i] = std::move(got);
                    }
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

std::vector<Parameter> parameters() {
    std::vector<Parameter> result;
    for (const DeviceUnderTest& device : devices_under_test()) {
        if (!device.is_opencl) continue;
        for (const model::BlockFormat& format : model::block_formats()) result.push_back({device, format.type});
    }
    return result;
}

std::string parameter_name(const testing::TestParamInfo<Parameter>& info) {
    return base::concat(info.param.device.name, "_", model::block_format(info.param.type).name);
}
INSTANTIATE_TEST_SUITE_P(Devices, PackedProduct, testing::ValuesIn(parameters()), parameter_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PackedProduct);

}  // namespace
}  // namespace llmd::test
