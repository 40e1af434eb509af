// The socket's streams, cut anywhere, its errors, and what is not the format.
#include "client/openai_reader.h"

#include <gtest/gtest.h>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

const std::string kHead = R"(data: {"id":"cmpl-1","object":"text_completion","created":1,"model":"tales","choices":[)";
const std::string kEvents =
    kHead + R"({"index":0,"text":"Once \"upon\"\n","logprobs":null,"finish_reason":null}],"usage":null})" + "\n\n" +
    kHead + R"({"index":0,"text":"","logprobs":null,"finish_reason":"timeout"}],"usage":null})" + "\n\n" + kHead +
    R"(],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8,"completion_tokens_details":{"reasoning_tokens":4}},)"
    R"("timings":{"cache_n":1,"prompt_per_second":7.5,"predicted_per_second":2,"draft_n":9,"draft_n_accepted":8,"queue_ms":11,"ttft_ms":12}})"
    "\n\ndata: [DONE]\n\n";

TEST(OpenAiStreamReader, ReadsTheSameWhereverTheBytesAreCut) {
    for (size_t at = 0; at <= kEvents.size(); ++at) {
        OpenAiStreamReader reader;
        std::vector<StreamLine> lines = reader.take(kEvents.substr(0, at));
        for (StreamLine& line : reader.take(kEvents.substr(at))) lines.push_back(std::move(line));
        ASSERT_EQ(lines.size(), 3u) << "cut at " << at;
        EXPECT_EQ(lines[0].text, "Once \"upon\"\n");
        const StreamLine& last = lines[2];
        EXPECT_EQ(last.kind, StreamLine::Kind::Done);
        EXPECT_EQ(last.finish_reason, "timeout");
        const std::vector<std::pair<std::string, uint64_t>> counts = {
            {"prompt_tokens", 3}, {"generated_tokens", 5}, {"thinking_tokens", 4}, {"cached_tokens", 1},
            {"drafted", 9},       {"accepted", 8},         {"queue_ms", 11},       {"ttft_ms", 12}};
        for (const auto& [key, count] : counts) EXPECT_EQ(number_of(last.info, key), count) << key;
        EXPECT_EQ(real_of(last.info, "prefill_tps"), 7.5);
        EXPECT_EQ(real_of(last.info, "decode_tps"), 2);
        EXPECT_EQ(text_of(last.info, "model"), "tales");
    }
}

TEST(OpenAiStreamReader, ReadsAConversationsPiecesAndPassesOverWhatIsNotData) {
    OpenAiStreamReader reader;
    const auto lines = reader.take(
        ": a comment\nevent: x\ndata: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n");
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].text, "hi");
}

TEST(OpenAiStreamReader, AFailureEndsTheText) {
    OpenAiStreamReader reader;
    const auto lines =
        reader.take("data: {\"error\":{\"message\":\"gone\",\"type\":\"t\",\"name\":\"DeviceError\"}}\n\n");
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].kind, StreamLine::Kind::Error);
    EXPECT_EQ(lines[0].error_name, "DeviceError");
    EXPECT_EQ(lines[0].message, "gone");
}

TEST(OpenAiStreamReader, ACancelledTextHasEndedAsItDoesOverTheBus) {
    const StreamLine line = read_error(R"({"error":{"message":"m","type":"t","name":"Cancelled"}})");
    EXPECT_EQ(line.kind, StreamLine::Kind::Done);
    EXPECT_EQ(line.finish_reason, "cancelled");
}

TEST(OpenAiStreamReader, RefusesWhatIsNotTheFormat) {
    for (const std::string event : {"", "text", "[]", "{}", R"({"model":"m"})", R"({"model":"m","choices":{}})",
                                    R"({"error":{"message":"m"}})", "[DONE]", "{\"model\":\"\xff\",\"choices\":[]}"}) {
        OpenAiStreamReader reader;
        EXPECT_THROW((void)reader.take("data: " + event + '\n'), CommandError) << event;
    }
    OpenAiStreamReader reader;
    EXPECT_THROW((void)reader.take(std::string(kMaxLineBytes + 1, 'x')), CommandError);
    for (const char* body : {"", "gone", "{}", R"({"error":"text"})"}) {
        EXPECT_THROW((void)read_error(body), CommandError) << body;
    }
}

// An event of a conversation with this delta.
std::string delta(const std::string& members) {
    return R"(data: {"model":"m","choices":[{"delta":{)" + members + "}}]}\n\n";
}

TEST(OpenAiStreamReader, ReadsThePartsOfCallsByTheirIndex) {
    OpenAiStreamReader reader;
    auto lines =
        reader.take(delta(R"("content":"Let me see.","tool_calls":[{"index":0,"id":"call_1","type":"function",)"
                          R"("function":{"name":"look","arguments":""}}])"));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].kind, StreamLine::Kind::Text);
    EXPECT_EQ(lines[0].text, "Let me see.");
    EXPECT_EQ(lines[1].kind, StreamLine::Kind::ToolCall);
    EXPECT_EQ(lines[1].call.id, "call_1");
    EXPECT_EQ(lines[1].call.name, "look");
    lines = reader.take(delta(R"("tool_calls":[{"index":0,"function":{"arguments":"{}"}},)"
                              R"({"index":1,"id":"call_2","function":{"name":"go","arguments":"{\"to\":2}"}}])"));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].call.index, 0u);
    EXPECT_EQ(lines[0].call.arguments, "{}");
    EXPECT_EQ(lines[1].call.index, 1u);
    EXPECT_EQ(lines[1].call.arguments, R"({"to":2})");
    for (const char* calls : {"[{}]", "[5]"}) {
        EXPECT_THROW((void)reader.take(delta(R"("tool_calls":)" + std::string(calls))), CommandError) << calls;
    }
}

TEST(OpenAiStreamReader, WhatTheModelThinksIsNoText) {
    OpenAiStreamReader reader;
    const auto lines = reader.take(delta(R"("reasoning_content":"hm")") + delta(R"("content":"so")"));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].kind, StreamLine::Kind::Thinking);
    EXPECT_EQ(lines[0].text, "hm");
    EXPECT_EQ(lines[1].kind, StreamLine::Kind::Text);
}

TEST(Embeddings, AreTheVectorsInTheirOrderAndWhatTheyCost) {
    const Embeddings read = read_embeddings(
        R"({"object":"list","data":[{"index":0,"embedding":[0.1,-1]},{"index":1,"embedding":[0,1e-7]}],)"
        R"("model":"tales","usage":{"prompt_tokens":5,"total_tokens":5}})");
    EXPECT_EQ(read.vectors, (std::vector<std::vector<float>>{{0.1F, -1}, {0, 1e-7F}}));
    EXPECT_EQ(text_of(read.info, "model"), "tales");
    EXPECT_EQ(number_of(read.info, "prompt_tokens"), 5u);
    for (const char* body : {"", "{}", R"({"model":"m","data":[{}]})", R"({"model":"m","data":[{"embedding":["1"]}]})",
                             R"({"data":[]})"}) {
        EXPECT_THROW((void)read_embeddings(body), CommandError) << body;
    }
}

}  // namespace
}  // namespace llmd::client
