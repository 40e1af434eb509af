// The stream's lines, cut anywhere by the pipe, and what is not the format.
#include "client/stream_line.h"

#include <gtest/gtest.h>

#include "client/exit_code.h"

namespace llmd::client {
namespace {

const std::string kStream =
    "{\"seq\":0,\"text\":\"Once \\\"upon\\\"\\n\"}\n"
    "{\"seq\":1,\"text\":\"a \xc3\xa4\"}\n"
    "{\"done\":true,\"finish_reason\":\"length\",\"usage\":{\"prompt_tokens\":3,\"decode_tps\":12.5,\"model\":"
    "\"tales\","
    "\"seed\":18446744073709551615}}\n";

TEST(StreamReader, ReadsTheSameLinesWhereverThePipeCuts) {
    for (size_t at = 0; at <= kStream.size(); ++at) {
        StreamReader reader;
        std::vector<StreamLine> lines = reader.take(kStream.substr(0, at));
        for (StreamLine& line : reader.take(kStream.substr(at))) lines.push_back(std::move(line));
        ASSERT_EQ(lines.size(), 3u) << "cut at " << at;
        EXPECT_EQ(lines[0].text, "Once \"upon\"\n");
        EXPECT_EQ(lines[1].text, "a \xc3\xa4");
        EXPECT_EQ(lines[2].kind, StreamLine::Kind::Done);
        EXPECT_EQ(lines[2].finish_reason, "length");
        EXPECT_EQ(number_of(lines[2].info, "prompt_tokens"), 3u);
        EXPECT_EQ(real_of(lines[2].info, "decode_tps"), 12.5);
        EXPECT_EQ(text_of(lines[2].info, "model"), "tales");
        EXPECT_EQ(number_of(lines[2].info, "seed"), UINT64_MAX);
    }
}

TEST(StreamReader, ReadsTheNotesOfTheUsage) {
    StreamReader reader;
    const auto lines = reader.take(
        "{\"done\":true,\"finish_reason\":\"stop\",\"usage\":{\"notes\":[\"top_k: is 256\",7,\"n: is 1\"]}}\n");
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(list_of(lines[0].info, "notes"), (std::vector<std::string>{"top_k: is 256", "n: is 1"}));
}

TEST(StreamReader, WhatTheModelThinksIsNoText) {
    StreamReader reader;
    const auto lines = reader.take("{\"seq\":0,\"thinking\":\"hm\"}\n{\"seq\":1,\"text\":\"so\"}\n");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].kind, StreamLine::Kind::Thinking);
    EXPECT_EQ(lines[0].text, "hm");
    EXPECT_EQ(lines[1].kind, StreamLine::Kind::Text);
}

TEST(StreamReader, ReadsAnError) {
    StreamReader reader;
    const auto lines = reader.take("{\"error\":{\"name\":\"DeviceError\",\"message\":\"gone\"}}\n");
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].kind, StreamLine::Kind::Error);
    EXPECT_EQ(lines[0].error_name, "DeviceError");
    EXPECT_EQ(lines[0].message, "gone");
}

// The interface may grow: what is not known is passed over.
TEST(StreamReader, IgnoresUnknownMembers) {
    StreamReader reader;
    const auto lines =
        reader.take("{\"seq\":0,\"text\":\"a\",\"mood\":{\"x\":[1]}}\n{\"done\":true,\"finish_reason\":\"stop\"}\n");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].text, "a");
    EXPECT_EQ(lines[1].finish_reason, "stop");
}

TEST(StreamReader, RefusesWhatIsNotTheFormat) {
    for (const std::string line : {"", "text", "[]", "{\"seq\":0}", "{\"text\":5}", "{\"done\":true}",
                                   "{\"done\":false}", "{\"error\":{\"name\":\"Failed\"}}",
                                   "{\"tool_call\":{\"name\":\"look\"}}", "{\"text\":\"\xff\"}", "{\"text\":\"a\""}) {
        StreamReader reader;
        EXPECT_THROW((void)reader.take(line + '\n'), CommandError) << line;
    }
    StreamReader reader;
    EXPECT_THROW((void)reader.take(std::string(kMaxLineBytes + 1, 'x')), CommandError);
}

TEST(StreamReader, ACallOfAToolIsNoText) {
    StreamReader reader;
    const auto lines = reader.take(
        "{\"seq\":0,\"tool_call\":{\"id\":\"call_1\",\"index\":2,\"name\":\"look\",\"arguments\":\"{\\\"at\\\":1}\"}}\n"
        "{\"done\":true,\"finish_reason\":\"tool_calls\"}\n");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].kind, StreamLine::Kind::ToolCall);
    EXPECT_EQ(lines[0].call.id, "call_1");
    EXPECT_EQ(lines[0].call.index, 2u);
    EXPECT_EQ(lines[0].call.name, "look");
    EXPECT_EQ(lines[0].call.arguments, "{\"at\":1}");
    EXPECT_EQ(lines[1].finish_reason, "tool_calls");
}

}  // namespace
}  // namespace llmd::client
