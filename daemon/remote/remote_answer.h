// What a remote has said of one text so far, in the form in which llmd gets it: tokens together with the text that
// makes their characters whole, what the model thought, log probabilities, and the end at a stop string. Plain data:
// any one thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages.h"
#include "remote/stop_filter.h"
#include "remote/upstream_json.h"

namespace llmd::remote {

class RemoteAnswer {
public:
    explicit RemoteAnswer(const protocol::Submit& submit);  // which outlives it

    // What an llmd-remote before this one has told: `ids`, whose text is `text`. Of that llmd has its first
    // delivered_bytes; the others are told with the next tokens. Precondition: nothing has been taken, and the text is
    // no shorter.
    void begin_with(std::vector<int32_t> ids, std::string_view text);

    // Takes the tokens of an event, which are held back until text comes. Precondition: the ids are named.
    void take_tokens(AnswerEvent& event);
    // Returns whether next() has something to tell.
    bool take_text(std::string_view text, std::string_view thinking);
    // The server has counted so many tokens in all, perhaps more than it has told.
    void count_to(size_t n);
    // All that has come and was not told yet; `n_prompt` tokens stand before the first.
    protocol::Tokens next(size_t n_prompt);
    // Held tokens will come again.
    void drop_held();

    std::span<const int32_t> ids() const { return ids_; }  // that were told
    size_t n_held() const { return held_ids_.size(); }
    size_t n_tokens() const { return ids_.size() + held_ids_.size(); }
    const std::string& text() const { return text_; }  // all that came, stop strings included
    // No text, no tokens and no thinking has come.
    bool is_empty() const { return text_.empty() && ids_.empty() && !has_thought_; }
    bool has_stopped() const { return stops_.has_stopped(); }
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

}  // namespace llmd::remote
