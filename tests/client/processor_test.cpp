// The use that other programs make of the processor.
#include "client/processor.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace llmd::client {
namespace {

namespace fs = std::filesystem;

TEST(OtherPrograms, WhatLlmdTakesIsNotTheirs) {
    const OtherPrograms others = other_programs({1000, 500, 100, 4}, {1400, 800, 200, 4});
    EXPECT_DOUBLE_EQ(others.cpus, 2);
    EXPECT_EQ(others.text(), "other programs keep 2.0 of 4 CPUs busy");
    EXPECT_TRUE(others.is_much());
    EXPECT_NE(others.consequence().find("lower than it would be without them"), std::string::npos);
    EXPECT_EQ(other_programs({0, 0, 0, 1}, {10, 9, 0, 1}).text(), "other programs keep 0.9 of 1 CPU busy");
}

TEST(OtherPrograms, LittleIsNotFelt) {
    const OtherPrograms others = other_programs({0, 0, 0, 8}, {800, 190, 0, 8});
    EXPECT_NE(others.text(), "");
    EXPECT_FALSE(others.is_much());
    EXPECT_EQ(others.consequence(), "");
}

TEST(OtherPrograms, NothingIsKnownWithoutTimeOrCpus) {
    for (const auto& others :
         {other_programs({10, 5, 0, 2}, {10, 5, 0, 2}), other_programs({}, {}),
          other_programs({10, 5, 0, 2}, {0, 0, 0, 0}), other_programs({0, 0, 0, 0}, {10, 5, 0, 0})}) {
        EXPECT_EQ(others.text(), "");
        EXPECT_FALSE(others.is_much());
    }
    // An engine that has ended takes its time with it.
    EXPECT_DOUBLE_EQ(other_programs({0, 0, 50, 1}, {100, 40, 0, 1}).cpus, 0.4);
}

TEST(OtherPrograms, TheKernelsFilesAreRead) {
    std::string folder = (fs::temp_directory_path() / "llmd-processor-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    std::ofstream(folder + "/stat") << "cpu  1 2 3 100 200 4 5 1000 1 2\ncpu0 0 0 0\ncpu1 0 0 0\nintr 7\n";
    for (const auto& [pid, name] : {std::pair{"7", "llmd-engine) (x"}, std::pair{"8", "llmctl2"},
                                    std::pair{"x9", "llmd"}, std::pair{"10", "llmctl"}}) {
        fs::create_directory(folder + '/' + pid);
        std::ofstream(folder + '/' + pid + "/stat") << pid << " (" << name << ") S 1 1 1 0 -1 4 5 6 7 8 40 2 9 9\n";
    }
    ASSERT_EQ(::setenv("LLMD_PROCFS", folder.c_str(), 1), 0);
    const ProcessorTimes times = processor_times();
    ::unsetenv("LLMD_PROCFS");
    fs::remove_all(folder);
    EXPECT_EQ(times.all, 1315u);
    EXPECT_EQ(times.busy, 15u);
    EXPECT_EQ(times.llmd, 84u);
    EXPECT_EQ(times.n_cpus, 2u);
}

}  // namespace
}  // namespace llmd::client
