// Answers in the shape of OpenAI's Responses API: a `response` whose output is items, which are what the model thinks
// (reasoning), what it says (message) and the calls of tools that it makes (function_call), in this order where all of
// it is sent at once and in the model's own order in a stream. Streams are server-sent events, each with its type and a
// sequence_number: response.created, response.in_progress, then for each item response.output_item.added, what it
// consists of, and response.output_item.done, and at the end response.completed or response.incomplete. A failure is
// sent twice, as `error` and as response.failed, because clients know one or the other. Nothing is stored: a response
// is its own whole state, and no later request may name it. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/call.h"
#include "base/value.h"
#include "http/body_format.h"

namespace llmd::http {

// A response repeats this of its request. Those that are called JSON are texts of JSON values.
struct ResponsesEcho {
    std::optional<std::string> instructions;
    std::optional<uint32_t> max_output_tokens;
    std::string metadata = "{}";  // JSON
    bool parallel_tool_calls = true;
    std::string reasoning = R"({"effort":null,"summary":null})";  // JSON
    bool wants_summary = false;  // the thinking is sent as a summary of itself, since clients show summaries
    float temperature = 1;
    std::string text = R"({"format":{"type":"text"}})";  // JSON
    std::string tool_choice = R"("auto")";               // JSON
    std::string tools = "[]";                            // JSON
    uint32_t top_logprobs = 0;
    float top_p = 1;
    std::optional<std::string> user;
};

// Returns the echo of a body of which api::read_call() has made `call`.
ResponsesEcho responses_echo(const base::Value::Object& body, const api::Call& call);

// Makes the format of an answer of one choice. `n_ctx` as in make_openai_format(). Logprobs are in it where the request
// has them.
std::unique_ptr<BodyFormat> make_responses_format(ResponsesEcho echo, std::function<uint32_t()> n_ctx);

}  // namespace llmd::http
