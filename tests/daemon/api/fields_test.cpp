// Every field that OpenAI's, Anthropic's, Ollama's, llama-server's and vLLM's programs may send: honoured, harmless or
// refused by its name. The lists below are those of their published references; what stands in them has a row in the
// table, and a value that would change an answer changes the call, or is refused.
#include "api/fields.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "calls.h"

namespace llmd::api {
namespace {

Dialect read_as(Dialect dialect) {
    return dialect == kOllamaOptions ? kOllamaChat : dialect;
}

struct Sent {
    const char* name;
    const char* value;  // the JSON of one that would change an answer
};

const char* const kTool = R"([{"type":"function","function":{"name":"f"}}])";

// OpenAI's references of 2025, and what the `openai` package sends.
const std::vector<Sent> kOpenAiChat = {
    {"model", "\"x\""},
    {"messages", R"([{"role":"user","content":"x"}])"},
    {"audio", R"({"voice":"a"})"},
    {"frequency_penalty", "1"},
    {"function_call", R"({"name":"f"})"},
    {"functions", R"([{"name":"f"}])"},
    {"logit_bias", R"({"5":1})"},
    {"logprobs", "true"},
    {"max_completion_tokens", "5"},
    {"max_tokens", "6"},
    {"metadata", R"({"a":"b"})"},
    {"modalities", R"(["audio"])"},
    {"n", "2"},
    {"parallel_tool_calls", "false"},
    {"prediction", R"({"type":"content","content":"x"})"},
    {"presence_penalty", "1"},
    {"prompt_cache_key", "\"k\""},
    {"prompt_cache_retention", "\"24h\""},
    {"reasoning_effort", "\"low\""},
    {"response_format", R"({"type":"json_object"})"},
    {"safety_identifier", "\"u\""},
    {"seed", "5"},
    {"service_tier", "\"flex\""},
    {"stop", "\"x\""},
    {"store", "true"},
    {"stream", "true"},
    {"stream_options", R"({"include_usage":true})"},
    {"temperature", "0.5"},
    {"tool_choice", R"("none")"},
    {"tools", kTool},
    {"top_logprobs", "2"},
    {"top_p", "0.5"},
    {"user", "\"u\""},
    {"verbosity", "\"high\""},
    {"web_search_options", R"({"a":1})"},
};
const std::vector<Sent> kOpenAiCompletion = {
    {"model", "\"x\""},
    {"prompt", "\"q\""},
    {"best_of", "2"},
    {"echo", "true"},
    {"frequency_penalty", "1"},
    {"logit_bias", R"({"5":1})"},
    {"logprobs", "2"},
    {"max_tokens", "6"},
    {"n", "2"},
    {"presence_penalty", "1"},
    {"seed", "5"},
    {"stop", "\"x\""},
    {"stream", "true"},
    {"stream_options", R"({"include_usage":true})"},
    {"suffix", "\"s\""},
    {"temperature", "0.5"},
    {"top_p", "0.5"},
    {"user", "\"u\""},
};
const std::vector<Sent> kOpenAiResponses = {
    {"background", "true"},
    {"context_management", R"([{"type":"compaction"}])"},
    {"conversation", "\"c\""},
    {"include", R"(["message.output_text.logprobs"])"},
    {"input", "\"j\""},
    {"instructions", "\"s\""},
    {"max_output_tokens", "5"},
    {"max_tool_calls", "1"},
    {"metadata", R"({"a":"b"})"},
    {"model", "\"x\""},
    {"parallel_tool_calls", "false"},
    {"previous_response_id", "\"resp_1\""},
    {"prompt", R"({"id":"p"})"},
    {"prompt_cache_key", "\"k\""},
    {"prompt_cache_retention", "\"24h\""},
    {"reasoning", R"({"effort":"low"})"},
    {"safety_identifier", "\"u\""},
    {"service_tier", "\"flex\""},
    {"store", "true"},
    {"stream", "true"},
    {"stream_options", R"({"include_obfuscation":true})"},
    {"temperature", "0.5"},
    {"text", R"({"format":{"type":"json_object"}})"},
    {"tool_choice", R"("none")"},
    {"tools", kTool},
    {"top_logprobs", "2"},
    {"top_p", "0.5"},
    {"truncation", "\"auto\""},
    {"user", "\"u\""},
};
const std::vector<Sent> kOpenAiEmbeddings = {
    {"input", "\"j\""}, {"model", "\"x\""}, {"dimensions", "3"}, {"encoding_format", "\"base64\""}, {"user", "\"u\""},
};
// Anthropic's reference of 2026, and what the `anthropic` package sends.
const std::vector<Sent> kAnthropicFields = {
    {"cache_control", R"({"type":"ephemeral"})"},
    {"container", "\"c\""},
    {"context_management", "[1]"},
    {"diagnostics", R"({"previous_message_id":"m"})"},
    {"inference_geo", "\"eu\""},
    {"max_tokens", "6"},
    {"mcp_servers", R"([{"type":"url"}])"},
    {"messages", R"([{"role":"user","content":"x"}])"},
    {"metadata", R"({"user_id":"u"})"},
    {"model", "\"x\""},
    {"output_config", R"({"format":{"type":"json_schema","schema":{}}})"},
    {"output_format", R"({"type":"json_schema","schema":{}})"},
    {"service_tier", "\"auto\""},
    {"speed", "\"fast\""},
    {"stop_sequences", R"(["x"])"},
    {"stream", "true"},
    {"system", "\"s\""},
    {"temperature", "0.5"},
    {"thinking", R"({"type":"disabled"})"},
    {"tool_choice", R"({"type":"none"})"},
    {"tools", R"([{"name":"f","input_schema":{}}])"},
    {"top_k", "3"},
    {"top_p", "0.5"},
    {"user_profile_id", "\"u\""},
};
// Ollama's docs/api.md of 0.13 and its structs of requests.
const std::vector<Sent> kOllamaGenerateFields = {
    {"model", "\"x\""},     {"prompt", "\"q\""},    {"suffix", "\"s\""},
    {"images", R"(["x"])"}, {"format", "\"json\""}, {"options", R"({"seed":5})"},
    {"system", "\"s\""},    {"template", "\"t\""},  {"stream", "false"},
    {"raw", "true"},        {"context", "[1]"},     {"think", "true"},
    {"shift", "true"},      {"truncate", "false"},  {"logprobs", "true"},
    {"top_logprobs", "2"},  {"width", "8"},         {"height", "8"},
    {"steps", "8"},
};
const std::vector<Sent> kOllamaChatFields = {
    {"model", "\"x\""},     {"messages", "[]"},           {"tools", kTool},      {"think", "\"high\""},
    {"format", "\"json\""}, {"options", R"({"seed":5})"}, {"stream", "false"},   {"shift", "true"},
    {"truncate", "false"},  {"logprobs", "true"},         {"top_logprobs", "2"},
};
const std::vector<Sent> kOllamaEmbedFields = {
    {"model", "\"x\""}, {"input", "\"j\""}, {"truncate", "false"}, {"dimensions", "3"}, {"options", R"({"seed":5})"},
};
const std::vector<Sent> kOllamaEmbeddingsFields = {
    {"model", "\"x\""},
    {"prompt", "\"q\""},
    {"options", R"({"seed":5})"},
};
const std::vector<Sent> kOllamaOptionFields = {
    {"num_keep", "5"},
    {"seed", "5"},
    {"num_predict", "5"},
    {"top_k", "5"},
    {"top_p", "0.5"},
    {"min_p", "0.5"},
    {"typical_p", "0.5"},
    {"tfs_z", "0.5"},
    {"repeat_last_n", "5"},
    {"temperature", "0.5"},
    {"repeat_penalty", "1.5"},
    {"presence_penalty", "1"},
    {"frequency_penalty", "1"},
    {"mirostat", "1"},
    {"mirostat_tau", "5"},
    {"mirostat_eta", "0.5"},
    {"penalize_newline", "false"},
    {"stop", R"(["x"])"},
    {"numa", "true"},
    {"num_ctx", "64"},
    {"num_batch", "8"},
    {"num_gqa", "1"},
    {"num_gpu", "1"},
    {"main_gpu", "1"},
    {"low_vram", "true"},
    {"f16_kv", "true"},
    {"vocab_only", "true"},
    {"use_mmap", "true"},
    {"use_mlock", "true"},
    {"logits_all", "true"},
    {"embedding_only", "true"},
    {"num_thread", "4"},
};
// llama-server and vLLM read these fields beside OpenAI's, of both completions.
const std::vector<Sent> kServers = {
    {"adaptive_decay", "0.5"},
    {"adaptive_target", "0.5"},
    {"allowed_token_ids", "[1]"},
    {"backend_sampling", "true"},
    {"bad_words", R"(["x"])"},
    {"cache_prompt", "true"},
    {"cache_salt", "\"x\""},
    {"chat_format", "3"},
    {"dry_allowed_length", "3"},
    {"dry_base", "2"},
    {"dry_multiplier", "0.5"},
    {"dry_penalty_last_n", "5"},
    {"dry_sequence_breakers", R"(["x"])"},
    {"dynatemp_exponent", "2"},
    {"dynatemp_range", "0.5"},
    {"grammar", "\"root ::= x\""},
    {"grammar_lazy", "true"},
    {"grammar_triggers", "[1]"},
    {"guided_choice", R"(["a"])"},
    {"guided_decoding_backend", "\"x\""},
    {"guided_grammar", "\"x\""},
    {"guided_json", R"({"type":"array"})"},
    {"guided_regex", "\"x\""},
    {"guided_whitespace_pattern", "\"x\""},
    {"id_slot", "1"},
    {"ignore_eos", "true"},
    {"include_reasoning", "false"},
    {"include_stop_str_in_output", "true"},
    {"json_schema", R"({"type":"array"})"},
    {"kv_transfer_params", R"({"a":1})"},
    {"length_penalty", "2"},
    {"logits_processors", R"(["x"])"},
    {"lora", R"([{"id":0}])"},
    {"min_keep", "2"},
    {"min_p", "0.5"},
    {"min_tokens", "3"},
    {"mirostat", "2"},
    {"mirostat_eta", "0.5"},
    {"mirostat_tau", "3"},
    {"mm_processor_kwargs", R"({"a":1})"},
    {"n_cache_reuse", "2"},
    {"n_cmpl", "2"},
    {"n_discard", "2"},
    {"n_indent", "2"},
    {"n_keep", "2"},
    {"n_predict", "3"},
    {"n_probs", "2"},
    {"parse_tool_calls", "false"},
    {"post_sampling_probs", "true"},
    {"preserved_tokens", R"(["x"])"},
    {"prompt_embeds", "\"x\""},
    {"prompt_logprobs", "2"},
    {"reasoning_in_content", "true"},
    {"repeat_last_n", "3"},
    {"repeat_penalty", "1.5"},
    {"repetition_penalty", "1.5"},
    {"request_id", "\"x\""},
    {"response_fields", R"(["content"])"},
    {"return_progress", "true"},
    {"return_token_ids", "true"},
    {"return_tokens", "true"},
    {"return_tokens_as_token_ids", "true"},
    {"samplers", R"(["top_k"])"},
    {"skip_special_tokens", "false"},
    {"spaces_between_special_tokens", "false"},
    {"speculative.n_max", "2"},
    {"speculative.n_min", "2"},
    {"speculative.p_min", "0.5"},
    {"stop_token_ids", "[5]"},
    {"structural_tag", "\"x\""},
    {"structured_outputs", R"({"json":{"type":"array"}})"},
    {"t_max_predict_ms", "5"},
    {"t_max_prompt_ms", "5"},
    {"thinking_forced_open", "true"},
    {"thinking_token_budget", "5"},
    {"timings_per_token", "true"},
    {"top_k", "5"},
    {"top_n_sigma", "1"},
    {"truncate_prompt_tokens", "5"},
    {"typical_p", "0.5"},
    {"use_beam_search", "true"},
    {"vllm_xargs", R"({"a":1})"},
    {"xtc_probability", "0.5"},
    {"xtc_threshold", "0.5"},
};
const std::vector<Sent> kServersChat = {
    {"add_generation_prompt", "\"no\""},
    {"add_special_tokens", "true"},
    {"chat_template", "\"x\""},
    {"chat_template_kwargs", R"({"enable_thinking":false})"},
    {"continue_final_message", "\"yes\""},
    {"documents", R"([{"a":"b"}])"},
    {"echo", "true"},
    {"reasoning_format", "\"none\""},
};
const std::vector<Sent> kServersCompletion = {
    {"add_special_tokens", "\"no\""},
    {"response_format", R"({"type":"json_object"})"},
};
const std::vector<Sent> kOllamaAll = {{"keep_alive", "\"5m\""}};
// llmd's own.
const std::vector<Sent> kServersEmbeddings = {
    {"truncate_prompt_tokens", "8"}, {"add_special_tokens", "false"}, {"normalize", "false"},
    {"embed_dtype", "\"float16\""},  {"embd_normalize", "0"},
};
const std::vector<Sent> kReasoning = {{"reasoning", R"({"effort":"none"})"}};
const std::vector<Sent> kBestOf = {{"best_of", "2"}};
const std::vector<Sent> kOwnChoice = {{"tool_choice", "\"none\""}, {"parallel_tool_calls", "false"}};
const std::vector<Sent> kOwnCalls = {{"bare_calls", "false"}};
const std::vector<Sent> kOwn = {{"priority", "\"background\""}, {"deadline_ms", "5"}, {"fallback", R"(["x"])"}};
const std::vector<Sent> kBusFields = {
    {"handle_token", "\"t\""},
    {"model", "\"x\""},
    {"fallback", R"(["x"])"},
    {"max_tokens", "5"},
    {"temperature", "0.5"},
    {"top_k", "5"},
    {"top_p", "0.5"},
    {"min_p", "0.5"},
    {"repeat_penalty", "1.5"},
    {"presence_penalty", "1"},
    {"frequency_penalty", "1"},
    {"repeat_last_n", "5"},
    {"min_tokens", "5"},
    {"ignore_eos", "true"},
    {"seed", "5"},
    {"stop", R"(["x"])"},
    {"stop_token_ids", "[5]"},
    {"json_schema", "\"{}\""},
    {"regex", "\"x\""},
    {"choices", R"(["x"])"},
    {"tools", "\"[{}]\""},
    {"tool_choice", "\"none\""},
    {"parallel_tool_calls", "false"},
    {"bare_calls", "false"},
    {"thinking", "\"off\""},
    {"system", "\"s\""},
    {"priority", "\"background\""},
    {"deadline_ms", "5"},
    {"delivery", "\"signals\""},
    {"format", "\"text\""},
    {"echo", "true"},
    {"dimensions", "3"},
    {"logit_bias", R"({"5":1})"},
};

struct List {
    Dialect dialect;
    const std::vector<Sent>& fields;
};
const List kLists[] = {
    {kChat, kOpenAiChat},
    {kChat, kServers},
    {kChat, kServersChat},
    {kChat, kOwn},
    {kCompletion, kOpenAiCompletion},
    {kCompletion, kServers},
    {kCompletion, kServersCompletion},
    {kCompletion, kOwn},
    {kResponses, kOpenAiResponses},
    {kChat, kBestOf},
    {kResponses, kBestOf},
    {kResponses, kOwn},
    {kResponses, kServers},
    {kResponses, kServersChat},
    {kResponses, kOpenAiChat},
    {kAnthropic, kAnthropicFields},
    {kAnthropic, kBestOf},
    {kAnthropic, kOwn},
    {kAnthropic, kOwnCalls},
    {kAnthropic, kReasoning},
    {kAnthropic, kServers},
    {kAnthropic, kServersChat},
    {kAnthropic, kOpenAiChat},
    {kEmbeddings, kOpenAiEmbeddings},
    {kEmbeddings, kOwn},
    {kEmbeddings, kServersEmbeddings},
    {kChat, kReasoning},
    {kOllamaGenerate, kOllamaGenerateFields},
    {kOllamaGenerate, kOwn},
    {kOllamaGenerate, kOllamaAll},
    {kOllamaChat, kOllamaAll},
    {kOllamaEmbed, kOllamaAll},
    {kOllamaEmbeddings, kOllamaAll},
    {kOllamaChat, kOllamaChatFields},
    {kOllamaChat, kOwn},
    {kOllamaChat, kOwnChoice},
    {kOllamaChat, kOwnCalls},
    {kChat, kOwnCalls},
    {kResponses, kOwnCalls},
    {kOllamaEmbed, kOllamaEmbedFields},
    {kOllamaEmbed, kOwn},
    {kOllamaEmbeddings, kOllamaEmbeddingsFields},
    {kOllamaEmbeddings, kOwn},
    {kOllamaOptions, kOllamaOptionFields},
    {kBus, kBusFields},
};

const Field* row(Dialect dialect, std::string_view name) {
    const auto all = fields();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Field& field) {
        return field.name == name && (field.dialects & dialect) != 0;
    });
    return found == all.end() ? nullptr : &*found;
}

TEST(Fields, EveryOneOfTheListsIsHonouredHarmlessOrRefusedByName) {
    for (const List& list : kLists) {
        const auto plain = read_call(body_with(list.dialect, R"("unheard_of":1)"), read_as(list.dialect));
        ASSERT_TRUE(plain) << plain.error().message;
        for (const Sent& sent : list.fields) {
            const Field* field = row(list.dialect, sent.name);
            ASSERT_NE(field, nullptr) << sent.name << " has no row for dialect " << list.dialect;
            const std::string body = body_with(list.dialect, base::concat('"', sent.name, "\":", sent.value));
            if (body.empty()) continue;  // every call has these
            const auto call = read_call(body, read_as(list.dialect));
            const bool is_same = call && described(*call) == described(*plain);
            const std::string prefix = list.dialect == kOllamaOptions ? "options." : "";
            const bool is_named = !call && call.error().code == base::ErrorCode::InvalidArgument &&
                                  call.error().message.starts_with(prefix + sent.name);
            if (field->treatment == Treatment::Harmless) {
                EXPECT_TRUE(is_same) << body;
            } else if (field->treatment == Treatment::Refused) {
                EXPECT_TRUE(is_named) << body;
            } else {
                EXPECT_TRUE(is_named || (call && !is_same) || sent.name == std::string("stream_options")) << body;
            }
        }
    }
}

TEST(Fields, WhatIsRefusedMayBeThereAndSayNo) {
    for (const List& list : kLists) {
        for (const Sent& sent : list.fields) {
            const Field* field = row(list.dialect, sent.name);
            if (field->treatment != Treatment::Refused) continue;
            const std::string neutral(field->neutral);
            for (const std::string no : {"null", "false", "0", "\"\"", "[]", "{}", neutral.c_str()}) {
                const bool is_exact = field->neutral == "true" || field->neutral == "1" || field->neutral == "2";
                if (no.empty() || (is_exact && no != "null" && no != field->neutral)) continue;
                const auto call =
                    read_call(body_with(list.dialect, base::concat('"', sent.name, "\":", no)), read_as(list.dialect));
                EXPECT_TRUE(call) << sent.name << ' ' << no << ' ' << call.error().message;
            }
        }
    }
    EXPECT_TRUE(read_call(body_with(kOllamaOptions, R"("tfs_z":1.0)"), kOllamaChat)) << "1.0 is 1";
    for (const char* field : {R"("typical_p":0)", R"("adaptive_target":0)"}) {
        EXPECT_FALSE(read_call(body_with(kCompletion, field), kCompletion)) << field << " is not off";
    }
}

TEST(Fields, TheListsHaveEveryRow) {
    for (const Field& field : fields()) {
        for (uint32_t bit = 1; bit <= kAnthropic; bit <<= 1) {
            if ((field.dialects & bit) == 0) continue;
            const bool listed = std::any_of(std::begin(kLists), std::end(kLists), [&](const List& list) {
                return list.dialect == bit && std::any_of(list.fields.begin(), list.fields.end(),
                                                          [&](const Sent& sent) { return sent.name == field.name; });
            });
            EXPECT_TRUE(listed || bit == kBus || bit == kOllamaOptions) << field.name << " of dialect " << bit;
        }
        EXPECT_EQ(field.read != nullptr, field.treatment == Treatment::Honoured) << field.name;
    }
}

TEST(Fields, UnknownOnesAreIgnored) {
    EXPECT_TRUE(read_call(R"({"prompt":"p","unheard_of":{"a":[1]}})", kCompletion));
}

}  // namespace
}  // namespace llmd::api
