#include "dbus/dictionaries.h"

#include "api/info.h"
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

bus::VariantMap info_dictionary(const api::AnswerHead& head, const api::Choice& choice) {
    bus::VariantMap out{{"finish_reason", text(service::finish_name(choice.outcome.finish))}};
    api::for_each_info(choice.outcome, [&](std::string_view key, std::string_view type, const base::Value& value) {
        out.emplace(key, bus::to_variant(value, type));
    });
    if (!choice.calls.empty()) {
        base::JsonWriter json;
        write_tool_calls(json, choice.calls);
        out.emplace("tool_calls", sdbus::Variant(json.take()));
    }
    std::vector<std::string> notes = api::all_notes(head, choice.outcome);
    for (std::string& note : notes) note = base::to_clean_text(note);
    if (!notes.empty()) out.emplace("notes", sdbus::Variant(notes));
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

bus::VariantMap dictionary(const std::vector<api::StatusValue>& values) {
    bus::VariantMap out;
    for (const api::StatusValue& one : values) out.emplace(one.key, bus::to_variant(one.value, one.type));
    return out;
}

}  // namespace llmd::dbus
