#include "remote/remote_answer.h"

#include <algorithm>
#include <utility>

#include "remote/repetition.h"

namespace llmd::remote {

using protocol::AnswerPart;

RemoteAnswer::RemoteAnswer(const protocol::Submit& submit) : submit_(submit), stops_(submit.stops) {}

void RemoteAnswer::begin_with(std::vector<int32_t> ids, std::string_view text) {
    ids_ = std::move(ids);
    text_ = text.substr(0, submit_.delivered_bytes);
    undelivered_ = text.substr(submit_.delivered_bytes);
}

void RemoteAnswer::take_tokens(AnswerEvent& event) {
    held_ids_.insert(held_ids_.end(), event.ids.begin(), event.ids.end());
    if (!submit_.wants_logprobs) return;
    // One for each id, whatever the server left out.
    const size_t n_missing = event.ids.size() - std::min(event.ids.size(), event.logprobs.size());
    event.logprobs.resize(event.ids.size() - n_missing);
    event.logprobs.insert(event.logprobs.begin(), n_missing,
                          protocol::TokenLogprobs{{kUnknownId, protocol::kLeastLogprob, {}}, {}});
    for (size_t i = 0; i < event.ids.size(); ++i) {
        protocol::TokenLogprobs& told = event.logprobs[i];
        if (told.chosen.id == kUnknownId) told.chosen.id = event.ids[i];
        if (told.chosen.bytes.empty() && event.ids.size() == 1) told.chosen.bytes = event.text;
        if (told.top.size() > submit_.n_top_logprobs) told.top.resize(submit_.n_top_logprobs);
        held_logprobs_.push_back(std::move(told));
    }
}

bool RemoteAnswer::take_text(std::string_view text, std::string_view thinking) {
    const std::string before = std::exchange(undelivered_, {});
    if (!thinking.empty()) {
        has_thought_ = true;
        // Not asked for, it is counted and not told.
        if (submit_.thinking != protocol::Thinking::Off) {
            unsent_.parts.push_back({AnswerPart::Kind::Thinking, std::string(thinking), 0});
            unsent_.bytes += thinking.size();
        }
    }
    if (before.empty() && text.empty() && thinking.empty()) return false;  // ids without their text are held back
    text_ += before;
    text_ += text;
    if (std::string certain = stops_.feed(before + std::string(text)); !certain.empty()) {
        unsent_.bytes += certain.size();
        unsent_.parts.push_back({AnswerPart::Kind::Text, std::move(certain), 0});
    }
    return true;
}

void RemoteAnswer::count_to(size_t n) {
    if (n > n_tokens()) held_ids_.resize(held_ids_.size() + n - n_tokens(), kUnknownId);
}

protocol::Tokens RemoteAnswer::next(size_t n_prompt) {
    protocol::Tokens tokens = std::exchange(unsent_, {});
    tokens.id = submit_.id;
    tokens.ids = std::exchange(held_ids_, {});
    tokens.logprobs = std::exchange(held_logprobs_, {});
    ids_.insert(ids_.end(), tokens.ids.begin(), tokens.ids.end());
    tokens.position = static_cast<uint32_t>(n_prompt + ids_.size());
    return tokens;
}

void RemoteAnswer::drop_held() {
    held_ids_.clear();
    held_logprobs_.clear();
}

}  // namespace llmd::remote
