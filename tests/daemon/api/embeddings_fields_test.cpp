#include <gtest/gtest.h>

#include "calls.h"

namespace llmd::api {
namespace {

std::string refused_fields(const std::string& fields) {
    return refused(read_call("{" + fields + "}", kEmbeddings));
}

TEST(EmbeddingsFields, AnInputIsATextOrTokensOrAnArrayOfEither) {
    const auto one = accepted(read_call(R"({"input":"Once","model":"m","user":"u","dimensions":null})", kEmbeddings));
    ASSERT_EQ(one.request.inputs.size(), 1u);
    EXPECT_EQ(one.request.inputs[0].text, "Once");
    EXPECT_EQ(one.request.model, "m");
    EXPECT_EQ(one.encoding, EmbeddingEncoding::Numbers);

    const auto texts = accepted(read_call(R"({"input":["Once","upon"],"encoding_format":"base64",)"
                                          R"("priority":"background","deadline_ms":5})",
                                          kEmbeddings));
    ASSERT_EQ(texts.request.inputs.size(), 2u);
    EXPECT_EQ(texts.request.inputs[1].text, "upon");
    EXPECT_EQ(texts.encoding, EmbeddingEncoding::Base64);
    EXPECT_EQ(texts.request.priority, service::Priority::Background);
    EXPECT_EQ(texts.request.deadline, std::chrono::milliseconds(5));

    const auto tokens = accepted(read_call(R"({"input":[1,2,3]})", kEmbeddings));
    ASSERT_EQ(tokens.request.inputs.size(), 1u);
    EXPECT_EQ(tokens.request.inputs[0].ids, (std::vector<int32_t>{1, 2, 3}));
    const auto arrays = accepted(read_call(R"({"input":[[1],[2,3]]})", kEmbeddings));
    ASSERT_EQ(arrays.request.inputs.size(), 2u);
    EXPECT_EQ(arrays.request.inputs[1].ids, (std::vector<int32_t>{2, 3}));
}

TEST(EmbeddingsFields, WhatCannotBeIsRefusedByName) {
    EXPECT_EQ(refused_fields(R"("model":"m")"), "input: it is missing");
    EXPECT_EQ(refused_fields(R"("input":[])"), "input: 0 inputs, must be 1 to 2048");
    EXPECT_EQ(refused_fields(R"("input":[[1],[]])"), "input[1]: an array of no tokens");
    EXPECT_EQ(refused_fields(R"("input":["a",1])"), "input[1]: expected a string, got 1");
    EXPECT_EQ(refused_fields(R"("input":[1,"a"])").rfind("input[1]: expected an integer from 0 to ", 0), 0u);
    EXPECT_EQ(refused_fields(R"("input":"a","dimensions":0)"),
              "dimensions: expected an integer from 1 to 2147483647, got 0");
    EXPECT_EQ(refused_fields(R"("input":"a","encoding_format":"hex")"),
              "encoding_format: \"hex\" is none of float, base64");
    for (const char* input : {"1", "{}", "true", R"(["a",1])", R"([1,"a"])", R"([[1],"a"])", R"([[1],2])", "[-1]",
                              "[1.5]", "[[[1]]]", "[{}]", "[null]"}) {
        EXPECT_EQ(refused_fields(base::concat(R"("input":)", input)).rfind("input", 0), 0u) << input;
    }
    std::string many = R"("input":["a")";
    for (size_t i = 1; i < service::RequestLimits::kMaxInputs; ++i) many += R"(,"a")";
    EXPECT_EQ(accepted(read_call("{" + many + "]}", kEmbeddings)).request.inputs.size(), 2048u);
    EXPECT_EQ(refused_fields(many + R"(,"a"])"), "input: 2049 inputs, must be 1 to 2048");
}

TEST(EmbeddingsFields, MessagesNeverQuoteTexts) {
    EXPECT_EQ(refused_fields(R"("input":[1,"secret"])").find("secret"), std::string::npos);
}

TEST(OllamaEmbedFields, TakesInputsOrTheOlderCallsPrompt) {
    const auto embed = accepted(read_call(
        R"({"model":"m:latest","input":["a","b"],"truncate":true,"keep_alive":"5m","options":{"num_ctx":64}})",
        kOllamaEmbed));
    ASSERT_EQ(embed.request.inputs.size(), 2u);
    EXPECT_EQ(embed.request.model, "m");
    EXPECT_EQ(embed.request.inputs[1].text, "b");
    const auto older = accepted(read_call(R"({"model":"m","prompt":"p"})", kOllamaEmbeddings));
    ASSERT_EQ(older.request.inputs.size(), 1u);
    EXPECT_EQ(older.request.inputs[0].text, "p");
    EXPECT_EQ(refused(read_call(R"({"input":"a"})", kOllamaEmbed)), "model: it is missing");
    EXPECT_EQ(refused(read_call(R"({"model":"m"})", kOllamaEmbed)), "input: it is missing");
    EXPECT_TRUE(accepted(read_call(R"({"model":"m","input":[]})", kOllamaEmbed)).request.inputs.empty());
    EXPECT_EQ(refused(read_call(R"({"model":"m"})", kOllamaEmbeddings)), "prompt: it is missing");
    EXPECT_EQ(accepted(read_call(R"({"model":"m","input":"a","dimensions":3})", kOllamaEmbed)).request.dimensions, 3u);
}

}  // namespace
}  // namespace llmd::api
