#include "engine/compute/cpu/cpu_backend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/compute/checks.h"
#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/cpu_memory.h"
#include "engine/compute/cpu/cpu_sampler.h"
#include "engine/compute/cpu/cpu_topology.h"
#include "engine/compute/cpu/cpu_weights.h"
#include "engine/compute/cpu/packed_rows.h"
#include "engine/compute/cpu/rotary_table.h"
#include "engine/compute/cpu/worker_pool.h"
#include "engine/compute/page_tables.h"
#include "engine/compute/step_queue.h"

namespace llmd::compute {
namespace {

using base::ErrorCode;
using base::Result;
using model::Role;

// One matrix of a fused product: out[r][i] = w[i] . x[r].
struct Product {
    const Matrix* matrix;
    float* out;
    size_t out_stride;
};

class CpuBackend final : public Backend {
public:
    CpuBackend(const model::ModelConfig& config, const BackendLimits& limits, const CpuKernels& kernels,
               std::unique_ptr<WorkerPool> pool, CpuMemory memory, std::vector<std::string> notes)
        : config_(config),
          limits_(limits),
          kernels_(kernels),
          pool_(std::move(pool)),
          memory_(std::move(memory)),
          weights_(config_),
          pages_(limits),
          sampler_(kernels_, *pool_, config.n_vocab, limits.max_outputs) {
        report_.backend = "cpu";
        report_.device = base::concat(cpu_name(), ", ", pool_->n_threads(),
                                      pool_->n_threads() == 1 ? " thread, " : " threads, ", kernels.isa);
        report_.profile = base::concat("cpu/", kernels.isa, "/i16");
        report_.notes = std::move(notes);
        report_.kv_bytes = memory_.kv.size_bytes();
        rows_.reserve(limits.max_rows);
        sampled_ids_.resize(limits.n_slots);
        outputs_.reserve(limits.max_outputs);
    }

    const DeviceReport& report() const override { return report_; }
    const BackendLimits& limits() const override { return limits_; }

    Result<void> upload(const model::Weight& weight) override;
    Result<void> finish_loading() override;
    Result<void> set_pages(uint32_t slot, std::span<const uint32_t> pages) override { return pages_.set(slot, pages); }

    uint64_t page_bytes() const override { return memory_.kv.page_bytes(); }
    Result<void> read_page(uint32_t page, std::span<std::byte> out) override {
        if (auto checked = check_page(limits_, steps_, page, out.size(), page_bytes()); !checked) return checked;
        memory_.kv.read_page(page, out);
        return {};
    }
    Result<void> write_page(uint32_t page, std::span<const std::byte> in) override {
        if (auto checked = check_page(limits_, steps_, page, in.size(), page_bytes()); !checked) return checked;
        memory_.kv.write_page(page, in);
        return {};
    }

    void discard_pages(std::span<const uint32_t> pages) override { memory_.kv.discard(pages); }

    // Each verb is done when it returns.
    bool is_asynchronous() const override { return false; }
    Result<void> begin(std::span<const Row> rows) override;
    Result<void> embed() override;
    Result<void> norm_qkv(uint32_t layer) override;
    Result<void> attend(uint32_t layer) override;
    Result<void> attend_output(uint32_t layer) override;
    Result<void> norm_up(uint32_t layer) override;
    Result<void> down(uint32_t layer) override;
    Result<void> head() override;
    Result<void> sample(std::span<const SampleRequest> requests) override;
    Result<void> submit() override;
    Result<std::span<const Sampled>> wait() override;
    Result<void> read_logits(uint32_t output, std::span<float> out) override;
    Result<void> read_residual(std::span<float> out) override;

private:
    uint32_t n_rows() const { return static_cast<uint32_t>(rows_.size()); }
    // out[r] = w . x[r] for rows [first, first + n) of w.
    void multiply_rows(const Product& product, uint32_t first, uint32_t n, const Activations& x, uint32_t n_columns,
                       uint32_t worker) const;
    // after(first, n, part, worker) runs when rows [first, first + n) of products[part] are there for every column.
    template <size_t N, typename After>
    void multiply(const std::array<Product, N>& products, const Activations& x, uint32_t n_columns, const After& after);
    void normalise(Role weight, Role bias, uint32_t layer, const float* x, float* out) const;
    void store_key_value(uint32_t layer, uint32_t r, uint32_t worker);
    // x += y + bias
    void add_to_x(const float* bias, uint32_t first, uint32_t n);

    const model::ModelConfig config_;
    const BackendLimits limits_;
    const CpuKernels kernels_;
    const std::unique_ptr<WorkerPool> pool_;
    const CpuMemory memory_;
    DeviceReport report_;
    CpuWeights weights_;
    RotaryTable rotary_;
    PageTables pages_;
    CpuSampler sampler_;
    bool loaded_ = false;

    std::vector<Row> rows_;
    std::vector<uint32_t> outputs_;  // rows that want output
    StepQueue steps_;
    std::array<std::span<const Sampled>, kMaxStepsInFlight> sampled_;  // by set of the step
    std::vector<int32_t> sampled_ids_;                                 // by slot, the last one; -1: not finite
};

// --- Loading ---------------------------------------------------------------------------------------------------------

Result<void> CpuBackend::upload(const model::Weight& weight) {
    auto added = weights_.add(weight);
    report_.weight_bytes = weights_.size_bytes();
    return added;
}

Result<void> CpuBackend::finish_loading() {
    if (auto complete = weights_.check_complete(); !complete) return complete;
    const float* factors = weights_.vector(Role::RopeFactors);
    auto rotary = RotaryTable::create(config_, limits_.n_ctx, {factors, factors == nullptr ? 0 : config_.n_rot / 2});
    if (!rotary) return rotary.error();
    rotary_ = std::move(*rotary);
    loaded_ = true;
    return {};
}

// --- One step --------------------------------------------------------------------------------------------------------

Result<void> CpuBackend::begin(std::span<const Row> rows) {
    if (!loaded_) return base::fail(ErrorCode::InvalidArgument, "a batch before the model is loaded");
    if (auto checked = check_rows(config_, limits_, rows); !checked) return checked;
    if (auto checked = steps_.check_begin(); !checked) return checked;
    if (auto begun = pages_.begin(rows); !begun) return begun;
    for (uint32_t r = 0; r < rows.size(); ++r) {
        if (rows[r].wants_output) outputs_.push_back(r);
    }
    rows_.assign(rows.begin(), rows.end());
    const Step& step = steps_.begin(n_rows(), static_cast<uint32_t>(outputs_.size()));
    sampled_[step.set] = {};
    return {};
}

Result<void> CpuBackend::embed() {
    const Matrix& tokens = *weights_.matrix(Role::TokenEmbedding);
    const Matrix* positions = weights_.matrix(Role::PositionEmbedding);
    pool_->run(n_rows(), [&](uint32_t r, uint32_t worker) {
        const auto decode = [&](const Matrix& from, uint32_t row, float* out) {
            std::span blocks(reinterpret_cast<const std::byte*>(from.data + row * from.row_bytes), from.row_bytes);
            if (from.is_packed) {
                const std::span unpacked(reinterpret_cast<std::byte*>(memory_.scratch(worker)), from.row_bytes);
                unpack_row(from.type, from.data, row, unpacked);
                blocks = unpacked;
            }
            model::dequantize(from.type, blocks, {out, from.cols});
        };
        float* x = memory_.x.row(r);
        const int32_t token = rows_[r].token == kSampledToken ? sampled_ids_[rows_[r].slot] : rows_[r].token;
        if (token < 0) {
            std::fill_n(x, config_.n_embd, std::numeric_limits<float>::quiet_NaN());
            return;
        }
        decode(tokens, static_cast<uint32_t>(token), x);
        if (positions == nullptr) return;
        float* p = memory_.scratch(worker);
        decode(*positions, rows_[r].position, p);
        for (uint32_t i = 0; i < config_.n_embd; ++i) x[i] += p[i];
    });
    return {};
}

void CpuBackend::normalise(Role weight, Role bias, uint32_t layer, const float* x, float* out) const {
    kernels_.norm(config_.norm, config_.norm_eps, x, weights_.vector(weight, layer), weights_.vector(bias, layer),
                  config_.n_embd, out);
}

void CpuBackend::multiply_rows(const Product& product, uint32_t first, uint32_t n, const Activations& x,
                               uint32_t n_columns, uint32_t worker) const {
    float* out = product.out + first;
    if (product.matrix->is_packed) {
        kernels_.multiply_packed(*product.matrix, first, n, memory_.rounded.as<uint8_t>(), rounded_stride(x), n_columns,
                                 out, product.out_stride);
    } else {
        kernels_.multiply(*product.matrix, first, n, x.row(0), x.stride, n_columns, out, product.out_stride,
                          memory_.scratch(worker));
    }
}

template <size_t N, typename After>
void CpuBackend::multiply(const std::array<Product, N>& products, const Activations& x, uint32_t n_columns,
                          const After& after) {
    uint32_t total = 0;
    for (const Product& product : products) total += product.matrix->rows;
    const bool multiplies_integers =
        std::any_of(products.begin(), products.end(), [](const Product& p) { return p.matrix->is_packed; });
    pool_->run(multiplies_integers ? n_columns : 0, [&](uint32_t r, uint32_t) {
        kernels_.round_activations(x.row(r), static_cast<uint32_t>(x.stride),
                                   memory_.rounded.as<uint8_t>() + r * rounded_stride(x));
    });
    // Small enough that stealing evens out uneven cores, large enough that claiming an item costs nothing beside it.
    const uint32_t chunk = std::clamp(total / (pool_->n_threads() * 8) / kPackedRows * kPackedRows, kPackedRows, 64u);
    std::array<uint32_t, N> chunks;
    uint32_t n_chunks = 0;
    for (size_t i = 0; i < N; ++i) n_chunks += chunks[i] = (products[i].matrix->rows + chunk - 1) / chunk;
    pool_->run(n_columns == 0 ? 0 : n_chunks, [&](uint32_t item, uint32_t worker) {
        size_t part = 0;
        while (item >= chunks[part]) item -= chunks[part++];
        const Product& product = products[part];
        const uint32_t first = item * chunk;
        const uint32_t n = std::min(chunk, product.matrix->rows - first);
        multiply_rows(product, first, n, x, n_columns, worker);
        after(first, n, part, worker);
    });
}

Result<void> CpuBackend::norm_qkv(uint32_t layer) {
    pool_->run(n_rows(), [&](uint32_t r, uint32_t) {
        normalise(Role::AttnNorm, Role::AttnNormBias, layer, memory_.x.row(r), memory_.normed.row(r));
    });
    const std::array<Product, 3> products = {
        {{weights_.matrix(Role::AttnQ, layer), memory_.q.row(0), memory_.q.stride},
         {weights_.matrix(Role::AttnK, layer), memory_.k.row(0), memory_.k.stride},
         {weights_.matrix(Role::AttnV, layer), memory_.v.row(0), memory_.v.stride}}};
    const std::array<const float*, 3> biases = {weights_.vector(Role::AttnQBias, layer),
                                                weights_.vector(Role::AttnKBias, layer),
                                                weights_.vector(Role::AttnVBias, layer)};
    multiply(products, memory_.normed, n_rows(), [&](uint32_t first, uint32_t n, size_t part, uint32_t) {
        if (biases[part] == nullptr) return;
        for (uint32_t r = 0; r < n_rows(); ++r) {
            float* out = products[part].out + r * products[part].out_stride;
            for (uint32_t i = first; i < first + n; ++i) out[i] += biases[part][i];
        }
    });
    pool_->run(n_rows(), [&](uint32_t r, uint32_t worker) {
        const uint32_t position = rows_[r].position;
        rotary_.rotate(position, memory_.q.row(r), config_.n_heads);
        rotary_.rotate(position, memory_.k.row(r), config_.n_kv_heads);
        store_key_value(layer, r, worker);
    });
    return {};
}

void CpuBackend::store_key_value(uint32_t layer, uint32_t r, uint32_t worker) {
    const Row& row = rows_[r];
    const uint32_t page = pages_.of(row.slot)[row.position / kPageTokens];
    const uint32_t place = row.position % kPageTokens;
    auto* k = reinterpret_cast<uint16_t*>(memory_.scratch(worker));
    uint16_t* v = k + config_.kv_rows();
    kernels_.to_halves(memory_.k.row(r), config_.kv_rows(), k);
    kernels_.to_halves(memory_.v.row(r), config_.kv_rows(), v);
    for (uint32_t g = 0; g < config_.n_kv_heads; ++g, k += config_.head_dim, v += config_.head_dim) {
        uint16_t* key = memory_.kv.keys(layer, page, g) + place;
        uint16_t* value = memory_.kv.values(layer, page, g) + size_t{place} * memory_.kv.value_dim();
        for (uint32_t d = 0; d < config_.head_dim; ++d) key[size_t{d} * kPageTokens] = k[d];
        std::copy_n(v, config_.head_dim, value);
    }
}

Result<void> CpuBackend::attend(uint32_t layer) {
    const uint32_t n_kv_heads = config_.n_kv_heads;
    const uint32_t width = config_.heads_per_kv() * config_.head_dim;
    pool_->run(n_rows() * n_kv_heads, [&](uint32_t item, uint32_t worker) {
        const uint32_t r = item / n_kv_heads, kv_head = item % n_kv_heads;
        AttendItem a;
        a.q = memory_.q.row(r) + size_t{kv_head} * width;
        a.out = memory_.a.row(r) + size_t{kv_head} * width;
        a.n_heads = config_.heads_per_kv();
        a.head_dim = config_.head_dim;
        a.n_positions = rows_[r].position + 1;
        a.pages = pages_.of(rows_[r].slot).data();
        a.keys = memory_.kv.keys(layer, 0, kv_head);
        a.values = memory_.kv.values(layer, 0, kv_head);
        a.key_page_stride = memory_.kv.key_page();
        a.value_page_stride = memory_.kv.value_page();
        a.value_dim = memory_.kv.value_dim();
        a.scratch = memory_.scratch(worker);
        kernels_.attend(a);
    });
    return {};
}

void CpuBackend::add_to_x(const float* bias, uint32_t first, uint32_t n) {
    for (uint32_t r = 0; r < n_rows(); ++r) {
        float* x = memory_.x.row(r);
        const float* y = memory_.y.row(r);
        for (uint32_t i = first; i < first + n; ++i) x[i] += bias == nullptr ? y[i] : y[i] + bias[i];
    }
}

Result<void> CpuBackend::attend_output(uint32_t layer) {
    const float* bias = weights_.vector(Role::AttnOutputBias, layer);
    const std::array<Product, 1> products = {
        {{weights_.matrix(Role::AttnOutput, layer), memory_.y.row(0), memory_.y.stride}}};
    multiply(products, memory_.a, n_rows(),
             [&](uint32_t first, uint32_t n, size_t, uint32_t) { add_to_x(bias, first, n); });
    return {};
}

Result<void> CpuBackend::norm_up(uint32_t layer) {
    pool_->run(n_rows(), [&](uint32_t r, uint32_t) {
        normalise(Role::FfnNorm, Role::FfnNormBias, layer, memory_.x.row(r), memory_.normed.row(r));
    });
    const Product up = {weights_.matrix(Role::FfnUp, layer), memory_.h.row(0), memory_.h.stride};
    const float* bias = weights_.vector(Role::FfnUpBias, layer);
    const Matrix* gate = weights_.matrix(Role::FfnGate, layer);
    // The same rows of gate and up are one item, so that the activation follows while they are in the cache.
    multiply(std::array{up}, memory_.normed, n_rows(), [&](uint32_t first, uint32_t n, size_t, uint32_t worker) {
        if (gate != nullptr) {
            multiply_rows({gate, memory_.gate.row(0), memory_.gate.stride}, first, n, memory_.normed, n_rows(), worker);
        }
        for (uint32_t r = 0; r < n_rows(); ++r) {
            float* h = memory_.h.row(r) + first;
            if (bias != nullptr) {
                for (uint32_t i = 0; i < n; ++i) h[i] += bias[first + i];
            }
            kernels_.activate(config_.activation, memory_.gate.row(r) + first, h, n);
        }
    });
    return {};
}

Result<void> CpuBackend::down(uint32_t layer) {
    const float* bias = weights_.vector(Role::FfnDownBias, layer);
    const std::array<Product, 1> products = {
        {{weights_.matrix(Role::FfnDown, layer), memory_.y.row(0), memory_.y.stride}}};
    multiply(products, memory_.h, n_rows(),
             [&](uint32_t first, uint32_t n, size_t, uint32_t) { add_to_x(bias, first, n); });
    return {};
}

// --- Output ----------------------------------------------------------------------------------------------------------

Result<void> CpuBackend::head() {
    const auto n_outputs = static_cast<uint32_t>(outputs_.size());
    pool_->run(n_outputs, [&](uint32_t i, uint32_t) {
        normalise(Role::OutputNorm, Role::OutputNormBias, 0, memory_.x.row(outputs_[i]), memory_.normed.row(i));
    });
    const std::array<Product, 1> products = {{{weights_.matrix(Role::Output), memory_.logits(), config_.n_vocab}}};
    multiply(products, memory_.normed, n_outputs, [](uint32_t, uint32_t, size_t, uint32_t) {});
    return {};
}

Result<void> CpuBackend::sample(std::span<const SampleRequest> requests) {
    const auto step = steps_.open();
    if (!step) return step.error();
    if (auto checked = check_requests(config_, **step, requests); !checked) return checked;
    sampled_[(*step)->set] = sampler_.sample(requests, memory_.logits());
    for (uint32_t i = 0; i < requests.size(); ++i) {
        sampled_ids_[rows_[outputs_[i]].slot] = sampled_[(*step)->set][i].id;
    }
    (*step)->is_sampled = true;
    pages_.mark_sampled();
    return {};
}

Result<void> CpuBackend::submit() {
    rows_.clear();
    outputs_.clear();
    return steps_.submit();
}

Result<std::span<const Sampled>> CpuBackend::wait() {
    const auto step = steps_.wait();
    if (!step) return step.error();
    return sampled_[step->set];
}

Result<void> CpuBackend::read_logits(uint32_t output, std::span<float> out) {
    if (auto checked = check_logits_read(config_, steps_.readable_outputs(), output, out.size()); !checked) {
        return checked;
    }
    const float* row = memory_.logits() + size_t{output} * config_.n_vocab;
    std::copy(row, row + config_.n_vocab, out.begin());
    return {};
}

Result<void> CpuBackend::read_residual(std::span<float> out) {
    const uint32_t n_rows = steps_.readable_rows();
    if (auto checked = check_residual_read(config_, n_rows, out.size()); !checked) return checked;
    for (uint32_t r = 0; r < n_rows; ++r)
        std::copy_n(memory_.x.row(r), config_.n_embd, &out[size_t{r} * config_.n_embd]);
    return {};
}

}  // namespace

Result<std::unique_ptr<Backend>> create_cpu_backend(const model::ModelConfig& config, const BackendLimits& limits,
                                                    uint32_t n_threads, std::vector<std::string> notes) {
    if (auto ok = check_limits(config, limits); !ok) return ok.error();
    if (n_threads > kMaxThreads) {
        return base::fail(ErrorCode::InvalidArgument, "threads: ", n_threads, " is more than ", kMaxThreads);
    }
    auto pool = WorkerPool::create(n_threads == 0 ? count_performance_cores() : n_threads);
    if (!pool) return pool.error();
    auto memory = CpuMemory::allocate(config, limits, (*pool)->n_threads());
    if (!memory) return memory.error();
    return std::make_unique<CpuBackend>(config, limits, usable_cpu_kernels().back(), std::move(*pool),
                                        std::move(*memory), std::move(notes));
}

}  // namespace llmd::compute
