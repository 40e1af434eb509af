#include "handover/remote_state.h"

#include <gtest/gtest.h>

namespace llmd::handover {
namespace {

using base::Error;
using base::ErrorCode;
using std::chrono::seconds;

const Error kUnreachable{ErrorCode::RemoteUnreachable, "box.example: no route to host"};
const Error kRefused{ErrorCode::RemoteRefused, "box.example: another public key than the pinned one"};

class RemoteStateTest : public testing::Test {
protected:
    void ask(const std::optional<Error>& error) {
        state_.begin(now_);
        state_.end(error, now_);
    }
    std::string refusal(bool sandboxed = false) const {
        const auto error = state_.refusal(sandboxed, now_);
        return error ? std::string(base::error_name(error->code)) + ": " + error->message : "none";
    }
    seconds retry_in() const { return state_.words(now_).retry_in; }
    std::string state() const { return std::string(state_.words(now_).state); }

    base::TimePoint now_ = base::TimePoint() + std::chrono::hours(1000);
    RemoteState state_{"home"};
};

TEST_F(RemoteStateTest, KnowsNothingUntilItIsUsed) {
    EXPECT_EQ(state_.words(now_), (RemoteState::Words{.state = "unused"}));
    EXPECT_EQ(refusal(), "none");
}

TEST_F(RemoteStateTest, CountsRequestsAndTellsTheLastUse) {
    state_.begin(now_);
    state_.begin(now_);
    EXPECT_EQ(state_.words(now_).in_flight, 2u);
    EXPECT_EQ(state(), "unused") << "nobody has answered yet";
    now_ += seconds(5);
    state_.accepted(now_);
    EXPECT_EQ(state(), "ready");
    state_.end(std::nullopt, now_);
    now_ += seconds(7);
    EXPECT_EQ(state_.words(now_),
              (RemoteState::Words{.state = "ready", .since = seconds(7), .last_use = seconds(7), .in_flight = 1}));
    state_.begin(now_);
    EXPECT_EQ(state_.words(now_).last_use, seconds(0));
    state_.end(std::nullopt, now_);
    EXPECT_EQ(state_.words(now_).since, seconds(7)) << "it has been ready since the first";
}

TEST_F(RemoteStateTest, AnAbsenceDoublesFromHalfAMinuteToTenMinutes) {
    for (const int expected : {30, 60, 120, 240, 480, 600, 600}) {
        ask(kUnreachable);
        EXPECT_EQ(state(), "away");
        EXPECT_EQ(retry_in(), seconds(expected));
        now_ += seconds(expected) - std::chrono::milliseconds(1);
        EXPECT_NE(refusal(), "none");
        EXPECT_EQ(retry_in(), seconds(1)) << "rounded up: not a moment early";
        EXPECT_EQ(state_.refusal(false, now_)->retry_after, seconds(1));
        now_ += std::chrono::milliseconds(1);
        EXPECT_EQ(refusal(), "none");
        EXPECT_EQ(retry_in(), seconds(0));
    }
    EXPECT_EQ(state_.words(now_).since, seconds(30 + 60 + 120 + 240 + 480 + 600 + 600)) << "the absence is one";
    ask(std::nullopt);
    EXPECT_EQ(state(), "ready");
    ask(kUnreachable);
    EXPECT_EQ(retry_in(), kFirstAway) << "another absence";
}

TEST_F(RemoteStateTest, RequestsThatFailTogetherAreOneTry) {
    for (int i = 0; i < 3; ++i) state_.begin(now_);
    state_.end(kUnreachable, now_);
    now_ += seconds(1);
    state_.end(kUnreachable, now_);
    state_.end(kUnreachable, now_);
    EXPECT_EQ(retry_in(), kFirstAway - seconds(1));
    EXPECT_EQ(state_.words(now_).in_flight, 0u);
}

TEST_F(RemoteStateTest, AnotherNetworkEndsAnAbsence) {
    ask(kUnreachable);
    now_ += kFirstAway;
    ask(kUnreachable);
    state_.network_changed();
    EXPECT_EQ(refusal(), "none");
    EXPECT_EQ(state_.words(now_).retry_in, seconds(0));
    ask(kUnreachable);
    EXPECT_EQ(retry_in(), kFirstAway) << "the next one is short again";
}

TEST_F(RemoteStateTest, WhatIsNotWhoItShouldBeIsOffUntilTheSettingsAreReadAgain) {
    ask(kRefused);
    EXPECT_EQ(state(), "off");
    now_ += std::chrono::hours(24);
    state_.network_changed();
    state_.accepted(now_);
    ask(std::nullopt);
    ask(kUnreachable);
    EXPECT_EQ(state(), "off");
    EXPECT_EQ(refusal(),
              "RemoteRefused: the remote \"home\" is not asked until the settings are read again: " + kRefused.message);
    state_.reload();
    EXPECT_EQ(refusal(), "none");
    EXPECT_EQ(state(), "unused");
}

TEST_F(RemoteStateTest, ReadingTheSettingsAgainEndsAnAbsenceAndKeepsWhatIsUnderWay) {
    state_.begin(now_);
    ask(kUnreachable);
    state_.reload();
    EXPECT_EQ(refusal(), "none");
    EXPECT_EQ(state_.words(now_).in_flight, 1u);
    EXPECT_EQ(state_.words(now_).last_error, "RemoteUnreachable: " + kUnreachable.message);
    ask(kUnreachable);
    EXPECT_EQ(retry_in(), kFirstAway);
}

TEST_F(RemoteStateTest, OtherErrorsSayNothingOfTheRemote) {
    ask(Error{ErrorCode::RemoteLost, "cut in the middle"});
    EXPECT_EQ(state(), "unused");
    EXPECT_EQ(state_.words(now_).last_error, "RemoteLost") << "a server may have told the prompt back";
    ask(std::nullopt);
    ask(Error{ErrorCode::Cancelled, "by the client"});
    EXPECT_EQ(state(), "ready");
    EXPECT_EQ(refusal(), "none");
}

TEST_F(RemoteStateTest, AnApplicationIsNotToldTheReason) {
    ask(kUnreachable);
    EXPECT_EQ(refusal(true), "RemoteUnreachable: the remote \"home\" could not be reached; it is tried again in 30 s");
    EXPECT_EQ(refusal(false), refusal(true) + ": " + kUnreachable.message);
    now_ += kFirstAway;
    ask(kRefused);
    EXPECT_EQ(refusal(true).find("box.example"), std::string::npos);
}

TEST_F(RemoteStateTest, AnErrorIsToldWithoutAnAddress) {
    for (const auto code : {ErrorCode::RemoteUnreachable, ErrorCode::RemoteRefused, ErrorCode::RemoteLost,
                            ErrorCode::NotReady, ErrorCode::Failed}) {
        Error whole{code, "box.example: 192.0.2.1 port 8443, /home/anna/home.key"};
        whole.retry_after = std::chrono::seconds(30);
        const Error told = without_address(whole, "home");
        EXPECT_EQ(told.code, code);
        EXPECT_EQ(told.retry_after, whole.retry_after);
        EXPECT_EQ(told.message.find('/'), std::string::npos);
        EXPECT_TRUE(told.message.starts_with("the remote \"home\" ")) << told.message;
        EXPECT_EQ(told.message.find("8443"), std::string::npos);
    }
    // The application has to know what is wrong with its request.
    EXPECT_EQ(without_address(Error{ErrorCode::ContextExceeded, "9 are more than 8"}, "home").message,
              "9 are more than 8");
}

}  // namespace
}  // namespace llmd::handover
