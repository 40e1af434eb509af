// The life of one request at a remote: its prompt as ids where the server can, the calls for its text, and what follows
// when something goes wrong. A request is accepted with the first event of its answer, because an error may come inside
// a 200. A text that was cut goes on from its ids, or is asked for once more (Repetition).
// Thread-bound to the event loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "constraint/text_checker.h"
#include "protocol/messages.h"
#include "remote/remote_answer.h"
#include "remote/remote_questions.h"
#include "remote/text_call.h"

namespace llmd::remote {

class RemoteRequest : private TextCall::Reader {
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
    ~RemoteRequest() override;
    RemoteRequest(const RemoteRequest&) = delete;
    RemoteRequest& operator=(const RemoteRequest&) = delete;

    void begin();  // once
    void start();
    void set_paused(bool paused);
    // Tells it that may_post() may have changed.
    void post_if_queued();

    bool is_posted() const { return call_ && call_->is_open(); }
    // The remote has something to do or to answer for it, so that llmd must be patient.
    bool is_busy() const;

private:
    enum class Stage : uint8_t {
        Preparing = 0,  // the ids of its prompt are asked for
        Queued,         // for a slot at the remote
        Calling,
        Waiting,   // to ask again
        Checking,  // asks for the model, or the text's ids, after a loss
        Whole,     // nothing is left to be asked for: it ends when it is started
        Ended,
    };
    enum class Told : uint8_t { Nothing = 0, Accepted, Started };  // to llmd

    // Preparation
    void prepare();
    void on_prompt_ids(std::vector<int32_t> ids);
    void on_prepared(std::vector<int32_t> ids);
    void accept();
    // The call
    void post();
    std::string cache_salt() const;
    void pause_call();
    void on_begin() override;
    void on_event(AnswerEvent& event) override;
    void on_end(protocol::FinishReason reason) override { complete(reason); }
    void on_failure(Failure failure) override;
    void name_tokens(AnswerEvent& event);
    void emit();
    void complete(protocol::FinishReason reason);
    void tell_started();
    // Failures
    void fail(Failure failure);
    void give_up(const base::Error& error, uint32_t prompt_tokens = 0);
    void wait(Milliseconds delay, void (RemoteRequest::*step)());
    void look_again();
    void on_looked(const ListedModel* model);
    bool can_resume() const;
    void go_on();
    void call_again();
    // Whether the call's first event says that the server has lost what it had computed.
    bool must_repeat(const AnswerEvent& event) const;
    void repeat();
    // The event belongs to a repetition. Where it is not what was said before, or takes too long, the text goes on in
    // another way or is lost.
    void follow_repetition(const AnswerEvent& event);

    bool is_prepared() const { return prompt_ids_.has_value(); }
    bool has_ids() const { return prompt_ids_ && !prompt_ids_->empty(); }

    RemoteContext& context_;
    Host& host_;
    protocol::Submit submit_;
    std::vector<std::string> notes_;
    std::optional<constraint::TextChecker> checker_;  // a server that says so does not always obey a schema

    Stage stage_ = Stage::Preparing;
    Told told_ = Told::Nothing;
    bool is_started_ = false, is_paused_ = false;  // as llmd has it

    std::optional<std::vector<int32_t>> prompt_ids_;  // once it is prepared; none: it is asked for as text
    // A call begins with these ids: the prompt, and so many of the answer's in one form or another.
    std::vector<int32_t> base_ids_;
    size_t n_in_base_ = 0;

    RemoteAnswer answer_;
    std::unique_ptr<TextCall> call_;  // the last one
    size_t n_call_ids_ = 0;           // ids of this call
    bool is_resuming_ = false;
    bool may_repeat_ = false;  // a server that has lost what it had computed is asked from the beginning
    std::optional<Repetition> repetition_;
    uint32_t resumed_ = 0;

    RemoteQuestions questions_;
    Attempts attempts_;
    Milliseconds begun_{};
    std::optional<Milliseconds> cut_;
    base::EventLoop::TimerId timer_ = 0;
};

}  // namespace llmd::remote
