// The fields of a request that are named and limited alike on the bus and on the socket. A Reader takes them from what
// the caller sent: find(key), integer(key, least, most, out) and number(key, least, most, out), which leave `out` as it
// is where the field is absent and keep an InvalidArgument that names it where it is out of range.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "service/request.h"

namespace llmd::api {

template <typename Reader>
void read_sampling(Reader& reader, service::Sampling& out) {
    using service::RequestLimits;
    reader.number("temperature", 0, RequestLimits::kMaxTemperature, out.temperature);
    reader.integer("top_k", 0, RequestLimits::kMaxTopK, out.top_k);
    reader.number("top_p", 0, 1, out.top_p);
    reader.number("min_p", 0, 1, out.min_p);
    reader.number("repeat_penalty", RequestLimits::kMinRepeatPenalty, RequestLimits::kMaxRepeatPenalty,
                  out.repeat_penalty);
    reader.number("presence_penalty", -RequestLimits::kMaxPenalty, RequestLimits::kMaxPenalty, out.presence_penalty);
    reader.number("frequency_penalty", -RequestLimits::kMaxPenalty, RequestLimits::kMaxPenalty, out.frequency_penalty);
    reader.integer("min_tokens", 0, RequestLimits::kMaxTokens, out.min_tokens);
    reader.boolean("ignore_eos", out.ignore_eos);
}

template <typename Reader>
void read_seed(Reader& reader, std::optional<uint64_t>& out) {
    uint64_t seed = 0;
    reader.integer("seed", 0, std::numeric_limits<uint64_t>::max(), seed);
    if (reader.find("seed")) out = seed;
}

template <typename Reader>
void read_deadline(Reader& reader, std::optional<std::chrono::milliseconds>& out) {
    uint64_t deadline_ms = 0;
    reader.integer("deadline_ms", 1, service::RequestLimits::kMaxDeadlineMs, deadline_ms);
    if (reader.find("deadline_ms")) out = std::chrono::milliseconds(deadline_ms);
}

}  // namespace llmd::api
