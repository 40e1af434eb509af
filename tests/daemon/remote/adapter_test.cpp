// How each server is asked: the traps of each API, one row each.
#include "remote/adapter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace llmd::remote {
namespace {

using base::ErrorCode;
using protocol::Submit;

Submit plain() {
    Submit submit;
    submit.prompt = "Once";
    submit.max_tokens = 9;
    submit.sampling.repeat_penalty = 1.5;
    submit.sampling.seed = 5;
    return submit;
}
Submit chat() {
    Submit submit = plain();
    submit.prompt.clear();
    submit.messages = {{protocol::ChatMessage::Role::System, "Be \"brief\"."},
                       {protocol::ChatMessage::Role::User, "Hi"}};
    return submit;
}

GenerationCall call_of(Api api, const Submit& submit, const std::vector<int32_t>& ids = {},
                       std::string_view answer = "") {
    return make_generation_call(api, {.submit = submit,
                                      .model = "m",
                                      .ids = ids,
                                      .answer = answer,
                                      .max_tokens = submit.max_tokens,
                                      .seed = submit.sampling.seed.value_or(0),
                                      .cache_salt = "salt"});
}

const std::vector<int32_t> kIds = {1, 2};

TEST(Adapter, WritesEveryParameterForEveryServer) {
    for (const Api api : {Api::Vllm, Api::LlamaServer, Api::Sglang, Api::Ollama, Api::OpenAi}) {
        EXPECT_EQ(api_from_name(promised(api).name), api);
        for (const bool is_chat : {false, true}) {
            SCOPED_TRACE(promised(api).name);
            const auto call =
                call_of(api, is_chat ? chat() : plain(), promised(api).takes_ids ? kIds : std::vector<int32_t>());
            const std::string n = api == Api::LlamaServer ? "n_predict"
                                  : api == Api::Ollama    ? "num_predict"
                                                          : "max_tokens";
            const bool is_llama_cpp = traits(api).sampler == Sampler::LlamaCpp;
            for (const std::string& key :
                 {n, std::string("temperature"), std::string("top_k"), std::string("top_p"), std::string("min_p"),
                  std::string(is_llama_cpp ? "repeat_penalty" : "repetition_penalty"), std::string("presence_penalty"),
                  std::string("frequency_penalty"), std::string("seed"), std::string("model"), std::string("stream")}) {
                EXPECT_NE(call.http.body.find('"' + key + "\":"), std::string::npos) << key << " in " << call.http.body;
            }
            EXPECT_EQ(call.http.body.find("\"stop\":"), std::string::npos);  // cut here
        }
    }
}

TEST(Adapter, KnowsTheTrapsOfEachServer) {
    Submit schema = chat();
    schema.json_schema = R"({"type":"object"})";
    Submit off = plain();
    Submit logprobs = plain();
    logprobs.top_logprobs = 3;
    Submit embeds = plain();
    embeds.embeds = true;
    struct Trap {
        const char* what;
        GenerationCall call;
        const char* path;
        const char* says;
    };
    const Trap kTraps[] = {
        {"ids back", call_of(Api::Vllm, chat(), kIds), "/v1/completions", R"("prompt":[1,2],"return_token_ids":true)"},
        {"ids back", call_of(Api::Sglang, chat(), kIds), "/v1/completions",
         R"("prompt":[1,2],"return_token_ids":true)"},
        {"its /v1 gives none", call_of(Api::LlamaServer, chat(), kIds), "/completion", R"("return_tokens":true)"},
        {"top_k off", call_of(Api::Vllm, off, kIds), "/v1/completions", R"("top_k":-1)"},
        {"top_k 0 is refused", call_of(Api::Sglang, off, kIds), "/v1/completions", R"("top_k":-1)"},
        {"top_k off", call_of(Api::LlamaServer, off, kIds), "/completion", R"("top_k":0)"},
        {"top_k off", call_of(Api::Ollama, off), "/api/generate", R"("top_k":0)"},
        {"its name", call_of(Api::LlamaServer, off, kIds), "/completion", R"("repeat_penalty":1.5)"},
        {"its name", call_of(Api::Vllm, off, kIds), "/v1/completions", R"("repetition_penalty":1.5)"},
        {"no template", call_of(Api::Ollama, plain()), "/api/generate", R"("raw":true)"},
        {"no cut", call_of(Api::Ollama, chat()), "/api/chat", R"("truncate":false,"shift":false)"},
        {"the last event is short", call_of(Api::LlamaServer, plain(), kIds), "/completion", R"("response_fields":[)"},
        {"salt", call_of(Api::Vllm, plain(), kIds), "/v1/completions", R"("cache_salt":"salt")"},
        {"counts", call_of(Api::OpenAi, chat()), "/v1/chat/completions", R"("include_usage":true)"},
        {"schema", call_of(Api::Vllm, schema, kIds), "/v1/completions", R"("schema":{"type":"object"}}})"},
        {"schema", call_of(Api::LlamaServer, schema, kIds), "/completion", R"("json_schema":{"type":"object"})"},
        {"schema as text", call_of(Api::Sglang, schema, kIds), "/v1/completions", R"("json_schema":"{\"type)"},
        {"schema", call_of(Api::Ollama, schema), "/api/chat", R"("format":{"type":"object"})"},
        {"schema", call_of(Api::OpenAi, schema), "/v1/chat/completions", R"("type":"json_schema")"},
        {"old logprobs", call_of(Api::Vllm, logprobs, kIds), "/v1/completions", R"("logprobs":3)"},
        {"logprobs", call_of(Api::LlamaServer, logprobs, kIds), "/completion", R"("n_probs":3)"},
        {"a text goes on", call_of(Api::OpenAi, plain(), {}, " upon"), "/v1/completions", R"("prompt":"Once upon")"},
        {"embedding", call_of(Api::Vllm, embeds, kIds), "/v1/embeddings", R"("input":[1,2])"},
        {"embedding without a cut", call_of(Api::Ollama, embeds), "/api/embed", R"("truncate":false)"},
        {"quotes", call_of(Api::OpenAi, chat()), "/v1/chat/completions", R"("content":"Be \"brief\".")"},
    };
    for (const Trap& trap : kTraps) {
        SCOPED_TRACE(testing::Message() << trap.what << " " << trap.path);
        EXPECT_EQ(trap.call.http.path, trap.path);
        EXPECT_NE(trap.call.http.body.find(trap.says), std::string::npos) << trap.call.http.body;
    }
    // With a value other than 0 it is an error where the server does not schedule by it.
    EXPECT_EQ(call_of(Api::Vllm, plain(), kIds).http.body.find("priority"), std::string::npos);
    EXPECT_EQ(call_of(Api::OpenAi, plain()).http.body.find("cache_salt"), std::string::npos);
}

TEST(Adapter, RefusesWhatAServerCannotDo) {
    struct Refusal {
        Api api;
        void (*change)(Submit&);
        const char* field;
    };
    const Refusal kRefusals[] = {
        {Api::Vllm, [](Submit& s) { s.tools = "[]"; }, "tools"},
        {Api::Vllm, [](Submit& s) { s.messages.at(1).tool_calls.emplace_back(); }, "tools"},
        {Api::Ollama, [](Submit& s) { s.prompt_ids = {1}; }, "prompt_ids"},
        {Api::OpenAi, [](Submit& s) { s.prompt_ids = {1}; }, "prompt_ids"},
        {Api::LlamaServer, [](Submit& s) { s.sampling.min_tokens = 1; }, "min_tokens"},
        {Api::LlamaServer, [](Submit& s) { s.sampling.stop_token_ids = {1}; }, "stop_token_ids"},
        {Api::OpenAi, [](Submit& s) { s.sampling.ignore_eos = true; }, "ignore_eos"},
        {Api::Ollama,
         [](Submit& s) {
             s.sampling.logit_bias = {{1, 0}};
         },
         "logit_bias"},
        {Api::Vllm, [](Submit& s) { s.embeds = true; }, "messages"},
        {Api::Vllm,
         [](Submit& s) {
             s.sampling.temperature = 1;
             s.sampling.seed = kMaxSeed + 1;
         },
         "seed"},
    };
    for (const Refusal& row : kRefusals) {
        Submit submit = chat();
        EXPECT_TRUE(check_supported(row.api, submit));
        row.change(submit);
        const auto checked = check_supported(row.api, submit);
        ASSERT_FALSE(checked) << row.field;
        EXPECT_EQ(checked.error().code, ErrorCode::NotSupported);
        EXPECT_TRUE(checked.error().message.starts_with(row.field)) << checked.error().message;
    }
}

TEST(Adapter, NotesWhatIsNotHeldToTheLetter) {
    EXPECT_EQ(check_supported(Api::Vllm, plain())->size(), 1u);
    EXPECT_EQ(check_supported(Api::LlamaServer, plain())->size(), 0u);
    Submit all = plain();
    all.sampling.repeat_last_n = -1;
    EXPECT_EQ(check_supported(Api::Vllm, all)->size(), 0u);
}

TEST(Adapter, ChoosesIdsWhereThinkingIsNotToBeTold) {
    EXPECT_TRUE(wants_ids(Api::Vllm, chat()));
    EXPECT_FALSE(wants_ids(Api::Ollama, chat()));
    Submit thinks = chat();
    thinks.thinking = protocol::Thinking::On;
    EXPECT_FALSE(wants_ids(Api::Vllm, thinks));
}

TEST(Adapter, SeedsFitAndDifferByPosition) {
    EXPECT_EQ(seed_at(5, 0), 5u);
    EXPECT_NE(seed_at(5, 1), seed_at(5, 2));
    EXPECT_NE(seed_at(5, 1), 5u);
    for (uint64_t n = 0; n < 1000; ++n) EXPECT_LE(seed_at(~uint64_t{0}, n), kMaxSeed);
}

TEST(Adapter, TokenizesAsTheServerWants) {
    EXPECT_EQ(make_tokenize_call(Api::LlamaServer, "m", "a", {.parse_special = true}).body,
              R"({"model":"m","content":"a","add_special":true,"parse_special":true,"with_pieces":false})");
    EXPECT_EQ(make_tokenize_call(Api::Vllm, "m", "a", {.add_special = false}).body,
              R"({"model":"m","prompt":"a","add_special_tokens":false,"return_token_strs":false})");
    EXPECT_NE(make_tokenize_chat_call("m", chat()).body.find(R"("enable_thinking":false)"), std::string::npos);
}

}  // namespace
}  // namespace llmd::remote
