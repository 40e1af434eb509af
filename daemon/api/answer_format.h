// How an answer is written as it comes: the events of its choices, which are the texts that it consists of and are
// counted from 0, turned into bytes. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/answer_calls.h"
#include "api/logprobs.h"
#include "service/request.h"

namespace llmd::api {

// This is known when the text begins.
struct AnswerHead {
    service::RequestId id = 0;
    std::string model;
    std::chrono::system_clock::time_point created;
    size_t n_choices = 1;
    std::string where = {};               // as in service::Outcome
    std::vector<std::string> notes = {};  // parts of the request that are not obeyed to the letter, each in a sentence
    uint32_t prompt_tokens = 0;           // as in service::Outcome
};

struct Choice {
    std::string text;  // empty when it was streamed
    service::Outcome outcome;
    std::vector<AlignedLogprobs> logprobs = {};  // where they are wanted; those that no text has taken along
    std::string thinking = {};                   // the model's thinking before the text; empty when it was streamed
    std::vector<AnswerCall> calls = {};          // of tools, also when they were streamed
};

// Those of the head, and those that only the end brings.
inline std::vector<std::string> all_notes(const AnswerHead& head, const service::Outcome& outcome) {
    std::vector<std::string> notes = head.notes;
    notes.insert(notes.end(), outcome.notes.begin(), outcome.notes.end());
    return notes;
}

// A stream: begin(), for each choice its parts and end_choice(), then end(), or failure().
class AnswerFormat {
public:
    virtual ~AnswerFormat() = default;

    // The head outlives the format's use.
    virtual std::string begin(const AnswerHead& head) = 0;
    // `logprobs`, where they are wanted, are those that go out with this text, or at the end.
    using Logprobs = std::span<const AlignedLogprobs>;
    virtual std::string text(size_t choice, std::string_view text, Logprobs logprobs) = 0;
    // The model's thinking before it answers.
    virtual std::string thinking(size_t, std::string_view) { return {}; }
    // A call of a tool: it begins, its arguments come, and it has ended, whole or cut. `number` counts a choice's calls
    // from 0; nothing else of the choice comes in between.
    virtual std::string call_begin(size_t, size_t, const AnswerCall&) { return {}; }
    virtual std::string call_arguments(size_t, size_t, std::string_view) { return {}; }
    virtual std::string call_end(size_t, size_t, const AnswerCall&) { return {}; }
    virtual std::string end_choice(size_t choice, const service::Outcome& outcome, Logprobs logprobs) = 0;
    virtual std::string end(const std::vector<Choice>& choices) = 0;
    // `failed` is the choice with whose error or cancellation the answer ends.
    virtual std::string failure(const base::Error& error, const Choice& failed) = 0;
};

}  // namespace llmd::api
