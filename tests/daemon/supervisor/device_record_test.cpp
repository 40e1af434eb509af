// The record is written whole or not at all, and no state of the file system is worse than having none.
#include "supervisor/device_record.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>

#include "support/temporary_directory.h"

namespace llmd::supervisor {
namespace {

using test::TemporaryDirectory;

namespace fs = std::filesystem;

TEST(DeviceRecord, IsReadAsItWasWrittenByItsOwnerAlone) {
    const TemporaryDirectory folder;
    const std::string path = folder.path() + "/cache/llmd/device-health";
    EXPECT_EQ(read_device_record(path), "");
    ASSERT_TRUE(write_device_record(path, "one\n"));
    ASSERT_TRUE(write_device_record(path, "two\nlines\n"));
    EXPECT_EQ(read_device_record(path), "two\nlines\n");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() + "/cache/llmd"), {}), 1) << "nothing else is left";
    ASSERT_TRUE(write_device_record(path, ""));
    EXPECT_FALSE(fs::exists(path));
    EXPECT_TRUE(write_device_record(path, "")) << "there is nothing to remove";
}

TEST(DeviceRecord, WhatIsNoSmallFileIsNoRecord) {
    const TemporaryDirectory folder;
    const std::string path = folder.path() + "/record";
    fs::create_directory(path);
    EXPECT_EQ(read_device_record(path), "");
    fs::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(read_device_record(path), "") << "and nobody waits for a writer";
    fs::remove(path);
    folder.write("record", std::string(kMaxDeviceRecordBytes + 1, 'x'));
    EXPECT_EQ(read_device_record(path), "");
    EXPECT_EQ(read_device_record("/dev/zero"), "");
    EXPECT_EQ(read_device_record(""), "");
}

TEST(DeviceRecord, AFullDiskIsAnErrorThatNamesTheFileAndLeavesTheOldRecord) {
    const auto full = write_device_record("/dev/full/record", "text");
    ASSERT_FALSE(full);
    EXPECT_NE(full.error().message.find("/dev/full/record"), std::string::npos) << full.error().message;
    const TemporaryDirectory folder;
    const std::string path = folder.path() + "/record";
    ASSERT_TRUE(write_device_record(path, "old"));
    fs::create_directory(path + ".new");  // in the way of the new one
    const auto blocked = write_device_record(path, "new");
    ASSERT_FALSE(blocked);
    EXPECT_NE(blocked.error().message.find(path), std::string::npos) << blocked.error().message;
    EXPECT_EQ(read_device_record(path), "old");
}

}  // namespace
}  // namespace llmd::supervisor
