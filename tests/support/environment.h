// The environment tells the tests to do without some things.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace llmd::test {

// LLMD_TEST_SAMPLE: long tests take a fixed sample (tools/test without arguments).
inline bool takes_sample() {
    return std::getenv("LLMD_TEST_SAMPLE") != nullptr;
}

// LLMD_ALL: nothing is left out (tools/test --all). In every other run what is slow because of PoCL's compiler, which
// takes a second for each kernel, takes the sample.
inline bool takes_all_of_pocl() {
    return std::getenv("LLMD_ALL") != nullptr;
}

// How far apart the cases of a long row on PoCL are that run: each with LLMD_ALL, else every `step`-th. An odd step
// meets even cases and odd ones.
inline uint64_t sample_step(uint64_t step) {
    return takes_all_of_pocl() && !takes_sample() ? 1 : step;
}

// Why a test that needs the ability `name` is skipped, in the words of tests/abilities, which tests/lanes/summary.py
// counts by: `reason`, unless the lane does without it on purpose.
inline std::string absent_ability(std::string_view name, std::string reason) {
    const char* without = std::getenv("LLMD_WITHOUT");
    const bool elsewhere = without != nullptr && std::string_view(without).find(name) != std::string_view::npos;
    return elsewhere ? "left to another lane: " + std::string(name) : reason;
}
inline std::string absent_reference_data(std::string_view path) {
    return absent_ability("reference-data", "there is no reference data in " + std::string(path) +
                                                "; give its directory with -Dtest_data");
}
inline std::string absent_opencl() {
    return absent_ability("opencl", "there is no OpenCL device; install pocl-opencl-icd");
}

}  // namespace llmd::test
