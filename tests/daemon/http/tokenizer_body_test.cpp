// The bodies of tokenize and detokenize: taken, or refused by name.
#include "http/tokenizer_body.h"

#include <gtest/gtest.h>

namespace llmd::http {
namespace {

std::string refused_content(std::string_view body) {
    const auto tokenize = parse_tokenize(body);
    EXPECT_FALSE(tokenize);
    return tokenize ? "" : tokenize.error().message;
}
std::string refused_tokens(std::string_view tokens) {
    const auto detokenize = parse_detokenize(base::concat(R"({"tokens":)", tokens, "}"));
    EXPECT_FALSE(detokenize);
    return detokenize ? "" : detokenize.error().message;
}

TEST(TokenizerBody, TakesATextOrTokens) {
    const auto text = parse_tokenize(R"({"content":"Once","model":"m:latest","add_special":true})");
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(text->content, "Once");
    EXPECT_EQ(text->model, "m");
    EXPECT_TRUE(text->add_special && !text->with_pieces);
    EXPECT_TRUE(parse_tokenize(R"({"content":"x","with_pieces":true})")->with_pieces);
    EXPECT_EQ(parse_tokenize(R"({"content":""})")->content, "");
    const auto tokens = parse_detokenize(R"({"tokens":[0,1.0,2147483647],"model":"m"})");
    ASSERT_TRUE(tokens) << tokens.error().message;
    EXPECT_EQ(tokens->tokens, (std::vector<int32_t>{0, 1, 2147483647}));
    EXPECT_EQ(tokens->model, "m");
    EXPECT_TRUE(parse_detokenize(R"({"tokens":[]})")->tokens.empty());
}

TEST(TokenizerBody, WhatCannotBeIsRefusedByName) {
    EXPECT_EQ(refused_content("{}"), "content: it is missing");
    EXPECT_EQ(refused_content(R"({"content":[1]})"), "content: expected a string, got an array of 1");
    EXPECT_EQ(refused_content(R"({"content":"x","parse_special":true})").rfind("parse_special: ", 0), 0u);
    EXPECT_EQ(refused_content(R"({"content":"x","add_special":1})"), "add_special: expected true or false, got 1");
    EXPECT_EQ(refused_content("[]"), "body: not a JSON object");
    EXPECT_EQ(parse_detokenize("{}").error().message, "tokens: it is missing");
    EXPECT_EQ(refused_tokens("null"), "tokens: it is missing");
    EXPECT_EQ(refused_tokens("7"), "tokens: expected an array, got 7");
    EXPECT_EQ(refused_tokens("[1,-1]"), "tokens[1]: expected an integer from 0 to 2147483647, got -1");
    for (const char* token : {"2147483648", "18446744073709551615", "1e300", "0.5", "\"1\"", "[1]", "null", "true"}) {
        EXPECT_EQ(refused_tokens(base::concat("[", token, "]")).rfind("tokens[0]: expected an integer from 0 to ", 0),
                  0u);
    }
}

TEST(TokenizerBody, AnswersAreWhatTheOtherCallTakes) {
    EXPECT_EQ(tokenized_json({7, {1, 2}, {}}), R"({"tokens":[1,2]})");
    EXPECT_EQ(tokenized_json({}), R"({"tokens":[]})");
    EXPECT_EQ(tokenized_json({7, {1, 2}, {" a", "\xe2\x96"}}),
              R"({"tokens":[{"id":1,"piece":" a"},{"id":2,"piece":[226,150]}]})");
    EXPECT_EQ(rendered_json("<s>"), R"({"prompt":"<s>"})");
    EXPECT_EQ(detokenized_json("a \"b\""), R"({"content":"a \"b\""})");
}

}  // namespace
}  // namespace llmd::http
