// The frames to llmd when a remote is slow, silent, busy or another one than before.
#include <algorithm>
#include <atomic>

#include "session_fixture.h"

namespace llmd::test {
namespace {

using base::ErrorCode;
using protocol::FinishReason;
using std::chrono::milliseconds;

class SessionTimesTest : public TextSessionTest {
protected:
    void turn(milliseconds time) {
        const auto end = base::Clock::now() + time;
        while (base::Clock::now() < end) {
            ASSERT_TRUE(loop_.run_once(milliseconds(5)));
            hear();
        }
    }
    // Runs until `holds`.
    template <typename Condition>
    void turn_until(Condition holds) {
        const auto end = base::Clock::now() + std::chrono::seconds(20);
        while (!holds() && base::Clock::now() < end) turn(milliseconds(5));
        ASSERT_TRUE(holds());
    }
    void expect_lost(const Outcome& outcome, std::string_view why) {
        ASSERT_TRUE(outcome.finished);
        EXPECT_EQ(outcome.finished->code, ErrorCode::RemoteLost);
        EXPECT_NE(outcome.finished->message.find(why), std::string::npos) << outcome.finished->message;
    }
};

TEST_F(SessionTimesTest, WaitsForAModelThatLoads) {
    serve_texts([this](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        if (n_handled_++ < 5) return answer.json(R"({"error":{"message":"Loading model","code":503}})", 503);
        answer.head(200);
        answer.event(kLastWord);
    });
    connect("openai");
    EXPECT_EQ(run(text_request("Once")).text, "z");
}

TEST_F(SessionTimesTest, GoesOnOnlyWithTheSameModel) {
    serve_texts([this](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        models_ = R"({"data":[{"id":"tales","max_model_len":63}]})";
        answer.head(200);
        answer.event(kWord);
    });
    connect("vllm");
    expect_lost(run(text_request("Once")), "no longer has");
}

TEST_F(SessionTimesTest, MoreTokensThanAskedForAreALoss) {
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        for (int i = 0; i < 9; ++i) answer.event(kWord);
        answer.hold();
    });
    connect("vllm");
    expect_lost(run(text_request("Once", 8)), "more tokens");
}

TEST_F(SessionTimesTest, TellsThatItIsBusyForAsLongAsTheRemoteMayTake) {
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(kLastWord);
    });
    connect("openai");
    ASSERT_TRUE(wait_for<protocol::PhaseChange>());  // idle
    ASSERT_TRUE(run(text_request("Once")).finished);
    turn(milliseconds(20));
    std::vector<protocol::PhaseChange> changes;
    for (const auto& messages : {all_, heard_}) {
        for (const auto& message : messages) {
            if (const auto* change = std::get_if<protocol::PhaseChange>(&message)) changes.push_back(*change);
        }
    }
    ASSERT_GE(changes.size(), 2u);
    EXPECT_EQ(changes.back().budget_ms, 0u);
    const auto& busy = changes[changes.size() - 2];
    EXPECT_EQ(busy.phase, protocol::Phase::Step);
    EXPECT_GT(busy.budget_ms, (settings_.first_token_seconds + settings_.resume_seconds) * 1000);
}

TEST_F(SessionTimesTest, APausedRequestReadsNothing) {
    serve_texts([this](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(kWord);
        while (!may_go_on_) std::this_thread::yield();
        answer.event(kLastWord);
        has_gone_on_ = true;
    });
    connect("openai");
    auto submit = text_request("Once");
    submit.id = 1;
    say(submit);
    ASSERT_TRUE(wait_for<protocol::Accepted>());
    say(protocol::Start{1});
    ASSERT_TRUE(wait_for<protocol::Tokens>());
    say(protocol::SetPaused{1, true});
    turn(milliseconds(20));
    may_go_on_ = true;
    turn_until([&] { return has_gone_on_.load(); });
    EXPECT_FALSE(wait_for<protocol::Tokens>(milliseconds(50)));
    say(protocol::SetPaused{1, false});
    const auto tokens = wait_for<protocol::Tokens>();
    ASSERT_TRUE(tokens);
    EXPECT_EQ(tokens->parts.at(0).text, "z");
    EXPECT_TRUE(wait_for<protocol::Finished>());
}

TEST_F(SessionTimesTest, HasNoMoreCallsAtTheRemoteThanItMay) {
    settings_.parallel = 1;
    serve_texts([this](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(kWord);
        while (!may_go_on_) std::this_thread::yield();
        answer.event(kLastWord);
    });
    connect("openai");
    for (const uint64_t id : {1, 2}) {
        auto submit = text_request("Once");
        submit.id = id;
        say(submit);
    }
    const auto first = wait_for<protocol::Accepted>();
    ASSERT_TRUE(first);
    say(protocol::Start{first->id});
    EXPECT_FALSE(wait_for<protocol::Accepted>(milliseconds(50)));
    EXPECT_EQ(upstream_->calls("/v1/completions").size(), 1u);
    may_go_on_ = true;
    const auto second = wait_for<protocol::Accepted>();
    ASSERT_TRUE(second);
    EXPECT_EQ(upstream_->calls("/v1/completions").size(), 2u);
}

TEST_F(SessionTimesTest, SharesACacheOnlyWithinAScope) {
    serve_texts([](const UpstreamCall&, const UpstreamServer::Answer& answer) {
        answer.head(200);
        answer.event(kLastWord);
    });
    connect("vllm");
    std::vector<std::string> salts;
    for (const char* scope : {"app", "app", "other", "", ""}) {
        auto submit = text_request("Once");
        submit.cache_scope = scope;
        ASSERT_TRUE(run(submit).finished);
        const std::string body = upstream_->calls("/v1/completions").back().body;
        const size_t at = body.find("\"cache_salt\":\"");
        ASSERT_NE(at, std::string::npos);
        salts.push_back(body.substr(at + 14, 64));
        EXPECT_EQ(salts.back().find_first_not_of("0123456789abcdef"), std::string::npos);  // never the scope
    }
    EXPECT_EQ(salts[0], salts[1]);
    std::sort(salts.begin(), salts.end());
    EXPECT_EQ(std::unique(salts.begin(), salts.end()) - salts.begin(), 4);
}

TEST_F(SessionTimesTest, IdsThatAreLeftOutAreMadeOfTheText) {
    serve([this](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
        if (call.path == "/v1/models") return answer.json(kOneModel);
        if (call.path == "/tokenize") {
            const bool of_answer = call.body.find("\"content\":\"a\xC3\xA9\"") != std::string::npos;
            return answer.json(of_answer ? R"({"tokens":[50,51,52]})" : R"({"tokens":[1,2]})");
        }
        if (call.path != "/completion") return answer.json("{}", 404);
        answer.head(200);
        if (n_handled_++ == 0) {  // the first half of the second character is said nothing of
            answer.event(R"({"content":"a","tokens":[7],"stop":false,"tokens_predicted":1})");
            return answer.event(R"({"content":"é","tokens":[9],"stop":false,"tokens_predicted":3})");
        }
        answer.event(R"({"content":"z","tokens":[10],"stop":false,"tokens_predicted":1})");
        answer.event(R"({"content":"","tokens":[],"stop":true,"stop_type":"eos"})");
    });
    connect("llama-server");
    const auto outcome = run(text_request("Once", 4));
    ASSERT_TRUE(outcome.finished);
    EXPECT_EQ(outcome.finished->reason, FinishReason::Stop) << outcome.finished->message;
    EXPECT_EQ(outcome.text, "aéz");
    EXPECT_EQ(outcome.ids, (std::vector<int32_t>{7, -1, 9, 10}));
    const std::string body = upstream_->calls("/completion").at(1).body;
    EXPECT_NE(body.find("\"prompt\":[1,2,50,51,52]"), std::string::npos) << body;
    EXPECT_NE(body.find("\"n_predict\":1"), std::string::npos) << body;
    EXPECT_EQ(outcome.usage->prompt_tokens, 2u);
}

}  // namespace
}  // namespace llmd::test
