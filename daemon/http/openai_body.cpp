#include "http/openai_body.h"

#include <utility>

#include "api/sampling_fields.h"
#include "base/json_writer.h"
#include "http/generate_fields.h"

namespace llmd::http {

namespace {

using base::Result;
using service::RequestLimits;

void read_response_format(api::FieldReader& reader, std::string& out) {
    const auto* format = reader.object("response_format");
    if (!format) return;
    api::FieldReader fields(*format, "response_format.");
    std::string type;
    fields.text("type", type);
    if (type == "json_object") {
        out = kAnyObjectSchema;
    } else if (type == "json_schema") {
        const auto* described = fields.object("json_schema");
        const base::Value* schema = described ? api::FieldReader(*described).find("schema") : nullptr;
        if (!schema) return reader.refuse("response_format", "json_schema.schema is missing");
        read_schema(fields, "json_schema.schema", *schema, out);
    } else if (type != "text") {
        fields.refuse("type", base::in_quotes(type), " is none of text, json_object, json_schema");
    }
    if (fields.error()) reader.set(*fields.error());
}

// What both kinds of body have.
void read_common(api::FieldReader& reader, service::GenerateRequest& request, OpenAiCall& call) {
    read_model(reader, request.model);
    api::read_sampling(reader, request.sampling);
    read_seed_or_none(reader, request.sampling.seed);
    read_stops(reader, request.stops);
    read_priority(reader, request.priority);
    api::read_deadline(reader, request.deadline);
    read_response_format(reader, request.json_schema);
    reader.integer("max_tokens", 1, RequestLimits::kMaxTokens, request.max_tokens);
    reader.boolean("stream", call.stream);
    if (const auto* options = reader.object("stream_options")) {
        api::FieldReader fields(*options, "stream_options.");
        fields.boolean("include_usage", call.include_usage);
        if (fields.error()) reader.set(*fields.error());
    }
    refuse_fields(reader, {"logit_bias"});
}

// A completion's `logprobs` is the number of alternatives; 0 asks for those of the chosen tokens alone.
void read_completion_logprobs(api::FieldReader& reader, service::GenerateRequest& request) {
    const base::Value* value = reader.find("logprobs");
    const auto* flag = value ? value->get<bool>() : nullptr;
    if (!value || (flag && !*flag)) return;
    uint32_t n_top = 0;
    reader.integer("logprobs", 0, RequestLimits::kMaxTopLogprobs, n_top);
    request.top_logprobs = n_top;
    // The prompt's would have to be computed too.
    if (request.echo) reader.refuse("echo", "is not offered together with logprobs");
}

void read_chat_logprobs(api::FieldReader& reader, service::GenerateRequest& request) {
    bool wanted = false;
    uint32_t n_top = 0;
    reader.boolean("logprobs", wanted);
    reader.integer("top_logprobs", 0, RequestLimits::kMaxTopLogprobs, n_top);
    if (n_top > 0 && !wanted) reader.refuse("top_logprobs", n_top, " is only offered where logprobs is true");
    if (wanted) request.top_logprobs = n_top;
}

// n, the answers to each of `n_prompts`.
void read_n(api::FieldReader& reader, size_t n_prompts, uint32_t& out) {
    reader.integer("n", 1, kMaxChoices, out);
    if (out * n_prompts > kMaxChoices) {
        reader.refuse("n", out, " answers to each of ", n_prompts, " prompts are more than ", kMaxChoices);
    }
}

// Where it is n, none of the answers is to be left out.
void read_best_of(api::FieldReader& reader, uint32_t n) {
    uint32_t best_of = n;
    reader.integer("best_of", 1, RequestLimits::kMaxTokens, best_of);
    if (best_of != n) reader.refuse("best_of", best_of, " is not offered, only n is, which is ", n);
}

// One request for each choice; what they have in common is in `request`.
void add_choices(const std::vector<Prompt>& prompts, service::GenerateRequest request, OpenAiCall& call) {
    for (const Prompt& prompt : prompts) {
        request.prompt = prompt.text;
        request.prompt_ids = prompt.ids;
        for (uint32_t i = 0; i < call.n_per_prompt; ++i) {
            service::GenerateRequest& choice = call.requests.emplace_back(request);
            if (choice.sampling.seed) *choice.sampling.seed += i;
        }
    }
}

}  // namespace

Result<OpenAiCall> parse_completion(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    OpenAiCall call;
    service::GenerateRequest request;
    std::vector<Prompt> prompts;
    read_prompts(reader, "prompt", kMaxChoices, prompts);
    read_common(reader, request, call);
    read_n(reader, prompts.size(), call.n_per_prompt);
    read_best_of(reader, call.n_per_prompt);
    reader.boolean("echo", request.echo);
    if (request.echo && !prompts.empty() && !prompts.front().ids.empty()) {
        reader.refuse("echo", "is not offered for a prompt of token ids");
    }
    read_completion_logprobs(reader, request);
    refuse_fields(reader, {"suffix"});
    if (reader.error()) return *reader.error();
    add_choices(prompts, std::move(request), call);
    return call;
}

Result<OpenAiCall> parse_chat_completion(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    OpenAiCall call;
    service::GenerateRequest request;
    request.max_tokens = kDefaultAnswerTokens;
    read_messages(reader, request.messages);
    read_common(reader, request, call);
    read_n(reader, 1, call.n_per_prompt);
    // The newer name, which wins.
    reader.integer("max_completion_tokens", 1, RequestLimits::kMaxTokens, request.max_tokens);
    read_chat_logprobs(reader, request);
    refuse_fields(reader, {"tools", "functions", "audio"});
    if (reader.error()) return *reader.error();
    add_choices({Prompt()}, std::move(request), call);
    return call;
}

}  // namespace llmd::http
