#include "ipc/http/embeddings_body.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ipc/http/generate_fields.h"
#include "ipc/quoted.h"
#include "ipc/sampling_fields.h"

namespace llmd::ipc::http {

namespace {

using base::Result;
using service::GenerateRequest;

using Inputs = std::vector<GenerateRequest>;

void read_texts(FieldReader& reader, std::string_view key, Inputs& out) {
    std::vector<std::string> texts;
    reader.strings(key, texts);
    for (std::string& text : texts) out.emplace_back().prompt = std::move(text);
}

void read_tokens(FieldReader& reader, std::string_view key, const JsonValue& tokens, Inputs& out) {
    auto& ids = out.emplace_back().prompt_ids;
    reader.ids(key, tokens, ids);
    if (ids.empty()) reader.refuse(key, "an array of no tokens");
}

// Texts, or token ids, which are told by the first element.
void read_input(FieldReader& reader, Inputs& out) {
    const JsonValue* input = reader.find("input");
    if (!input) return reader.refuse("input", "it is missing");
    const auto* elements = input->get<JsonValue::Array>();
    if (!elements || elements->empty() || elements->front().is<std::string>()) return read_texts(reader, "input", out);
    if (!elements->front().is<JsonValue::Array>()) return read_tokens(reader, "input", *input, out);
    for (const JsonValue& element : *elements) read_tokens(reader, "input", element, out);
}

// What is common to all, with the model and the rest of every request.
Result<EmbeddingsCall> finish(FieldReader& reader, Inputs inputs, EmbeddingEncoding encoding) {
    GenerateRequest common;
    read_model(reader, common.model);
    read_priority(reader, common.priority);
    read_deadline(reader, common.deadline);
    refuse_fields(reader, {"dimensions"});
    if (inputs.empty() || inputs.size() > kMaxInputs) {
        reader.refuse("input", inputs.size(), " inputs, must be 1 to ", kMaxInputs);
    }
    if (reader.error()) return *reader.error();
    for (GenerateRequest& input : inputs) {
        input.model = common.model;
        input.priority = common.priority;
        input.deadline = common.deadline;
        input.embeds = true;
    }
    return EmbeddingsCall{std::move(inputs), encoding};
}

EmbeddingEncoding read_encoding(FieldReader& reader) {
    std::string name = "float";
    reader.text("encoding_format", name);
    if (name == "base64") return EmbeddingEncoding::Base64;
    if (name != "float") reader.refuse("encoding_format", in_quotes(name), " is neither float nor base64");
    return EmbeddingEncoding::Numbers;
}

void read_ollama_model(FieldReader& reader) {
    if (!reader.find("model")) reader.refuse("model", "it is missing");
}

}  // namespace

Result<EmbeddingsCall> parse_embeddings(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    FieldReader reader(*json->get<JsonValue::Object>());
    Inputs inputs;
    read_input(reader, inputs);
    const EmbeddingEncoding encoding = read_encoding(reader);
    return finish(reader, std::move(inputs), encoding);
}

Result<EmbeddingsCall> parse_ollama_embed(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    FieldReader reader(*json->get<JsonValue::Object>());
    Inputs inputs;
    read_ollama_model(reader);
    if (!reader.find("input")) reader.refuse("input", "it is missing");
    read_texts(reader, "input", inputs);
    return finish(reader, std::move(inputs), EmbeddingEncoding::Numbers);
}

Result<EmbeddingsCall> parse_ollama_embeddings(std::string_view body) {
    const auto json = parse_body(body);
    if (!json) return json.error();
    FieldReader reader(*json->get<JsonValue::Object>());
    Inputs inputs(1);
    read_ollama_model(reader);
    if (!reader.find("prompt")) reader.refuse("prompt", "it is missing");
    reader.text("prompt", inputs.front().prompt);
    return finish(reader, std::move(inputs), EmbeddingEncoding::Numbers);
}

}  // namespace llmd::ipc::http
