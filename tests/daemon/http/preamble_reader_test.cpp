// The preamble is read before HTTP: all of it and nothing else, within its time.
#include "http/preamble_reader.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <optional>

namespace llmd::http {
namespace {

class PreambleReaderTest : public testing::Test {
protected:
    PreambleReaderTest() {
        int fds[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
        bridge_.reset(fds[0]);
        reader_.emplace(loop_, base::UniqueFd(fds[1]), [this](auto result) {
            EXPECT_FALSE(result_) << "told twice";
            result_ = std::move(result);
        });
    }
    void send(std::string_view bytes) {
        EXPECT_EQ(::send(bridge_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(loop_.run_once(std::chrono::milliseconds(0)));
    }
    std::string refusal() const { return result_ && !*result_ ? result_->error().message : ""; }

    const base::BridgePreamble preamble_{1234, {}, {"phone.lan"}};
    const std::string written_ = *base::write_bridge_preamble(preamble_);
    base::TimePoint now_{};
    base::EventLoop loop_{[this] { return now_; }};
    base::UniqueFd bridge_;
    std::optional<base::Result<base::BridgePreamble>> result_;
    std::optional<PreambleReader> reader_;
};

TEST_F(PreambleReaderTest, TakesNotAByteOfWhatFollows) {
    send(written_ + "GET / HTTP/1.1\r\n");
    ASSERT_TRUE(result_ && *result_);
    EXPECT_EQ(**result_, preamble_);
    const base::UniqueFd fd = reader_->take_fd();
    char rest[64];
    EXPECT_EQ(std::string_view(rest, static_cast<size_t>(::recv(fd.get(), rest, sizeof rest, 0))),
              "GET / HTTP/1.1\r\n");
}

TEST_F(PreambleReaderTest, MayComeByteByByte) {
    for (const char& byte : written_) {
        EXPECT_FALSE(result_);
        send({&byte, 1});
    }
    ASSERT_TRUE(result_ && *result_);
    EXPECT_EQ(**result_, preamble_);
}

TEST_F(PreambleReaderTest, HttpInItsPlaceIsRefused) {
    send("GET / HTTP/1.1\r\n");
    EXPECT_EQ(refusal(), "preamble: a length of 542393671 bytes is not from 1 to 8192");
}

TEST_F(PreambleReaderTest, ShortContentsAreReadAsContents) {
    send(std::string_view("\2\0\0\0ab", 6));
    EXPECT_EQ(refusal().rfind("preamble: it does not begin with ", 0), 0u) << refusal();
}

TEST_F(PreambleReaderTest, TheConnectionMayNotEndBeforeIt) {
    send(written_.substr(0, 10));
    bridge_.reset();
    EXPECT_TRUE(loop_.run_once(std::chrono::milliseconds(0)));
    EXPECT_EQ(refusal(), "preamble: the connection ended before it");
}

TEST_F(PreambleReaderTest, MustComeInTime) {
    send(written_.substr(0, 10));
    now_ += PreambleReader::kTime - std::chrono::milliseconds(1);
    send("");
    EXPECT_FALSE(result_);
    now_ += std::chrono::milliseconds(1);
    send("");
    EXPECT_EQ(refusal(), "preamble: it did not come within 5 s");
}

TEST_F(PreambleReaderTest, MayGoWhileItWaits) {
    reader_.reset();
    now_ += PreambleReader::kTime;
    EXPECT_TRUE(loop_.run_once(std::chrono::milliseconds(0)));
    EXPECT_FALSE(result_);
}

}  // namespace
}  // namespace llmd::http
