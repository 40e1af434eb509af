#include "engine/compute/opencl/autotune/attention_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "engine/compute/noise.h"
#include "engine/compute/opencl/gpu/activations.h"
#include "engine/compute/opencl/gpu/launch_plan.h"
#include "engine/compute/opencl/runtime/step_exchange.h"
#include "engine/model/quantization.h"

namespace llmd::compute::gpu {
namespace {

using base::ErrorCode;
using base::Result;

constexpr double kTolerance = 1e-4;    // of values below 1, beside what records round
constexpr uint32_t kQueriesAt = 0;     // in the buffer of activations
constexpr double kRecordError = 0.51;  // of a record's unit

// In [-1, 1), a half exactly.
float value_of(uint32_t i) {
    return static_cast<float>(mix32(i) >> 22) * 0x1p-9f - 1.0f;
}

class Check {
public:
    Check(DeviceQueue& queue, Kernels& kernels, const Variants& variants, const model::ModelConfig& config,
          const BackendLimits& limits)
        : queue_(queue), kernels_(kernels), variants_(variants), config_(config), tables_at_(tables_at(limits)) {
        for (const uint32_t position : kCheckedPositions) {
            if (position < limits.n_ctx && positions_.size() < limits.max_rows) positions_.push_back(position);
        }
        n_pages_ = positions_.back() / kPageTokens + 1;
    }

    Result<void> run();

private:
    using Records = std::vector<std::byte>;  // of all rows

    uint32_t rows() const { return static_cast<uint32_t>(positions_.size()); }
    uint32_t chunks() const { return positions_.back() / kAttentionLeaf + 1; }
    uint32_t columns() const { return padded_columns(config_.q_rows()); }
    uint32_t records_at() const { return rows() * config_.q_rows() * static_cast<uint32_t>(sizeof(float)); }
    uint32_t row_bytes() const { return record_bytes(columns(), variants_.digits()); }
    float key(uint32_t position, uint32_t column) const {
        return value_of(2 * (position * config_.kv_rows() + column));
    }
    float v(uint32_t position, uint32_t column) const {
        return value_of(2 * (position * config_.kv_rows() + column) + 1);
    }
    float query(uint32_t row, uint32_t column) const {
        return value_of(row * config_.q_rows() + column) / std::sqrt(static_cast<float>(config_.head_dim));
    }

    Result<void> upload();
    template <typename T>
    Result<ClBuffer> upload(const std::vector<T>& values);
    Result<Records> run_whole(uint32_t heads);
    Result<Records> run_split(uint32_t heads);
    Result<Records> read();
    Result<void> check(const Records& got, const char* name) const;
    std::vector<double> exact(uint32_t row, uint32_t head) const;

    DeviceQueue& queue_;
    Kernels& kernels_;
    const Variants& variants_;
    const model::ModelConfig& config_;
    std::vector<uint32_t> positions_;
    uint32_t tables_at_, n_pages_;
    ClBuffer activations_;  // queries, then records
    ClBuffer step_, kv_, partials_;
};

template <typename T>
Result<ClBuffer> Check::upload(const std::vector<T>& values) {
    auto buffer = queue_.allocate_scratch("the self-test", values.size() * sizeof(T));
    if (!buffer) return buffer;
    if (auto ok = queue_.upload(*buffer, 0, std::as_bytes(std::span(values))); !ok) return ok.error();
    return buffer;
}

Result<void> Check::upload() {
    const uint32_t dim = config_.head_dim, kv_rows = config_.kv_rows();
    const size_t page_half = size_t{kPageTokens} * kv_rows;
    std::vector<uint16_t> kv(size_t{2} * n_pages_ * page_half);
    for (uint32_t position = 0; position < n_pages_ * kPageTokens; ++position) {
        const uint32_t in_page = position % kPageTokens;
        for (uint32_t column = 0; column < kv_rows; ++column) {
            const uint32_t in_head = column % dim;
            uint16_t* keys =
                &kv[size_t{2} * (position / kPageTokens) * page_half + size_t{column - in_head} * kPageTokens];
            uint16_t* values = keys + page_half;
            keys[(in_head / 4 * kPageTokens + in_page) * 4 + in_head % 4] = model::float_to_half(key(position, column));
            values[in_page * dim + in_head] = model::float_to_half(v(position, column));
        }
    }
    std::vector<float> queries(size_t{rows()} * config_.q_rows());
    std::vector<int32_t> step = {0, static_cast<int32_t>(rows()), static_cast<int32_t>(chunks()), 0};
    for (uint32_t row = 0; row < rows(); ++row) {
        for (uint32_t i = 0; i < config_.q_rows(); ++i) queries[row * config_.q_rows() + i] = query(row, i);
        for (const int32_t word : {0, static_cast<int32_t>(positions_[row]), 0, 0}) step.push_back(word);
    }
    step.resize(tables_at_ + n_pages_);
    std::iota(step.begin() + tables_at_, step.end(), 0);
    const std::vector<float> partials(size_t{rows()} * chunks() * config_.n_heads * (config_.head_dim + 2));
    std::vector<std::byte> activations(records_at() + size_t{rows()} * row_bytes());
    std::memcpy(activations.data(), queries.data(), records_at());
    std::pair<ClBuffer*, Result<ClBuffer>> all[] = {
        {&activations_, upload(activations)},
        {&step_, upload(step)},
        {&kv_, upload(kv)},
        {&partials_, upload(partials)},
    };
    for (auto& [buffer, made] : all) {
        if (!made) return made.error();
        *buffer = std::move(*made);
    }
    return {};
}

Result<Check::Records> Check::read() {
    Records records(size_t{rows()} * row_bytes());
    if (auto ok = queue_.read(activations_, records_at(), records); !ok) return ok.error();
    return records;
}

Result<Check::Records> Check::run_whole(uint32_t heads) {
    const auto kernel = kernels_.attention(heads, false);
    if (!kernel) return kernel.error();
    auto ok = set_args(*kernel, activations_, kQueriesAt, step_, kv_, records_at(), row_bytes(), columns());
    if (ok) ok = queue_.launch(*kernel, config_.n_heads / heads, rows(), variants_.attention_items());
    if (!ok) return ok.error();
    return read();
}

Result<Check::Records> Check::run_split(uint32_t heads) {
    const auto kernel = kernels_.attention(heads, true);
    if (!kernel) return kernel.error();
    const auto merge = kernels_.merge();
    if (!merge) return merge.error();
    auto ok = set_args(*kernel, activations_, kQueriesAt, step_, kv_, partials_);
    if (ok) ok = set_args(*merge, partials_, step_, activations_, records_at(), row_bytes(), columns());
    if (ok)
        ok = queue_.launch(*kernel, size_t{config_.n_heads / heads} * chunks(), rows(), variants_.attention_items());
    if (ok) ok = queue_.launch(*merge, (columns() + kMergeColumns - 1) / kMergeColumns, rows());
    if (!ok) return ok.error();
    return read();
}

std::vector<double> Check::exact(uint32_t row, uint32_t head) const {
    const uint32_t dim = config_.head_dim, kv_column = head / config_.heads_per_kv() * dim;
    std::vector<double> scores(positions_[row] + 1), result(dim);
    for (uint32_t position = 0; position < scores.size(); ++position) {
        for (uint32_t i = 0; i < dim; ++i) {
            scores[position] += double{query(row, head * dim + i)} * key(position, kv_column + i);
        }
    }
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - largest);
    for (uint32_t position = 0; position < scores.size(); ++position) {
        for (uint32_t i = 0; i < dim; ++i) result[i] += scores[position] / sum * v(position, kv_column + i);
    }
    return result;
}

Result<void> Check::check(const Records& got, const char* name) const {
    const uint32_t digits = variants_.digits(), dim = config_.head_dim;
    for (uint32_t row = 0; row < rows(); ++row) {
        const std::byte* record = got.data() + size_t{row} * row_bytes();
        for (uint32_t head = 0; head < config_.n_heads; ++head) {
            const auto expected = exact(row, head);
            for (uint32_t i = 0; i < dim; ++i) {
                const uint32_t column = head * dim + i;
                float scale;
                std::memcpy(&scale, record + (digits * 4 + 3) * columns() / 4 + column / kRecordBlock * sizeof scale,
                            sizeof scale);
                int number = static_cast<int8_t>(record[column]);
                if (digits == 2) number = 128 * number + static_cast<int8_t>(record[columns() + column]);
                if (!(std::fabs(scale * number - expected[i]) <= kTolerance + kRecordError * scale)) {
                    return base::fail(ErrorCode::DeviceError, "self-test: ", name, " gives ", scale * number,
                                      " instead of ", expected[i], " at position ", positions_[row], ", head ", head);
                }
            }
        }
    }
    return {};
}

Result<void> Check::run() {
    if (auto ok = upload(); !ok) return ok;
    const auto heads_of = [&](bool has_many_rows) {
        return variants_.attention_heads(config_.heads_per_kv(), config_.head_dim, has_many_rows);
    };
    const auto split = run_split(heads_of(false));
    if (!split) return split.error();
    if (auto ok = check(*split, "attention in leaves"); !ok) return ok;
    for (const uint32_t heads : std::set{heads_of(false), heads_of(true)}) {
        if (heads * config_.head_dim % kRecordBlock != 0) continue;
        const auto whole = run_whole(heads);
        if (!whole) return whole.error();
        if (auto ok = check(*whole, "attention"); !ok) return ok;
        if (*whole == *split) continue;
        return base::fail(ErrorCode::DeviceError, "self-test: attention of ", heads, " heads in one piece gives other",
                          " bits than in leaves");
    }
    return {};
}

}  // namespace

Result<void> check_attention(DeviceQueue& queue, Kernels& kernels, const Variants& variants,
                             const model::ModelConfig& config, const BackendLimits& limits) {
    return Check(queue, kernels, variants, config, limits).run();
}

}  // namespace llmd::compute::gpu
