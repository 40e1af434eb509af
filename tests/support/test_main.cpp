// main() of every GoogleTest program. With LLMD_TEST_SAMPLE in the environment a parametrised suite runs a fixed
// sample; without LLMD_ALL the parameters that name PoCL do: test t (of n_tests) with parameter p (of n_parameters)
// only where t = p, counted modulo the smaller number. So each test runs with some parameter and each parameter with
// some test, in max(n_tests, n_parameters) runs instead of their product.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/environment.h"

namespace {

using llmd::test::takes_all_of_pocl;
using llmd::test::takes_sample;

// "Test/parameter", as GoogleTest names a test of a parametrised suite, in the order of registration.
struct Names {
    std::vector<std::string> tests, parameters;
};

size_t index_of(std::vector<std::string>& names, std::string_view name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) return static_cast<size_t>(at - names.begin());
    names.emplace_back(name);
    return names.size() - 1;
}

// ":Suite.Test/parameter" for every test that the sample leaves out.
std::string left_out() {
    std::string result;
    const testing::UnitTest& program = *testing::UnitTest::GetInstance();
    for (int s = 0; s < program.total_test_suite_count(); ++s) {
        const testing::TestSuite& suite = *program.GetTestSuite(s);
        Names names;
        struct Run {
            std::string name;
            size_t test, parameter;
        };
        std::vector<Run> runs;
        for (int t = 0; t < suite.total_test_count(); ++t) {
            const testing::TestInfo& info = *suite.GetTestInfo(t);
            const std::string_view name = info.name();
            const size_t slash = name.find('/');
            if (info.value_param() == nullptr || slash == std::string_view::npos) continue;
            runs.push_back({std::string(suite.name()) + "." + info.name(), index_of(names.tests, name.substr(0, slash)),
                            index_of(names.parameters, name.substr(slash + 1))});
        }
        const size_t smaller = std::min(names.tests.size(), names.parameters.size());
        for (const Run& run : runs) {
            const bool is_of_pocl = run.name.find("Portable") != std::string::npos;
            if (!takes_sample() && (!is_of_pocl || takes_all_of_pocl())) continue;
            if (run.test % smaller != run.parameter % smaller) result += ":" + run.name;
        }
    }
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (!takes_all_of_pocl() || takes_sample()) {
        const std::string removed = left_out();
        std::string& filter = testing::GTEST_FLAG(filter);
        // The part behind the dash is left out; a filter has one at most.
        if (!removed.empty()) filter += (filter.find('-') == std::string::npos ? "-" : "") + removed;
    }
    return RUN_ALL_TESTS();
}
