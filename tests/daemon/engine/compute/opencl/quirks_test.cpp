// The table of quirks: each row is met on the devices and versions that it names and on no other, and stands in the
// document as it is.
#include "engine/compute/opencl/runtime/quirks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace llmd::test {
namespace {

using namespace compute;

OpenClDevice rusticl(std::string name, std::string driver) {
    return {.platform = "rusticl", .name = std::move(name), .driver = std::move(driver), .is_gpu = true};
}

const OpenClDevice kPhone = rusticl("FD630", "26.1.6-1~bpo13+1");

std::string shown(const QuirkRow& row) {
    std::string where(row.platform.empty() ? "any" : row.platform);
    if (!row.device.empty()) where += base::concat(", ", row.device);
    if (!row.from.empty()) where += base::concat(", from ", row.from);
    if (!row.below.empty()) where += base::concat(", before ", row.below);
    const char* met = row.met == QuirkMet::ByName    ? "by its name"
                      : row.met == QuirkMet::ByProbe ? "by a probe"
                                                     : "done for all";
    return base::concat("| ", where, " | ", met, " | ", row.done, " | ", row.why, " | ", row.source, " |\n");
}

TEST(Quirks, EachStandsAtItsPlaceAndInTheDocument) {
    std::ifstream file(LLMD_DRIVER_QUIRKS);
    ASSERT_TRUE(file) << LLMD_DRIVER_QUIRKS;
    const std::string document((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    size_t rows = 0;
    for (const QuirkRow& row : quirk_rows()) {
        EXPECT_EQ(static_cast<size_t>(row.quirk), rows++);
        EXPECT_NE(document.find(shown(row)), std::string::npos) << shown(row);
    }
    const size_t table = document.find("|---|");
    EXPECT_EQ(std::count(document.begin() + static_cast<std::ptrdiff_t>(table), document.end(), '\n'), rows + 1)
        << "the document ends with the table, which has a row more or less";
}

TEST(Quirks, VersionsAreComparedByTheirNumbers) {
    EXPECT_TRUE(is_earlier_version("26.1.6-1~bpo13+1", "26.2.4"));
    EXPECT_TRUE(is_earlier_version("26.2", "26.2.4"));
    EXPECT_TRUE(is_earlier_version("9.9.9", "26.2.4"));
    EXPECT_FALSE(is_earlier_version("26.1.10", "26.1.9"));
    EXPECT_FALSE(is_earlier_version("26.2.4", "26.2.4"));
    EXPECT_FALSE(is_earlier_version("27.0.0-devel (git-1234567)", "26.2.4"));
    EXPECT_TRUE(is_earlier_version("unknown", "26.2.4")) << "a driver without a version counts as an old one";
}

TEST(Quirks, AreThoseOfTheDevicesThatTheyName) {
    EXPECT_TRUE(has_quirk(Quirk::NeedsSampler, kPhone));
    EXPECT_TRUE(has_quirk(Quirk::NeedsSampler, rusticl("FD618", "25.0.1")));
    EXPECT_FALSE(has_quirk(Quirk::NeedsSampler, rusticl("FD630", "26.2.4")));
    EXPECT_FALSE(has_quirk(Quirk::NeedsSampler, rusticl("FD740", "26.1.6")));
    EXPECT_FALSE(has_quirk(Quirk::NeedsSampler, {.platform = "QUALCOMM", .name = "FD630", .driver = "1.0"}));
    EXPECT_TRUE(has_quirk(Quirk::UnrollsNothing, rusticl("zink Vulkan 1.4(NVIDIA H200)", "26.1.6")));
    EXPECT_FALSE(has_quirk(Quirk::UnrollsNothing, kPhone));
    EXPECT_FALSE(has_quirk(Quirk::StartsLate, kPhone));
    EXPECT_TRUE(has_quirk(Quirk::PassesForGpu, rusticl("llvmpipe (LLVM 19.1.7, 256 bits)", "26.1.6")));
    EXPECT_FALSE(has_quirk(Quirk::PassesForGpu, kPhone));
    EXPECT_TRUE(has_quirk(Quirk::CopiesHoldQueue, {.platform = "NVIDIA CUDA", .name = "H200", .driver = "580.1"}));
    EXPECT_FALSE(has_quirk(Quirk::CopiesHoldQueue, kPhone));
}

TEST(Quirks, TheCureIsNamedWhereItMayHelp) {
    const base::Error wrong = base::fail(base::ErrorCode::DeviceError, "self-test: gives 1 instead of 2");
    const std::string cured = with_cure(wrong, kPhone).message;
    EXPECT_EQ(cured.rfind(wrong.message + "; ", 0), 0u);
    EXPECT_NE(cured.find("mesa-libclc"), std::string::npos);
    EXPECT_EQ(with_cure(wrong, rusticl("FD630", "26.1.4")).message, wrong.message);
    const base::Error full = base::fail(base::ErrorCode::OutOfMemory, "no memory");
    EXPECT_EQ(with_cure(full, kPhone).message, full.message);
}

TEST(Quirks, WhatTheUserHasSetStays) {
    const char* const before = std::getenv("RUSTICL_ENABLE");
    const std::string kept = before == nullptr ? "" : before;
    ::setenv("RUSTICL_ENABLE", "zink", 1);
    set_driver_environment();
    EXPECT_STREQ(std::getenv("RUSTICL_ENABLE"), "zink");
    EXPECT_NE(std::getenv("RUSTICL_DEBUG"), nullptr);
    before == nullptr ? ::unsetenv("RUSTICL_ENABLE") : ::setenv("RUSTICL_ENABLE", kept.c_str(), 1);
}

}  // namespace
}  // namespace llmd::test
