#include "http/api.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "api/errors.h"
#include "api/field_readers.h"
#include "api/fields.h"
#include "api/listing.h"
#include "base/json_writer.h"
#include "http/anthropic_json.h"
#include "http/bridge_guard.h"
#include "http/not_offered.h"
#include "http/responses_json.h"
#include "http/tokenizer_body.h"

namespace llmd::http {

namespace {

using base::ErrorCode;
using base::fail;

constexpr std::string_view kId = "{id}";
constexpr const char* kVersion = "/v1";
constexpr std::string_view kShortModelPath = "/models/";
constexpr std::string_view kModelPath = "/v1/models/{id}";
constexpr std::string_view kCancelPath = "/v1/requests/{id}/cancel";

// Returns the part of `path` where `pattern` has "{id}", empty if that has none; nothing when they do not match.
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

// Returns the answer of llama.cpp's server at /props, about the model that answers, loaded or not.
std::string llama_props(const supervisor::ModelEntry& model, const service::Status& status, const std::string& version,
                        bool with_path) {
    base::JsonWriter json;
    json.begin_object();
    json.key("default_generation_settings").begin_object();
    json.key("n_ctx").value(model.loaded ? status.main.context_length : model.n_ctx_train);
    json.end_object();
    json.key("total_slots").value(model.loaded ? status.main.slots : 0);
    json.key("model_alias").value(model.name);
    json.key("model_path").value(with_path ? model.path : model.name);
    json.key("chat_template").value(model.chat_template);
    json.key("modalities").begin_object().key("vision").value(false).key("audio").value(false).end_object();
    json.key("build_info").value("llmd " + version);
    json.key("is_sleeping").value(!model.loaded);
    return json.end_object().take();
}

// The question for the prompt of a conversation, which is moved out of `chat`.
protocol::Render prompt_of(service::GenerateRequest& chat) {
    protocol::Render question;
    question.messages = std::move(chat.messages);
    question.thinking = chat.thinking;
    if (chat.tool_choice != protocol::ToolChoice::None) question.tools = std::move(chat.tools);
    return question;
}

// Returns the number in "cmpl-12", "chatcmpl-12", "resp_692d5f3c_12", "msg_692d5f3c_12" or "12"; 0 when it is none, as
// in "msg_692d5f3c_12_0", which is an item of a response.
service::RequestId request_id(std::string_view id) {
    for (const std::string_view prefix : {"chatcmpl-", "cmpl-"}) {
        if (id.starts_with(prefix)) id.remove_prefix(prefix.size());
    }
    const bool is_message = id.starts_with("msg_") && std::count(id.begin(), id.end(), '_') == 2;
    if (id.starts_with("resp_") || is_message) id.remove_prefix(id.rfind('_') + 1);
    service::RequestId number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    return error == std::errc() && end == id.data() + id.size() ? number : 0;
}

}  // namespace

struct Api::Endpoint {
    enum class Rule : uint8_t {
        None,
        Call,      // it generates or embeds: a bridge's wait in a queue
        HostOnly,  // refused to programs in a sandbox, and to what comes through the bridge
    };
    std::string_view method;
    std::string_view path;
    Handler handler;
    Rule rule = Rule::None;
};

const Api::Endpoint Api::kEndpoints[] = {
    {"GET", "/health", &Api::get_health},
    {"GET", "/v1/models", &Api::get_models},
    {"GET", kModelPath, &Api::get_model},
    {"GET", "/props", &Api::get_props},
    {"GET", "/status", &Api::get_status},
    {"GET", "/metrics", &Api::get_metrics},
    {"POST", "/v1/completions", &Api::post_completions, Endpoint::Rule::Call},
    {"POST", "/v1/chat/completions", &Api::post_chat_completions, Endpoint::Rule::Call},
    {"POST", "/v1/responses", &Api::post_responses, Endpoint::Rule::Call},
    {"POST", "/v1/messages", &Api::post_messages, Endpoint::Rule::Call},
    {"POST", "/v1/messages/count_tokens", &Api::post_count_tokens},
    {"POST", "/v1/embeddings", &Api::post_embeddings, Endpoint::Rule::Call},
    {"POST", kCancelPath, &Api::post_cancel},
    {"GET", "/llmd/models", &Api::get_llmd_models},
    {"POST", "/llmd/stream", &Api::post_llmd_stream, Endpoint::Rule::Call},
    {"POST", "/llmd/embed", &Api::post_llmd_embed, Endpoint::Rule::Call},
    {"GET", "/llmd/requests", &Api::get_llmd_requests},
    {"GET", "/llmd/requests/own", &Api::get_llmd_own_requests},
    {"POST", "/llmd/requests/cancel", &Api::post_llmd_cancel_all, Endpoint::Rule::HostOnly},
    {"POST", "/llmd/load", &Api::post_llmd_load, Endpoint::Rule::HostOnly},
    {"POST", "/llmd/unload", &Api::post_llmd_unload, Endpoint::Rule::HostOnly},
    {"POST", "/llmd/reload", &Api::post_llmd_reload, Endpoint::Rule::HostOnly},
    {"POST", "/tokenize", &Api::post_tokenize},
    {"POST", "/detokenize", &Api::post_detokenize},
    {"POST", "/apply-template", &Api::post_apply_template},
    {"GET", "/", &Api::get_ollama},
    {"GET", "/api/version", &Api::get_ollama_version},
    {"GET", "/api/tags", &Api::get_ollama_tags},
    {"GET", "/api/ps", &Api::get_ollama_ps},
    {"POST", "/api/show", &Api::post_ollama_show},
    {"POST", "/api/generate", &Api::post_ollama_generate, Endpoint::Rule::Call},
    {"POST", "/api/chat", &Api::post_ollama_chat, Endpoint::Rule::Call},
    {"POST", "/api/embed", &Api::post_ollama_embed, Endpoint::Rule::Call},
    {"POST", "/api/embeddings", &Api::post_ollama_embeddings, Endpoint::Rule::Call},
    {"POST", "/api/pull", &Api::post_ollama_pull},
};

Api::Api(base::EventLoop& loop, service::Service& service, std::string version)
    : loop_(loop), service_(service), version_(std::move(version)) {}

std::string Api::plain_path(std::string_view path) {
    std::string plain;
    for (const char c : path) {
        if (c != '/' || !plain.ends_with('/')) plain += c;
    }
    if (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
    constexpr std::string_view kShortPaths[] = {"/chat/completions", "/completions", "/embeddings", "/responses",
                                                "/models"};
    const bool is_short = plain.starts_with(kShortModelPath) ||
                          std::find(std::begin(kShortPaths), std::end(kShortPaths), plain) != std::end(kShortPaths);
    return is_short ? kVersion + plain : plain;
}

bool Api::is_call(std::string_view method, std::string_view path) {
    return std::any_of(std::begin(kEndpoints), std::end(kEndpoints), [&](const Endpoint& endpoint) {
        return endpoint.rule == Endpoint::Rule::Call && endpoint.method == method && endpoint.path == path;
    });
}

void Api::handle(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    // HEAD is GET without the body, which libmicrohttpd leaves out by itself.
    const std::string_view method = request.method == "HEAD" ? "GET" : std::string_view(request.method);
    std::string allowed;
    for (const Endpoint& endpoint : kEndpoints) {
        if (!id_in(request.path, endpoint.path)) continue;
        if (endpoint.method == method) {
            if (endpoint.rule == Endpoint::Rule::HostOnly && request.caller.sandboxed) {
                return exchange->reply(refuse(api::sandboxed_caller()));
            }
            return (this->*endpoint.handler)(exchange, request);
        }
        allowed +=
            (allowed.empty() ? "" : ", ") + std::string(endpoint.method == "GET" ? "GET, HEAD" : endpoint.method);
    }
    if (auto refused = allowed.empty() ? refuse_not_offered(request.path) : std::nullopt) {
        return exchange->reply(std::move(*refused));
    }
    if (allowed.empty()) {
        return exchange->reply(refuse_in_form(
            request.path, 404, fail(ErrorCode::NotFound, "there is nothing at ", base::in_quotes(request.path))));
    }
    Reply reply = refuse_in_form(
        request.path, 405,
        fail(ErrorCode::InvalidArgument, request.path, " takes ", allowed, ", not ", base::in_quotes(request.method)));
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
    list_models(request, [exchange, sandboxed = request.caller.sandboxed](auto models) {
        if (sandboxed) std::transform(models.begin(), models.end(), models.begin(), supervisor::without_path_in_error);
        exchange->reply(json_reply(openai_models(models)));
    });
}

void Api::get_model(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const std::string name(api::without_latest(*id_in(request.path, kModelPath)));
    const bool sandboxed = request.caller.sandboxed;
    find_model(request, name, [exchange, name, sandboxed](const supervisor::ModelEntry* model) {
        if (model != nullptr) {
            return exchange->reply(
                json_reply(openai_model(sandboxed ? supervisor::without_path_in_error(*model) : *model)));
        }
        exchange->reply(refuse(fail(ErrorCode::ModelNotFound, "there is no model ", base::in_quotes(name))));
    });
}

void Api::list_models(const Request& request, std::function<void(std::vector<supervisor::ModelEntry>)> answer) {
    service_.list_models(request.caller, std::move(answer));
}

void Api::find_model(const Request& request, std::string name,
                     std::function<void(const supervisor::ModelEntry*)> answer) {
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
    if (!call) return exchange->reply(refuse(call.error()));
    auto format = make_openai_format(kind, call->n, call->include_usage, call->request.top_logprobs, n_ctx());
    generate(exchange, request, std::move(*call), std::move(format));
}

void Api::post_responses(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    std::vector<std::string> notes;
    const auto body = api::parse_body(request.body, &notes);
    if (!body) return exchange->reply(refuse(body.error()));
    const auto& object = *body->get<base::Value::Object>();
    auto call = api::read_call(object, api::kResponses);
    if (!call) return exchange->reply(refuse(call.error()));
    call->notes.insert(call->notes.end(), notes.begin(), notes.end());
    auto format = make_responses_format(responses_echo(object, *call), n_ctx());
    generate(exchange, request, std::move(*call), std::move(format));
}

void Api::post_messages(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = api::read_call(request.body, api::kAnthropic);
    if (!call) return exchange->reply(anthropic_error(call.error()));
    generate(exchange, request, std::move(*call), make_anthropic_format());
}

void Api::post_count_tokens(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = api::read_call(request.body, api::kAnthropic);
    if (!call) return exchange->reply(anthropic_error(call.error()));
    service_.render(call->request.model, prompt_of(call->request), [exchange, sent = call->sent](const auto& prompt) {
        if (prompt) return exchange->reply(json_reply(anthropic_count(prompt->n_tokens)));
        exchange->reply(anthropic_error(sent.in(prompt.error())));
    });
}

void Api::get_status(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    exchange->reply(json_reply(api::status_json(api::status_for(service_, request.caller), version_)));
}

void Api::get_props(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const bool sees_paths = !request.caller.sandboxed;
    service_.list_models([exchange, sees_paths, &service = service_, version = version_](const auto& models) {
        // The one in the status; others may be loaded too.
        const service::Status status = service.status();
        auto found = std::find_if(models.begin(), models.end(),
                                  [&](const auto& one) { return one.loaded && one.name == status.main.model; });
        if (found == models.end()) {
            found = std::find_if(models.begin(), models.end(), [](const auto& one) { return one.is_default; });
        }
        if (found == models.end()) {
            return exchange->reply(
                refuse(fail(ErrorCode::ModelNotFound, "no model is loaded, and none is the default")));
        }
        exchange->reply(json_reply(llama_props(*found, status, version, sees_paths)));
    });
}

void Api::post_embeddings(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto call = api::read_call(request.body, api::kEmbeddings);
    if (!call) return exchange->reply(refuse(call.error()));
    auto format = make_openai_embeddings_format(call->encoding, n_ctx());
    generate(exchange, request, std::move(*call), std::move(format));
}

void Api::get_metrics(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    Reply reply;
    reply.type = api::kMetricsType;
    reply.body = api::metrics_text(api::status_for(service_, request.caller), version_);
    exchange->reply(std::move(reply));
}

void Api::post_tokenize(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto body = parse_tokenize(request.body);
    if (!body) return exchange->reply(refuse(body.error()));
    protocol::Tokenize question;
    question.text = std::move(body->content);
    question.add_special = body->add_special;
    question.with_pieces = body->with_pieces;
    service_.tokenize(body->model, std::move(question), [exchange](const auto& tokenized) {
        exchange->reply(tokenized ? json_reply(tokenized_json(*tokenized)) : refuse(tokenized.error()));
    });
}

void Api::post_detokenize(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    auto body = parse_detokenize(request.body);
    if (!body) return exchange->reply(refuse(body.error()));
    service_.detokenize(body->model, std::move(body->tokens), [exchange](const auto& text) {
        exchange->reply(text ? json_reply(detokenized_json(*text)) : refuse(text.error()));
    });
}

void Api::post_apply_template(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    // All that a chat completion takes: what would not change the prompt does no harm.
    auto call = api::read_call(request.body, api::kChat);
    if (!call) return exchange->reply(refuse(call.error()));
    service_.render(call->request.model, prompt_of(call->request), [exchange](const auto& prompt) {
        exchange->reply(prompt ? json_reply(rendered_json(prompt->text)) : refuse(prompt.error()));
    });
}

void Api::post_cancel(const std::shared_ptr<Exchange>& exchange, const Request& request) {
    const std::string_view name = *id_in(request.path, kCancelPath);
    service::RequestId id = request_id(name);
    // Or what the lists call it.
    for (const auto& one : service_.requests()) {
        if (api::request_path(one) == base::concat(api::kRequestRoot, name)) id = one.id;
    }
    // The first choice of an answer with several may have ended, and the answer has its id.
    service::RequestId unended = id;
    for (const auto& [key, answering] : answers_) {
        if (answering.answer->id() == id) unended = answering.answer->unended().value_or(id);
    }
    const auto known = service_.request(unended);
    // A sandboxed program learns nothing of what others ask.
    if (!known || !api::may_know_of(known->caller, request.caller)) {
        return exchange->reply(refuse(fail(ErrorCode::NotFound, "there is no such request, or it has ended")));
    }
    (void)service_.cancel(unended);
    base::JsonWriter json;
    json.begin_object().key("id").value(id).key("cancelled").value(true).end_object();
    exchange->reply(json_reply(json.take()));
}

void Api::generate(const std::shared_ptr<Exchange>& exchange, const Request& request, api::Call call,
                   std::unique_ptr<BodyFormat> format, std::optional<api::AnswerMode> mode) {
    call.request.caller = request.caller;
    const uint32_t loaded_n_ctx = n_ctx()();
    if (call.n_ctx && loaded_n_ctx > 0 && *call.n_ctx > loaded_n_ctx) {
        call.notes.push_back(base::concat("options.num_ctx: the context has ", loaded_n_ctx, " tokens"));
    }
    if (!mode) mode = call.stream ? api::AnswerMode::Stream : api::AnswerMode::Whole;
    const uint64_t key = ++last_answer_;
    const auto forget = [this, key] {
        loop_.defer([this, key, alive = std::weak_ptr<void>(alive_)] {
            if (!alive.expired()) answers_.erase(key);
        });
    };
    Answering answering;
    answering.sink = std::make_unique<ReplySink>(exchange, std::move(format));
    answering.answer =
        std::make_unique<api::Answer>(service_, *answering.sink, &answering.sink->format(), *mode, forget);
    auto requests = choices_of(call);
    const auto submitted = answering.answer->submit(std::move(requests), std::move(call.notes), std::move(call.sent));
    if (!submitted) return answering.sink->refuse(submitted.error(), 0);
    answers_.emplace(key, std::move(answering));
}

}  // namespace llmd::http
