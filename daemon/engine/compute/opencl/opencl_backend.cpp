#include "engine/compute/opencl/opencl_backend.h"

#include <algorithm>
#include <array>

#include "engine/compute/checks.h"
#include "engine/compute/opencl/device_weights.h"
#include "engine/compute/opencl/kernel_set.h"
#include "engine/compute/opencl/launch_plan.h"
#include "engine/compute/opencl/packed/packed_backend.h"
#include "engine/compute/opencl/sample_exchange.h"
#include "engine/compute/opencl/self_test.h"
#include "engine/compute/page_tables.h"
#include "engine/compute/rotary_angles.h"
#include "engine/compute/step_queue.h"

namespace llmd::compute {
namespace {

using base::ErrorCode;
using base::Result;

// Layout of the step buffer (common.cl), in words.
constexpr size_t kStepHeader = 4;
constexpr size_t kStepRowWords = 4;

class OpenClBackend final : public Backend {
public:
    OpenClBackend(const model::ModelConfig& config, const BackendLimits& limits, DeviceQueue queue, KernelSet kernels,
                  DeviceReport report)
        : config_(config),
          limits_(limits),
          queue_(std::move(queue)),
          kernels_(std::move(kernels)),
          report_(std::move(report)),
          weights_(config, limits.n_ctx, kernels_.rows_per_group()),
          pages_(limits),
          last_output_(limits.n_slots) {}
    // After a failed step commands may still be queued, which read what is destroyed next.
    ~OpenClBackend() override { static_cast<void>(queue_.finish()); }

    // After construction, once: every buffer but the weights'.
    Result<void> allocate();

    const DeviceReport& report() const override { return report_; }
    const BackendLimits& limits() const override { return limits_; }
    QueueCounts queue_counts() const override { return queue_.counts(); }
    Result<void> upload(const model::Weight& weight) override { return weights_.upload(queue_, weight); }
    Result<void> finish_loading() override;
    Result<void> set_pages(uint32_t slot, std::span<const uint32_t> pages) override { return pages_.set(slot, pages); }
    bool is_asynchronous() const override { return true; }
    Result<void> begin(std::span<const Row> rows) override;
    Result<void> embed() override { return run(&LaunchPlan::embed, &Step::n_rows); }
    Result<void> norm_qkv(uint32_t layer) override { return run_layer(layer, &LayerLaunches::norm_qkv); }
    Result<void> attend(uint32_t layer) override { return run_layer(layer, &LayerLaunches::attend); }
    Result<void> attend_output(uint32_t layer) override { return run_layer(layer, &LayerLaunches::attend_output); }
    Result<void> norm_up(uint32_t layer) override { return run_layer(layer, &LayerLaunches::norm_up); }
    Result<void> down(uint32_t layer) override { return run_layer(layer, &LayerLaunches::down); }
    Result<void> head() override { return run(&LaunchPlan::head, &Step::n_outputs); }
    Result<void> sample(std::span<const SampleRequest> requests) override;
    Result<void> submit() override;
    Result<std::span<const Sampled>> wait() override;
    Result<void> read_logits(uint32_t output, std::span<float> out) override;

private:
    Result<void> upload_rotation();
    // One step's words of the step buffer.
    void write_rows(std::span<const Row> rows, std::span<int32_t> out);
    Result<void> run(Launches LaunchPlan::*verb, uint32_t Step::*rows);
    Result<void> run_layer(uint32_t layer, Launches LayerLaunches::*verb);

    model::ModelConfig config_;
    BackendLimits limits_;
    DeviceQueue queue_;
    KernelSet kernels_;
    DeviceReport report_;
    DeviceWeights weights_;

    DeviceBuffers buffers_;
    LaunchPlan plan_;

    // The host's end of the queued copies of a step; it is its own until the step has been waited for. The device needs
    // one end only, since its queue is in order.
    struct HostSide {
        std::vector<int32_t> step;
        std::vector<uint32_t> requests;
        std::vector<uint32_t> answer;
        std::vector<std::vector<uint32_t>> page_tables;  // by slot
        ClEvent done;
    };
    std::array<HostSide, kMaxStepsInFlight> host_;  // by set of the step
    StepQueue steps_;
    PageTables pages_;
    std::vector<uint32_t> last_output_;  // by slot: a row of the batch, meaningful where the slot has an output

    // What wait() gives.
    std::vector<std::vector<Candidate>> candidates_;  // of each output
    std::vector<Sampled> sampled_;
};

Result<void> OpenClBackend::allocate() {
    const auto round_up = [](uint64_t rows) { return (rows + kMaxColumns - 1) / kMaxColumns * kMaxColumns; };
    const uint64_t rows = round_up(limits_.max_rows);
    const uint64_t outputs = round_up(limits_.max_outputs);
    const size_t step_words = kStepHeader + kStepRowWords * limits_.max_rows + limits_.max_outputs;
    const size_t request_words = kRequestWords * limits_.max_outputs;
    const size_t all_answer_words = answer_words(limits_.max_outputs, true);
    for (HostSide& host : host_) {
        host.step.resize(step_words);
        host.requests.resize(request_words);
        host.answer.resize(all_answer_words);
        host.page_tables.resize(limits_.n_slots);
        for (auto& table : host.page_tables) table.reserve(PageTables::max_pages(limits_));
    }
    candidates_.resize(limits_.max_outputs);
    for (auto& list : candidates_) list.reserve(kMaxCandidates);
    sampled_.reserve(limits_.max_outputs);

    const uint64_t qkv_rows = uint64_t{config_.q_rows()} + 2 * uint64_t{config_.kv_rows()};
    struct Wanted {
        ClBuffer* buffer;
        std::string_view what;
        uint64_t words;
    };
    const Wanted all_wanted[] = {
        {&buffers_.step, "the batch", step_words},
        {&buffers_.page_tables, "page tables", uint64_t{limits_.n_slots} * PageTables::max_pages(limits_)},
        {&buffers_.x, "activations", rows * config_.n_embd},
        {&buffers_.normed, "activations", std::max(rows, outputs) * config_.n_embd},
        {&buffers_.qkv, "activations", rows * qkv_rows},
        {&buffers_.attended, "activations", rows * config_.q_rows()},
        {&buffers_.hidden, "activations", rows * config_.n_ff},
        {&buffers_.logits, "logits", outputs * config_.n_vocab},
        {&buffers_.requests, "sampling requests", request_words},
        {&buffers_.answer, "sampling results", all_answer_words},
        {&buffers_.sampled, "sampled tokens", limits_.n_slots},
    };
    for (const Wanted& wanted : all_wanted) {
        auto buffer = queue_.allocate(wanted.what, wanted.words * 4);
        if (!buffer) return buffer.error();
        *wanted.buffer = std::move(*buffer);
    }

    const uint64_t page_bytes = uint64_t{config_.kv_rows()} * kPageTokens * sizeof(uint16_t);
    for (uint32_t layer = 0; layer < config_.n_layers; ++layer) {
        for (auto* list : {&buffers_.keys, &buffers_.values}) {
            const std::string what = base::concat(limits_.n_pages, " KV pages of layer ", layer);
            auto buffer = queue_.allocate(what, page_bytes * limits_.n_pages);
            if (!buffer) return buffer.error();
            list->push_back(std::move(*buffer));
        }
    }
    report_.kv_bytes = 2 * page_bytes * limits_.n_pages * config_.n_layers;
    return {};
}

Result<void> OpenClBackend::finish_loading() {
    for (const auto& [kind, rows] : weights_.test_rows()) {
        if (queue_.compile_only()) break;
        if (auto ok = check_matvec(queue_, kernels_, rows); !ok) return ok;
    }
    weights_.drop_test_rows();
    if (auto ok = upload_rotation(); !ok) return ok;
    auto plan = LaunchPlan::bind(queue_, kernels_, config_, weights_, buffers_);
    if (!plan) return plan.error();
    plan_ = std::move(*plan);
    report_.weight_bytes = weights_.size_bytes();
    if (weights_.split_matrices() > 0) {
        report_.notes.push_back(base::concat(weights_.split_matrices(),
                                             " matrices are split: one buffer holds at most ",
                                             queue_.limits().max_buffer_bytes, " bytes"));
    }
    return queue_.finish();
}

Result<void> OpenClBackend::upload_rotation() {
    const uint32_t pairs = config_.positions == model::Positions::Learned ? 0 : config_.n_rot / 2;
    std::vector<float> turns(size_t{limits_.n_ctx} * pairs * 2);
    auto buffer = queue_.allocate("rotary positions", std::max<uint64_t>(turns.size(), 1) * sizeof(float));
    if (!buffer) return buffer.error();
    buffers_.rotation = std::move(*buffer);
    fill_rotary_turns(config_, weights_.rope_factors(), turns);
    return queue_.upload(buffers_.rotation, 0, std::as_bytes(std::span(turns)));
}

Result<void> OpenClBackend::begin(std::span<const Row> rows) {
    if (auto checked = check_rows(config_, limits_, rows); !checked) return checked;
    if (auto checked = steps_.check_begin(); !checked) return checked;
    if (auto begun = pages_.begin(rows); !begun) return begun;
    const auto outputs = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.wants_output; });
    const Step& step = steps_.begin(static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(outputs));
    HostSide& host = host_[step.set];
    write_rows(rows, host.step);
    if (auto ok = queue_.write(buffers_.step, 0, std::as_bytes(std::span(host.step))); !ok) return ok;
    for (uint32_t slot = 0; slot < limits_.n_slots; ++slot) {
        const auto table = pages_.of(slot);
        if (!pages_.is_new(slot) || table.empty()) continue;
        host.page_tables[slot].assign(table.begin(), table.end());
        const uint64_t offset = uint64_t{slot} * PageTables::max_pages(limits_) * sizeof(uint32_t);
        if (auto ok = queue_.write(buffers_.page_tables, offset, std::as_bytes(std::span(host.page_tables[slot])));
            !ok) {
            return ok;
        }
    }
    return {};
}

void OpenClBackend::write_rows(std::span<const Row> rows, std::span<int32_t> out) {
    for (uint32_t r = 0; r < rows.size(); ++r) {
        if (rows[r].wants_output) last_output_[rows[r].slot] = r;
    }
    int32_t* word = out.data() + kStepHeader;
    int32_t* output_row = word + kStepRowWords * limits_.max_rows;
    for (uint32_t r = 0; r < rows.size(); ++r) {
        *word++ = rows[r].token;
        *word++ = static_cast<int32_t>(rows[r].position);
        *word++ = static_cast<int32_t>(rows[r].slot);
        *word++ = rows[r].wants_output && last_output_[rows[r].slot] == r ? 1 : 0;
        if (rows[r].wants_output) *output_row++ = static_cast<int32_t>(r);
    }
    out[1] = static_cast<int32_t>(rows.size());
    out[0] = static_cast<int32_t>(output_row - (out.data() + kStepHeader + kStepRowWords * limits_.max_rows));
}

Result<void> OpenClBackend::run(Launches LaunchPlan::*verb, uint32_t Step::*rows) {
    const auto step = steps_.open();
    if (!step) return step.error();
    return compute::run(queue_, plan_.*verb, (*step)->*rows);
}

Result<void> OpenClBackend::run_layer(uint32_t layer, Launches LayerLaunches::*verb) {
    if (layer >= config_.n_layers) return base::fail(ErrorCode::InvalidArgument, "layer ", layer, " does not exist");
    const auto step = steps_.open();
    if (!step) return step.error();
    return compute::run(queue_, plan_.layers[layer].*verb, (*step)->n_rows);
}

Result<void> OpenClBackend::sample(std::span<const SampleRequest> requests) {
    const auto open = steps_.open();
    if (!open) return open.error();
    Step& step = **open;
    if (auto checked = check_requests(config_, step, requests); !checked) return checked;
    auto& words = host_[step.set].requests;
    for (size_t i = 0; i < requests.size(); ++i) {
        write_request(requests[i], std::span(words).subspan(i * kRequestWords, kRequestWords));
        step.with_candidates = step.with_candidates || requests[i].wants_candidates;
    }
    step.is_sampled = true;
    pages_.mark_sampled();
    if (requests.empty()) return {};
    const auto used = std::span(words).first(requests.size() * kRequestWords);
    if (auto ok = queue_.write(buffers_.requests, 0, std::as_bytes(used)); !ok) return ok;
    return compute::run(queue_, plan_.sample, step.n_outputs);
}

Result<void> OpenClBackend::submit() {
    const auto open = steps_.open();
    if (!open) return open.error();
    const Step& step = **open;
    HostSide& host = host_[step.set];
    const bool has_answer = step.is_sampled && step.n_outputs > 0;
    const auto words = std::span(host.answer).first(answer_words(step.n_outputs, step.with_candidates));
    auto done = has_answer ? queue_.read_later(buffers_.answer, 0, std::as_writable_bytes(words)) : queue_.mark();
    if (!done) return done.error();
    host.done = std::move(*done);
    if (auto flushed = queue_.submit_step(); !flushed) return flushed;
    return steps_.submit();
}

Result<std::span<const Sampled>> OpenClBackend::wait() {
    const auto step = steps_.wait();
    if (!step) return step.error();
    HostSide& host = host_[step->set];
    sampled_.clear();
    if (auto done = queue_.wait(host.done); !done) return done.error();
    host.done = {};
    for (uint32_t i = 0; step->is_sampled && i < step->n_outputs; ++i) {
        sampled_.push_back(read_answer(host.answer, i, step->n_outputs, candidates_[i]));
    }
    return std::span<const Sampled>(sampled_);
}

Result<void> OpenClBackend::read_logits(uint32_t output, std::span<float> out) {
    if (auto checked = check_logits_read(config_, steps_.readable_outputs(), output, out.size()); !checked) {
        return checked;
    }
    return queue_.read(buffers_.logits, uint64_t{output} * config_.n_vocab * sizeof(float),
                       std::as_writable_bytes(out));
}

// Its kernels are faithful in either precision.
Result<std::unique_ptr<Backend>> create_blocks(const model::ModelConfig& config, const BackendLimits& limits,
                                               DeviceQueue queue, Precision, DeviceReport report) {
    auto kernels = KernelSet::build(queue, config, limits);
    if (!kernels) return kernels.error();
    report.profile += kernels->profile();
    auto backend =
        std::make_unique<OpenClBackend>(config, limits, std::move(queue), std::move(*kernels), std::move(report));
    if (auto ok = backend->allocate(); !ok) return ok.error();
    return backend;
}

// llvmpipe keeps the family that CPU devices once had: Mesa 26.1's crashes in some packed kernels.
KernelFamily family_for(const DeviceQueue& queue, const OpenClOverrides& overrides, const std::string& device) {
    if (overrides.family) return *overrides.family;
    if (device.find("llvmpipe") != std::string::npos) return KernelFamily::Blocks;
    return queue.limits().vector_floats > 1 ? KernelFamily::Blocks : KernelFamily::Packed;
}

}  // namespace

Result<std::unique_ptr<Backend>> create_opencl_backend(const model::ModelConfig& config, const BackendLimits& limits,
                                                       size_t device_index, const OpenClOverrides& overrides,
                                                       std::vector<std::string> notes, Precision precision) {
    auto devices = find_cl_devices();
    if (!devices) return devices.error();
    if (device_index >= devices->size()) {
        return base::fail(ErrorCode::DeviceError, "OpenCL device ", device_index, " does not exist; there are ",
                          devices->size());
    }
    if (auto checked = check_limits(config, limits); !checked) return checked.error();
    const ClDevice& device = (*devices)[device_index];
    const auto named = [&](const base::Error& error) {
        return base::fail(error.code, device.names.name, " (", device.names.platform, "): ", error.message);
    };
    auto queue = DeviceQueue::open(device, overrides);
    if (!queue) return named(queue.error());

    DeviceReport report;
    report.backend = "opencl";
    report.device = device.names.name;
    report.driver = device.names.driver;
    report.notes = std::move(notes);
    if (overrides.submit_each_launch) {
        queue->submit_each_launch();
    } else if (!overrides.compile_only) {
        auto ordered = launches_are_ordered(*queue);
        if (!ordered) return named(ordered.error());
        if (!*ordered) {
            queue->submit_each_launch();
            report.notes.push_back(
                "Mesa too old: it does not order dependent launches, so each is submitted on its own");
        }
    }
    queue->pace_submissions();  // not before: the self-test wants its launches in one submission
    report.profile =
        base::concat("opencl, ", device.names.platform, ", ", device.names.name, ", ", device.names.driver, ", ");
    const auto create = family_for(*queue, overrides, device.names.name) == KernelFamily::Packed
                            ? packed::create_packed_backend
                            : create_blocks;
    auto backend = create(config, limits, std::move(*queue), precision, std::move(report));
    if (!backend) return named(backend.error());
    return backend;
}

}  // namespace llmd::compute
