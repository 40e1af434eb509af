// Calls start, wait and are refused by their number, their client and their application.
#include "http/call_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "service/request.h"

namespace llmd::http {
namespace {

using service::RequestLimits;

base::Caller client(const std::string& name, const std::string& share = "host") {
    return {.sandboxed = false, .application = share, .share = share, .name = name};
}

base::Caller bridged(const std::string& name) {
    return {.sandboxed = true, .application = "bridge", .share = "bridge", .name = name};
}
const base::Caller kBridged = bridged("bridge");

class CallQueueTest : public testing::Test {
protected:
    CallQueue::Key enter(const base::Caller& caller = kBridged) {
        const auto key = queue_.enter(caller);
        EXPECT_TRUE(key) << key.error().message;
        return key ? *key : 0;
    }
    CallQueue::Key ready(CallQueue::Key key) {
        queue_.ready(key, [this, key] { started_.push_back(key); });
        return key;
    }
    void settle() { ASSERT_TRUE(loop_.run_once(std::chrono::milliseconds(0))); }
    void leave(CallQueue::Key key) {
        queue_.leave(key);
        settle();
    }

    base::EventLoop loop_;
    bool has_room_ = true;
    base::TimePoint now_ = base::TimePoint{} + std::chrono::hours(1);
    CallQueue queue_{loop_, [this](const base::Caller&) { return has_room_; }, [this] { return now_; }};
    std::vector<CallQueue::Key> started_;
};

TEST_F(CallQueueTest, CallsOfAClientStartInTheOrderInWhichTheyCame) {
    std::vector<CallQueue::Key> keys;
    for (int i = 0; i < 5; ++i) keys.push_back(enter());
    for (const size_t i : {1u, 0u, 4u, 2u}) ready(keys[i]);
    EXPECT_EQ(started_, (std::vector{keys[1], keys[0]})) << "as many as llmd takes of a sandbox";
    queue_.leave(keys[0]);
    EXPECT_EQ(started_.size(), 2u) << "not within the call of who leaves";
    settle();
    EXPECT_EQ(started_.back(), keys[2]) << "the first that is complete";
    leave(keys[4]);  // while it waits
    EXPECT_EQ(started_.size(), 3u) << "it has made no room";
    queue_.leave(keys[1]);
    queue_.leave(keys[1]);
    leave(0);
    EXPECT_EQ(started_.size(), 3u);
    ready(keys[3]);
    EXPECT_EQ(started_.back(), keys[3]);
}

TEST_F(CallQueueTest, AClientHasAsManyAsAnSdkSends) {
    const auto sdk = client("socket:1");
    std::vector<CallQueue::Key> keys;
    for (size_t i = 0; i < 64; ++i) keys.push_back(ready(enter(sdk)));
    for (const CallQueue::Key key : keys) leave(key);
    EXPECT_EQ(started_, keys) << "none is lost";
}

TEST_F(CallQueueTest, TheNextIsOfTheApplicationWithTheFewest) {
    const auto greedy = client("socket:1");
    std::vector<CallQueue::Key> keys;
    for (int i = 0; i < 20; ++i) keys.push_back(ready(enter(greedy)));
    EXPECT_EQ(started_.size(), RequestLimits::kMaxPerClient);
    has_room_ = false;
    const auto late = ready(enter(client("socket:2", "app:org.example.Late")));
    const auto beside = ready(enter(client("socket:3")));
    has_room_ = true;
    leave(keys[0]);
    EXPECT_EQ(started_[4], late);
    EXPECT_EQ(started_[5], beside) << "a client of the same application that has none";
    EXPECT_EQ(started_[6], keys[4]);
}

TEST_F(CallQueueTest, BehindTheBridgeTheNextIsOfTheProgramWithTheFewest) {
    std::vector<CallQueue::Key> crowd;
    for (int i = 0; i < 64; ++i) crowd.push_back(ready(enter(bridged("bridge:1"))));
    const auto beside = ready(enter(bridged("bridge:2")));
    EXPECT_EQ(started_, (std::vector{crowd[0], crowd[1]})) << "the allowance is that of all of them";
    leave(crowd[0]);
    EXPECT_EQ(started_.back(), beside);
    leave(crowd[1]);
    EXPECT_EQ(started_.back(), crowd[2]);
    leave(beside);
    EXPECT_EQ(started_.back(), crowd[3]);
}

TEST_F(CallQueueTest, TwoCrowdsLeaveAThirdProgramItsTurn) {
    std::vector<CallQueue::Key> one, other;
    for (int i = 0; i < 20; ++i) {
        one.push_back(ready(enter(bridged("bridge:1"))));
        other.push_back(ready(enter(bridged("bridge:2"))));
    }
    EXPECT_EQ(started_, (std::vector{one[0], other[0]})) << "a call of each";
    const auto beside = ready(enter(bridged("bridge:3")));
    leave(one[0]);
    leave(other[0]);
    leave(one[1]);
    EXPECT_EQ(started_, (std::vector{one[0], other[0], one[1], other[1], beside})) << "those whose turn was before it";
    leave(beside);
    const auto again = ready(enter(bridged("bridge:3")));
    for (const auto key : {other[1], one[2], other[2]}) leave(key);
    EXPECT_EQ(std::vector(started_.begin() + 5, started_.end()), (std::vector{one[2], other[2], one[3], again}));
}

// Each is one that has just come, and none of them keeps the others from their turns.
TEST_F(CallQueueTest, ProgramsThatAreStartedForEachCallLeaveACrowdItsTurn) {
    std::vector<CallQueue::Key> crowd;
    for (int i = 0; i < 4; ++i) crowd.push_back(ready(enter(bridged("bridge:1"))));
    size_t n_ended = 0;
    for (int program = 2; program < 22; ++program) {
        ready(enter(bridged("bridge:" + std::to_string(program))));
        ready(enter(bridged("bridge:" + std::to_string(program + 100))));
        leave(started_[n_ended++]);
    }
    EXPECT_EQ(started_[2], crowd[3] + 1) << "the first of the others";
    EXPECT_NE(std::find(started_.begin(), started_.end(), crowd[3]), started_.end());
}

TEST_F(CallQueueTest, RoomThatOthersMakeIsSeenWhenItIsLookedFor) {
    has_room_ = false;
    const auto key = ready(enter());
    EXPECT_TRUE(started_.empty());
    has_room_ = true;
    queue_.review();
    EXPECT_EQ(started_, std::vector{key});
}

TEST_F(CallQueueTest, WhoIsRefusedComesBackWhenOneHasEnded) {
    const auto sdk = client("socket:1");
    std::vector<CallQueue::Key> keys;
    for (size_t i = 0; i < RequestLimits::kMaxPerClient + CallQueue::kMaxWaitingPerClient; ++i) {
        keys.push_back(ready(enter(sdk)));
    }
    auto refused = queue_.enter(sdk);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::RateLimited);
    EXPECT_EQ(refused.error().message, "64 requests of this client are waiting, at most 64 may");
    EXPECT_EQ(refused.error().retry_after, CallQueue::kShortestRetry) << "nothing is known";
    for (const size_t i : {0u, 1u, 2u}) {
        now_ += std::chrono::milliseconds(30'500);
        leave(keys[i]);
        ready(enter(sdk));
    }
    refused = queue_.enter(sdk);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().retry_after, std::chrono::seconds(31));
    now_ += std::chrono::hours(24);
    leave(keys[3]);
    ready(enter(sdk));
    EXPECT_EQ(queue_.enter(sdk).error().retry_after, CallQueue::kLongestRetry);
    ready(enter(client("socket:2")));
    EXPECT_EQ(started_.back(), keys.size() + 5) << "another client has its own";
}

TEST_F(CallQueueTest, AllTogetherHaveAMostNumberOfThoseThatWait) {
    has_room_ = false;
    for (size_t i = 0; i < CallQueue::kMaxWaiting; ++i) ready(enter(client(i % 2 == 0 ? "socket:1" : "socket:2")));
    const auto refused = queue_.enter(client("socket:3"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::QueueFull);
    EXPECT_EQ(refused.error().message, "128 requests of all clients are waiting, at most 128 may");
}

TEST_F(CallQueueTest, OneThatEndsAtOnceMakesRoomForTheNext) {
    for (int i = 0; i < 5; ++i) {
        const auto key = enter();
        queue_.ready(key, [this, key] {
            started_.push_back(key);
            queue_.leave(key);
        });
    }
    EXPECT_EQ(started_.size(), 5u);
}

}  // namespace
}  // namespace llmd::http
