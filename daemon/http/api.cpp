#include "http/api.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "api/errors.h"
#include "api/fields.h"
#include "api/status.h"
#include "base/json_writer.h"
#include "http/responses_json.h"
#include "http/tokenizer_body.h"

namespace llmd::http {

namespace {

using base::Error;
using base::ErrorCode;
using base::fail;

constexpr std::string_view kId = "{id}";
constexpr std::string_view kModelPath = "/v1/models/{id}";
constexpr std::string_view kCancelPath = "/v1/requests/{id}/cancel";

Reply refusal(const Error& error) {
    return error_reply(error, api::openai_error(error));
}

// What stands in `path` where `pattern` has "{id}", empty if that has none; nothing when they do not match.
std::optional<std::string_view> id_in(std::string_view path, std::string_view pattern) {
    const size_t place = pattern.find(kId);
    if (place == std::string_view::npos) return path == pattern ? std::optional<std::string_view>("") : std::nullopt;
    const std::string_view before = pattern.substr(0, place);
    const std::string_view after = pattern.substr(place + kId.size());
    if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after)) {
        return std::nullopt;
    }
    return path.substr(before.size(), path.size() - before.size() - after.size());
}

// What llama.cpp's server tells at /props of the model that answers, loaded or not.
std::string llama_props(const engines::ModelEntry& model, const service::Status& status, const std::string& version,
                        bool with_path) {
    base::JsonWriter json;
    json.begin_object();
    json.key("default_generation_settings").begin_object();
    json.key("n_ctx").value(model.loaded ? status.context_length : model.context_length);
    json.end_object();
    json.key("total_slots").value(model.loaded ? status.slots : 0);
    json.key("model_alias").value(model.name);
    json.key("model_path").value(with_path ? model.path : model.name);
    json.key("chat_template").value(model.chat_template);
    json.key("modalities").begin_object().key("vision").value(false).key("audio").value(false).end_object();
    json.key("build_info").value("llmd " + version);
    json.key("is_sleeping").value(!model.loaded);
    return json.end_object().take();
}

// Of "cmpl-12", "chatcmpl-12", "resp_692d5f3c_12" or "12"; 0 when it is none.
service::RequestId request_id(std::string_view id) {
    for (const std::string_view prefix : {"chatcmpl-", "cmpl-"}) {
        if (id.starts_with(prefix)) id.remove_prefix(prefix.size());
    }
    if (id.starts_with("resp_")) id.remove_prefix(id.rfind('_') + 1);
    service::RequestId number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    return error == std::errc() && end == id.data() + id.size() ? number : 0;
}

}  // namespace

struct Api::Endpoint {
    std::string_view method;
    std::string_view path;
    Handler handler;
};

const Api::Endpoint Api::kEndpoints[] = {
    {"GET", "/health", &Api::get_health},
    {"GET", "/v1/models", &Api::get_models},
    {"GET", "/models", &Api::get_models},
    {"GET", kModelPath, &Api::get_model},
    {"GET", "/props", &Api::get_props},
    {"GET", "/status", &Api::get_status},
    {"GET", "/metrics", &Api::get_metrics},
    {"POST", "/v1/completions", &Api::post_completions},
    {"POST", "/v1/chat/completions", &Api::post_chat_completions},
    {"POST", "/v1/responses", &Api::post_responses},
    {"POST", "/v1/embeddings", &Api::post_embeddings},
    {"POST", kCancelPath, &Api::post_cancel},
    {"POST", "/tokenize", &Api::post_tokenize},
    {"POST", "/detokenize", &Api::post_detokenize},
    {"POST", "/apply-template", &Api::post_apply_template},
    {"GET", "/", &Api::get_ollama},
    {"GET", "/api/version", &Api::get_ollama_version},
    {"GET", "/api/tags", &Api::get_ollama_tags},
    {"GET", "/api/ps", &Api::get_ollama_ps},
    {"POST", "/api/show", &Api::post_ollama_show},
    {"POST", "/api/generate", &Api::post_ollama_generate},
    {"POST", "/api/chat", &Api::post_ollama_chat},
    {"POST", "/api/embed", &Api::post_ollama_embed},
    {"POST", "/api/embeddings", &Api::post_ollama_embeddings},
    {"POST", "/api/pull", &Api::post_ollama_pull},
    {"DELETE", "/api/delete", &Api::refuse_ollama},
    {"POST", "/api/copy", &Api::refuse_ollama},
    {"POST", "/api/create", &Api::refuse_ollama},
    {"POST", "/api/push", &Api::refuse_ollama},
    {"GET", "/api/blobs/{id}", &Api::refuse_ollama},
    {"POST", "/api/blobs/{id}", &Api::refuse_ollama},
};

Api::Api(base::EventLoop& loop, service::Service& service, std::string version)
    : loop_(loop), service_(service), version_(std::move(version)) {}

void Api::handle(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    // HEAD is GET without the body, which libmicrohttpd leaves out by itself.
    const std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
    std::string allowed;
    for (const Endpoint& endpoint : kEndpoints) {
        if (!id_in(request.path, endpoint.path)) continue;
        if (endpoint.method == method) return (this->*endpoint.handler)(exchange, request);
        allowed +=
            (allowed.empty() ? "" : ", ") + std::string(endpoint.method == "GET" ? "GET, HEAD" : endpoint.method);
    }
    if (allowed.empty()) {
        return exchange->reply(
            refusal(fail(ErrorCode::NotFound, "there is nothing at ", base::in_quotes(request.path))));
    }
    Reply reply = refusal(
        fail(ErrorCode::InvalidArgument, request.path, " takes ", allowed, ", not ", base::in_quotes(request.method)));
    reply.status = 405;
    reply.headers.emplace_back("Allow", allowed);
    exchange->reply(std::move(reply));
}

void Api::get_health(const std::shared_ptr<Exchange>& exchange, const Request&) {
    base::JsonWriter json;
    json.begin_object();
    json.key("status").value("ok");
    json.key("state").value(service::state_name(service_.status().state));
    exchange->reply(json_reply(json.end_object().take()));
}

void Api::get_models(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    list_models(request, [exchange, sandboxed = request.client.caller.sandboxed](auto models) {
        if (sandboxed) std::transform(models.begin(), models.end(), models.begin(), engines::without_path_in_error);
        exchange->reply(json_reply(openai_models(models)));
    });
}

void Api::get_model(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const std::string name(*id_in(request.path, kModelPath));
    const bool sandboxed = request.client.caller.sandboxed;
    find_model(request, name, [exchange, name, sandboxed](const engines::ModelEntry* model) {
        if (model != nullptr) {
            return exchange->reply(
                json_reply(openai_model(sandboxed ? engines::without_path_in_error(*model) : *model)));
        }
        exchange->reply(refusal(fail(ErrorCode::ModelNotFound, "there is no model ", base::in_quotes(name))));
    });
}

void Api::list_models(const Request& request, std::function<void(std::vector<engines::ModelEntry>)> answer) {
    const api::Caller& caller = request.client.caller;
    service_.list_models({caller.sandboxed, caller.application}, std::move(answer));
}

void Api::find_model(const Request& request, std::string name, std::function<void(const engines::ModelEntry*)> answer) {
    list_models(request, [name = std::move(name), answer = std::move(answer)](const auto& models) {
        const auto found =
            std::find_if(models.begin(), models.end(), [&](const auto& one) { return one.name == name; });
        answer(found != models.end() ? &*found : nullptr);
    });
}

void Api::post_completions(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    openai(exchange, request, OpenAiKind::Completion, api::read_call(request.body, api::kCompletion));
}

void Api::post_chat_completions(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    openai(exchange, request, OpenAiKind::Chat, api::read_call(request.body, api::kChat));
}

void Api::openai(const std::shared_ptr<Exchange>& exchange, const Request& request, OpenAiKind kind,
                 base::Result<api::Call> call) {
    if (!call) return exchange->reply(refusal(call.error()));
    auto format = make_openai_format(kind, call->n, call->include_usage, call->request.top_logprobs, n_ctx());
    generate(exchange, request, std::move(*call), std::move(format));
}

void Api::post_responses(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const auto body = api::parse_body(request.body);
    if (!body) return exchange->reply(refusal(body.error()));
    const auto& object = *body->get<base::Value::Object>();
    auto call = api::read_call(object, api::kResponses);
    if (!call) return exchange->reply(refusal(call.error()));
    auto format = make_responses_format(responses_echo(object, *call), n_ctx());
    generate(exchange, request, std::move(*call), std::move(format));
}

void Api::get_status(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    exchange->reply(
        json_reply(api::status_json(api::status_for(service_, request.client.caller, request.client.name), version_)));
}

void Api::get_props(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const bool sees_paths = !request.client.caller.sandboxed;
    service_.list_models([exchange, sees_paths, &service = service_, version = version_](const auto& models) {
        // The one that the status tells of; others may be loaded too.
        const service::Status status = service.status();
        auto found = std::find_if(models.begin(), models.end(),
                                  [&](const auto& one) { return one.loaded && one.name == status.model; });
        if (found == models.end()) {
            found = std::find_if(models.begin(), models.end(), [](const auto& one) { return one.is_default; });
        }
        if (found == models.end()) {
            return exchange->reply(
                refusal(fail(ErrorCode::ModelNotFound, "no model is loaded, and none is the default")));
        }
        exchange->reply(json_reply(llama_props(*found, status, version, sees_paths)));
    });
}

void Api::post_embeddings(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = api::read_call(request.body, api::kEmbeddings);
    if (!call) return exchange->reply(refusal(call.error()));
    auto format = make_openai_embeddings_format(call->encoding, n_ctx());
    generate(exchange, request, std::move(*call), std::move(format));
}

void Api::get_metrics(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    Reply reply;
    reply.type = api::kMetricsType;
    reply.body = api::metrics_text(api::status_for(service_, request.client.caller, request.client.name), version_);
    exchange->reply(std::move(reply));
}

void Api::post_tokenize(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto body = parse_tokenize(request.body);
    if (!body) return exchange->reply(refusal(body.error()));
    protocol::Tokenize question;
    question.text = std::move(body->content);
    question.add_special = body->add_special;
    question.with_pieces = body->with_pieces;
    service_.tokenize(body->model, std::move(question), [exchange](const auto& tokenized) {
        exchange->reply(tokenized ? json_reply(tokenized_json(*tokenized)) : refusal(tokenized.error()));
    });
}

void Api::post_detokenize(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto body = parse_detokenize(request.body);
    if (!body) return exchange->reply(refusal(body.error()));
    service_.detokenize(body->model, std::move(body->tokens), [exchange](const auto& text) {
        exchange->reply(text ? json_reply(detokenized_json(*text)) : refusal(text.error()));
    });
}

void Api::post_apply_template(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    // All that a chat completion takes: what would not change the prompt does no harm.
    auto call = api::read_call(request.body, api::kChat);
    if (!call) return exchange->reply(refusal(call.error()));
    service::GenerateRequest& chat = call->request;
    protocol::Render question;
    question.messages = std::move(chat.messages);
    question.thinking = chat.thinking;
    if (chat.tool_choice != protocol::ToolChoice::None) question.tools = std::move(chat.tools);
    service_.render(chat.model, std::move(question), [exchange](const auto& text) {
        exchange->reply(text ? json_reply(rendered_json(*text)) : refusal(text.error()));
    });
}

void Api::post_cancel(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const service::RequestId id = request_id(*id_in(request.path, kCancelPath));
    // Of an answer with several choices the first may have ended, which has given it its id.
    service::RequestId unended = id;
    for (const auto& [key, generation] : generations_) {
        if (generation->id() == id) unended = generation->unended().value_or(id);
    }
    const auto known = service_.request(unended);
    // A sandboxed program learns nothing of what others ask.
    const bool allowed = known && (known->client == request.client.name || !request.client.caller.sandboxed);
    if (!allowed) {
        return exchange->reply(refusal(fail(ErrorCode::NotFound, "there is no such request, or it has ended")));
    }
    (void)service_.cancel(unended);
    base::JsonWriter json;
    json.begin_object().key("id").value(id).key("cancelled").value(true).end_object();
    exchange->reply(json_reply(json.take()));
}

void Api::generate(const std::shared_ptr<Exchange>& exchange, const Request& request, api::Call call,
                   std::unique_ptr<AnswerFormat> format) {
    const Client& client = request.client;
    call.request.client = client.name;
    call.request.share = client.caller.share;
    call.request.sandboxed = client.caller.sandboxed;
    call.request.application = client.caller.application;
    const uint32_t loaded_n_ctx = n_ctx()();
    if (call.n_ctx && loaded_n_ctx > 0 && *call.n_ctx > loaded_n_ctx) {
        call.notes.push_back(base::concat("options.num_ctx: the context has ", loaded_n_ctx, " tokens"));
    }
    const uint64_t key = ++last_generation_;
    auto& generation = generations_[key];
    generation = std::make_unique<Generation>(service_, exchange, std::move(format), call.stream, [this, key] {
        loop_.defer([this, key, alive = std::weak_ptr<void>(alive_)] {
            if (!alive.expired()) generations_.erase(key);
        });
    });
    generation->set_notes(std::move(call.notes));
    generation->submit(choices_of(call));
}

}  // namespace llmd::http
