// The life of one request at a remote: its prompt as ids where the server can, the call, its events, and what follows
// when something goes wrong. A request is accepted with the first event of its answer, because an error may come inside
// a 200. A text that was cut goes on from its ids.
// Thread-bound to the event loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "constraint/text_checker.h"
#include "protocol/messages.h"
#include "remote/connector.h"
#include "remote/fetch.h"
#include "remote/remote_answer.h"
#include "remote/repetition.h"

namespace llmd::remote {

// What the requests of one remote share.
struct RemoteContext {
    base::EventLoop& loop;
    Transport& transport;
    Limits limits;
    Upstream upstream;
    std::string salt_key;                 // secret of this installation
    std::function<double()> jitter;       // in [0, 1)
    std::function<Milliseconds()> clock;  // since any begin
    Away away = {};
    std::optional<base::Error> off = {};  // why nothing more is asked of it
    bool has_no_tokenizer = false;        // it should have one, and does not
};

class RemoteRequest {
public:
    class Host {
    public:
        virtual ~Host() = default;
        virtual void send(const protocol::Message& message) = 0;
        // It has been refused or is finished; the host destroys it later, not within this call.
        virtual void on_ended(uint64_t id) = 0;
        // Whether one more call may be at the remote, for a request that llmd has not started.
        virtual bool may_post() const = 0;
    };

    RemoteRequest(RemoteContext& context, Host& host, protocol::Submit submit);
    ~RemoteRequest();
    RemoteRequest(const RemoteRequest&) = delete;
    RemoteRequest& operator=(const RemoteRequest&) = delete;

    void begin();  // once
    void start();
    void set_paused(bool paused);
    // Tells it that may_post() may have changed.
    void post_if_waiting();

    bool is_posted() const { return transfer_ != nullptr; }
    // The remote has something to do or to answer for it, so that llmd must be patient.
    bool is_busy() const;

private:
    // It has been started, and its prompt is ready.
    void generate();
    // Preparation
    void prepare();
    void tokenize(const std::string& text, bool parse_special);
    void on_prompt_ids(const Reply& reply);
    void fall_back_to_text();
    void on_prompt();
    void on_prepared();
    void accept();
    // The call
    void post();
    void on_bytes(long status, std::string_view bytes);
    void on_end(const TransferEnd& end);
    // `fault`: what is behind them.
    void take_events(std::vector<StreamEvent> events, std::optional<base::Error> fault);
    void take(AnswerEvent event);
    void name_tokens(AnswerEvent& event);
    void emit();
    void complete(protocol::FinishReason reason);
    // Failures
    void fail(Failure failure);
    void give_up(const base::Error& error);
    void look_again();
    void on_looked(const Reply& reply);
    bool can_resume() const;
    void go_on();
    void hang_up();
    void call_again();
    // Whether the call's first event says that the server has lost what it had computed.
    bool must_repeat(const AnswerEvent& event) const;
    void repeat();
    // The event belongs to a repetition. Where it is not what was said before, or takes too long, the text goes on in
    // another way or is lost.
    void follow_repetition(const AnswerEvent& event);
    // Times
    void watch();
    void check_times();
    void look_at_health();

    void fetch(HttpCall call, Fetch::Done done);

    RemoteContext& context_;
    Host& host_;
    const protocol::Submit submit_;
    const ApiTraits& api_;
    std::vector<std::string> notes_;
    std::optional<constraint::TextChecker> checker_;  // a server that says so does not always obey a schema

    bool ids_mode_ = false;
    std::vector<int32_t> prompt_ids_;
    // What a call begins with, in ids: the prompt, and so many of the answer's in one form or another.
    std::vector<int32_t> base_ids_;
    size_t n_in_base_ = 0;
    bool is_accepted_ = false, is_started_ = false, is_paused_ = false, has_ended_ = false;
    bool told_started_ = false;
    bool waits_to_post_ = false;
    bool is_prepared_ = false;

    RemoteAnswer answer_;
    std::optional<Counts> counts_;
    std::optional<protocol::FinishReason> finish_;
    std::vector<float> embedding_;

    // The call that runs.
    std::unique_ptr<Transfer> transfer_;
    Shape shape_ = Shape::Completion;
    std::optional<SseReader> reader_;
    std::string body_;                          // of an error, or of an embedding
    std::vector<StreamEvent> backlog_;          // that came before Start
    std::optional<base::Error> backlog_fault_;  // what came behind them is no event
    bool is_called_ = false;                    // it was made, and has not failed
    bool has_event_ = false;
    size_t n_call_ids_ = 0;  // ids of this call
    uint64_t n_comments_ = 0;
    bool is_resuming_ = false;
    bool may_repeat_ = false;  // a server that has lost what it had computed is asked from the beginning
    std::optional<Repetition> repetition_;
    uint32_t resumed_ = 0;

    Attempts attempts_;
    Milliseconds begun_{}, posted_{}, first_event_{}, last_byte_{}, last_token_{}, last_look_{};
    std::optional<Milliseconds> cut_;
    unsigned n_sick_ = 0;
    base::EventLoop::TimerId watch_timer_ = 0, wait_timer_ = 0;
    std::unique_ptr<Fetch> fetch_, health_;
};

}  // namespace llmd::remote
