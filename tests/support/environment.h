// What the environment tells the tests to do without.
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

// How far apart the cases of a long row are that run: each, or in a sample every `step`-th. An odd step meets even
// cases and odd ones.
inline uint64_t sample_step(uint64_t step) {
    return takes_sample() ? step : 1;
}

// Why a test that reads a file of the reference data is skipped, in the words of tests/abilities, which
// tests/lanes/summary.py counts by.
inline std::string absent_reference_data(std::string_view path) {
    const char* without = std::getenv("LLMD_WITHOUT");
    const bool elsewhere =
        without != nullptr && std::string_view(without).find("reference-data") != std::string_view::npos;
    if (elsewhere) return "left to another lane: reference-data";
    return "there is no reference data in " + std::string(path) + "; give its directory with -Dtest_data";
}

}  // namespace llmd::test
