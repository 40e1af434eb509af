#include "ipc/http/openai_body.h"

#include "ipc/http/generate_fields.h"
#include "ipc/quoted.h"

namespace llmd::ipc::http {

namespace {

using base::Result;
using service::RequestLimits;

// A field that says how many answers there are to be.
void require_one(FieldReader& reader, std::string_view key) {
    uint32_t n = 1;
    reader.integer(key, 1, RequestLimits::kMaxTokens, n);
    if (n != 1) reader.refuse(key, n, " answers to one request are not offered, only 1 is");
}

void read_response_format(FieldReader& reader, std::string& out) {
    const auto* format = reader.object("response_format");
    if (!format) return;
    FieldReader fields(*format, "response_format.");
    std::string type;
    fields.text("type", type);
    if (type == "json_object") {
        out = kAnyObjectSchema;
    } else if (type == "json_schema") {
        const auto* described = fields.object("json_schema");
        const JsonValue* schema = described ? FieldReader(*described).find("schema") : nullptr;
        if (!schema) return reader.refuse("response_format", "json_schema.schema is missing");
        read_schema(fields, "json_schema.schema", *schema, out);
    } else if (type != "text") {
        fields.refuse("type", in_quotes(type), " is none of text, json_object, json_schema");
    }
    if (fields.error()) reader.set(*fields.error());
}

// What both kinds of body have.
void read_common(FieldReader& reader, OpenAiCall& call) {
    service::GenerateRequest& request = call.request;
    read_model(reader, request.model);
    read_sampling(reader, request.sampling);
    read_stops(reader, request.stops);
    read_priority(reader, request.priority);
    read_response_format(reader, request.json_schema);
    reader.integer("max_tokens", 1, RequestLimits::kMaxTokens, request.max_tokens);
    reader.boolean("stream", call.stream);
    if (const auto* options = reader.object("stream_options")) {
        FieldReader fields(*options, "stream_options.");
        fields.boolean("include_usage", call.include_usage);
        if (fields.error()) reader.set(*fields.error());
    }
    require_one(reader, "n");
    refuse_fields(reader, {"presence_penalty", "frequency_penalty", "logit_bias"});
    // 0 asks for the likelihood of the chosen token.
    const JsonValue* logprobs = reader.find("logprobs");
    const auto* wanted = logprobs ? logprobs->get<bool>() : nullptr;
    if (logprobs && !(wanted && !*wanted)) reader.refuse("logprobs", "this version of llmd does not offer it");
}

void read_prompt(FieldReader& reader, std::string& out) {
    const JsonValue* prompt = reader.find("prompt");
    if (!prompt) return reader.refuse("prompt", "it is missing");
    std::vector<std::string> prompts;
    reader.strings("prompt", prompts);
    if (reader.error()) return;
    if (prompts.size() != 1) return reader.refuse("prompt", prompts.size(), " prompts in one request, must be 1");
    out = std::move(prompts.front());
}

}  // namespace

Result<OpenAiCall> parse_completion(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    FieldReader reader(*json->get<JsonValue::Object>());
    OpenAiCall call;
    read_prompt(reader, call.request.prompt);
    read_common(reader, call);
    reader.boolean("echo", call.request.echo);
    require_one(reader, "best_of");
    refuse_fields(reader, {"suffix"});
    if (reader.error()) return *reader.error();
    return call;
}

Result<OpenAiCall> parse_chat_completion(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    FieldReader reader(*json->get<JsonValue::Object>());
    OpenAiCall call;
    call.request.max_tokens = kDefaultAnswerTokens;
    read_messages(reader, call.request.messages);
    read_common(reader, call);
    // The newer name, which wins.
    reader.integer("max_completion_tokens", 1, RequestLimits::kMaxTokens, call.request.max_tokens);
    refuse_fields(reader, {"tools", "functions", "top_logprobs", "audio"});
    if (reader.error()) return *reader.error();
    return call;
}

}  // namespace llmd::ipc::http
