// Calls of tools out of the parts of an answer, and what names them.
#include "api/answer_calls.h"

#include <gtest/gtest.h>

namespace llmd::api {
namespace {

using Kind = protocol::AnswerPart::Kind;
using std::chrono::system_clock;

TEST(AnswerCalls, ArePutTogetherFromTheirParts) {
    std::vector<AnswerCall> calls;
    for (const protocol::AnswerPart& part : std::initializer_list<protocol::AnswerPart>{
             {Kind::Thinking, "hm", 0},
             {Kind::Text, "so", 0},
             {Kind::CallBegin, "weather", 0},
             {Kind::CallArguments, R"({"city":)", 0},
             {Kind::CallArguments, R"("Ulm"})", 0},
             {Kind::CallEnd, "", 0},
             {Kind::CallBegin, "clock", 1},
             {Kind::CallArguments, R"({"zo)", 1},
             {Kind::CallCut, "", 1},
         }) {
        add_part(calls, part, "3e8_7");
    }
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_FALSE(calls[0].is_cut);
    EXPECT_TRUE(calls[1].is_cut);
    base::JsonWriter json;
    write_tool_calls(json, calls);
    EXPECT_EQ(json.take(),
              R"([{"id":"call_3e8_7_0","type":"function","function":{"name":"weather",)"
              R"("arguments":"{\"city\":\"Ulm\"}"}},)"
              R"({"id":"call_3e8_7_1","type":"function","function":{"name":"clock","arguments":"{\"zo"}}])");
}

// A daemon that has been started again counts from 1 again, while its clients' conversations go on.
TEST(AnswerCalls, TheNameOfAnAnswerHasItsTime) {
    EXPECT_EQ(answer_key(system_clock::time_point(std::chrono::seconds(1000)), 7), "3e8_7");
    EXPECT_NE(answer_key(system_clock::time_point(std::chrono::seconds(1001)), 7), "3e8_7");
}

}  // namespace
}  // namespace llmd::api
