// The bodies that go over the socket, byte by byte, and the options that cannot.
#include "client/openai_request.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client/exit_code.h"
#include "client/stream_line.h"

namespace llmd::client {
namespace {

const std::string kStreamed = R"("stream":true,"stream_options":{"include_usage":true})";

std::string refused(const Dictionary& options) {
    try {
        (void)completion_request("p", options);
    } catch (const CommandError& error) {
        EXPECT_EQ(error.code(), ExitCode::Usage);
        EXPECT_EQ(error.name(), "InvalidArgument");
        return error.what();
    }
    return "accepted";
}

TEST(CompletionRequest, HasEveryOptionUnderItsName) {
    const HttpRequest request = completion_request(
        "a \"p\"",
        {{"echo", true}, {"max_tokens", uint64_t{7}}, {"stop", std::vector<std::string>{"x"}}, {"top_p", 0.5}});
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/v1/completions");
    EXPECT_EQ(request.body,
              R"({"prompt":"a \"p\"",)" + kStreamed + R"(,"echo":true,"max_tokens":7,"stop":["x"],"top_p":0.5})");
}

TEST(CompletionRequest, WithSystemIsAConversationOfTheLengthThatPromptsHave) {
    const HttpRequest request = completion_request("p", {{"system", std::string("s")}});
    EXPECT_EQ(request.target, "/v1/chat/completions");
    EXPECT_EQ(request.body, R"({"messages":[{"content":"s","role":"system"},{"content":"p","role":"user"}],)" +
                                kStreamed + R"(,"max_tokens":256})");
}

TEST(CompletionRequest, HasTheSchemaAsJson) {
    EXPECT_EQ(
        completion_request("p", {{"json_schema", std::string("{\"type\":\n\"object\"}")}}).body,
        R"({"prompt":"p",)" + kStreamed +
            ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"schema\":{\"type\":\n\"object\"}}}}");
    for (const char* text : {"{", "[]", "{} {}", "{}}}", "5"}) {
        EXPECT_EQ(refused({{"json_schema", std::string(text)}}).rfind("json_schema: not ", 0), 0u) << text;
    }
}

TEST(CompletionRequest, RefusesWhatJsonCannotSayAndWhatConversationsHaveNot) {
    EXPECT_EQ(refused({{"top_p", std::nan("")}}), "top_p: not a finite number");
    EXPECT_EQ(refused({{"temperature", INFINITY}}), "temperature: not a finite number");
    EXPECT_EQ(refused({{"system", std::string()}, {"echo", true}}), "echo: not with a conversation");
}

const Dictionary kUser = {{"role", std::string("user")}, {"content", std::string("p")}};

TEST(ChatRequest, HasToolsAndTheTurnsOfACallAsJson) {
    const std::vector<ToolCall> calls = {{0, "call_1", "look", R"({"at":"x"})"}};
    const std::vector<Dictionary> messages = {
        kUser,
        {{"role", std::string("assistant")}, {"content", std::string()}, {"tool_calls", calls_value(calls)}},
        {{"role", std::string("tool")}, {"content", std::string("5")}, {"tool_call_id", std::string("call_1")}}};
    const std::string tools = R"([{"type": "function", "function": {"name": "look"}}])";
    EXPECT_EQ(chat_request(messages, {{"max_tokens", uint64_t{9}}, {"tools", tools}}).body,
              R"({"messages":[{"content":"p","role":"user"},)"
              R"({"content":"","role":"assistant","tool_calls":[{"id":"call_1","type":"function",)"
              R"("function":{"name":"look","arguments":"{\"at\":\"x\"}"}}]},)"
              R"({"content":"5","role":"tool","tool_call_id":"call_1"}],)" +
                  kStreamed + R"(,"max_tokens":9,"tools":)" + tools + "}");
}

TEST(ChatRequest, RefusesToolsThatAreNoArray) {
    for (const char* text : {"", "{}", "[", "[] []", "[]}"}) {
        try {
            (void)chat_request({kUser}, {{"tools", std::string(text)}});
            ADD_FAILURE() << "accepted: " << text;
        } catch (const CommandError& error) {
            EXPECT_EQ(error.code(), ExitCode::Usage);
            EXPECT_EQ(std::string(error.what()).rfind("tools: not ", 0), 0u) << error.what();
        }
    }
}

TEST(ChatRequest, SwitchesThinkingThroughTheTemplate) {
    for (const auto& [word, flag] : {std::pair("on", "true"), std::pair("off", "false")}) {
        const std::string body = chat_request({kUser}, {{"thinking", std::string(word)}}).body;
        EXPECT_NE(body.find(R"("chat_template_kwargs":{"enable_thinking":)" + std::string(flag) + "}"),
                  std::string::npos)
            << body;
        EXPECT_EQ(body.find(R"("thinking")"), std::string::npos) << body;
    }
}

TEST(EmbeddingsRequest, HasTheTextsAndTheOptions) {
    const HttpRequest request = embeddings_request({"a \"b\"", "c"}, {{"model", std::string("tales")}});
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/v1/embeddings");
    EXPECT_EQ(request.body, R"({"input":["a \"b\"","c"],"model":"tales"})");
}

}  // namespace
}  // namespace llmd::client
