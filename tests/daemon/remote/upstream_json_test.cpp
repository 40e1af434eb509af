// The JSON of servers is read as it is meant, and what they should not write is refused.
#include "remote/upstream_json.h"

#include <gtest/gtest.h>

#include <string>

namespace llmd::remote {
namespace {

using protocol::FinishReason;

TEST(UpstreamJson, ReadsListsOfModels) {
    const auto models = read_models(
        R"({"data":[{"id":"a","max_model_len":9,"owned_by":"vllm"},{"id":"b","aliases":["c"],"meta":{"n_ctx":7}}]})");
    ASSERT_TRUE(models);
    ASSERT_EQ(models->size(), 2u);
    EXPECT_EQ((*models)[0].n_ctx, 9u);
    EXPECT_EQ((*models)[0].owned_by, "vllm");
    EXPECT_EQ((*models)[1].n_ctx, 7u);
    EXPECT_EQ((*models)[1].aliases, std::vector<std::string>{"c"});
    for (const char* body : {"", "[]", "<html>", "{}", R"({"data":[{}]})", R"({"data":[{"id":5}]})"}) {
        EXPECT_FALSE(read_models(body)) << body;
    }
    EXPECT_EQ(read_models(R"({"data":[{"id":"a","max_model_len":-9}]})")->at(0).n_ctx, 0u);
}

TEST(UpstreamJson, ReadsErrorsOfEveryForm) {
    struct Form {
        const char* body;
        UpstreamError error;
    };
    for (const Form& row :
         {Form{R"({"error":{"message":"m","type":"t","code":400}})", {"m", "t", 400, 0}},
          Form{R"({"error":{"message":"m","type":"t","code":"model_not_found"}})", {"m", "model_not_found", 0, 0}},
          Form{R"({"error":{"code":400,"message":"m","type":"exceed_context_size_error","n_prompt_tokens":70}})",
               {"m", "exceed_context_size_error", 400, 70}},
          Form{R"({"object":"error","message":"m","type":"t","code":404})", {"m", "t", 404, 0}},
          Form{R"({"error":"m"})", {"m", "", 0, 0}}, Form{R"({"detail":"m"})", {"m", "", 0, 0}},
          Form{R"({"error":"a\nb\u0007"})", {"a b ", "", 0, 0}}}) {
        const auto error = read_error(row.body);
        ASSERT_TRUE(error) << row.body;
        EXPECT_EQ(*error, row.error) << row.body;
    }
    for (const char* body : {"", "busy", R"({"choices":[]})", R"({"error":null})"}) EXPECT_FALSE(read_error(body));
    EXPECT_EQ(read_error(R"({"error":")" + std::string(999, 'x') + "\"}")->message.size(), kMaxToldBytes);
}

TEST(UpstreamJson, TellsContextAndLoading) {
    EXPECT_TRUE(says_context_exceeded({.type = "exceed_context_size_error"}));
    EXPECT_TRUE(says_context_exceeded({.message = "This model's Maximum Context Length is 9"}));
    EXPECT_FALSE(says_context_exceeded({.message = "temperature"}));
    EXPECT_TRUE(says_loading({.message = "Loading model"}));
    EXPECT_FALSE(says_loading({.message = "server busy"}));
}

struct Event {
    const char* what;
    Shape shape;
    const char* data;
    std::string text = {}, thinking = {};
    std::vector<int32_t> ids = {};
    std::optional<FinishReason> finish = {};
    std::string other_finish = {};
};

TEST(UpstreamJson, ReadsTheEventsOfEachServer) {
    const Event kEvents[] = {
        {"vLLM", Shape::Completion, R"({"choices":[{"text":"a","token_ids":[5],"finish_reason":null}]})", "a", "", {5}},
        {"its end",
         Shape::Completion,
         R"({"choices":[{"text":"","finish_reason":"stop"}]})",
         "",
         "",
         {},
         FinishReason::Stop},
        {"chat", Shape::Chat, R"({"choices":[{"delta":{"content":"a"},"finish_reason":null}]})", "a"},
        {"its end",
         Shape::Chat,
         R"({"choices":[{"delta":{},"finish_reason":"length"}]})",
         "",
         "",
         {},
         FinishReason::Length},
        {"tools",
         Shape::Chat,
         R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})",
         "",
         "",
         {},
         {},
         "tool_calls"},
        {"vLLM thinks", Shape::Chat, R"({"choices":[{"delta":{"reasoning":"t"}}]})", "", "t"},
        {"SGLang thinks", Shape::Chat, R"({"choices":[{"delta":{"reasoning_content":"t","content":null}}]})", "", "t"},
        {"counts alone", Shape::Chat, R"({"choices":[],"usage":{"prompt_tokens":1}})"},
        {"llama-server", Shape::LlamaServer, R"({"content":"a","tokens":[5],"stop":false})", "a", "", {5}},
        {"its end",
         Shape::LlamaServer,
         R"({"content":"","stop":true,"stop_type":"eos"})",
         "",
         "",
         {},
         FinishReason::Stop},
        {"its limit",
         Shape::LlamaServer,
         R"({"content":"","stop":true,"stop_type":"limit"})",
         "",
         "",
         {},
         FinishReason::Length},
        {"no reason", Shape::LlamaServer, R"({"content":"","stop":true,"stop_type":"none"})", "", "", {}, {}, "none"},
        {"Ollama", Shape::Ollama, R"({"response":"a","done":false})", "a"},
        {"its chat", Shape::Ollama, R"({"message":{"content":"a","thinking":"t"},"done":false})", "a", "t"},
        {"its end",
         Shape::Ollama,
         R"({"done":true,"done_reason":"stop","eval_count":2})",
         "",
         "",
         {},
         FinishReason::Stop},
        {"it unloads",
         Shape::Ollama,
         R"({"response":"","done":true,"done_reason":"unload"})",
         "",
         "",
         {},
         {},
         "unload"},
        {"U+0000", Shape::Completion, R"({"choices":[{"text":"a\u0000b"}]})",
         "a\xEF\xBF\xBD"
         "b"},
    };
    for (const Event& row : kEvents) {
        SCOPED_TRACE(testing::Message() << row.what << ": " << row.data);
        const auto event = read_event(row.shape, row.data);
        ASSERT_TRUE(event) << event.error().message;
        EXPECT_EQ(event->text, row.text);
        EXPECT_EQ(event->thinking, row.thinking);
        EXPECT_EQ(event->ids, row.ids);
        EXPECT_EQ(event->finish, row.finish);
        EXPECT_EQ(event->other_finish, row.other_finish);
        EXPECT_FALSE(event->error);
    }
    EXPECT_TRUE(read_event(Shape::Chat, "[DONE]")->is_done);
    EXPECT_TRUE(read_event(Shape::Ollama, R"({"error":"gone"})")->error);
}

TEST(UpstreamJson, RefusesEventsThatAreNone) {
    struct Bad {
        Shape shape;
        std::string data;
    };
    for (const Bad& row :
         {Bad{Shape::Chat, ""}, Bad{Shape::Chat, "{"}, Bad{Shape::Chat, "{}"}, Bad{Shape::LlamaServer, "{}"},
          Bad{Shape::Ollama, "{}"}, Bad{Shape::Completion, R"({"choices":[{"text":"a","token_ids":[-1]}]})"},
          Bad{Shape::Completion, R"({"choices":[{"text":"a","token_ids":[2147483648]}]})"},
          Bad{Shape::LlamaServer, R"({"content":"a","tokens":["b"]})"},
          Bad{Shape::Chat, "{\"choices\":[{\"delta\":{\"content\":\"\xFF\"}}]}"},
          Bad{Shape::Chat, std::string(1000, '[') + std::string(1000, ']')}}) {
        EXPECT_FALSE(read_event(row.shape, row.data)) << row.data;
    }
}

TEST(UpstreamJson, ReadsCounts) {
    const auto openai = read_event(Shape::Chat, R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,)"
                                                R"("prompt_tokens_details":{"cached_tokens":3}}})");
    ASSERT_TRUE(openai && openai->counts);
    EXPECT_EQ(openai->counts->prompt_tokens, 7u);
    EXPECT_EQ(openai->counts->generated_tokens, 5u);
    EXPECT_EQ(openai->counts->cached_tokens, 3u);
    const auto llama = read_event(Shape::LlamaServer, R"({"content":"","stop":true,"stop_type":"eos",)"
                                                      R"("tokens_predicted":5,"tokens_evaluated":7,)"
                                                      R"("timings":{"cache_n":3,"prompt_n":4}})");
    ASSERT_TRUE(llama && llama->counts);
    EXPECT_EQ(llama->counts->prompt_tokens, 7u);
    EXPECT_EQ(llama->counts->cached_tokens, 3u);
    EXPECT_EQ(llama->n_generated, 5u);
    EXPECT_EQ(llama->n_computed, 4u);
    const auto odd = read_event(Shape::LlamaServer, R"({"content":"a","tokens":[5],"timings":{"prompt_n":-1}})");
    ASSERT_TRUE(odd);
    EXPECT_FALSE(odd->n_computed);
    EXPECT_EQ(read_event(Shape::Chat, R"({"choices":[],"usage":{"prompt_tokens":-7}})")->counts->prompt_tokens, 0u);
}

TEST(UpstreamJson, ReadsLogprobsOfBothShapes) {
    const auto fresh = read_event(Shape::LlamaServer,
                                  R"({"content":"a","tokens":[5],"completion_probabilities":[{"id":5,"token":"a",)"
                                  R"("bytes":[195],"logprob":-0.5,"top_logprobs":[{"id":6,"token":"b","logprob":-2},)"
                                  R"({"id":5,"token":"a","logprob":-0.5}]}]})");
    ASSERT_TRUE(fresh && fresh->logprobs.size() == 1);
    EXPECT_EQ(fresh->logprobs[0].chosen.bytes, "\xC3");
    EXPECT_EQ(fresh->logprobs[0].chosen.logprob, -0.5f);
    ASSERT_EQ(fresh->logprobs[0].top.size(), 2u);
    EXPECT_EQ(fresh->logprobs[0].top[0].id, 5);  // by falling logprob
    const auto old =
        read_event(Shape::Completion, R"({"choices":[{"text":"ab","logprobs":{"tokens":["a","token_id:9"],)"
                                      R"("token_logprobs":[null,-1.5],"top_logprobs":[null,{"b":-1.5,"c":-2.5}]}}]})");
    ASSERT_TRUE(old && old->logprobs.size() == 2);
    EXPECT_EQ(old->logprobs[0].chosen.logprob, protocol::kLeastLogprob);
    EXPECT_EQ(old->logprobs[1].chosen.id, 9);
    EXPECT_EQ(old->logprobs[1].top.size(), 2u);
    EXPECT_EQ(old->logprobs[1].top[0].bytes, "b");
}

TEST(UpstreamJson, ReadsTokens) {
    EXPECT_EQ(*read_tokens(R"({"tokens":[1,2]})"), (std::vector<int32_t>{1, 2}));
    EXPECT_FALSE(read_tokens(R"({"tokens":[1,-2]})"));
    EXPECT_FALSE(read_tokens(R"({"count":1})"));
}

TEST(UpstreamJson, ReadsEmbeddingsAsVectorsOfLengthOne) {
    for (const char* body : {R"({"data":[{"embedding":[3,4]}],"usage":{"prompt_tokens":2}})",
                             R"({"embeddings":[[3,4]],"prompt_eval_count":2})"}) {
        const auto embedding = read_embedding(body);
        ASSERT_TRUE(embedding) << body;
        EXPECT_EQ(embedding->values, (std::vector<float>{0.6f, 0.8f}));
        EXPECT_EQ(embedding->prompt_tokens, 2u);
    }
    EXPECT_EQ(read_embedding(R"({"data":[{"embedding":[0,1e150]}]})")->values, (std::vector<float>{0, 1}));
    for (const char* body : {"{}", R"({"data":[]})", R"({"data":[{"embedding":"AAAA"}]})",
                             R"({"data":[{"embedding":[0,0]}]})", R"({"data":[{"embedding":[1,null]}]})"}) {
        EXPECT_FALSE(read_embedding(body)) << body;
    }
}

TEST(UpstreamJson, TellsModelsThatOllamaHasElsewhere) {
    EXPECT_TRUE(read_shown_model(R"({"remote_host":"https://ollama.com"})")->is_elsewhere);
    const auto here = read_shown_model(R"({"model_info":{"llama.context_length":9,"llama.block_count":2}})");
    EXPECT_FALSE(here->is_elsewhere);
    EXPECT_EQ(here->n_ctx, 9u);
}

}  // namespace
}  // namespace llmd::remote
