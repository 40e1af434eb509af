#include "api/fields.h"

#include <limits>
#include <utility>

#include "api/conversation.h"
#include "api/history.h"
#include "handover/remote_policy.h"

namespace llmd::api {

namespace {

using base::Value;
using protocol::ChatMessage;
using service::RequestLimits;
using Key = std::string_view;

ReadField read_options, read_fallback, read_bus_fallback;

constexpr uint32_t kCompletions = kChat | kCompletion;
// llama-server and vLLM offer Anthropic's call beside OpenAI's: their own fields, and OpenAI's, are treated alike
// there.
constexpr uint32_t kConversation = kChat | kResponses | kAnthropic;
constexpr uint32_t kOpenAi = kConversation | kCompletion;
constexpr uint32_t kOllama = kOllamaGenerate | kOllamaChat;
constexpr uint32_t kEmbeds = kEmbeddings | kOllamaEmbed | kOllamaEmbeddings;
constexpr uint32_t kAll = kBus | kOpenAi | kEmbeds | kOllama;
constexpr uint32_t kSampled = kBus | kOpenAi | kOllamaOptions;  // where what Sampling has may stand
constexpr uint32_t kTools = kBus | kConversation | kOllamaChat;

constexpr Treatment kHonoured = Treatment::Honoured;
constexpr Treatment kHarmless = Treatment::Harmless;
constexpr Treatment kRefused = Treatment::Refused;

constexpr Field kTable[] = {
    // Who is asked, and how
    {"handle_token", kBus, kHonoured, read_handle_token},
    {"model", kBus, kHonoured, read_bus_model},
    {"model", kAll & ~kBus, kHonoured, read_model_or_none},
    {"fallback", kBus, kHonoured, read_bus_fallback},
    {"fallback", kAll & ~kBus, kHonoured, read_fallback},
    {"stream", kOpenAi | kOllama, kHonoured,
     [](FieldReader& reader, Key key, Call& call) { reader.boolean(key, call.stream); }},
    {"stream_options", kOpenAi, kHonoured, read_stream_options},
    {"delivery", kBus, kHonoured, read_delivery},
    {"format", kBus, kHonoured, read_pipe_format},
    {"priority", kAll, kHonoured, read_priority},
    {"deadline_ms", kAll, kHonoured, read_deadline},
    {"keep_alive", kOllama | kOllamaEmbed | kOllamaEmbeddings, kHonoured, read_keep_alive},
    {"encoding_format", kEmbeddings, kHonoured, read_encoding},
    {"dimensions", kBus | kEmbeddings | kOllamaEmbed, kHonoured,
     [](FieldReader& reader, Key key, Call& call) {
         reader.integer(key, 1, std::numeric_limits<int32_t>::max(), call.request.dimensions);
     }},

    // Prompts, inputs and messages
    {"prompt", kCompletion, kHonoured, read_completion_prompts},
    {"prompt", kOllamaGenerate, kHonoured,
     [](FieldReader& reader, Key key, Call& call) { reader.text(key, call.request.prompt); }},
    {"prompt", kOllamaEmbeddings, kHonoured, read_one_input},
    {"input", kEmbeddings, kHonoured, read_inputs},
    {"input", kOllamaEmbed, kHonoured, read_ollama_inputs},
    {"input", kResponses, kHonoured,
     [](FieldReader& reader, Key key, Call& call) { read_input_items(reader, key, call.request.messages); }},
    {"messages", kChat, kHonoured, read_chat_messages},
    {"messages", kOllamaChat, kHonoured, read_ollama_messages},
    {"messages", kAnthropic, kHonoured, read_anthropic_messages},
    {"system", kBus | kOllamaGenerate, kHonoured, read_system},
    {"system", kAnthropic, kHonoured, read_anthropic_system},
    {"instructions", kResponses, kHonoured, read_system},
    {"raw", kOllamaGenerate, kHonoured,
     [](FieldReader& reader, Key key, Call& call) { reader.boolean(key, call.raw); }},
    {"add_generation_prompt", kConversation, kHonoured, read_add_generation_prompt},
    {"continue_final_message", kConversation, kHonoured, read_continue_final_message},
    {"n", kCompletions, kHonoured, read_n},
    {"n_cmpl", kCompletions, kHonoured, read_n},
    {"best_of", kCompletion, kHonoured, read_best_of},
    {"echo", kBus, kHonoured, [](FieldReader& reader, Key key, Call& call) { reader.boolean(key, call.request.echo); }},
    {"echo", kCompletion, kHonoured, read_completion_echo},

    // How far
    {"max_tokens", kBus | kOpenAi, kHonoured, read_max_tokens},
    {"n_predict", kOpenAi, kHonoured, read_max_tokens},
    {"max_completion_tokens", kConversation, kHonoured, read_max_tokens},
    {"max_output_tokens", kResponses, kHonoured, read_max_tokens},
    {"num_predict", kOllamaOptions, kHonoured, read_max_tokens},
    {"min_tokens", kSampled, kHonoured,
     [](FieldReader& reader, Key key, Call& call) {
         reader.integer(key, 0, RequestLimits::kMaxTokens, call.request.sampling.min_tokens);
     }},
    {"ignore_eos", kSampled, kHonoured,
     [](FieldReader& reader, Key key, Call& call) { reader.boolean(key, call.request.sampling.ignore_eos); }},
    {"stop", kSampled, kHonoured, read_stops},
    {"stop_sequences", kAnthropic, kHonoured, read_stops},
    {"stop_token_ids", kSampled, kHonoured, read_stop_token_ids},
    {"num_ctx", kOllamaOptions, kHonoured,
     [](FieldReader& reader, Key key, Call& call) {
         uint32_t n_ctx = 0;
         reader.integer(key, 0, std::numeric_limits<int32_t>::max(), n_ctx);
         call.n_ctx = n_ctx;
     }},

    // Sampling
    {"temperature", kSampled, kHonoured,
     [](FieldReader& reader, Key key, Call& call) {
         reader.number(key, 0, RequestLimits::kMaxTemperature, call.request.sampling.temperature);
     }},
    {"top_k", kSampled, kHonoured, read_top_k},
    {"top_p", kSampled, kHonoured,
     [](FieldReader& reader, Key key, Call& call) { reader.number(key, 0, 1, call.request.sampling.top_p); }},
    {"min_p", kSampled, kHonoured,
     [](FieldReader& reader, Key key, Call& call) { reader.number(key, 0, 1, call.request.sampling.min_p); }},
    {"repetition_penalty", kOpenAi, kHonoured,
     [](FieldReader& reader, Key key, Call& call) {
         reader.number(key, RequestLimits::kMinRepeatPenalty, RequestLimits::kMaxRepeatPenalty,
                       call.request.sampling.repeat_penalty);
     }},
    {"repeat_penalty", kSampled, kHonoured,
     [](FieldReader& reader, Key key, Call& call) {
         reader.number(key, RequestLimits::kMinRepeatPenalty, RequestLimits::kMaxRepeatPenalty,
                       call.request.sampling.repeat_penalty);
     }},
    {"presence_penalty", kSampled, kHonoured,
     [](FieldReader& reader, Key key, Call& call) {
         reader.number(key, -RequestLimits::kMaxPenalty, RequestLimits::kMaxPenalty,
                       call.request.sampling.presence_penalty);
     }},
    {"frequency_penalty", kSampled, kHonoured,
     [](FieldReader& reader, Key key, Call& call) {
         reader.number(key, -RequestLimits::kMaxPenalty, RequestLimits::kMaxPenalty,
                       call.request.sampling.frequency_penalty);
     }},
    {"repeat_last_n", kSampled, kHonoured, read_repeat_last_n},
    {"logit_bias", kSampled, kHonoured, read_logit_bias},
    {"seed", kSampled, kHonoured, read_seed},
    {"logprobs", kBus | kCompletion, kHonoured, read_completion_logprobs},
    {"logprobs", kChat | kOllama, kHonoured, read_chat_logprobs},
    {"top_logprobs", kChat | kOllama, kHonoured, read_top_logprobs},

    // The form of the answer
    {"json_schema", kBus | kOpenAi, kHonoured, read_schema},
    {"guided_json", kOpenAi, kHonoured, read_schema},
    {"regex", kBus, kHonoured, read_regex},
    {"guided_regex", kOpenAi, kHonoured, read_regex},
    {"choices", kBus, kHonoured, read_choices},
    {"guided_choice", kOpenAi, kHonoured, read_choices},
    {"response_format", kOpenAi, kHonoured, read_format},
    {"structured_outputs", kOpenAi, kHonoured, read_structured_outputs},
    {"text", kResponses, kHonoured, read_text_form},
    {"format", kOllama, kHonoured, read_ollama_format},
    {"output_config", kAnthropic, kHonoured, read_output_config},
    {"output_format", kAnthropic, kHonoured, read_format},
    {"tools", kTools & ~kAnthropic, kHonoured, read_call_tools},
    {"tools", kAnthropic, kHonoured, read_anthropic_tools},
    {"tool_choice", kTools & ~(kBus | kAnthropic), kHonoured, read_call_tool_choice},
    {"tool_choice", kAnthropic, kHonoured, read_anthropic_tool_choice},
    {"tool_choice", kBus, kHonoured, read_bus_tool_choice},
    {"parallel_tool_calls", kTools, kHonoured,
     [](FieldReader& reader, Key key, Call& call) { reader.boolean(key, call.request.parallel_tool_calls); }},
    {"bare_calls", kTools, kHonoured,
     [](FieldReader& reader, Key key, Call& call) {
         bool asked = true;
         reader.boolean(key, asked);
         if (reader.find(key)) call.request.bare_calls = asked;
     }},
    {"thinking", kBus, kHonoured, read_thinking},
    {"thinking", kAnthropic, kHonoured, read_anthropic_thinking},
    {"think", kOllama, kHonoured, read_thinking},
    {"reasoning_effort", kConversation, kHonoured, read_thinking},
    {"reasoning", kConversation, kHonoured, read_reasoning},
    {"chat_template_kwargs", kConversation, kHonoured, read_template_arguments},
    {"reasoning_format", kConversation, kHonoured, read_reasoning_format},
    {"include", kResponses, kHonoured, read_include},
    {"options", kOllama, kHonoured, read_options},
    {"truncate", kOllama | kOllamaEmbed, kHonoured, read_truncate},
    {"truncation", kResponses, kHonoured, read_truncation},

    // OpenAI's that change no answer of llmd's, which keeps nothing, knows its caller by the socket, reuses every
    // prompt that it can, and has one tier
    {"metadata", kConversation, kHarmless},
    {"prompt_cache_key", kConversation, kHarmless},
    {"prompt_cache_retention", kConversation, kHarmless},
    {"safety_identifier", kConversation, kHarmless},
    {"service_tier", kConversation, kHarmless},
    {"store", kConversation, kHarmless},
    {"user", kOpenAi | kEmbeddings, kHarmless},
    {"prediction", kConversation, kHarmless},   // makes an answer faster, never another
    {"max_tool_calls", kResponses, kHarmless},  // of built-in tools
    {"audio", kConversation, kRefused},
    {"background", kResponses, kRefused},
    {"best_of", kConversation, kRefused, nullptr, "1"},
    {"context_management", kResponses, kRefused},
    {"conversation", kResponses, kRefused},
    {"function_call", kConversation, kRefused, nullptr, R"("none")"},
    {"functions", kConversation, kRefused},
    {"logprobs", kResponses | kAnthropic, kRefused},
    {"messages", kResponses, kRefused},
    {"n", kResponses | kAnthropic, kRefused, nullptr, "1"},
    {"n_cmpl", kResponses | kAnthropic, kRefused, nullptr, "1"},
    {"modalities", kConversation, kRefused, nullptr, R"(["text"])"},
    {"previous_response_id", kResponses, kRefused},
    {"prompt", kResponses, kRefused},
    {"suffix", kCompletion | kOllamaGenerate, kRefused},
    {"top_logprobs", kResponses | kAnthropic, kRefused},
    {"verbosity", kConversation, kRefused, nullptr, R"("medium")"},
    {"web_search_options", kConversation, kRefused},

    // Anthropic's: everything is computed here, and every prompt is reused that can be
    {"cache_control", kAnthropic, kHarmless},
    {"container", kAnthropic, kRefused},
    {"context_management", kAnthropic, kHonoured, read_context_management},
    {"diagnostics", kAnthropic, kHarmless},
    {"inference_geo", kAnthropic, kHarmless},
    {"mcp_servers", kAnthropic, kRefused},
    {"speed", kAnthropic, kHarmless},
    {"user_profile_id", kAnthropic, kHarmless},

    // Ollama's
    {"context", kOllamaGenerate, kRefused},
    {"height", kOllamaGenerate, kRefused},
    {"images", kOllamaGenerate, kRefused},
    {"options", kOllamaEmbed | kOllamaEmbeddings, kHarmless},  // none of them changes an embedding
    {"shift", kOllama, kHarmless},                             // a context is never shifted
    {"steps", kOllamaGenerate, kRefused},
    {"template", kOllamaGenerate, kRefused},
    {"width", kOllamaGenerate, kRefused},
    {"embedding_only", kOllamaOptions, kHarmless},  // of how Ollama runs a model, from here
    {"f16_kv", kOllamaOptions, kHarmless},
    {"logits_all", kOllamaOptions, kHarmless},
    {"low_vram", kOllamaOptions, kHarmless},
    {"main_gpu", kOllamaOptions, kHarmless},
    {"num_batch", kOllamaOptions, kHarmless},
    {"num_gpu", kOllamaOptions, kHarmless},
    {"num_gqa", kOllamaOptions, kHarmless},
    {"num_keep", kOllamaOptions, kHarmless},  // of a context that is shifted
    {"num_thread", kOllamaOptions, kHarmless},
    {"numa", kOllamaOptions, kHarmless},
    {"use_mlock", kOllamaOptions, kHarmless},
    {"use_mmap", kOllamaOptions, kHarmless},
    {"vocab_only", kOllamaOptions, kHarmless},
    {"penalize_newline", kOllamaOptions, kRefused, nullptr, "true"},
    {"tfs_z", kOllamaOptions, kRefused, nullptr, "1"},

    // llama-server's
    {"adaptive_decay", kOpenAi, kHarmless},  // of adaptive_target
    {"adaptive_target", kOpenAi, kHonoured, read_adaptive_target},
    {"backend_sampling", kOpenAi, kHarmless},
    {"cache_prompt", kOpenAi, kHarmless},  // reused pages are the same bit for bit
    {"chat_format", kOpenAi, kRefused},
    {"dry_allowed_length", kOpenAi, kHarmless},  // of dry_multiplier
    {"dry_base", kOpenAi, kHarmless},
    {"dry_multiplier", kSampled, kRefused},
    {"dry_penalty_last_n", kOpenAi, kHarmless},
    {"dry_sequence_breakers", kOpenAi, kHarmless},
    {"dynatemp_exponent", kOpenAi, kHarmless},  // of dynatemp_range
    {"dynatemp_range", kSampled, kRefused},
    {"grammar", kSampled, kRefused},
    {"grammar_lazy", kOpenAi, kHarmless},  // of grammar
    {"grammar_triggers", kOpenAi, kHarmless},
    {"id_slot", kOpenAi, kHarmless},
    {"lora", kOpenAi, kRefused},
    {"min_keep", kSampled, kRefused},
    {"mirostat", kSampled, kRefused},
    {"mirostat_eta", kSampled, kHarmless},  // of mirostat
    {"mirostat_tau", kSampled, kHarmless},
    {"embd_normalize", kEmbeddings, kRefused, nullptr, "2"},
    {"n_cache_reuse", kOpenAi, kHarmless},
    {"n_discard", kOpenAi, kHarmless},  // of a context that is shifted
    {"n_indent", kOpenAi, kRefused},
    {"n_keep", kOpenAi, kHarmless},
    {"n_probs", kOpenAi, kRefused},
    {"parse_tool_calls", kOpenAi, kRefused, nullptr, "true"},
    {"post_sampling_probs", kOpenAi, kRefused},
    {"preserved_tokens", kOpenAi, kHarmless},  // of grammar
    {"reasoning_in_content", kOpenAi, kRefused},
    {"response_fields", kOpenAi, kRefused},
    {"return_progress", kOpenAi, kHarmless},  // figures beside the answer
    {"return_tokens", kOpenAi, kRefused},
    {"samplers", kSampled, kRefused},
    {"speculative.n_max", kOpenAi, kHarmless},  // make an answer faster, never another
    {"speculative.n_min", kOpenAi, kHarmless},
    {"speculative.p_min", kOpenAi, kHarmless},
    {"t_max_predict_ms", kOpenAi, kRefused, nullptr, "-1"},
    {"t_max_prompt_ms", kOpenAi, kRefused, nullptr, "-1"},
    {"thinking_forced_open", kOpenAi, kRefused},
    {"timings_per_token", kOpenAi, kHarmless},  // figures beside the answer
    {"top_n_sigma", kSampled, kRefused, nullptr, "-1"},
    {"typical_p", kSampled, kRefused, nullptr, "1"},
    {"xtc_probability", kSampled, kRefused},
    {"xtc_threshold", kOpenAi, kHarmless},  // of xtc_probability

    // vLLM's
    {"add_special_tokens", kConversation, kRefused},
    {"add_special_tokens", kCompletion | kEmbeddings, kRefused, nullptr, "true"},
    {"allowed_token_ids", kOpenAi, kRefused},
    {"bad_words", kOpenAi, kRefused},
    {"cache_salt", kOpenAi, kHarmless},
    {"chat_template", kConversation, kRefused},
    {"documents", kConversation, kRefused},
    {"echo", kConversation, kRefused},
    {"embed_dtype", kEmbeddings, kRefused, nullptr, R"("float32")"},
    {"guided_decoding_backend", kOpenAi, kHarmless},  // the language is the same
    {"guided_grammar", kOpenAi, kRefused},
    {"guided_whitespace_pattern", kOpenAi, kRefused},
    {"include_reasoning", kOpenAi, kRefused, nullptr, "true"},
    {"include_stop_str_in_output", kOpenAi, kRefused},
    {"kv_transfer_params", kOpenAi, kRefused},
    {"length_penalty", kOpenAi, kHarmless},  // of use_beam_search
    {"logits_processors", kOpenAi, kRefused},
    {"mm_processor_kwargs", kOpenAi, kRefused},
    {"normalize", kEmbeddings, kRefused, nullptr, "true"},
    {"prompt_embeds", kOpenAi, kRefused},
    {"prompt_logprobs", kOpenAi, kRefused},
    {"request_id", kOpenAi, kHarmless},
    {"return_token_ids", kOpenAi, kRefused},
    {"return_tokens_as_token_ids", kOpenAi, kRefused},
    {"skip_special_tokens", kOpenAi, kRefused, nullptr, "true"},
    {"spaces_between_special_tokens", kOpenAi, kHarmless},  // of skip_special_tokens
    {"structural_tag", kOpenAi, kRefused},
    {"thinking_token_budget", kOpenAi, kRefused},
    {"truncate_prompt_tokens", kOpenAi | kEmbeddings, kRefused},
    {"use_beam_search", kOpenAi, kRefused},
    {"vllm_xargs", kOpenAi, kRefused},
};

void read_fields(FieldReader& reader, Dialect dialect, Call& call) {
    for (const Field& field : kTable) {
        if ((field.dialects & dialect) == 0 || !reader.has(field.name)) continue;
        if (field.treatment == Treatment::Honoured) field.read(reader, field.name, call);
        if (field.treatment == Treatment::Refused) reader.refuse_unless_no(field.name, field.neutral);
    }
}

void read_options(FieldReader& reader, Key key, Call& call) {
    reader.within(key, [&](FieldReader& fields) { read_fields(fields, kOllamaOptions, call); });
}

template <typename ReadName>
void read_fallback_names(FieldReader& reader, Key key, Call& call, ReadName read_name) {
    const Value* value = reader.find(key);
    if (!value) return;
    const auto* names = value->get<Value::Array>();
    if (!names) return reader.wrong_type(key, "an array of names of models", *value);
    std::vector<std::string> models;
    for (const Value& name : *names) {
        const auto* text = name.get<std::string>();
        if (!text) {
            return reader.wrong_type(base::concat(key, "[", models.size(), "]"), "the name of a model", name);
        }
        models.push_back(read_name(*text));
    }
    if (auto checked = handover::check_fallback(call.request.model, models); !checked) {
        return reader.set(std::move(checked).error());
    }
    call.request.fallback = std::move(models);
}

void read_fallback(FieldReader& reader, Key key, Call& call) {
    read_fallback_names(reader, key, call, [](const std::string& name) { return std::string(without_latest(name)); });
}

void read_bus_fallback(FieldReader& reader, Key key, Call& call) {
    read_fallback_names(reader, key, call, [](const std::string& name) { return name; });
}

void set_defaults(Dialect dialect, Call& call) {
    if ((dialect & (kConversation | kOllama)) != 0) call.request.max_tokens = kDefaultAnswerTokens;
    call.stream = (dialect & kOllama) != 0;
    if (dialect == kResponses) call.sent.function = "";
    call.request.truncate = (dialect & (kOllama | kOllamaEmbed)) != 0;
}

void check_required(FieldReader& reader, Dialect dialect, Call& call) {
    const service::GenerateRequest& request = call.request;
    const bool is_ollama = (dialect & (kOllama | kOllamaEmbed | kOllamaEmbeddings)) != 0;
    if (is_ollama && request.model.empty()) reader.refuse("model", "it is missing");
    if (dialect == kCompletion && call.prompts.empty()) reader.refuse("prompt", "it is missing");
    if ((dialect & (kChat | kAnthropic)) != 0 && request.messages.empty()) {
        reader.refuse("messages", "there must be at least one");
    }
    if (dialect == kResponses && request.messages.empty()) reader.refuse("input", "it is missing");
    const bool needs_input = dialect == kEmbeddings || (dialect == kOllamaEmbed && !reader.find("input"));
    if (needs_input && request.inputs.empty()) {
        reader.refuse("input", "it is missing");
    }
    if (dialect == kOllamaEmbeddings && request.inputs.empty()) reader.refuse("prompt", "it is missing");
    // Results of tools have got the calls that were missing.
    if (request.messages.size() > RequestLimits::kMaxMessages) {
        reader.refuse(dialect == kResponses ? "input" : "messages", request.messages.size(), " are more than ",
                      RequestLimits::kMaxMessages);
    }
    if (call.raw && call.system) reader.refuse("system", "not with a raw prompt");
}

// The conversation that a system text and a prompt make.
void place_system(Dialect dialect, Call& call) {
    service::GenerateRequest& request = call.request;
    if (dialect == kOllamaGenerate && !call.raw && !request.prompt.empty()) {
        ChatMessage& turn = request.messages.emplace_back();
        turn.content = call.system ? std::move(request.prompt) : request.prompt;
        if (call.system) request.prompt.clear();
    }
    if (call.system && dialect != kBus && !request.messages.empty()) {
        ChatMessage turn;
        turn.role = ChatMessage::Role::System;
        turn.content = *std::move(call.system);
        request.messages.insert(request.messages.begin(), std::move(turn));
        call.system.reset();
    }
}

}  // namespace

std::span<const Field> fields() {
    return kTable;
}

base::Result<Call> read_call(const Value::Object& object, Dialect dialect) {
    FieldReader reader(object);
    Call call;
    set_defaults(dialect, call);
    read_fields(reader, dialect, call);
    mend_history(call.request.messages, call.notes);
    if (!reader.error()) check_required(reader, dialect, call);
    if (!reader.error()) check_form(reader, call);
    if (reader.error()) return *reader.error();
    place_system(dialect, call);
    return call;
}

base::Result<Call> read_call(std::string_view body, Dialect dialect) {
    std::vector<std::string> notes;
    const auto json = parse_body(body, &notes);
    if (!json) return json.error();
    auto call = read_call(*json->get<Value::Object>(), dialect);
    if (call) call->notes.insert(call->notes.end(), notes.begin(), notes.end());
    return call;
}

std::vector<service::GenerateRequest> choices_of(Call& call) {
    if (call.prompts.empty()) call.prompts.push_back({std::move(call.request.prompt), {}});
    std::vector<service::GenerateRequest> requests;
    for (const service::Prompt& prompt : call.prompts) {
        for (uint32_t i = 0; i < call.n; ++i) {
            service::GenerateRequest& choice = requests.emplace_back(call.request);
            choice.prompt = prompt.text;
            choice.prompt_ids = prompt.ids;
            if (choice.sampling.seed) *choice.sampling.seed += i;
        }
    }
    return requests;
}

base::Result<Value> parse_body(std::string_view body, std::vector<std::string>* notes) {
    bool has_replaced = false;
    auto value = base::parse_json(body, &has_replaced);
    if (has_replaced && notes) notes->emplace_back("body: half of a surrogate pair was taken as U+FFFD");
    if (value && !value->is<Value::Object>()) {
        return base::fail(base::ErrorCode::InvalidArgument, "body: not a JSON object");
    }
    return value;
}

}  // namespace llmd::api
