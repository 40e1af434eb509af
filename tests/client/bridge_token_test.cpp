// The tokens that the bridge takes, and the one that it makes.
#include "client/bridge_token.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

namespace fs = std::filesystem;

class BridgeToken : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-token-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        path_ = folder_ / "token";
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string& text, mode_t mode = S_IRUSR | S_IWUSR) const {
        std::ofstream(path_, std::ios::binary) << text;
        ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    }

    // Returns the fault of the path, whose name comes before it.
    std::string refusal(const fs::path& path, ExitCode code = ExitCode::Usage) const {
        try {
            bridge_token(path);
        } catch (const CommandError& error) {
            EXPECT_EQ(error.code(), code);
            const std::string message = error.what();
            const std::string start = "--token-file: " + path.string() + ": ";
            EXPECT_TRUE(message.starts_with(start)) << message;
            return message.substr(std::min(start.size(), message.size()));
        }
        ADD_FAILURE() << "accepted";
        return {};
    }

    fs::path folder_;
    fs::path path_;
};

TEST_F(BridgeToken, IsMadeOnceForTheUserAlone) {
    const std::string made = bridge_token(path_);
    EXPECT_EQ(made.size(), 64u);
    EXPECT_EQ(made.find_first_not_of("0123456789abcdef"), std::string::npos);
    struct stat info = {};
    ASSERT_EQ(::stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, mode_t{S_IRUSR | S_IWUSR});
    EXPECT_EQ(bridge_token(path_), made);
    fs::remove(path_);
    EXPECT_NE(bridge_token(path_), made);
}

TEST_F(BridgeToken, IsTheFirstLine) {
    const std::string token(kMinTokenLength, 'a');
    for (const std::string& text : {token, token + "\n", token + "\nand more\n"}) {
        write(text);
        EXPECT_EQ(bridge_token(path_), token);
    }
    write(std::string(kMaxTokenLength, 'b') + '\n');
    EXPECT_EQ(bridge_token(path_).size(), kMaxTokenLength);
}

TEST_F(BridgeToken, ThatMayBeGuessedOrIsNoTextIsRefused) {
    const std::string token(kMinTokenLength, 'a');
    for (const std::string& text : {std::string(), token.substr(1), std::string(kMaxTokenLength + 1, 'b'), '\n' + token,
                                    token + ' ' + token, token + "\r\n", token + '\0', token + "\x7f", token + "é"}) {
        write(text);
        EXPECT_EQ(refusal(path_), "its first line is not 16 to 4096 visible characters") << text;
    }
}

TEST_F(BridgeToken, ThatOthersMayReadIsRefused) {
    for (const mode_t others : {S_IRGRP, S_IWGRP, S_IROTH}) {
        write(std::string(kMinTokenLength, 'a'), S_IRUSR | S_IWUSR | others);
        EXPECT_EQ(refusal(path_), "others may read it; chmod 600 it");
    }
}

TEST_F(BridgeToken, IsInAFileOrNowhere) {
    EXPECT_EQ(refusal(folder_), "not a file");
    ASSERT_EQ(::mkfifo(path_.c_str(), S_IRUSR | S_IWUSR), 0);
    EXPECT_EQ(refusal(path_), "not a file");  // and nobody waits for a writer
    EXPECT_EQ(refusal(folder_ / "none" / "token", ExitCode::Failed), "No such file or directory");
}

}  // namespace
}  // namespace llmd::client
