#include "engine/compute/opencl/gpu/launch_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/compute/decode.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/runtime/step_exchange.h"

namespace llmd::compute::gpu {

using base::Result;

Result<void> run(DeviceQueue& queue, const Launch& launch, uint32_t rows) {
    if (rows == 0) return {};
    const LaunchChoice& choice = launch.for_rows(rows);
    const uint32_t grid_rows = (rows + choice.batch_rows - 1) / choice.batch_rows;
    return queue.launch(choice.kernel, choice.groups, grid_rows, choice.group_items);
}

Result<void> run(DeviceQueue& queue, const Launches& launches, uint32_t rows) {
    for (const Launch& launch : launches) {
        if (auto ok = run(queue, launch, rows); !ok) return ok;
    }
    return {};
}

namespace {

// Quantized activations of so many (padded) columns in the buffer of activations.
struct Quants {
    uint32_t at;
    uint32_t bytes;
    uint32_t width;
    uint32_t value_bytes;

    // The quants_t of a kernel.
    operator Arguments::ThreeNumbers() const { return {at, bytes, width}; }
};

uint32_t groups_for(uint32_t n, uint32_t of_one) {
    return (n + of_one - 1) / of_one;
}

// Work-groups of a part of the output matmul.
uint32_t logit_groups(const MatmulWeights& matmul, const MatmulPart& part, const KernelChoice& kernel_choice) {
    const MatmulKind kind = {part.layout, matmul.rows, matmul.cols, OutputKind::Logits, kernel_choice.value_bytes()};
    return groups_for(part.n_pairs, kernel_choice.matmul(kind, 1).shape.group_pairs());
}

// In the parts before this one.
uint32_t groups_before(const MatmulWeights& matmul, const MatmulPart& part, const KernelChoice& kernel_choice) {
    uint32_t groups = 0;
    for (const MatmulPart* before = matmul.parts.data(); before != &part; ++before) {
        groups += logit_groups(matmul, *before, kernel_choice);
    }
    return groups;
}

OutputKind output_kind_of(Epilogue epilogue) {
    return epilogue == Epilogue::Logits   ? OutputKind::Logits
           : epilogue == Epilogue::SwiGlu ? OutputKind::Pairs
                                          : OutputKind::Rows;
}

using model::Role;

// Records the launches of each step that decode() calls.
class Binder final : public Steps {
public:
    Binder(Kernels& kernels, const KernelChoice& kernel_choice, const model::DecoderSpec& spec,
           const BackendLimits& limits, const GpuWeights& weights, const Buffers& buffers)
        : kernels_(kernels),
          choice_(kernel_choice),
          spec_(spec),
          limits_(limits),
          weights_(weights),
          buffers_(buffers) {}

    Result<LaunchPlan> bind();

    Result<void> embed(const Reader& next) override;
    Result<void> make_qkv(uint32_t layer) override;
    Result<void> attend(uint32_t layer) override;
    Result<void> convolve(uint32_t layer) override;
    Result<void> feed_forward(uint32_t layer) override;
    Result<void> add_to_residual(Role matrix, uint32_t layer, const Reader& next) override;

private:
    // The input of a matmul, and the epilogue of its sums.
    struct PlannedMatmul {
        Role matrix;  // one of those that it multiplies
        uint32_t layer;
        Epilogue epilogue;
        Quants input;
        uint32_t rows;                  // of a batch, at most
        uint32_t next_value_bytes = 0;  // MatmulKey
    };

    Quants quantized(uint32_t at, uint32_t n, uint32_t value_bytes) const {
        const uint32_t width = padded_width(n);
        return {at, quantized_row_bytes(width, value_bytes), width, value_bytes};
    }
    Quants quantized(uint32_t at, uint32_t n) const { return quantized(at, n, choice_.value_bytes()); }
    // The residual stream has one for queries, keys and values, and one for the rest.
    Quants residual_for_qkv() const { return quantized(buffers_.at.residual, spec_.n_embd, choice_.qkv_value_bytes()); }
    Quants residual() const { return quantized(buffers_.at.residual, spec_.n_embd); }
    Quants attended(uint32_t layer) const { return quantized(buffers_.at.attended, spec_.layers[layer].q_rows()); }
    uint32_t rotation_at(uint32_t layer) const {
        return buffers_.at.rotation + spec_.layers[layer].rope * buffers_.at.rotation_bytes;
    }
    Quants hidden(uint32_t layer) const { return quantized(buffers_.at.hidden, spec_.layers[layer].n_ff); }
    // The next reader's norm, and what is written for it.
    struct NextNorm {
        uint32_t weight;  // where it lies; ones where there is no norm
        Quants quantized;
    };
    NextNorm norm_of(const Reader& next) const {
        const auto norm = model::norm_before(next.matrix, spec_);
        return {norm ? buffers_.at.vectors.at({*norm, next.layer}) : buffers_.at.ones,
                next.matrix == Role::AttnQ ? residual_for_qkv() : residual()};
    }

    Launches& begin_step() { return plan_.body.emplace_back().launches; }
    // Adds a launch for each part; add_rest(part, arguments) sets what its epilogue needs behind RESULT_ARGS.
    template <typename AddRest>
    Result<void> add_matmul(Launches& to, const PlannedMatmul& planned, const AddRest& add_rest);
    template <typename... Args>
    Result<LaunchChoice> bind_single(Result<ClKernel> kernel, uint32_t groups, const Args&... args);
    // The same as the one choice of a launch.
    template <typename... Args>
    Result<void> add_single(Launch& to, Result<ClKernel> kernel, uint32_t groups, const Args&... args);

    // The matmul whose sums the next launch reads in rows of qkv_width().
    Result<void> add_intermediate_qkv(Launches& to, uint32_t layer);
    uint32_t qkv_width(uint32_t layer) const { return weights_.matmul(Role::AttnQ, layer)->rows; }
    Result<void> bind_head();

    Kernels& kernels_;
    const KernelChoice& choice_;
    const model::DecoderSpec& spec_;
    const BackendLimits& limits_;
    const GpuWeights& weights_;
    const Buffers& buffers_;
    LaunchPlan plan_;
};

template <typename AddRest>
Result<void> Binder::add_matmul(Launches& to, const PlannedMatmul& planned, const AddRest& add_rest) {
    const MatmulWeights& matmul = *weights_.matmul(planned.matrix, planned.layer);
    const bool has_norm = model::norm_before(planned.matrix, spec_).has_value();
    MatmulKey key;
    key.epilogue = planned.epilogue;
    key.has_bias = static_cast<bool>(matmul.bias);
    key.value_bytes = planned.input.value_bytes;
    key.next_value_bytes = planned.next_value_bytes;
    if (planned.epilogue == Epilogue::Qkv) key.layer = &spec_.layers[planned.layer];
    if (has_norm) key.norm = spec_.norm == model::Norm::LayerNorm ? InputNorm::Layer : InputNorm::Rms;
    for (const MatmulPart& part : matmul.parts) {
        key.layout = part.layout;
        key.image = part.image;
        const MatmulKind kind = {part.layout, matmul.rows, matmul.cols, output_kind_of(planned.epilogue),
                                 key.value_bytes};
        Launch launch;
        for (const uint32_t batch_rows : kBatchRowCounts) {
            if (batch_rows > 1 && batch_rows / 2 >= planned.rows) break;
            if (!choice_.may_compute(batch_rows)) continue;
            key.batch_rows = batch_rows;
            key.config = choice_.matmul(kind, batch_rows);
            auto kernel = kernels_.matmul(key);
            if (!kernel) return kernel.error();
            Arguments args(*kernel);
            for (const ClBuffer& array : part.arrays) {
                if (array) args.add(array);
            }
            args.add(part.n_pairs, groups_for(matmul.cols, kBlockCols));
            args.add(buffers_.activations, planned.input, part.first_pair);
            if (has_norm) args.add(static_cast<float>(spec_.n_embd), spec_.norm_eps);
            if (matmul.norm_sum) args.add(matmul.norm_sum);
            if (matmul.bias) args.add(matmul.bias);
            add_rest(part, args);
            if (auto ok = args.finish(); !ok) return ok;
            const MatmulShape& shape = key.config.shape;
            const uint32_t groups = groups_for(part.n_pairs, shape.group_pairs());
            launch.choices.push_back(
                {std::move(*kernel), batch_rows, groups, shape.items(), choice_.spread_rows(kind, batch_rows)});
        }
        to.push_back(std::move(launch));
    }
    return {};
}

template <typename... Args>
Result<LaunchChoice> Binder::bind_single(Result<ClKernel> kernel, uint32_t groups, const Args&... args) {
    if (!kernel) return kernel.error();
    if (auto ok = set_args(*kernel, args...); !ok) return ok.error();
    return LaunchChoice{std::move(*kernel), 1, groups, kGroupItems};
}

template <typename... Args>
Result<void> Binder::add_single(Launch& to, Result<ClKernel> kernel, uint32_t groups, const Args&... args) {
    auto one = bind_single(std::move(kernel), groups, args...);
    if (!one) return one.error();
    to.choices.push_back(std::move(*one));
    return {};
}

Result<void> Binder::embed(const Reader& next) {
    Launches& to = begin_step();
    const auto* embedding = weights_.matmul(Role::TokenEmbedding);
    const NextNorm norm = norm_of(next);
    const ClBuffer& positions = weights_.position_embedding();
    for (const MatmulPart& part : embedding->parts) {
        auto kernel = kernels_.embed(part.layout, part.image, static_cast<bool>(positions));
        if (!kernel) return kernel.error();
        Arguments args(*kernel);
        for (const ClBuffer& array : part.arrays) {
            if (array) args.add(array);
        }
        args.add(part.n_pairs, groups_for(embedding->cols, kBlockCols), part.first_pair, spec_.n_embd, buffers_.step,
                 buffers_.sampled);
        if (positions) args.add(positions);
        args.add(buffers_.activations, buffers_.at.x, norm.weight, norm.quantized);
        if (auto ok = args.finish(); !ok) return ok;
        Launch& launch = to.emplace_back();
        launch.choices.push_back({std::move(*kernel), 1, groups_for(norm.quantized.width, kEmbedWidth), kGroupItems});
    }
    return {};
}

Result<void> Binder::attend(uint32_t layer) {
    PlannedLaunches& to = plan_.body.emplace_back();
    const model::LayerSpec& of = spec_.layers[layer];
    const auto heads_of = [&](bool has_many_rows) { return choice_.attention_heads(of, has_many_rows); };
    const uint32_t heads = heads_of(false), heads_of_many = heads_of(true);
    const uint32_t few_rows = kManyAttentionGroups / (of.n_heads / heads_of_many);
    const Quants next = attended(layer);
    const auto bind = [&](uint32_t of_group, bool split, const auto&... rest) {
        auto bound = bind_single(kernels_.attention(of, of_group, split), of.n_heads / of_group, buffers_.activations,
                                 buffers_.at.queries, buffers_.step, buffers_.kv[layer], rest...);
        if (bound) bound->group_items = choice_.attention_items();
        return bound;
    };
    Launch whole_rows;
    if (heads * of.head_dim % kQuantBlock == 0) {
        auto whole = bind(heads, false, next);
        if (!whole) return whole.error();
        whole->spread_rows = few_rows;
        whole_rows.choices.push_back(std::move(*whole));
    }
    if (heads_of_many != heads && limits_.max_rows > few_rows) {  // then those of one fill blocks too
        auto whole = bind(heads_of_many, false, next);
        if (!whole) return whole.error();
        whole_rows.choices.push_back(std::move(*whole));
    }
    if (!whole_rows.choices.empty()) to.launches.push_back(std::move(whole_rows));
    auto split = bind(heads, true, buffers_.partials);
    if (!split) return split.error();
    to.split = std::move(*split);
    return add_single(to.merge, kernels_.merge(of), groups_for(next.width, kMergeWidth), buffers_.partials,
                      buffers_.step, buffers_.activations, next);
}

Result<void> Binder::feed_forward(uint32_t layer) {
    Launches& to = begin_step();
    const Quants next = hidden(layer);
    const bool lies_apart = model::is_gated(spec_.activation) &&
                            weights_.matmul(Role::FfnGate, layer) != weights_.matmul(Role::FfnUp, layer);
    if (lies_apart) {
        auto ok = add_matmul(to, {Role::FfnGate, layer, Epilogue::Store, residual(), limits_.max_rows},
                             [&](const auto&, Arguments& args) { args.add(buffers_.intermediate, next.width); });
        if (!ok) return ok;
    }
    const Epilogue epilogue = spec_.activation == model::Activation::Gelu          ? Epilogue::Gelu
                              : spec_.activation == model::Activation::ReluSquared ? Epilogue::ReluSquared
                              : lies_apart                                         ? Epilogue::Gated
                                                                                   : Epilogue::SwiGlu;
    return add_matmul(to, {Role::FfnUp, layer, epilogue, residual(), limits_.max_rows},
                      [&](const auto&, Arguments& args) {
                          args.add(next);
                          if (lies_apart) args.add(buffers_.intermediate);
                      });
}

Result<void> Binder::add_intermediate_qkv(Launches& to, uint32_t layer) {
    return add_matmul(to, {Role::AttnQ, layer, Epilogue::Store, residual_for_qkv(), limits_.max_rows},
                      [&](const auto&, Arguments& args) { args.add(buffers_.intermediate, qkv_width(layer)); });
}

Result<void> Binder::make_qkv(uint32_t layer) {
    Launches& to = begin_step();
    const model::LayerSpec& of = spec_.layers[layer];
    if (of.qk_norm == model::QkNorm::None) {
        return add_matmul(to, {Role::AttnQ, layer, Epilogue::Qkv, residual_for_qkv(), limits_.max_rows},
                          [&](const auto&, Arguments& args) {
                              args.add(buffers_.at.queries, of.scale_of_scores(), rotation_at(layer),
                                       buffers_.kv[layer], buffers_.step);
                          });
    }
    if (auto ok = add_intermediate_qkv(to, layer); !ok) return ok;
    const auto norm = [&](Role role) { return buffers_.at.vectors.at({role, layer}); };
    return add_single(to.emplace_back(), kernels_.heads(of), of.n_heads + 2 * of.n_kv_heads, buffers_.intermediate,
                      qkv_width(layer), buffers_.activations, norm(Role::AttnQNorm), norm(Role::AttnKNorm),
                      spec_.norm_eps, buffers_.at.queries, of.scale_of_scores(), rotation_at(layer), buffers_.kv[layer],
                      buffers_.step);
}

Result<void> Binder::convolve(uint32_t layer) {
    Launches& to = begin_step();
    if (auto ok = add_intermediate_qkv(to, layer); !ok) return ok;
    const Quants next = attended(layer);
    return add_single(to.emplace_back(), kernels_.convolve(spec_.layers[layer]), groups_for(next.width, kEmbedWidth),
                      buffers_.intermediate, qkv_width(layer), buffers_.activations,
                      buffers_.at.vectors.at({Role::ConvTaps, layer}), buffers_.kv[layer], buffers_.step, next);
}

Result<void> Binder::add_to_residual(Role matrix, uint32_t layer, const Reader& next) {
    Launches& to = begin_step();
    const NextNorm norm = norm_of(next);
    const Quants input = matrix == Role::FfnDown ? hidden(layer) : attended(layer);
    const auto post_norm = model::norm_behind(matrix, spec_);
    if (!post_norm) {
        return add_matmul(to, {matrix, layer, Epilogue::Residual, input, limits_.max_rows, norm.quantized.value_bytes},
                          [&](const auto&, Arguments& args) { args.add(buffers_.at.x, norm.weight, norm.quantized); });
    }
    if (spec_.norm != model::Norm::RmsNorm) {
        return base::fail(base::ErrorCode::DeviceError, "a GPU has no form for a LayerNorm behind a matmul");
    }
    const uint32_t width = padded_width(spec_.n_embd);
    auto ok = add_matmul(to, {matrix, layer, Epilogue::Store, input, limits_.max_rows},
                         [&](const auto&, Arguments& args) { args.add(buffers_.intermediate, width); });
    if (!ok) return ok;
    return add_single(to.emplace_back(), kernels_.post_norm(norm.quantized.value_bytes), groups_for(width, kEmbedWidth),
                      buffers_.intermediate, static_cast<float>(spec_.n_embd), spec_.norm_eps, buffers_.activations,
                      buffers_.at.x, buffers_.at.vectors.at({*post_norm, layer}), norm.weight, norm.quantized);
}

Result<void> Binder::bind_head() {
    const MatmulWeights& matmul = *weights_.matmul(Role::Output);
    const uint32_t groups = choice_groups(matmul, choice_);
    auto ok = add_matmul(plan_.head, {Role::Output, 0, Epilogue::Logits, residual(), limits_.most_outputs()},
                         [&](const MatmulPart& part, Arguments& args) {
                             args.add(buffers_.logits, spec_.n_vocab, buffers_.requests, buffers_.step,
                                      buffers_.summaries, groups_before(matmul, part, choice_), groups);
                         });
    if (!ok) return ok;
    ok = add_single(plan_.choose, kernels_.choose(), 1, buffers_.summaries, groups, buffers_.step, buffers_.sampled,
                    buffers_.answer);
    if (!ok) return ok;
    return add_single(plan_.candidates, kernels_.candidates(spec_.n_vocab), kSampleChunks, buffers_.logits,
                      buffers_.requests, buffers_.step, buffers_.candidates);
}

Result<LaunchPlan> Binder::bind() {
    if (auto ok = decode(spec_, *this); !ok) return ok.error();
    if (auto ok = bind_head(); !ok) return ok.error();
    return std::move(plan_);
}

}  // namespace

uint32_t choice_groups(const MatmulWeights& matmul, const KernelChoice& kernel_choice) {
    uint32_t groups = 0;
    for (const MatmulPart& part : matmul.parts) groups += logit_groups(matmul, part, kernel_choice);
    return groups;
}

Result<LaunchPlan> LaunchPlan::bind(Kernels& kernels, const KernelChoice& kernel_choice, const model::DecoderSpec& spec,
                                    const BackendLimits& limits, const GpuWeights& weights, const Buffers& buffers) {
    return Binder(kernels, kernel_choice, spec, limits, weights, buffers).bind();
}

}  // namespace llmd::compute::gpu
