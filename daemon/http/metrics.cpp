#include "http/metrics.h"

#include "base/json_writer.h"

namespace llmd::http {

namespace {

constexpr double kSecondsPerMs = 1e-3;

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

class Page {
public:
    void number(std::string_view name, const char* type, std::string_view help, double value) {
        describe(name, type, help);
        out_ += base::concat("llmd_", name, ' ', base::digits(value), '\n');
    }
    // `unit` is how much of the metric's unit one of the histogram's is.
    void summary(std::string_view name, std::string_view help, const service::Histogram& histogram, double unit) {
        describe(name, "summary", help);
        for (const double share : {0.5, 0.9, 0.99}) {
            out_ += base::concat("llmd_", name, "{quantile=\"", base::digits(share), "\"} ",
                                 base::digits(histogram.quantile(share) * unit), '\n');
        }
        out_ += base::concat("llmd_", name, "_sum ", base::digits(histogram.sum() * unit), '\n');
        out_ += base::concat("llmd_", name, "_count ", histogram.count(), '\n');
    }
    void info(const service::Status& status, std::string_view version) {
        describe("info", "gauge", "What runs; always 1.");
        out_ += base::concat("llmd_info{version=", label(version), ",state=", label(service::state_name(status.state)),
                             ",model=", label(status.model), ",backend=", label(status.backend),
                             ",device=", label(status.device), "} 1\n");
    }
    std::string take() { return std::move(out_); }

private:
    void describe(std::string_view name, const char* type, std::string_view help) {
        out_ += base::concat("# HELP llmd_", name, ' ', help, "\n# TYPE llmd_", name, ' ', type, '\n');
    }
    std::string out_;
};

}  // namespace

std::string metrics(const service::Status& status, std::string_view version) {
    const auto real = [](auto value) { return static_cast<double>(value); };
    Page page;
    page.info(status, version);
    page.number("requests_queued", "gauge", "Requests that wait.", status.queued);
    page.number("requests_active", "gauge", "Requests that run.", status.active);
    page.number("context_tokens", "gauge", "Length of the loaded model's context.", status.context_length);
    page.number("weights_bytes", "gauge", "Memory of the loaded model's weights.", real(status.weight_bytes));
    page.number("kv_bytes", "gauge", "Memory of the KV pages.", real(status.kv_bytes));
    page.number("kv_pages_used", "gauge", "KV pages of requests.", status.kv_pages_used);
    page.number("kv_pages_cached", "gauge", "KV pages kept for later requests.", status.kv_pages_cached);
    page.number("kv_pages", "gauge", "KV pages in all.", status.kv_pages_total);
    page.number("engine_restarts_total", "counter", "Engines started in the place of dead ones.",
                status.engine_restarts);
    page.number("cache_hits_total", "counter", "Requests whose beginning was computed already.",
                real(status.cache_hits));
    page.number("cache_hit_tokens_total", "counter", "Their tokens that were not computed again.",
                real(status.cache_hit_tokens));
    page.summary("queue_seconds", "From submission to start.", status.queue_ms, kSecondsPerMs);
    page.summary("first_token_seconds", "From submission to the first token.", status.ttft_ms, kSecondsPerMs);
    page.summary("decode_tokens_per_second", "Speed of a request's text.", status.decode_tps, 1);
    return page.take();
}

}  // namespace llmd::http
