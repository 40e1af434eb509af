#include "engine/compute/opencl/blocks/blocks_backend.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/compute/noise.h"
#include "engine/compute/opencl/blocks/block_weights.h"
#include "engine/compute/opencl/blocks/kernels.h"
#include "engine/compute/opencl/blocks/launch_plan.h"
#include "engine/compute/opencl/blocks/matvec_check.h"
#include "engine/compute/opencl/rotary_buffer.h"
#include "engine/compute/opencl/sample_exchange.h"
#include "engine/compute/opencl/step_exchange.h"

namespace llmd::compute::blocks {
namespace {

using base::Result;

Sampled read_summaries(std::span<const uint32_t> answer, const Step& step, uint32_t output,
                       std::vector<Candidate>& candidates) {
    return read_answer(answer, output, step.n_outputs, candidates);
}

class BlocksBackend final : public Backend {
public:
    BlocksBackend(const model::ModelConfig& config, const BackendLimits& limits, DeviceQueue queue, Kernels kernels,
                  DeviceReport report)
        : config_(config),
          limits_(limits),
          queue_(std::move(queue)),
          kernels_(std::move(kernels)),
          report_(std::move(report)),
          weights_(config, limits.n_ctx),
          exchange_(queue_, buffers_, config, limits, answer_words(limits.max_outputs, true), read_summaries) {}
    // After a failed step commands may still be queued, which read what is destroyed next.
    ~BlocksBackend() override { static_cast<void>(queue_.finish()); }

    // After construction, once: every buffer but the weights'.
    Result<void> allocate();

    const DeviceReport& report() const override { return report_; }
    const BackendLimits& limits() const override { return limits_; }
    QueueCounts queue_counts() const override { return queue_.counts(); }
    Result<void> upload(const model::Weight& weight) override { return weights_.upload(queue_, weight); }
    Result<void> finish_loading() override;
    Result<void> set_pages(uint32_t slot, std::span<const uint32_t> pages) override {
        return exchange_.set_pages(slot, pages);
    }
    uint64_t page_bytes() const override { return kv_bytes(config_, 1); }
    Result<void> read_page(uint32_t page, std::span<std::byte> out) override {
        return exchange_.read_page(buffers_, page, out);
    }
    Result<void> write_page(uint32_t page, std::span<const std::byte> in) override {
        return exchange_.write_page(buffers_, page, in);
    }
    bool is_asynchronous() const override { return true; }
    Result<void> begin(std::span<const Row> rows) override { return exchange_.begin(rows); }
    Result<void> embed() override { return run(&LaunchPlan::embed, &Step::n_rows); }
    Result<void> norm_qkv(uint32_t layer) override { return run_layer(layer, &LayerLaunches::norm_qkv); }
    Result<void> attend(uint32_t layer) override { return run_layer(layer, &LayerLaunches::attend); }
    Result<void> attend_output(uint32_t layer) override { return run_layer(layer, &LayerLaunches::attend_output); }
    Result<void> norm_up(uint32_t layer) override { return run_layer(layer, &LayerLaunches::norm_up); }
    Result<void> down(uint32_t layer) override { return run_layer(layer, &LayerLaunches::down); }
    Result<void> head() override { return run(&LaunchPlan::head, &Step::n_outputs); }
    Result<void> sample(std::span<const SampleRequest> requests) override;
    Result<void> submit() override;
    Result<std::span<const Sampled>> wait() override { return exchange_.wait(); }
    Result<void> read_logits(uint32_t output, std::span<float> out) override {
        return exchange_.read_logits(output, out);
    }
    Result<void> read_residual(std::span<float> out) override {
        return exchange_.read_residual(buffers_.x, 0, config_.n_embd, out);
    }

private:
    using Verb = Launches LaunchPlan::*;
    using LayerVerb = Launches LayerLaunches::*;
    using RowCount = uint32_t Step::*;

    Result<void> run(Verb verb, RowCount rows);
    Result<void> run_layer(uint32_t layer, LayerVerb verb);
    Result<void> run_step(std::span<const Row> rows);
    // A step of one row and one of several take different kernels. DeviceError when they do not give the same bits.
    Result<void> check_steps();

    model::ModelConfig config_;
    BackendLimits limits_;
    DeviceQueue queue_;
    Kernels kernels_;
    DeviceReport report_;
    BlockWeights weights_;

    Buffers buffers_;
    LaunchPlan plan_;
    StepExchange exchange_;
};

Result<void> BlocksBackend::allocate() {
    const auto round_up = [](uint64_t rows) { return (rows + kTileColumns - 1) / kTileColumns * kTileColumns; };
    const uint64_t rows = round_up(limits_.max_rows);
    const uint64_t outputs = round_up(limits_.max_outputs);
    if (auto ok = exchange_.allocate(outputs); !ok) return ok;
    const uint64_t qkv_rows = uint64_t{config_.q_rows()} + 2 * uint64_t{config_.kv_rows()};
    const Allocation wanted[] = {
        {&buffers_.x, "activations", rows * config_.n_embd * sizeof(float)},
        {&buffers_.normed, "activations", std::max(rows, outputs) * config_.n_embd * sizeof(float)},
        {&buffers_.rotation, "rotary positions", rotary_bytes(config_, limits_.n_ctx)},
        {&buffers_.qkv, "activations", rows * qkv_rows * sizeof(float)},
        {&buffers_.attended, "activations", rows * config_.q_rows() * sizeof(float)},
        {&buffers_.hidden, "activations", rows * config_.n_ff * sizeof(float)},
        {&buffers_.answer, "sampling results", answer_words(limits_.max_outputs, true) * sizeof(uint32_t)},
    };
    if (auto ok = queue_.allocate(wanted); !ok) return ok;
    const uint64_t packed_bytes =
        kernels_.packed_bytes(std::max(rows, outputs), std::max({config_.n_embd, config_.q_rows(), config_.n_ff}));
    if (packed_bytes > 0) {
        const Allocation packed[] = {{&buffers_.packed, "packed activations", packed_bytes}};
        if (auto ok = queue_.allocate(packed); !ok) return ok;
    }
    report_.kv_bytes = kv_bytes(config_, limits_.n_pages);
    return buffers_.KvBuffers::allocate(queue_, config_, limits_.n_pages);
}

Result<void> BlocksBackend::run_step(std::span<const Row> rows) {
    auto ok = begin(rows);
    if (ok) ok = embed();
    for (uint32_t layer = 0; ok && layer < config_.n_layers; ++layer) {
        ok = norm_qkv(layer);
        if (ok) ok = attend(layer);
        if (ok) ok = attend_output(layer);
        if (ok) ok = norm_up(layer);
        if (ok) ok = down(layer);
    }
    if (ok) ok = head();
    const std::vector<SampleRequest> greedy(
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.wants_output; }));
    if (ok) ok = sample(greedy);
    if (ok) ok = submit();
    if (!ok) return ok;
    const auto done = wait();
    return done ? Result<void>() : done.error();
}

Result<void> BlocksBackend::check_steps() {
    if (queue_.compile_only() || limits_.max_rows < 2 || limits_.n_ctx < 2) return {};
    const uint32_t page = 0;
    if (auto ok = set_pages(0, std::span(&page, 1)); !ok) return ok;
    const auto row = [&](uint32_t position) {
        const auto token = static_cast<int32_t>(mix32(position + 1) % config_.n_vocab);
        return Row{.slot = 0, .position = position, .token = token, .wants_output = position == 1};
    };
    const Row rows[] = {row(0), row(1)};
    std::vector<float> together(config_.n_vocab), alone(config_.n_vocab);
    Result<void> ok;
    // First, so that they find nothing where they do not write.
    for (const Row& one : rows) {
        if (ok) ok = run_step(std::span(&one, 1));
    }
    if (ok) ok = read_logits(0, alone);
    if (ok) ok = run_step(rows);
    if (ok) ok = read_logits(0, together);
    if (ok) ok = set_pages(0, {});
    if (!ok) return ok;
    exchange_.forget();
    for (size_t i = 0; i < alone.size(); ++i) {
        // What is never finite is the file's fault.
        if (!std::isfinite(alone[i]) && !std::isfinite(together[i])) continue;
        if (std::bit_cast<uint32_t>(alone[i]) != std::bit_cast<uint32_t>(together[i])) {
            return base::fail(base::ErrorCode::DeviceError, "self-test: a step of one row gives ", alone[i],
                              " for token ", i, ", one of two rows ", together[i]);
        }
    }
    return {};
}

Result<void> BlocksBackend::finish_loading() {
    for (const auto& [kind, rows] : weights_.test_rows()) {
        if (queue_.compile_only()) break;
        if (auto ok = check_matvec(queue_, kernels_, rows); !ok) return ok;
    }
    weights_.drop_test_rows();
    if (auto ok = upload_rotary_turns(queue_, config_, limits_.n_ctx, weights_.rope_factors(), buffers_.rotation, 0);
        !ok) {
        return ok;
    }
    auto plan = LaunchPlan::bind(queue_, kernels_, config_, weights_, buffers_);
    if (!plan) return plan.error();
    plan_ = std::move(*plan);
    if (auto ok = check_steps(); !ok) return ok;
    report_.weight_bytes = weights_.size_bytes();
    if (weights_.split_matrices() > 0) {
        report_.notes.push_back(base::concat(weights_.split_matrices(),
                                             " matrices are split: one buffer holds at most ",
                                             queue_.limits().max_buffer_bytes, " bytes"));
    }
    return queue_.finish();
}

Result<void> BlocksBackend::run(Verb verb, RowCount rows) {
    const auto step = exchange_.open();
    if (!step) return step.error();
    return compute::run(queue_, plan_.*verb, (*step)->*rows);
}

Result<void> BlocksBackend::run_layer(uint32_t layer, LayerVerb verb) {
    const auto step = exchange_.open(layer);
    if (!step) return step.error();
    return compute::run(queue_, plan_.layers[layer].*verb, (*step)->n_rows);
}

Result<void> BlocksBackend::sample(std::span<const SampleRequest> requests) {
    const auto step = exchange_.sample(requests);
    if (!step) return step.error();
    return compute::run(queue_, plan_.sample, (*step)->n_outputs);
}

Result<void> BlocksBackend::submit() {
    const auto step = exchange_.open();
    if (!step) return step.error();
    return exchange_.submit({{buffers_.answer, answer_words((*step)->n_outputs, (*step)->with_candidates)}});
}

}  // namespace

Result<std::unique_ptr<Backend>> create_blocks_backend(const model::ModelConfig& config, const BackendLimits& limits,
                                                       DeviceQueue queue, Precision, DeviceReport report) {
    auto kernels = Kernels::build(queue, config, limits);
    if (!kernels) return kernels.error();
    report.profile += kernels->profile();
    auto backend =
        std::make_unique<BlocksBackend>(config, limits, std::move(queue), std::move(*kernels), std::move(report));
    if (auto ok = backend->allocate(); !ok) return ok.error();
    return backend;
}

}  // namespace llmd::compute::blocks
