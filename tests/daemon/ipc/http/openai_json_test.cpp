// The bytes of answers in OpenAI's shapes, frame by frame.
#include "ipc/http/openai_json.h"

#include <gtest/gtest.h>

namespace llmd::ipc::http {
namespace {

AnswerHead head() {
    return {7, "tale", std::chrono::system_clock::time_point(std::chrono::seconds(1000))};
}

service::Outcome outcome() {
    service::Outcome outcome;
    outcome.prompt_tokens = 5;
    outcome.cached_tokens = 2;
    outcome.generated_tokens = 3;
    outcome.queue_time = std::chrono::milliseconds(10);
    outcome.ttft = std::chrono::milliseconds(20);
    outcome.prefill_tps = 100;
    outcome.decode_tps = 12.5;
    return outcome;
}

std::unique_ptr<AnswerFormat> format(OpenAiKind kind, bool include_usage = false) {
    return make_openai_format(kind, include_usage, [] { return 512u; });
}

const std::string kCosts =
    R"("usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,"prompt_tokens_details":{"cached_tokens":2}},)"
    R"("timings":{"cache_n":2,"prompt_n":3,"prompt_per_second":100,"predicted_n":3,"predicted_per_second":12.5,)"
    R"("queue_ms":10,"ttft_ms":20}})";

TEST(OpenAiJson, ACompletionAtOnce) {
    EXPECT_EQ(format(OpenAiKind::Completion)->whole(head(), "a \"tale\"", outcome()),
              R"({"id":"cmpl-7","object":"text_completion","created":1000,"model":"tale",)"
              R"("choices":[{"index":0,"text":"a \"tale\"","logprobs":null,"finish_reason":"stop"}],)" +
                  kCosts);
}

TEST(OpenAiJson, AChatAtOnce) {
    service::Outcome cut = outcome();
    cut.finish = service::Finish::Length;
    EXPECT_EQ(format(OpenAiKind::Chat)->whole(head(), "hi", cut),
              R"({"id":"chatcmpl-7","object":"chat.completion","created":1000,"model":"tale",)"
              R"("choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"logprobs":null,)"
              R"("finish_reason":"length"}],)" +
                  kCosts);
}

TEST(OpenAiJson, AStreamOfACompletion) {
    const auto stream = format(OpenAiKind::Completion);
    const std::string begin =
        R"(data: {"id":"cmpl-7","object":"text_completion","created":1000,"model":"tale","choices":[{"index":0,"text":)";
    EXPECT_EQ(stream->begin(head()), "");
    EXPECT_EQ(stream->text("o\n"), begin + R"("o\n","logprobs":null,"finish_reason":null}]})" + "\n\n");
    EXPECT_EQ(stream->end(outcome()),
              begin + R"("","logprobs":null,"finish_reason":"stop"}]})" + "\n\ndata: [DONE]\n\n");
}

TEST(OpenAiJson, AStreamOfAChatWithItsUsage) {
    const auto stream = format(OpenAiKind::Chat, true);
    const std::string begin =
        R"(data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1000,"model":"tale","choices":[)";
    const std::string end = R"(,"logprobs":null,"finish_reason":null}],"usage":null})"
                            "\n\n";
    EXPECT_EQ(stream->begin(head()), begin + R"({"index":0,"delta":{"role":"assistant","content":""})" + end);
    EXPECT_EQ(stream->text("hi"), begin + R"({"index":0,"delta":{"content":"hi"})" + end);
    EXPECT_EQ(stream->end(outcome()), begin + R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],)" +
                                          "\"usage\":null}\n\n" + begin + "]," + kCosts + "\n\ndata: [DONE]\n\n");
}

TEST(OpenAiJson, AFailureEndsAStreamWithoutDone) {
    const auto stream = format(OpenAiKind::Chat);
    EXPECT_EQ(stream->failure({base::ErrorCode::DeviceError, "it broke"}),
              "data: {\"error\":{\"message\":\"it broke\",\"type\":\"server_error\",\"code\":\"DeviceError\"}}\n\n");
}

TEST(Refusal, HasAStatusAndSaysWhetherToTryAgain) {
    const auto refusal = [](base::ErrorCode code) { return format(OpenAiKind::Chat)->refusal({code, "m"}); };
    const Reply full = refusal(base::ErrorCode::QueueFull);
    EXPECT_EQ(full.status, 429u);
    EXPECT_EQ(full.headers.at(0).first, std::string("Retry-After"));
    EXPECT_EQ(full.body, R"({"error":{"message":"m","type":"rate_limit_error","code":"QueueFull"}})");
    const Reply too_long = refusal(base::ErrorCode::ContextExceeded);
    EXPECT_EQ(too_long.status, 400u);
    EXPECT_EQ(too_long.headers.at(0).first, std::string("x-should-retry"));
    EXPECT_EQ(too_long.headers.at(0).second, "false");
    EXPECT_EQ(too_long.body,
              R"({"error":{"message":"m","type":"invalid_request_error","code":"ContextExceeded","n_ctx":512}})");
}

TEST(Refusal, EveryErrorHasAStatusAndExactlyOneAdvice) {
    for (uint8_t value = 0; value <= static_cast<uint8_t>(base::kLastErrorCode); ++value) {
        const auto code = static_cast<base::ErrorCode>(value);
        const Reply reply = error_reply({code, "m"}, "{}");
        EXPECT_TRUE(reply.status >= 400 && reply.status < 600) << base::error_name(code);
        ASSERT_EQ(reply.headers.size(), 1u);
        // What OpenAI's clients would repeat by themselves must be told not to when that is of no use.
        EXPECT_EQ(reply.headers[0].first, std::string(may_retry(code) ? "Retry-After" : "x-should-retry"));
    }
}

}  // namespace
}  // namespace llmd::ipc::http
