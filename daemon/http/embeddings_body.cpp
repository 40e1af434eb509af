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
using service::GenerateRequest;

// The call that `inputs` make, with the model and the rest of every request.
Result<EmbeddingsCall> finish(api::FieldReader& reader, std::vector<Prompt> inputs, EmbeddingEncoding encoding) {
    GenerateRequest common;
    read_model(reader, common.model);
    read_priority(reader, common.priority);
    api::read_deadline(reader, common.deadline);
    refuse_fields(reader, {"dimensions"});
    if (reader.error()) return *reader.error();
    common.embeds = true;
    EmbeddingsCall call{std::vector(inputs.size(), common), encoding};
    for (size_t i = 0; i < inputs.size(); ++i) {
        call.requests[i].prompt = std::move(inputs[i].text);
        call.requests[i].prompt_ids = std::move(inputs[i].ids);
    }
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
    read_prompts(reader, "input", kMaxInputs, inputs);
    const EmbeddingEncoding encoding = read_encoding(reader);
    return finish(reader, std::move(inputs), encoding);
}

Result<EmbeddingsCall> parse_ollama_embed(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    std::vector<Prompt> inputs;
    read_ollama_model(reader);
    read_prompts(reader, "input", kMaxInputs, inputs);
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
