// The bytes of answers in OpenAI's shapes, frame by frame.
#include "http/openai_json.h"

#include <gtest/gtest.h>

#include "api/errors.h"

namespace llmd::http {
namespace {

AnswerHead head() {
    return {7, "tale", std::chrono::system_clock::time_point(std::chrono::seconds(1000))};
}

service::Outcome outcome() {
    service::Outcome outcome;
    outcome.prompt_tokens = 5;
    outcome.cached_tokens = 2;
    outcome.generated_tokens = 3;
    outcome.drafted_tokens = 3;
    outcome.accepted_tokens = 2;
    outcome.queue_time = std::chrono::milliseconds(10);
    outcome.ttft = std::chrono::milliseconds(20);
    outcome.prefill_tps = 100;
    outcome.decode_tps = 12.5;
    return outcome;
}

std::unique_ptr<BodyFormat> format(OpenAiKind kind, bool include_usage = false, uint32_t n_per_prompt = 1,
                                   std::optional<uint32_t> top_logprobs = std::nullopt) {
    return make_openai_format(kind, n_per_prompt, include_usage, top_logprobs, [] { return 512u; });
}

const std::string kCosts =
    R"("usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,"prompt_tokens_details":{"cached_tokens":2},)"
    R"("completion_tokens_details":{"reasoning_tokens":0,"accepted_prediction_tokens":2,"rejected_prediction_tokens":1}},)"
    R"("timings":{"cache_n":2,"prompt_n":3,"prompt_per_second":100,"predicted_n":3,"predicted_per_second":12.5,)"
    R"("draft_n":3,"draft_n_accepted":2,"queue_ms":10,"ttft_ms":20,"where":"device"}})";

TEST(OpenAiJson, ACompletionAtOnce) {
    EXPECT_EQ(format(OpenAiKind::Completion)->whole(head(), {{"a \"tale\"", outcome(), {}}}),
              R"({"id":"cmpl-7","object":"text_completion","created":1000,"model":"tale",)"
              R"("choices":[{"index":0,"text":"a \"tale\"","logprobs":null,"finish_reason":"stop"}],)" +
                  kCosts);
}

TEST(OpenAiJson, AChatAtOnce) {
    service::Outcome cut = outcome();
    cut.finish = service::Finish::Length;
    EXPECT_EQ(format(OpenAiKind::Chat)->whole(head(), {{"hi", cut, {}}}),
              R"({"id":"chatcmpl-7","object":"chat.completion","created":1000,"model":"tale",)"
              R"("choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"logprobs":null,)"
              R"("finish_reason":"length"}],)" +
                  kCosts);
}

// OpenAI has no deadlines, so no word for them: who sets one knows llmd's.
TEST(OpenAiJson, ADeadlineThatHasPassedIsNamed) {
    service::Outcome late = outcome();
    late.finish = service::Finish::Timeout;
    EXPECT_NE(format(OpenAiKind::Completion)->end_choice(0, late, {}).find(R"("finish_reason":"timeout")"),
              std::string::npos);
}

TEST(OpenAiJson, AStreamOfACompletion) {
    const auto stream = format(OpenAiKind::Completion);
    const std::string begin =
        R"(data: {"id":"cmpl-7","object":"text_completion","created":1000,"model":"tale","choices":[{"index":0,"text":)";
    EXPECT_EQ(stream->begin(head()), "");
    EXPECT_EQ(stream->text(0, "o\n", {}), begin + R"("o\n","logprobs":null,"finish_reason":null}]})" + "\n\n");
    EXPECT_EQ(stream->end_choice(0, outcome(), {}), begin + R"("","logprobs":null,"finish_reason":"stop"}]})" + "\n\n");
    EXPECT_EQ(stream->end({{"", outcome(), {}}}), "data: [DONE]\n\n");
}

TEST(OpenAiJson, AStreamOfAChatWithItsUsage) {
    const auto stream = format(OpenAiKind::Chat, true);
    const std::string begin =
        R"(data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1000,"model":"tale","choices":[)";
    const std::string end = R"(,"logprobs":null,"finish_reason":null}],"usage":null})"
                            "\n\n";
    EXPECT_EQ(stream->begin(head()), begin + R"({"index":0,"delta":{"role":"assistant","content":""})" + end);
    EXPECT_EQ(stream->text(0, "hi", {}), begin + R"({"index":0,"delta":{"content":"hi"})" + end);
    EXPECT_EQ(stream->end_choice(0, outcome(), {}),
              begin + R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null})" + "\n\n");
    EXPECT_EQ(stream->end({{"", outcome(), {}}}), begin + "]," + kCosts + "\n\ndata: [DONE]\n\n");
}

// Four choices: two answers to each of two prompts. Each has 5 tokens, 2 of them cached, and 3 generated ones.
std::vector<Choice> four_choices() {
    std::vector<Choice> choices;
    for (const char* text : {"a", "b", "c", "d"}) choices.push_back({text, outcome(), {}});
    choices[1].outcome.cached_tokens = 5;  // the first answer to the prompt has read these
    choices[3].outcome.finish = service::Finish::Length;
    return choices;
}

const std::string kCostsOfFour = R"("usage":{"prompt_tokens":10,"completion_tokens":12,"total_tokens":22,)"
                                 R"("prompt_tokens_details":{"cached_tokens":4},)"
                                 R"("completion_tokens_details":{"reasoning_tokens":0,)"
                                 R"("accepted_prediction_tokens":8,"rejected_prediction_tokens":4}}})";

TEST(OpenAiJson, SeveralChoicesHaveOneUsageInWhichAPromptCountsOnce) {
    const auto choice = [](int index, const char* text, const char* reason) {
        return base::concat(R"({"index":)", index, R"(,"text":")", text, R"(","logprobs":null,"finish_reason":")",
                            reason, "\"}");
    };
    EXPECT_EQ(format(OpenAiKind::Completion, false, 2)->whole(head(), four_choices()),
              R"({"id":"cmpl-7","object":"text_completion","created":1000,"model":"tale","choices":[)" +
                  choice(0, "a", "stop") + "," + choice(1, "b", "stop") + "," + choice(2, "c", "stop") + "," +
                  choice(3, "d", "length") + "]," + kCostsOfFour);
}

TEST(OpenAiJson, AStreamOfSeveralChoicesNamesThem) {
    const auto stream = format(OpenAiKind::Chat, true, 2);
    const std::string begin =
        R"(data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1000,"model":"tale","choices":[)";
    const auto chunk = [&](const std::string& choice) { return begin + choice + "],\"usage\":null}\n\n"; };
    const std::string open = R"(,"logprobs":null,"finish_reason":null})";
    AnswerHead two = head();
    two.n_choices = 2;
    EXPECT_EQ(stream->begin(two), chunk(R"({"index":0,"delta":{"role":"assistant","content":""})" + open) +
                                      chunk(R"({"index":1,"delta":{"role":"assistant","content":""})" + open));
    EXPECT_EQ(stream->text(1, "hi", {}), chunk(R"({"index":1,"delta":{"content":"hi"})" + open));
    EXPECT_EQ(stream->end_choice(1, outcome(), {}),
              chunk(R"({"index":1,"delta":{},"logprobs":null,"finish_reason":"stop"})"));
    EXPECT_EQ(stream->end(four_choices()), begin + "]," + kCostsOfFour + "\n\ndata: [DONE]\n\n");
}

// Half an emoji, then a word whose alternatives are another one and half an emoji; the first was chosen though it was
// none of the likeliest.
std::vector<api::AlignedLogprobs> two_tokens() {
    return {{{{7, -3, "\xF0\x9F"}, {{1, -0.5, "a"}, {2, -1.25, "a"}}}, 0},
            {{{8, -0.25, "\x99\x82 b"}, {{8, -0.25, "\x99\x82 b"}, {9, -9999, "\xE4"}}}, 0}};
}

const std::string kTwoInAChat =
    "{\"content\":[{\"token\":\"\uFFFD\","
    R"("logprob":-3,"bytes":[240,159],"top_logprobs":[{"token":"a","logprob":-0.5,"bytes":[97]},)"
    R"({"token":"a","logprob":-1.25,"bytes":[97]}]},)"
    "{\"token\":\"\uFFFD\uFFFD b\","
    R"("logprob":-0.25,"bytes":[153,130,32,98],"top_logprobs":[)"
    "{\"token\":\"\uFFFD\uFFFD b\","
    R"("logprob":-0.25,"bytes":[153,130,32,98]},)"
    "{\"token\":\"\uFFFD\","
    R"("logprob":-9999,"bytes":[228]}]}],"refusal":null})";

TEST(OpenAiJson, LogprobsOfAChat) {
    const auto whole = format(OpenAiKind::Chat, false, 1, 2)->whole(head(), {{"hi", outcome(), two_tokens()}});
    EXPECT_NE(whole.find(R"("content":"hi"},"logprobs":)" + kTwoInAChat + R"(,"finish_reason":"stop"}])"),
              std::string::npos)
        << whole;
    const auto nothing = format(OpenAiKind::Chat, false, 1, 2)->whole(head(), {{"", outcome(), {}}});
    EXPECT_NE(nothing.find(R"("logprobs":{"content":[],"refusal":null},)"), std::string::npos) << nothing;

    const auto stream = format(OpenAiKind::Chat, false, 1, 2);
    const std::string begin =
        R"(data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1000,"model":"tale","choices":[)";
    EXPECT_EQ(stream->begin(head()), begin + R"({"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,)"
                                             R"("finish_reason":null}]})"
                                             "\n\n");
    EXPECT_EQ(stream->text(0, "hi", two_tokens()), begin + R"({"index":0,"delta":{"content":"hi"},"logprobs":)" +
                                                       kTwoInAChat + R"(,"finish_reason":null}]})" + "\n\n");
    EXPECT_EQ(stream->end_choice(0, outcome(), two_tokens()),
              begin + R"({"index":0,"delta":{},"logprobs":)" + kTwoInAChat + R"(,"finish_reason":"stop"}]})" + "\n\n");
}

TEST(OpenAiJson, WhatTheModelThinksIsApart) {
    const auto stream = format(OpenAiKind::Chat);
    (void)stream->begin(head());
    EXPECT_NE(stream->thinking(0, "hm").find(R"("delta":{"reasoning_content":"hm"},"logprobs":null,)"),
              std::string::npos);
    const std::string whole = format(OpenAiKind::Chat)->whole(head(), {{"so", outcome(), {}, "hm"}});
    EXPECT_NE(whole.find(R"("message":{"role":"assistant","content":"so","reasoning_content":"hm"})"),
              std::string::npos)
        << whole;
}

TEST(OpenAiJson, LogprobsOfACompletion) {
    const std::string two =
        R"({"tokens":["bytes:\\xf0\\x9f","bytes:\\x99\\x82\\x20\\x62"],"token_logprobs":[-3,-0.25],)"
        R"("top_logprobs":[{"a":-0.5,"bytes:\\xf0\\x9f":-3},)"
        R"({"bytes:\\x99\\x82\\x20\\x62":-0.25,"bytes:\\xe4":-9999}],"text_offset":[0,0]})";
    const auto whole = format(OpenAiKind::Completion, false, 1, 2)->whole(head(), {{"hi", outcome(), two_tokens()}});
    EXPECT_NE(whole.find(R"("text":"hi","logprobs":)" + two + R"(,"finish_reason":"stop"}])"), std::string::npos)
        << whole;
    const auto stream = format(OpenAiKind::Completion, false, 1, 0);
    EXPECT_EQ(stream->begin(head()), "");
    auto word = two_tokens();
    word.erase(word.begin());
    word[0].token = {{3, -0.5, " b\""}, {}};
    word[0].text_offset = 12;
    EXPECT_EQ(stream->text(0, " b\"", word),
              R"(data: {"id":"cmpl-7","object":"text_completion","created":1000,"model":"tale","choices":[{"index":0,)"
              R"("text":" b\"","logprobs":{"tokens":[" b\""],"token_logprobs":[-0.5],"top_logprobs":null,)"
              R"("text_offset":[12]},"finish_reason":null}]})"
              "\n\n");
}

TEST(OpenAiJson, AFailureEndsAStreamWithoutDone) {
    const auto stream = format(OpenAiKind::Chat);
    EXPECT_EQ(
        stream->failure({base::ErrorCode::DeviceError, "it broke"}, {}),
        "data: {\"error\":{\"message\":\"it broke\",\"type\":\"server_error\",\"code\":\"device_error\",\"param\":null,"
        "\"name\":\"DeviceError\"}}\n\n");
}

TEST(Refusal, HasAStatusAndSaysWhetherToTryAgain) {
    const auto refusal = [](base::ErrorCode code) { return format(OpenAiKind::Chat)->refusal({code, "m"}, 600); };
    const Reply full = refusal(base::ErrorCode::QueueFull);
    EXPECT_EQ(full.status, 429u);
    EXPECT_EQ(full.headers.at(0).first, std::string("Retry-After"));
    EXPECT_EQ(full.body,
              R"({"error":{"message":"m","type":"rate_limit_error","code":"rate_limit_exceeded","param":null,)"
              R"("name":"QueueFull"}})");
    const Reply too_long = refusal(base::ErrorCode::ContextExceeded);
    EXPECT_EQ(too_long.status, 400u);
    EXPECT_EQ(too_long.headers.at(0).first, std::string("x-should-retry"));
    EXPECT_EQ(too_long.headers.at(0).second, "false");
    EXPECT_EQ(too_long.body,
              R"({"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded",)"
              R"("param":null,"name":"ContextExceeded","n_prompt_tokens":600,"n_ctx":512}})");
    EXPECT_EQ(api::openai_error({base::ErrorCode::ContextExceeded, "m"}),
              R"({"error":{"message":"m","type":"invalid_request_error","code":"context_length_exceeded","param":null,)"
              R"("name":"ContextExceeded"}})");
}

TEST(Refusal, EveryErrorHasExactlyOneAdvice) {
    for (uint8_t value = 0; value <= static_cast<uint8_t>(base::kLastErrorCode); ++value) {
        const auto code = static_cast<base::ErrorCode>(value);
        const Reply reply = error_reply({code, "m"}, "{}");
        ASSERT_EQ(reply.headers.size(), 1u);
        // OpenAI's clients repeat some requests by themselves, and must be asked not to when that is of no use.
        const bool may_retry = api::error_row(code).may_retry;
        EXPECT_EQ(reply.headers[0].first, std::string(may_retry ? "Retry-After" : "x-should-retry"));
    }
}

TEST(Refusal, SaysWhenToTryAgainWhereThatIsKnown) {
    EXPECT_EQ(error_reply({base::ErrorCode::QueueFull, "m"}, "{}").headers[0].second, "2");
    EXPECT_EQ(error_reply({base::ErrorCode::QueueFull, "m", std::chrono::seconds(100)}, "{}").headers[0].second, "100");
}

TEST(Refusal, NamesTheFieldThatIsWrong) {
    const auto object = [](const char* message) {
        return api::openai_error({base::ErrorCode::InvalidArgument, message});
    };
    EXPECT_NE(object("options.top_p: 3 is not in the range").find(R"("param":"options.top_p")"), std::string::npos);
    EXPECT_NE(object("messages[2].role: \"x\" is none").find(R"("param":"messages[2].role")"), std::string::npos);
    EXPECT_NE(object("there is no such thing: really").find(R"("param":null)"), std::string::npos);
}

TEST(OpenAiJson, ARemotesModelSaysWhereItIsAndWhatHolds) {
    supervisor::ModelEntry model;
    model.name = "big@home";
    model.remote = "home";
    model.host = "box.lan";
    model.guarantees = {"schema checked"};
    EXPECT_EQ(openai_model(model),
              R"({"id":"big@home","object":"model","created":0,"owned_by":"home","remote":"home","host":"box.lan",)"
              R"("guarantees":["schema checked"]})");
}

}  // namespace
}  // namespace llmd::http
