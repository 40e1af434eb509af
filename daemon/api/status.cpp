#include "api/status.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "api/listing.h"

namespace llmd::api {

namespace {

using base::Value;
using service::Status;

constexpr double kSecondsPerMs = 1e-3;
constexpr double kMedian = 0.5;
constexpr double kNearlyAll = 0.95;

constexpr double celsius(platform::MilliCelsius temperature) {
    return temperature / 1000.0;
}

constexpr int64_t kNever = -1;

// One dictionary an engine.
Value engines_value(const Status& status) {
    Value::Array rows;
    for (const service::EngineStatus& engine : status.engines) {
        Value::Object row{
            {"model", engine.model},
            {"state", std::string(state_name(engine.state))},
            {"backend", engine.backend},
            {"device", engine.device},
            {"memory_bytes", engine.memory_bytes},
            {"context_length", engine.context_length},
            {"slots", engine.slots},
            {"active", engine.active},
            {"pinned", engine.pinned},
            {"pid", engine.pid},
            {"restarts", engine.restarts},
        };
        if (engine.idle) row.push_back({"idle_s", uint64_t(engine.idle->count())});
        // Milliseconds; -1: it stays. Absent where nothing says.
        if (engine.unload_in) {
            const bool stays = *engine.unload_in == std::chrono::milliseconds::max();
            row.push_back({"unload_in_ms", stays ? kNever : int64_t{engine.unload_in->count()}});
        }
        rows.emplace_back(std::move(row));
    }
    return rows;
}

// One dictionary a remote.
Value remotes_value(const Status& status) {
    Value::Array rows;
    for (const auto& [name, host, models, words] : status.remotes) {
        Value::Object row{
            {"name", name},
            {"host", host},
            {"state", std::string(words.state)},
            {"since_s", uint64_t(words.since.count())},
            {"in_flight", words.in_flight},
            {"last_error", words.last_error},
            {"models", models},
        };
        if (words.last_use) row.push_back({"last_use_s", uint64_t(words.last_use->count())});
        if (words.state == "away") row.push_back({"retry_in_s", uint64_t(words.retry_in.count())});
        rows.emplace_back(std::move(row));
    }
    return rows;
}

constexpr std::array kFields = {
    StatusField{"state", "s", Reader::Anyone,
                [](const Status& s) -> Value { return std::string(state_name(s.state)); }},
    StatusField{"model", "s", Reader::Anyone, [](const Status& s) -> Value { return s.main.model; }},
    StatusField{"backend", "s", Reader::Anyone, [](const Status& s) -> Value { return s.main.backend; }},
    StatusField{"device", "s", Reader::Anyone, [](const Status& s) -> Value { return s.main.device; }},
    StatusField{"driver", "s", Reader::Anyone, [](const Status& s) -> Value { return s.main.driver; }},
    StatusField{"precision", "s", Reader::Anyone, [](const Status& s) -> Value { return s.main.precision; }},
    StatusField{"notes", "as", Reader::Unconfined, [](const Status& s) -> Value { return s.main.notes; }},
    StatusField{"sandbox", "s", Reader::Unconfined, [](const Status& s) -> Value { return s.main.sandbox; }},
    StatusField{"context_length", "u", Reader::Anyone, [](const Status& s) -> Value { return s.main.context_length; },
                "context_tokens", MetricType::Gauge, "Length of the loaded model's context."},
    StatusField{"slots", "u", Reader::Anyone, [](const Status& s) -> Value { return s.main.slots; }, "slots",
                MetricType::Gauge, "Requests that the loaded model can compute at a time."},
    StatusField{"engines", "aa{sv}", Reader::Unconfined, engines_value},
    StatusField{"remotes", "aa{sv}", Reader::Unconfined, remotes_value},
    StatusField{"load_per_mille", "u", Reader::Anyone, [](const Status& s) -> Value { return s.main.load_per_mille; }},
    StatusField{"queued", "u", Reader::Anyone, [](const Status& s) -> Value { return s.queued; }, "requests_queued",
                MetricType::Gauge, "Requests that wait."},
    StatusField{"active", "u", Reader::Anyone, [](const Status& s) -> Value { return s.active; }, "requests_active",
                MetricType::Gauge, "Requests that run."},
    StatusField{"weight_bytes", "t", Reader::Anyone, [](const Status& s) -> Value { return s.main.weight_bytes; },
                "weights_bytes", MetricType::Gauge, "Memory of the loaded model's weights."},
    StatusField{"kv_bytes", "t", Reader::Anyone, [](const Status& s) -> Value { return s.main.kv_bytes; }, "kv_bytes",
                MetricType::Gauge, "Memory of the KV pages."},
    StatusField{"kv_pages_used", "u", Reader::Unconfined, [](const Status& s) -> Value { return s.main.pages.used; },
                "kv_pages_used", MetricType::Gauge, "KV pages of requests."},
    StatusField{"kv_pages_cached", "u", Reader::Unconfined,
                [](const Status& s) -> Value { return s.main.pages.cached; }, "kv_pages_cached", MetricType::Gauge,
                "KV pages kept for later requests."},
    StatusField{"kv_pages_total", "u", Reader::Anyone, [](const Status& s) -> Value { return s.main.pages.total; },
                "kv_pages", MetricType::Gauge, "KV pages in all."},
    StatusField{"cache_hits", "t", Reader::Unconfined, [](const Status& s) -> Value { return s.figures.cache_hits; },
                "cache_hits_total", MetricType::Counter, "Requests whose beginning was computed already."},
    StatusField{"cache_hit_tokens", "t", Reader::Unconfined,
                [](const Status& s) -> Value { return s.figures.cache_hit_tokens; }, "cache_hit_tokens_total",
                MetricType::Counter, "Their tokens that were not computed again."},
    StatusField{"drafted_tokens", "t", Reader::Unconfined,
                [](const Status& s) -> Value { return s.figures.drafted_tokens; }, "drafted_tokens_total",
                MetricType::Counter, "Tokens computed before it was known that they follow."},
    StatusField{"accepted_tokens", "t", Reader::Unconfined,
                [](const Status& s) -> Value { return s.figures.accepted_tokens; }, "accepted_tokens_total",
                MetricType::Counter, "Of the drafted tokens, those that did follow."},
    StatusField{"engine_pid", "x", Reader::Unconfined, [](const Status& s) -> Value { return s.main.pid; }},
    StatusField{"engine_restarts", "u", Reader::Unconfined, [](const Status& s) -> Value { return s.engine_restarts; },
                "engine_restarts_total", MetricType::Counter, "Engines started in the place of dead ones."},
    StatusField{"last_fault", "s", Reader::Unconfined, [](const Status& s) -> Value { return s.last_fault; }},
    StatusField{"last_fault_cause", "s", Reader::Unconfined,
                [](const Status& s) -> Value { return std::string(s.last_fault_cause); }},
    StatusField{"settings_error", "s", Reader::Unconfined, [](const Status& s) -> Value { return s.settings_error; }},
    StatusField{"quarantined", "s", Reader::Unconfined, [](const Status& s) -> Value { return s.quarantined; }},
    StatusField{"memory", "s", Reader::Anyone, [](const Status& s) -> Value { return s.conditions.memory; }},
    StatusField{"memory_state", "s", Reader::Anyone,
                [](const Status& s) -> Value { return std::string(s.states.memory); }},
    StatusField{"heat", "s", Reader::Anyone, [](const Status& s) -> Value { return s.conditions.heat; }},
    StatusField{"heat_state", "s", Reader::Anyone, [](const Status& s) -> Value { return std::string(s.states.heat); }},
    StatusField{"heat_zone", "s", Reader::Anyone, [](const Status& s) -> Value { return s.states.nearest.zone; }},
    StatusField{"heat_celsius", "d", Reader::Anyone,
                [](const Status& s) -> Value { return celsius(s.states.nearest.temperature); }},
    StatusField{"heat_limit_celsius", "d", Reader::Anyone,
                [](const Status& s) -> Value { return celsius(s.states.nearest.trip); }},
    StatusField{"duty_cycle_percent", "u", Reader::Anyone,
                [](const Status& s) -> Value { return s.duty_cycle_percent; }},
    StatusField{"power", "s", Reader::Anyone, [](const Status& s) -> Value { return s.conditions.power; }},
    StatusField{"power_state", "s", Reader::Anyone,
                [](const Status& s) -> Value { return std::string(s.states.power); }},
    StatusField{"power_saving", "u", Reader::Anyone,
                [](const Status& s) -> Value { return uint32_t{s.states.saves_power}; }},
    StatusField{"sleep", "s", Reader::Anyone, [](const Status& s) -> Value { return s.conditions.sleep; }},
    StatusField{"sleep_state", "s", Reader::Anyone,
                [](const Status& s) -> Value { return std::string(s.states.sleep); }},
    StatusField{"paused", "s", Reader::Anyone, [](const Status& s) -> Value { return s.conditions.paused; }},
    StatusField{"paused_requests", "s", Reader::Anyone,
                [](const Status& s) -> Value { return std::string(s.states.paused); }},
};

using service::Histogram;
constexpr std::array kHistograms = {
    StatusHistogram{"queue_ms", [](const Status& s) -> const Histogram& { return s.figures.queue_ms; }, "queue_seconds",
                    kSecondsPerMs, "From submission to start."},
    StatusHistogram{"ttft_ms", [](const Status& s) -> const Histogram& { return s.figures.ttft_ms; },
                    "first_token_seconds", kSecondsPerMs, "From submission to the first token."},
    StatusHistogram{"prefill_ms", [](const Status& s) -> const Histogram& { return s.figures.prefill_ms; },
                    "prefill_seconds", kSecondsPerMs, "From start to the first token."},
    StatusHistogram{"decode_tps", [](const Status& s) -> const Histogram& { return s.figures.decode_tps; },
                    "decode_tokens_per_second", 1, "Speed of a request's text."},
};

// A figure that each engine, or each remote, has.
template <typename T>
struct LabelledMetric {
    std::string_view name;  // behind "llmd_"
    std::string_view type;
    std::string_view help;
    uint64_t (*get)(const T& of);
};
using service::EngineStatus;
using service::RemoteStatus;
constexpr std::array kEngineMetrics = {
    LabelledMetric<EngineStatus>{"engine_memory_bytes", "gauge", "Memory of each loaded model's engine.",
                                 [](const EngineStatus& e) { return e.memory_bytes; }},
    LabelledMetric<EngineStatus>{"engine_slots", "gauge", "Requests that each can compute at a time.",
                                 [](const EngineStatus& e) { return uint64_t{e.slots}; }},
    LabelledMetric<EngineStatus>{"engine_requests_active", "gauge", "Requests that run on each.",
                                 [](const EngineStatus& e) { return uint64_t{e.active}; }},
};
constexpr std::array kRemoteMetrics = {
    LabelledMetric<RemoteStatus>{"remote_requests_active", "gauge", "Requests that each remote of the settings has.",
                                 [](const RemoteStatus& r) { return uint64_t{r.words.in_flight}; }},
};

// The status of a llmd that has done nothing.
const Status& nothing() {
    static const Status nothing;
    return nothing;
}

// Returns what is for Reader::Unconfined.
const Status& unconfined(const StatusView& view) {
    return view.is_confined ? nothing() : view.status;
}

Value shown(const StatusField& field, const StatusView& view) {
    return field.get(field.reader == Reader::Unconfined ? unconfined(view) : view.status);
}

// A label's value: '\', '"' and line breaks are escaped.
std::string label(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string description(std::string_view name, std::string_view type, std::string_view help) {
    return base::concat("# HELP llmd_", name, ' ', help, "\n# TYPE llmd_", name, ' ', type, '\n');
}

// Counts of Prometheus are floating-point numbers, and are shown as such.
std::string sample(const Value& value) {
    if (const auto* number = value.get<uint64_t>()) return base::digits(static_cast<double>(*number));
    if (const auto* number = value.get<int64_t>()) return base::digits(static_cast<double>(*number));
    return base::digits(*value.get<double>());
}

}  // namespace

std::vector<StatusValue> status_values(const StatusView& view, std::string_view version) {
    std::vector<StatusValue> out{{"version", "s", std::string(version)}};
    for (const StatusField& field : kFields) out.push_back({std::string(field.key), field.type, shown(field, view)});
    for (const StatusHistogram& row : kHistograms) {
        const Histogram& histogram = row.get(unconfined(view));
        const std::string key(row.key);
        out.push_back({key + "_count", "t", histogram.count()});
        out.push_back({key + "_sum", "d", histogram.sum()});
        out.push_back({key + "_p50", "d", histogram.quantile(kMedian)});
        out.push_back({key + "_p95", "d", histogram.quantile(kNearlyAll)});
    }
    return out;
}

bool may_know_of(const Caller& owner, const Caller& caller) {
    return !caller.sandboxed || owner.name == caller.name ||
           (!caller.application.empty() && owner.application == caller.application);
}

std::vector<service::RequestSnapshot> requests_for(const service::Service& service, const Caller& caller) {
    auto requests = service.requests();
    std::erase_if(requests,
                  [&](const service::RequestSnapshot& request) { return !may_know_of(request.caller, caller); });
    return requests;
}

StatusView status_for(const service::Service& service, const Caller& caller) {
    StatusView view{service.status(), caller.sandboxed};
    if (caller.sandboxed) count_only(view.status, requests_for(service, caller));
    return view;
}

void count_only(Status& status, const std::vector<service::RequestSnapshot>& own) {
    status.active = static_cast<uint32_t>(std::ranges::count_if(own, &service::RequestSnapshot::running));
    status.queued = static_cast<uint32_t>(own.size()) - status.active;
}

std::string status_json(const StatusView& view, std::string_view version) {
    base::JsonWriter json;
    write_values(json, status_values(view, version));
    return json.take();
}

std::string metrics_text(const StatusView& view, std::string_view version) {
    const Status& status = view.status;
    std::string out = description("info", "gauge", "What runs; always 1.");
    out += base::concat("llmd_info{version=", label(version), ",state=", label(state_name(status.state)),
                        ",model=", label(status.main.model), ",backend=", label(status.main.backend),
                        ",device=", label(status.main.device), "} 1\n");
    for (const StatusField& field : kFields) {
        if (field.metric_type == MetricType::None) continue;
        out += description(field.metric, field.metric_type == MetricType::Counter ? "counter" : "gauge", field.help);
        out += base::concat("llmd_", field.metric, ' ', sample(shown(field, view)), '\n');
    }
    for (const auto& [name, type, help, get] : kEngineMetrics) {
        out += description(name, type, help);
        for (const service::EngineStatus& engine : unconfined(view).engines) {
            out += base::concat("llmd_", name, "{model=", label(engine.model), ",device=", label(engine.device),
                                ",state=", label(state_name(engine.state)), "} ", get(engine), '\n');
        }
    }
    for (const auto& [name, type, help, get] : kRemoteMetrics) {
        out += description(name, type, help);
        for (const service::RemoteStatus& remote : unconfined(view).remotes) {
            out += base::concat("llmd_", name, "{remote=", label(remote.name), ",host=", label(remote.host),
                                ",state=", label(remote.words.state), "} ", get(remote), '\n');
        }
    }
    for (const StatusHistogram& row : kHistograms) {
        const Histogram& histogram = row.get(unconfined(view));
        out += description(row.metric, "summary", row.help);
        for (const double share : {kMedian, 0.9, 0.99}) {
            out += base::concat("llmd_", row.metric, "{quantile=\"", base::digits(share), "\"} ",
                                base::digits(histogram.quantile(share) * row.metric_unit), '\n');
        }
        out += base::concat("llmd_", row.metric, "_sum ", base::digits(histogram.sum() * row.metric_unit), '\n');
        out += base::concat("llmd_", row.metric, "_count ", histogram.count(), '\n');
    }
    return out;
}

}  // namespace llmd::api
