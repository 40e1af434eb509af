#include "service/tokenizer_questions.h"

#include <algorithm>
#include <utility>

#include "protocol/frame.h"
#include "service/request.h"

namespace llmd::service {
namespace {

using base::ErrorCode;

// Questions that wait for an answer: more is a client out of control.
constexpr size_t kMaxCalls = 16;
// Every byte may be a token, and the ids must fit into a frame.
constexpr size_t kMaxTokenizeBytes = protocol::kMaxArrayElements / 2;
constexpr uint32_t kMaxDeaths = 2;  // as for requests: once may be an accident

template <typename Answer>
struct QuestionOf;
template <>
struct QuestionOf<protocol::Tokenized> {
    using Type = protocol::Tokenize;
};
template <>
struct QuestionOf<protocol::Detokenized> {
    using Type = protocol::Detokenize;
};
template <>
struct QuestionOf<protocol::Rendered> {
    using Type = protocol::Render;
};

}  // namespace

std::optional<base::Error> TokenizerQuestions::refuse(const Question& question) const {
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
    if (calls_.size() >= kMaxCalls) {
        return base::fail(ErrorCode::QueueFull, calls_.size(),
                          " texts are waiting to be tokenized or detokenized, at most ", kMaxCalls, " may");
    }
    return std::nullopt;
}

void TokenizerQuestions::add(uint64_t id, ModelReference model, Question question, Done done) {
    std::visit([id](auto& message) { message.id = id; }, question);
    calls_.push_back(Call{id, std::move(model), std::move(question), std::move(done)});
}

void TokenizerQuestions::refuse(Done done, base::Error error) {
    post_([done = std::move(done), error = std::move(error)] { done(error); });
}

bool TokenizerQuestions::wait_for(const std::string& key) const {
    return std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) { return call.model.key() == key; });
}

std::vector<ModelReference> TokenizerQuestions::models() const {
    std::vector<ModelReference> models;
    for (const Call& call : calls_) models.push_back(call.model);
    return models;
}

void TokenizerQuestions::send(supervisor::EngineLink& link, const std::string& key) {
    for (Call& call : calls_) {
        if (call.sent || call.model.key() != key) continue;
        std::visit([&](const auto& question) { link.send(question); }, call.question);
        call.sent = true;
    }
}

std::deque<TokenizerQuestions::Call>::iterator TokenizerQuestions::find(const std::string& key, uint64_t id) {
    return std::find_if(calls_.begin(), calls_.end(),
                        [&](const Call& call) { return call.id == id && call.model.key() == key; });
}

void TokenizerQuestions::answer(Call& call, base::Result<protocol::Message> result) {
    post_([done = std::move(call.done), result = std::move(result)] { done(result); });
}

template <typename Answer>
std::string TokenizerQuestions::take(const std::string& key, const Answer& answered) {
    const auto call = find(key, answered.id);
    if (call == calls_.end()) return {};
    if (!std::holds_alternative<typename QuestionOf<Answer>::Type>(call->question)) {
        return base::concat("answered question ", answered.id, " with a ", protocol::message_name(answered));
    }
    answer(*call, protocol::Message(answered));
    calls_.erase(call);
    return {};
}

template std::string TokenizerQuestions::take(const std::string&, const protocol::Tokenized&);
template std::string TokenizerQuestions::take(const std::string&, const protocol::Detokenized&);
template std::string TokenizerQuestions::take(const std::string&, const protocol::Rendered&);

void TokenizerQuestions::take_refusal(const std::string& key, uint64_t id, base::Error error) {
    const auto call = find(key, id);
    if (call == calls_.end()) return;
    answer(*call, std::move(error));
    calls_.erase(call);
}

void TokenizerQuestions::forget_engine(const std::string& key) {
    for (Call& call : calls_) {
        if (call.model.key() == key) call.sent = false;
    }
}

void TokenizerQuestions::engine_died(const std::string& key, const supervisor::EngineEnd& end) {
    for (Call& call : calls_) {
        if (call.model.key() == key && call.sent && ++call.deaths >= kMaxDeaths) {
            answer(call, base::fail(ErrorCode::DeviceError, "llmd-engine ended before it answered; the last time it ",
                                    end.detail));
        }
    }
    std::erase_if(calls_, [](const Call& call) { return call.deaths >= kMaxDeaths; });
}

void TokenizerQuestions::fail(const std::string& key, const base::Error& error) {
    for (Call& call : calls_) {
        if (call.model.key() == key) answer(call, error);
    }
    std::erase_if(calls_, [&](const Call& call) { return call.model.key() == key; });
}

void TokenizerQuestions::fail_all(const base::Error& error) {
    for (Call& call : calls_) answer(call, error);
    calls_.clear();
}

}  // namespace llmd::service
