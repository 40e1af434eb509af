// How long a client asks for a model to stay loaded after its answer, as Ollama's keep_alive says it. Pure.
#pragma once

#include <chrono>

#include "base/result.h"
#include "base/value.h"
#include "service/request.h"

namespace llmd::api {

// Longer times are cut to this: a year is for ever.
inline constexpr std::chrono::seconds kLongestKeepAlive = service::RequestLimits::kMaxKeepAlive;

// `value` is a number of seconds, or a text: such a number ("300", "-1"), or a duration as Go writes it, which is one
// or more numbers that are each followed by ns, us, µs, ms, s, m or h ("5m", "1h30m", "300ms"). Parts of a second are
// rounded up. All that is negative is -1 s: the model is to stay. 0 s: it is to go after the answer.
// InvalidArgument names keep_alive and the value.
base::Result<std::chrono::seconds> parse_keep_alive(const base::Value& value);

}  // namespace llmd::api
