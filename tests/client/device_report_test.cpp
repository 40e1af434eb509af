// What a report shows of texts that somebody else has chosen.
#include "client/device_report.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace llmd::client {
namespace {

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
    ASSERT_EQ(::setenv("USER", "zwoelfender", 1), 0);
    ASSERT_EQ(::setenv("HOME", "/home/of/quappe", 1), 0);
    const std::vector<std::string> words = private_words();
    for (const char* word : {"zwoelfender", "quappe"}) {
        EXPECT_NE(std::find(words.begin(), words.end(), word), words.end()) << word;
    }
    EXPECT_TRUE(std::all_of(words.begin(), words.end(), [](const std::string& word) { return word.size() >= 3; }));
}

}  // namespace
}  // namespace llmd::client
