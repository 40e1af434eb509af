// How the answer to a generation request is written: the events of its choices, which are the texts that it consists of
// and are counted from 0, turned into bytes. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/answer_calls.h"
#include "api/logprobs.h"
#include "http/reply.h"
#include "service/request.h"

namespace llmd::http {

// What is known when the text begins.
struct AnswerHead {
    service::RequestId id = 0;
    std::string model;
    std::chrono::system_clock::time_point created;
    size_t n_choices = 1;
    std::string where = {};  // as in service::Outcome
};

// One that has ended.
struct Choice {
    std::string text;  // empty when it was streamed
    service::Outcome outcome;
    std::vector<api::AlignedLogprobs> logprobs = {};  // where they are wanted; likewise
    std::string thinking = {};                        // what the model thought before the text; likewise
    std::vector<api::AnswerCall> calls = {};          // of tools, also when they were streamed
};

class AnswerFormat {
public:
    virtual ~AnswerFormat() = default;

    // --- A stream: begin(), for each choice its parts and end_choice(), then end(), or failure() -----------------
    virtual const char* stream_type() const = 0;  // its media type
    virtual std::string begin(const AnswerHead& head) = 0;
    // `logprobs`, where they are wanted, are those that go out with this text, or at the end.
    using Logprobs = std::span<const api::AlignedLogprobs>;
    virtual std::string text(size_t choice, std::string_view text, Logprobs logprobs) = 0;
    // What the model thinks before it answers.
    virtual std::string thinking(size_t, std::string_view) { return {}; }
    // A call of a tool: it begins, its arguments come, and it has ended, whole or cut. `number` counts a choice's calls
    // from 0; nothing else of the choice comes in between.
    virtual std::string call_begin(size_t, size_t, const api::AnswerCall&) { return {}; }
    virtual std::string call_arguments(size_t, size_t, std::string_view) { return {}; }
    virtual std::string call_end(size_t, size_t, const api::AnswerCall&) { return {}; }
    virtual std::string end_choice(size_t choice, const service::Outcome& outcome, Logprobs logprobs) = 0;
    virtual std::string end(const std::vector<Choice>& choices) = 0;
    virtual std::string failure(const base::Error& error) = 0;

    // --- All at once -------------------------------------------------------------------------------------------------
    virtual std::string whole(const AnswerHead& head, const std::vector<Choice>& choices) = 0;
    // Instead of an answer, before its first byte; `prompt_tokens` as in Outcome.
    virtual Reply refusal(const base::Error& error, uint32_t prompt_tokens) = 0;
};

// One that is never a stream.
class WholeFormat : public AnswerFormat {
public:
    const char* stream_type() const final { return kJsonType; }
    std::string begin(const AnswerHead&) final { return {}; }
    std::string text(size_t, std::string_view, Logprobs) final { return {}; }
    std::string end_choice(size_t, const service::Outcome&, Logprobs) final { return {}; }
    std::string end(const std::vector<Choice>&) final { return {}; }
    std::string failure(const base::Error&) final { return {}; }
};

}  // namespace llmd::http
