// How an answer is written into a pipe, and for /llmd/stream. Pure.
#pragma once

#include <memory>

#include "api/answer_format.h"

namespace llmd::api {

// The pipe format "ndjson": one JSON object a line, as the D-Bus interface documents them.
//   {"seq":0,"text":"…"}, with "logprobs":[…] behind it where there are some (api/logprobs.h)
//   {"seq":N,"thinking":"…"}
//   {"seq":N,"tool_call":{"id":…,"index":NUMBER,"name":…,"arguments":"…"}}; "cut":true behind arguments that were cut
// and at last {"done":true,"finish_reason":…,"usage":{…,"notes":[…]}} or {"error":{"name":…,"message":…}}.
std::unique_ptr<AnswerFormat> make_json_lines();

// The pipe format "text" and what signals carry: the text and nothing else.
std::unique_ptr<AnswerFormat> make_plain_text();

}  // namespace llmd::api
