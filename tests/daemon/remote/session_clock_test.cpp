// When things happen at a remote that fails: the times of the plan to the millisecond, on a clock that the test moves.
#include <atomic>

#include "session_fixture.h"

namespace llmd::test {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kLoading = R"({"error":{"message":"Loading model","code":503}})";
constexpr const char* kBusy = R"({"error":{"message":"server busy","code":503}})";
constexpr milliseconds kTick{1};  // a watch rounds up
// A wait is spread over up to a quarter more.
constexpr milliseconds spread(milliseconds wait) {
    return wait / 4;
}

class SessionClockTest : public TextSessionTest {
protected:
    void SetUp() override { frozen_ = base::TimePoint() + std::chrono::hours(1000); }
    void TearDown() override {
        n_pings_ = -1;
        n_pings_.notify_all();
        TextSessionTest::TearDown();
    }
    // As long as the time stands still only what is due now can happen; it is given a little for that.
    void settle() {
        for (const auto end = base::Clock::now() + milliseconds(15); base::Clock::now() < end;) turn_once();
    }
    void pass(milliseconds time) {
        *frozen_ += time;
        settle();
    }
    void turn_once() {
        ASSERT_TRUE(loop_.run_once(milliseconds(2)));
        hear();
        for (const auto& message : std::exchange(heard_, {})) {
            if (const auto* accepted = std::get_if<protocol::Accepted>(&message)) {
                say(protocol::Start{accepted->id});
            } else if (const auto* refused = std::get_if<protocol::Refused>(&message)) {
                refused_ = *refused;
            } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
                finished_ = *finished;
            } else if (const auto* usage = std::get_if<protocol::Usage>(&message)) {
                usage_ = *usage;
            }
        }
    }
    template <typename Condition>
    void turn_until(Condition holds) {
        const auto end = base::Clock::now() + seconds(20);
        while (!holds() && base::Clock::now() < end) turn_once();
        ASSERT_TRUE(holds());
    }
    void submit() {
        auto request = text_request("Once");
        request.id = ++last_id_;
        refused_.reset();
        finished_.reset();
        say(request);
    }
    size_t n_calls(std::string_view path = "/v1/completions") { return upstream_->calls(path).size(); }
    void expect_calls(size_t n, std::string_view path = "/v1/completions") {
        turn_until([&] { return n_calls(path) >= n; });
        settle();
        EXPECT_EQ(n_calls(path), n);
    }
    // The request is refused now, and not before.
    void expect_refusal(ErrorCode code) {
        turn_until([&] { return refused_.has_value(); });
        ASSERT_TRUE(refused_);
        EXPECT_EQ(refused_->code, code) << refused_->message;
    }
    void expect_lost() {
        turn_until([&] { return finished_.has_value(); });
        ASSERT_TRUE(finished_);
        EXPECT_EQ(finished_->code, ErrorCode::RemoteLost) << finished_->message;
    }
    bool is_over() const { return refused_ || finished_; }

    std::atomic<int> n_pings_ = 0;  // that the server is to have sent; -1: it disconnects
    std::optional<protocol::Refused> refused_;
    std::optional<protocol::Finished> finished_;
    std::optional<protocol::Usage> usage_;
};

TEST_F(SessionClockTest, WhoCannotBeReachedIsTriedThrice) {
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer&) {});
    connect("openai");
    upstream_.reset();  // nobody listens
    submit();
    settle();
    for (const milliseconds wait : {milliseconds(500), milliseconds(1000)}) {
        pass(wait - kTick);
        ASSERT_FALSE(is_over()) << wait.count();
        pass(spread(wait) + kTick);
    }
    ASSERT_NO_FATAL_FAILURE(expect_refusal(ErrorCode::RemoteUnreachable));
}

TEST_F(SessionClockTest, ABusyServerIsAskedAgainAfterHalfASecondAndASecond) {
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer& answer) { answer.json(kBusy, 503); });
    connect("openai");
    submit();
    expect_calls(1);
    pass(milliseconds(500) - kTick);
    EXPECT_EQ(n_calls(), 1u);
    pass(spread(milliseconds(500)) + kTick);
    expect_calls(2);
    pass(milliseconds(1000) - kTick);
    EXPECT_EQ(n_calls(), 2u);
    EXPECT_FALSE(is_over());
    pass(spread(milliseconds(1000)) + kTick);
    ASSERT_NO_FATAL_FAILURE(expect_refusal(ErrorCode::QueueFull));
    EXPECT_EQ(n_calls(), 3u);
    EXPECT_EQ(refused_->retry_after_s, 0u);
}

TEST_F(SessionClockTest, ABusyServersOwnTimeIsKeptUpToAMinute) {
    settings_.first_token_seconds = 5;  // from the call on, which is over
    serve_texts([this](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.json(kBusy, 429, n_handled_++ == 0 ? "Retry-After: 60\r\n" : "Retry-After: 61\r\n");
    });
    connect("openai");
    submit();
    expect_calls(1);
    pass(seconds(60) - kTick);
    EXPECT_EQ(n_calls(), 1u);
    EXPECT_FALSE(is_over());
    pass(kTick);
    ASSERT_NO_FATAL_FAILURE(expect_refusal(ErrorCode::QueueFull));
    EXPECT_EQ(n_calls(), 2u);
    EXPECT_EQ(refused_->retry_after_s, 61u);
}

TEST_F(SessionClockTest, AServerThatLoadsIsAskedEveryTwoSecondsForAsLongAsAFirstTokenMayTake) {
    settings_.first_token_seconds = 20;
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer& answer) { answer.json(kLoading, 503); });
    connect("openai");
    submit();
    size_t n = 1;
    expect_calls(n);
    for (; n <= 10; ++n) {
        pass(seconds(2) - kTick);
        EXPECT_EQ(n_calls(), n);
        ASSERT_FALSE(is_over());
        pass(kTick);
        expect_calls(n + 1);
    }
    ASSERT_NO_FATAL_FAILURE(expect_refusal(ErrorCode::NotReady));
}

TEST_F(SessionClockTest, AFirstTokenMayTakeFiveMinutes) {
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer& answer) { answer.hold(); });
    connect("openai");
    submit();
    expect_calls(1);
    pass(seconds(300) - kTick);
    EXPECT_FALSE(is_over());
    pass(2 * kTick);
    ASSERT_NO_FATAL_FAILURE(expect_refusal(ErrorCode::Timeout));
    EXPECT_EQ(n_calls(), 1u);
}

TEST_F(SessionClockTest, BeforeTheFirstTokenAServerThatTwiceDoesNotAnswerIsLost) {
    settings_.resume_seconds = 0;
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer& answer) { answer.hold(); });
    connect("vllm");
    submit();
    expect_calls(1);
    const size_t n_before = n_calls("/version");
    version_status_ = 503;
    for (const size_t n : {0u, 1u}) {
        pass(seconds(15) - kTick);
        EXPECT_EQ(n_calls("/version"), n_before + n);
        EXPECT_FALSE(is_over());
        pass(2 * kTick);
        expect_calls(n_before + n + 1, "/version");
    }
    ASSERT_NO_FATAL_FAILURE(expect_refusal(ErrorCode::RemoteLost));
}

TEST_F(SessionClockTest, AServerThatSaysItHasNoSuchPathIsThere) {
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer& answer) { answer.hold(); });
    connect("vllm");
    submit();
    expect_calls(1);
    const size_t n_before = n_calls("/version");
    version_status_ = 404;
    for (size_t n = 1; n <= 4; ++n) {
        pass(seconds(15) + kTick);
        expect_calls(n_before + n, "/version");
    }
    EXPECT_FALSE(is_over());
}

TEST_F(SessionClockTest, ATextWaitsForItsNextTokenForTwoMinutes) {
    settings_.resume_seconds = 0;
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(kWord);
        answer.hold();
    });
    connect("openai");
    submit();
    expect_calls(1);
    pass(seconds(120) - kTick);
    EXPECT_FALSE(is_over());
    pass(2 * kTick);
    ASSERT_NO_FATAL_FAILURE(expect_lost());
}

TEST_F(SessionClockTest, PingsDoNotMakeItWaitLonger) {
    settings_.resume_seconds = 0;
    serve_texts([this](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(kWord);
        for (int n = 0; n >= 0 && answer.write(": ping\n\n"); n = n_pings_) n_pings_.wait(n);
    });
    connect("openai");
    submit();
    expect_calls(1);
    for (const milliseconds wait :
         {milliseconds(30'000), milliseconds(30'000), milliseconds(30'000), milliseconds(29'999)}) {
        pass(wait);
        ASSERT_FALSE(is_over());
        ++n_pings_;
        n_pings_.notify_all();
        settle();
    }
    pass(2 * kTick);
    ASSERT_NO_FATAL_FAILURE(expect_lost());
    EXPECT_NE(finished_->message.find("no token for 120000 ms"), std::string::npos) << finished_->message;
}

TEST_F(SessionClockTest, ATextThatWasCutWaitsTwoMinutesForItsServer) {
    serve_texts([this](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(kWord);
        list_status_ = 500;
    });
    connect("vllm");
    submit();
    expect_calls(1);
    milliseconds waited{0};
    // It looks every 8 to 10 s in the end.
    for (; !is_over() && waited < seconds(150); waited += seconds(10)) pass(seconds(10));
    ASSERT_NO_FATAL_FAILURE(expect_lost());
    EXPECT_GE(waited, seconds(120));
    EXPECT_LT(waited, seconds(150));
    EXPECT_EQ(n_calls(), 1u) << "what is not there is not asked for a text";
}

TEST_F(SessionClockTest, AServerThatComesBackInTimeGoesOn) {
    serve_texts([this](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        if (n_handled_++ > 0) return answer.event(kLastWord);
        answer.event(kWord);
        list_status_ = 500;
    });
    connect("vllm");
    submit();
    expect_calls(1);
    for (int i = 0; i < 10; ++i) pass(seconds(10));
    ASSERT_FALSE(is_over());
    list_status_ = 200;
    pass(seconds(10));
    turn_until([&] { return is_over(); });
    ASSERT_TRUE(finished_);
    EXPECT_EQ(finished_->reason, protocol::FinishReason::Stop) << finished_->message;
    EXPECT_EQ(usage_->resumed, 1u);
    EXPECT_EQ(n_calls(), 2u);
}

}  // namespace
}  // namespace llmd::test
