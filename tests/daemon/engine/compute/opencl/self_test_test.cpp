// The self-test: sound kernels pass, and of a device that multiplies wrongly in some kernels, or with the dot core, the
// others are used.
#include "engine/compute/opencl/gpu/self_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "daemon/engine/compute/device_under_test.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/gpu/weight_addressing.h"
#include "engine/compute/opencl/runtime/device.h"

namespace llmd::test {
namespace {

using namespace compute::gpu;
using base::ErrorCode;
using compute::ClKernel;
using compute::DeviceQueue;
using model::TensorType;

constexpr uint32_t kMatrixRows = 300, kMatrixCols = 512;

// A matrix in a file.
struct FileMatrix {
    FileMatrix(TensorType type, Noise& noise)
        : blocks(random_blocks(type, uint64_t{kMatrixRows} * kMatrixCols, 1.0, noise)) {
        view = {type, kMatrixRows, kMatrixCols, blocks};
    }
    std::vector<std::byte> blocks;
    model::TensorView view;
};

const std::vector<MatmulTest> kKernels = {{1, {{32, 1, 1}}}, {1, {{16, 1, 4}}}, {2, {{16, 2, 4}}}, {8, {{16, 2, 1}}}};

class SelfTest : public testing::TestWithParam<DeviceUnderTest> {
protected:
    void SetUp() override {
        const auto devices = compute::find_cl_devices();
        ASSERT_TRUE(devices);
        auto opened = DeviceQueue::open(devices->at(GetParam().opencl_index), {});
        ASSERT_TRUE(opened) << opened.error().message;
        queue_.emplace(std::move(*opened));
        const auto work = images_work(*queue_);
        has_images_ = work && *work;
    }

    // Builds a matmul kernel; `broken`: it reads the weights of every block as if their scale were one sixteenth
    // larger.
    base::Result<ClKernel> build(const ProbeMatrix& probe, const MatmulTest& test, bool image, bool broken) {
        const MatmulChoice choice = {.layout = probe.layout,
                                     .core = has_integer_core(probe.layout) ? Core::Integer : Core::Float,
                                     .value_bytes = probe.x.value_bytes,
                                     .batch_rows = test.batch_rows,
                                     .shape = test.config.shape,
                                     .image = image,
                                     .staged_bytes = test.config.staged_bytes};
        std::string source = matmul_source(choice, Epilogue::Store);
        if (broken) {
            constexpr std::string_view kSound = "x_scale[to] = scale";
            const size_t at = source.find(kSound);
            EXPECT_NE(at, std::string::npos);
            source.insert(at + kSound.size(), " * 1.0625f");
        }
        const auto program =
            queue_->build("matmul", {source}, matmul_options(choice, Epilogue::Store, InputNorm::None, false));
        if (!program) return program.error();
        return compute::make_kernel(*program, "matmul");
    }

    // With the kernels broken that the predicate names.
    template <typename IsBroken>
    base::Result<SelfTestResult> run(const ProbeMatrix& probe, const IsBroken& is_broken) {
        const ProbeTest test = {&probe, kKernels, has_images_};
        n_ticks_ = 0;
        return test_matmuls(
            *queue_, {&test, 1},
            [&](const ProbeMatrix& of, const MatmulTest& kernel, bool image) {
                return build(of, kernel, image, is_broken(kernel, image));
            },
            [&] { return ++n_ticks_ <= most_ticks_; });
    }

    Noise noise_{11};
    std::optional<DeviceQueue> queue_;
    bool has_images_ = false;
    uint32_t n_ticks_ = 0, most_ticks_ = 1000;
};

constexpr auto kSound = [](const MatmulTest&, bool) { return false; };

TEST_P(SelfTest, SoundKernelsPass) {
    for (const auto& [type, value_bytes] : {std::pair{TensorType::Q4_0, 2u},
                                            {TensorType::Q4_0, 1u},
                                            {TensorType::Q4_K, 2u},
                                            {TensorType::Q8_0, 2u},
                                            {TensorType::BF16, 2u}}) {
        SCOPED_TRACE(model::block_layout(type).name);
        const FileMatrix matrix(type, noise_);
        const ProbeMatrix probe(matrix.view, value_bytes);
        EXPECT_EQ(probe.tiles, kProbeTiles);
        const auto found = run(probe, kSound);
        ASSERT_TRUE(found) << found.error().message;
        EXPECT_TRUE(found->notes.empty()) << found->notes[0];
        EXPECT_EQ(found->sound.images.contains(probe.layout), has_images_);
        EXPECT_GE(found->sound.most_batch_rows, kMaxBatchRows);
        EXPECT_EQ(n_ticks_, kKernels.size());
    }
}

TEST_P(SelfTest, PassesOverRowsThatAreNotFinite) {
    FileMatrix matrix(TensorType::Q8_0, noise_);
    const uint16_t nan = 0x7e00;
    std::memcpy(matrix.blocks.data() + matrix.view.row_size_bytes(), &nan, sizeof nan);  // the scale of a block
    const auto found = run(ProbeMatrix(matrix.view, 2), kSound);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->notes.empty());
}

TEST_P(SelfTest, AWrongKernelOfSeveralBatchRowsLeavesFewer) {
    const FileMatrix matrix(TensorType::Q4_0, noise_);
    const ProbeMatrix probe(matrix.view, 2);
    const auto found = run(probe, [](const MatmulTest& kernel, bool) { return kernel.batch_rows == 8; });
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->sound.most_batch_rows, 2u);
    ASSERT_EQ(found->notes.size(), 1u);
    EXPECT_NE(found->notes[0].find("matmul of Q4_0, 8 batch rows"), std::string::npos) << found->notes[0];
}

TEST_P(SelfTest, WrongImagesLeavePointers) {
    if (!has_images_) return;  // then there is nothing to fall back from
    const FileMatrix matrix(TensorType::Q8_0, noise_);
    const ProbeMatrix probe(matrix.view, 2);
    const auto found = run(probe, [](const MatmulTest&, bool image) { return image; });
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->sound.images.empty());
    EXPECT_GE(found->sound.most_batch_rows, kMaxBatchRows);
    ASSERT_EQ(found->notes.size(), 1u);
    EXPECT_EQ(found->notes[0].rfind("weights of Q8_0 are not read through images: self-test: matmul of Q8_0", 0), 0u)
        << found->notes[0];
}

TEST_P(SelfTest, NamesTheKernelWhereNoneIsLeft) {
    const FileMatrix matrix(TensorType::Q6_K, noise_);
    const ProbeMatrix probe(matrix.view, 2);
    const auto found = run(probe, [](const MatmulTest& kernel, bool) {
        return kernel.batch_rows == 1 && kernel.config.shape.k_splits == 4;
    });
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::DeviceError);
    EXPECT_NE(found.error().message.find("matmul of Q6_K, 1 batch rows, 16 x 1 pairs, 4 K splits: gives "),
              std::string::npos)
        << found.error().message;
}

TEST_P(SelfTest, GivesUpWhenTold) {
    const FileMatrix matrix(TensorType::Q4_0, noise_);
    const ProbeMatrix probe(matrix.view, 2);
    most_ticks_ = 1;
    const auto found = run(probe, kSound);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::Cancelled);
}

TEST_P(SelfTest, SoundAttentionPassesWhateverALayerSees) {
    const KernelChoice kernel_choice(queue_->limits(), compute::Precision::Faithful);
    model::DecoderSpec spec = small_llama();
    const compute::BackendLimits limits = test_limits(spec);
    Kernels kernels(*queue_, spec, limits, kernel_choice);
    model::LayerSpec& layer = spec.layers[0];
    for (const auto& [window, cap] : {std::pair{0u, 0.0f}, {20u, 0.0f}, {300u, 0.5f}}) {
        layer.window = window;
        layer.score_cap = cap;
        const auto checked = check_attention(*queue_, kernels, kernel_choice, layer, limits);
        EXPECT_TRUE(checked) << "window " << window << ": " << checked.error().message;
    }
}

// A device may be listed in several shapes; here only its index matters.
std::vector<DeviceUnderTest> devices() {
    std::vector<DeviceUnderTest> result = opencl_devices_under_test();
    const auto same = [](const auto& a, const auto& b) { return a.opencl_index == b.opencl_index; };
    result.erase(std::unique(result.begin(), result.end(), same), result.end());
    return result;
}
INSTANTIATE_TEST_SUITE_P(Devices, SelfTest, testing::ValuesIn(devices()), device_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SelfTest);

KernelChoice nvidia(bool has_dot) {
    return KernelChoice({.local_bytes = 48 * 1024, .group_items = 1024, .has_dot = has_dot, .vendor_id = 0x10de},
                        compute::Precision::Faithful);
}

const MatmulKind kMatmul = {Layout::Q4_0, 768, 768, OutputKind::Rows};

// An attempt that fails with these errors, one after the other, and then passes; records the cores it was tried with.
struct Attempts {
    std::vector<base::Error> errors;
    std::vector<Core> cores{};

    base::Result<SelfTestResult> operator()(const KernelChoice& kernel_choice) {
        cores.push_back(kernel_choice.matmul(kMatmul, 1).core);
        if (cores.size() <= errors.size()) return errors[cores.size() - 1];
        return SelfTestResult{{}, {"another note"}};
    }
};

base::Result<SelfTestResult> outcome(KernelChoice& kernel_choice, Attempts& attempts) {
    return with_or_without_dot(kernel_choice, [&](const KernelChoice& tried) { return attempts(tried); });
}

const base::Error kFault = base::fail(ErrorCode::DeviceError, "self-test: matmul of Q4_0: gives 1 instead of 2");

TEST(WithOrWithoutDot, ADeviceThatPassesKeepsTheDotCore) {
    KernelChoice kernel_choice = nvidia(true);
    Attempts attempts;
    const auto found = outcome(kernel_choice, attempts);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->notes, std::vector<std::string>{"another note"});
    EXPECT_EQ(attempts.cores, std::vector{Core::Dot});
    EXPECT_TRUE(kernel_choice.has_dot());
    EXPECT_NE(kernel_choice.fingerprint(), nvidia(false).fingerprint());
}

TEST(WithOrWithoutDot, ADeviceThatFailsWithTheDotCoreComputesWithoutAndSaysWhy) {
    KernelChoice kernel_choice = nvidia(true);
    Attempts attempts{{kFault}};
    const auto found = outcome(kernel_choice, attempts);
    ASSERT_TRUE(found) << found.error().message;
    const std::vector<std::string> notes = {"the device's dot products of bytes are not used: " + kFault.message,
                                            "another note"};
    EXPECT_EQ(found->notes, notes);
    EXPECT_EQ(attempts.cores, (std::vector{Core::Dot, nvidia(false).matmul(kMatmul, 1).core}));
    EXPECT_FALSE(kernel_choice.has_dot());
    EXPECT_EQ(kernel_choice.fingerprint(), nvidia(false).fingerprint());
}

TEST(WithOrWithoutDot, ADeviceThatFailsEitherWayIsRefusedForBothReasons) {
    KernelChoice kernel_choice = nvidia(true);
    Attempts attempts{{kFault, base::fail(ErrorCode::DeviceError, "attention")}};
    const auto found = outcome(kernel_choice, attempts);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message, "attention; with dot products of bytes: " + kFault.message);
    EXPECT_EQ(attempts.cores.size(), 2u);
}

TEST(WithOrWithoutDot, OtherErrorsAndDevicesAreTriedOnce) {
    for (const auto& [has_dot, code] : {std::pair(true, ErrorCode::Cancelled), std::pair(true, ErrorCode::OutOfMemory),
                                        std::pair(false, ErrorCode::DeviceError)}) {
        KernelChoice kernel_choice = nvidia(has_dot);
        Attempts attempts{{base::fail(code, "no")}};
        const auto found = outcome(kernel_choice, attempts);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().code, code);
        EXPECT_EQ(attempts.cores.size(), 1u);
        EXPECT_EQ(kernel_choice.has_dot(), has_dot);
    }
}

}  // namespace
}  // namespace llmd::test
