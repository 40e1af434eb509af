// One answer: a request of the service for each of its choices, or one for embeddings, whose events become bytes of a
// sink. The choices share one fate: the service takes all of them or none, the first that fails or is cancelled ends
// the answer with its error and cancels the others, and so does a reader that disconnects; one that reads slowly pauses
// all.
// Thread-bound to the event loop.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/answer_format.h"
#include "api/answer_sink.h"
#include "api/sent_names.h"
#include "service/service.h"

namespace llmd::api {

// When the sink gets what there is.
enum class AnswerMode : uint8_t {
    Whole,      // at the end, by reply() or refuse()
    Stream,     // from when the engine has accepted all choices, since a sink may still refuse until then
    StreamNow,  // from the beginning; errors are in the stream
};

class Answer {
public:
    // `on_ended` is called once, as the last thing, when submit() has succeeded; it may not destroy the answer at once.
    // References and sink must outlive it. Without a `format` nothing is written: AnswerMode::Whole only.
    Answer(service::Service& service, AnswerSink& sink, AnswerFormat* format, AnswerMode mode,
           std::function<void()> on_ended);
    ~Answer();
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;

    // Once, with at least one request. `notes` are what whoever asks is to know about the way in which it is answered;
    // `sent` names in them, and in errors, what was asked.
    // With the service's error, when it does not take them, nothing follows.
    base::Result<void> submit(std::vector<service::GenerateRequest> requests, std::vector<std::string> notes,
                              SentNames sent = {});

    // Returns the id of the answer, which is that of its first request.
    service::RequestId id() const { return head_.id; }
    const AnswerHead& head() const { return head_; }
    // With what has not been sent.
    const std::vector<Choice>& choices() const { return choices_; }
    // A request of it that has not ended: cancelling that one cancels the answer. Nothing when all have.
    std::optional<service::RequestId> unended() const;

private:
    // The next part of a choice.
    struct Part {
        size_t choice;
        protocol::AnswerPart part;
        std::vector<AlignedLogprobs> logprobs;  // they go out with it
    };
    // Receives the service's events of one choice.
    class Receiver final : public service::RequestSink {
    public:
        Receiver(Answer& answer, size_t choice) : answer_(answer), choice_(choice) {}
        void on_note(const std::string& note) override {
            if (choice_ == 0) {
                answer_.head_.notes.push_back(answer_.sent_.in(note));  // those of the others are the same
            }
        }
        void on_accepted(uint32_t prompt_tokens) override { answer_.on_accepted(prompt_tokens); }
        void on_logprobs(std::span<const protocol::TokenLogprobs> logprobs) override { aligner.add(logprobs); }
        void on_text(std::string_view text) override {
            answer_.on_part({choice_, {.text = std::string(text)}, aligner.take(text)});
        }
        void on_part(const protocol::AnswerPart& part) override { answer_.on_part({choice_, part, {}}); }
        void on_finished(const service::Outcome& outcome) override { answer_.on_finished(choice_, outcome); }

        LogprobAligner aligner;
        service::RequestId id = 0;
        std::string key;  // see answer_key()
        bool ended = false;

    private:
        Answer& answer_;
        const size_t choice_;
    };

    void on_accepted(uint32_t prompt_tokens);
    void on_part(Part part);
    void send(const Part& part);
    // For the whole answer.
    void keep(const Part& part);
    void keep(size_t choice, std::vector<AlignedLogprobs> logprobs);
    void write(const std::string& bytes);
    // Which model it is that answers: it may have become another of the request's fallback.
    void name_model();
    void on_finished(size_t choice, const service::Outcome& outcome);
    void begin_stream();
    void end();
    void fail(const base::Error& error, const Choice& failed);
    // Those that have not ended: with an error, or cancelled.
    void end_requests(const std::optional<base::Error>& error);
    void set_paused(bool paused);

    service::Service& service_;
    AnswerSink& sink_;
    AnswerFormat* const format_;
    const AnswerMode mode_;
    const std::function<void()> on_ended_;
    SentNames sent_;
    AnswerHead head_;
    std::deque<Receiver> receivers_;  // which stay where they are
    std::vector<Choice> choices_;
    std::vector<Part> waiting_;  // for the stream to begin
    size_t n_accepted_ = 0;
    size_t n_ended_ = 0;
    bool streaming_ = false;  // the stream has begun
    bool failed_ = false;     // which has been answered
};

}  // namespace llmd::api
