// The HTTP APIs: finds the endpoint of a request and answers it from the service. OpenAI's API, Anthropic's messages,
// the parts of Ollama's and llama-server's that their clients need, and a few calls of llmd's own. Knows neither
// sockets nor libmicrohttpd. Thread-bound to the event loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/call.h"
#include "base/event_loop.h"
#include "http/embeddings_json.h"
#include "http/exchange.h"
#include "http/ollama_json.h"
#include "http/openai_json.h"
#include "http/request.h"
#include "service/service.h"

namespace llmd::http {

class Api {
public:
    // The references must outlive it. `version` is llmd's.
    Api(base::EventLoop& loop, service::Service& service, std::string version);
    Api(const Api&) = delete;
    Api& operator=(const Api&) = delete;

    // Answers in the end, whatever the request is, unless the client goes.
    void handle(const std::shared_ptr<Exchange>& exchange, const Request& request);
    // The path as the endpoints have it: a doubled slash and one at the end are as none, and what llama-server serves
    // without /v1 too has it.
    static std::string plain_path(std::string_view path);
    // Such a request generates or embeds: its answer takes its time.
    static bool is_call(std::string_view method, std::string_view path);

private:
    struct Answering {
        std::unique_ptr<ReplySink> sink;  // outlives the answer
        std::unique_ptr<api::Answer> answer;
    };
    struct Endpoint;
    static const Endpoint kEndpoints[];

    using Handler = void (Api::*)(const std::shared_ptr<Exchange>&, const Request&);

    // --- api.cpp -----------------------------------------------------------------------------------------------------
    void get_health(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void get_models(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void get_model(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void get_props(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void get_status(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void get_metrics(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_completions(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_chat_completions(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_messages(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_count_tokens(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_responses(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void openai(const std::shared_ptr<Exchange>& exchange, const Request& request, OpenAiKind kind,
                base::Result<api::Call> call);
    void post_embeddings(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_tokenize(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_detokenize(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_apply_template(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_cancel(const std::shared_ptr<Exchange>& exchange, const Request& request);

    // --- llmd_api.cpp ------------------------------------------------------------------------------------------------
    void get_llmd_models(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_llmd_stream(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_llmd_embed(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void get_llmd_requests(const std::shared_ptr<Exchange>& exchange, const Request& request);
    // Those of the process that asks.
    void get_llmd_own_requests(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_llmd_cancel_all(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_llmd_load(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_llmd_unload(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_llmd_reload(const std::shared_ptr<Exchange>& exchange, const Request& request);

    // --- ollama_api.cpp ----------------------------------------------------------------------------------------------
    void get_ollama(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void get_ollama_version(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void get_ollama_tags(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void get_ollama_ps(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_ollama_show(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_ollama_generate(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_ollama_chat(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_ollama_embed(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_ollama_embeddings(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void post_ollama_pull(const std::shared_ptr<Exchange>& exchange, const Request& request);
    void ollama(const std::shared_ptr<Exchange>& exchange, const Request& request, OllamaKind kind,
                base::Result<api::Call> call);
    // The model is loaded, or unloaded where the client asks to keep it for no time; nothing is generated.
    void preload(const std::shared_ptr<Exchange>& exchange, const Request& request, OllamaKind kind,
                 const service::GenerateRequest& wanted);

    // `answer` has the models that whoever asked may use.
    void list_models(const Request& request, std::function<void(std::vector<supervisor::ModelEntry>)> answer);
    // `answer` has the one of that name, or null.
    void find_model(const Request& request, std::string name,
                    std::function<void(const supervisor::ModelEntry*)> answer);
    // Submits the requests of `call`, one for each choice, for the client of `request`.
    void generate(const std::shared_ptr<Exchange>& exchange, const Request& request, api::Call call,
                  std::unique_ptr<BodyFormat> format, std::optional<api::AnswerMode> mode = {});
    std::function<uint32_t()> n_ctx() {
        return [this] { return service_.status().main.context_length; };
    }

    base::EventLoop& loop_;
    service::Service& service_;
    const std::string version_;
    uint64_t last_answer_ = 0;
    std::map<uint64_t, Answering> answers_;                  // the answers that have not ended
    std::shared_ptr<void> alive_ = std::make_shared<int>();  // deferred calls look at this
};

}  // namespace llmd::http
