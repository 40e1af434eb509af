#include "dbus/json_lines.h"

#include <gtest/gtest.h>

namespace llmd::dbus {
namespace {

TEST(JsonLines, TextIsOneLineWhateverItHolds) {
    EXPECT_EQ(text_line(3, "say \"hi\"\n\u2028\\"), "{\"seq\":3,\"text\":\"say \\\"hi\\\"\\n\u2028\\\\\"}\n");
}

TEST(JsonLines, TextTellsHowLikelyItWasWhereThatIsWanted) {
    EXPECT_EQ(text_line(0, "a", std::vector<api::AlignedLogprobs>{{{{8, -0.5, "a"}, {{9, -1, "b"}}}, 0}}),
              "{\"seq\":0,\"text\":\"a\",\"logprobs\":[{\"token\":\"a\",\"logprob\":-0.5,\"bytes\":[97],"
              "\"top_logprobs\":[{\"token\":\"b\",\"logprob\":-1,\"bytes\":[98]}]}]}\n");
}

TEST(JsonLines, ThinkingIsNoText) {
    EXPECT_EQ(thinking_line(0, "hm \"so\""), "{\"seq\":0,\"thinking\":\"hm \\\"so\\\"\"}\n");
}

TEST(JsonLines, ACallIsOneLineAndSaysWhenItWasCut) {
    EXPECT_EQ(call_line(4, 1, {"call_a", "clock", "{\"zone\":\n1}"}),
              "{\"seq\":4,\"tool_call\":{\"id\":\"call_a\",\"index\":1,\"name\":\"clock\","
              "\"arguments\":\"{\\\"zone\\\":\\n1}\"}}\n");
    EXPECT_EQ(call_line(0, 0, {"call_a", "clock", "{", true}),
              "{\"seq\":0,\"tool_call\":{\"id\":\"call_a\",\"index\":0,\"name\":\"clock\",\"arguments\":\"{\",\"cut\":"
              "true}}\n");
}

TEST(JsonLines, TheLastLineSaysHowItEnded) {
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

TEST(JsonLines, TheLastLineTellsTheNotes) {
    const std::vector<std::string> notes = {R"(fallback: "a" failed with QueueFull)", "top_k: is 256"};
    const std::string line = last_line({}, notes);
    EXPECT_TRUE(line.ends_with(R"(,"notes":["fallback: \"a\" failed with QueueFull","top_k: is 256"]}})"
                               "\n"))
        << line;
}

TEST(JsonLines, AnErrorTakesThePlaceOfTheUsage) {
    service::Outcome outcome;
    outcome.finish = service::Finish::Error;
    outcome.error = base::fail(base::ErrorCode::SlowConsumer, "took \"nothing\"");
    EXPECT_EQ(last_line(outcome), "{\"error\":{\"name\":\"SlowConsumer\",\"message\":\"took \\\"nothing\\\"\"}}\n");
}

}  // namespace
}  // namespace llmd::dbus
