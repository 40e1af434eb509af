#include "api/info.h"

#include <array>

namespace llmd::api {
namespace {

using base::Value;
using service::Outcome;

constexpr std::array kInfoFields = {
    InfoField{"prompt_tokens", "u", [](const Outcome& o) -> Value { return o.prompt_tokens; }},
    InfoField{"cached_tokens", "u", [](const Outcome& o) -> Value { return o.cached_tokens; }},
    InfoField{"generated_tokens", "u", [](const Outcome& o) -> Value { return o.generated_tokens; }},
    InfoField{"thinking_tokens", "u", [](const Outcome& o) -> Value { return o.thinking_tokens; }},
    InfoField{"drafted", "u", [](const Outcome& o) -> Value { return o.drafted_tokens; }},
    InfoField{"accepted", "u", [](const Outcome& o) -> Value { return o.accepted_tokens; }},
    InfoField{"queue_ms", "u", [](const Outcome& o) -> Value { return o.queue_time.count(); }},
    InfoField{"ttft_ms", "u", [](const Outcome& o) -> Value { return o.ttft.count(); }},
    InfoField{"prefill_tps", "d", [](const Outcome& o) -> Value { return o.prefill_tps; }},
    InfoField{"decode_tps", "d", [](const Outcome& o) -> Value { return o.decode_tps; }},
    InfoField{"seed", "t", [](const Outcome& o) -> Value { return o.seed; }},
    InfoField{"model", "s", [](const Outcome& o) -> Value { return o.model; }},
    InfoField{"where", "s", [](const Outcome& o) -> Value { return o.where; }},
    InfoField{"resumed", "u", [](const Outcome& o) -> Value { return o.resumed; }, true},
};

}  // namespace

std::span<const InfoField> info_fields() {
    return kInfoFields;
}

void write_info(base::JsonWriter& json, const Outcome& outcome) {
    for_each_info(outcome, [&json](std::string_view key, std::string_view, const Value& value) {
        write_json(json.key(key), value);
    });
}

void write_notes(base::JsonWriter& json, std::span<const std::string> notes) {
    if (notes.empty()) return;
    json.key("notes").begin_array();
    for (const std::string& note : notes) json.value(note);
    json.end_array();
}

}  // namespace llmd::api
