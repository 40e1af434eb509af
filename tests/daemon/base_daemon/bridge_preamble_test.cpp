// A preamble is read as it was written, and refused by what is wrong with it.
#include "base/bridge_preamble.h"

#include <gtest/gtest.h>

namespace llmd::base {
namespace {

using namespace std::string_view_literals;

const std::string kDigest(64, 'a');

TEST(BridgePreamble, IsReadAsItWasWritten) {
    for (const BridgePreamble& one :
         {BridgePreamble{11434, kDigest, {"phone.lan", "a \"b\""}, {"app://obsidian.md", "http://localhost:3000"}},
          BridgePreamble{1, {}, {"phone.lan"}, {}, kMaxProgram}, BridgePreamble{1, {}, {}, {}}}) {
        const auto written = write_bridge_preamble(one);
        ASSERT_TRUE(written);
        const auto length = read_bridge_length(std::string_view(*written).substr(0, kBridgeLengthBytes));
        ASSERT_TRUE(length);
        EXPECT_EQ(*length, written->size() - kBridgeLengthBytes);
        const auto read = read_bridge_preamble(std::string_view(*written).substr(kBridgeLengthBytes));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(*read, one);
    }
}

TEST(BridgePreamble, HasALongestLength) {
    EXPECT_FALSE(write_bridge_preamble({1, {}, {std::string(kMaxBridgePreambleBytes, 'x')}, {}}));
    EXPECT_TRUE(read_bridge_length("\x00\x20\x00\x00"sv));
    for (const std::string_view length : {"\x01\x20\x00\x00"sv, "\x00\x00\x00\x00"sv, "\x01\x00\x00\x80"sv, "GET "sv}) {
        EXPECT_FALSE(read_bridge_length(length));
    }
}

TEST(BridgePreamble, HasANameALine) {
    for (const char* name : {"", "a\nb"}) EXPECT_FALSE(write_bridge_preamble({1, {}, {name}, {}}));
}

TEST(BridgePreamble, HasNoProgramThatIsNoProcess) {
    for (const pid_t program : {-1, kMaxProgram + 1}) EXPECT_FALSE(write_bridge_preamble({1, {}, {}, {}, program}));
}

// A bridge may outlive an upgrade of llmd.
TEST(BridgePreamble, OfAnEarlierReleaseHasNoProgram) {
    const auto read = read_bridge_preamble("llmd-bridge 1\n11434\n\nhost phone.lan\norigin app://obsidian.md\n");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->program, 0);
}

TEST(BridgePreamble, OriginsAreThoseThatABrowserWritesAndNeverEverybodys) {
    for (const char* origin : {"app://obsidian.md", "capacitor://localhost", "chrome-extension://abc", "app://a:1"}) {
        EXPECT_TRUE(check_origin(origin, false)) << origin;
    }
    for (const char* origin : {"http://localhost:3000", "https://a.example"}) {
        EXPECT_TRUE(check_origin(origin, true)) << origin;
        EXPECT_FALSE(check_origin(origin, false)) << origin;
    }
    for (const char* origin : {"", "*", "null", "file://", "file://a", "app://", "app:///", "app://a/", "app://*",
                               "app://a b", "App://a", "://a", "a", "app://a\norigin app://b", "http://u@a"}) {
        EXPECT_FALSE(check_origin(origin, true)) << origin;
    }
}

TEST(BridgePreamble, IsRefusedByWhatIsWrongWithIt) {
    for (const auto& [text, why] : std::initializer_list<std::pair<std::string, const char*>>{
             {"GET / HTTP/1.1\n",
              "it does not begin with llmd-bridge 1; llmctl bridge and llmd may be of different releases"},
             {"llmd-bridge 2\n1\n\n", "it does not begin with llmd-bridge 1; "},
             {"llmd-bridge 1", "the port is not a whole number from 1 to 65535"},
             {"llmd-bridge 1\n0\n\n", "the port "},
             {"llmd-bridge 1\n65536\n\n", "the port "},
             {"llmd-bridge 1\n1x\n\n", "the port "},
             {"llmd-bridge 1\n1\nab\n", "the token's digest is not one of 64 hexadecimal digits"},
             {"llmd-bridge 1\n1\n" + std::string(64, 'A'), "the token's digest "},
             {"llmd-bridge 1\n1\n" + kDigest + "a\n", "the token's digest "},
             {"llmd-bridge 1\n1\n\nhost a\n\nhost b\n",
              "a line is neither a name nor an origin nor the program; llmctl bridge and llmd may be of different "
              "releases"},
             {"llmd-bridge 1\n1\n\nhost \n", "a line is neither "},
             {"llmd-bridge 1\n1\n\nprogram 1\nprogram 2\n", "a line is neither "},
             {"llmd-bridge 1\n1\n\nprogram 0\n", "the program is not a whole number from 1 to 4194304"},
             {"llmd-bridge 1\n1\n\nprogram 4194305\n", "the program "},
             {"llmd-bridge 1\n1\n\nprogram -1\n", "the program "},
             {"llmd-bridge 1\n1\n\nprogram \n", "the program "},
             {"llmd-bridge 1\n1\n\nprogram 12 \n", "the program "},
             {"llmd-bridge 1\n1\n\nprogram 99999999999999999999\n", "the program "},
             {"llmd-bridge 1\n1\n\norigin http://a\n", "\"http://a\" is a web page"}}) {
        const auto read = read_bridge_preamble(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code, ErrorCode::InvalidArgument);
        EXPECT_EQ(read.error().message.rfind(std::string("preamble: ") + why, 0), 0u) << read.error().message;
    }
}

}  // namespace
}  // namespace llmd::base
