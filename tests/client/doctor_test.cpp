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

TEST_F(DoctorCommands, ASettingIsSetWhereTheFilesCanBeRead) {
    EXPECT_EQ(settings_command("backend", "cpu"), "llmctl config set backend cpu");
    EXPECT_EQ(settings_command("model", "a b"), "llmctl config set model 'a b'");
    EXPECT_EQ(settings_command("model", "it's"), edit_command()) << "the shell would change it";
    fs::create_directory(folder_ / "llmd");
    std::ofstream(folder_ / "llmd" / "llmd.toml") << "threads = many\n";
    EXPECT_EQ(settings_command("backend", "cpu"), edit_command());
}

}  // namespace
}  // namespace llmd::client
