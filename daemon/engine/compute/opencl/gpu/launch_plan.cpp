#include "engine/compute/opencl/gpu/launch_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
};

// Sets a kernel's arguments one after the other.
class Arguments {
public:
    explicit Arguments(const ClKernel& kernel) : kernel_(kernel) {}

    template <typename... Args>
    Arguments& add(const Args&... args) {
        (add_one(args), ...);
        return *this;
    }
    const Result<void>& result() const { return result_; }

private:
    void add_one(const Quants& quantized) { add(quantized.at, quantized.bytes, quantized.width); }
    template <typename Arg>
    void add_one(const Arg& arg) {
        if (result_) result_ = set_arg(kernel_, index_, arg);
        ++index_;
    }

    const ClKernel& kernel_;
    cl_uint index_ = 0;
    Result<void> result_;
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

using model::Operand;
using model::Operation;
using model::Operator;
using Operations = std::span<const Operation>;

class Binder {
public:
    Binder(Kernels& kernels, const KernelChoice& kernel_choice, const model::DecoderSpec& spec, Operations operations,
           const BackendLimits& limits, const GpuWeights& weights, const Buffers& buffers)
        : kernels_(kernels),
          choice_(kernel_choice),
          spec_(spec),
          limits_(limits),
          weights_(weights),
          buffers_(buffers),
          operations_(operations) {}

    Result<LaunchPlan> bind();

private:
    // Operations that the GPU computes together, and what binds them.
    struct Step {
        Operator op;
        bool may_be_absent = false;
    };
    struct FusedOp {
        std::vector<Step> steps;
        Result<void> (Binder::*bind)(Operations operations, PlannedLaunches& to);
    };
    static const std::vector<FusedOp>& fused_ops();

    // The input of a matmul, and the epilogue of its sums.
    struct PlannedMatmul {
        MatmulRole role;
        uint32_t layer;
        Epilogue epilogue;
        bool has_norm;
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
    // The input of a matmul whose result goes into the residual stream.
    Quants projected_from(const Operation& matmul) const {
        return matmul.in == Operand::Attended ? attended(matmul.layer) : hidden(matmul.layer);
    }
    uint32_t rotation_at(uint32_t layer) const {
        return buffers_.at.rotation + spec_.layers[layer].rope * buffers_.at.rotation_bytes;
    }
    static bool begins_with_norm(Operations operations) { return operations.front().op == Operator::Norm; }
    PlannedMatmul qkv_matmul(Operations operations, Epilogue epilogue) const {
        const uint32_t layer = operations.front().layer;
        return {MatmulRole::Qkv, layer, epilogue, begins_with_norm(operations), residual_for_qkv(), limits_.max_rows};
    }
    Quants hidden(uint32_t layer) const { return quantized(buffers_.at.hidden, spec_.layers[layer].n_ff); }
    // How many of the body's operations from `next` on are of the fused op; 0: they do not begin it.
    static size_t count_of_fused_op(const FusedOp& fused_op, Operations body, size_t next);
    // Where the weight of a norm lies.
    uint32_t norm_at(const Operation& norm) const;
    // The norm, or the matmul without one, that reads the residual stream behind these operations: where its weight
    // lies, and what is written for the matmul.
    struct NextNorm {
        uint32_t weight;
        Quants quantized;
    };
    Result<NextNorm> norm_behind(Operations operations) const;

    // Adds a launch for each part; add_rest(part, arguments) sets what its epilogue needs behind RESULT_ARGS.
    template <typename AddRest>
    Result<void> add_matmul(Launches& to, const PlannedMatmul& planned, const AddRest& add_rest);
    template <typename... Args>
    Result<LaunchChoice> bind_single(Result<ClKernel> kernel, uint32_t groups, const Args&... args);
    // The same as the one choice of a launch.
    template <typename... Args>
    Result<void> add_single(Launch& to, Result<ClKernel> kernel, uint32_t groups, const Args&... args);

    Result<void> bind_embedding(Operations operations, PlannedLaunches& to);
    Result<void> bind_qkv(Operations operations, PlannedLaunches& to);
    // The matmul alone, whose sums the next launch reads in rows of its width.
    Result<void> bind_intermediate_qkv(Operations operations, PlannedLaunches& to);
    uint32_t qkv_width(uint32_t layer) const { return weights_.matmul(MatmulRole::Qkv, layer)->rows; }
    Result<void> bind_heads(Operations operations, PlannedLaunches& to);
    Result<void> bind_post_norm(Operations operations, PlannedLaunches& to);
    Result<void> bind_convolution(Operations operations, PlannedLaunches& to);
    Result<void> bind_attention(Operations operations, PlannedLaunches& to);
    Result<void> bind_residual(Operations operations, PlannedLaunches& to);
    Result<void> bind_up(Operations operations, PlannedLaunches& to);
    Result<void> bind_head(LaunchPlan& to);

    Kernels& kernels_;
    const KernelChoice& choice_;
    const model::DecoderSpec& spec_;
    const BackendLimits& limits_;
    const GpuWeights& weights_;
    const Buffers& buffers_;
    const Operations operations_;
};

// The first fused op whose operators are there is taken.
const std::vector<Binder::FusedOp>& Binder::fused_ops() {
    using enum Operator;
    constexpr bool kMayBeAbsent = true;
    constexpr Step kNorm = {Norm, kMayBeAbsent}, kRotate = {Rotate, kMayBeAbsent};
    static const std::vector<FusedOp> kFusedOps = {
        {{{Embed}}, &Binder::bind_embedding},
        {{kNorm, {Matmul}, {Matmul}, {Matmul}, kRotate, kRotate, {StoreKv}}, &Binder::bind_qkv},
        {{kNorm, {Matmul}, {Matmul}, {Matmul}, {HeadNorm}, {HeadNorm}, kRotate, kRotate, {StoreKv}},
         &Binder::bind_heads},
        {{kNorm, {Matmul}, {Matmul}, {Matmul}, {Rotate}, {Rotate}, {HeadNorm}, {HeadNorm}, {StoreKv}},
         &Binder::bind_heads},
        {{kNorm, {Matmul}, {Matmul}, {Matmul}, {Convolve}}, &Binder::bind_convolution},
        {{{Attend}}, &Binder::bind_attention},
        {{{Matmul}, {Add}}, &Binder::bind_residual},
        {{{Matmul}, {Norm}, {Add}}, &Binder::bind_post_norm},
        {{kNorm, {Matmul}, {Matmul, kMayBeAbsent}, {Activate}}, &Binder::bind_up},
    };
    return kFusedOps;
}

size_t Binder::count_of_fused_op(const FusedOp& fused_op, Operations body, size_t next) {
    const size_t first = next;
    for (const Step& step : fused_op.steps) {
        if (next < body.size() && body[next].op == step.op) {
            ++next;
        } else if (!step.may_be_absent) {
            return 0;
        }
    }
    return next - first;
}

uint32_t Binder::norm_at(const Operation& norm) const {
    const auto n_before =
        std::count_if(operations_.data(), &norm, [](const auto& o) { return o.op == Operator::Norm; });
    return buffers_.at.norms + static_cast<uint32_t>(n_before) * buffers_.at.norm_bytes;
}

Result<Binder::NextNorm> Binder::norm_behind(Operations operations) const {
    const Operation& next = *(operations.data() + operations.size());
    const bool is_of_qkv = next.weight == model::Role::AttnNorm || next.weight == model::Role::AttnQ;
    const Quants quantized = is_of_qkv ? residual_for_qkv() : residual();
    if (next.op == Operator::Norm && next.in == Operand::Residual) return NextNorm{norm_at(next), quantized};
    // The ones are behind the norms.
    if (next.op == Operator::Matmul && next.in == Operand::Residual) {
        return NextNorm{norm_at(*(operations_.data() + operations_.size())), quantized};
    }
    return base::fail(base::ErrorCode::DeviceError, "operation ", &next - operations_.data(), ", of layer ", next.layer,
                      ", reads no residual stream: a GPU has no form for that");
}

template <typename AddRest>
Result<void> Binder::add_matmul(Launches& to, const PlannedMatmul& planned, const AddRest& add_rest) {
    const MatmulWeights& matmul = *weights_.matmul(planned.role, planned.layer);
    MatmulKey key;
    key.epilogue = planned.epilogue;
    key.has_bias = static_cast<bool>(matmul.bias);
    key.value_bytes = planned.input.value_bytes;
    key.next_value_bytes = planned.next_value_bytes;
    if (planned.epilogue == Epilogue::Qkv) key.layer = &spec_.layers[planned.layer];
    if (planned.has_norm) key.norm = spec_.norm == model::Norm::LayerNorm ? InputNorm::Layer : InputNorm::Rms;
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
            if (planned.has_norm) args.add(static_cast<float>(spec_.n_embd), spec_.norm_eps);
            if (matmul.norm_sum) args.add(matmul.norm_sum);
            if (matmul.bias) args.add(matmul.bias);
            add_rest(part, args);
            if (!args.result()) return args.result();
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
    if (auto ok = Arguments(*kernel).add(args...).result(); !ok) return ok.error();
    return LaunchChoice{std::move(*kernel), 1, groups, kGroupItems};
}

template <typename... Args>
Result<void> Binder::add_single(Launch& to, Result<ClKernel> kernel, uint32_t groups, const Args&... args) {
    auto one = bind_single(std::move(kernel), groups, args...);
    if (!one) return one.error();
    to.choices.push_back(std::move(*one));
    return {};
}

Result<void> Binder::bind_residual(Operations operations, PlannedLaunches& to) {
    const Operation& matmul = operations.front();
    const Quants input = projected_from(matmul);
    const auto next = norm_behind(operations);
    if (!next) return next.error();
    const MatmulRole role = weights_.matmul_role_of(matmul.weight, matmul.layer);
    return add_matmul(
        to.launches,
        {role, matmul.layer, Epilogue::Residual, false, input, limits_.max_rows, next->quantized.value_bytes},
        [&](const auto&, Arguments& args) { args.add(buffers_.at.x, next->weight, next->quantized); });
}

Result<void> Binder::bind_embedding(Operations operations, PlannedLaunches& to) {
    const auto* embedding = weights_.matmul(MatmulRole::Embedding);
    if (embedding == nullptr) embedding = weights_.matmul(MatmulRole::Output);
    const auto norm = norm_behind(operations);
    if (!norm) return norm.error();
    const Quants& next = norm->quantized;
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
        args.add(buffers_.activations, buffers_.at.x, norm->weight, next);
        if (!args.result()) return args.result();
        Launch& launch = to.launches.emplace_back();
        launch.choices.push_back({std::move(*kernel), 1, groups_for(next.width, kEmbedWidth), kGroupItems});
    }
    return {};
}

Result<void> Binder::bind_attention(Operations operations, PlannedLaunches& to) {
    const uint32_t layer = operations.front().layer;
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

Result<void> Binder::bind_up(Operations operations, PlannedLaunches& to) {
    const uint32_t layer = operations.front().layer;
    const Quants next = hidden(layer);
    const bool has_norm = begins_with_norm(operations);
    const bool lies_apart = weights_.matmul(MatmulRole::Gate, layer) != nullptr;
    if (lies_apart) {
        auto ok =
            add_matmul(to.launches, {MatmulRole::Gate, layer, Epilogue::Store, has_norm, residual(), limits_.max_rows},
                       [&](const auto&, Arguments& args) { args.add(buffers_.intermediate, next.width); });
        if (!ok) return ok;
    }
    const Epilogue epilogue = spec_.activation == model::Activation::Gelu          ? Epilogue::Gelu
                              : spec_.activation == model::Activation::ReluSquared ? Epilogue::ReluSquared
                              : lies_apart                                         ? Epilogue::Gated
                                                                                   : Epilogue::SwiGlu;
    return add_matmul(to.launches, {MatmulRole::Up, layer, epilogue, has_norm, residual(), limits_.max_rows},
                      [&](const auto&, Arguments& args) {
                          args.add(next);
                          if (lies_apart) args.add(buffers_.intermediate);
                      });
}

Result<void> Binder::bind_qkv(Operations operations, PlannedLaunches& to) {
    const uint32_t layer = operations.front().layer;
    return add_matmul(to.launches, qkv_matmul(operations, Epilogue::Qkv), [&](const auto&, Arguments& args) {
        args.add(buffers_.at.queries, spec_.layers[layer].scale_of_scores(), rotation_at(layer), buffers_.kv[layer],
                 buffers_.step);
    });
}

Result<void> Binder::bind_intermediate_qkv(Operations operations, PlannedLaunches& to) {
    return add_matmul(to.launches, qkv_matmul(operations, Epilogue::Store), [&](const auto&, Arguments& args) {
        args.add(buffers_.intermediate, qkv_width(operations.front().layer));
    });
}

Result<void> Binder::bind_convolution(Operations operations, PlannedLaunches& to) {
    if (auto ok = bind_intermediate_qkv(operations, to); !ok) return ok;
    const uint32_t layer = operations.front().layer;
    const Quants next = attended(layer);
    return add_single(to.launches.emplace_back(), kernels_.convolve(spec_.layers[layer]),
                      groups_for(next.width, kEmbedWidth), buffers_.intermediate, qkv_width(layer),
                      buffers_.activations, buffers_.at.taps.at(layer), buffers_.kv[layer], buffers_.step, next);
}

Result<void> Binder::bind_heads(Operations operations, PlannedLaunches& to) {
    if (auto ok = bind_intermediate_qkv(operations, to); !ok) return ok;
    const uint32_t layer = operations.front().layer;
    const model::LayerSpec& of = spec_.layers[layer];
    const auto norm = [&](model::Role role) { return buffers_.at.head_norms.at({role, layer}); };
    return add_single(to.launches.emplace_back(), kernels_.heads(of), of.n_heads + 2 * of.n_kv_heads,
                      buffers_.intermediate, qkv_width(layer), buffers_.activations, norm(model::Role::AttnQNorm),
                      norm(model::Role::AttnKNorm), spec_.norm_eps, buffers_.at.queries, of.scale_of_scores(),
                      rotation_at(layer), buffers_.kv[layer], buffers_.step);
}

Result<void> Binder::bind_post_norm(Operations operations, PlannedLaunches& to) {
    const Operation& matmul = operations.front();
    const auto next = norm_behind(operations);
    if (!next) return next.error();
    if (spec_.norm != model::Norm::RmsNorm) {
        return base::fail(base::ErrorCode::DeviceError, "a GPU has no form for a LayerNorm behind a matmul");
    }
    const uint32_t width = padded_width(spec_.n_embd);
    const MatmulRole role = weights_.matmul_role_of(matmul.weight, matmul.layer);
    auto ok =
        add_matmul(to.launches, {role, matmul.layer, Epilogue::Store, false, projected_from(matmul), limits_.max_rows},
                   [&](const auto&, Arguments& args) { args.add(buffers_.intermediate, width); });
    if (!ok) return ok;
    return add_single(to.launches.emplace_back(), kernels_.post_norm(next->quantized.value_bytes),
                      groups_for(width, kEmbedWidth), buffers_.intermediate, static_cast<float>(spec_.n_embd),
                      spec_.norm_eps, buffers_.activations, buffers_.at.x, norm_at(operations[1]), next->weight,
                      next->quantized);
}

Result<void> Binder::bind_head(LaunchPlan& to) {
    const MatmulWeights& matmul = *weights_.matmul(MatmulRole::Output);
    const uint32_t groups = choice_groups(matmul, choice_);
    auto ok = add_matmul(to.head, {MatmulRole::Output, 0, Epilogue::Logits, true, residual(), limits_.most_outputs()},
                         [&](const MatmulPart& part, Arguments& args) {
                             args.add(buffers_.logits, spec_.n_vocab, buffers_.requests, buffers_.step,
                                      buffers_.summaries, groups_before(matmul, part, choice_), groups);
                         });
    if (!ok) return ok;
    ok = add_single(to.choose, kernels_.choose(), 1, buffers_.summaries, groups, buffers_.step, buffers_.sampled,
                    buffers_.answer);
    if (!ok) return ok;
    return add_single(to.candidates, kernels_.candidates(spec_.n_vocab), kSampleChunks, buffers_.logits,
                      buffers_.requests, buffers_.step, buffers_.candidates);
}

Result<LaunchPlan> Binder::bind() {
    LaunchPlan plan;
    const Operations body = model::body_operations(operations_);
    for (size_t next = 0; next < body.size();) {
        const auto fused_op = std::find_if(fused_ops().begin(), fused_ops().end(),
                                           [&](const FusedOp& one) { return count_of_fused_op(one, body, next) != 0; });
        if (fused_op == fused_ops().end()) {
            return base::fail(base::ErrorCode::DeviceError, "operation ", next, ", of layer ", body[next].layer,
                              ", has no form on a GPU");
        }
        const Operations operations = body.subspan(next, count_of_fused_op(*fused_op, body, next));
        if (auto ok = (this->*fused_op->bind)(operations, plan.body.emplace_back()); !ok) return ok.error();
        next += operations.size();
    }
    if (auto ok = bind_head(plan); !ok) return ok.error();
    return plan;
}

}  // namespace

uint32_t choice_groups(const MatmulWeights& matmul, const KernelChoice& kernel_choice) {
    uint32_t groups = 0;
    for (const MatmulPart& part : matmul.parts) groups += logit_groups(matmul, part, kernel_choice);
    return groups;
}

Result<LaunchPlan> LaunchPlan::bind(Kernels& kernels, const KernelChoice& kernel_choice, const model::DecoderSpec& spec,
                                    Operations operations, const BackendLimits& limits, const GpuWeights& weights,
                                    const Buffers& buffers) {
    return Binder(kernels, kernel_choice, spec, operations, limits, weights, buffers).bind();
}

}  // namespace llmd::compute::gpu
