#include "http/embeddings_body.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/sampling_fields.h"
#include "base/json_writer.h"
#include "http/generate_fields.h"

namespace llmd::http {

namespace {

using base::Result;

// The call that `inputs` make, with the model and the rest of the request.
Result<EmbeddingsCall> finish(api::FieldReader& reader, std::vector<Prompt> inputs, EmbeddingEncoding encoding) {
    EmbeddingsCall call{{}, encoding};
    read_model(reader, call.request.model);
    read_priority(reader, call.request.priority);
    api::read_deadline(reader, call.request.deadline);
    refuse_fields(reader, {"dimensions"});
    if (reader.error()) return *reader.error();
    call.request.inputs = std::move(inputs);
    return call;
}

EmbeddingEncoding read_encoding(api::FieldReader& reader) {
    std::string name = "float";
    reader.text("encoding_format", name);
    if (name == "base64") return EmbeddingEncoding::Base64;
    if (name != "float") reader.refuse("encoding_format", base::in_quotes(name), " is neither float nor base64");
    return EmbeddingEncoding::Numbers;
}

void read_ollama_model(api::FieldReader& reader) {
    if (!reader.find("model")) reader.refuse("model", "it is missing");
}

}  // namespace

Result<EmbeddingsCall> parse_embeddings(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    std::vector<Prompt> inputs;
    read_prompts(reader, "input", service::RequestLimits::kMaxInputs, inputs);
    const EmbeddingEncoding encoding = read_encoding(reader);
    return finish(reader, std::move(inputs), encoding);
}

Result<EmbeddingsCall> parse_ollama_embed(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    std::vector<Prompt> inputs;
    read_ollama_model(reader);
    read_prompts(reader, "input", service::RequestLimits::kMaxInputs, inputs);
    return finish(reader, std::move(inputs), EmbeddingEncoding::Numbers);
}

Result<EmbeddingsCall> parse_ollama_embeddings(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    std::vector<Prompt> inputs(1);
    read_ollama_model(reader);
    if (!reader.find("prompt")) reader.refuse("prompt", "it is missing");
    reader.text("prompt", inputs.front().text);
    return finish(reader, std::move(inputs), EmbeddingEncoding::Numbers);
}

}  // namespace llmd::http
