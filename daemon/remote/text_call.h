// One call for a text at a remote: the exchange over HTTP, its events, and how long they may take. What a request makes
// of them, and whether it calls again, is the request's (remote_request.h). Thread-bound to the event loop.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "remote/connector.h"

namespace llmd::remote {

class TextCall {
public:
    // Who reads the answer. None of these comes while the call is paused or after it was stopped, and none may destroy
    // it.
    class Reader {
    public:
        virtual ~Reader() = default;
        // The first event has come, which is no error, or a whole embedding.
        virtual void on_begin() = 0;
        // One up to that with the finish reason.
        virtual void on_event(AnswerEvent& event) = 0;
        // Either is the last.
        virtual void on_end(protocol::FinishReason reason) = 0;
        virtual void on_failure(Failure failure) = 0;
    };

    TextCall(const RemoteContext& context, Reader& reader, GenerationCall call);
    ~TextCall();
    TextCall(const TextCall&) = delete;
    TextCall& operator=(const TextCall&) = delete;

    // Nothing is read meanwhile, and no time runs out.
    void set_paused(bool paused);
    // Closes the connection, by which the remote stops.
    void stop();

    bool is_open() const { return transfer_ != nullptr; }
    bool has_begun() const { return has_begun_; }
    Milliseconds posted() const { return posted_; }
    Milliseconds first_event() const { return first_event_; }
    const std::optional<Counts>& counts() const { return counts_; }
    std::vector<float>& embedding() { return embedding_; }

private:
    void on_bytes(long status, std::string_view bytes);
    void on_end(const TransferEnd& end);
    void begin();
    // Tells what has come, as far as it may.
    void drain();
    void take_first();
    void end(protocol::FinishReason reason);
    void fail(Failure failure);
    // When it has taken too long.
    Milliseconds deadline() const;
    void watch();
    void check_time();
    // Asks at the path that tells the server from others, where it has one: a server that hangs answers nowhere.
    void probe();

    const RemoteContext& context_;
    Reader& reader_;
    const Shape shape_;
    std::unique_ptr<Transfer> transfer_;
    SseReader stream_;
    std::deque<StreamEvent> events_;    // those that were not reported
    std::optional<base::Error> fault_;  // the bytes behind them are no event
    std::string body_;                  // of an error, or of an embedding
    bool has_begun_ = false, is_paused_ = false, is_over_ = false;
    std::optional<protocol::FinishReason> finish_;
    std::optional<Counts> counts_;
    std::vector<float> embedding_;
    const Milliseconds posted_;
    Milliseconds first_event_{}, last_token_{};
    Milliseconds last_probe_ = posted_;
    unsigned n_failed_probes_ = 0;  // in a row
    Fetch probe_{context_.loop, context_.transport, context_.limits.probe_period};
    base::EventLoop::TimerId timer_ = 0;
};

}  // namespace llmd::remote
