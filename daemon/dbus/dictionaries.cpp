#include "dbus/dictionaries.h"

#include "api/info.h"
#include "api/status.h"
#include "base/utf8.h"
#include "bus/variant.h"

namespace llmd::dbus {

namespace {

using service::RequestLimits;

// Cleaned, because a D-Bus string is UTF-8 and the name of a model directory may be anything.
sdbus::Variant text(std::string_view value) {
    return sdbus::Variant(base::to_clean_text(value));
}
template <typename T>
sdbus::Variant u32(T value) {
    return sdbus::Variant(static_cast<uint32_t>(value));
}
template <typename T>
sdbus::Variant u64(T value) {
    return sdbus::Variant(static_cast<uint64_t>(value));
}

}  // namespace

bus::VariantMap info_dictionary(const service::Outcome& outcome, std::span<const api::AnswerCall> calls,
                                std::span<const std::string> notes) {
    bus::VariantMap out{{"finish_reason", text(service::finish_name(outcome.finish))}};
    api::for_each_info(outcome, [&](std::string_view key, std::string_view type, const base::Value& value) {
        out.emplace(key, bus::to_variant(value, type));
    });
    if (!calls.empty()) {
        base::JsonWriter json;
        write_tool_calls(json, calls);
        out.emplace("tool_calls", sdbus::Variant(json.take()));
    }
    if (!notes.empty()) {
        std::vector<std::string> told;
        for (const std::string& note : notes) told.push_back(base::to_clean_text(note));
        out.emplace("notes", sdbus::Variant(told));
    }
    return out;
}

bus::VariantMap limits_dictionary() {
    return {
        {"max_prompt_bytes", u64(RequestLimits::kMaxPromptBytes)},
        {"max_prompt_fd_bytes", u64(RequestLimits::kMaxSocketPromptBytes)},
        {"max_inputs", u32(RequestLimits::kMaxBusInputs)},
        {"max_messages", u32(RequestLimits::kMaxMessages)},
        {"max_queued", u32(RequestLimits::kMaxQueued)},
        {"max_per_client", u32(RequestLimits::kMaxPerClient)},
        {"max_per_application", u32(RequestLimits::kMaxPerApplication)},
        {"max_tokens", u32(RequestLimits::kMaxTokens)},
        {"max_stops", u32(RequestLimits::kMaxStops)},
        {"max_stop_bytes", u32(RequestLimits::kMaxStopBytes)},
        {"max_top_k", u32(RequestLimits::kMaxTopK)},
        {"max_temperature", sdbus::Variant(double{RequestLimits::kMaxTemperature})},
        {"max_repeat_penalty", sdbus::Variant(double{RequestLimits::kMaxRepeatPenalty})},
        {"max_deadline_ms", u32(RequestLimits::kMaxDeadlineMs)},
    };
}

bus::VariantMap model_dictionary(const engines::ModelEntry& model) {
    bus::VariantMap out{
        {"name", text(model.name)},
        {"path", text(model.path)},
        {"size_bytes", u64(model.size_bytes)},
        {"loaded", sdbus::Variant(model.loaded)},
        {"default", sdbus::Variant(model.is_default)},
    };
    if (!model.remote.empty()) {
        out.emplace("remote", text(model.remote));
        out.emplace("host", text(model.host));
        out.emplace("guarantees", sdbus::Variant(model.guarantees));
    } else if (!model.error.empty()) {
        out.emplace("error", text(model.error));
    } else {
        out.emplace("architecture", text(model.architecture));
        out.emplace("quantization", text(model.quantization));
        out.emplace("context_length", u32(model.context_length));
        if (!model.embeds) out.emplace("chat_family", text(model.chat_family));
    }
    return out;
}

bus::VariantMap request_dictionary(const std::string& path, const service::RequestSnapshot& request) {
    return {
        {"request", sdbus::Variant(sdbus::ObjectPath(path))},
        {"client", text(request.client)},
        {"model", text(request.model)},
        {"where", text(request.where)},
        {"state", text(service::request_state_name(request.state))},
        {"position", u32(request.position)},
        {"estimated_wait_ms", u64(request.estimated_wait_ms)},
        {"prompt_tokens", u32(request.prompt_tokens)},
        {"generated_tokens", u32(request.generated_tokens)},
        {"priority", text(service::priority_name(request.priority))},
    };
}

bus::VariantMap status_dictionary(const service::Status& status, const std::string& version) {
    bus::VariantMap out;
    for (const api::StatusValue& one : api::status_values(status, version)) {
        out.emplace(one.key, bus::to_variant(one.value, one.type));
    }
    return out;
}

}  // namespace llmd::dbus
