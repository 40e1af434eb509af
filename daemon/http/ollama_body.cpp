#include "http/ollama_body.h"

#include "api/sampling_fields.h"
#include "base/json_writer.h"
#include "http/generate_fields.h"

namespace llmd::http {

namespace {

using base::Result;
using protocol::ChatMessage;
using service::RequestLimits;

// num_predict; negative is "until the model ends" (-1) or "until the context is full" (-2).
void read_num_predict(api::FieldReader& reader, uint32_t& out) {
    const base::Value* value = reader.find("num_predict");
    const auto* number = value ? value->get<int64_t>() : nullptr;
    if (number && (*number == -1 || *number == -2)) {
        out = RequestLimits::kMaxTokens;
    } else {
        reader.integer("num_predict", 1, RequestLimits::kMaxTokens, out);
    }
}

// "json", or a schema.
void read_format(api::FieldReader& reader, std::string& out) {
    const base::Value* format = reader.find("format");
    if (!format) return;
    const auto* name = format->get<std::string>();
    if (!name) return read_schema(reader, "format", *format, out);
    if (*name == "json") {
        out = kAnyObjectSchema;
    } else if (!name->empty()) {
        reader.refuse("format", base::in_quotes(*name), " is neither json nor a schema");
    }
}

void read_common(api::FieldReader& reader, OllamaCall& call) {
    service::GenerateRequest& request = call.request;
    request.max_tokens = kDefaultAnswerTokens;
    read_model(reader, request.model);
    if (request.model.empty()) reader.refuse("model", "it is missing");
    reader.boolean("stream", call.stream);
    read_format(reader, request.json_schema);
    read_priority(reader, request.priority);
    refuse_fields(reader, {"think"});
    if (const auto* options = reader.object("options")) {
        api::FieldReader fields(*options, "options.");
        read_num_predict(fields, request.max_tokens);
        api::read_sampling(fields, request.sampling);
        read_seed_or_none(fields, request.sampling.seed);
        read_stops(fields, request.stops);
        refuse_fields(fields, {"mirostat"});
        if (fields.error()) reader.set(*fields.error());
    }
}

}  // namespace

Result<OllamaCall> parse_ollama_generate(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    OllamaCall call;
    read_common(reader, call);
    std::string prompt;
    std::string system;
    reader.text("prompt", prompt);
    reader.text("system", system);
    refuse_fields(reader, {"suffix", "template", "images", "context"});
    if (reader.error()) return *reader.error();
    call.load_only = prompt.empty();
    if (system.empty()) {
        call.request.prompt = std::move(prompt);
    } else {
        call.request.messages = {{ChatMessage::Role::System, std::move(system)},
                                 {ChatMessage::Role::User, std::move(prompt)}};
    }
    return call;
}

Result<OllamaCall> parse_ollama_chat(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    OllamaCall call;
    read_common(reader, call);
    const auto* messages = reader.array("messages");
    call.load_only = !messages || messages->empty();
    if (!call.load_only) read_messages(reader, call.request.messages);
    refuse_fields(reader, {"tools"});
    if (reader.error()) return *reader.error();
    return call;
}

}  // namespace llmd::http
