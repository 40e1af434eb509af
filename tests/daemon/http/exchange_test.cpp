// Either side of an exchange is notified when the other one goes, lags or stalls.
#include "http/exchange.h"

#include <gtest/gtest.h>

#include <vector>

namespace llmd::http {
namespace {

using std::chrono::milliseconds;

class ExchangeTest : public testing::Test {
protected:
    ExchangeTest() {
        Exchange::Events events;
        events.on_paused = [this](bool paused) { paused_.push_back(paused); };
        events.on_gone = [this](const std::optional<base::Error>& error) {
            gone_.push_back(error ? std::string(base::error_name(error->code)) : "left");
        };
        exchange_.set_events(std::move(events));
    }
    std::string read(size_t size) {
        std::string out(size, '\0');
        out.resize(exchange_.read(out.data(), size));
        return out;
    }

    base::EventLoop loop_;
    int wakes_ = 0;
    int closed_ = 0;
    std::vector<bool> paused_;
    std::vector<std::string> gone_;
    Exchange exchange_{loop_, {[this] { ++wakes_; }, [this] { ++closed_; }}, milliseconds(1)};
};

TEST_F(ExchangeTest, AReplyIsThereOnceAndNobodyIsToldThatTheClientLeftAfterIt) {
    EXPECT_FALSE(exchange_.answer());
    exchange_.reply(json_reply("{}"));
    EXPECT_EQ(wakes_, 1);
    EXPECT_EQ(exchange_.answer()->body, "{}");
    exchange_.leave();
    EXPECT_TRUE(gone_.empty());
}

TEST_F(ExchangeTest, WhoeverAnswersLearnsThatTheClientHasLeft) {
    exchange_.leave();
    exchange_.leave();
    EXPECT_EQ(gone_, std::vector<std::string>{"left"});
    exchange_.reply(json_reply("{}"));
    exchange_.write("text");
    EXPECT_EQ(wakes_, 0) << "the connection is not there any more";
}

TEST_F(ExchangeTest, AStreamIsReadInPiecesUpToItsEnd) {
    exchange_.begin_stream("text/plain");
    exchange_.write("abcd");
    EXPECT_EQ(read(3), "abc");
    EXPECT_EQ(read(3), "d");
    EXPECT_EQ(read(3), "");
    EXPECT_FALSE(exchange_.at_end());
    exchange_.write("e");
    exchange_.finish();
    EXPECT_FALSE(exchange_.at_end());
    EXPECT_EQ(read(3), "e");
    EXPECT_TRUE(exchange_.at_end());
    exchange_.leave();
    EXPECT_TRUE(gone_.empty());
}

TEST_F(ExchangeTest, AReaderThatLagsPausesTheTextAndGoesOnAtHalf) {
    exchange_.begin_stream("text/plain");
    exchange_.write(std::string(api::Backlog::kLimitBytes, 'x'));
    EXPECT_TRUE(paused_.empty());
    exchange_.write("x");
    EXPECT_EQ(paused_, std::vector<bool>{true});
    (void)read(api::Backlog::kLimitBytes / 2);
    EXPECT_EQ(paused_.size(), 1u);
    (void)read(1);
    EXPECT_EQ(paused_, (std::vector<bool>{true, false}));
}

TEST_F(ExchangeTest, AStalledReaderIsGivenUp) {
    exchange_.begin_stream("text/plain");
    exchange_.write(std::string(api::Backlog::kLimitBytes + 1, 'x'));
    for (int i = 0; i < 1000 && closed_ == 0; ++i) ASSERT_TRUE(loop_.run_once(milliseconds(10)));
    EXPECT_EQ(closed_, 1);
    EXPECT_EQ(gone_, std::vector<std::string>{"SlowConsumer"});
    exchange_.leave();
    EXPECT_EQ(gone_.size(), 1u);
}

TEST_F(ExchangeTest, TheLastBytesMustBeTakenToo) {
    exchange_.begin_stream("text/plain");
    exchange_.write("x");
    ASSERT_TRUE(loop_.run_once(milliseconds(3)));
    EXPECT_EQ(closed_, 0) << "a little may wait";
    exchange_.finish();
    for (int i = 0; i < 1000 && closed_ == 0; ++i) ASSERT_TRUE(loop_.run_once(milliseconds(10)));
    EXPECT_EQ(closed_, 1);
    EXPECT_TRUE(gone_.empty()) << "the request has ended already";
}

}  // namespace
}  // namespace llmd::http
