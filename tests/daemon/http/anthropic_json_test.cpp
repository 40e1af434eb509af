// The bytes of answers in the shape of Anthropic's messages, event by event.
#include "http/anthropic_json.h"

#include <gtest/gtest.h>

namespace llmd::http::anthropic_json_test {
namespace {

using service::Finish;

AnswerHead head() {
    AnswerHead head{7, "tale", std::chrono::system_clock::time_point(std::chrono::seconds(1000))};
    head.prompt_tokens = 5;
    return head;
}
service::Outcome ended(Finish finish = Finish::Stop, std::string stop = {}) {
    service::Outcome outcome;
    outcome.finish = finish;
    outcome.prompt_tokens = 5;
    outcome.cached_tokens = 2;
    outcome.generated_tokens = 9;
    outcome.stop = std::move(stop);
    return outcome;
}
const api::AnswerCall kCall{"call_3e8_7_0", "clock", R"({"zone":"Ulm"})"};
const api::AnswerCall kCut{"call_3e8_7_1", "clock", R"({"zo)", true};

const std::string kUsage =
    R"("usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":2,"output_tokens":9})";

std::string message(const std::string& content, const std::string& reason, const std::string& stop = "null") {
    return R"({"id":"msg_3e8_7","type":"message","role":"assistant","model":"tale","content":[)" + content +
           R"(],"stop_reason":")" + reason + R"(","stop_sequence":)" + stop + "," + kUsage + "}";
}
std::string text_block(const std::string& text) {
    return R"({"type":"text","text":")" + text + R"("})";
}
std::string call_block(const std::string& input) {
    return R"({"type":"tool_use","id":"call_3e8_7_0","name":"clock","input":)" + input + "}";
}
std::string thinking_block(const std::string& text) {
    return R"({"type":"thinking","thinking":")" + text + R"(","signature":""})";
}
std::string whole(const Choice& choice) {
    return make_anthropic_format()->whole(head(), {choice});
}

std::string event(const std::string& type, const std::string& rest) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + (rest.empty() ? "" : "," + rest) + "}\n\n";
}
std::string begun(int index, const std::string& block) {
    return event("content_block_start", R"("index":)" + std::to_string(index) + R"(,"content_block":)" + block);
}
std::string delta(int index, const std::string& type, const std::string& key, const std::string& text) {
    return event("content_block_delta", R"("index":)" + std::to_string(index) + R"(,"delta":{"type":")" + type +
                                            R"(",")" + key + R"(":")" + text + R"("})");
}
std::string stopped(int index) {
    return event("content_block_stop", R"("index":)" + std::to_string(index));
}
std::string closing(const std::string& reason, const std::string& stop = "null") {
    return event("message_delta",
                 R"("delta":{"stop_reason":")" + reason + R"(","stop_sequence":)" + stop + "}," + kUsage) +
           event("message_stop", "");
}

TEST(AnthropicJson, AWholeMessageHasThinkingTextAndCalls) {
    EXPECT_EQ(whole({"It is", ended(Finish::ToolCalls), {}, "hm, so", {kCall}}),
              message(thinking_block("hm, so") + "," + text_block("It is") + "," + call_block(R"({"zone":"Ulm"})"),
                      "tool_use"));
}

TEST(AnthropicJson, SaysWhatHasEndedIt) {
    EXPECT_EQ(whole({"It", ended()}), message(text_block("It"), "end_turn"));
    EXPECT_EQ(whole({"It", ended(Finish::Stop, "\"EN\"D")}),
              message(text_block("It"), "stop_sequence", R"("\"EN\"D")"));
    EXPECT_EQ(whole({"It", ended(Finish::Length)}), message(text_block("It"), "max_tokens"));
    EXPECT_EQ(whole({"It", ended(Finish::Timeout)}), message(text_block("It"), "max_tokens"));
}

TEST(AnthropicJson, ACallThatWasCutIsLeftOutOfAWholeMessage) {
    EXPECT_EQ(whole({"", ended(Finish::Length), {}, {}, {kCut}}), message(text_block(""), "max_tokens"));
    EXPECT_EQ(whole({"", ended(Finish::Length), {}, {}, {kCall, kCut}}),
              message(call_block(R"({"zone":"Ulm"})"), "max_tokens"));
}

TEST(AnthropicJson, AnEmptyAnswerIsAnEmptyText) {
    EXPECT_EQ(whole({"", ended()}), message(text_block(""), "end_turn"));
    const auto stream = make_anthropic_format();
    (void)stream->begin(head());
    EXPECT_EQ(stream->text(0, "", {}), "");
    EXPECT_EQ(stream->end_choice(0, ended(), {}), begun(0, text_block("")) + stopped(0));
}

TEST(AnthropicJson, AStreamHasABlockAfterTheOther) {
    const auto stream = make_anthropic_format();
    EXPECT_EQ(stream->stream_type(), std::string("text/event-stream"));
    EXPECT_EQ(stream->begin(head()),
              event("message_start",
                    R"("message":{"id":"msg_3e8_7","type":"message","role":"assistant","model":"tale","content":[],)"
                    R"("stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,)"
                    R"("cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}})"));
    EXPECT_EQ(stream->thinking(0, "hm"), begun(0, thinking_block("")) + delta(0, "thinking_delta", "thinking", "hm"));
    EXPECT_EQ(stream->thinking(0, ", so"), delta(0, "thinking_delta", "thinking", ", so"));
    EXPECT_EQ(stream->text(0, "It", {}), stopped(0) + begun(1, text_block("")) + delta(1, "text_delta", "text", "It"));
    EXPECT_EQ(stream->call_begin(0, 0, kCall), stopped(1) + begun(2, call_block("{}")));
    EXPECT_EQ(stream->call_arguments(0, 0, R"({"zo)"), delta(2, "input_json_delta", "partial_json", R"({\"zo)"));
    EXPECT_EQ(stream->call_end(0, 0, kCall), stopped(2));
    EXPECT_EQ(stream->text(0, "is", {}), begun(3, text_block("")) + delta(3, "text_delta", "text", "is"));
    EXPECT_EQ(stream->end_choice(0, ended(), {}), stopped(3));
    EXPECT_EQ(stream->end({{"", ended(Finish::Stop, "END")}}), closing("stop_sequence", R"("END")"));
}

TEST(AnthropicJson, NotesStandBesideTheCounts) {
    service::Outcome outcome = ended();
    outcome.notes = {"bare_calls: taken"};
    const std::string notes = kUsage + R"(,"notes":["bare_calls: taken"]})";
    EXPECT_NE(whole({"It", outcome}).find(notes), std::string::npos);
    EXPECT_NE(make_anthropic_format()->end({{"", outcome}}).find(notes), std::string::npos);
}

TEST(AnthropicJson, AFailureIsAnEventAndARefusalAReply) {
    const base::Error error = base::fail(base::ErrorCode::NotReady, "busy");
    const std::string inside =
        R"("error":{"type":"overloaded_error","message":"busy","details":{"error_code":"not_ready"}})";
    EXPECT_EQ(make_anthropic_format()->failure(error, {}), event("error", inside));
    const Reply reply = make_anthropic_format()->refusal(error, 0);
    EXPECT_EQ(reply.status, 503u);
    EXPECT_EQ(reply.body, R"({"type":"error",)" + inside + "}");
    EXPECT_EQ(reply.headers.front().first, std::string("Retry-After"));
}

TEST(AnthropicJson, TheTypeOfAnErrorFollowsFromTheStatus) {
    const base::Error error = base::fail(base::ErrorCode::Failed, "it");
    for (const auto& [status, type] : {std::pair(400u, "invalid_request_error"),
                                       {401u, "authentication_error"},
                                       {403u, "permission_error"},
                                       {404u, "not_found_error"},
                                       {405u, "invalid_request_error"},
                                       {413u, "request_too_large"},
                                       {429u, "rate_limit_error"},
                                       {500u, "api_error"},
                                       {502u, "api_error"},
                                       {503u, "overloaded_error"},
                                       {504u, "timeout_error"}}) {
        const Reply reply = anthropic_error(error, status);
        EXPECT_EQ(reply.status, status);
        EXPECT_NE(reply.body.find(base::concat(R"("error":{"type":")", type, '"')), std::string::npos) << reply.body;
    }
    const Reply too_long = anthropic_error(base::context_exceeded(9, 8, true));
    EXPECT_NE(too_long.body.find(R"("message":"prompt is too long. This model's maximum context length is 8 tokens)"),
              std::string::npos)
        << too_long.body;
}

TEST(AnthropicJson, ACountIsANumber) {
    EXPECT_EQ(anthropic_count(12), R"({"input_tokens":12})");
}

}  // namespace
}  // namespace llmd::http::anthropic_json_test
