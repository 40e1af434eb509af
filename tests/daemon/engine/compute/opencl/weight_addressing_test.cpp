// A device is asked where it keeps a buffer, and buffers are made until they lie across no border of 4 GiB.
#include "engine/compute/opencl/gpu/weight_addressing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/engine/compute/opencl/matmul_under_test.h"

namespace llmd::test {
namespace {

using namespace compute::gpu;
using compute::ClBuffer;

class WeightAddressing : public testing::TestWithParam<DeviceUnderTest> {
protected:
    // Devices with memory of their own do not keep buffers where the host has them.
    bool uses_host_memory() const { return !queue_.limits().has_own_memory; }

    compute::DeviceQueue queue_ = open_queue(GetParam());
    SegmentProbe probe_ = must(SegmentProbe::create(queue_));
    const BorderMemory memory_{1000};
};

TEST_P(WeightAddressing, SeesABorder) {
    if (!uses_host_memory()) return;
    const std::span<std::byte> all = memory_.bytes();
    const size_t below = memory_.bytes_below_border();
    EXPECT_FALSE(must(probe_.is_in_segment(buffer_over(queue_, all))));
    EXPECT_FALSE(must(probe_.is_in_segment(buffer_over(queue_, all.first(below + 1)))));
    EXPECT_TRUE(must(probe_.is_in_segment(buffer_over(queue_, all.first(below)))));
    EXPECT_TRUE(must(probe_.is_in_segment(buffer_over(queue_, all.subspan(below)))));
}

TEST_P(WeightAddressing, MakesWeightsUntilAllAreInSegments) {
    if (!uses_host_memory()) return;
    const BorderMemory other(1000);
    size_t n_made = 0, n_across = 2;
    const auto make = [&]() -> base::Result<WeightBuffers> {
        WeightBuffers arrays;
        arrays[0] = buffer_over(queue_, other.bytes().first(other.bytes_below_border()));
        // Only the second array lies across a border.
        const size_t bytes = n_made++ < n_across ? memory_.bytes().size() : memory_.bytes_below_border();
        arrays[2] = buffer_over(queue_, memory_.bytes().first(bytes));
        return arrays;
    };
    const auto arrays = probe_.make_in_segments(make);
    ASSERT_TRUE(arrays) << arrays.error().message;
    EXPECT_EQ(n_made, 3u);
    EXPECT_TRUE(must(probe_.is_in_segment((*arrays)[2])));

    n_made = 0;
    n_across = 1000;
    const auto none = probe_.make_in_segments(make);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, base::ErrorCode::DeviceError);
    EXPECT_EQ(none.error().message, "the device gave buffers across borders of 4 GiB 4 times in a row");
    EXPECT_EQ(n_made, SegmentProbe::kMostTries);
}

TEST_P(WeightAddressing, PassesOnWhatMakingFailsWith) {
    const auto arrays = probe_.make_in_segments(
        []() -> base::Result<WeightBuffers> { return base::fail(base::ErrorCode::OutOfMemory, "no room"); });
    ASSERT_FALSE(arrays);
    EXPECT_EQ(arrays.error().message, "no room");
}

// A device may be listed in several shapes; here only its index matters.
std::vector<DeviceUnderTest> devices_to_probe() {
    std::vector<DeviceUnderTest> result = opencl_devices_under_test();
    const auto same = [](const auto& a, const auto& b) { return a.opencl_index == b.opencl_index; };
    result.erase(std::unique(result.begin(), result.end(), same), result.end());
    return result;
}
INSTANTIATE_TEST_SUITE_P(Devices, WeightAddressing, testing::ValuesIn(devices_to_probe()), device_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WeightAddressing);

}  // namespace
}  // namespace llmd::test
