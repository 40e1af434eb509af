#include "api/json_lines.h"

#include <gtest/gtest.h>

namespace llmd::api {
namespace {

class JsonLinesTest : public testing::Test {
protected:
    JsonLinesTest() { EXPECT_EQ(lines->begin(head), ""); }

    // The last line of a request that has ended so.
    std::string last_line(const service::Outcome& outcome) {
        return lines->end_choice(0, outcome, {}) + lines->end({});
    }
    std::string failure(const service::Outcome& outcome, std::vector<AlignedLogprobs> rest = {}) {
        return lines->failure(outcome.error.value_or(base::Error{base::ErrorCode::Cancelled, "cancelled"}),
                              {"", outcome, std::move(rest)});
    }

    const std::vector<AlignedLogprobs> logprobs = {{{{8, -0.5, "a"}, {{9, -1, "b"}}}, 0}};
    AnswerHead head;
    std::unique_ptr<AnswerFormat> lines = make_json_lines();
};

TEST_F(JsonLinesTest, TextIsOneLineWhateverItHolds) {
    EXPECT_EQ(lines->text(0, "say \"hi\"\n\u2028\\", {}), "{\"seq\":0,\"text\":\"say \\\"hi\\\"\\n\u2028\\\\\"}\n");
}

TEST_F(JsonLinesTest, TextTellsHowLikelyItWasWhereThatIsWanted) {
    const char* expected =
        "{\"seq\":0,\"text\":\"a\",\"logprobs\":[{\"token\":\"a\",\"logprob\":-0.5,\"bytes\":[97],"
        "\"top_logprobs\":[{\"token\":\"b\",\"logprob\":-1,\"bytes\":[98]}]}]}\n";
    EXPECT_EQ(lines->text(0, "a", logprobs), expected);
}

TEST_F(JsonLinesTest, LogprobsThatNoTextHasTakenAlongStandBeforeTheLastLineHoweverItEnds) {
    const auto begins = [](const std::string& out) { return out.starts_with(R"({"seq":0,"text":"","logprobs":[)"); };
    EXPECT_TRUE(begins(lines->end_choice(0, {}, logprobs)));
    service::Outcome failed;
    failed.error = base::fail(base::ErrorCode::Failed, "no");
    lines = make_json_lines();
    EXPECT_EQ(lines->begin(head), "");
    const std::string out = failure(failed, logprobs);
    EXPECT_TRUE(begins(out) && out.ends_with("{\"error\":{\"name\":\"Failed\",\"message\":\"no\"}}\n")) << out;
}

TEST_F(JsonLinesTest, CallsAndThinkingAreLinesAmongTheOthers) {
    EXPECT_EQ(lines->thinking(0, "hm \"so\""), "{\"seq\":0,\"thinking\":\"hm \\\"so\\\"\"}\n");
    const AnswerCall call{"call_a", "clock", "{\"zone\":\n1}"};
    EXPECT_EQ(lines->call_begin(0, 1, call) + lines->call_arguments(0, 1, call.arguments), "");
    EXPECT_EQ(lines->call_end(0, 1, call),
              "{\"seq\":1,\"tool_call\":{\"id\":\"call_a\",\"index\":1,\"name\":\"clock\","
              "\"arguments\":\"{\\\"zone\\\":\\n1}\"}}\n");
    EXPECT_EQ(lines->call_end(0, 0, {"call_a", "clock", "{", true}),
              "{\"seq\":2,\"tool_call\":{\"id\":\"call_a\",\"index\":0,\"name\":\"clock\",\"arguments\":\"{\",\"cut\":"
              "true}}\n");
    EXPECT_EQ(lines->text(0, "so", {}), "{\"seq\":3,\"text\":\"so\"}\n");
}

TEST_F(JsonLinesTest, TheLastLineSaysHowItEnded) {
    service::Outcome outcome;
    outcome.finish = service::Finish::Length;
    outcome.model = "tales";
    outcome.seed = ~uint64_t{0};
    outcome.prompt_tokens = 4;
    outcome.generated_tokens = 20;
    outcome.thinking_tokens = 6;
    outcome.drafted_tokens = 9;
    outcome.accepted_tokens = 7;
    outcome.decode_tps = 12.5;
    EXPECT_EQ(last_line(outcome),
              "{\"done\":true,\"finish_reason\":\"length\",\"usage\":{\"prompt_tokens\":4,\"cached_tokens\":0,"
              "\"generated_tokens\":20,\"thinking_tokens\":6,\"drafted\":9,\"accepted\":7,\"queue_ms\":0,\"ttft_ms\":0,"
              "\"prefill_tps\":0,\"decode_tps\":12.5,"
              "\"seed\":18446744073709551615,\"model\":\"tales\",\"where\":\"device\"}}\n");
}

TEST_F(JsonLinesTest, TheLastLineTellsTheNotesAlsoThoseThatCameMeanwhile) {
    head.notes = {R"(fallback: "a" failed with QueueFull)"};
    service::Outcome outcome;
    outcome.notes = {"top_k: is 256"};
    const std::string line = last_line(outcome);
    EXPECT_TRUE(line.ends_with(R"(,"notes":["fallback: \"a\" failed with QueueFull","top_k: is 256"]}})"
                               "\n"))
        << line;
}

TEST_F(JsonLinesTest, AnErrorTakesThePlaceOfTheUsage) {
    service::Outcome outcome;
    outcome.finish = service::Finish::Error;
    outcome.error = base::fail(base::ErrorCode::SlowConsumer, "took \"nothing\"");
    EXPECT_EQ(failure(outcome), "{\"error\":{\"name\":\"SlowConsumer\",\"message\":\"took \\\"nothing\\\"\"}}\n");
}

TEST_F(JsonLinesTest, ACancelledRequestHasEndedLikeAnyOther) {
    service::Outcome outcome;
    outcome.finish = service::Finish::Cancelled;
    EXPECT_TRUE(failure(outcome).starts_with(R"({"done":true,"finish_reason":"cancelled","usage":{)"));
}

TEST(PlainText, HasNeitherCallsNorALastLine) {
    const auto plain = make_plain_text();
    EXPECT_EQ(plain->begin({}), "");
    EXPECT_EQ(plain->text(0, "one\n", {}), "one\n");
    EXPECT_EQ(plain->thinking(0, "hm"), "");
    EXPECT_EQ(plain->call_end(0, 0, {"call_a", "clock", "{}"}), "");
    EXPECT_EQ(plain->end_choice(0, {}, {}) + plain->end({}) + plain->failure({}, {}), "");
}

}  // namespace
}  // namespace llmd::api
