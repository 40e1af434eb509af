#include "bench/bench_speed.h"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <limits>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "base/json_writer.h"
#include "bench/machine_speed.h"
#include "bench/median.h"
#include "engine/compute/noise.h"
#include "engine/compute/opencl/opencl_backend.h"
#include "engine/generation/batch.h"
#include "engine/generation/forward.h"
#include "engine/generation/kv_cache/kv_pages.h"

namespace llmd::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// One line of the result. Each sample is one repetition.
struct Measurement {
    std::string test;  // "prefill 128", "decode 32"
    uint32_t batch = 1;
    uint32_t tokens_per_repetition = 0;
    uint32_t steps_per_repetition = 0;
    std::vector<double> seconds = {};

    double tokens_per_second(double s) const { return tokens_per_repetition / s; }
    double median_seconds() const { return median_of(seconds); }
    double slowest() const { return tokens_per_second(*std::max_element(seconds.begin(), seconds.end())); }
    double fastest() const { return tokens_per_second(*std::min_element(seconds.begin(), seconds.end())); }
};

// The speed of the machine's own cores, in every repetition: neither speed is the same for long on a machine that
// others use too. Holds kMemoryBytes and as many bytes as the weights.
class Cores {
public:
    Cores(uint32_t n_threads, uint64_t weight_bytes)
        : n_threads_(n_threads), memory_(n_threads, kMemoryBytes), weights_(n_threads, weight_bytes) {}

    void measure() {
        memory_read_gb_s.push_back(memory_.measure_gb_s());
        weights_read_gb_s.push_back(weights_.measure_gb_s());
        multiply_add_gflops.push_back(measure_multiply_add_gflops(n_threads_));
    }

    std::vector<double> memory_read_gb_s;
    std::vector<double> weights_read_gb_s;  // of as many bytes as a step's weights, over and over
    std::vector<double> multiply_add_gflops;

private:
    uint32_t n_threads_;
    MemoryReader memory_, weights_;
};

class SpeedTest {
public:
    // `cores` is null where others compute.
    SpeedTest(generation::LoadedModel& model, const Options& options, Cores* cores)
        : model_(model),
          options_(options),
          cores_(cores),
          chunk_(options.prefill_chunk == 0 ? generation::kMaxPrefillRows : options.prefill_chunk) {}

    base::Result<std::vector<Measurement>> run() {
        const uint32_t n_slots = model_.backend->limits().max_outputs;
        last_.resize(n_slots);
        for (uint32_t slot = 0; slot < n_slots; ++slot) {
            const uint32_t n_tokens = options_.prompt + options_.generated_tokens;
            if (auto given = give_pages(*model_.backend, slot, n_slots, n_tokens); !given) return given.error();
            if (auto filled = prefill(slot); !filled) return filled.error();  // and warms up
        }
        std::vector<Measurement> all;
        all.push_back({.test = base::concat("prefill ", options_.prompt),
                       .tokens_per_repetition = options_.prompt,
                       .steps_per_repetition = (options_.prompt + chunk_ - 1) / chunk_});
        for (const uint32_t batch : options_.batches) {
            all.push_back({.test = base::concat("decode ", options_.generated_tokens),
                           .batch = batch,
                           .tokens_per_repetition = batch * options_.generated_tokens,
                           .steps_per_repetition = options_.generated_tokens});
            if (auto warm = generate(batch, 1); !warm) return warm.error();
        }
        // In turn, so that a noisy moment of the machine does not fall on one of them alone.
        for (uint32_t i = 0; i < options_.repeat; ++i) {
            for (Measurement& m : all) {
                const auto begin = Clock::now();
                const bool prompt = &m == &all.front();
                auto done = prompt ? prefill(0) : generate(m.batch, options_.generated_tokens);
                if (!done) return done.error();
                m.seconds.push_back(Seconds(Clock::now() - begin).count());
            }
            if (cores_ != nullptr) cores_->measure();
        }
        return all;
    }

private:
    base::Result<void> submit(uint32_t n_outputs) {
        const std::vector<compute::SampleRequest> requests(n_outputs);
        return generation::submit_step(*model_.backend, rows_, requests);
    }
    // The outputs are those of the slots from first_slot on.
    base::Result<void> wait(uint32_t n_outputs, uint32_t first_slot) {
        const auto sampled = generation::wait_step(*model_.backend, n_outputs);
        if (!sampled) return sampled.error();
        for (uint32_t i = 0; i < n_outputs; ++i) {
            if (!(*sampled)[i].finite) return base::fail(base::ErrorCode::DeviceError, "logits that are not finite");
            last_[first_slot + i] = (*sampled)[i].id;
        }
        return {};
    }

    base::Result<void> prefill(uint32_t slot) {
        for (uint32_t begin = 0; begin < options_.prompt; begin += chunk_) {
            const uint32_t end = std::min(begin + chunk_, options_.prompt);
            rows_.clear();
            for (uint32_t p = begin; p < end; ++p) {
                const auto token = static_cast<int32_t>(compute::mix32(p + 1) % model_.spec.n_vocab);
                rows_.push_back({slot, p, token, p + 1 == options_.prompt});
            }
            const uint32_t n_outputs = end == options_.prompt ? 1 : 0;
            if (auto done = submit(n_outputs); !done) return done;
            if (auto done = wait(n_outputs, slot); !done) return done;
        }
        return {};
    }

    // As the generator does it: where it gains time, a step is submitted before the one before is read.
    base::Result<void> generate(uint32_t batch, uint32_t n) {
        const bool ahead = model_.backend->is_asynchronous();
        for (uint32_t i = 0; i < n; ++i) {
            rows_.clear();
            for (uint32_t slot = 0; slot < batch; ++slot) {
                const int32_t token = ahead && i > 0 ? compute::kSampledToken : last_[slot];
                rows_.push_back({slot, options_.prompt + i, token, true});
            }
            if (auto done = submit(batch); !done) return done;
            if (ahead && i == 0) continue;
            if (auto done = wait(batch, 0); !done) return done;
        }
        return ahead ? wait(batch, 0) : base::Result<void>();
    }

    generation::LoadedModel& model_;
    const Options& options_;
    Cores* cores_;
    uint32_t chunk_;
    std::vector<int32_t> last_;  // by slot: the id sampled last
    std::vector<compute::Row> rows_;
};

// Multiply-adds of one token in the matrices of all layers.
uint64_t layer_weights(const model::DecoderSpec& spec) {
    const uint64_t ffn_matrices = is_gated(spec.activation) ? 3 : 2;
    uint64_t rows = 0;
    for (const model::LayerSpec& layer : spec.layers) {
        rows += uint64_t{2} * layer.q_rows() + uint64_t{2} * layer.kv_rows() + ffn_matrices * layer.n_ff;
    }
    return spec.n_embd * rows;
}

// Whether the device is this machine's own cores, so that what they can do at best is what it can.
bool runs_on_host_cores(const compute::DeviceReport& device) {
    if (device.kind == compute::BackendKind::Cpu) return true;
    const auto devices = compute::list_opencl_devices();
    return devices && std::any_of(devices->begin(), devices->end(),
                                  [&](const auto& d) { return d.name == device.device && !d.is_gpu; });
}

struct SpeedReport {
    const Options& options;
    const generation::LoadedModel& model;
    const std::vector<Measurement>& measurements;
    const Cores* cores;  // null where others compute

    bool is_prompt(const Measurement& m) const { return &m == &measurements.front(); }
    // Nothing for prompts: they wait for arithmetic, not for memory.
    std::optional<double> bytes_per_token(const Measurement& m) const {
        if (is_prompt(m)) return std::nullopt;
        return static_cast<double>(model.step_weight_bytes) / m.batch;
    }
    double bandwidth_gb_s(const Measurement& m, double seconds) const {
        return static_cast<double>(model.step_weight_bytes) * m.steps_per_repetition / seconds / 1e9;
    }
    double gflops(const Measurement& m, double seconds) const {
        return 2.0 * static_cast<double>(layer_weights(model.spec)) * m.tokens_per_second(seconds) / 1e9;
    }
    // The share of the cores' best in the same repetition: multiply-adds for prompts, memory read for what is
    // generated. The median of the repetitions.
    std::optional<double> share(const Measurement& m) const {
        if (cores == nullptr) return std::nullopt;
        std::vector<double> shares;
        for (size_t i = 0; i < m.seconds.size(); ++i) {
            shares.push_back(is_prompt(m) ? gflops(m, m.seconds[i]) / cores->multiply_add_gflops[i]
                                          : bandwidth_gb_s(m, m.seconds[i]) / cores->memory_read_gb_s[i]);
        }
        return median_of(std::move(shares));
    }
};

std::string as_json(const SpeedReport& report) {
    const double kNull = std::numeric_limits<double>::quiet_NaN();
    const auto& device = report.model.backend->report();
    base::JsonWriter json;
    json.begin_object().key("model").value(report.options.model);
    json.key("architecture").value(report.model.spec.architecture);
    json.key("quantization").value(report.model.spec.quantization);
    json.key("backend")
        .value(backend_name(device.kind))
        .key("device")
        .value(device.device)
        .key("driver")
        .value(device.driver);
    json.key("profile").value(device.fingerprint);
    json.key("weight_bytes").value(device.weight_bytes);
    const Cores* cores = report.cores;
    json.key("memory_read_gb_s").value(cores ? median_of(cores->memory_read_gb_s) : kNull);
    json.key("weights_read_gb_s").value(cores ? median_of(cores->weights_read_gb_s) : kNull);
    json.key("fma_peak_gflops").value(cores ? median_of(cores->multiply_add_gflops) : kNull);
    json.key("rows").begin_array();
    for (const Measurement& m : report.measurements) {
        const auto bytes = report.bytes_per_token(m);
        const double bandwidth = bytes ? report.bandwidth_gb_s(m, m.median_seconds()) : kNull;
        json.begin_object().key("test").value(m.test).key("batch").value(m.batch);
        json.key("tokens_per_second").value(m.tokens_per_second(m.median_seconds()));
        json.key("tokens_per_second_min").value(m.slowest()).key("tokens_per_second_max").value(m.fastest());
        json.key("weight_bytes_per_token").value(bytes.value_or(kNull));
        json.key("bandwidth_gb_s").value(bandwidth);
        json.key("gflops").value(report.gflops(m, m.median_seconds()));
        json.key(report.is_prompt(m) ? "share_of_fma_peak" : "share_of_memory_read")
            .value(report.share(m).value_or(kNull));
        json.end_object();
    }
    json.end_array().end_object();
    return json.take() + "\n";
}

std::string as_markdown(const SpeedReport& report) {
    const auto& device = report.model.backend->report();
    std::ostringstream out;
    out << report.model.spec.architecture << ' ' << report.model.spec.quantization << " on "
        << backend_name(device.kind) << ", " << device.device << std::fixed << std::setprecision(1);
    if (const Cores* cores = report.cores) {
        out << "\n\nThe cores read " << median_of(cores->memory_read_gb_s) << " GB/s of memory, "
            << median_of(cores->weights_read_gb_s) << " GB/s of as little as the weights, and multiply-add "
            << median_of(cores->multiply_add_gflops) << " GFLOP/s.";
    }
    out << "\n\n| test | batch | tokens/s | min..max | MB/token | GB/s | GFLOP/s | of the cores |\n"
        << "|---|---|---|---|---|---|---|---|\n";
    for (const Measurement& m : report.measurements) {
        out << "| " << m.test << " | " << m.batch << " | " << m.tokens_per_second(m.median_seconds()) << " | "
            << m.slowest() << ".." << m.fastest() << " | ";
        if (const auto bytes = report.bytes_per_token(m)) {
            out << *bytes / 1e6 << " | " << report.bandwidth_gb_s(m, m.median_seconds());
        } else {
            out << "|";
        }
        out << " | " << report.gflops(m, m.median_seconds()) << " | ";
        if (const auto share = report.share(m)) out << *share * 100 << " %";
        out << " |\n";
    }
    return out.str();
}

}  // namespace

base::Result<std::string> run_speed(const Options& options) {
    const uint32_t n_slots = *std::max_element(options.batches.begin(), options.batches.end());
    auto model = load_for(options, n_slots, options.prompt + options.generated_tokens, n_slots);
    if (!model) return model.error();
    const uint64_t needed = uint64_t{generation::pages_for(options.prompt + options.generated_tokens)} * n_slots;
    if (needed > model->backend->limits().n_pages) {
        return base::fail(base::ErrorCode::OutOfMemory, "--batch: ", n_slots, " sequences need ", needed,
                          " pages, memory holds ", model->backend->limits().n_pages);
    }
    std::optional<Cores> cores;
    if (options.measures_machine && runs_on_host_cores(model->backend->report())) {
        const uint32_t n_threads = options.backend.n_threads > 0 ? options.backend.n_threads
                                                                 : std::max(std::thread::hardware_concurrency(), 1u);
        cores.emplace(n_threads, model->step_weight_bytes);
    }
    Cores* const beside = cores ? &*cores : nullptr;
    const auto measurements = SpeedTest(*model, options, beside).run();
    if (!measurements) return measurements.error();
    const SpeedReport report{options, *model, *measurements, beside};
    return options.format == Format::Json ? as_json(report) : as_markdown(report);
}

}  // namespace llmd::bench
