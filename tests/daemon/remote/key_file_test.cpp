// A key is read only from a file that nobody else can read, and no error holds it.
#include "remote/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_directory.h"

namespace llmd::remote {
namespace {

class KeyFile : public testing::Test {
protected:
    std::string write(const std::string& text, mode_t mode) {
        const auto path = directory_.path() + "/home.key";
        std::filesystem::remove(path);
        std::ofstream(path) << text;
        EXPECT_EQ(::chmod(path.c_str(), mode), 0);
        return path;
    }
    test::TemporaryDirectory directory_;
};

TEST_F(KeyFile, IsReadWithoutTheBlanksAroundIt) {
    for (const mode_t mode : {0600, 0400}) {
        const auto key = read_key(write(" geheim\n", mode));
        ASSERT_TRUE(key) << key.error().message;
        EXPECT_EQ(*key, "geheim");
    }
}

TEST_F(KeyFile, IsRefusedWithItsPathAndWithoutTheKey) {
    struct Row {
        std::string text;
        mode_t mode;
    };
    for (const Row& row :
         {Row{"geheim", 0640}, Row{"geheim", 0604}, Row{"geheim", 0620}, Row{" \n", 0600}, Row{"geheim\nmore", 0600},
          Row{std::string(kMaxKeyBytes + 1, 'x'), 0600}, Row{"geheim\x01", 0600}}) {
        const auto path = write(row.text, row.mode);
        const auto key = read_key(path);
        ASSERT_FALSE(key);
        EXPECT_EQ(key.error().code, base::ErrorCode::NotReady);
        EXPECT_NE(key.error().message.find(path), std::string::npos) << key.error().message;
        EXPECT_EQ(key.error().message.find("geheim"), std::string::npos) << key.error().message;
    }
}

TEST_F(KeyFile, IsARegularFileThatIsThere) {
    EXPECT_FALSE(read_key(directory_.path()));
    EXPECT_FALSE(read_key(directory_.path() + "/none"));
    const auto fifo = directory_.path() + "/fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_FALSE(read_key(fifo));
}

}  // namespace
}  // namespace llmd::remote
