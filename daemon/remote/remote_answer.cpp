#include "remote/remote_answer.h"

#include <algorithm>

namespace llmd::remote {

using protocol::AnswerPart;

namespace {

constexpr size_t kTelling = 8;  // tokens: the first ones may be slow

}  // namespace

std::string StopFilter::feed(std::string_view text) {
    if (has_stopped()) return {};
    held_ += text;
    size_t first = std::string::npos;
    for (const std::string& stop : stops_) {
        const size_t at = held_.find(stop);
        if (at < first) found_ = stop;
        first = std::min(first, at);
    }
    if (has_stopped()) {
        held_.resize(first);
        return std::exchange(held_, {});
    }
    size_t n_held = 0;
    for (const std::string& stop : stops_) {
        for (size_t n = std::min(stop.size() - 1, held_.size()); n > n_held; --n) {
            if (std::string_view(held_).ends_with(std::string_view(stop).substr(0, n))) n_held = n;
        }
    }
    std::string certain = held_.substr(0, held_.size() - n_held);
    held_.erase(0, certain.size());
    return certain;
}

std::string StopFilter::finish() {
    return std::exchange(held_, {});
}

RemoteAnswer::RemoteAnswer(const protocol::Submit& submit) : submit_(submit), stops_(submit.stops) {}

void RemoteAnswer::begin_with(std::vector<int32_t> ids, std::string_view text) {
    ids_ = std::move(ids);
    text_ = text.substr(0, submit_.delivered_bytes);
    undelivered_ = text.substr(submit_.delivered_bytes);
}

void RemoteAnswer::take_tokens(AnswerEvent& event) {
    held_ids_.insert(held_ids_.end(), event.ids.begin(), event.ids.end());
    if (!submit_.top_logprobs) return;
    // One for each id, whatever the server left out.
    const size_t n_missing = event.ids.size() - std::min(event.ids.size(), event.logprobs.size());
    event.logprobs.resize(event.ids.size() - n_missing);
    event.logprobs.insert(event.logprobs.begin(), n_missing,
                          protocol::TokenLogprobs{{kUnknownId, protocol::kLeastLogprob, {}}, {}});
    for (size_t i = 0; i < event.ids.size(); ++i) {
        protocol::TokenLogprobs& told = event.logprobs[i];
        if (told.chosen.id == kUnknownId) told.chosen.id = event.ids[i];
        if (told.chosen.bytes.empty() && event.ids.size() == 1) told.chosen.bytes = event.text;
        if (told.top.size() > *submit_.top_logprobs) told.top.resize(*submit_.top_logprobs);
        held_logprobs_.push_back(std::move(told));
    }
}

bool RemoteAnswer::take_text(std::string_view text, std::string_view thinking) {
    const std::string before = std::exchange(undelivered_, {});
    if (!thinking.empty()) {
        has_thought_ = true;
        // Not asked for, it is counted and not sent.
        if (submit_.thinking != protocol::Thinking::Off) {
            unsent_.parts.push_back({AnswerPart::Kind::Thinking, std::string(thinking), 0});
            unsent_.bytes += thinking.size();
        }
    }
    if (before.empty() && text.empty() && thinking.empty()) return false;  // ids without their text are kept
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

bool Repetition::take(std::span<const int32_t> ids) {
    if (ids.size() > known_.size() - n_) return false;
    const bool is_same = std::equal(ids.begin(), ids.end(), known_.begin() + static_cast<ptrdiff_t>(n_),
                                    [](int32_t a, int32_t b) { return a == b || a == kUnknownId || b == kUnknownId; });
    n_ += is_same ? ids.size() : 0;
    return is_same;
}

Milliseconds Repetition::estimate(Milliseconds elapsed) const {
    if (n_ < kTelling) return Milliseconds(0);
    return elapsed * static_cast<int64_t>(known_.size()) / static_cast<int64_t>(n_);
}

}  // namespace llmd::remote
