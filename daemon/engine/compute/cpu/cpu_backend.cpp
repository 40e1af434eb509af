#include "engine/compute/cpu/cpu_backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/compute/checks.h"
#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/cpu_memory.h"
#include "engine/compute/cpu/cpu_plan.h"
#include "engine/compute/cpu/cpu_sampler.h"
#include "engine/compute/cpu/cpu_weights.h"
#include "engine/compute/cpu/processor.h"
#include "engine/compute/cpu/worker_pool.h"
#include "engine/compute/page_tables.h"
#include "engine/compute/step_queue.h"

namespace llmd::compute {
namespace {

using base::ErrorCode;
using base::Result;
using model::Operand;
using model::Role;

// Results of a matmul that a worker computes before it goes on with them, so that they are still in its cache.
constexpr uint32_t kCachedResults = 8192;

class CpuBackend final : public Backend {
public:
    CpuBackend(const model::DecoderSpec& spec, const BackendLimits& limits, const CpuKernels& kernels,
               std::unique_ptr<WorkerPool> pool, CpuMemory memory, std::vector<std::string> notes, Precision precision)
        : spec_(spec),
          limits_(limits),
          kernels_(kernels),
          pool_(std::move(pool)),
          memory_(std::move(memory)),
          weights_(spec_),
          pages_(limits),
          sampler_(kernels_, *pool_, spec.n_vocab, limits.most_outputs()) {
        report_.device = base::concat(cpu_name(), ", ", pool_->n_threads(),
                                      pool_->n_threads() == 1 ? " thread, " : " threads, ", kernels.isa);
        report_.precision = kernels_.has_fast ? precision : Precision::Faithful;
        report_.fingerprint =
            base::concat("cpu/", kernels.isa, report_.precision == Precision::Fast ? "/i8, i16 of qkv" : "/i16");
        report_.notes = std::move(notes);
        report_.kv_bytes = memory_.kv.size_bytes();
        report_.working_bytes = CpuMemory::working_bytes(spec, limits, pool_->n_threads());
        report_.is_host_memory = true;
        rows_.reserve(limits.max_rows);
        all_rows_.resize(limits.max_rows);
        std::iota(all_rows_.begin(), all_rows_.end(), 0u);
        sampled_ids_.resize(limits.n_slots);
        outputs_.reserve(limits.most_outputs());
    }

    const DeviceReport& report() const override { return report_; }
    const BackendLimits& limits() const override { return limits_; }

    Result<void> upload(const model::Weight& weight, const OnCopied& on_copied) override;
    Result<void> finish_loading() override;
    Result<void> set_pages(uint32_t slot, std::span<const uint32_t> pages) override { return pages_.set(slot, pages); }

    Result<void> set_window_pages(uint32_t slot, uint32_t first, std::span<const uint32_t> pages) override {
        return pages_.set_window(slot, first, pages);
    }

    uint64_t page_bytes(KvPool pool) const override { return memory_.kv.page_bytes(pool); }
    Result<void> read_page(KvPage page, std::span<std::byte> out) override {
        if (auto checked = check_page(limits_, steps_, page, out.size(), page_bytes(page.pool)); !checked) {
            return checked;
        }
        memory_.kv.read_page(page, out);
        return {};
    }
    Result<void> write_page(KvPage page, std::span<const std::byte> in) override {
        if (auto checked = check_page(limits_, steps_, page, in.size(), page_bytes(page.pool)); !checked) {
            return checked;
        }
        memory_.kv.write_page(page, in);
        return {};
    }

    void discard_pages(KvPool pool, std::span<const uint32_t> pages) override { memory_.kv.discard(pool, pages); }

    // The results of forward() and sample() are there when they return.
    bool is_asynchronous() const override { return false; }
    Result<void> begin(std::span<const Row> rows) override;
    Result<void> forward() override;
    Result<void> sample(std::span<const SampleRequest> requests) override;
    Result<void> submit() override;
    Result<std::span<const Sampled>> wait() override;
    Result<void> read_logits(uint32_t output, std::span<float> out) override;
    Result<void> read_residual(std::span<float> out) override;

private:
    // Computes the fused ops for these rows of the batch; row i of them is row i of every operand but the residual
    // stream.
    void run(std::span<const FusedOp> fused_ops, std::span<const uint32_t> rows);
    void embed();
    void normalise(const FusedOp& fused_op, std::span<const uint32_t> rows);
    void normalise_heads(const model::LayerSpec& layer, const float* weight, float* heads, uint32_t n_heads) const;
    void rotate_and_store(const FusedOp& fused_op);
    void store_key_value(uint32_t layer, uint32_t r, uint32_t worker);
    void attend(uint32_t layer);
    void convolve(const FusedOp& fused_op);
    float attention_scale(const model::LayerSpec& layer, uint32_t position) const;
    // out[r] = w . x[r] for rows [first, first + n) of the part's matrix, then the bias.
    void multiply_rows(const MatmulPart& part, uint32_t first, uint32_t n, const Activations& x, uint32_t n_rows,
                       uint32_t worker, Precision precision) const;
    // Queries, keys and values are computed faithfully in fast precision too: with 8 bits there, some formats would err
    // by more than they may (docs/performance.md, "Fidelity").
    Precision precision_of(const FusedOp& fused_op) const;
    void multiply(const FusedOp& fused_op, uint32_t n_rows);
    // Elements [first, first + n) of what is projected go into the residual stream.
    void add_to_residual(uint32_t r, uint32_t first, uint32_t n) const;
    // Computes the steps that follow the matmul for rows [first, first + n) of the matrix.
    void finish_rows(const FusedOp& fused_op, uint32_t first, uint32_t n, uint32_t n_rows);
    float* row(Operand operand, uint32_t r) const {
        return operand == Operand::Logits ? memory_.logits() + size_t{r} * spec_.n_vocab : memory_.of(operand).row(r);
    }
    size_t stride(Operand operand) const {
        return operand == Operand::Logits ? spec_.n_vocab : memory_.of(operand).stride;
    }

    const model::DecoderSpec spec_;
    const BackendLimits limits_;
    const CpuKernels kernels_;
    const std::unique_ptr<WorkerPool> pool_;
    const CpuMemory memory_;
    DeviceReport report_;
    CpuWeights weights_;
    Rotations rotations_;
    PageTables pages_;
    CpuSampler sampler_;
    std::vector<FusedOp> body_, head_;  // none before the model is loaded

    std::vector<Row> rows_;
    std::vector<uint32_t> all_rows_;  // 0, 1, 2, …
    std::vector<uint32_t> outputs_;   // rows that want output
    StepQueue steps_;
    std::array<std::span<const Sampled>, kMaxStepsInFlight> sampled_;  // by set of the step
    std::vector<int32_t> sampled_ids_;                                 // by slot, the last one; -1: not finite
};

// --- Loading ---------------------------------------------------------------------------------------------------------

Result<void> CpuBackend::upload(const model::Weight& weight, const OnCopied& on_copied) {
    auto added = weights_.add(weight, on_copied);
    report_.weight_bytes = weights_.size_bytes();
    return added;
}

Result<void> CpuBackend::finish_loading() {
    if (auto complete = weights_.check_complete(); !complete) return complete;
    const float* factors = weights_.vector(model::rope_factors_role(spec_, limits_.n_ctx));
    auto rotations = Rotations::create(spec_, limits_.max_rows, {factors, factors == nullptr ? 0 : spec_.n_rot() / 2});
    if (!rotations) return rotations.error();
    rotations_ = std::move(*rotations);
    const auto operations = model::derive_operations(spec_);
    auto head = lower_to_fused_ops(model::head_operations(operations), weights_);
    if (!head) return head.error();
    auto body = lower_to_fused_ops(model::body_operations(operations), weights_);
    if (!body) return body.error();
    head_ = std::move(*head);
    body_ = std::move(*body);
    return {};
}

// --- One step --------------------------------------------------------------------------------------------------------

Result<void> CpuBackend::begin(std::span<const Row> rows) {
    if (body_.empty()) return base::fail(ErrorCode::InvalidArgument, "a batch before the model is loaded");
    if (auto checked = check_rows(spec_, limits_, rows); !checked) return checked;
    if (auto checked = steps_.check_begin(); !checked) return checked;
    if (auto begun = pages_.begin(rows); !begun) return begun;
    for (uint32_t r = 0; r < rows.size(); ++r) {
        if (rows[r].wants_output) outputs_.push_back(r);
    }
    rows_.assign(rows.begin(), rows.end());
    const Step& step = steps_.begin(static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(outputs_.size()));
    sampled_[step.set] = {};
    return {};
}

Result<void> CpuBackend::forward() {
    if (auto step = steps_.mark_computed(); !step) return step.error();
    run(body_, std::span(all_rows_).first(rows_.size()));
    return {};
}

void CpuBackend::run(std::span<const FusedOp> fused_ops, std::span<const uint32_t> rows) {
    for (const FusedOp& fused_op : fused_ops) {
        switch (fused_op.kind) {
            case FusedOp::Kind::Embed:
                embed();
                break;
            case FusedOp::Kind::Norm:
                normalise(fused_op, rows);
                break;
            case FusedOp::Kind::Matmul:
            case FusedOp::Kind::MatmulAdd:
            case FusedOp::Kind::MatmulActivate:
                multiply(fused_op, static_cast<uint32_t>(rows.size()));
                break;
            case FusedOp::Kind::Add:
                for (uint32_t r = 0; r < rows.size(); ++r) add_to_residual(r, 0, spec_.n_embd);
                break;
            case FusedOp::Kind::RotateStore:
                rotate_and_store(fused_op);
                break;
            case FusedOp::Kind::Attend:
                attend(fused_op.layer);
                break;
            case FusedOp::Kind::Convolve:
                convolve(fused_op);
                break;
        }
    }
}

void CpuBackend::embed() {
    const Matrix& tokens = *weights_.matrix(Role::TokenEmbedding);
    const Matrix* positions = weights_.matrix(Role::PositionEmbedding);
    pool_->run(static_cast<uint32_t>(rows_.size()), [&](uint32_t r, uint32_t worker) {
        rotations_.compute(r, rows_[r].position);
        float* x = row(Operand::Residual, r);
        const int32_t token = rows_[r].token == kSampledToken ? sampled_ids_[rows_[r].slot] : rows_[r].token;
        if (token < 0) {
            std::fill_n(x, spec_.n_embd, std::numeric_limits<float>::quiet_NaN());
            return;
        }
        dequantize_row(tokens, static_cast<uint32_t>(token), memory_.scratch(worker), x);
        if (spec_.embedding_scale != 1) {
            for (uint32_t i = 0; i < spec_.n_embd; ++i) x[i] *= spec_.embedding_scale;
        }
        if (positions == nullptr) return;
        float* p = memory_.scratch(worker);
        dequantize_row(*positions, rows_[r].position, memory_.scratch(worker), p);
        for (uint32_t i = 0; i < spec_.n_embd; ++i) x[i] += p[i];
    });
}

void CpuBackend::normalise(const FusedOp& fused_op, std::span<const uint32_t> rows) {
    pool_->run(static_cast<uint32_t>(rows.size()), [&](uint32_t r, uint32_t) {
        kernels_.norm(spec_.norm, spec_.norm_eps, row(fused_op.in, rows[r]), fused_op.norm_weight, fused_op.norm_bias,
                      spec_.n_embd, row(fused_op.out, fused_op.out == Operand::Normed ? r : rows[r]));
    });
}

void CpuBackend::multiply_rows(const MatmulPart& part, uint32_t first, uint32_t n, const Activations& x,
                               uint32_t n_rows, uint32_t worker, Precision precision) const {
    float* out = row(part.out, 0) + first;
    const size_t out_stride = stride(part.out);
    if (part.matrix->is_packed) {
        kernels_.multiply_packed[static_cast<size_t>(precision)](*part.matrix, first, n,
                                                                 memory_.quantized.as<uint8_t>(),
                                                                 quantized_stride(x.stride), n_rows, out, out_stride);
    } else {
        kernels_.multiply(*part.matrix, first, n, x.row(0), x.stride, n_rows, out, out_stride, memory_.scratch(worker));
    }
    const float scale = part.out == Operand::Logits ? spec_.logit_scale : 1;
    const float cap = part.out == Operand::Logits ? spec_.logit_cap : 0;
    if (part.bias == nullptr && scale == 1 && cap == 0) return;
    for (uint32_t r = 0; r < n_rows; ++r, out += out_stride) {
        if (part.bias != nullptr) {
            for (uint32_t i = 0; i < n; ++i) out[i] += part.bias[first + i];
        }
        if (scale != 1) {
            for (uint32_t i = 0; i < n; ++i) out[i] *= scale;
        }
        if (cap != 0) {
            for (uint32_t i = 0; i < n; ++i) out[i] = cap * std::tanh(out[i] / cap);
        }
    }
}

Precision CpuBackend::precision_of(const FusedOp& fused_op) const {
    const bool makes_qkv = std::any_of(fused_op.parts.begin(), fused_op.parts.end(), [](const MatmulPart& part) {
        return part.out == Operand::Query || part.out == Operand::Key || part.out == Operand::Value;
    });
    return makes_qkv ? Precision::Faithful : report_.precision;
}

void CpuBackend::multiply(const FusedOp& fused_op, uint32_t n_rows) {
    const bool is_joint = fused_op.kind == FusedOp::Kind::MatmulActivate;
    const Activations& x = memory_.of(fused_op.in);
    const std::span<const MatmulPart> parts = fused_op.parts;
    const Precision precision = precision_of(fused_op);
    const bool multiplies_integers =
        std::any_of(parts.begin(), parts.end(), [](const MatmulPart& part) { return part.matrix->is_packed; });
    pool_->run(multiplies_integers ? n_rows : 0, [&](uint32_t r, uint32_t) {
        kernels_.quantize_activations[static_cast<size_t>(precision)](x.row(r), static_cast<uint32_t>(x.stride), r,
                                                                      n_rows, memory_.quantized.as<uint8_t>(),
                                                                      quantized_stride(x.stride));
    });
    // An item is kPackedRows rows of a part, or of all parts where they are computed together.
    const auto groups_of = [](const MatmulPart& part) { return (part.matrix->rows + kPackedRows - 1) / kPackedRows; };
    uint32_t n_groups = 0;
    for (const MatmulPart& part : parts) n_groups = is_joint ? groups_of(part) : n_groups + groups_of(part);
    const uint32_t most = std::max(kCachedResults / std::max(n_rows, 1u) / kPackedRows, 1u);
    pool_->run_ranges(n_rows == 0 ? 0 : n_groups, most, [&](uint32_t item, uint32_t n_items, uint32_t worker) {
        const MatmulPart* part = parts.data();
        while (n_items > 0) {
            while (!is_joint && item >= groups_of(*part)) item -= groups_of(*part++);
            const uint32_t n_here = std::min(n_items, groups_of(*part) - item);
            const uint32_t first = item * kPackedRows;
            const uint32_t n = std::min(n_here * kPackedRows, part->matrix->rows - first);
            for (const MatmulPart& one : is_joint ? parts : std::span(part, 1)) {
                multiply_rows(one, first, n, x, n_rows, worker, precision);
            }
            finish_rows(fused_op, first, n, n_rows);
            item += n_here;
            n_items -= n_here;
        }
    });
}

void CpuBackend::finish_rows(const FusedOp& fused_op, uint32_t first, uint32_t n, uint32_t n_rows) {
    for (uint32_t r = 0; r < n_rows; ++r) {
        if (fused_op.kind == FusedOp::Kind::MatmulActivate) {
            kernels_.activate(spec_.activation, row(Operand::Gate, r) + first, row(Operand::Up, r) + first, n);
        } else if (fused_op.kind == FusedOp::Kind::MatmulAdd) {
            add_to_residual(r, first, n);
        }
    }
}

void CpuBackend::add_to_residual(uint32_t r, uint32_t first, uint32_t n) const {
    float* x = row(Operand::Residual, r);
    const float* y = row(Operand::Projected, r);
    const float scale = spec_.residual_scale;
    for (uint32_t i = first; i < first + n; ++i) x[i] += scale * y[i];
}

void CpuBackend::normalise_heads(const model::LayerSpec& layer, const float* weight, float* heads,
                                 uint32_t n_heads) const {
    if (weight == nullptr) return;
    const bool is_whole = layer.qk_norm == model::QkNorm::Row;
    const uint32_t width = is_whole ? n_heads * layer.head_dim : layer.head_dim;
    for (uint32_t head = 0; head < (is_whole ? 1 : n_heads); ++head, heads += width) {
        kernels_.norm(model::Norm::RmsNorm, spec_.norm_eps, heads, weight, nullptr, width, heads);
    }
}

void CpuBackend::rotate_and_store(const FusedOp& fused_op) {
    const model::LayerSpec& layer = spec_.layers[fused_op.layer];
    pool_->run(static_cast<uint32_t>(rows_.size()), [&](uint32_t r, uint32_t worker) {
        const auto normalise_both = [&] {
            normalise_heads(layer, fused_op.query_weight, row(Operand::Query, r), layer.n_heads);
            normalise_heads(layer, fused_op.key_weight, row(Operand::Key, r), layer.n_kv_heads);
        };
        if (!layer.norms_after_rotation) normalise_both();
        rotations_.rotate(layer, r, row(Operand::Query, r), layer.n_heads);
        rotations_.rotate(layer, r, row(Operand::Key, r), layer.n_kv_heads);
        if (layer.norms_after_rotation) normalise_both();
        store_key_value(fused_op.layer, r, worker);
    });
}

void CpuBackend::store_key_value(uint32_t layer, uint32_t r, uint32_t worker) {
    const model::LayerSpec& of = spec_.layers[layer];
    const Row& batch_row = rows_[r];
    const uint32_t page = pages_.of(batch_row.slot, limits_.pool_of(of))[batch_row.position / kPageTokens];
    auto* k = reinterpret_cast<uint16_t*>(memory_.scratch(worker));
    uint16_t* v = k + of.kv_rows();
    kernels_.to_halves(row(Operand::Key, r), of.kv_rows(), k);
    kernels_.to_halves(row(Operand::Value, r), of.kv_rows(), v);
    memory_.kv.store(layer, page, batch_row.position % kPageTokens, of.n_kv_heads, k, v);
}

float CpuBackend::attention_scale(const model::LayerSpec& layer, uint32_t position) const {
    const float scale = layer.scale_of_scores();
    if (spec_.temperature_slope == 0) return scale;
    const uint32_t contexts = position / spec_.temperature_context;
    return scale * (1 + spec_.temperature_slope * std::log(1 + static_cast<float>(contexts)));
}

void CpuBackend::attend(uint32_t layer) {
    const model::LayerSpec& of = spec_.layers[layer];
    const uint32_t n_kv_heads = of.n_kv_heads;
    const uint32_t width = of.heads_per_kv() * of.head_dim;
    pool_->run(static_cast<uint32_t>(rows_.size()) * n_kv_heads, [&](uint32_t item, uint32_t worker) {
        const uint32_t r = item / n_kv_heads, kv_head = item % n_kv_heads;
        AttendItem a;
        a.q = row(Operand::Query, r) + size_t{kv_head} * width;
        a.out = row(Operand::Attended, r) + size_t{kv_head} * width;
        a.n_heads = of.heads_per_kv();
        a.head_dim = of.head_dim;
        a.scale = attention_scale(of, rows_[r].position);
        a.n_positions = rows_[r].position + 1;
        a.first_position = of.first_seen(rows_[r].position);
        a.score_cap = of.score_cap;
        a.pages = pages_.of(rows_[r].slot, limits_.pool_of(of)).data();
        a.keys = memory_.kv.keys(layer, 0, kv_head);
        a.values = memory_.kv.values(layer, 0, kv_head);
        a.key_page_stride = memory_.kv.key_page(layer);
        a.value_page_stride = memory_.kv.value_page(layer);
        a.value_dim = memory_.kv.value_dim(layer);
        a.scratch = memory_.scratch(worker);
        kernels_.attend(a);
    });
}

void CpuBackend::convolve(const FusedOp& fused_op) {
    const uint32_t n = spec_.n_embd, n_taps = spec_.layers[fused_op.layer].window;
    const auto products = [&](const Row& of, uint32_t position) {
        const auto pages = pages_.of(of.slot, limits_.pool_of(spec_.layers[fused_op.layer]));
        return memory_.kv.products(fused_op.layer, pages[position / kPageTokens]) + size_t{position % kPageTokens} * n;
    };
    pool_->run(static_cast<uint32_t>(rows_.size()), [&](uint32_t r, uint32_t) {
        const float *key = row(Operand::Key, r), *value = row(Operand::Value, r);
        float* product = products(rows_[r], rows_[r].position);
        for (uint32_t i = 0; i < n; ++i) product[i] = key[i] * value[i];
    });
    pool_->run(static_cast<uint32_t>(rows_.size()), [&](uint32_t r, uint32_t) {
        const uint32_t position = rows_[r].position;
        const float* query = row(Operand::Query, r);
        float* out = row(Operand::Attended, r);
        std::fill_n(out, n, 0.0f);
        for (uint32_t back = std::min(n_taps - 1, position) + 1; back-- > 0;) {
            const float* product = products(rows_[r], position - back);
            const float* tap = fused_op.taps + (n_taps - 1 - back);
            for (uint32_t i = 0; i < n; ++i) out[i] += tap[size_t{i} * n_taps] * product[i];
        }
        for (uint32_t i = 0; i < n; ++i) out[i] *= query[i];
    });
}

// --- Output ----------------------------------------------------------------------------------------------------------

Result<void> CpuBackend::sample(std::span<const SampleRequest> requests) {
    const auto step = steps_.computed();
    if (!step) return step.error();
    if (auto checked = check_requests(spec_, **step, requests); !checked) return checked;
    run(head_, outputs_);
    sampled_[(*step)->set] = sampler_.sample(requests, memory_.logits());
    for (uint32_t i = 0; i < requests.size(); ++i) {
        sampled_ids_[rows_[outputs_[i]].slot] = sampled_[(*step)->set][i].id;
    }
    (*step)->is_sampled = true;
    pages_.mark_sampled();
    return {};
}

Result<void> CpuBackend::submit() {
    if (auto submitted = steps_.submit(); !submitted) return submitted;
    rows_.clear();
    outputs_.clear();
    return {};
}

Result<std::span<const Sampled>> CpuBackend::wait() {
    const auto step = steps_.wait();
    if (!step) return step.error();
    return sampled_[step->set];
}

Result<void> CpuBackend::read_logits(uint32_t output, std::span<float> out) {
    if (auto checked = check_logits_read(spec_, steps_.readable_outputs(), output, out.size()); !checked) {
        return checked;
    }
    const float* row = memory_.logits() + size_t{output} * spec_.n_vocab;
    std::copy(row, row + spec_.n_vocab, out.begin());
    return {};
}

Result<void> CpuBackend::read_residual(std::span<float> out) {
    const uint32_t n_rows = steps_.readable_rows();
    if (auto checked = check_residual_read(spec_, n_rows, out.size()); !checked) return checked;
    for (uint32_t r = 0; r < n_rows; ++r) {
        std::copy_n(row(Operand::Residual, r), spec_.n_embd, &out[size_t{r} * spec_.n_embd]);
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Backend>> create_cpu_backend(const model::DecoderSpec& spec, const BackendLimits& limits,
                                                    uint32_t n_threads, std::vector<std::string> notes,
                                                    Precision precision) {
    if (auto ok = check_limits(spec, limits); !ok) return ok.error();
    if (n_threads > kMaxThreads) {
        return base::fail(ErrorCode::InvalidArgument, "threads: ", n_threads, " is more than ", kMaxThreads);
    }
    auto pool = WorkerPool::create(n_threads == 0 ? count_performance_cores() : n_threads);
    if (!pool) return pool.error();
    auto memory = CpuMemory::allocate(spec, limits, (*pool)->n_threads());
    if (!memory) return memory.error();
    return std::make_unique<CpuBackend>(spec, limits, chosen_cpu_kernels(), std::move(*pool), std::move(*memory),
                                        std::move(notes), precision);
}

}  // namespace llmd::compute
