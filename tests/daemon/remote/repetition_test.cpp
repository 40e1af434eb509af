// A greedy text that was cut goes on as if nothing had been: at a server that has kept what it computed from there, and
// at one that has lost it by being asked once more, of which llmd gets nothing twice.
#include <algorithm>
#include <atomic>

#include "remote/remote_answer.h"
#include "session_fixture.h"

namespace llmd::test {
namespace {

using base::ErrorCode;
using protocol::FinishReason;
using remote::kUnknownId;
using remote::Repetition;

TEST(Repetition, IsWholeWhenAllHasComeAgain) {
    Repetition repetition({7, kUnknownId, 8, 9});
    EXPECT_TRUE(repetition.take(std::vector<int32_t>{7}));
    EXPECT_TRUE(repetition.take(std::vector<int32_t>{5, kUnknownId}));
    EXPECT_FALSE(repetition.is_whole());
    EXPECT_FALSE(repetition.take(std::vector<int32_t>{8}));
    EXPECT_FALSE(repetition.take(std::vector<int32_t>{9, 10}));  // beyond what is known, in one event
    EXPECT_TRUE(repetition.take(std::vector<int32_t>{9}));
    EXPECT_TRUE(repetition.is_whole());
}

TEST(Repetition, TellsHowLongAllOfItTakes) {
    Repetition repetition(std::vector<int32_t>(100, 1));
    EXPECT_TRUE(repetition.take(std::vector<int32_t>(2, 1)));
    EXPECT_EQ(repetition.estimate(std::chrono::seconds(60)), std::chrono::seconds(0));  // the first may be slow
    EXPECT_TRUE(repetition.take(std::vector<int32_t>(8, 1)));
    EXPECT_EQ(repetition.estimate(std::chrono::seconds(3)), std::chrono::seconds(30));
}

// A llama-server whose prompt has two ids. Asked from the prompt its id number n is 100 + n; asked from ids that it has
// to compute as a prompt it is 200 + n, as a server's may be whose rounding is another then.
class RepeatedTextTest : public SessionTest {
protected:
    static constexpr int kPromptTokens = 2;
    static constexpr int kEnd = 6;

    void serve_text() {
        serve([this](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
            if (call.path == "/v1/models") return answer.json(R"({"data":[{"id":"tales","meta":{"n_ctx":64}}]})");
            if (call.path == "/props") return answer.json(R"({"build_info":"b1","total_slots":1})");
            if (call.path == "/tokenize") return answer.json(R"({"tokens":[1,2]})");
            if (call.path == "/completion") return complete(call, answer);
            answer.json("{}", 404);
        });
        connect("llama-server");
    }

    void complete(const UpstreamCall& call, const UpstreamServer::Answer& answer) {
        const size_t open = call.body.find("\"prompt\":[");
        const std::string ids = call.body.substr(open, call.body.find(']', open) - open);
        const int n_ids = static_cast<int>(std::count(ids.begin(), ids.end(), ',')) + 1;
        const auto number = static_cast<size_t>(n_calls_++);
        const int n_before_cut = number < cuts_.size() ? cuts_[number] : kEnd;
        const int first = n_ids - kPromptTokens;
        const bool has_kept = remembers_ && first > 0;
        answer.head(200);
        for (int n = first; n < kEnd; ++n) {
            if (n - first == n_before_cut) return;
            const int row = first > 0 && !has_kept ? 200 : number > 0 && n == other_at_ ? 300 : 100;
            answer.event(base::concat(R"({"content":")", texts_[static_cast<size_t>(n)], R"(","tokens":[)", row + n,
                                      R"(],"stop":false,"tokens_predicted":)", n - first + 1,
                                      R"(,"timings":{"prompt_n":)", has_kept ? 1 : n_ids, "}}"));
        }
        answer.event(R"({"content":"","tokens":[],"stop":true,"stop_type":"eos","tokens_predicted":6,)"
                     R"("tokens_evaluated":2,"timings":{"cache_n":0,"prompt_n":2}})");
    }

    // Returns the calls for text, in short: the number of ids they began with, and R where the cache was not to be
    // used.
    std::string calls() {
        std::string all;
        for (const auto& call : upstream_->calls("/completion")) {
            const size_t open = call.body.find("\"prompt\":[");
            const std::string ids = call.body.substr(open, call.body.find(']', open) - open);
            all += std::to_string(std::count(ids.begin(), ids.end(), ',') + 1);
            all += call.body.find(R"("cache_prompt":false)") != std::string::npos ? "R " : " ";
        }
        return all;
    }

    std::atomic<int> n_calls_{0};
    std::vector<int> cuts_;  // after how many tokens each call is cut
    bool remembers_ = false;
    int other_at_ = -1;  // the position where a later call says something else
    std::array<const char*, kEnd> texts_ = {"a", "b", "c", "d", "e", "f"};
};

const std::vector<int32_t> kUndisturbed = {100, 101, 102, 103, 104, 105};

TEST_F(RepeatedTextTest, AServerThatHasLostItIsAskedOnceMore) {
    cuts_ = {3};
    serve_text();
    const auto outcome = run(text_request("hi", 6));
    ASSERT_TRUE(outcome.finished && outcome.usage);
    EXPECT_EQ(outcome.finished->reason, FinishReason::Stop) << outcome.finished->message;
    EXPECT_EQ(outcome.ids, kUndisturbed);
    EXPECT_EQ(outcome.text, "abcdef");
    EXPECT_EQ(outcome.usage->resumed, 1u);
    EXPECT_EQ(calls(), "2 5 2R ");
}

TEST_F(RepeatedTextTest, AServerThatHasKeptItGoesOnAtOnce) {
    cuts_ = {3};
    remembers_ = true;
    serve_text();
    const auto outcome = run(text_request("hi"));
    EXPECT_EQ(outcome.ids, kUndisturbed);
    EXPECT_EQ(calls(), "2 5 ");
    EXPECT_NE(upstream_->calls("/completion").at(1).body.find(R"("timings_per_token":true)"), std::string::npos);
}

TEST_F(RepeatedTextTest, ASampledTextGoesOnFromItsIds) {
    cuts_ = {3};
    serve_text();
    auto submit = text_request("hi");
    submit.sampling.temperature = 1;
    EXPECT_EQ(run(submit).ids, (std::vector<int32_t>{100, 101, 102, 203, 204, 205}));
    EXPECT_EQ(calls(), "2 5 ");
}

TEST_F(RepeatedTextTest, WhereItSaysSomethingElseTheTextGoesOnFromItsIds) {
    for (const int at : {0, 2}) {
        session_.reset();
        n_calls_ = 0;
        cuts_ = {3};
        other_at_ = at;
        settings_.url.clear();
        serve_text();
        const auto outcome = run(text_request("hi"));
        ASSERT_TRUE(outcome.finished && outcome.usage);
        EXPECT_EQ(outcome.ids, (std::vector<int32_t>{100, 101, 102, 203, 204, 205}));
        EXPECT_EQ(outcome.text, "abcdef");
        EXPECT_EQ(outcome.usage->resumed, 1u);
        EXPECT_EQ(calls(), "2 5 2R 5 ");
    }
}

// Or a text longer than the time between two deaths would never come to its end.
TEST_F(RepeatedTextTest, CutOnceMoreItGoesOnFromItsIds) {
    cuts_ = {3, kEnd, 2};
    serve_text();
    const auto outcome = run(text_request("hi"));
    EXPECT_EQ(outcome.ids, (std::vector<int32_t>{100, 101, 102, 203, 204, 205}));
    EXPECT_EQ(calls(), "2 5 2R 5 ");
}

TEST_F(RepeatedTextTest, ATextWithASchemaGoesOnIfItComesAgain) {
    texts_ = {"{", R"(\"a\")", ":", "1", "2", "}"};
    for (const bool comes_again : {true, false}) {
        session_.reset();
        n_calls_ = 0;
        cuts_ = {3};
        other_at_ = comes_again ? -1 : 1;
        settings_.url.clear();
        serve_text();
        auto submit = text_request("hi");
        submit.sampling.temperature = 1;
        submit.sampling.seed = 7;
        submit.json_schema =
            R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false})";
        const auto outcome = run(submit);
        ASSERT_TRUE(outcome.finished);
        EXPECT_EQ(outcome.finished->reason, comes_again ? FinishReason::Stop : FinishReason::Error);
        EXPECT_EQ(outcome.text, comes_again ? R"({"a":12})" : R"({"a":)") << outcome.finished->message;
        EXPECT_EQ(outcome.finished->code, comes_again ? ErrorCode::Failed : ErrorCode::RemoteLost);
        EXPECT_EQ(calls(), "2 2R ");
        const auto asked = upstream_->calls("/completion");
        for (const auto& call : asked) EXPECT_NE(call.body.find("\"seed\":7,"), std::string::npos) << call.body;
    }
}

// A llama-server that cannot turn conversations into ids is asked for texts, of which a conversation does
// not go on where it was cut.
class WithoutIdsTest : public SessionTest {
protected:
    void serve_text() {
        serve([this](const UpstreamCall& call, const UpstreamServer::Answer& answer) {
            if (call.path == "/v1/models") return answer.json(R"({"data":[{"id":"tales","meta":{"n_ctx":64}}]})");
            if (call.path == "/props") return answer.json(R"({"build_info":"b1","total_slots":1})");
            if (call.path == "/apply-template") return answer.json(R"({"prompt":"<u>hi"})", template_status_);
            if (call.path == "/tokenize") return answer.json(tokens_, tokenize_status_);
            if (call.path == "/v1/chat/completions") return complete(answer);
            answer.json("{}", 404);
        });
        connect("llama-server");
    }

    void complete(const UpstreamServer::Answer& answer) {
        ++n_calls_;
        answer.head(200);
        for (size_t i = 0; i < texts_.size(); ++i) {
            if (cuts_ && i == 3) return;
            answer.event(
                base::concat(R"({"choices":[{"delta":{"content":")", texts_[i], R"("},"finish_reason":null}]})"));
        }
        answer.event(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})");
    }

    std::atomic<int> n_calls_{0};
    bool cuts_ = false;  // after three tokens
    int template_status_ = 200, tokenize_status_ = 200;
    const char* tokens_ = R"({"tokens":[1,2]})";
    std::array<const char*, 6> texts_ = {"a", "b", "c", "d", "e", "f"};
};

TEST_F(WithoutIdsTest, AGreedyTextIsAskedForOnceAndLostWhereItIsCut) {
    struct Row {
        const char* what;
        int template_status, tokenize_status;
        const char* tokens;
        bool cuts;
    };
    for (const Row& row : {Row{"no template", 404, 400, "{}", false}, Row{"no tokenizer", 200, 404, "{}", false},
                           Row{"not for this", 200, 400, "{}", false},
                           Row{"no ids", 200, 200, R"({"tokens":[]})", false}, Row{"cut", 200, 404, "{}", true}}) {
        SCOPED_TRACE(row.what);
        session_.reset();
        n_calls_ = 0;
        cuts_ = row.cuts;
        template_status_ = row.template_status;
        tokenize_status_ = row.tokenize_status;
        tokens_ = row.tokens;
        settings_.url.clear();
        serve_text();
        const auto outcome = run(chat_request("hi"));
        ASSERT_TRUE(outcome.finished);
        EXPECT_EQ(outcome.text, row.cuts ? "abc" : "abcdef") << outcome.finished->message;
        EXPECT_EQ(outcome.finished->code, row.cuts ? ErrorCode::RemoteLost : ErrorCode::Failed);
        EXPECT_EQ(n_calls_, 1);
    }
}

TEST_F(WithoutIdsTest, ATextWithASchemaIsAskedForOnceAndLostWhereItIsCut) {
    texts_ = {"{", R"(\"a\")", ":", "1", "2", "}"};
    tokenize_status_ = 404;
    for (const bool cuts : {false, true}) {
        session_.reset();
        n_calls_ = 0;
        cuts_ = cuts;
        settings_.url.clear();
        serve_text();
        auto submit = chat_request("hi");
        submit.json_schema =
            R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false})";
        const auto outcome = run(submit);
        ASSERT_TRUE(outcome.finished);
        EXPECT_EQ(outcome.text, cuts ? R"({"a":)" : R"({"a":12})") << outcome.finished->message;
        EXPECT_EQ(outcome.finished->code, cuts ? ErrorCode::RemoteLost : ErrorCode::Failed);
        EXPECT_EQ(n_calls_, 1);
    }
}

}  // namespace
}  // namespace llmd::test
