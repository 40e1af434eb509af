#include "dbus/dictionaries.h"

#include "base/utf8.h"

namespace llmd::dbus {

namespace {

using service::RequestLimits;

// Cleaned, because a D-Bus string is UTF-8 and the name of a model folder may be anything.
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

void add_histogram(bus::VariantMap& out, const std::string& name, const service::Histogram& histogram) {
    constexpr double kMedian = 0.5;
    constexpr double kNearlyAll = 0.95;
    out.emplace(name + "_count", u64(histogram.count()));
    out.emplace(name + "_sum", sdbus::Variant(histogram.sum()));
    out.emplace(name + "_p50", sdbus::Variant(histogram.quantile(kMedian)));
    out.emplace(name + "_p95", sdbus::Variant(histogram.quantile(kNearlyAll)));
}

OptionValue to_option(const sdbus::Variant& variant) {
    const std::string type = variant.peekValueType();
    if (type == "b") return variant.get<bool>();
    if (type == "d") return variant.get<double>();
    if (type == "s") return variant.get<std::string>();
    if (type == "as") return variant.get<std::vector<std::string>>();
    if (type == "t") return variant.get<uint64_t>();
    if (type == "x") return variant.get<int64_t>();
    if (type == "u") return int64_t{variant.get<uint32_t>()};
    if (type == "i") return int64_t{variant.get<int32_t>()};
    if (type == "q") return int64_t{variant.get<uint16_t>()};
    if (type == "n") return int64_t{variant.get<int16_t>()};
    if (type == "y") return int64_t{variant.get<uint8_t>()};
    return OtherType{type};
}

}  // namespace

OptionMap to_options(const bus::VariantMap& variants) {
    OptionMap options;
    for (const auto& [key, variant] : variants) options.emplace(key, to_option(variant));
    return options;
}

std::vector<OptionMap> to_options(const std::vector<bus::VariantMap>& list) {
    std::vector<OptionMap> out;
    for (const bus::VariantMap& variants : list) out.push_back(to_options(variants));
    return out;
}

bus::VariantMap info_dictionary(const service::Outcome& outcome) {
    return {
        {"finish_reason", text(service::finish_name(outcome.finish))},
        {"prompt_tokens", u32(outcome.prompt_tokens)},
        {"cached_tokens", u32(outcome.cached_tokens)},
        {"generated_tokens", u32(outcome.generated_tokens)},
        {"queue_ms", u32(outcome.queue_time.count())},
        {"ttft_ms", u32(outcome.ttft.count())},
        {"prefill_tps", sdbus::Variant(outcome.prefill_tps)},
        {"decode_tps", sdbus::Variant(outcome.decode_tps)},
        {"seed", u64(outcome.seed)},
        {"model", text(outcome.model)},
    };
}

bus::VariantMap limits_dictionary() {
    return {
        {"max_prompt_bytes", u64(RequestLimits::kMaxPromptBytes)},
        {"max_messages", u32(RequestLimits::kMaxMessages)},
        {"max_queued", u32(RequestLimits::kMaxQueued)},
        {"max_per_client", u32(RequestLimits::kMaxPerClient)},
        {"max_tokens", u32(RequestLimits::kMaxTokens)},
        {"max_stops", u32(RequestLimits::kMaxStops)},
        {"max_stop_bytes", u32(RequestLimits::kMaxStopBytes)},
        {"max_top_k", u32(RequestLimits::kMaxTopK)},
        {"max_temperature", sdbus::Variant(double{RequestLimits::kMaxTemperature})},
        {"max_repeat_penalty", sdbus::Variant(double{RequestLimits::kMaxRepeatPenalty})},
        {"max_deadline_ms", u32(RequestLimits::kMaxDeadlineMs)},
    };
}

bus::VariantMap model_dictionary(const service::ModelEntry& model) {
    bus::VariantMap out{
        {"name", text(model.name)},
        {"path", text(model.path)},
        {"size_bytes", u64(model.size_bytes)},
        {"loaded", sdbus::Variant(model.loaded)},
        {"default", sdbus::Variant(model.is_default)},
    };
    if (!model.error.empty()) {
        out.emplace("error", text(model.error));
    } else {
        out.emplace("architecture", text(model.architecture));
        out.emplace("quantization", text(model.quantization));
        out.emplace("context_length", u32(model.context_length));
    }
    return out;
}

bus::VariantMap request_dictionary(const std::string& path, const service::RequestSnapshot& request) {
    return {
        {"request", sdbus::Variant(sdbus::ObjectPath(path))},
        {"client", text(request.client)},
        {"model", text(request.model)},
        {"state", text(service::request_state_name(request.state))},
        {"position", u32(request.position)},
        {"estimated_wait_ms", u64(request.estimated_wait_ms)},
        {"prompt_tokens", u32(request.prompt_tokens)},
        {"generated_tokens", u32(request.generated_tokens)},
        {"priority", text(service::priority_name(request.priority))},
    };
}

bus::VariantMap status_dictionary(const service::Status& status, const std::string& version) {
    bus::VariantMap out{
        {"version", text(version)},
        {"state", text(service::state_name(status.state))},
        {"model", text(status.model)},
        {"backend", text(status.backend)},
        {"device", text(status.device)},
        {"driver", text(status.driver)},
        {"precision", text(status.precision)},
        {"notes", sdbus::Variant(status.notes)},
        {"confinement", text(status.confinement)},
        {"context_length", u32(status.context_length)},
        {"load_per_mille", u32(status.load_per_mille)},
        {"queued", u32(status.queued)},
        {"active", u32(status.active)},
        {"weight_bytes", u64(status.weight_bytes)},
        {"kv_bytes", u64(status.kv_bytes)},
        {"kv_pages_used", u32(status.kv_pages_used)},
        {"kv_pages_cached", u32(status.kv_pages_cached)},
        {"kv_pages_total", u32(status.kv_pages_total)},
        {"cache_hits", u64(status.cache_hits)},
        {"cache_hit_tokens", u64(status.cache_hit_tokens)},
        {"engine_pid", sdbus::Variant(int64_t{status.engine_pid})},
        {"engine_restarts", u32(status.engine_restarts)},
        {"last_fault", text(status.last_fault)},
        {"settings_error", text(status.settings_error)},
        {"set_aside", text(status.set_aside)},
        {"memory", text(status.conditions.memory)},
        {"heat", text(status.conditions.heat)},
        {"power", text(status.conditions.power)},
        {"sleep", text(status.conditions.sleep)},
        {"paused", text(status.conditions.paused)},
    };
    add_histogram(out, "queue_ms", status.queue_ms);
    add_histogram(out, "ttft_ms", status.ttft_ms);
    add_histogram(out, "decode_tps", status.decode_tps);
    return out;
}

}  // namespace llmd::dbus
