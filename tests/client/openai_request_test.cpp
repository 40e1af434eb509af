// The bodies that go over the socket, byte by byte, and the options that cannot.
#include "client/openai_request.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client/exit_code.h"

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

TEST(EmbeddingsRequest, HasTheTextsAndTheOptions) {
    const HttpRequest request = embeddings_request({"a \"b\"", "c"}, {{"model", std::string("tales")}});
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/v1/embeddings");
    EXPECT_EQ(request.body, R"({"input":["a \"b\"","c"],"model":"tales"})");
}

}  // namespace
}  // namespace llmd::client
