// The calls of tools that an answer consists of, as every front end sends them. Pure.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "protocol/messages.h"
#include "service/request.h"

namespace llmd::api {

struct AnswerCall {
    std::string id;  // the result of the call will name it by this
    std::string name;
    std::string arguments;  // the text of a JSON object; of a call that was cut, the beginning of one
    bool is_cut = false;
};

// Names an answer within ids. No other answer has the same name, also after llmd was restarted and counts its requests
// anew: a conversation may be longer than the life of a daemon, and the ids of its calls must differ.
std::string answer_key(std::chrono::system_clock::time_point created, service::RequestId id);

// Takes the next part of the answer that `key` names; see RequestSink::on_part for their order. Text and thinking
// change nothing.
void add_part(std::vector<AnswerCall>& calls, const protocol::AnswerPart& part, std::string_view key);

// [{"id":…,"type":"function","function":{"name":…,"arguments":"…"}}], as in OpenAI's messages.
void write_tool_calls(base::JsonWriter& json, std::span<const AnswerCall> calls);

}  // namespace llmd::api
