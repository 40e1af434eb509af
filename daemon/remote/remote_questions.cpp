#include "remote/remote_questions.h"

#include <utility>

namespace llmd::remote {

namespace {

bool lacks_endpoint(long status) {
    constexpr long kNotFound = 404, kNotAllowed = 405, kNotImplemented = 501;
    return status == kNotFound || status == kNotAllowed || status == kNotImplemented;
}

}  // namespace

RemoteQuestions::RemoteQuestions(RemoteContext& context, std::function<void(Failure failure)> on_failure)
    : context_(context),
      on_failure_(std::move(on_failure)),
      fetch_(context.loop, context.transport, context.limits.reply) {}

void RemoteQuestions::ask_prompt_ids(const protocol::Submit& submit, TakeIds take) {
    const auto take_reply = [this, take](const Reply& reply) { take_prompt_ids(reply, take); };
    const std::string& model = context_.upstream.model;
    if (submit.messages.empty()) return tokenize_prompt(submit.prompt, false, std::move(take));
    if (context_.upstream.api != Api::LlamaServer) {
        return fetch_.start(make_tokenize_chat_call(model, submit), take_reply);
    }
    fetch_.start(make_template_call(model, submit.messages, submit.thinking),
                 [this, take, take_reply](const Reply& reply) {
                     const auto text = reply.failure ? std::nullopt : read_string(reply.body, "prompt");
                     text ? tokenize_prompt(*text, true, take) : take_reply(reply);
                 });
}

void RemoteQuestions::tokenize_prompt(const std::string& text, bool parse_special, TakeIds take) {
    fetch_.start(make_tokenize_call(context_.upstream.api, context_.upstream.model, text,
                                    {.add_special = true, .parse_special = parse_special}),
                 [this, take = std::move(take)](const Reply& reply) { take_prompt_ids(reply, take); });
}

void RemoteQuestions::take_prompt_ids(const Reply& reply, const TakeIds& take) {
    constexpr long kBadRequest = 400, kUnprocessable = 422;
    if (reply.failure) {
        // Some versions have no tokenizer, or one for texts and not for conversations.
        const long status = reply.failure->status;
        const bool has_none = lacks_endpoint(status);
        if (!has_none && status != kBadRequest && status != kUnprocessable) return on_failure_(*reply.failure);
        context_.has_no_tokenizer = context_.has_no_tokenizer || has_none;
        return take({});
    }
    auto ids = read_tokens(reply.body);
    take(ids ? *std::move(ids) : std::vector<int32_t>());
}

void RemoteQuestions::ask_ids(const std::string& text, TakeIds take) {
    ask(make_tokenize_call(context_.upstream.api, context_.upstream.model, text, {.add_special = false}),
        [this, take = std::move(take)](const std::string& body) {
            auto ids = read_tokens(body);
            if (ids) return take(*std::move(ids));
            on_failure_({.kind = Failure::Kind::Malformed, .detail = ids.error().message});
        });
}

void RemoteQuestions::ask_text(std::span<const int32_t> ids,
                               std::function<void(std::optional<std::string> text)> take) {
    ask(make_detokenize_call(context_.upstream.model, ids), [this, take = std::move(take)](const std::string& body) {
        take(read_string(body, detokenized_key(context_.upstream.api)));
    });
}

void RemoteQuestions::ask_model(std::function<void(const ListedModel* model)> take) {
    ask({"/v1/models", {}}, [this, take = std::move(take)](const std::string& body) {
        const auto models = read_models(body);
        take(models ? find_model(*models, context_.upstream.model) : nullptr);
    });
}

void RemoteQuestions::ask(HttpCall call, std::function<void(const std::string& body)> take) {
    fetch_.start(std::move(call), [this, take = std::move(take)](const Reply& reply) {
        reply.failure ? on_failure_(*reply.failure) : take(reply.body);
    });
}

}  // namespace llmd::remote
