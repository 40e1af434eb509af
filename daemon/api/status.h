// The status of llmd: one table with a row for each figure, from which GetStatus on the bus, GET /status and GET
// /metrics are made. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/caller.h"
#include "base/value.h"
#include "service/service.h"

namespace llmd::api {

// How a metric of Prometheus changes.
enum class MetricType : uint8_t { None, Gauge, Counter };

// Who gets a field. A program in a sandbox learns nothing of files, processes, faults, caches and the requests of
// others: it reads what stands there when llmd has done nothing.
enum class Reader : uint8_t { Anyone, Unconfined };

struct StatusField {
    std::string_view key;   // on the bus and in JSON
    std::string_view type;  // D-Bus: s, as, aa{sv}, u, t, x or d
    Reader reader;
    base::Value (*get)(const service::Status& status);
    std::string_view metric{};  // behind "llmd_"; empty: the field is not among the metrics
    MetricType metric_type = MetricType::None;
    std::string_view help{};  // of the metric
};

// A histogram, for Reader::Unconfined. On the bus and in JSON it is KEY_count, KEY_sum, KEY_p50 and KEY_p95; among the
// metrics a summary.
struct StatusHistogram {
    std::string_view key;
    const service::Histogram& (*get)(const service::Status& status);
    std::string_view metric;
    double metric_unit;  // of the metric, in units of the histogram: 0.001 turns milliseconds into seconds
    std::string_view help;
};

// The status and how much of it is shown.
struct StatusView {
    service::Status status;
    bool is_confined = false;  // only what Reader::Anyone may know
};

// One figure with its D-Bus type.
struct StatusValue {
    std::string key;
    std::string_view type;
    base::Value value;
};
// All figures in the order of the table, llmd's version before and the histograms behind them.
std::vector<StatusValue> status_values(const StatusView& view, std::string_view version);

// Whether a caller may know of a request that `owner` has made, and cancel it: every one, or, from inside a sandbox,
// those of its application and its own.
bool may_know_of(const Caller& owner, const Caller& caller);
std::vector<service::RequestSnapshot> requests_for(const service::Service& service, const Caller& caller);

// The status as the caller may know it.
StatusView status_for(const service::Service& service, const Caller& caller);
// Has `queued` and `active` count these requests alone.
void count_only(service::Status& status, const std::vector<service::RequestSnapshot>& own);

// One JSON object.
std::string status_json(const StatusView& view, std::string_view version);

// Prometheus' text format, version 0.0.4.
inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
std::string metrics_text(const StatusView& view, std::string_view version);

}  // namespace llmd::api
