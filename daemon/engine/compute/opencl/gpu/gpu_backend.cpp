#include <algorithm>
#include <bit>
#include <utility>

#include "engine/compute/checks.h"
#include "engine/compute/opencl/gpu/gpu_weights.h"
#include "engine/compute/opencl/gpu/kernel_choice.h"
#include "engine/compute/opencl/gpu/kernels.h"
#include "engine/compute/opencl/gpu/launch_plan.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/gpu/self_test.h"
#include "engine/compute/opencl/gpu/weight_addressing.h"
#include "engine/compute/opencl/opencl_backend.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/compute/opencl/runtime/quirks.h"
#include "engine/compute/opencl/runtime/step_exchange.h"

namespace llmd::compute::gpu {
namespace {

using base::ErrorCode;
using base::Result;
using model::Role;

// The vectors that kernels read, of the models and layers that have them.
constexpr Role kVectors[] = {Role::OutputNorm,  Role::AttnNorm,  Role::AttnPostNorm, Role::FfnNorm,
                             Role::FfnPostNorm, Role::AttnQNorm, Role::AttnKNorm,    Role::ConvTaps};

// Up to so many positions one work-group walks all of a row's attention; beyond, each KV split has one of its own.
constexpr uint32_t kWholeAttention = 1024;

// The most bytes that the KV splits of drafted rows take. 4,096 positions of heads with 4,096 values together need 4
// MiB.
constexpr uint64_t kDraftPartialBytes = 16u << 20;

// ReadOutput: sample.cl's words of every output, then, where a row wants them, the candidates.
Sampled read_choice(std::span<const uint32_t> answer, const Step& step, uint32_t output,
                    std::vector<Candidate>& candidates) {
    const auto choice = answer.subspan(size_t{kAnswerWords} * output, kAnswerWords);
    Sampled result;
    result.finite = choice[kAnswerIsFinite] != 0;
    if (!result.finite) return result;
    if (step.with_candidates) {
        read_candidates(answer.subspan(size_t{kAnswerWords} * step.n_outputs), output, step.n_outputs, candidates,
                        result);
    }
    result.id = static_cast<int32_t>(choice[kAnswerId]);
    result.log_sum_exp = std::bit_cast<float>(choice[kAnswerLogSumExp]);
    return result;
}

// Five launches a layer and three more for a step, of any number of rows; one more a layer for norms of heads, one for
// each post-norm, one where a row is beyond kWholeAttention positions, and a few more where the tensors of one matmul
// have several types or do not fit into one buffer.
class GpuBackend final : public Backend {
public:
    GpuBackend(const model::DecoderSpec& spec, const BackendLimits& limits, DeviceQueue queue, Precision precision,
               DeviceReport report)
        : spec_(spec),
          limits_(limits),
          queue_(std::move(queue)),
          kernel_choice_(queue_.limits(), precision),
          kernels_(queue_, spec, limits_, kernel_choice_),
          report_(std::move(report)),
          weights_(spec, limits.n_ctx),
          exchange_(queue_, buffers_, spec, limits,
                    size_t{kAnswerWords} * limits.most_outputs() + candidate_words(limits.most_outputs()),
                    read_choice) {
        report_.precision = precision;
    }

    // After a failed step commands may still be queued, which read what is destroyed next.
    ~GpuBackend() override { static_cast<void>(queue_.finish()); }

    // After construction, once: every buffer but the weights' and those whose size they decide.
    Result<void> allocate();

    const DeviceReport& report() const override { return report_; }
    const BackendLimits& limits() const override { return limits_; }
    QueueCounts queue_counts() const override { return queue_.counts(); }
    Result<void> declare_tensors(std::span<const model::Weight> weights, const GoesOn& goes_on) override;
    Result<void> upload(const model::Weight& weight, const OnCopied&) override {
        return weights_.upload(queue_, weight);
    }
    Result<void> finish_loading() override;
    Result<void> set_pages(uint32_t slot, std::span<const uint32_t> pages) override {
        return exchange_.set_pages(slot, pages);
    }
    Result<void> set_window_pages(uint32_t slot, uint32_t first, std::span<const uint32_t> pages) override {
        return exchange_.set_window_pages(slot, first, pages);
    }
    uint64_t page_bytes(KvPool pool) const override { return buffers_.bytes_of_page(pool); }
    Result<void> read_page(KvPage page, std::span<std::byte> out) override {
        return exchange_.read_page(buffers_, page, out);
    }
    Result<void> write_page(KvPage page, std::span<const std::byte> in) override {
        return exchange_.write_page(buffers_, page, in);
    }
    bool is_asynchronous() const override { return true; }
    Result<void> begin(std::span<const Row> rows) override;
    Result<void> forward() override;
    Result<void> sample(std::span<const SampleRequest> requests) override;
    Result<void> submit() override;
    Result<std::span<const Sampled>> wait() override { return exchange_.wait(); }
    Result<void> finish() override { return queue_.finish(); }
    Result<void> read_logits(uint32_t output, std::span<float> out) override {
        return exchange_.read_logits(output, out);
    }
    Result<void> read_residual(std::span<float> out) override {
        return exchange_.read_residual(buffers_.activations, buffers_.at.x, padded_width(spec_.n_embd), out);
    }

private:
    // Tries the kernels on the device, and leaves out what it gets wrong.
    Result<void> choose_kernels(std::span<const model::Weight> weights, const GoesOn& goes_on);
    // Sets where they begin; gives their size in bytes, of which more than 4 GiB cannot be addressed.
    uint64_t place_activations();
    Result<void> upload_constants();
    // A vector as kernels read it.
    std::vector<float> arranged(Role role, uint32_t layer) const;
    uint32_t attention_chunks(std::span<const Row> rows) const;

    model::DecoderSpec spec_;
    BackendLimits limits_;
    DeviceQueue queue_;
    KernelChoice kernel_choice_;
    Kernels kernels_;
    DeviceReport report_;
    GpuWeights weights_;

    Buffers buffers_;
    LaunchPlan plan_;
    uint32_t partial_rows_ = 0;  // rows times chunks that `partials` holds
    StepExchange exchange_;
    uint32_t chunks_ = 1;  // of each row's attention, in the open step
};

Result<void> GpuBackend::declare_tensors(std::span<const model::Weight> weights, const GoesOn& goes_on) {
    if (auto ok = weights_.declare_tensors(weights); !ok) return ok;
    if (auto ok = choose_kernels(weights, goes_on); !ok) return ok;
    report_.fingerprint += kernels_.fingerprint();
    return {};
}

Result<void> GpuBackend::choose_kernels(std::span<const model::Weight> weights, const GoesOn& goes_on) {
    bool images = kernel_choice_.is_small_gpu() && queue_.limits().image_texels > 0;
    if (images && !queue_.compile_only() && has_quirk(Quirk::NeedsSampler, queue_.names())) {
        images = false;
        report_.notes.push_back("weights are not read through images, which this driver may get wrong on this GPU");
    }
    if (images && !queue_.compile_only()) {
        const auto work = images_work(queue_);
        if (!work) return work.error();
        images = *work;
    }
    const auto kinds = weights_.kinds(kernel_choice_);
    SoundKernels sound;
    for (const MatmulKind& kind : kinds) {
        if (images && is_better_as_image(kind.layout)) sound.images.insert(kind.layout);
    }
    if (queue_.tries_kernels()) {
        const Model model = {spec_, limits_, weights, kinds, sound.images};
        auto found = self_test(queue_, kernel_choice_, model, goes_on);
        if (!found) return with_cure(found.error(), queue_.names());
        sound = std::move(found->sound);
        report_.notes.insert(report_.notes.end(), found->notes.begin(), found->notes.end());
    }
    weights_.use_images(sound.images);
    if (kernel_choice_.needs_segments()) {
        auto probe = SegmentProbe::create(queue_);
        if (!probe) return probe.error();
        weights_.use_segments(std::move(*probe));
    }
    kernel_choice_.use(std::move(sound));
    return {};
}

uint64_t GpuBackend::place_activations() {
    constexpr uint64_t kAlignment = 128;  // of each, for whole cache lines
    const uint64_t rows = round_up(limits_.max_rows, kMaxBatchRows);
    uint64_t end = 0;
    const auto place = [&](uint32_t& at, uint64_t n, uint64_t bytes) {
        at = static_cast<uint32_t>(end);
        end += (n * bytes + kAlignment - 1) / kAlignment * kAlignment;
    };
    const auto quantized = [&](uint32_t n, uint32_t value_bytes) {
        return quantized_row_bytes(padded_width(n), value_bytes);
    };
    Activations& at = buffers_.at;
    place(at.x, rows, padded_width(spec_.n_embd) * sizeof(float));
    place(at.residual, rows,
          quantized(spec_.n_embd, std::max(kernel_choice_.qkv_value_bytes(), kernel_choice_.value_bytes())));
    place(at.queries, rows, spec_.max_q_rows() * sizeof(float));
    place(at.attended, rows, quantized(spec_.max_q_rows(), kernel_choice_.value_bytes()));
    place(at.hidden, rows, quantized(spec_.max_ff(), kernel_choice_.value_bytes()));
    for (const Role role : kVectors) {
        for (uint32_t layer = 0; layer < (model::is_in_layer(role) ? spec_.n_layers() : 1); ++layer) {
            if (!model::is_required(role, spec_, layer)) continue;
            const model::Shape shape = model::shape_of(role, spec_, layer);
            place(at.vectors[{role, layer}], padded_width(static_cast<uint32_t>(shape.rows * shape.cols)),
                  sizeof(float));
        }
    }
    // Matmuls without a norm read the residual stream with them.
    place(at.ones, padded_width(spec_.n_embd), sizeof(float));
    place(at.rotation, spec_.ropes.size(), rotary_bytes(spec_, limits_.n_ctx));
    at.rotation_bytes = static_cast<uint32_t>(rotary_bytes(spec_, limits_.n_ctx));
    return end;
}

Result<void> GpuBackend::allocate() {
    if (auto ok = exchange_.allocate(limits_.most_outputs()); !ok) return ok;
    const uint64_t activation_bytes = place_activations();
    if (activation_bytes > UINT32_MAX) {
        return base::fail(ErrorCode::OutOfMemory, "activations of ", limits_.max_rows, " rows need ", activation_bytes,
                          " bytes in one piece; kernels address at most ", UINT32_MAX);
    }
    uint64_t partial_bytes = 0;  // of a row in one chunk
    for (const model::LayerSpec& layer : spec_.layers) {
        if (layer.is_convolution()) continue;
        partial_bytes = std::max(partial_bytes, uint64_t{layer.n_heads} * (layer.head_dim + 2) * sizeof(float));
    }
    const uint32_t kv_splits = (limits_.n_ctx + kKvSplit - 1) / kKvSplit;
    // Every row in one chunk, or a row of each sequence that computes and the drafted ones in all their KV splits.
    const uint64_t of_drafts = std::min(uint64_t{limits_.max_drafted} * kv_splits, kDraftPartialBytes / partial_bytes);
    const uint64_t lone_rows = std::min(limits_.n_slots, limits_.max_outputs);
    const uint64_t partial_rows = std::max(uint64_t{limits_.max_rows}, lone_rows * kv_splits + of_drafts);
    const uint64_t fitting_rows = queue_.limits().max_buffer_bytes / partial_bytes;
    if (fitting_rows < limits_.max_rows) {
        return base::fail(ErrorCode::OutOfMemory, "attention of ", limits_.max_rows, " rows needs ",
                          partial_bytes * limits_.max_rows, " bytes in one piece; the device gives at most ",
                          queue_.limits().max_buffer_bytes);
    }
    partial_rows_ = static_cast<uint32_t>(std::min(partial_rows, fitting_rows));
    const Allocation wanted[] = {
        {&buffers_.activations, "activations", activation_bytes},
        {&buffers_.partials, "attention", partial_rows_ * partial_bytes},
        {&buffers_.answer, "sampling results", uint64_t{kAnswerWords} * limits_.most_outputs() * sizeof(uint32_t)},
        {&buffers_.candidates, "sampling results", candidate_words(limits_.most_outputs()) * sizeof(uint32_t)},
    };
    if (auto ok = queue_.allocate(wanted); !ok) return ok;
    report_.kv_bytes = kv_bytes(spec_, limits_);
    return buffers_.KvBuffers::allocate(queue_, spec_, limits_);
}

Result<void> GpuBackend::finish_loading() {
    if (auto ok = weights_.check_complete(); !ok) return ok;
    if (auto ok = upload_constants(); !ok) return ok;
    const uint64_t groups = choice_groups(*weights_.matmul(Role::Output), kernel_choice_);
    const uint64_t intermediate_floats =
        round_up(limits_.max_rows, kMaxBatchRows) * uint64_t{weights_.intermediate_width()};
    const Allocation wanted[] = {
        {&buffers_.summaries, "sampling results", groups * kChoiceWords * limits_.most_outputs() * sizeof(uint32_t)},
        {&buffers_.intermediate, "activations", intermediate_floats * sizeof(float)},
    };
    if (auto ok = queue_.allocate(wanted); !ok) return ok;
    auto plan = LaunchPlan::bind(kernels_, kernel_choice_, spec_, limits_, weights_, buffers_);
    if (!plan) return plan.error();
    plan_ = std::move(*plan);
    report_.weight_bytes = weights_.size_bytes();
    const uint64_t told = report_.weight_bytes + report_.kv_bytes;
    report_.working_bytes = queue_.allocated_bytes() - std::min(queue_.allocated_bytes(), told);
    report_.is_host_memory = queue_.limits().is_cpu;
    if (weights_.split_matmuls() > 0) {
        report_.notes.push_back(base::concat(weights_.split_matmuls(), " matrices are split: one buffer holds at most ",
                                             queue_.limits().max_buffer_bytes, " bytes"));
    }
    for (const model::TensorType type : weights_.reencoded()) {
        report_.notes.push_back(base::concat("tensors of type ", model::block_layout(type).name, " are held as ",
                                             layout_name(layout_for(type)),
                                             is_rounded(type) ? ", rounded" : ", exactly"));
    }
    return queue_.finish();
}

std::vector<float> GpuBackend::arranged(Role role, uint32_t layer) const {
    std::vector<float> floats = weights_.vector(role, layer);
    if (role == Role::OutputNorm) {
        for (float& weight : floats) weight *= spec_.logit_scale;
    } else if (role == Role::AttnQNorm || role == Role::AttnKNorm) {
        for (uint32_t i = 0; i < floats.size(); ++i) {
            floats[i] = weights_.vector(role, layer)[MatmulRows::rotary_order(spec_.layers[layer], i)];
        }
    } else if (role == Role::ConvTaps) {  // [tap][n_embd]
        const uint32_t n_taps = spec_.layers[layer].window;
        for (size_t i = 0; i < floats.size(); ++i) {
            floats[i % n_taps * spec_.n_embd + i / n_taps] = weights_.vector(role, layer)[i];
        }
    }
    floats.resize(padded_width(static_cast<uint32_t>(floats.size())));
    return floats;
}

Result<void> GpuBackend::upload_constants() {
    const Activations& at = buffers_.at;
    const auto upload = [&](std::span<const float> floats, uint32_t to) {
        return queue_.upload(buffers_.activations, to, std::as_bytes(floats));
    };
    for (const auto& [key, to] : at.vectors) {
        if (auto ok = upload(arranged(key.first, key.second), to); !ok) return ok;
    }
    std::vector<float> ones(spec_.n_embd, 1.0f);
    ones.resize(padded_width(spec_.n_embd));
    if (auto ok = upload(ones, at.ones); !ok) return ok;
    return upload_rotations(queue_, spec_, limits_.n_ctx, weights_.rope_factors(), buffers_.activations, at.rotation);
}

uint32_t GpuBackend::attention_chunks(std::span<const Row> rows) const {
    uint32_t longest = 0;
    for (const Row& row : rows) longest = std::max(longest, row.position + 1);
    const uint32_t kv_splits = (longest + kKvSplit - 1) / kKvSplit;
    return longest > kWholeAttention && uint64_t{kv_splits} * rows.size() <= partial_rows_ ? kv_splits : 1;
}

Result<void> GpuBackend::begin(std::span<const Row> rows) {
    const uint32_t chunks = attention_chunks(rows);
    if (auto begun = exchange_.begin(rows, chunks); !begun) return begun;
    chunks_ = chunks;
    return {};
}

Result<void> GpuBackend::forward() {
    const auto step = exchange_.mark_computed();
    if (!step) return step.error();
    const uint32_t rows = (*step)->n_rows;
    for (const PlannedLaunches& planned : plan_.body) {
        const bool is_split = planned.split.kernel && (chunks_ > 1 || planned.launches.empty());
        if (!is_split) {
            if (auto ok = run(queue_, planned.launches, rows); !ok) return ok;
            continue;
        }
        const size_t groups = size_t{planned.split.groups} * chunks_;
        if (auto ok = queue_.launch(planned.split.kernel, groups, rows, planned.split.group_items); !ok) return ok;
        if (auto ok = run(queue_, planned.merge, rows); !ok) return ok;
    }
    return {};
}

Result<void> GpuBackend::sample(std::span<const SampleRequest> requests) {
    const auto step = exchange_.sample(requests);
    if (!step) return step.error();
    const uint32_t outputs = (*step)->n_outputs;
    if (auto ok = run(queue_, plan_.head, outputs); !ok) return ok;
    if (auto ok = run(queue_, plan_.choose, outputs); !ok) return ok;
    return (*step)->with_candidates ? run(queue_, plan_.candidates, outputs) : Result<void>();
}

Result<void> GpuBackend::submit() {
    const auto step = exchange_.computed();
    if (!step) return step.error();
    const uint32_t outputs = (*step)->n_outputs;
    return exchange_.submit({{buffers_.answer, size_t{kAnswerWords} * outputs},
                             {buffers_.candidates, (*step)->with_candidates ? candidate_words(outputs) : 0}});
}

}  // namespace

}  // namespace llmd::compute::gpu

namespace llmd::compute {

using base::ErrorCode;
using base::Result;

Result<std::unique_ptr<Backend>> create_opencl_backend(const model::DecoderSpec& spec, const BackendLimits& limits,
                                                       size_t device_index, const OpenClOverrides& overrides,
                                                       std::vector<std::string> notes, Precision precision) {
    auto devices = find_cl_devices();
    if (!devices) return devices.error();
    if (device_index >= devices->size()) {
        return base::fail(ErrorCode::DeviceError, "OpenCL device ", device_index, " does not exist; there are ",
                          devices->size());
    }
    if (auto checked = check_limits(spec, limits); !checked) return checked.error();
    const ClDevice& device = (*devices)[device_index];
    const auto named = [&](const base::Error& error) {
        return base::fail(error.code, device.names.name, " (", device.names.platform, "): ", error.message);
    };
    auto queue = DeviceQueue::open(device, overrides);
    if (!queue) return named(queue.error());

    DeviceReport report;
    report.kind = BackendKind::OpenCl;
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
    queue->pace_submissions();  // not before: the probe of launch order wants its launches in one submission
    report.fingerprint =
        base::concat("opencl, ", device.names.platform, ", ", device.names.name, ", ", device.names.driver, ", ");
    auto backend = std::make_unique<gpu::GpuBackend>(spec, limits, std::move(*queue), precision, std::move(report));
    if (auto ok = backend->allocate(); !ok) return named(ok.error());
    return backend;
}

}  // namespace llmd::compute
