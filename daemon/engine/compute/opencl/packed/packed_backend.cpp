#include "engine/compute/opencl/packed/packed_backend.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/compute/checks.h"
#include "engine/compute/opencl/packed/activations.h"
#include "engine/compute/opencl/packed/images.h"
#include "engine/compute/opencl/packed/kernels.h"
#include "engine/compute/opencl/packed/launch_plan.h"
#include "engine/compute/opencl/packed/packed_weights.h"
#include "engine/compute/opencl/packed/variants.h"
#include "engine/compute/opencl/sample_exchange.h"
#include "engine/compute/page_tables.h"
#include "engine/compute/rotary_angles.h"
#include "engine/compute/step_queue.h"

namespace llmd::compute::packed {
namespace {

using base::ErrorCode;
using base::Result;

// Layout of the step buffer (common.cl), in words.
constexpr size_t kStepHeader = 4;
constexpr size_t kStepRowWords = 4;

uint32_t round_up(uint32_t n, uint32_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

class PackedBackend final : public Backend {
public:
    PackedBackend(const model::ModelConfig& config, const BackendLimits& limits, DeviceQueue queue, Precision precision,
                  DeviceReport report)
        : config_(config),
          limits_(limits),
          queue_(std::move(queue)),
          variants_(queue_.limits(), precision),
          kernels_(queue_, config_, limits_, variants_),
          report_(std::move(report)),
          weights_(config, limits.n_ctx),
          pages_(limits),
          last_output_(limits.n_slots) {
        report_.precision = precision;
        report_.profile += kernels_.profile();
    }

    // After a failed step commands may still be queued, which read what is destroyed next.
    ~PackedBackend() override { static_cast<void>(queue_.finish()); }

    // After construction, once: every buffer but the weights' and those whose size they decide.
    Result<void> allocate();

    const DeviceReport& report() const override { return report_; }
    const BackendLimits& limits() const override { return limits_; }
    QueueCounts queue_counts() const override { return queue_.counts(); }
    Result<void> announce(std::span<const model::Weight> weights) override { return weights_.announce(weights); }
    Result<void> upload(const model::Weight& weight) override { return weights_.upload(queue_, weight); }
    Result<void> finish_loading() override;
    Result<void> set_pages(uint32_t slot, std::span<const uint32_t> pages) override { return pages_.set(slot, pages); }
    bool is_asynchronous() const override { return true; }
    Result<void> begin(std::span<const Row> rows) override;
    Result<void> embed() override;
    Result<void> norm_qkv(uint32_t layer) override { return run_layer(layer, &LayerLaunches::norm_qkv); }
    Result<void> attend(uint32_t layer) override;
    Result<void> attend_output(uint32_t layer) override { return run_layer(layer, &LayerLaunches::attend_output); }
    Result<void> norm_up(uint32_t layer) override { return run_layer(layer, &LayerLaunches::norm_up); }
    Result<void> down(uint32_t layer) override { return run_layer(layer, &LayerLaunches::down); }
    // Nothing is launched before sample(): the output product takes the requests.
    Result<void> head() override;
    Result<void> sample(std::span<const SampleRequest> requests) override;
    Result<void> submit() override;
    Result<std::span<const Sampled>> wait() override;
    Result<void> read_logits(uint32_t output, std::span<float> out) override;

private:
    struct Wanted {
        ClBuffer* buffer;
        std::string_view what;
        uint64_t bytes;
    };
    Result<void> allocate_all(std::span<const Wanted> wanted);
    Result<void> allocate_pages();
    Result<void> choose_images();
    Result<void> upload_rotation();
    uint32_t attention_chunks(std::span<const Row> rows) const;
    // One step's words of the step buffer.
    void write_rows(std::span<const Row> rows, std::span<int32_t> out);
    // The open step, for a verb of a layer.
    Result<const Step*> open_step(uint32_t layer);
    Result<void> run_layer(uint32_t layer, Launches LayerLaunches::*verb);

    model::ModelConfig config_;
    BackendLimits limits_;
    DeviceQueue queue_;
    Variants variants_;
    Kernels kernels_;
    DeviceReport report_;
    PackedWeights weights_;

    Buffers buffers_;
    LaunchPlan plan_;
    uint32_t partial_rows_ = 0;  // rows times chunks that `partials` holds

    // The host's end of the queued copies of a step; they are its own until it has been waited for. The device needs
    // one end only: its queue is in order.
    struct HostSide {
        std::vector<int32_t> step;
        std::vector<uint32_t> requests;
        std::vector<uint32_t> answer;
        std::vector<uint32_t> candidates;
        std::vector<std::vector<uint32_t>> page_tables;  // by slot
        ClEvent done;
    };
    std::array<HostSide, kMaxStepsInFlight> host_;  // by set of the step
    StepQueue steps_;
    PageTables pages_;
    std::vector<uint32_t> last_output_;  // by slot: a row of the batch, meaningful where the slot has an output
    uint32_t chunks_ = 1;                // of each row's attention, in the open step

    // What wait() gives.
    std::vector<std::vector<Candidate>> candidates_;  // of each output
    std::vector<Sampled> sampled_;
};

Result<void> PackedBackend::allocate_all(std::span<const Wanted> wanted) {
    for (const Wanted& one : wanted) {
        auto buffer = queue_.allocate(one.what, std::max<uint64_t>(one.bytes, sizeof(uint32_t)));
        if (!buffer) return buffer.error();
        *one.buffer = std::move(*buffer);
    }
    return {};
}

Result<void> PackedBackend::choose_images() {
    if (!variants_.prefers_images() || queue_.limits().image_texels == 0) return {};
    if (!queue_.compile_only()) {
        const auto work = images_work(queue_);
        if (!work) return work.error();
        if (!*work) return {};
    }
    weights_.use_images();
    report_.profile += ", images";
    return {};
}

Result<void> PackedBackend::allocate() {
    if (auto ok = choose_images(); !ok) return ok;
    const size_t step_words = kStepHeader + kStepRowWords * limits_.max_rows + limits_.max_outputs;
    const size_t request_words = kRequestWords * limits_.max_outputs;
    const size_t all_answer_words = size_t{kAnswerWords} * limits_.max_outputs;
    const size_t candidate_words = answer_words(limits_.max_outputs, true);
    for (HostSide& host : host_) {
        host.step.resize(step_words);
        host.requests.resize(request_words);
        host.answer.resize(all_answer_words);
        host.candidates.resize(candidate_words);
        host.page_tables.resize(limits_.n_slots);
        for (auto& table : host.page_tables) table.reserve(PageTables::max_pages(limits_));
    }
    candidates_.resize(limits_.max_outputs);
    for (auto& list : candidates_) list.reserve(kMaxCandidates);
    sampled_.reserve(limits_.max_outputs);

    const uint64_t rows = round_up(limits_.max_rows, kMaxColumns);
    const auto records = [&](uint32_t n) { return rows * record_bytes(padded_columns(n), variants_.digits()); };
    const uint64_t partial_bytes = uint64_t{config_.n_heads} * (config_.head_dim + 2) * sizeof(float);
    const uint32_t leaves = (limits_.n_ctx + kAttentionLeaf - 1) / kAttentionLeaf;
    // Every row in one chunk, or a lone row of each slot in all its leaves.
    const uint64_t partial_rows = std::max<uint64_t>(limits_.max_rows, uint64_t{limits_.n_slots} * leaves);
    const uint64_t fitting_rows = queue_.limits().max_buffer_bytes / partial_bytes;
    if (fitting_rows < limits_.max_rows) {
        return base::fail(ErrorCode::OutOfMemory, "attention of ", limits_.max_rows, " rows needs ",
                          partial_bytes * limits_.max_rows, " bytes in one piece; the device gives at most ",
                          queue_.limits().max_buffer_bytes);
    }
    partial_rows_ = static_cast<uint32_t>(std::min(partial_rows, fitting_rows));
    const Wanted wanted[] = {
        {&buffers_.step, "the batch", step_words * sizeof(uint32_t)},
        {&buffers_.page_tables, "page tables",
         uint64_t{limits_.n_slots} * PageTables::max_pages(limits_) * sizeof(uint32_t)},
        {&buffers_.x, "activations", rows * padded_columns(config_.n_embd) * sizeof(float)},
        {&buffers_.residual, "activations", records(config_.n_embd)},
        {&buffers_.queries, "activations", rows * config_.q_rows() * sizeof(float)},
        {&buffers_.partials, "attention", partial_rows_ * partial_bytes},
        {&buffers_.attended, "activations", records(config_.q_rows())},
        {&buffers_.gate, "activations", rows * padded_columns(config_.n_ff) * sizeof(float)},
        {&buffers_.hidden, "activations", records(config_.n_ff)},
        {&buffers_.logits, "logits", uint64_t{limits_.max_outputs} * config_.n_vocab * sizeof(float)},
        {&buffers_.requests, "sampling requests", request_words * sizeof(uint32_t)},
        {&buffers_.sampled, "sampled tokens", limits_.n_slots * sizeof(int32_t)},
        {&buffers_.answer, "sampling results", all_answer_words * sizeof(uint32_t)},
        {&buffers_.candidates, "sampling results", candidate_words * sizeof(uint32_t)},
    };
    if (auto ok = allocate_all(wanted); !ok) return ok;
    return allocate_pages();
}

Result<void> PackedBackend::allocate_pages() {
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

Result<void> PackedBackend::finish_loading() {
    if (auto ok = weights_.check_complete(); !ok) return ok;
    if (auto ok = upload_rotation(); !ok) return ok;
    const uint64_t groups = choice_groups(*weights_.product(Use::Output), variants_);
    const Wanted summaries = {&buffers_.summaries, "sampling results",
                              groups * kChoiceWords * limits_.max_outputs * sizeof(uint32_t)};
    if (auto ok = allocate_all({&summaries, 1}); !ok) return ok;
    auto plan = LaunchPlan::bind(queue_, kernels_, variants_, config_, limits_, weights_, buffers_);
    if (!plan) return plan.error();
    plan_ = std::move(*plan);
    report_.weight_bytes = weights_.size_bytes();
    if (weights_.split_products() > 0) {
        report_.notes.push_back(base::concat(weights_.split_products(),
                                             " matrices are split: one buffer holds at most ",
                                             queue_.limits().max_buffer_bytes, " bytes"));
    }
    for (const model::TensorType type : weights_.reencoded()) {
        report_.notes.push_back(base::concat("tensors of type ", model::block_format(type).name, " are held as ",
                                             layout_name(layout_for(type)),
                                             is_rounded(type) ? ", rounded" : ", exactly"));
    }
    return queue_.finish();
}

Result<void> PackedBackend::upload_rotation() {
    const uint32_t pairs = config_.positions == model::Positions::Learned ? 0 : config_.n_rot / 2;
    std::vector<float> turns(size_t{limits_.n_ctx} * pairs * 2);
    const Wanted wanted = {&buffers_.rotation, "rotary positions", turns.size() * sizeof(float)};
    if (auto ok = allocate_all({&wanted, 1}); !ok) return ok;
    fill_rotary_turns(config_, weights_.rope_factors(), turns);
    return queue_.upload(buffers_.rotation, 0, std::as_bytes(std::span(turns)));
}

uint32_t PackedBackend::attention_chunks(std::span<const Row> rows) const {
    uint32_t longest = 0;
    for (const Row& row : rows) longest = std::max(longest, row.position + 1);
    const uint32_t leaves = (longest + kAttentionLeaf - 1) / kAttentionLeaf;
    return longest > kWholeAttention && uint64_t{leaves} * rows.size() <= partial_rows_ ? leaves : 1;
}

void PackedBackend::write_rows(std::span<const Row> rows, std::span<int32_t> out) {
    for (uint32_t r = 0; r < rows.size(); ++r) {
        if (rows[r].wants_output) last_output_[rows[r].slot] = r;
    }
    int32_t* word = out.data() + kStepHeader;
    int32_t* const output_rows = word + kStepRowWords * limits_.max_rows;
    int32_t* output_row = output_rows;
    for (uint32_t r = 0; r < rows.size(); ++r) {
        *word++ = rows[r].token;
        *word++ = static_cast<int32_t>(rows[r].position);
        *word++ = static_cast<int32_t>(rows[r].slot);
        *word++ = rows[r].wants_output && last_output_[rows[r].slot] == r ? 1 : 0;
        if (rows[r].wants_output) *output_row++ = static_cast<int32_t>(r);
    }
    out[0] = static_cast<int32_t>(output_row - output_rows);
    out[1] = static_cast<int32_t>(rows.size());
    out[2] = static_cast<int32_t>(chunks_);
}

Result<void> PackedBackend::begin(std::span<const Row> rows) {
    if (auto checked = check_rows(config_, limits_, rows); !checked) return checked;
    if (auto checked = steps_.check_begin(); !checked) return checked;
    if (auto begun = pages_.begin(rows); !begun) return begun;
    const auto outputs = std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.wants_output; });
    const Step& step = steps_.begin(static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(outputs));
    HostSide& host = host_[step.set];
    chunks_ = attention_chunks(rows);
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

Result<void> PackedBackend::embed() {
    const auto step = steps_.open();
    if (!step) return step.error();
    return run(queue_, plan_.embed, (*step)->n_rows);
}

Result<const Step*> PackedBackend::open_step(uint32_t layer) {
    if (layer >= config_.n_layers) return base::fail(ErrorCode::InvalidArgument, "layer ", layer, " does not exist");
    const auto step = steps_.open();
    if (!step) return step.error();
    return *step;
}

Result<void> PackedBackend::run_layer(uint32_t layer, Launches LayerLaunches::*verb) {
    const auto step = open_step(layer);
    if (!step) return step.error();
    return run(queue_, plan_.layers[layer].*verb, (*step)->n_rows);
}

Result<void> PackedBackend::attend(uint32_t layer) {
    const auto step = open_step(layer);
    if (!step) return step.error();
    const uint32_t rows = (*step)->n_rows;
    const LayerLaunches& launches = plan_.layers[layer];
    if (chunks_ == 1 && !launches.attend.variants.empty()) return run(queue_, launches.attend, rows);
    const LaunchVariant& split = launches.attend_split;
    const size_t groups = size_t{split.groups} * chunks_;
    if (auto ok = queue_.launch(split.kernel, groups, rows, split.group_items); !ok) return ok;
    return run(queue_, launches.merge, rows);
}

Result<void> PackedBackend::head() {
    const auto step = steps_.open();
    return step ? Result<void>() : step.error();
}

Result<void> PackedBackend::sample(std::span<const SampleRequest> requests) {
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
    if (auto ok = run(queue_, plan_.head, step.n_outputs); !ok) return ok;
    if (auto ok = run(queue_, plan_.choose, step.n_outputs); !ok) return ok;
    return step.with_candidates ? run(queue_, plan_.candidates, step.n_outputs) : Result<void>();
}

Result<void> PackedBackend::submit() {
    const auto open = steps_.open();
    if (!open) return open.error();
    const Step& step = **open;
    HostSide& host = host_[step.set];
    const bool has_answer = step.is_sampled && step.n_outputs > 0;
    if (has_answer && step.with_candidates) {
        const auto words = std::span(host.candidates).first(answer_words(step.n_outputs, true));
        auto read = queue_.read_later(buffers_.candidates, 0, std::as_writable_bytes(words));
        if (!read) return read.error();
    }
    const auto words = std::span(host.answer).first(size_t{kAnswerWords} * step.n_outputs);
    auto done = has_answer ? queue_.read_later(buffers_.answer, 0, std::as_writable_bytes(words)) : queue_.mark();
    if (!done) return done.error();
    host.done = std::move(*done);
    if (auto flushed = queue_.submit_step(); !flushed) return flushed;
    return steps_.submit();
}

Result<std::span<const Sampled>> PackedBackend::wait() {
    const auto step = steps_.wait();
    if (!step) return step.error();
    HostSide& host = host_[step->set];
    sampled_.clear();
    if (auto done = queue_.wait(host.done); !done) return done.error();
    host.done = {};
    for (uint32_t i = 0; step->is_sampled && i < step->n_outputs; ++i) {
        const auto answer = std::span(host.answer).subspan(size_t{kAnswerWords} * i, kAnswerWords);
        Sampled one;
        one.finite = answer[1] != 0;
        if (one.finite) {
            if (step->with_candidates) one = read_answer(host.candidates, i, step->n_outputs, candidates_[i]);
            // Not what read_answer() says of them: these may not depend on what other rows ask for.
            one.id = static_cast<int32_t>(answer[0]);
            one.log_sum_exp = std::bit_cast<float>(answer[2]);
        }
        sampled_.push_back(one);
    }
    return std::span<const Sampled>(sampled_);
}

Result<void> PackedBackend::read_logits(uint32_t output, std::span<float> out) {
    if (auto checked = check_logits_read(config_, steps_.readable_outputs(), output, out.size()); !checked)
        return checked;
    return queue_.read(buffers_.logits, uint64_t{output} * config_.n_vocab * sizeof(float),
                       std::as_writable_bytes(out));
}

}  // namespace

Result<std::unique_ptr<Backend>> create_packed_backend(const model::ModelConfig& config, const BackendLimits& limits,
                                                       DeviceQueue queue, Precision precision, DeviceReport report) {
    auto backend = std::make_unique<PackedBackend>(config, limits, std::move(queue), precision, std::move(report));
    if (auto ok = backend->allocate(); !ok) return ok.error();
    return backend;
}

}  // namespace llmd::compute::packed
