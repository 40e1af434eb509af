// The bytes of answers in the shape of OpenAI's Responses API, event by event.
#include "http/responses_json.h"

#include <gtest/gtest.h>

#include "base/value.h"

namespace llmd::http::responses_json_test {
namespace {

using service::Finish;

AnswerHead head() {
    return {7, "tale", std::chrono::system_clock::time_point(std::chrono::seconds(1000))};
}
service::Outcome ended(Finish finish = Finish::Stop) {
    service::Outcome outcome;
    outcome.finish = finish;
    outcome.prompt_tokens = 5;
    outcome.cached_tokens = 2;
    outcome.generated_tokens = 9;
    outcome.thinking_tokens = 3;
    return outcome;
}
ResponsesEcho echo() {
    ResponsesEcho echo;
    echo.instructions = "Be brief";
    echo.max_output_tokens = 20;
    echo.metadata = R"({"a":"b"})";
    echo.parallel_tool_calls = false;
    echo.reasoning = R"({"effort":"low","summary":null})";
    echo.temperature = 0.5;
    echo.tool_choice = R"({"type":"function","name":"clock"})";
    echo.tools = R"([{"type":"function","name":"clock","parameters":{},"strict":true}])";
    echo.top_p = 0.25;
    return echo;
}
std::unique_ptr<BodyFormat> format(ResponsesEcho what = echo()) {
    return make_responses_format(std::move(what), [] { return 512u; });
}
const api::AnswerCall kCall{"call_3e8_7_0", "clock", "{}"};

// A response without what stands between its status and the end of its output.
std::string response(const std::string& status, const std::string& output, const std::string& usage,
                     const std::string& details = "null", const std::string& error = "null") {
    return R"({"id":"resp_3e8_7","object":"response","created_at":1000,"status":")" + status +
           R"(","background":false,"error":)" + error + R"(,"incomplete_details":)" + details +
           R"(,"instructions":"Be brief","max_output_tokens":20,"max_tool_calls":null,"metadata":{"a":"b"},)"
           R"("model":"tale","output":[)" +
           output +
           R"(],"parallel_tool_calls":false,"previous_response_id":null,"reasoning":{"effort":"low","summary":null},)"
           R"("store":false,"temperature":0.5,"text":{"format":{"type":"text"}},)"
           R"("tool_choice":{"type":"function","name":"clock"},)"
           R"("tools":[{"type":"function","name":"clock","parameters":{},"strict":true}],"top_logprobs":0,"top_p":0.25,)"
           R"("truncation":"disabled","usage":)" +
           usage + R"(,"user":null})";
}
const std::string kUsage = R"({"input_tokens":5,"input_tokens_details":{"cached_tokens":2,"cache_write_tokens":0},)"
                           R"("output_tokens":9,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":14})";

std::string event(const std::string& type, int number, const std::string& rest) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\",\"sequence_number\":" + std::to_string(number) + "," +
           rest + "}\n\n";
}
// Where something belongs, as the events about it begin.
std::string at(const std::string& id, int output_index) {
    return "\"item_id\":\"" + id + "\",\"output_index\":" + std::to_string(output_index) + ",";
}

const std::string kReasoning = R"({"id":"rs_3e8_7_0","type":"reasoning","status":"completed","summary":[],)"
                               R"("content":[{"type":"reasoning_text","text":"hm, so"}]})";
std::string message(const std::string& id, const std::string& text, const std::string& status = "completed") {
    return R"({"id":")" + id + R"(","type":"message","status":")" + status +
           R"(","role":"assistant","content":[{"type":"output_text","text":")" + text +
           R"(","annotations":[],"logprobs":[]}]})";
}
std::string call(const std::string& id, const std::string& arguments, const std::string& status = "completed") {
    return R"({"id":")" + id + R"(","type":"function_call","status":")" + status +
           R"(","call_id":"call_3e8_7_0","name":"clock","arguments":")" + arguments + R"("})";
}

TEST(ResponsesJson, AWholeResponseHasThinkingTextAndCalls) {
    EXPECT_EQ(format()->whole(head(), {{"It is", ended(Finish::ToolCalls), {}, "hm, so", {kCall}}}),
              response("completed", kReasoning + "," + message("msg_3e8_7_1", "It is") + "," + call("fc_3e8_7_2", "{}"),
                       kUsage));
}

TEST(ResponsesJson, WhatLengthOrADeadlineCutsIsIncomplete) {
    const std::string details = R"({"reason":"max_output_tokens"})";
    EXPECT_EQ(format()->whole(head(), {{"It", ended(Finish::Length)}}),
              response("incomplete", message("msg_3e8_7_0", "It", "incomplete"), kUsage, details));
    EXPECT_EQ(format()->whole(head(), {{"It", ended(Finish::Length), {}, {}, {{kCall.id, "clock", "{", true}}}}),
              response("incomplete", message("msg_3e8_7_0", "It") + "," + call("fc_3e8_7_1", "{", "incomplete"), kUsage,
                       details));
    EXPECT_EQ(format()->whole(head(), {{"It", ended(Finish::Timeout)}}),
              response("incomplete", message("msg_3e8_7_0", "It", "incomplete"), kUsage, R"({"reason":"timeout"})"));
}

TEST(ResponsesJson, AnEmptyAnswerIsAnEmptyMessage) {
    EXPECT_EQ(format()->whole(head(), {{"", ended()}}), response("completed", message("msg_3e8_7_0", ""), kUsage));
}

TEST(ResponsesJson, AStreamTellsOfEachItemWhenItBeginsGoesOnAndEnds) {
    const auto stream = format();
    EXPECT_EQ(stream->stream_type(), std::string("text/event-stream"));
    const std::string nothing = "\"response\":" + response("in_progress", "", "null");
    EXPECT_EQ(stream->begin(head()), event("response.created", 0, nothing) + event("response.in_progress", 1, nothing));

    const std::string thought = at("rs_3e8_7_0", 0) + R"("content_index":0,)";
    EXPECT_EQ(stream->thinking(0, "hm, "),
              event("response.output_item.added", 2,
                    R"("output_index":0,"item":{"id":"rs_3e8_7_0","type":"reasoning","status":"in_progress",)"
                    R"("summary":[],"content":[]})") +
                  event("response.content_part.added", 3, thought + R"("part":{"type":"reasoning_text","text":""})") +
                  event("response.reasoning_text.delta", 4, thought + R"("delta":"hm, ")"));
    EXPECT_EQ(stream->thinking(0, "so"), event("response.reasoning_text.delta", 5, thought + R"("delta":"so")"));

    const std::string said = at("msg_3e8_7_1", 1) + R"("content_index":0,)";
    const std::string empty = R"("part":{"type":"output_text","text":"","annotations":[],"logprobs":[]})";
    EXPECT_EQ(
        stream->text(0, "It is", {}),
        event("response.reasoning_text.done", 6, thought + R"("text":"hm, so")") +
            event("response.content_part.done", 7, thought + R"("part":{"type":"reasoning_text","text":"hm, so"})") +
            event("response.output_item.done", 8, R"("output_index":0,"item":)" + kReasoning) +
            event("response.output_item.added", 9,
                  R"("output_index":1,"item":{"id":"msg_3e8_7_1","type":"message","status":"in_progress",)"
                  R"("role":"assistant","content":[]})") +
            event("response.content_part.added", 10, said + empty) +
            event("response.output_text.delta", 11, said + R"("delta":"It is","logprobs":[])"));

    EXPECT_EQ(
        stream->call_begin(0, 0, kCall),
        event("response.output_text.done", 12, said + R"("text":"It is","logprobs":[])") +
            event("response.content_part.done", 13,
                  said + R"("part":{"type":"output_text","text":"It is","annotations":[],"logprobs":[]})") +
            event("response.output_item.done", 14, R"("output_index":1,"item":)" + message("msg_3e8_7_1", "It is")) +
            event("response.output_item.added", 15,
                  R"("output_index":2,"item":)" + call("fc_3e8_7_2", "", "in_progress")));
    const std::string called = at("fc_3e8_7_2", 2);
    EXPECT_EQ(stream->call_arguments(0, 0, "{}"),
              event("response.function_call_arguments.delta", 16, called + R"("delta":"{}")"));
    EXPECT_EQ(stream->call_end(0, 0, kCall),
              event("response.function_call_arguments.done", 17, called + R"("name":"clock","arguments":"{}")") +
                  event("response.output_item.done", 18, R"("output_index":2,"item":)" + call("fc_3e8_7_2", "{}")));

    EXPECT_EQ(stream->end_choice(0, ended(Finish::ToolCalls), {}), "") << "nothing is open";
    const std::string output = kReasoning + "," + message("msg_3e8_7_1", "It is") + "," + call("fc_3e8_7_2", "{}");
    EXPECT_EQ(stream->end({{"", ended(Finish::ToolCalls)}}),
              event("response.completed", 19, "\"response\":" + response("completed", output, kUsage)));
}

// Who takes the arguments from the event that says that they are done may rely on them.
TEST(ResponsesJson, ACallThatWasCutHasNoArgumentsThatAreDone) {
    const auto stream = format();
    (void)stream->begin(head());
    (void)stream->call_begin(0, 0, kCall);
    (void)stream->call_arguments(0, 0, "{");
    const api::AnswerCall cut{kCall.id, "clock", "{", true};
    const std::string item = call("fc_3e8_7_0", "{", "incomplete");
    EXPECT_EQ(stream->call_end(0, 0, cut), event("response.output_item.done", 4, R"("output_index":0,"item":)" + item));
    EXPECT_EQ(stream->end_choice(0, ended(Finish::Length), {}), "");
    EXPECT_EQ(stream->end({{"", ended(Finish::Length)}}),
              event("response.incomplete", 5,
                    "\"response\":" + response("incomplete", item, kUsage, R"({"reason":"max_output_tokens"})")));
}

TEST(ResponsesJson, AFailureIsToldAsAnEventAndAsAResponse) {
    const auto stream = format();
    (void)stream->begin(head());
    (void)stream->text(0, "It", {});
    EXPECT_EQ(stream->failure({base::ErrorCode::DeviceError, "it broke"}, {}),
              event("error", 5, R"("code":"device_error","message":"it broke","param":null)") +
                  event("response.failed", 6,
                        "\"response\":" + response("failed", message("msg_3e8_7_0", "It", "incomplete"), "null", "null",
                                                   R"({"code":"server_error","message":"it broke"})")));
    const Reply refusal = stream->refusal({base::ErrorCode::ContextExceeded, "m"}, 600);
    EXPECT_EQ(refusal.status, 400u);
    EXPECT_NE(refusal.body.find(R"("n_prompt_tokens":600,"n_ctx":512)"), std::string::npos) << refusal.body;
}

// With their text, and those that are left over at the end with the message.
TEST(ResponsesJson, LogprobsGoOutWithTheirText) {
    const auto token = [](const char* bytes) { return api::AlignedLogprobs{{{8, -0.5, bytes}, {{9, -1, "b"}}}, 0}; };
    const auto told = [](const std::string& text, int byte) {
        return R"({"token":")" + text + R"(","logprob":-0.5,"bytes":[)" + std::to_string(byte) +
               R"(],"top_logprobs":[{"token":"b","logprob":-1,"bytes":[98]}]})";
    };
    const auto stream = format();
    (void)stream->begin(head());
    const std::vector<api::AlignedLogprobs> first{token("a")};
    const std::vector<api::AlignedLogprobs> rest{token("!")};
    EXPECT_NE(stream->text(0, "a", first).find(R"("delta":"a","logprobs":[)" + told("a", 97) + "]}\n\n"),
              std::string::npos);
    const std::string both = R"("logprobs":[)" + told("a", 97) + "," + told("!", 33) + "]";
    const std::string end = stream->end_choice(0, ended(), rest);
    EXPECT_NE(end.find(R"("text":"a",)" + both + "}\n\n"), std::string::npos) << end;
    EXPECT_NE(end.find(R"("annotations":[],)" + both + "}]}}\n\n"), std::string::npos) << end;
}

// Clients such as Home Assistant show a summary, and nothing else of what was thought.
TEST(ResponsesJson, WhatWasThoughtIsItsOwnSummaryWhereOneIsAskedFor) {
    const auto body = base::parse_json(R"({"input":"x","reasoning":{"effort":"low","summary":"auto"}})");
    ResponsesEcho asked = responses_echo(*body->get<base::Value::Object>(), {});
    EXPECT_TRUE(asked.wants_summary);
    const auto stream = format(std::move(asked));
    (void)stream->begin(head());
    const std::string thought = at("rs_3e8_7_0", 0) + R"("summary_index":0,)";
    const std::string summary = R"("part":{"type":"summary_text","text":")";
    EXPECT_EQ(stream->thinking(0, "hm"),
              event("response.output_item.added", 2,
                    R"("output_index":0,"item":{"id":"rs_3e8_7_0","type":"reasoning","status":"in_progress",)"
                    R"("summary":[]})") +
                  event("response.reasoning_summary_part.added", 3, thought + summary + "\"}") +
                  event("response.reasoning_summary_text.delta", 4, thought + R"("delta":"hm")"));
    const std::string next = stream->text(0, "so", {});
    EXPECT_TRUE(next.starts_with(event("response.reasoning_summary_text.done", 5, thought + R"("text":"hm")") +
                                 event("response.reasoning_summary_part.done", 6, thought + summary + "hm\"}") +
                                 event("response.output_item.done", 7,
                                       R"("output_index":0,"item":{"id":"rs_3e8_7_0","type":"reasoning",)"
                                       R"("status":"completed","summary":[{"type":"summary_text","text":"hm"}]})")))
        << next;
    EXPECT_FALSE(responses_echo({}, {}).wants_summary);
}

// A field that nobody has set has the value that OpenAI's server would send.
TEST(ResponsesJson, ThereIsADefaultForEverythingThatIsRepeated) {
    const std::string whole = format(ResponsesEcho())->whole(head(), {{"It is", ended()}});
    const auto json = base::parse_json(whole);
    ASSERT_TRUE(json) << json.error().message;
    EXPECT_NE(whole.find(R"("instructions":null,"max_output_tokens":null,)"), std::string::npos) << whole;
    EXPECT_NE(whole.find(R"("tool_choice":"auto","tools":[],)"), std::string::npos) << whole;
}

}  // namespace
}  // namespace llmd::http::responses_json_test
