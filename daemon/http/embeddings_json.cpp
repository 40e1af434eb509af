#include "http/embeddings_json.h"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "api/errors.h"
#include "api/info.h"
#include "base/json_writer.h"
#include "http/base64.h"
#include "http/ollama_json.h"

namespace llmd::http {

namespace {

using api::EmbeddingEncoding;
using base::JsonWriter;
using service::Outcome;

void write_numbers(JsonWriter& json, const std::vector<float>& values) {
    json.begin_array();
    for (const float value : values) json.value(value);
    json.end_array();
}

void write_embeddings(JsonWriter& json, const Outcome& outcome) {
    json.key("embeddings").begin_array();
    for (const std::vector<float>& embedding : outcome.embeddings) write_numbers(json, embedding);
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

// Writes the one choice that an answer to such a call has.
class EmbeddingsFormat : public WholeFormat {
public:
    std::string whole(const AnswerHead& head, const std::vector<Choice>& choices) final {
        return answer(head, choices.front().outcome);
    }
    Reply refusal(const base::Error& error, uint32_t) override { return ollama_error(error); }

private:
    virtual std::string answer(const AnswerHead& head, const Outcome& outcome) = 0;
};

class OpenAiEmbeddings final : public EmbeddingsFormat {
public:
    OpenAiEmbeddings(EmbeddingEncoding encoding, std::function<uint32_t()> n_ctx)
        : encoding_(encoding), n_ctx_(std::move(n_ctx)) {}

    Reply refusal(const base::Error& error, uint32_t prompt_tokens) override {
        return error_reply(error, api::openai_error(error, {prompt_tokens, n_ctx_()}));
    }

private:
    std::string answer(const AnswerHead& head, const Outcome& outcome) override {
        JsonWriter json;
        json.begin_object().key("object").value("list").key("data").begin_array();
        for (size_t i = 0; i < outcome.embeddings.size(); ++i) {
            json.begin_object().key("object").value("embedding").key("index").value(uint64_t{i}).key("embedding");
            if (encoding_ == EmbeddingEncoding::Base64) {
                json.value(little_endian_base64(outcome.embeddings[i]));
            } else {
                write_numbers(json, outcome.embeddings[i]);
            }
            json.end_object();
        }
        json.end_array().key("model").value(head.model);
        const uint64_t tokens = outcome.prompt_tokens;
        json.key("usage").begin_object();
        json.key("prompt_tokens").value(tokens).key("total_tokens").value(tokens).end_object();
        return json.end_object().take();
    }

    const EmbeddingEncoding encoding_;
    const std::function<uint32_t()> n_ctx_;
};

std::string ollama_embeddings(const std::string& model, const Outcome& outcome, std::chrono::nanoseconds took) {
    JsonWriter json;
    write_embeddings(json.begin_object().key("model").value(model), outcome);
    const std::chrono::nanoseconds load = outcome.queue_time;
    json.key("total_duration").value(int64_t{took.count()});
    json.key("load_duration").value(int64_t{load.count()});
    json.key("prompt_eval_count").value(outcome.prompt_tokens);
    return json.end_object().take();
}

class OllamaEmbed final : public EmbeddingsFormat {
    std::string answer(const AnswerHead& head, const Outcome& outcome) override {
        return ollama_embeddings(head.model, outcome, std::chrono::system_clock::now() - head.created);
    }
};

class LlmdEmbed final : public EmbeddingsFormat {
public:
    Reply refusal(const base::Error& error, uint32_t) override { return refuse(error); }

private:
    std::string answer(const AnswerHead& head, const Outcome& outcome) override {
        JsonWriter json;
        write_embeddings(json.begin_object(), outcome);
        json.key("finish_reason").value(service::finish_name(outcome.finish));
        api::write_info(json, outcome);
        api::write_notes(json, api::all_notes(head, outcome));
        return json.end_object().take();
    }
};

class OllamaEmbedding final : public EmbeddingsFormat {
    std::string answer(const AnswerHead&, const Outcome& outcome) override {
        JsonWriter json;
        json.begin_object().key("embedding");
        write_numbers(json, outcome.embeddings.front());
        return json.end_object().take();
    }
};

}  // namespace

std::unique_ptr<BodyFormat> make_openai_embeddings_format(EmbeddingEncoding encoding, std::function<uint32_t()> n_ctx) {
    return std::make_unique<OpenAiEmbeddings>(encoding, std::move(n_ctx));
}

std::unique_ptr<BodyFormat> make_ollama_embed_format() {
    return std::make_unique<OllamaEmbed>();
}

std::string ollama_no_embeddings(const std::string& model) {
    return ollama_embeddings(model, {}, {});
}

std::unique_ptr<BodyFormat> make_llmd_embed_format() {
    return std::make_unique<LlmdEmbed>();
}

std::unique_ptr<BodyFormat> make_ollama_embedding_format() {
    return std::make_unique<OllamaEmbedding>();
}

}  // namespace llmd::http
