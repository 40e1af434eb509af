// How the answer to a generation request becomes the reply of an exchange, as a stream (api/answer_format.h) or at
// once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/answer_format.h"
#include "api/answer_sink.h"
#include "http/exchange.h"
#include "http/reply.h"

namespace llmd::http {

using api::AnswerHead;
using api::Choice;

inline constexpr const char* kNoteHeader = "x-llmd-note";
// The header of an answer that says "device", or the name of the remote that computes it.
inline constexpr const char* kWhereHeader = "x-llmd-where";

class BodyFormat : public api::AnswerFormat {
public:
    virtual const char* stream_type() const = 0;  // its media type
    virtual std::string whole(const AnswerHead& head, const std::vector<Choice>& choices) = 0;
    // Instead of an answer, before its first byte; `prompt_tokens` as in Outcome.
    virtual Reply refusal(const base::Error& error, uint32_t prompt_tokens) = 0;
};

// One that is never a stream.
class WholeFormat : public BodyFormat {
public:
    const char* stream_type() const final { return kJsonType; }
    std::string begin(const AnswerHead&) final { return {}; }
    std::string text(size_t, std::string_view, Logprobs) final { return {}; }
    std::string end_choice(size_t, const service::Outcome&, Logprobs) final { return {}; }
    std::string end(const std::vector<Choice>&) final { return {}; }
    std::string failure(const base::Error&, const Choice&) final { return {}; }
};

// The reply of an exchange as the sink of an answer. Thread-bound to the event loop.
class ReplySink final : public api::AnswerSink {
public:
    ReplySink(std::shared_ptr<Exchange> exchange, std::unique_ptr<BodyFormat> format)
        : exchange_(std::move(exchange)), format_(std::move(format)) {}

    BodyFormat& format() { return *format_; }

    void set_events(Events events) override { exchange_->set_events(std::move(events)); }
    void begin(const AnswerHead& head) override { exchange_->begin_stream(format_->stream_type(), headers(head)); }
    void write(std::string_view bytes) override { exchange_->write(bytes); }
    void finish() override { exchange_->finish(); }
    void reply(const AnswerHead& head, const std::vector<Choice>& choices) override {
        Reply reply = json_reply(format_->whole(head, choices));
        reply.headers = headers(head);
        exchange_->reply(std::move(reply));
    }
    void refuse(const base::Error& error, uint32_t prompt_tokens) override {
        exchange_->reply(format_->refusal(error, prompt_tokens));
    }

private:
    static std::vector<std::pair<const char*, std::string>> headers(const AnswerHead& head) {
        std::vector<std::pair<const char*, std::string>> headers{{kWhereHeader, head.where}};
        for (const std::string& note : head.notes) headers.emplace_back(kNoteHeader, note);
        return headers;
    }

    const std::shared_ptr<Exchange> exchange_;
    const std::unique_ptr<BodyFormat> format_;
};

}  // namespace llmd::http
