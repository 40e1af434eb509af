#include "bench/bench_launches.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

#include "base/json_writer.h"
#include "bench/median.h"
#include "engine/generation/forward.h"

namespace llmd::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

constexpr uint32_t kWarmUpTokens = 2;  // drivers finish compiling a kernel at its first launch

// The host's cost of one token, averaged over a repetition.
struct HostCost {
    double wall_us = 0;
    double submit_us = 0;  // of it, submitting: the least a token can take where the device never is the limit
    double cpu_us = 0;     // of all threads: the driver has its own
};

double process_cpu_us() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// One greedy token a step from `position` on, each step submitted before the answer of the one before is read, as the
// generator does it. The answers are not looked at.
base::Result<HostCost> decode(generation::LoadedModel& model, uint32_t position, uint32_t n_tokens) {
    const compute::SampleRequest request;
    const auto begin = Clock::now();
    const double cpu_begin = process_cpu_us();
    Microseconds submitting{};
    for (uint32_t i = 0; i <= n_tokens; ++i) {
        if (i < n_tokens) {
            const compute::Row row{.slot = 0,
                                   .position = position + i,
                                   .token = i == 0 ? 0 : compute::kSampledToken,
                                   .wants_output = true};
            const auto submit_begin = Clock::now();
            auto submitted = generation::submit_step(*model.backend, std::span(&row, 1), std::span(&request, 1));
            if (!submitted) return submitted.error();
            submitting += Clock::now() - submit_begin;
        }
        if (i == 0) continue;
        if (auto sampled = generation::wait_step(*model.backend, 1); !sampled) return sampled.error();
    }
    return HostCost{.wall_us = Microseconds(Clock::now() - begin).count() / n_tokens,
                    .submit_us = submitting.count() / n_tokens,
                    .cpu_us = (process_cpu_us() - cpu_begin) / n_tokens};
}

struct LaunchReport {
    const Options& options;
    const generation::LoadedModel& model;
    double launches_per_token;
    double flushes_per_token;
    std::vector<double> wall_us;
    std::vector<double> submit_us;
    std::vector<double> cpu_us;
};

std::string as_json(const LaunchReport& report) {
    const auto& device = report.model.backend->report();
    base::JsonWriter json;
    json.begin_object().key("model").value(report.options.model);
    json.key("architecture").value(report.model.spec.architecture);
    json.key("quantization").value(report.model.spec.quantization);
    json.key("device").value(device.device).key("driver").value(device.driver).key("profile").value(device.fingerprint);
    json.key("position").value(report.options.prompt);
    json.key("weight_bytes_per_token").value(report.model.step_weight_bytes);
    json.key("launches_per_token").value(report.launches_per_token);
    json.key("flushes_per_token").value(report.flushes_per_token);
    json.key("host_us_per_token").value(median_of(report.wall_us));
    json.key("host_us_per_token_min").value(*std::min_element(report.wall_us.begin(), report.wall_us.end()));
    json.key("host_us_per_token_max").value(*std::max_element(report.wall_us.begin(), report.wall_us.end()));
    json.key("submit_us_per_token").value(median_of(report.submit_us));
    json.key("cpu_us_per_token").value(median_of(report.cpu_us));
    json.end_object();
    return json.take() + "\n";
}

std::string as_markdown(const LaunchReport& report) {
    return base::concat(
        report.model.spec.architecture, ' ', report.model.spec.quantization, " on ",
        report.model.backend->report().device, ", nothing computed\n\n",
        "| launches/token | flushes/token | host us/token | submitting | of all threads |\n|---|---|---|---|---|\n| ",
        report.launches_per_token, " | ", report.flushes_per_token, " | ", median_of(report.wall_us), " | ",
        median_of(report.submit_us), " | ", median_of(report.cpu_us), " |\n");
}

}  // namespace

base::Result<std::string> run_launches(const Options& options) {
    const uint32_t n_tokens = options.prompt + std::max(options.generated_tokens, kWarmUpTokens);
    Options compile_only = options;
    compile_only.backend.kind = compute::BackendKind::OpenCl;
    compile_only.backend.compile_only = true;
    auto model = load_for(compile_only, 1, n_tokens, 1);
    if (!model) return model.error();
    if (auto given = give_pages(*model->backend, 0, 1, n_tokens); !given) return given.error();
    if (auto warm = decode(*model, options.prompt, kWarmUpTokens); !warm) return warm.error();

    const compute::QueueCounts before = model->backend->queue_counts();
    LaunchReport report{options, *model, 0, 0, {}, {}, {}};
    for (uint32_t i = 0; i < options.repeat; ++i) {
        const auto cost = decode(*model, options.prompt, options.generated_tokens);
        if (!cost) return cost.error();
        report.wall_us.push_back(cost->wall_us);
        report.submit_us.push_back(cost->submit_us);
        report.cpu_us.push_back(cost->cpu_us);
    }
    const compute::QueueCounts after = model->backend->queue_counts();
    const double decoded = static_cast<double>(options.repeat) * options.generated_tokens;
    report.launches_per_token = static_cast<double>(after.launches - before.launches) / decoded;
    report.flushes_per_token = static_cast<double>(after.submissions - before.submissions) / decoded;
    return options.format == Format::Json ? as_json(report) : as_markdown(report);
}

}  // namespace llmd::bench
