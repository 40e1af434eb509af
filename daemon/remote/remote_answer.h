// The answer of a remote to one text so far, in the form in which llmd gets it: tokens together with the text that
// makes their characters whole, what the model thought, log probabilities, and the end at a stop string. Plain data:
// any one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/messages.h"
#include "remote/retry.h"

namespace llmd::remote {

inline constexpr int32_t kUnknownId = -1;  // of a token that a server counts and does not send

// Cuts a streamed text at the first stop string, which is no part of it. llmd-remote does this itself: servers differ
// in what they hold back and in which tokens they count, and a text that is to go on after a loss must be known whole.
class StopFilter {
public:
    explicit StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {}

    // Returns the part of the text so far that became certain: it is no part of a stop string.
    std::string feed(std::string_view text);
    // A stop string has come; nothing follows.
    bool has_stopped() const { return !found_.empty(); }
    // Returns the stop string that has come, or nothing.
    const std::string& stop() const { return found_; }
    // Returns the text that was kept back, at the text's end.
    std::string finish();

private:
    const std::vector<std::string> stops_;  // none empty
    std::string held_;
    std::string found_;  // the stop string that has come
};

class RemoteAnswer {
public:
    explicit RemoteAnswer(const protocol::Submit& submit);  // which outlives it

    // Begins with the answer of an llmd-remote before this one: `ids`, whose text is `text`. llmd has the first
    // delivered_bytes of it; the others are sent with the next tokens. Precondition: nothing has been taken, and the
    // text is no shorter.
    void begin_with(std::vector<int32_t> ids, std::string_view text);

    // Takes the tokens of an event, which are kept until text comes. Precondition: the ids are named.
    void take_tokens(AnswerEvent& event);
    // Returns whether next() has something to send.
    bool take_text(std::string_view text, std::string_view thinking);
    // The server has counted so many tokens in all, perhaps more than it has sent.
    void count_to(size_t n);
    // All that has come and was not sent yet; `n_prompt` tokens stand before the first.
    protocol::Tokens next(size_t n_prompt);
    // Held tokens will come again.
    void drop_held();

    std::span<const int32_t> ids() const { return ids_; }  // that were sent
    size_t n_held() const { return held_ids_.size(); }
    size_t n_tokens() const { return ids_.size() + held_ids_.size(); }
    const std::string& text() const { return text_; }  // all that came, stop strings included
    // No text, no tokens and no thinking has come.
    bool is_empty() const { return text_.empty() && ids_.empty() && !has_thought_; }
    bool has_stopped() const { return stops_.has_stopped(); }
    const std::string& stop() const { return stops_.stop(); }
    // At the end: what may have been the beginning of a stop string, and was none.
    std::string rest() { return stops_.has_stopped() ? "" : stops_.finish(); }

private:
    const protocol::Submit& submit_;
    StopFilter stops_;
    std::vector<int32_t> ids_;
    std::vector<int32_t> held_ids_;
    std::vector<protocol::TokenLogprobs> held_logprobs_;
    std::string text_;
    std::string undelivered_;  // of begin_with()
    bool has_thought_ = false;
    protocol::Tokens unsent_;
};

// A text that was cut and is asked for once more from its beginning. A server that computes it in the same steps says
// the same again; until all that is known has come again, nothing of it is sent to anybody. Where it says something
// else, the text has to go on in another way.
class Repetition {
public:
    // `known` are the ids so far, kUnknownId being equal to any.
    explicit Repetition(std::vector<int32_t> known) : known_(std::move(known)) {}

    // Whether the ids of one event are the next known ones.
    bool take(std::span<const int32_t> ids);
    // All known ids have come again, and the next one is new.
    bool is_whole() const { return n_ == known_.size(); }
    // How long all of it takes, after `elapsed` for what has come; 0 as long as too little has come to estimate it.
    Milliseconds estimate(Milliseconds elapsed) const;

private:
    const std::vector<int32_t> known_;
    size_t n_ = 0;
};

}  // namespace llmd::remote
