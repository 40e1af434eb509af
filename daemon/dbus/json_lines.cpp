#include "dbus/json_lines.h"

#include "api/info.h"
#include "base/json_writer.h"

namespace llmd::dbus {

std::string text_line(uint64_t seq, std::string_view text, std::span<const api::AlignedLogprobs> logprobs) {
    base::JsonWriter json;
    json.begin_object().key("seq").value(seq).key("text").value(text);
    if (!logprobs.empty()) api::write_token_logprobs(json.key("logprobs"), logprobs);
    json.end_object();
    return json.take() + '\n';
}

std::string thinking_line(uint64_t seq, std::string_view text) {
    base::JsonWriter json;
    json.begin_object().key("seq").value(seq).key("thinking").value(text).end_object();
    return json.take() + '\n';
}

std::string call_line(uint64_t seq, size_t number, const api::AnswerCall& call) {
    base::JsonWriter json;
    json.begin_object().key("seq").value(seq).key("tool_call").begin_object();
    json.key("id").value(call.id);
    json.key("index").value(uint64_t{number});
    json.key("name").value(call.name);
    json.key("arguments").value(call.arguments);
    if (call.is_cut) json.key("cut").value(true);
    json.end_object().end_object();
    return json.take() + '\n';
}

std::string last_line(const service::Outcome& outcome, std::span<const std::string> notes) {
    base::JsonWriter json;
    json.begin_object();
    if (outcome.error) {
        json.key("error").begin_object();
        json.key("name").value(base::error_name(outcome.error->code));
        json.key("message").value(outcome.error->message);
        json.end_object();
    } else {
        json.key("done").value(true);
        json.key("finish_reason").value(service::finish_name(outcome.finish));
        json.key("usage").begin_object();
        api::for_each_info(outcome, [&](std::string_view key, std::string_view, const base::Value& value) {
            write_json(json.key(key), value);
        });
        api::write_notes(json, notes);
        json.end_object();
    }
    json.end_object();
    return json.take() + '\n';
}

}  // namespace llmd::dbus
