// One answer that was asked for over HTTP: a request of the service for each of its choices, or one for embeddings,
// whose events become the answer of an exchange. The choices share one fate: the service takes all of them or none,
// nothing is sent before the engine has accepted all, the first that fails or is cancelled ends the answer with its
// error and cancels the others, and so does a client that disconnects; one that reads slowly pauses all.
// Thread-bound to the event loop.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/answer_format.h"
#include "http/exchange.h"
#include "service/service.h"

namespace llmd::http {

inline constexpr const char* kNoteHeader = "x-llmd-note";
// Of an answer: "device", or the name of the remote that computes it.
inline constexpr const char* kWhereHeader = "x-llmd-where";

class Generation {
public:
    // `on_ended` is called once, as the last thing, when submit() was; it may not destroy the generation at once. The
    // service must outlive it.
    Generation(service::Service& service, std::shared_ptr<Exchange> exchange, std::unique_ptr<AnswerFormat> format,
               bool stream, std::function<void()> on_ended);
    ~Generation();
    Generation(const Generation&) = delete;
    Generation& operator=(const Generation&) = delete;

    // What whoever asked is told about the way in which it is answered, in a header kNoteHeader each; before submit().
    void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }
    // Once, with at least one. Answers with the service's error when it does not take them.
    void submit(std::vector<service::GenerateRequest> requests);

    // Of the answer: that of its first request.
    service::RequestId id() const { return head_.id; }
    // A request of it that has not ended: cancelling that one cancels the answer. Nothing when all have.
    std::optional<service::RequestId> unended() const;

private:
    // The next part of a choice.
    struct Part {
        size_t choice;
        protocol::AnswerPart part;
        std::vector<api::AlignedLogprobs> logprobs;  // that go out with it
    };
    // What the service tells of one choice.
    class Sink final : public service::RequestSink {
    public:
        Sink(Generation& generation, size_t choice) : generation_(generation), choice_(choice) {}
        void on_note(const std::string& note) override {
            if (choice_ == 0) generation_.notes_.push_back(note);  // those of the others are the same
        }
        void on_accepted(uint32_t) override { generation_.on_accepted(); }
        void on_logprobs(std::span<const protocol::TokenLogprobs> logprobs) override { aligner.add(logprobs); }
        void on_text(std::string_view text) override {
            generation_.on_part({choice_, {.text = std::string(text)}, aligner.take(text)});
        }
        void on_part(const protocol::AnswerPart& part) override { generation_.on_part({choice_, part, {}}); }
        void on_finished(const service::Outcome& outcome) override { generation_.on_finished(choice_, outcome); }

        api::LogprobAligner aligner;
        service::RequestId id = 0;
        std::string key;  // see api::answer_key()
        bool ended = false;

    private:
        Generation& generation_;
        const size_t choice_;
    };

    void on_accepted();
    void on_part(Part part);
    void send(const Part& part);
    // For the whole answer.
    void keep(const Part& part);
    void keep(size_t choice, std::vector<api::AlignedLogprobs> logprobs);
    std::vector<std::pair<const char*, std::string>> headers() const;
    // Which model it is that answers: it may have become another of the request's fallback.
    void name_model();
    void on_finished(size_t choice, const service::Outcome& outcome);
    void begin_stream();
    void answer();
    void fail(const base::Error& error, uint32_t prompt_tokens = 0);
    // Those that have not ended: with an error, or cancelled.
    void end_requests(const std::optional<base::Error>& error);
    void set_paused(bool paused);

    service::Service& service_;
    const std::shared_ptr<Exchange> exchange_;
    const std::unique_ptr<AnswerFormat> format_;
    const bool stream_;
    const std::function<void()> on_ended_;
    std::vector<std::string> notes_;
    AnswerHead head_;
    std::deque<Sink> sinks_;       // which stay where they are
    std::vector<Choice> choices_;  // with what has not been sent
    std::vector<Part> waiting_;    // for the stream to begin
    size_t n_accepted_ = 0;
    size_t n_ended_ = 0;
    bool streaming_ = false;  // the head of the stream is out
    bool failed_ = false;     // which has been answered
};

}  // namespace llmd::http
