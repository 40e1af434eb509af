// Which kernels are left where a device fails with the dot core.
#include "engine/compute/opencl/autotune/preparation.h"

#include <gtest/gtest.h>

#include <utility>

namespace llmd::test {
namespace {

using namespace compute::gpu;
using base::ErrorCode;
using base::Result;

KernelChoice nvidia(bool has_dot) {
    return KernelChoice({.local_bytes = 48 * 1024, .group_items = 1024, .has_dot = has_dot, .vendor_id = 0x10de},
                        compute::Precision::Faithful);
}

const MatmulKind kMatmul = {Layout::Q4_0, 768, 768, OutputKind::Rows};

// An attempt that fails with these errors, one after the other, and then passes; records the cores it was tried with.
struct Attempts {
    std::vector<base::Error> errors;
    std::vector<Core> cores{};

    Result<SelfTestResult> operator()(const KernelChoice& kernel_choice) {
        cores.push_back(kernel_choice.matmul(kMatmul, 1).core);
        if (cores.size() <= errors.size()) return errors[cores.size() - 1];
        return SelfTestResult{{}, {"another note"}};
    }
};

Result<SelfTestResult> outcome(KernelChoice& kernel_choice, Attempts& attempts) {
    return with_or_without_dot(kernel_choice, [&](const KernelChoice& tried) { return attempts(tried); });
}

const base::Error kFault = base::fail(ErrorCode::DeviceError, "self-test: matmul of Q4_0: gives 1 instead of 2");

TEST(Preparation, ADeviceThatPassesKeepsTheDotCore) {
    KernelChoice kernel_choice = nvidia(true);
    Attempts attempts;
    const auto found = outcome(kernel_choice, attempts);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->notes, std::vector<std::string>{"another note"});
    EXPECT_EQ(attempts.cores, std::vector{Core::Dot});
    EXPECT_TRUE(kernel_choice.has_dot());
    EXPECT_NE(kernel_choice.fingerprint(), nvidia(false).fingerprint());
}

TEST(Preparation, ADeviceThatFailsWithTheDotCoreComputesWithoutAndSaysWhy) {
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

TEST(Preparation, ADeviceThatFailsEitherWayIsRefusedForBothReasons) {
    KernelChoice kernel_choice = nvidia(true);
    Attempts attempts{{kFault, base::fail(ErrorCode::DeviceError, "attention")}};
    const auto found = outcome(kernel_choice, attempts);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message, "attention; with dot products of bytes: " + kFault.message);
    EXPECT_EQ(attempts.cores.size(), 2u);
}

TEST(Preparation, OtherErrorsAndDevicesAreTriedOnce) {
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
