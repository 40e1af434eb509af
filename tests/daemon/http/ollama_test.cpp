// Ollama's dialect: its bodies into requests, its answers line by line.
#include <gtest/gtest.h>

#include "http/generate_fields.h"
#include "http/ollama_body.h"
#include "http/ollama_json.h"

namespace llmd::http {
namespace {

using protocol::ChatMessage;

OllamaCall accepted(const base::Result<OllamaCall>& call) {
    EXPECT_TRUE(call) << call.error().message;
    return call ? *call : OllamaCall{};
}

std::string refused(const base::Result<OllamaCall>& call) {
    EXPECT_FALSE(call);
    return call ? "" : call.error().message;
}
std::string refused_generate(const std::string& fields) {
    return refused(parse_ollama_generate(R"({"model":"m","prompt":"p",)" + fields + "}"));
}

TEST(OllamaBody, TakesAPromptAndItsOptions) {
    const OllamaCall call = accepted(parse_ollama_generate(
        R"({"model":"m:latest","prompt":"p","stream":false,"keep_alive":"5m","format":"json","raw":true,)"
        R"("options":{"num_predict":5,"temperature":0.5,"top_k":7,"top_p":0.25,"min_p":0,"repeat_penalty":1.5,)"
        R"("seed":9,"stop":["x"],"num_ctx":2048,"presence_penalty":0}})"));
    EXPECT_EQ(call.request.model, "m");
    EXPECT_EQ(call.request.prompt, "p");
    EXPECT_EQ(call.request.max_tokens, 5u);
    EXPECT_EQ(call.request.sampling.temperature, 0.5f);
    EXPECT_EQ(call.request.sampling.top_k, 7u);
    EXPECT_EQ(call.request.sampling.seed, 9u);
    EXPECT_EQ(call.request.stops, std::vector<std::string>{"x"});
    EXPECT_EQ(call.request.json_schema, R"({"type":"object"})");
    EXPECT_FALSE(call.stream || call.load_only);
    EXPECT_TRUE(service::check(call.request));
}

TEST(OllamaBody, ASystemTextMakesItAConversation) {
    const OllamaCall call = accepted(parse_ollama_generate(R"({"model":"m","prompt":"p","system":"s"})"));
    EXPECT_TRUE(call.stream) << "as Ollama's default is";
    EXPECT_EQ(call.request.prompt, "");
    ASSERT_EQ(call.request.messages.size(), 2u);
    EXPECT_EQ(call.request.messages[0].role, ChatMessage::Role::System);
    EXPECT_EQ(call.request.messages[1].content, "p");
}

TEST(OllamaBody, WithoutATextItOnlyLoads) {
    EXPECT_TRUE(accepted(parse_ollama_generate(R"({"model":"m"})")).load_only);
    EXPECT_TRUE(accepted(parse_ollama_chat(R"({"model":"m","messages":[]})")).load_only);
    const OllamaCall chat = accepted(parse_ollama_chat(R"({"model":"m","messages":[{"role":"user","content":"c"}]})"));
    EXPECT_FALSE(chat.load_only);
    EXPECT_EQ(chat.request.messages.size(), 1u);
    EXPECT_EQ(chat.request.max_tokens, kDefaultAnswerTokens);
}

TEST(OllamaBody, ASchemaIsAFormat) {
    EXPECT_EQ(
        accepted(parse_ollama_generate(R"({"model":"m","prompt":"p","format":{"type":"array"}})")).request.json_schema,
        R"({"type":"array"})");
    EXPECT_EQ(accepted(parse_ollama_generate(R"({"model":"m","prompt":"p","format":""})")).request.json_schema, "");
    EXPECT_EQ(refused_generate(R"("format":"yaml")"), "format: \"yaml\" is neither json nor a schema");
    EXPECT_NE(refused_generate(R"("format":[])"), "");
}

TEST(OllamaBody, WhatCannotBeIsRefusedByName) {
    EXPECT_EQ(refused(parse_ollama_generate(R"({"prompt":"p"})")), "model: it is missing");
    for (const char* field : {R"("images":["x"])", R"("suffix":"x")", R"("template":"x")", R"("context":[1])",
                              R"("think":true)", R"("stream":1)", R"("options":[])"}) {
        const std::string name = std::string(field).substr(1, std::string(field).find('"', 1) - 1);
        EXPECT_EQ(refused_generate(field).rfind(name + ": ", 0), 0u) << refused_generate(field);
    }
    for (const char* number : {"-1", "1e308", "9223372036854775808", "\"1\"", "[]"}) {
        for (const char* option : {"temperature", "top_k", "top_p", "min_p", "repeat_penalty", "num_predict"}) {
            if (option == std::string("num_predict") && number == std::string("-1")) continue;
            const std::string message =
                refused_generate(R"("options":{")" + std::string(option) + "\":" + number + "}");
            EXPECT_EQ(message.rfind("options." + std::string(option) + ": ", 0), 0u) << message;
        }
    }
    EXPECT_EQ(refused(parse_ollama_chat(
                  R"({"model":"m","messages":[{"role":"user","content":"c"}],"tools":[{"type":"function"}]})")),
              "tools: this version of llmd does not offer it");
    EXPECT_EQ(refused(parse_ollama_chat("[]")), "body: not a JSON object");
}

TEST(OllamaBody, MinusOneIsUntilTheModelEnds) {
    EXPECT_EQ(accepted(parse_ollama_generate(R"({"model":"m","prompt":"p","options":{"num_predict":-1}})"))
                  .request.max_tokens,
              service::RequestLimits::kMaxTokens);
}

TEST(OllamaBody, ASeedOfMinusOneIsNone) {
    EXPECT_FALSE(
        accepted(parse_ollama_generate(R"({"model":"m","prompt":"p","options":{"seed":-1}})")).request.sampling.seed);
    EXPECT_EQ(refused_generate(R"("options":{"seed":-2})"),
              "options.seed: expected an integer from 0 to 18446744073709551615, got -2");
}

TEST(OllamaJson, AStreamIsLinesAndTheLastHasTheCosts) {
    const AnswerHead head{7, "tale", std::chrono::system_clock::time_point(std::chrono::milliseconds(1500))};
    service::Outcome outcome;
    outcome.finish = service::Finish::Length;
    outcome.prompt_tokens = 5;
    outcome.generated_tokens = 4;
    outcome.queue_time = std::chrono::milliseconds(10);
    outcome.ttft = std::chrono::milliseconds(30);
    outcome.decode_tps = 8;
    const std::string costs =
        R"("done":true,"done_reason":"length","total_duration":530000000,"load_duration":10000000,)"
        R"("prompt_eval_count":5,"prompt_eval_duration":20000000,"eval_count":4,"eval_duration":500000000})";
    const std::string begin = R"({"model":"tale","created_at":"1970-01-01T00:00:01.500000Z",)";

    const auto generate = make_ollama_format(OllamaKind::Generate);
    EXPECT_EQ(generate->begin(head), "");
    EXPECT_EQ(generate->text(0, "hi\n", {}), begin + R"("response":"hi\n","done":false})" + "\n");
    EXPECT_EQ(generate->end_choice(0, outcome, {}), begin + R"("response":"",)" + costs + "\n");
    EXPECT_EQ(generate->end({{"", outcome, {}}}), "");
    EXPECT_EQ(generate->failure({base::ErrorCode::DeviceError, "it broke"}), "{\"error\":\"it broke\"}\n");
    EXPECT_EQ(generate->whole(head, {{"all", outcome, {}}}), begin + R"("response":"all",)" + costs);
    EXPECT_EQ(make_ollama_format(OllamaKind::Chat)->whole(head, {{"all", outcome, {}}}),
              begin + R"("message":{"role":"assistant","content":"all"},)" + costs);
    const auto chat = make_ollama_format(OllamaKind::Chat);
    EXPECT_EQ(chat->begin(head), "");
    EXPECT_EQ(chat->thinking(0, "hm"),
              begin + R"("message":{"role":"assistant","content":"","thinking":"hm"},"done":false})" + "\n");
    EXPECT_EQ(chat->whole(head, {{"all", outcome, {}, "hm"}}),
              begin + R"("message":{"role":"assistant","content":"all","thinking":"hm"},)" + costs);
    EXPECT_EQ(ollama_loaded(OllamaKind::Generate, head), begin + R"("response":"","done":true,"done_reason":"load"})");
    EXPECT_EQ(ollama_error({base::ErrorCode::ModelNotFound, "no model"}).status, 404u);
}

}  // namespace
}  // namespace llmd::http
