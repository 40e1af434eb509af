#include "http/logprob_aligner.h"

#include <utility>

#include "base/utf8.h"

namespace llmd::http {

void LogprobAligner::add(std::span<const protocol::TokenLogprobs> tokens) {
    for (const protocol::TokenLogprobs& token : tokens) {
        unmatched_ += token.chosen.bytes;
        waiting_.push_back(token);
    }
}

std::vector<AlignedLogprobs> LogprobAligner::take(std::string_view text) {
    std::vector<AlignedLogprobs> out;
    release(out);
    size_t matched = 0;  // of unmatched_
    // Character by character, as the engine has made text of these bytes.
    while (!text.empty() && matched < unmatched_.size()) {
        const base::Utf8Step written = base::next_utf8(std::string_view(unmatched_).substr(matched));
        text.remove_prefix(base::next_utf8(text).length);
        matched += written.length;
        n_bytes_ += written.length;
        ++n_characters_;
        release(out);
    }
    unmatched_.erase(0, matched);
    return out;
}

std::vector<AlignedLogprobs> LogprobAligner::finish() {
    std::vector<AlignedLogprobs> out;
    release(out);
    if (!waiting_.empty() && first_begin_ < n_bytes_) {
        AlignedLogprobs& cut = out.emplace_back(AlignedLogprobs{std::move(waiting_.front()), first_offset_});
        cut.token.chosen.bytes.resize(n_bytes_ - first_begin_);
    }
    waiting_.clear();
    return out;
}

void LogprobAligner::release(std::vector<AlignedLogprobs>& out) {
    while (!waiting_.empty() && first_begin_ + waiting_.front().chosen.bytes.size() <= n_bytes_) {
        first_begin_ += waiting_.front().chosen.bytes.size();
        out.push_back({std::move(waiting_.front()), first_offset_});
        waiting_.pop_front();
        // The last character that has come may be the next one's too.
        first_offset_ = n_characters_ - (first_begin_ < n_bytes_ ? 1 : 0);
    }
}

}  // namespace llmd::http
