// Ollama's endpoints.
#include <utility>

#include "api/field_readers.h"
#include "api/fields.h"
#include "base/json_writer.h"
#include "http/api.h"
#include "http/ollama_models.h"

namespace llmd::http {

using base::ErrorCode;
using base::fail;
using service::ModelEntry;

void Api::get_ollama(const std::shared_ptr<Exchange>& exchange, const Request&) {
    // By these words clients know that it is there.
    Reply reply;
    reply.type = "text/plain; charset=utf-8";
    reply.body = "Ollama is running";
    exchange->reply(std::move(reply));
}

void Api::get_ollama_version(const std::shared_ptr<Exchange>& exchange, const Request&) {
    base::JsonWriter json;
    json.begin_object().key("version").value(version_).end_object();
    exchange->reply(json_reply(json.take()));
}

void Api::get_ollama_tags(const std::shared_ptr<Exchange>& exchange, const Request&) {
    service_.list_models(
        [exchange](const std::vector<ModelEntry>& models) { exchange->reply(json_reply(ollama_models(models))); });
}

void Api::get_ollama_ps(const std::shared_ptr<Exchange>& exchange, const Request&) {
    service_.list_models([exchange](std::vector<ModelEntry> models) {
        std::erase_if(models, [](const ModelEntry& model) { return !model.loaded; });
        exchange->reply(json_reply(ollama_models(models)));
    });
}

void Api::post_ollama_show(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const auto json = api::parse_body(request.body);
    if (!json) return exchange->reply(ollama_error(json.error()));
    api::FieldReader reader(*json->get<base::Value::Object>());
    std::string name;
    api::read_model(reader, name);
    if (name.empty()) reader.refuse("model", "it is missing");
    if (reader.error()) return exchange->reply(ollama_error(*reader.error()));
    find_model(name, [exchange, name](const ModelEntry* model) {
        if (model != nullptr) return exchange->reply(json_reply(ollama_model(*model)));
        exchange->reply(ollama_error(fail(ErrorCode::ModelNotFound, "there is no model ", base::in_quotes(name))));
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
    generate(exchange, request, std::move(*call), make_ollama_embed_format());
}

void Api::post_ollama_embeddings(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = api::read_call(request.body, api::kOllamaEmbeddings);
    if (!call) return exchange->reply(ollama_error(call.error()));
    generate(exchange, request, std::move(*call), make_ollama_embedding_format());
}

void Api::ollama(const std::shared_ptr<Exchange>& exchange, const Request& request, OllamaKind kind,
                 base::Result<api::Call> call) {
    if (!call) return exchange->reply(ollama_error(call.error()));
    if (!call->request.prompt.empty() || !call->request.messages.empty()) {
        return generate(exchange, request, std::move(*call), make_ollama_format(kind));
    }
    if (request.client.caller.sandboxed) {
        return exchange->reply(
            ollama_error(fail(ErrorCode::NotAllowed, "a sandboxed application may load no model by itself")));
    }
    const std::string& model = call->request.model;
    const AnswerHead head{0, model, std::chrono::system_clock::now()};
    service_.load_model(model, [exchange, kind, head](const base::Result<void>& loaded) {
        exchange->reply(loaded ? json_reply(ollama_loaded(kind, head)) : ollama_error(loaded.error()));
    });
}

}  // namespace llmd::http
