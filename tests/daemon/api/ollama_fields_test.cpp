// The bodies of Ollama's calls.
#include <gtest/gtest.h>

#include "calls.h"

namespace llmd::api {
namespace {

using protocol::ChatMessage;

std::string refused_generate(const std::string& fields) {
    return refused(read_call(R"({"model":"m","prompt":"p",)" + fields + "}", kOllamaGenerate));
}

TEST(OllamaFields, TakesAPromptAndItsOptions) {
    const Call call = accepted(read_call(
        R"({"model":"m:latest","prompt":"p","stream":false,"keep_alive":"5m","format":"json","raw":true,)"
        R"("options":{"num_predict":5,"temperature":0.5,"top_k":7,"top_p":0.25,"min_p":0,"repeat_penalty":1.5,)"
        R"("seed":9,"stop":["x"],"num_ctx":2048,"presence_penalty":0}})",
        kOllamaGenerate));
    EXPECT_EQ(call.request.model, "m");
    EXPECT_EQ(call.request.prompt, "p");
    EXPECT_EQ(call.request.max_tokens, 5u);
    EXPECT_EQ(call.request.sampling.temperature, 0.5f);
    EXPECT_EQ(call.request.sampling.top_k, 7u);
    EXPECT_EQ(call.request.sampling.seed, 9u);
    EXPECT_EQ(call.request.stops, std::vector<std::string>{"x"});
    EXPECT_EQ(call.request.json_schema, R"({"type":"object"})");
    EXPECT_FALSE(call.stream);
    EXPECT_TRUE(call.raw && call.request.messages.empty());
    EXPECT_EQ(call.n_ctx, 2048u);
    EXPECT_TRUE(service::check(call.request));
}

TEST(OllamaFields, APromptBecomesAConversation) {
    const Call call = accepted(read_call(R"({"model":"m","prompt":"p","system":"s"})", kOllamaGenerate));
    EXPECT_TRUE(call.stream) << "as Ollama's default is";
    EXPECT_EQ(call.request.prompt, "");
    ASSERT_EQ(call.request.messages.size(), 2u);
    EXPECT_EQ(call.request.messages[0].role, ChatMessage::Role::System);
    EXPECT_EQ(call.request.messages[1].content, "p");
    const Call alone = accepted(read_call(R"({"model":"m","prompt":"p"})", kOllamaGenerate));
    EXPECT_EQ(alone.request.messages.size(), 1u);
    EXPECT_EQ(alone.request.prompt, "p") << "for a model without a chat template";
    EXPECT_TRUE(service::check(alone.request));
    EXPECT_EQ(refused_generate(R"("system":"s","raw":true)"), "system: not with a raw prompt");
}

TEST(OllamaFields, MayAskForNothing) {
    EXPECT_EQ(accepted(read_call(R"({"model":"m"})", kOllamaGenerate)).request.messages.size(), 0u);
    EXPECT_EQ(accepted(read_call(R"({"model":"m","messages":[]})", kOllamaChat)).request.messages.size(), 0u);
    const Call chat = accepted(read_call(R"({"model":"m","messages":[{"role":"user","content":"c"}]})", kOllamaChat));
    EXPECT_EQ(chat.request.messages.size(), 1u);
    EXPECT_EQ(chat.request.max_tokens, kDefaultAnswerTokens);
}

TEST(OllamaFields, ThinkingIsASwitchOrAnEffort) {
    const auto thinking = [](const std::string& value) {
        return accepted(read_call(R"({"model":"m","prompt":"p","think":)" + value + "}", kOllamaGenerate))
            .request.thinking;
    };
    EXPECT_EQ(thinking("true"), protocol::Thinking::On);
    EXPECT_EQ(thinking("false"), protocol::Thinking::Off);
    EXPECT_EQ(thinking("\"low\""), protocol::Thinking::On);
    EXPECT_EQ(thinking("null"), protocol::Thinking::Default);
    EXPECT_NE(refused_generate(R"("think":"much")").find("think: \"much\" is none of"), std::string::npos);
}

TEST(OllamaFields, ASchemaIsAFormat) {
    EXPECT_EQ(accepted(read_call(R"({"model":"m","prompt":"p","format":{"type":"array"}})", kOllamaGenerate))
                  .request.json_schema,
              R"({"type":"array"})");
    EXPECT_EQ(accepted(read_call(R"({"model":"m","prompt":"p","format":""})", kOllamaGenerate)).request.json_schema,
              "");
    EXPECT_EQ(refused_generate(R"("format":"yaml")"), "format: \"yaml\" is neither json nor a schema");
    EXPECT_NE(refused_generate(R"("format":[])"), "");
}

TEST(OllamaFields, WhatCannotBeIsRefusedByName) {
    EXPECT_EQ(refused(read_call(R"({"prompt":"p"})", kOllamaGenerate)), "model: it is missing");
    for (const char* field : {R"("images":["x"])", R"("suffix":"x")", R"("template":"x")", R"("context":[1])",
                              R"("think":3)", R"("stream":1)", R"("options":[])"}) {
        const std::string name = std::string(field).substr(1, std::string(field).find('"', 1) - 1);
        EXPECT_EQ(refused_generate(field).rfind(name + ": ", 0), 0u) << refused_generate(field);
    }
    for (const char* number : {"-1", "1e308", "9223372036854775808", "\"1\"", "[]"}) {
        for (const char* option : {"temperature", "top_k", "top_p", "min_p", "repeat_penalty", "num_predict"}) {
            const std::string name = option;
            if ((name == "num_predict" || name == "top_k") && number == std::string("-1")) continue;
            const std::string message =
                refused_generate(R"("options":{")" + std::string(option) + "\":" + number + "}");
            EXPECT_EQ(message.rfind("options." + std::string(option) + ": ", 0), 0u) << message;
        }
    }
    EXPECT_EQ(refused(read_call("[]", kOllamaChat)), "body: not a JSON object");
}

TEST(OllamaFields, MinusOneIsUntilTheModelEnds) {
    EXPECT_EQ(accepted(read_call(R"({"model":"m","prompt":"p","options":{"num_predict":-1}})", kOllamaGenerate))
                  .request.max_tokens,
              service::RequestLimits::kMaxTokens);
}

TEST(OllamaFields, ASeedOfMinusOneIsNone) {
    EXPECT_FALSE(accepted(read_call(R"({"model":"m","prompt":"p","options":{"seed":-1}})", kOllamaGenerate))
                     .request.sampling.seed);
}

}  // namespace
}  // namespace llmd::api
