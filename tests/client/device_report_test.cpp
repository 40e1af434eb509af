// A report's treatment of texts that somebody else has chosen.
#include "client/device_report.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace llmd::client {
namespace {

class EnvironmentVariable {
public:
    EnvironmentVariable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        EXPECT_EQ(::setenv(name, value, 1), 0);
    }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
    ~EnvironmentVariable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(DeviceReport, NamesOfHardwareAreShown) {
    for (const char* name :
         {"FD630", "llvmpipe (LLVM 15.0.6, 256 bits)", "oneplus,enchilada qcom,sdm845", "26.1.6-1 (git:0f9e)", ""}) {
        EXPECT_EQ(foreign(name, {"ada"}), name);
    }
}

TEST(DeviceReport, WhatCouldTellOfSomebodyIsLeftOut) {
    for (const char* text : {"/home/x", "a=b", "me@box", "two\nlines", "\x1b[1m", "C:\\x", "Größe", "the GPU of ADA",
                             "ada-3", "box of lovelaces"}) {
        EXPECT_EQ(foreign(text, {"Ada", "Lovelace"}), kLeftOut) << text;
    }
    EXPECT_EQ(foreign(std::string(161, 'x'), {}), kLeftOut);
}

TEST(DeviceReport, TheHostAndTheEnvironmentAreLookedAt) {
    const EnvironmentVariable user("USER", "zwoelfender"), home("HOME", "/home/of/quappe");
    std::array<char, HOST_NAME_MAX + 1> host = {};
    ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
    const std::string first(
        std::string_view(host.data()).substr(0, std::string_view(host.data()).find_first_of("., /")));
    const std::vector<std::string> words = private_words();
    for (const std::string& word : {std::string("zwoelfender"), std::string("quappe"), first}) {
        EXPECT_EQ(std::count(words.begin(), words.end(), word) != 0, word.size() >= 3) << word;
    }
    EXPECT_TRUE(std::all_of(words.begin(), words.end(), [](const std::string& word) { return word.size() >= 3; }));
}

}  // namespace
}  // namespace llmd::client
