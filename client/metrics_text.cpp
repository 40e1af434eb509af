#include "client/metrics_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace llmd::client {
namespace {

constexpr std::string_view kInfo = "llmd_info{";

struct Metric {
    std::string_view name;
    const char* key;
};
constexpr std::array kMetrics = {
    Metric{"llmd_requests_queued", "queued"},
    Metric{"llmd_requests_active", "active"},
    Metric{"llmd_context_tokens", "context_length"},
    Metric{"llmd_weights_bytes", "weight_bytes"},
    Metric{"llmd_kv_bytes", "kv_bytes"},
    Metric{"llmd_kv_pages_used", "kv_pages_used"},
    Metric{"llmd_kv_pages_cached", "kv_pages_cached"},
    Metric{"llmd_kv_pages", "kv_pages_total"},
    Metric{"llmd_engine_restarts_total", "engine_restarts"},
    Metric{"llmd_cache_hits_total", "cache_hits"},
    Metric{"llmd_cache_hit_tokens_total", "cache_hit_tokens"},
};

// A label's value up to its closing quote, of which `text` loses all; \\, \" and \n are escapes.
std::string take_quoted(std::string_view& text) {
    std::string out;
    for (; !text.empty() && text.front() != '"'; text.remove_prefix(1)) {
        if (text.front() == '\\' && text.size() > 1) {
            text.remove_prefix(1);
            out += text.front() == 'n' ? '\n' : text.front();
        } else {
            out += text.front();
        }
    }
    text.remove_prefix(std::min<size_t>(1, text.size()));
    return out;
}

// name="value",name="value"}
void read_labels(std::string_view text, Dictionary& out) {
    while (!text.empty() && text.front() != '}') {
        const size_t equals = text.find("=\"");
        if (equals == std::string_view::npos) return;
        const std::string name(text.substr(0, equals));
        text.remove_prefix(equals + 2);
        out[name] = take_quoted(text);
        if (!text.empty() && text.front() == ',') text.remove_prefix(1);
    }
}

// All of them are counts, written like any number: 7095552 as 7.095552e+06.
std::optional<uint64_t> count_in(std::string_view text) {
    constexpr double kEnd = 9007199254740992;  // 2^53: beyond it a double is no count
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    if (!(number >= 0 && number < kEnd)) return std::nullopt;
    return static_cast<uint64_t>(std::llround(number));
}

void read_line(std::string_view line, Dictionary& out) {
    if (line.starts_with(kInfo)) return read_labels(line.substr(kInfo.size()), out);
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) return;
    const auto metric = std::find_if(kMetrics.begin(), kMetrics.end(),
                                     [&](const Metric& one) { return one.name == line.substr(0, space); });
    if (metric == kMetrics.end()) return;
    if (const auto count = count_in(line.substr(space + 1))) out[metric->key] = *count;
}

}  // namespace

Dictionary status_from_metrics(std::string_view text) {
    Dictionary out;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        read_line(line, out);
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return out;
}

}  // namespace llmd::client
