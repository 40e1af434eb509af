// Questions for a model's tokenizer, which only an engine can answer.
#include <algorithm>
#include <utility>

#include "protocol/frame.h"
#include "service/service_impl.h"

namespace llmd::service {
namespace {

using base::ErrorCode;

// Questions that wait for an answer: more is a client out of control.
constexpr size_t kMaxTokenizeCalls = 16;
// Every byte may be a token, and the ids must fit into a frame.
constexpr size_t kMaxTokenizeBytes = protocol::kMaxArrayElements / 2;

template <typename Answer, typename T>
using MemberOf = T Answer::*;

// Gives the member of the answer that `done` is for.
template <typename Answer, typename T>
std::function<void(base::Result<protocol::Message>)> unwrap(std::function<void(base::Result<T>)> done,
                                                            MemberOf<Answer, T> member) {
    return [done = std::move(done), member](base::Result<protocol::Message> answer) {
        if (!answer) return done(std::move(answer).error());
        done(std::move(std::get<Answer>(*answer).*member));
    };
}

}  // namespace

void Service::Impl::tokenize(const std::string& model, std::string text,
                             std::function<void(base::Result<std::vector<int32_t>>)> done) {
    ask(model, protocol::Tokenize{.text = std::move(text)}, unwrap(std::move(done), &protocol::Tokenized::ids));
}

void Service::Impl::tokenize(const std::string& model, protocol::Tokenize question,
                             std::function<void(base::Result<protocol::Tokenized>)> done) {
    ask(model, std::move(question), [done = std::move(done)](base::Result<protocol::Message> answer) {
        if (!answer) return done(std::move(answer).error());
        done(std::get<protocol::Tokenized>(*std::move(answer)));
    });
}

void Service::Impl::render(const std::string& model, protocol::Render question,
                           std::function<void(base::Result<std::string>)> done) {
    ask(model, std::move(question), unwrap(std::move(done), &protocol::Rendered::text));
}

void Service::Impl::detokenize(const std::string& model, std::vector<int32_t> ids,
                               std::function<void(base::Result<std::string>)> done) {
    ask(model, protocol::Detokenize{0, std::move(ids)}, unwrap(std::move(done), &protocol::Detokenized::text));
}

void Service::Impl::ask(const std::string& model, TokenizeQuestion question,
                        std::function<void(base::Result<protocol::Message>)> done) {
    TokenizeCall call;
    call.done = std::move(done);
    if (auto error = refuse(question)) return answer(call, *std::move(error));
    if (const auto* refused = refuse_without_options()) return answer(call, *refused);
    auto resolved = resolve(model, false);
    if (!resolved) return answer(call, std::move(resolved).error());
    if (auto failure = recent_load_failure(*resolved)) return answer(call, *std::move(failure));
    if (directive_.refuse_all && !serves(*resolved)) return answer(call, directive_.refuse_all->error());
    call.id = ++last_id_;
    call.model = std::move(*resolved);
    call.question = std::move(question);
    std::visit([&](auto& message) { message.id = call.id; }, call.question);
    tokenize_calls_.push_back(std::move(call));
    schedule_turn();
}

std::optional<base::Error> Service::Impl::refuse(const TokenizeQuestion& question) const {
    if (shutting_down_) return shutting_down();
    const auto* tokenize = std::get_if<protocol::Tokenize>(&question);
    if (tokenize != nullptr && tokenize->text.size() > kMaxTokenizeBytes) {
        return base::fail(ErrorCode::PromptTooLong, "text: ", tokenize->text.size(), " bytes are more than ",
                          kMaxTokenizeBytes);
    }
    const auto* detokenize = std::get_if<protocol::Detokenize>(&question);
    if (detokenize != nullptr && detokenize->ids.size() > protocol::kMaxArrayElements) {
        return base::fail(ErrorCode::PromptTooLong, "tokens: ", detokenize->ids.size(), " are more than ",
                          protocol::kMaxArrayElements);
    }
    const auto* render = std::get_if<protocol::Render>(&question);
    if (render != nullptr) {
        GenerateRequest request;
        request.messages = render->messages;
        request.tools = render->tools;
        if (auto checked = check(request); !checked) return std::move(checked).error();
    }
    if (tokenize_calls_.size() >= kMaxTokenizeCalls) {
        return base::fail(ErrorCode::QueueFull, tokenize_calls_.size(),
                          " texts are waiting to be tokenized or detokenized, at most ", kMaxTokenizeCalls, " may");
    }
    return std::nullopt;
}

void Service::Impl::answer(TokenizeCall& call, base::Result<protocol::Message> result) {
    callbacks_.push_back([done = std::move(call.done), result = std::move(result)] { done(result); });
    schedule_turn();
}

template <typename Question, typename Answer>
void Service::Impl::on_answer(const Answer& answered) {
    const auto call = std::find_if(tokenize_calls_.begin(), tokenize_calls_.end(),
                                   [&](const TokenizeCall& c) { return c.id == answered.id; });
    if (call == tokenize_calls_.end()) return;
    if (!std::holds_alternative<Question>(call->question)) {
        link_->terminate(engines::EngineEnd::Cause::Protocol,
                         base::concat("answered question ", answered.id, " with a ", protocol::message_name(answered)));
        return;
    }
    last_question_ = clocks_.now();
    answer(*call, protocol::Message(answered));
    tokenize_calls_.erase(call);
}

void Service::Impl::on(const protocol::Tokenized& tokenized) {
    on_answer<protocol::Tokenize>(tokenized);
}

void Service::Impl::on(const protocol::Detokenized& detokenized) {
    on_answer<protocol::Detokenize>(detokenized);
}

void Service::Impl::on(const protocol::Rendered& rendered) {
    on_answer<protocol::Render>(rendered);
}

}  // namespace llmd::service
