// The lines of the pipe format "ndjson": one JSON object each, newline included. The D-Bus interface documents them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/answer_calls.h"
#include "api/logprobs.h"
#include "service/request.h"

namespace llmd::dbus {

// {"seq":0,"text":"…"}, with "logprobs":[…] behind it where there are some (api/logprobs.h).
std::string text_line(uint64_t seq, std::string_view text, std::span<const api::AlignedLogprobs> logprobs = {});
// {"seq":N,"thinking":"..."}
std::string thinking_line(uint64_t seq, std::string_view text);
// {"seq":N,"tool_call":{"id":…,"index":NUMBER,"name":…,"arguments":"…"}}; "cut":true behind arguments that were cut.
std::string call_line(uint64_t seq, size_t number, const api::AnswerCall& call);

// The last line: {"done":true,…}, or {"error":{…}} when the outcome has an error.
std::string last_line(const service::Outcome& outcome, std::span<const std::string> notes = {});

}  // namespace llmd::dbus
