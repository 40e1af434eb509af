// The embeddings that were asked for in one call over HTTP: a request of the service for each input, whose outcomes
// become the answer of an exchange. At most `most_at_once` are with the service at a time, and fewer while it takes no
// more: only when it takes not even the first does the call fail for that. They share one fate: the first that fails or
// is cancelled ends the call with its error and cancels the others, and so does a client that disconnects.
// Thread-bound to the event loop.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "http/embeddings_json.h"
#include "http/exchange.h"
#include "service/service.h"

namespace llmd::http {

// How the answer is written.
struct EmbeddingsFormat {
    std::function<std::string(const Outcomes& outcomes)> answer;
    std::function<Reply(const base::Error& error, uint32_t prompt_tokens)> refusal;  // `prompt_tokens` as in Outcome
};

class Embeddings {
public:
    // How long after a refusal the next input is tried again when none runs whose end makes room.
    static constexpr std::chrono::milliseconds kRetryInterval{100};

    // `on_ended` is called once, as the last thing, when submit() was; it may not destroy this at once. The loop and
    // the service must outlive it.
    Embeddings(base::EventLoop& loop, service::Service& service, std::shared_ptr<Exchange> exchange,
               EmbeddingsFormat format, std::function<void()> on_ended);
    ~Embeddings();
    Embeddings(const Embeddings&) = delete;
    Embeddings& operator=(const Embeddings&) = delete;

    // Once, with at least one.
    void submit(std::vector<service::GenerateRequest> requests, size_t most_at_once);

private:
    class Sink final : public service::RequestSink {
    public:
        Sink(Embeddings& embeddings, size_t input) : embeddings_(embeddings), input_(input) {}
        void on_accepted(uint32_t) override {}
        void on_text(std::string_view) override {}
        void on_finished(const service::Outcome& outcome) override { embeddings_.on_finished(input_, outcome); }

        service::RequestId id = 0;
        bool ended = false;

    private:
        Embeddings& embeddings_;
        const size_t input_;
    };

    // Submits as many as can be; where it has to wait for others' ends, it tries again later.
    void submit_more();
    void retry();
    bool is_waiting() const { return n_running_ > 0 || retry_timer_ != 0; }
    void on_finished(size_t input, const service::Outcome& outcome);
    void fail(const base::Error& error, uint32_t prompt_tokens = 0);
    // Those that are with the service: with an error, or cancelled. No more follow, and none is tried again.
    void end_requests(const std::optional<base::Error>& error);

    base::EventLoop& loop_;
    service::Service& service_;
    const std::shared_ptr<Exchange> exchange_;
    const EmbeddingsFormat format_;
    const std::function<void()> on_ended_;
    std::vector<service::GenerateRequest> requests_;
    size_t most_at_once_ = 1;
    std::deque<Sink> sinks_;  // of those that were submitted; they stay where they are
    size_t n_running_ = 0;
    base::EventLoop::TimerId retry_timer_ = 0;  // 0: none; never while one runs
    Outcomes outcomes_;
    bool failed_ = false;  // which has been answered
};

}  // namespace llmd::http
