// The commands that doctor advises: none breaks what is there.
#include "client/doctor.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace llmd::client {
namespace {

namespace fs = std::filesystem;

class DoctorCommands : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-doctor-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        ASSERT_EQ(::setenv("XDG_CONFIG_HOME", name.c_str(), 1), 0);
    }
    void TearDown() override {
        ::unsetenv("XDG_CONFIG_HOME");
        fs::remove_all(folder_);
    }

    fs::path folder_;
};

TEST_F(DoctorCommands, ASettingIsWrittenOnlyWhereThereIsNoFile) {
    const std::string folder = folder_ / "llmd";
    const std::string file = folder + "/llmd.toml";
    EXPECT_EQ(settings_command("backend = \"cpu\""),
              "mkdir -p " + folder + " && echo 'backend = \"cpu\"' > " + file + " && " + restart_command());
    fs::create_directory(folder);
    std::ofstream(file) << "backend = \"auto\"\n";
    EXPECT_EQ(settings_command("backend = \"cpu\""), "llmctl config edit");
}

TEST_F(DoctorCommands, WhatTheShellWouldChangeIsLeftToTheEditor) {
    EXPECT_EQ(settings_command("model = \"it's\""), edit_command());
    EXPECT_EQ(settings_command("model = \"a\\\"b\""), edit_command());
}

TEST_F(DoctorCommands, AFolderThatIsNoneIsNoPlaceForSettings) {
    std::ofstream(folder_ / "llmd") << "a file";
    EXPECT_EQ(settings_command("threads = 2"), edit_command());
}

}  // namespace
}  // namespace llmd::client
