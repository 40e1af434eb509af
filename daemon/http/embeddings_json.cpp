#include "http/embeddings_json.h"

#include <bit>
#include <cstdint>
#include <span>

#include "base/json_writer.h"
#include "http/base64.h"

namespace llmd::http {

namespace {

using base::JsonWriter;

void write_numbers(JsonWriter& json, const std::vector<float>& values) {
    json.begin_array();
    for (const float value : values) json.value(value);
    json.end_array();
}

std::string little_endian_base64(const std::vector<float>& values) {
    std::vector<std::byte> bytes;
    bytes.reserve(values.size() * sizeof(float));
    for (const float value : values) {
        const auto bits = std::bit_cast<uint32_t>(value);
        for (const int shift : {0, 8, 16, 24}) bytes.push_back(static_cast<std::byte>(bits >> shift & 0xff));
    }
    return base64(bytes);
}

uint64_t prompt_tokens(const Outcomes& outcomes) {
    uint64_t n = 0;
    for (const service::Outcome& outcome : outcomes) n += outcome.prompt_tokens;
    return n;
}

}  // namespace

std::string openai_embeddings(const Outcomes& outcomes, EmbeddingEncoding encoding) {
    JsonWriter json;
    json.begin_object().key("object").value("list").key("data").begin_array();
    for (size_t i = 0; i < outcomes.size(); ++i) {
        json.begin_object().key("object").value("embedding").key("index").value(uint64_t{i}).key("embedding");
        if (encoding == EmbeddingEncoding::Base64) {
            json.value(little_endian_base64(outcomes[i].embedding));
        } else {
            write_numbers(json, outcomes[i].embedding);
        }
        json.end_object();
    }
    json.end_array().key("model").value(outcomes.front().model);
    const uint64_t tokens = prompt_tokens(outcomes);
    json.key("usage").begin_object().key("prompt_tokens").value(tokens).key("total_tokens").value(tokens).end_object();
    return json.end_object().take();
}

std::string ollama_embed(const Outcomes& outcomes, std::chrono::nanoseconds took) {
    JsonWriter json;
    json.begin_object().key("model").value(outcomes.front().model).key("embeddings").begin_array();
    for (const service::Outcome& outcome : outcomes) write_numbers(json, outcome.embedding);
    json.end_array();
    json.key("total_duration").value(int64_t{took.count()});
    const std::chrono::nanoseconds load = outcomes.front().queue_time;
    json.key("load_duration").value(int64_t{load.count()});
    json.key("prompt_eval_count").value(prompt_tokens(outcomes));
    return json.end_object().take();
}

std::string ollama_embedding(const Outcomes& outcomes) {
    JsonWriter json;
    json.begin_object().key("embedding");
    write_numbers(json, outcomes.front().embedding);
    return json.end_object().take();
}

}  // namespace llmd::http
