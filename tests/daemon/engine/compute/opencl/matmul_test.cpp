// The matmul kernel on every OpenCL device, against double-precision sums of the file's own weights and the
// activations' bytes: every layout in every choice, and the same bits in all that promise it.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "daemon/engine/compute/device_under_test.h"
#include "daemon/engine/compute/opencl/matmul_under_test.h"
#include "engine/compute/opencl/gpu/weight_addressing.h"

namespace llmd::test {
namespace {

using namespace compute::gpu;
using compute::ClKernel;
using compute::DeviceQueue;
using model::TensorType;

// Sums within a block are exact; what rounds is one multiply-add a block, the scales, and within a block those of
// weights that are no small integers: a few times 2^-24 of the magnitude.
constexpr double kTolerance = 1e-6;

void expect_close(const Output& got, const Case& of, const std::string& name) {
    for (uint32_t n = 0; n < kRows; ++n) {
        for (uint32_t r = 0; r < got.width; ++r) {
            const float y = got.y[size_t{n} * got.width + r];
            if (r >= of.matrix.rows) {
                ASSERT_EQ(y, 0) << name << ": padding row " << r;
                continue;
            }
            const ExactSum& exact = of.exact[size_t{n} * of.matrix.rows + r];
            ASSERT_LE(std::fabs(y - exact.sum), kTolerance * exact.magnitude)
                << name << ": row " << r << ", batch row " << n << ": " << y << " instead of " << exact.sum;
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

// Every number of batch rows, pairs and lanes and several lengths of chunks, for one number of K splits. CPU devices,
// which take long to compile kernels, have a few of them only.
std::vector<MatmulChoice> choices_of(Layout layout, uint32_t value_bytes, uint32_t k_splits, bool is_cpu) {
    struct Shape {
        uint32_t batch_rows, pairs, lanes, chunks_of_splits;
    };
    std::vector<Shape> shapes;
    if (k_splits == 1) {
        shapes = {{1, 1, 32, 0}, {8, 2, 16, 1}, {4, 4, 8, 3}};
    } else {
        shapes = {{1, 4, 16, 0}, {2, 2, 32, 2}, {8, 1, 8, 1}};
    }
    if (is_cpu) shapes.erase(shapes.begin() + 2, shapes.end());
    if (is_cpu && value_bytes == 1) shapes.resize(1);
    std::vector<MatmulChoice> kernel_choice;
    for (const Core core : {Core::Float, Core::Integer, Core::Dot}) {
        if (core == Core::Integer && !has_integer_core(layout)) continue;
        if (core == Core::Dot && (!has_dot_core(layout) || (is_cpu && k_splits == 1))) continue;
        const uint32_t block_bytes = core == Core::Dot ? 64 : 128;  // of x, of one batch row
        for (const Shape& s : shapes) {
            if (core == Core::Dot && is_cpu && &s != &shapes.back()) continue;
            MatmulChoice choice{layout, core, value_bytes, s.batch_rows, {s.lanes, s.pairs, k_splits}};
            if (s.chunks_of_splits != 0) {
                // A chunk has room for the group's sums.
                const uint32_t least =
                    (s.lanes * k_splits * 8 + block_bytes * s.batch_rows - 1) / (block_bytes * s.batch_rows);
                const uint32_t blocks = std::max(least, s.chunks_of_splits * k_splits);
                choice.chunk_blocks = (blocks + k_splits - 1) / k_splits * k_splits;
            }
            choice.prefetch = s.pairs == 2;
            choice.segment = s.pairs != 1;
            kernel_choice.push_back(choice);
        }
        if (core == Core::Dot) continue;  // reads no images
        for (const Shape& s : {shapes.front(), shapes.back()}) {
            MatmulChoice choice{layout, core, value_bytes, s.batch_rows, {s.lanes, s.pairs, k_splits}};
            choice.image = true;
            kernel_choice.push_back(choice);
        }
    }
    return kernel_choice;
}

struct Parameter {
    DeviceUnderTest device;
    TensorType type;
};

void PrintTo(const Parameter& parameter, std::ostream* out) {
    *out << parameter.device.name << " " << model::block_layout(parameter.type).name;
}

class GpuMatmul : public testing::TestWithParam<Parameter> {
protected:
    std::vector<GpuMatrix> matrices_of(TensorType type) {
        // One tile; several with padding in the last; rows that no group divides; long rows; a row of one block.
        std::vector<std::pair<uint32_t, uint32_t>> shapes = {{64, 576}, {100, 896}, {136, 2560}, {70, 8192}, {64, 32}};
        const uint32_t whole_block = model::block_layout(type).block_weights;
        if (whole_block == 1) shapes.push_back({65, 49});
        std::vector<GpuMatrix> matrices;
        for (const auto& [rows, cols] : shapes) {
            const uint32_t whole = (cols + whole_block - 1) / whole_block * whole_block;
            std::vector<std::byte> blocks = random_blocks(type, uint64_t{rows} * whole, 1.0, noise_);
            // Images cannot hold -128: every other matrix is without.
            if (type == TensorType::Q8_0 && matrices.size() % 2 == 0) {
                std::replace(blocks.begin(), blocks.end(), std::byte{0x80}, std::byte{0x81});
            }
            matrices.emplace_back(type, whole, std::move(blocks));
        }
        return matrices;
    }

    Noise noise_{static_cast<uint64_t>(GetParam().type) + 77};
};

TEST_P(GpuMatmul, IsExactAndTheSameInEveryVariant) {
    DeviceQueue queue = open_queue(GetParam().device);
    const TensorType type = GetParam().type;
    const std::vector<GpuMatrix> matrices = matrices_of(type);
    const bool has_images = must(images_work(queue));
    RecordProperty("images", has_images ? "yes" : "no");
    for (const uint32_t value_bytes : {2u, 1u}) {
        std::vector<Case> cases;
        for (const GpuMatrix& matrix : matrices) cases.emplace_back(matrix, value_bytes, noise_);
        std::vector<MatmulUnderTest> by_pointer, by_image;
        for (const Case& c : cases) {
            by_pointer.emplace_back(c, queue, WeightsIn::Buffers);
            if (has_images) by_image.emplace_back(c, queue, WeightsIn::Images);
        }
        for (const uint32_t k_splits : {1u, 8u}) {
            // Bytes read as normalised floats are rounded: the sums of Q8_0 differ between images and pointers. Its
            // sums as integers are rounded once.
            std::vector<std::optional<Output>> first(cases.size()), first_normalised(cases.size()),
                first_dot(cases.size());
            for (const MatmulChoice& choice :
                 choices_of(layout_for(type), value_bytes, k_splits, queue.limits().is_cpu)) {
                if (choice.image && !has_images) continue;
                const bool is_q8 = choice.layout == Layout::Q8_0;
                auto& expected = is_q8 && choice.image               ? first_normalised
                                 : is_q8 && choice.core == Core::Dot ? first_dot
                                                                     : first;
                // Types that are held in another's layout have no kernels of their own.
                if (is_reencoded(type) && expected[0]) continue;
                const ClKernel kernel = build(queue, choice);
                for (size_t i = 0; i < cases.size(); ++i) {
                    if (choice.image && holds_minus_128(type, matrices[i].blocks)) continue;
                    Output got = (choice.image ? by_image : by_pointer)[i].run(choice, kernel);
                    const std::string name =
                        base::concat(name_of(choice), ", ", matrices[i].rows, " x ", matrices[i].cols);
                    if (expected[i]) {
                        expect_same_bits(got, *expected[i], name);
                    } else {
                        expect_close(got, cases[i], name);
                        expected[i] = std::move(got);
                    }
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

// The bytes in which a block of a type keeps its quants.
std::span<std::byte> quant_bytes(TensorType type, std::span<std::byte> block) {
    const model::BlockLayout& layout = model::block_layout(type);
    const size_t begin = layout.high_bits.exists() ? std::min(layout.quants.at, layout.high_bits.at) : layout.quants.at;
    return block.first(std::max(layout.quants.end(), layout.high_bits.end())).subspan(begin);
}

// The largest and smallest quants times the largest and smallest bytes in every column: 16-bit sums that overflow would
// be off by 65536.
TEST_P(GpuMatmul, HoldsTheLargestSums) {
    const TensorType type = GetParam().type;
    const Layout layout = layout_for(type);
    if (!has_integer_core(layout) && !has_dot_core(layout)) return;  // nothing to spill over
    DeviceQueue queue = open_queue(GetParam().device);
    constexpr std::pair<int, int> kExtremes[] = {{127, 64}, {-127, -63}, {127, -63}, {-127, 64}};
    for (const int fill : {0x00, 0x7f, 0x81, 0xff}) {
        const uint32_t cols = model::block_layout(type).block_weights;
        std::vector<std::byte> blocks = random_blocks(type, uint64_t{kTileRows} * cols, 1.0, noise_);
        const size_t block_bytes = model::block_layout(type).block_bytes;
        for (size_t at = 0; at < blocks.size(); at += block_bytes) {
            const auto quants = quant_bytes(type, std::span(blocks).subspan(at, block_bytes));
            std::fill(quants.begin(), quants.end(), static_cast<std::byte>(fill));
        }
        const GpuMatrix matrix(type, cols, std::move(blocks));
        for (const uint32_t value_bytes : {2u, 1u}) {
            Case extreme(matrix, value_bytes, noise_);
            for (uint32_t n = 0; n < std::size(kExtremes); ++n) {
                for (uint32_t c = 0; c < cols; ++c) extreme.x.set(n, c, kExtremes[n].first, kExtremes[n].second);
            }
            extreme.compute_exact();
            for (const Core core : {Core::Integer, Core::Dot}) {
                if (core == Core::Integer ? !has_integer_core(layout) : !has_dot_core(layout)) continue;
                MatmulChoice choice;
                choice.layout = layout;
                choice.core = core;
                choice.value_bytes = value_bytes;
                const Output got =
                    MatmulUnderTest(extreme, queue, WeightsIn::Buffers).run(choice, build(queue, choice));
                expect_close(got, extreme, base::concat(name_of(choice), ", quants of ", fill));
                if (HasFatalFailure()) return;
            }
        }
    }
}

// Without SEGMENT, weights may lie anywhere.
TEST_P(GpuMatmul, ReadsWeightsAcrossABorderOf4GiB) {
    const TensorType type = GetParam().type;
    if (is_reencoded(type)) return;  // has no kernels of its own
    DeviceQueue queue = open_queue(GetParam().device);
    constexpr uint32_t kRowsOfIt = 192, kCols = 512;
    const GpuMatrix matrix(type, kCols, random_blocks(type, uint64_t{kRowsOfIt} * kCols, 1.0, noise_));
    const Case c(matrix, 2, noise_);
    MatmulChoice choice;
    choice.layout = layout_for(type);
    const Output got = MatmulUnderTest(c, queue, WeightsIn::BorderMemory).run(choice, build(queue, choice));
    expect_close(got, c, name_of(choice));
}

TEST(Repack, FindsMinus128) {
    std::vector<std::byte> blocks(3 * 34);
    blocks[34] = std::byte{0x80};  // in the scale: no weight
    EXPECT_FALSE(holds_minus_128(TensorType::Q8_0, blocks));
    blocks[3 * 34 - 1] = std::byte{0x80};
    EXPECT_TRUE(holds_minus_128(TensorType::Q8_0, blocks));
    EXPECT_FALSE(holds_minus_128(TensorType::Q4_0, blocks));
}

std::vector<Parameter> parameters() {
    std::vector<Parameter> result;
    for (const DeviceUnderTest& device : opencl_devices_under_test()) {
        // A device may be listed in several shapes; here only its index matters.
        if (!result.empty() && result.back().device.opencl_index == device.opencl_index) continue;
        for (const model::BlockLayout& format : model::kBlockLayouts) result.push_back({device, format.type});
    }
    return result;
}

std::string parameter_name(const testing::TestParamInfo<Parameter>& info) {
    return base::concat(info.param.device.name, "_", model::block_layout(info.param.type).name);
}
INSTANTIATE_TEST_SUITE_P(Devices, GpuMatmul, testing::ValuesIn(parameters()), parameter_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuMatmul);

}  // namespace
}  // namespace llmd::test
