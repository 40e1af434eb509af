// Ollama's endpoints.
#include <algorithm>
#include <utility>

#include "api/field_readers.h"
#include "api/fields.h"
#include "base/json_writer.h"
#include "http/api.h"
#include "http/ollama_models.h"

namespace llmd::http {

using base::ErrorCode;
using base::fail;
using supervisor::ModelEntry;

namespace {

// The version of Ollama whose API this is: clients ask for it before they use what newer ones have. It is the first one
// with /v1/responses.
constexpr const char* kOllamaVersion = "0.13.3";
constexpr const char* kOllamaStreamType = "application/x-ndjson";
constexpr const char* kUnload = "unload";

struct ModelBody {
    std::string model;
    bool stream = true;
};

// A body that names a model; Ollama's older clients call it name.
base::Result<ModelBody> parse_model_body(std::string_view text) {
    const auto json = api::parse_body(text);
    if (!json) return json.error();
    api::FieldReader reader(*json->get<base::Value::Object>());
    ModelBody body;
    api::read_model(reader, "name", body.model);
    api::read_model(reader, "model", body.model);
    if (body.model.empty()) reader.refuse("model", "it is missing");
    reader.boolean("stream", body.stream);
    if (reader.error()) return *reader.error();
    return body;
}

base::Error no_such_model(const std::string& name) {
    return fail(ErrorCode::ModelNotFound, "there is no model ", base::in_quotes(name));
}

// The answer to a request of no tokens.
class PreloadFormat final : public WholeFormat {
public:
    PreloadFormat(OllamaKind kind, bool unloads) : kind_(kind), unloads_(unloads) {}

    std::string whole(const AnswerHead& head, const std::vector<Choice>&) override {
        return ollama_loaded(kind_, head, unloads_ ? kUnload : "load");
    }
    Reply refusal(const base::Error& error, uint32_t) override { return ollama_error(error); }

private:
    const OllamaKind kind_;
    const bool unloads_;
};

}  // namespace

void Api::get_ollama(const std::shared_ptr<Exchange>& exchange, const Request&) {
    // By these words clients know that it is there.
    Reply reply;
    reply.type = "text/plain; charset=utf-8";
    reply.body = "Ollama is running";
    exchange->reply(std::move(reply));
}

void Api::get_ollama_version(const std::shared_ptr<Exchange>& exchange, const Request&) {
    base::JsonWriter json;
    json.begin_object().key("version").value(kOllamaVersion).key("llmd").value(version_).end_object();
    exchange->reply(json_reply(json.take()));
}

void Api::get_ollama_tags(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    list_models(request, [exchange](const std::vector<ModelEntry>& models) {
        exchange->reply(json_reply(ollama_models(models)));
    });
}

void Api::get_ollama_ps(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    list_models(request, [exchange, &service = service_](const std::vector<ModelEntry>& models) {
        exchange->reply(json_reply(ollama_loaded_models(models, service.status())));
    });
}

void Api::post_ollama_show(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const auto body = parse_model_body(request.body);
    if (!body) return exchange->reply(ollama_error(body.error()));
    find_model(request, body->model, [exchange, name = body->model](const ModelEntry* model) {
        exchange->reply(model != nullptr ? json_reply(ollama_model(*model)) : ollama_error(no_such_model(name)));
    });
}

void Api::post_ollama_pull(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const auto body = parse_model_body(request.body);
    if (!body) return exchange->reply(ollama_error(body.error()));
    find_model(request, body->model, [exchange, body = *body](const ModelEntry* model) {
        if (model == nullptr) {
            return exchange->reply(
                ollama_error(fail(ErrorCode::ModelNotFound, "there is no model ", base::in_quotes(body.model),
                                  ", and llmd downloads none: `llmctl pull` does")));
        }
        Reply reply = json_reply(R"({"status":"success"})");
        if (body.stream) {
            reply.type = kOllamaStreamType;
            reply.body += '\n';
        }
        exchange->reply(std::move(reply));
    });
}

void Api::post_ollama_generate(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    ollama(exchange, request, OllamaKind::Generate, api::read_call(request.body, api::kOllamaGenerate));
}

void Api::post_ollama_chat(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    ollama(exchange, request, OllamaKind::Chat, api::read_call(request.body, api::kOllamaChat));
}

void Api::post_ollama_embed(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = api::read_call(request.body, api::kOllamaEmbed);
    if (!call) return exchange->reply(ollama_error(call.error()));
    if (!call->request.inputs.empty()) {
        return generate(exchange, request, std::move(*call), make_ollama_embed_format());
    }
    find_model(request, call->request.model, [exchange, name = call->request.model](const ModelEntry* model) {
        exchange->reply(model != nullptr ? json_reply(ollama_no_embeddings(name)) : ollama_error(no_such_model(name)));
    });
}

void Api::post_ollama_embeddings(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = api::read_call(request.body, api::kOllamaEmbeddings);
    if (!call) return exchange->reply(ollama_error(call.error()));
    generate(exchange, request, std::move(*call), make_ollama_embedding_format());
}

void Api::ollama(const std::shared_ptr<Exchange>& exchange, const Request& request, OllamaKind kind,
                 base::Result<api::Call> call) {
    if (!call) return exchange->reply(ollama_error(call.error()));
    if (call->request.prompt.empty() && call->request.messages.empty()) {
        return preload(exchange, request, kind, call->request);
    }
    generate(exchange, request, std::move(*call), make_ollama_format(kind));
}

void Api::preload(const std::shared_ptr<Exchange>& exchange, const Request& request, OllamaKind kind,
                  const service::GenerateRequest& wanted) {
    api::Call nothing;
    nothing.request.max_tokens = 0;
    nothing.request.model = wanted.model;
    nothing.request.priority = wanted.priority;
    nothing.request.deadline = wanted.deadline;
    nothing.request.keep_alive = wanted.keep_alive;
    const bool unloads = wanted.keep_alive == std::chrono::seconds(0);
    const auto engines = service_.status().engines;
    const bool is_loaded =
        std::any_of(engines.begin(), engines.end(), [&](const auto& engine) { return engine.model == wanted.model; });
    const bool is_remote = wanted.model.find('@') != std::string::npos;  // the rules answer, whether it is there or not
    if (!unloads || is_loaded || is_remote) {
        return generate(exchange, request, std::move(nothing), std::make_unique<PreloadFormat>(kind, unloads));
    }
    // It is not to be loaded for that.
    find_model(request, wanted.model, [exchange, kind, name = wanted.model](const ModelEntry* model) {
        if (model == nullptr) return exchange->reply(ollama_error(no_such_model(name)));
        exchange->reply(json_reply(ollama_loaded(kind, {0, name, std::chrono::system_clock::now()}, kUnload)));
    });
}

}  // namespace llmd::http
