#include "engine/compute/opencl/gpu/self_test.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "engine/compute/noise.h"
#include "engine/compute/opencl/gpu/launch_plan.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/runtime/program_cache.h"
#include "engine/compute/opencl/runtime/quirks.h"
#include "engine/compute/opencl/runtime/step_exchange.h"
#include "engine/model/quantization.h"

namespace llmd::compute::gpu {

using base::Result;

namespace {

using base::ErrorCode;

std::string name_of(Layout layout, const MatmulTest& test, bool image) {
    const MatmulShape& shape = test.config.shape;
    return base::concat("matmul of ", layout_name(layout), ", ", test.batch_rows, " batch rows, ", shape.lanes, " x ",
                        shape.pairs, " pairs, ", shape.k_splits, " K splits", image ? ", images" : "");
}

Result<void> check_sums(const ProbeMatrix& probe, std::span<const float> got, bool image) {
    for (size_t i = 0; i < got.size(); ++i) {
        const auto& [sum, magnitude, is_in_image] = probe.sums[i];
        if ((image && !is_in_image) || !std::isfinite(sum)) continue;
        if (!(std::fabs(got[i] - sum) <= kMatmulTolerance * magnitude)) {
            return base::fail(ErrorCode::DeviceError, "gives ", got[i], " instead of ", sum, " in row ",
                              i % probe.rows(), " of a sample");
        }
    }
    return {};
}

Result<void> check_same(const ProbeMatrix& probe, std::span<const float> got, std::span<const float> expected) {
    for (size_t i = 0; i < got.size(); ++i) {
        if (!std::isfinite(probe.sums[i].sum)) continue;
        if (std::bit_cast<uint32_t>(got[i]) != std::bit_cast<uint32_t>(expected[i])) {
            return base::fail(ErrorCode::DeviceError, "gives ", got[i], " instead of ", expected[i], " in row ",
                              i % probe.rows(), " of a sample");
        }
    }
    return {};
}

class MatmulTester {
public:
    MatmulTester(DeviceQueue& queue, const MatmulBuilder& build, const GoesOn& goes_on)
        : queue_(queue), build_(build), goes_on_(goes_on) {}

    Result<void> run(const ProbeTest& test) {
        const Layout layout = test.probe->layout;
        bool image = test.image && !refused_images_.contains(layout);
        while (true) {
            if (image) found_.sound.images.insert(layout);
            const auto failure = run(test, image);
            if (!failure) return failure.error();
            if (!*failure) return {};
            if (!image) return base::fail(ErrorCode::DeviceError, (*failure)->message);
            found_.notes.push_back(base::concat("weights of ", layout_name(layout),
                                                " are not read through images: ", (*failure)->message));
            found_.sound.images.erase(layout);
            refused_images_.insert(layout);
            image = false;
        }
    }

    SelfTestResult take() { return std::move(found_); }

private:
    // Gives why a kernel of one batch row cannot be used; nothing if all can that found_ allows.
    Result<std::optional<base::Error>> run(const ProbeTest& test, bool image) {
        auto probe_matmul = ProbeMatmul::create(queue_, *test.probe, image);
        if (!probe_matmul) return probe_matmul.error();
        std::map<uint32_t, std::vector<float>> alone;  // by K splits
        uint32_t fewer = 1;
        for (const MatmulTest& kernel : test.kernels) {
            if (kernel.batch_rows > found_.sound.most_batch_rows) break;
            if (!goes_on_()) return base::fail(ErrorCode::Cancelled, "loading was given up");
            auto failure = try_kernel(*probe_matmul, test, kernel, image, alone[kernel.config.shape.k_splits]);
            if (failure && failure->code != ErrorCode::DeviceError) return *failure;
            if (failure && kernel.batch_rows == 1) return failure;
            if (failure) {
                found_.sound.most_batch_rows = fewer;
                found_.notes.push_back(
                    base::concat("at most ", fewer, " batch rows are multiplied together: ", failure->message));
                break;
            }
            fewer = kernel.batch_rows;
        }
        return std::optional<base::Error>();
    }

    // `alone` has the results of one batch row; the first kernel, which has one, sets it.
    std::optional<base::Error> try_kernel(ProbeMatmul& probe_matmul, const ProbeTest& test, const MatmulTest& kernel,
                                          bool image, std::vector<float>& alone) {
        const ProbeMatrix& probe = *test.probe;
        const std::string name = "self-test: " + name_of(probe.layout, kernel, image);
        const auto failed = [&](const base::Error& error) { return base::fail(error.code, name, ": ", error.message); };
        const auto built = build_(probe, kernel, image);
        if (!built) return failed(built.error());
        auto got = probe_matmul.multiply(*built, kernel.config.shape, kernel.batch_rows);
        if (!got) return failed(got.error());
        const auto checked = alone.empty() ? check_sums(probe, *got, image) : check_same(probe, *got, alone);
        if (!checked) return failed(checked.error());
        if (alone.empty()) alone = std::move(*got);
        return std::nullopt;
    }

    DeviceQueue& queue_;
    const MatmulBuilder& build_;
    const GoesOn& goes_on_;
    SelfTestResult found_;
    std::set<Layout> refused_images_;
};

}  // namespace

Result<SelfTestResult> test_matmuls(DeviceQueue& queue, std::span<const ProbeTest> tests, const MatmulBuilder& build,
                                    const GoesOn& goes_on) {
    MatmulTester tester(queue, build, goes_on);
    for (const ProbeTest& test : tests) {
        if (auto ok = tester.run(test); !ok) return ok.error();
    }
    return tester.take();
}

namespace {

constexpr double kAttentionTolerance = 1e-4;  // of values below 1, beside the quantization
constexpr uint32_t kQueriesAt = 0;            // in the buffer of activations
constexpr double kQuantError = 0.51;          // of a quantized block's scale

// A value in [-1, 1), exact as a half.
float value_of(uint32_t i) {
    return static_cast<float>(mix32(i) >> 22) * 0x1p-9f - 1.0f;
}

class AttentionTester {
public:
    AttentionTester(DeviceQueue& queue, Kernels& kernels, const KernelChoice& kernel_choice,
                    const model::LayerSpec& layer, const BackendLimits& limits)
        : queue_(queue),
          kernels_(kernels),
          kernel_choice_(kernel_choice),
          layer_(layer),
          tables_at_(tables_at(limits, limits.pool_of(layer))) {
        for (const uint32_t position : kCheckedPositions) {
            if (position < limits.n_ctx && positions_.size() < limits.max_rows) positions_.push_back(position);
        }
        n_pages_ = positions_.back() / kPageTokens + 1;
    }

    Result<void> run();

private:
    using QuantizedActivations = std::vector<std::byte>;  // bytes of all rows

    uint32_t rows() const { return static_cast<uint32_t>(positions_.size()); }
    uint32_t chunks() const { return positions_.back() / kKvSplit + 1; }
    uint32_t width() const { return padded_width(layer_.q_rows()); }
    uint32_t quantized_at() const { return rows() * layer_.q_rows() * static_cast<uint32_t>(sizeof(float)); }
    uint32_t row_bytes() const { return quantized_row_bytes(width(), kernel_choice_.value_bytes()); }
    float key(uint32_t position, uint32_t col) const { return value_of(2 * (position * layer_.kv_rows() + col)); }
    float v(uint32_t position, uint32_t col) const { return value_of(2 * (position * layer_.kv_rows() + col) + 1); }
    float query(uint32_t row, uint32_t col) const {
        return value_of(row * layer_.q_rows() + col) / std::sqrt(static_cast<float>(layer_.head_dim));
    }

    Result<void> upload();
    template <typename T>
    Result<ClBuffer> upload(const std::vector<T>& values);
    Result<QuantizedActivations> run_whole(uint32_t heads);
    Result<QuantizedActivations> run_split(uint32_t heads);
    Result<QuantizedActivations> read();
    Result<void> check(const QuantizedActivations& got, const char* name) const;
    std::vector<double> exact(uint32_t row, uint32_t head) const;

    DeviceQueue& queue_;
    Kernels& kernels_;
    const KernelChoice& kernel_choice_;
    const model::LayerSpec& layer_;
    std::vector<uint32_t> positions_;
    uint32_t tables_at_, n_pages_;
    ClBuffer activations_;  // queries, then the quantized output
    ClBuffer step_, kv_, partials_;
};

template <typename T>
Result<ClBuffer> AttentionTester::upload(const std::vector<T>& values) {
    auto buffer = queue_.allocate_scratch("the self-test", values.size() * sizeof(T));
    if (!buffer) return buffer;
    if (auto ok = queue_.upload(*buffer, 0, std::as_bytes(std::span(values))); !ok) return ok.error();
    return buffer;
}

Result<void> AttentionTester::upload() {
    const uint32_t dim = layer_.head_dim, kv_rows = layer_.kv_rows();
    const size_t page_half = size_t{kPageTokens} * kv_rows;
    std::vector<uint16_t> kv(size_t{2} * n_pages_ * page_half);
    for (uint32_t position = 0; position < n_pages_ * kPageTokens; ++position) {
        const uint32_t in_page = position % kPageTokens;
        for (uint32_t col = 0; col < kv_rows; ++col) {
            const uint32_t in_head = col % dim;
            uint16_t* keys =
                &kv[size_t{2} * (position / kPageTokens) * page_half + size_t{col - in_head} * kPageTokens];
            uint16_t* values = keys + page_half;
            keys[(in_head / 4 * kPageTokens + in_page) * 4 + in_head % 4] = model::float_to_half(key(position, col));
            values[in_page * dim + in_head] = model::float_to_half(v(position, col));
        }
    }
    std::vector<float> queries(size_t{rows()} * layer_.q_rows());
    std::vector<int32_t> step = {0, static_cast<int32_t>(rows()), static_cast<int32_t>(chunks()), 0};
    for (uint32_t row = 0; row < rows(); ++row) {
        for (uint32_t i = 0; i < layer_.q_rows(); ++i) queries[row * layer_.q_rows() + i] = query(row, i);
        for (const int32_t word : {0, static_cast<int32_t>(positions_[row]), 0, 0}) step.push_back(word);
    }
    step.resize(tables_at_ + n_pages_);
    std::iota(step.begin() + tables_at_, step.end(), 0);
    const std::vector<float> partials(size_t{rows()} * chunks() * layer_.n_heads * (layer_.head_dim + 2));
    std::vector<std::byte> activations(quantized_at() + size_t{rows()} * row_bytes());
    std::memcpy(activations.data(), queries.data(), quantized_at());
    std::pair<ClBuffer*, Result<ClBuffer>> all[] = {
        {&activations_, upload(activations)},
        {&step_, upload(step)},
        {&kv_, upload(kv)},
        {&partials_, upload(partials)},
    };
    for (auto& [buffer, created] : all) {
        if (!created) return created.error();
        *buffer = std::move(*created);
    }
    return {};
}

Result<AttentionTester::QuantizedActivations> AttentionTester::read() {
    QuantizedActivations quantized(size_t{rows()} * row_bytes());
    if (auto ok = queue_.read(activations_, quantized_at(), quantized); !ok) return ok.error();
    return quantized;
}

Result<AttentionTester::QuantizedActivations> AttentionTester::run_whole(uint32_t heads) {
    const auto kernel = kernels_.attention(layer_, heads, false);
    if (!kernel) return kernel.error();
    auto ok = set_args(*kernel, activations_, kQueriesAt, step_, kv_, quantized_at(), row_bytes(), width());
    if (ok) ok = queue_.launch(*kernel, layer_.n_heads / heads, rows(), kernel_choice_.attention_items());
    if (!ok) return ok.error();
    return read();
}

Result<AttentionTester::QuantizedActivations> AttentionTester::run_split(uint32_t heads) {
    const auto kernel = kernels_.attention(layer_, heads, true);
    if (!kernel) return kernel.error();
    const auto merge = kernels_.merge(layer_);
    if (!merge) return merge.error();
    auto ok = set_args(*kernel, activations_, kQueriesAt, step_, kv_, partials_);
    if (ok) ok = set_args(*merge, partials_, step_, activations_, quantized_at(), row_bytes(), width());
    if (ok)
        ok =
            queue_.launch(*kernel, size_t{layer_.n_heads / heads} * chunks(), rows(), kernel_choice_.attention_items());
    if (ok) ok = queue_.launch(*merge, (width() + kMergeWidth - 1) / kMergeWidth, rows());
    if (!ok) return ok.error();
    return read();
}

std::vector<double> AttentionTester::exact(uint32_t row, uint32_t head) const {
    const uint32_t dim = layer_.head_dim, kv_col = head / layer_.heads_per_kv() * dim;
    const uint32_t first = layer_.first_seen(positions_[row]);
    std::vector<double> scores(positions_[row] + 1 - first), result(dim);
    for (uint32_t s = 0; s < scores.size(); ++s) {
        for (uint32_t i = 0; i < dim; ++i) {
            scores[s] += double{query(row, head * dim + i)} * key(first + s, kv_col + i);
        }
        const double cap = layer_.score_cap;
        if (cap != 0) scores[s] = cap * std::tanh(scores[s] / cap);
    }
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - largest);
    for (uint32_t s = 0; s < scores.size(); ++s) {
        for (uint32_t i = 0; i < dim; ++i) result[i] += scores[s] / sum * v(first + s, kv_col + i);
    }
    return result;
}

Result<void> AttentionTester::check(const QuantizedActivations& got, const char* name) const {
    const uint32_t value_bytes = kernel_choice_.value_bytes(), dim = layer_.head_dim;
    for (uint32_t row = 0; row < rows(); ++row) {
        const std::byte* row_start = got.data() + size_t{row} * row_bytes();
        for (uint32_t head = 0; head < layer_.n_heads; ++head) {
            const auto expected = exact(row, head);
            for (uint32_t i = 0; i < dim; ++i) {
                const uint32_t col = head * dim + i;
                float scale;
                std::memcpy(&scale, row_start + (value_bytes * 4 + 3) * width() / 4 + col / kQuantBlock * sizeof scale,
                            sizeof scale);
                int number = static_cast<int8_t>(row_start[col]);
                if (value_bytes == 2) number = 128 * number + static_cast<int8_t>(row_start[width() + col]);
                if (!(std::fabs(scale * number - expected[i]) <= kAttentionTolerance + kQuantError * scale)) {
                    return base::fail(ErrorCode::DeviceError, "self-test: ", name, " gives ", scale * number,
                                      " instead of ", expected[i], " at position ", positions_[row], ", head ", head);
                }
            }
        }
    }
    return {};
}

Result<void> AttentionTester::run() {
    if (auto ok = upload(); !ok) return ok;
    const auto heads_of = [&](bool has_many_rows) { return kernel_choice_.attention_heads(layer_, has_many_rows); };
    const auto split = run_split(heads_of(false));
    if (!split) return split.error();
    if (auto ok = check(*split, "attention in KV splits"); !ok) return ok;
    for (const uint32_t heads : std::set{heads_of(false), heads_of(true)}) {
        if (heads * layer_.head_dim % kQuantBlock != 0) continue;
        const auto whole = run_whole(heads);
        if (!whole) return whole.error();
        if (auto ok = check(*whole, "attention"); !ok) return ok;
        if (*whole == *split) continue;
        return base::fail(ErrorCode::DeviceError, "self-test: attention of ", heads, " heads in one pass gives other",
                          " bits than in KV splits");
    }
    return {};
}

}  // namespace

Result<void> check_attention(DeviceQueue& queue, Kernels& kernels, const KernelChoice& kernel_choice,
                             const model::LayerSpec& layer, const BackendLimits& limits) {
    return AttentionTester(queue, kernels, kernel_choice, layer, limits).run();
}

namespace {

bool is_multiplied(const model::Weight& weight, std::span<const model::Weight> all) {
    if (model::is_vector(weight.role) || weight.role == model::Role::PositionEmbedding) return false;
    return weight.role != model::Role::TokenEmbedding ||
           std::none_of(all.begin(), all.end(), [](const model::Weight& w) { return w.role == model::Role::Output; });
}

// The kernels of every probe, by rising batch rows.
std::map<ProbeKey, std::vector<MatmulTest>> tests_of(const KernelChoice& kernel_choice,
                                                     const std::set<MatmulKind>& kinds) {
    std::map<ProbeKey, std::vector<MatmulTest>> tests;
    for (const uint32_t batch_rows : kBatchRowCounts) {
        if (!kernel_choice.may_compute(batch_rows)) continue;
        for (const MatmulKind& kind : kinds) {
            const MatmulTest test = {batch_rows, kernel_choice.matmul(kind, batch_rows)};
            auto& of_kind = tests[probe_key(kind)];
            if (std::find(of_kind.begin(), of_kind.end(), test) == of_kind.end()) of_kind.push_back(test);
        }
    }
    return tests;
}

// One layer of each shape that attention has in the model.
std::vector<model::LayerSpec> attention_shapes(const model::DecoderSpec& spec) {
    std::vector<model::LayerSpec> shapes;
    for (const model::LayerSpec& layer : spec.layers) {
        const auto is_like = [&](const model::LayerSpec& other) {
            return other.n_heads == layer.n_heads && other.n_kv_heads == layer.n_kv_heads &&
                   other.head_dim == layer.head_dim && other.window == layer.window &&
                   other.score_cap == layer.score_cap;
        };
        if (!layer.is_convolution() && std::none_of(shapes.begin(), shapes.end(), is_like)) shapes.push_back(layer);
    }
    return shapes;
}

// Everything that the outcome depends on beside the device, the driver and the kernels.
std::string describe(const KernelChoice& kernel_choice, const Model& model) {
    std::string text = base::concat("context ", model.limits.n_ctx);
    for (const model::LayerSpec& layer : attention_shapes(model.spec)) {
        text += base::concat("; ", layer.n_heads, " x ", layer.head_dim, " / ", layer.n_kv_heads, ", window ",
                             layer.window, ", cap ", layer.score_cap);
        for (const bool has_many_rows : {false, true}) {
            text += base::concat(", heads ", kernel_choice.attention_heads(layer, has_many_rows));
        }
    }
    for (const auto& [probe, tests] : tests_of(kernel_choice, model.kinds)) {
        text += base::concat(model.images.contains(probe.layout) ? "; image of " : "; ", layout_name(probe.layout), " ",
                             probe.cols, " ", probe.value_bytes, ":");
        for (const auto& [batch_rows, kernel] : tests) {
            text +=
                base::concat(" ", batch_rows, "/", kernel.shape.lanes, "x", kernel.shape.pairs, "x",
                             kernel.shape.k_splits, "/", static_cast<uint32_t>(kernel.core), "/", kernel.staged_bytes);
        }
    }
    return text;
}

// The probes of a model's matrices that these tests are for.
std::map<ProbeKey, ProbeMatrix> take_probes(std::span<const model::Weight> weights,
                                            const std::map<ProbeKey, std::vector<MatmulTest>>& tests) {
    std::map<ProbeKey, ProbeMatrix> probes;
    for (const model::Weight& weight : weights) {
        if (!is_multiplied(weight, weights)) continue;
        for (uint32_t value_bytes = 1; value_bytes <= kMostValueBytes; ++value_bytes) {
            const ProbeKey key = {layout_for(weight.tensor.type), static_cast<uint32_t>(weight.tensor.cols),
                                  value_bytes};
            if (tests.contains(key)) probes.try_emplace(key, weight.tensor, value_bytes);
        }
    }
    return probes;
}

Result<SelfTestResult> test_kernels(DeviceQueue& queue, const KernelChoice& kernel_choice, const Model& model,
                                    const GoesOn& goes_on) {
    Kernels kernels(queue, model.spec, model.limits, kernel_choice);  // kernels that are not used in the end go with it
    const std::string fingerprint = kernels.fingerprint(), description = describe(kernel_choice, model);
    const uint64_t key = program_key(std::array<std::string_view, 3>{queue.identity(), fingerprint, description});
    const ProgramCache passed(user_cache_directory("self-tests"));
    if (passed.peek(key)) return SelfTestResult{{.images = model.images}, {}};
    if (auto ok = check_built_ins(queue); !ok) return ok.error();
    const auto kernels_of = tests_of(kernel_choice, model.kinds);
    const auto probes = take_probes(model.weights, kernels_of);
    std::vector<ProbeTest> tests;
    for (const auto& [which, probe] : probes) {
        tests.push_back({&probe, kernels_of.at(which), model.images.contains(which.layout)});
    }
    const MatmulBuilder build = [&](const ProbeMatrix& probe, const MatmulTest& test, bool image) {
        return kernels.matmul({.layout = probe.layout,
                               .config = test.config,
                               .batch_rows = test.batch_rows,
                               .value_bytes = probe.x.value_bytes,
                               .image = image});
    };
    auto found = test_matmuls(queue, tests, build, goes_on);
    if (!found) return found;
    for (const model::LayerSpec& layer : attention_shapes(model.spec)) {
        auto checked = check_attention(queue, kernels, kernel_choice, layer, model.limits);
        if (!checked) return checked.error();
    }
    if (found->notes.empty()) passed.keep(key, std::as_bytes(std::span("passed")));
    return found;
}

}  // namespace

Result<SelfTestResult> self_test(DeviceQueue& queue, KernelChoice& kernel_choice, const Model& model,
                                 const GoesOn& goes_on) {
    return with_or_without_dot(kernel_choice,
                               [&](const KernelChoice& tried) { return test_kernels(queue, tried, model, goes_on); });
}

Result<SelfTestResult> with_or_without_dot(KernelChoice& kernel_choice,
                                           const std::function<Result<SelfTestResult>(const KernelChoice&)>& attempt) {
    auto found = attempt(kernel_choice);
    if (found || found.error().code != base::ErrorCode::DeviceError || !kernel_choice.has_dot()) return found;
    const std::string why = found.error().message;
    kernel_choice.give_up_dot();
    found = attempt(kernel_choice);
    if (found) {
        found->notes.insert(found->notes.begin(), "the device's dot products of bytes are not used: " + why);
        return found;
    }
    base::Error error = found.error();
    if (error.code == base::ErrorCode::DeviceError) error.message += "; with dot products of bytes: " + why;
    return error;
}

}  // namespace llmd::compute::gpu
