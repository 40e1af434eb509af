// Questions for a model's tokenizer, which only an engine can answer: they wait here for the engine of their model, and
// survive its first death. Thread-bound to the event loop.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "protocol/messages.h"
#include "service/model_reference.h"
#include "supervisor/engine_link.h"

namespace llmd::service {

class TokenizerQuestions {
public:
    // The answer has the message of that name.
    using Question = std::variant<protocol::Tokenize, protocol::Detokenize, protocol::Render>;
    using Done = std::function<void(base::Result<protocol::Message>)>;
    // Has a callback called in a later iteration of the loop.
    using Post = std::function<void(std::function<void()>)>;

    explicit TokenizerQuestions(Post post) : post_(std::move(post)) {}

    // Why it cannot be taken: it is too long, makes no sense, or too many wait. PromptTooLong, InvalidArgument,
    // QueueFull.
    std::optional<base::Error> refuse(const Question& question) const;
    void add(uint64_t id, ModelReference model, Question question, Done done);
    void refuse(Done done, base::Error error);

    bool empty() const { return calls_.empty(); }
    bool wait_for(const std::string& key) const;
    std::vector<ModelReference> models() const;  // the models that are asked, in order; one may be there twice

    // Asks this engine, which serves the model, what it has not been asked yet.
    void send(supervisor::EngineLink& link, const std::string& key);
    // An engine's answer, or its Refused. Empty, or what is wrong with the answer. One to an unknown question is none:
    // its asker has left.
    template <typename Answer>
    std::string take(const std::string& key, const Answer& answer);
    void take_refusal(const std::string& key, uint64_t id, base::Error error);
    // The engine of this model has ended; by itself: what it should have answered for the second time fails.
    void forget_engine(const std::string& key);
    void engine_died(const std::string& key, const supervisor::EngineEnd& end);
    // All that ask this model.
    void fail(const std::string& key, const base::Error& error);
    void fail_all(const base::Error& error);

private:
    struct Call {
        uint64_t id = 0;
        ModelReference model;
        Question question;
        Done done;
        bool sent = false;
        uint32_t deaths = 0;  // of engines that should have answered it
    };

    std::deque<Call>::iterator find(const std::string& key, uint64_t id);
    void answer(Call& call, base::Result<protocol::Message> result);

    const Post post_;
    std::deque<Call> calls_;
};

}  // namespace llmd::service
