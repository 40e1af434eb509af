// The endpoints that give embeddings, OpenAI's and Ollama's.
#include <utility>

#include "http/api.h"

namespace llmd::http {

void Api::post_embeddings(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = parse_embeddings(request.body);
    const EmbeddingEncoding encoding = call ? call->encoding : EmbeddingEncoding::Numbers;
    EmbeddingsFormat format;
    format.answer = [encoding](const Outcomes& outcomes) { return openai_embeddings(outcomes, encoding); };
    format.refusal = [this](const base::Error& error, uint32_t prompt_tokens) {
        return error_reply(error, error_object(error, {prompt_tokens, service_.status().context_length}));
    };
    embed(exchange, request, std::move(call), std::move(format));
}

void Api::post_ollama_embed(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    EmbeddingsFormat format;
    format.answer = [began = std::chrono::steady_clock::now()](const Outcomes& outcomes) {
        return ollama_embed(outcomes, std::chrono::steady_clock::now() - began);
    };
    format.refusal = [](const base::Error& error, uint32_t) { return ollama_error(error); };
    embed(exchange, request, parse_ollama_embed(request.body), std::move(format));
}

void Api::post_ollama_embeddings(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    EmbeddingsFormat format;
    format.answer = ollama_embedding;
    format.refusal = [](const base::Error& error, uint32_t) { return ollama_error(error); };
    embed(exchange, request, parse_ollama_embeddings(request.body), std::move(format));
}

void Api::embed(const std::shared_ptr<Exchange>& exchange, const Request& request, base::Result<EmbeddingsCall> call,
                EmbeddingsFormat format) {
    if (!call) return exchange->reply(format.refusal(call.error(), 0));
    sign(call->requests, request.client);
    // One is left for whatever else the client asks meanwhile.
    using Limits = service::RequestLimits;
    const size_t most_at_once = Limits::for_client(Limits::kMaxPerClient, request.client.caller.sandboxed) - 1;
    const uint64_t key = ++last_embeddings_;
    auto& embeddings = embeddings_[key];
    embeddings = std::make_unique<Embeddings>(loop_, service_, exchange, std::move(format), [this, key] {
        loop_.defer([this, key, alive = std::weak_ptr<void>(alive_)] {
            if (!alive.expired()) embeddings_.erase(key);
        });
    });
    embeddings->submit(std::move(call->requests), most_at_once);
}

}  // namespace llmd::http
