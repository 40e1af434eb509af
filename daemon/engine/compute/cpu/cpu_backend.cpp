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
#include "engine/compute/cpu/cpu_sampler.h"
#include "engine/compute/cpu/cpu_weights.h"
#include "engine/compute/cpu/processor.h"
#include "engine/compute/cpu/worker_pool.h"
#include "engine/compute/decode.h"
#include "engine/compute/page_tables.h"

namespace llmd::compute {
namespace {

using base::ErrorCode;
using base::Result;
using model::Role;

// Results of a matmul that a worker computes before it goes on with them, so that they are still in its cache.
constexpr uint32_t kCachedResults = 8192;

// out[r] = matrix x[r] (+ bias)
struct MatmulPart {
    const Matrix* matrix = nullptr;
    const float* bias = nullptr;  // null: none
    const Activations* out = nullptr;
};

// The use that a worker makes of some rows of a matmul's results while they are in its cache.
enum class Epilogue : uint8_t {
    None,
    AddToResidual,  // what is projected
    Activate,       // of all parts the same rows are computed, by pairs of gate and up
    ScaleLogits,
};

class CpuBackend final : public Backend, private Steps {
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
    // decode()'s, each done by all workers when it returns.
    Result<void> embed(const Reader& next) override;
    Result<void> make_qkv(uint32_t layer) override;
    Result<void> attend(uint32_t layer) override;
    Result<void> convolve(uint32_t layer) override;
    Result<void> feed_forward(uint32_t layer) override;
    Result<void> add_to_residual(Role matrix, uint32_t layer, const Reader& next) override;

    uint32_t n_rows() const { return static_cast<uint32_t>(rows_.size()); }
    std::span<const uint32_t> all_rows() const { return std::span(all_rows_).first(rows_.size()); }
    // The page table of a row's sequence.
    std::span<const uint32_t> pages(uint32_t layer, uint32_t r) const {
        return pages_.of(rows_[r].slot, limits_.pool_of(spec_.layers[layer]));
    }
    MatmulPart part(Role matrix, uint32_t layer, const Activations& out) const;
    // Gives the input of a matrix that reads the residual stream: row i of it is of row rows[i].
    const Activations& normalise(Role matrix, uint32_t layer, std::span<const uint32_t> rows);
    void normalise_heads(const model::LayerSpec& layer, const float* weight, float* heads, uint32_t n_heads) const;
    void multiply_qkv(uint32_t layer);
    float attention_scale(const model::LayerSpec& layer, uint32_t position) const;
    void multiply(std::span<const MatmulPart> parts, const Activations& x, uint32_t n_rows, Precision precision,
                  Epilogue epilogue);
    // out[r] = w . x[r] for rows [first, first + n) of the part's matrix, then the bias.
    void multiply_rows(const MatmulPart& part, uint32_t first, uint32_t n, const Activations& x, uint32_t n_rows,
                       uint32_t worker, Precision precision) const;
    void finish_rows(Epilogue epilogue, uint32_t first, uint32_t n, uint32_t n_rows) const;
    // Elements [first, first + n) of what is projected go into the residual stream.
    void add_projected(uint32_t r, uint32_t first, uint32_t n) const;

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
    bool is_loaded_ = false;

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
    is_loaded_ = true;
    return {};
}

// --- One step --------------------------------------------------------------------------------------------------------

Result<void> CpuBackend::begin(std::span<const Row> rows) {
    if (!is_loaded_) return base::fail(ErrorCode::InvalidArgument, "a batch before the model is loaded");
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
    return decode(spec_, *this);
}

Result<void> CpuBackend::embed(const Reader&) {
    const Matrix& tokens = *weights_.matrix(Role::TokenEmbedding);
    const Matrix* positions = weights_.matrix(Role::PositionEmbedding);
    pool_->run(n_rows(), [&](uint32_t r, uint32_t worker) {
        rotations_.compute(r, rows_[r].position);
        float* x = memory_.residual.row(r);
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
    return {};
}

const Activations& CpuBackend::normalise(Role matrix, uint32_t layer, std::span<const uint32_t> rows) {
    const auto norm = model::norm_before(matrix, spec_);
    if (!norm) return memory_.residual;
    const float *weight = weights_.vector(*norm, layer), *bias = weights_.vector(*model::bias_of(*norm), layer);
    pool_->run(static_cast<uint32_t>(rows.size()), [&](uint32_t i, uint32_t) {
        kernels_.norm(spec_.norm, spec_.norm_eps, memory_.residual.row(rows[i]), weight, bias, spec_.n_embd,
                      memory_.normed.row(i));
    });
    return memory_.normed;
}

MatmulPart CpuBackend::part(Role matrix, uint32_t layer, const Activations& out) const {
    const auto bias = model::bias_of(matrix);
    return {weights_.matrix(matrix, layer), bias ? weights_.vector(*bias, layer) : nullptr, &out};
}

void CpuBackend::multiply_rows(const MatmulPart& part, uint32_t first, uint32_t n, const Activations& x,
                               uint32_t n_rows, uint32_t worker, Precision precision) const {
    float* out = part.out->row(0) + first;
    const size_t out_stride = part.out->stride;
    if (part.matrix->is_packed) {
        kernels_.multiply_packed[static_cast<size_t>(precision)](*part.matrix, first, n,
                                                                 memory_.quantized.as<uint8_t>(),
                                                                 quantized_stride(x.stride), n_rows, out, out_stride);
    } else {
        kernels_.multiply(*part.matrix, first, n, x.row(0), x.stride, n_rows, out, out_stride, memory_.scratch(worker));
    }
    if (part.bias == nullptr) return;
    for (uint32_t r = 0; r < n_rows; ++r, out += out_stride) {
        for (uint32_t i = 0; i < n; ++i) out[i] += part.bias[first + i];
    }
}

void CpuBackend::multiply(std::span<const MatmulPart> parts, const Activations& x, uint32_t n_rows, Precision precision,
                          Epilogue epilogue) {
    const bool is_joint = epilogue == Epilogue::Activate;
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
            const uint32_t n_here = std::min(n_items, groups_of(*part) - item), first = item * kPackedRows;
            const uint32_t n = std::min(n_here * kPackedRows, part->matrix->rows - first);
            for (const MatmulPart& one : std::span(part, is_joint ? parts.size() : 1)) {
                multiply_rows(one, first, n, x, n_rows, worker, precision);
            }
            finish_rows(epilogue, first, n, n_rows);
            item += n_here;
            n_items -= n_here;
        }
    });
}

void CpuBackend::finish_rows(Epilogue epilogue, uint32_t first, uint32_t n, uint32_t n_rows) const {
    for (uint32_t r = 0; r < n_rows; ++r) {
        if (epilogue == Epilogue::Activate) {
            kernels_.activate(spec_.activation, memory_.gate.row(r) + first, memory_.up.row(r) + first, n);
        } else if (epilogue == Epilogue::AddToResidual) {
            add_projected(r, first, n);
        } else if (epilogue == Epilogue::ScaleLogits) {
            float* logits = memory_.logits.row(r) + first;
            const float scale = spec_.logit_scale, cap = spec_.logit_cap;
            for (uint32_t i = 0; scale != 1 && i < n; ++i) logits[i] *= scale;
            for (uint32_t i = 0; cap != 0 && i < n; ++i) logits[i] = cap * std::tanh(logits[i] / cap);
        }
    }
}

Result<void> CpuBackend::add_to_residual(Role matrix, uint32_t layer, const Reader&) {
    const auto norm = model::norm_behind(matrix, spec_);
    const MatmulPart projection = part(matrix, layer, memory_.projected);
    multiply({&projection, 1}, matrix == Role::FfnDown ? memory_.up : memory_.attended, n_rows(), report_.precision,
             norm ? Epilogue::None : Epilogue::AddToResidual);
    if (!norm) return {};
    pool_->run(n_rows(), [&, weight = weights_.vector(*norm, layer)](uint32_t r, uint32_t) {
        float* y = memory_.projected.row(r);
        kernels_.norm(spec_.norm, spec_.norm_eps, y, weight, nullptr, spec_.n_embd, y);
        add_projected(r, 0, spec_.n_embd);
    });
    return {};
}

void CpuBackend::add_projected(uint32_t r, uint32_t first, uint32_t n) const {
    float* x = memory_.residual.row(r);
    const float* y = memory_.projected.row(r);
    const float scale = spec_.residual_scale;
    for (uint32_t i = first; i < first + n; ++i) x[i] += scale * y[i];
}

Result<void> CpuBackend::feed_forward(uint32_t layer) {
    const Activations& x = normalise(Role::FfnUp, layer, all_rows());
    const MatmulPart gate_and_up[] = {part(Role::FfnGate, layer, memory_.gate), part(Role::FfnUp, layer, memory_.up)};
    const auto parts = std::span(gate_and_up).last(model::is_gated(spec_.activation) ? 2 : 1);
    multiply(parts, x, n_rows(), report_.precision, Epilogue::Activate);
    return {};
}

void CpuBackend::multiply_qkv(uint32_t layer) {
    // Faithfully in fast precision too: with 8 bits here, some formats would err by more than they may
    // (docs/performance.md, "Fidelity").
    const MatmulPart parts[] = {part(Role::AttnQ, layer, memory_.query), part(Role::AttnK, layer, memory_.key),
                                part(Role::AttnV, layer, memory_.value)};
    multiply(parts, normalise(Role::AttnQ, layer, all_rows()), n_rows(), Precision::Faithful, Epilogue::None);
}

void CpuBackend::normalise_heads(const model::LayerSpec& layer, const float* weight, float* heads,
                                 uint32_t n_heads) const {
    if (weight == nullptr) return;
    const uint32_t n = n_heads * layer.head_dim, width = layer.qk_norm == model::QkNorm::Row ? n : layer.head_dim;
    for (const float* end = heads + n; heads != end; heads += width) {
        kernels_.norm(model::Norm::RmsNorm, spec_.norm_eps, heads, weight, nullptr, width, heads);
    }
}

Result<void> CpuBackend::make_qkv(uint32_t layer) {
    multiply_qkv(layer);
    const model::LayerSpec& of = spec_.layers[layer];
    pool_->run(n_rows(), [&](uint32_t r, uint32_t worker) {
        float *query = memory_.query.row(r), *key = memory_.key.row(r);
        const auto normalise_both = [&] {
            normalise_heads(of, weights_.vector(Role::AttnQNorm, layer), query, of.n_heads);
            normalise_heads(of, weights_.vector(Role::AttnKNorm, layer), key, of.n_kv_heads);
        };
        if (!of.norms_after_rotation) normalise_both();
        rotations_.rotate(of, r, query, of.n_heads);
        rotations_.rotate(of, r, key, of.n_kv_heads);
        if (of.norms_after_rotation) normalise_both();
        auto* k = reinterpret_cast<uint16_t*>(memory_.scratch(worker));
        uint16_t* v = k + of.kv_rows();
        kernels_.to_halves(key, of.kv_rows(), k);
        kernels_.to_halves(memory_.value.row(r), of.kv_rows(), v);
        const uint32_t position = rows_[r].position;
        memory_.kv.store(layer, pages(layer, r)[position / kPageTokens], position % kPageTokens, of.n_kv_heads, k, v);
    });
    return {};
}

float CpuBackend::attention_scale(const model::LayerSpec& layer, uint32_t position) const {
    const float scale = layer.scale_of_scores();
    if (spec_.temperature_slope == 0) return scale;
    const uint32_t contexts = position / spec_.temperature_context;
    return scale * (1 + spec_.temperature_slope * std::log(1 + static_cast<float>(contexts)));
}

Result<void> CpuBackend::attend(uint32_t layer) {
    const model::LayerSpec& of = spec_.layers[layer];
    const uint32_t n_kv_heads = of.n_kv_heads;
    const uint32_t width = of.heads_per_kv() * of.head_dim;
    pool_->run(n_rows() * n_kv_heads, [&](uint32_t item, uint32_t worker) {
        const uint32_t r = item / n_kv_heads, kv_head = item % n_kv_heads;
        AttendItem a;
        a.q = memory_.query.row(r) + size_t{kv_head} * width;
        a.out = memory_.attended.row(r) + size_t{kv_head} * width;
        a.n_heads = of.heads_per_kv();
        a.head_dim = of.head_dim;
        a.scale = attention_scale(of, rows_[r].position);
        a.n_positions = rows_[r].position + 1;
        a.first_position = of.first_seen(rows_[r].position);
        a.score_cap = of.score_cap;
        a.pages = pages(layer, r).data();
        a.keys = memory_.kv.keys(layer, 0, kv_head);
        a.values = memory_.kv.values(layer, 0, kv_head);
        a.key_page_stride = memory_.kv.key_page(layer);
        a.value_page_stride = memory_.kv.value_page(layer);
        a.value_dim = memory_.kv.value_dim(layer);
        a.scratch = memory_.scratch(worker);
        kernels_.attend(a);
    });
    return {};
}

Result<void> CpuBackend::convolve(uint32_t layer) {
    multiply_qkv(layer);
    const uint32_t n = spec_.n_embd, n_taps = spec_.layers[layer].window;
    const float* taps = weights_.vector(Role::ConvTaps, layer);
    const auto products = [&](uint32_t r, uint32_t position) {
        return memory_.kv.products(layer, pages(layer, r)[position / kPageTokens]) + size_t{position % kPageTokens} * n;
    };
    pool_->run(n_rows(), [&](uint32_t r, uint32_t) {
        const float *key = memory_.key.row(r), *value = memory_.value.row(r);
        float* product = products(r, rows_[r].position);
        for (uint32_t i = 0; i < n; ++i) product[i] = key[i] * value[i];
    });
    pool_->run(n_rows(), [&](uint32_t r, uint32_t) {
        const uint32_t position = rows_[r].position;
        const float* query = memory_.query.row(r);
        float* out = memory_.attended.row(r);
        std::fill_n(out, n, 0.0f);
        for (uint32_t back = std::min(n_taps - 1, position) + 1; back-- > 0;) {
            const float* product = products(r, position - back);
            const float* tap = taps + (n_taps - 1 - back);
            for (uint32_t i = 0; i < n; ++i) out[i] += tap[size_t{i} * n_taps] * product[i];
        }
        for (uint32_t i = 0; i < n; ++i) out[i] *= query[i];
    });
    return {};
}

// --- Output ----------------------------------------------------------------------------------------------------------

Result<void> CpuBackend::sample(std::span<const SampleRequest> requests) {
    const auto step = steps_.computed();
    if (!step) return step.error();
    if (auto checked = check_requests(spec_, **step, requests); !checked) return checked;
    const MatmulPart output = part(Role::Output, 0, memory_.logits);
    multiply({&output, 1}, normalise(Role::Output, 0, outputs_), static_cast<uint32_t>(outputs_.size()),
             report_.precision, Epilogue::ScaleLogits);
    sampled_[(*step)->set] = sampler_.sample(requests, memory_.logits.row(0));
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
    std::copy_n(memory_.logits.row(output), spec_.n_vocab, out.begin());
    return {};
}

Result<void> CpuBackend::read_residual(std::span<float> out) {
    const uint32_t n_rows = steps_.readable_rows();
    if (auto checked = check_residual_read(spec_, n_rows, out.size()); !checked) return checked;
    for (uint32_t r = 0; r < n_rows; ++r) {
        std::copy_n(memory_.residual.row(r), spec_.n_embd, &out[size_t{r} * spec_.n_embd]);
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
