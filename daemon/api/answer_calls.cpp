#include "api/answer_calls.h"

#include <array>
#include <charconv>

#include "base/error.h"

namespace llmd::api {

std::string answer_key(std::chrono::system_clock::time_point created, service::RequestId id) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(created.time_since_epoch()).count();
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), seconds, 16).ptr;
    return base::concat(std::string_view(digits.data(), static_cast<size_t>(end - digits.data())), '_', id);
}

void add_part(std::vector<AnswerCall>& calls, const protocol::AnswerPart& part, std::string_view key) {
    using Kind = protocol::AnswerPart::Kind;
    switch (part.kind) {
        case Kind::CallBegin:
            calls.push_back({base::concat("call_", key, '_', calls.size()), part.text, {}});
            break;
        case Kind::CallArguments:
            calls.back().arguments += part.text;
            break;
        case Kind::CallCut:
            calls.back().is_cut = true;
            break;
        case Kind::CallEnd:
        case Kind::Text:
        case Kind::Thinking:
            break;
    }
}

void write_tool_calls(base::JsonWriter& json, std::span<const AnswerCall> calls) {
    json.begin_array();
    for (const AnswerCall& call : calls) {
        json.begin_object();
        json.key("id").value(call.id);
        json.key("type").value("function");
        json.key("function").begin_object();
        json.key("name").value(call.name).key("arguments").value(call.arguments);
        json.end_object().end_object();
    }
    json.end_array();
}

}  // namespace llmd::api
