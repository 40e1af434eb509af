#include "remote/adapter.h"

#include <utility>

#include "base/json_writer.h"

namespace llmd::remote {

namespace {

using base::ErrorCode;
using base::fail;
using base::JsonWriter;
using protocol::ChatMessage;
using protocol::Submit;

// By Api.
constexpr std::array<ApiTraits, base::kRemoteApis.size()> kApis = {{
    {.server = "vLLM", .sampler = Sampler::Vllm, .probe = "/version", .probe_key = "version"},
    {.server = "llama-server",
     .sampler = Sampler::LlamaCpp,
     .probe = "/props",
     .probe_key = "total_slots",
     .lacks = {"min_tokens", "stop_token_ids"}},
    {.server = "SGLang", .sampler = Sampler::Vllm, .probe = "/server_info", .probe_key = "version"},
    {.server = "Ollama",
     .sampler = Sampler::LlamaCpp,
     .probe = "/api/version",
     .probe_key = "version",
     .lacks = {"min_tokens", "stop_token_ids", "ignore_eos", "logit_bias"}},
    {.server = "OpenAI API", .sampler = Sampler::Vllm, .lacks = {"min_tokens", "stop_token_ids", "ignore_eos"}},
}};

constexpr std::array<std::string_view, 4> kRoles = {"system", "user", "assistant", "tool"};

bool is_chat(const Submit& submit) {
    return !submit.messages.empty();
}

void write_messages(JsonWriter& json, const std::vector<ChatMessage>& messages) {
    json.key("messages").begin_array();
    for (const ChatMessage& message : messages) {
        json.begin_object().key("role").value(kRoles[static_cast<size_t>(message.role)]);
        json.key("content").value(message.content).end_object();
    }
    json.end_array();
}

// In ids mode the markup of thinking would be part of the text.
void write_thinking(JsonWriter& json, protocol::Thinking thinking) {
    const bool on = thinking == protocol::Thinking::On;
    json.key("chat_template_kwargs").begin_object().key("enable_thinking").value(on).end_object();
}

void write_ids(JsonWriter& json, std::string_view key, std::span<const int32_t> ids) {
    json.key(key).begin_array();
    for (const int32_t id : ids) json.value(int64_t{id});
    json.end_array();
}

void write_sampling(JsonWriter& json, Api api, const Generation& generation) {
    const ApiTraits& can = traits(api);
    const protocol::Sampling& sampling = generation.submit.sampling;
    const bool is_llama_cpp = can.sampler == Sampler::LlamaCpp;
    json.key("temperature").value(sampling.temperature);
    json.key("top_k").value(sampling.top_k == 0 && !is_llama_cpp ? -1 : int64_t{sampling.top_k});
    json.key("top_p").value(sampling.top_p);
    json.key("min_p").value(sampling.min_p);
    json.key(is_llama_cpp ? "repeat_penalty" : "repetition_penalty").value(sampling.repeat_penalty);
    json.key("presence_penalty").value(sampling.presence_penalty);
    json.key("frequency_penalty").value(sampling.frequency_penalty);
    json.key("seed").value(generation.seed);
    if (is_llama_cpp) json.key("repeat_last_n").value(int64_t{sampling.repeat_last_n});
    if (can.has("ignore_eos")) json.key("ignore_eos").value(sampling.ignore_eos);
    if (can.has("min_tokens")) json.key("min_tokens").value(sampling.min_tokens);
    if (!sampling.stop_token_ids.empty()) write_ids(json, "stop_token_ids", sampling.stop_token_ids);
    if (sampling.logit_bias.empty()) return;
    json.key("logit_bias").begin_object();
    for (const auto& [id, bias] : sampling.logit_bias) json.key(std::to_string(id)).value(bias);
    json.end_object();
}

// The schema is JSON: the checker of the answer has read it.
void write_response_format(JsonWriter& json, const Submit& submit) {
    if (submit.json_schema.empty()) return;
    json.key("response_format").begin_object().key("type").value("json_schema");
    json.key("json_schema").begin_object().key("name").value("answer").key("strict").value(submit.strict_schema);
    json.key("schema").json(submit.json_schema).end_object().end_object();
}

GenerationCall llama_server_call(Api api, const Generation& generation) {
    const Submit& submit = generation.submit;
    JsonWriter json;
    json.begin_object().key("model").value(generation.model);
    write_ids(json, "prompt", generation.ids);
    json.key("n_predict").value(generation.max_tokens).key("stream").value(true);
    json.key("return_tokens").value(true).key("cache_prompt").value(!generation.repeats);
    if (generation.goes_on) json.key("timings_per_token").value(true);
    json.key("n_probs").value(submit.top_logprobs ? std::max(*submit.top_logprobs, 1u) : 0u);
    // The last event would repeat the prompt, which may be longer than an event may be.
    json.key("response_fields").begin_array();
    for (const char* field : {"content", "tokens", "stop", "stop_type", "tokens_predicted", "tokens_evaluated",
                              "timings", "completion_probabilities", "error"}) {
        json.value(field);
    }
    json.end_array();
    write_sampling(json, api, generation);
    if (!submit.json_schema.empty()) json.key("json_schema").json(submit.json_schema);
    return {{"/completion", json.end_object().take()}, Shape::LlamaServer};
}

GenerationCall ollama_call(Api api, const Generation& generation) {
    const Submit& submit = generation.submit;
    JsonWriter json;
    json.begin_object().key("model").value(generation.model).key("stream").value(true);
    if (is_chat(submit)) {
        write_messages(json, submit.messages);
        if (submit.thinking != protocol::Thinking::Default) {
            json.key("think").value(submit.thinking == protocol::Thinking::On);
        }
    } else {
        json.key("prompt").value(submit.prompt + std::string(generation.answer)).key("raw").value(true);
    }
    // Without these it cuts the prompt, or shifts the context, and says nothing.
    json.key("truncate").value(false).key("shift").value(false);
    if (submit.top_logprobs) json.key("logprobs").value(true).key("top_logprobs").value(*submit.top_logprobs);
    if (!submit.json_schema.empty()) json.key("format").json(submit.json_schema);
    json.key("options").begin_object().key("num_predict").value(generation.max_tokens);
    write_sampling(json, api, generation);
    json.end_object().end_object();
    return {{is_chat(submit) ? "/api/chat" : "/api/generate", json.take()}, Shape::Ollama};
}

GenerationCall openai_call(Api api, const Generation& generation) {
    const Submit& submit = generation.submit;
    const bool chat = is_chat(submit) && generation.ids.empty();
    JsonWriter json;
    json.begin_object().key("model").value(generation.model);
    if (chat) {
        write_messages(json, submit.messages);
        if (submit.thinking != protocol::Thinking::Default) write_thinking(json, submit.thinking);
    } else if (!generation.ids.empty()) {
        write_ids(json, "prompt", generation.ids);
        json.key("return_token_ids").value(true);
    } else {
        json.key("prompt").value(submit.prompt + std::string(generation.answer));
    }
    json.key("max_tokens").value(generation.max_tokens).key("stream").value(true);
    json.key("stream_options").begin_object().key("include_usage").value(true).end_object();
    if (submit.top_logprobs && chat) {
        json.key("logprobs").value(true).key("top_logprobs").value(*submit.top_logprobs);
    } else if (submit.top_logprobs) {
        json.key("logprobs").value(*submit.top_logprobs);
    }
    write_sampling(json, api, generation);
    if (api == Api::Sglang && !chat) {
        if (!submit.json_schema.empty()) json.key("json_schema").value(submit.json_schema);
    } else {
        write_response_format(json, submit);
    }
    if (promised(api).has_cache_salt) json.key("cache_salt").value(generation.cache_salt);
    return {{chat ? "/v1/chat/completions" : "/v1/completions", json.end_object().take()},
            chat ? Shape::Chat : Shape::Completion};
}

GenerationCall embedding_call(Api api, const Generation& generation) {
    JsonWriter json;
    json.begin_object().key("model").value(generation.model);
    if (generation.ids.empty()) {
        json.key("input").value(generation.submit.prompt);
    } else {
        write_ids(json, "input", generation.ids);
    }
    // Its OpenAI endpoint cuts what is too long, and says nothing.
    const bool is_ollama = api == Api::Ollama;
    if (is_ollama) {
        json.key("truncate").value(false);
    } else {
        json.key("encoding_format").value("float");
    }
    return {{is_ollama ? "/api/embed" : "/v1/embeddings", json.end_object().take()}, Shape::Embedding};
}

}  // namespace

const ApiTraits& traits(Api api) {
    return kApis[static_cast<size_t>(api)];
}

const base::RemoteApi& promised(Api api) {
    return base::kRemoteApis[static_cast<size_t>(api)];
}

std::optional<Api> api_from_name(std::string_view name) {
    const auto row = std::find_if(base::kRemoteApis.begin(), base::kRemoteApis.end(),
                                  [&](const base::RemoteApi& one) { return one.name == name; });
    if (row == base::kRemoteApis.end()) return std::nullopt;
    return static_cast<Api>(row - base::kRemoteApis.begin());
}

base::Result<std::vector<std::string>> check_supported(Api api, const Submit& submit) {
    const ApiTraits& can = traits(api);
    const auto no = [&](std::string_view field) {
        return fail(ErrorCode::NotSupported, field, ": ", can.server, " cannot do this for llmd");
    };
    const bool has_calls = std::any_of(submit.messages.begin(), submit.messages.end(), [](const ChatMessage& message) {
        return message.role == ChatMessage::Role::Tool || !message.tool_calls.empty();
    });
    if (!submit.tools.empty() || has_calls) return fail(ErrorCode::NotSupported, "tools: a remote has none");
    const protocol::Sampling& sampling = submit.sampling;
    if (!submit.prompt_ids.empty() && !promised(api).takes_ids) return no("prompt_ids");
    for (const auto& [field, is_asked] :
         {std::pair("regex", !submit.regex.empty()), std::pair("choices", !submit.choices.empty()),
          std::pair("min_tokens", sampling.min_tokens > 0),
          std::pair("stop_token_ids", !sampling.stop_token_ids.empty()), std::pair("ignore_eos", sampling.ignore_eos),
          std::pair("logit_bias", !sampling.logit_bias.empty())}) {
        if (is_asked && !can.has(field)) return no(field);
    }
    if (submit.embeds && !submit.messages.empty()) return no("messages");
    if (sampling.temperature > 0 && sampling.seed.value_or(0) > kMaxSeed) {
        return fail(ErrorCode::NotSupported, "seed: ", *sampling.seed, " is more than ", kMaxSeed,
                    ", which a remote can hold");
    }
    std::vector<std::string> notes;
    if (can.sampler == Sampler::Vllm && sampling.repeat_penalty != 1 && sampling.repeat_last_n != -1) {
        notes.push_back(base::concat("repeat_last_n: ", can.server, " looks at the whole text"));
    }
    return notes;
}

bool wants_ids(Api api, const Submit& submit) {
    return promised(api).takes_ids && (submit.messages.empty() || submit.thinking != protocol::Thinking::On);
}

std::vector<std::string> caveats(Api api) {
    std::vector<std::string> notes = {"the remote may take what users write for control tokens"};
    if (!promised(api).has_cache_salt) notes.emplace_back("the remote's prompt cache is shared by all its users");
    if (!promised(api).takes_ids) notes.emplace_back("a conversation that breaks off at the remote does not go on");
    return notes;
}

HttpCall make_template_call(std::string_view model, const std::vector<ChatMessage>& messages,
                            protocol::Thinking thinking) {
    JsonWriter json;
    json.begin_object().key("model").value(model);
    write_messages(json, messages);
    write_thinking(json, thinking);
    return {"/apply-template", json.end_object().take()};
}

HttpCall make_tokenize_chat_call(std::string_view model, const Submit& submit) {
    JsonWriter json;
    json.begin_object().key("model").value(model);
    write_messages(json, submit.messages);
    json.key("add_generation_prompt").value(true);
    write_thinking(json, submit.thinking);
    return {"/tokenize", json.end_object().take()};
}

HttpCall make_tokenize_call(Api api, std::string_view model, std::string_view text, TokenizeOptions options) {
    JsonWriter json;
    json.begin_object().key("model").value(model);
    if (api == Api::LlamaServer) {
        json.key("content").value(text).key("add_special").value(options.add_special);
        json.key("parse_special").value(options.parse_special).key("with_pieces").value(false);
    } else {
        json.key("prompt").value(text).key("add_special_tokens").value(options.add_special);
        json.key("return_token_strs").value(false);
    }
    return {"/tokenize", json.end_object().take()};
}

HttpCall make_detokenize_call(std::string_view model, std::span<const int32_t> ids) {
    JsonWriter json;
    json.begin_object().key("model").value(model);
    write_ids(json, "tokens", ids);
    return {"/detokenize", json.end_object().take()};
}

std::string_view detokenized_key(Api api) {
    return api == Api::LlamaServer ? "content" : api == Api::Sglang ? "text" : "prompt";
}

GenerationCall make_generation_call(Api api, const Generation& generation) {
    if (generation.submit.embeds) return embedding_call(api, generation);
    if (api == Api::Ollama) return ollama_call(api, generation);
    if (api == Api::LlamaServer && !generation.ids.empty()) return llama_server_call(api, generation);
    return openai_call(api, generation);
}

uint64_t seed_at(uint64_t seed, uint64_t n_tokens) {
    if (n_tokens == 0) return seed & kMaxSeed;
    // SplitMix64's finalizer (Steele, Lea, Flood 2014) spreads neighbouring positions.
    uint64_t mixed = seed + n_tokens * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return (mixed ^ (mixed >> 31)) & kMaxSeed;
}

}  // namespace llmd::remote
