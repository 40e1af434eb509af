#include "api/logprobs.h"

#include <utility>

#include "base/utf8.h"

namespace llmd::api {

namespace {

using base::JsonWriter;

void write_token(JsonWriter& json, const protocol::TokenLogprob& token) {
    json.key("token").value(token.bytes);
    json.key("logprob").value(token.logprob);
    json.key("bytes").begin_array();
    for (const char byte : token.bytes) json.value(uint32_t{static_cast<unsigned char>(byte)});
    json.end_array();
}

}  // namespace

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

void write_token_logprobs(JsonWriter& json, std::span<const AlignedLogprobs> logprobs) {
    json.begin_array();
    for (const AlignedLogprobs& one : logprobs) {
        json.begin_object();
        write_token(json, one.token.chosen);
        json.key("top_logprobs").begin_array();
        for (const protocol::TokenLogprob& alternative : one.token.top) {
            json.begin_object();
            write_token(json, alternative);
            json.end_object();
        }
        json.end_array().end_object();
    }
    json.end_array();
}

}  // namespace llmd::api
