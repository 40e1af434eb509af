#include "http/openai_logprobs.h"

#include <set>
#include <string>

#include "base/utf8.h"

namespace llmd::http {

namespace {

using base::JsonWriter;
using protocol::TokenLogprob;

std::string name(const TokenLogprob& token) {
    if (base::valid_utf8_prefix(token.bytes) == token.bytes.size()) return token.bytes;
    return "bytes:" + base::hex_digits(token.bytes, "\\x");
}

void write_alternatives(JsonWriter& json, const protocol::TokenLogprobs& token) {
    std::set<std::string> names;
    const auto write = [&](const TokenLogprob& one) {
        const auto [it, is_new] = names.insert(name(one));
        if (is_new) json.key(*it).value(one.logprob);
    };
    json.begin_object();
    for (const TokenLogprob& one : token.top) write(one);
    write(token.chosen);
    json.end_object();
}

}  // namespace

void write_chat_logprobs(JsonWriter& json, std::span<const api::AlignedLogprobs> logprobs) {
    json.begin_object();
    api::write_token_logprobs(json.key("content"), logprobs);
    json.key("refusal").null().end_object();
}

void write_completion_logprobs(JsonWriter& json, std::span<const api::AlignedLogprobs> logprobs, bool wants_top) {
    json.begin_object().key("tokens").begin_array();
    for (const api::AlignedLogprobs& one : logprobs) json.value(name(one.token.chosen));
    json.end_array().key("token_logprobs").begin_array();
    for (const api::AlignedLogprobs& one : logprobs) json.value(one.token.chosen.logprob);
    json.end_array().key("top_logprobs");
    if (wants_top) {
        json.begin_array();
        for (const api::AlignedLogprobs& one : logprobs) write_alternatives(json, one.token);
        json.end_array();
    } else {
        json.null();
    }
    json.key("text_offset").begin_array();
    for (const api::AlignedLogprobs& one : logprobs) json.value(one.text_offset);
    json.end_array().end_object();
}

}  // namespace llmd::http
