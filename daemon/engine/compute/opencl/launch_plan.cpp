#include "engine/compute/opencl/launch_plan.h"

#include <cmath>
#include <tuple>
#include <utility>

namespace llmd::compute {
namespace {

using base::Result;
using model::Role;

class Binder {
public:
    Binder(const DeviceQueue& queue, KernelSet& kernels, const model::ModelConfig& config, const DeviceWeights& weights,
           const DeviceBuffers& buffers)
        : queue_(queue), kernels_(kernels), config_(config), weights_(weights), buffers_(buffers) {}

    Result<void> bind_embedding(Launches& to);
    Result<void> bind_layer(uint32_t layer, LayerLaunches& to);
    Result<void> bind_head(Launches& to);
    Result<void> bind_sample(Launches& to);

private:
    // A kernel that computes `rows` rows of the batch in a work-group.
    static void add(Launches& to, ClKernel kernel, uint32_t groups, uint32_t group_items, uint32_t rows = 1) {
        to.emplace_back().variants.push_back({std::move(kernel), rows, groups, group_items});
    }
    Result<void> add_norm(Launches& to, Role weight, Role bias, uint32_t layer, bool of_outputs);
    // y[y_first...] of rows that are y_stride long = matrix x (+ bias), for every part of the matrix.
    Result<void> add_matvec(Launches& to, const DeviceMatrix& matrix, const ClBuffer& x, const ClBuffer* bias,
                            const ClBuffer& y, uint32_t y_stride, uint32_t y_first, Epilogue epilogue,
                            bool of_outputs = false);

    const DeviceQueue& queue_;
    KernelSet& kernels_;
    const model::ModelConfig& config_;
    const DeviceWeights& weights_;
    const DeviceBuffers& buffers_;
};

Result<void> Binder::bind_embedding(Launches& to) {
    auto matrix = weights_.matrix(Role::TokenEmbedding);
    if (!matrix) return matrix.error();
    const ClBuffer* positions = weights_.find_vector(Role::PositionEmbedding);
    if (config_.positions == model::Positions::Learned && positions == nullptr) {
        return weights_.vector(Role::PositionEmbedding).error();
    }
    for (const MatrixPart& part : (*matrix)->parts) {
        auto kernel = kernels_.embed(queue_, (*matrix)->type);
        if (!kernel) return kernel.error();
        if (auto ok = set_args(*kernel, part.buffer, (*matrix)->row_bytes, part.first_row, part.rows, buffers_.step,
                               buffers_.sampled, positions ? *positions : buffers_.step, uint32_t{positions != nullptr},
                               buffers_.x);
            !ok) {
            return ok;
        }
        add(to, std::move(*kernel), static_cast<uint32_t>((config_.n_embd + 32 * kGroupItems - 1) / (32 * kGroupItems)),
            kGroupItems);
    }
    return {};
}

Result<void> Binder::add_norm(Launches& to, Role weight, Role bias, uint32_t layer, bool of_outputs) {
    auto scale = weights_.vector(weight, layer);
    if (!scale) return scale.error();
    const ClBuffer* shift = weights_.find_vector(bias, layer);
    auto kernel = kernels_.norm();
    if (!kernel) return kernel.error();
    if (auto ok = set_args(*kernel, buffers_.x, **scale, shift ? *shift : **scale, uint32_t{shift != nullptr},
                           config_.norm_eps, buffers_.step, uint32_t{of_outputs}, buffers_.normed);
        !ok) {
        return ok;
    }
    add(to, std::move(*kernel), 1, kernels_.group_items());
    return {};
}

Result<void> Binder::add_matvec(Launches& to, const DeviceMatrix& matrix, const ClBuffer& x, const ClBuffer* bias,
                                const ClBuffer& y, uint32_t y_stride, uint32_t y_first, Epilogue epilogue,
                                bool of_outputs) {
    for (const MatrixPart& part : matrix.parts) {
        Launch launch;
        for (const MatvecShape& shape : kernels_.matvec_shapes()) {
            auto kernel = kernels_.matvec(queue_, matrix.type, shape);
            if (!kernel) return kernel.error();
            const MatvecArguments arguments{
                part.buffer, matrix.row_bytes, part.rows, matrix.cols,   x,         bias, y, y_stride,
                y_first,     part.first_row,   epilogue,  buffers_.step, of_outputs};
            if (auto ok = kernels_.set_matvec_args(*kernel, shape, arguments); !ok) return ok;
            const uint32_t groups = (part.rows + shape.rows - 1) / shape.rows;
            launch.variants.push_back({std::move(*kernel), shape.columns, groups, shape.group_items});
        }
        to.push_back(std::move(launch));
    }
    return {};
}

Result<void> Binder::bind_layer(uint32_t layer, LayerLaunches& to) {
    const uint32_t q_rows = config_.q_rows(), kv_rows = config_.kv_rows(), qkv_rows = q_rows + 2 * kv_rows;
    const auto project = [&](Launches& list, Role role, Role bias, const ClBuffer& x, const ClBuffer& y,
                             uint32_t y_stride, uint32_t y_first, Epilogue epilogue) -> Result<void> {
        auto matrix = weights_.matrix(role, layer);
        if (!matrix) return matrix.error();
        return add_matvec(list, **matrix, x, weights_.find_vector(bias, layer), y, y_stride, y_first, epilogue);
    };

    if (auto ok = add_norm(to.norm_qkv, Role::AttnNorm, Role::AttnNormBias, layer, false); !ok) return ok;
    const std::tuple<Role, Role, uint32_t> projections[] = {
        {Role::AttnQ, Role::AttnQBias, 0},
        {Role::AttnK, Role::AttnKBias, q_rows},
        {Role::AttnV, Role::AttnVBias, q_rows + kv_rows},
    };
    for (const auto& [role, bias, first] : projections) {
        if (auto ok = project(to.norm_qkv, role, bias, buffers_.normed, buffers_.qkv, qkv_rows, first, Epilogue::Store);
            !ok)
            return ok;
    }

    auto rope_kv = kernels_.rope_kv();
    if (!rope_kv) return rope_kv.error();
    if (auto ok = set_args(*rope_kv, buffers_.qkv, buffers_.rotation, buffers_.step, buffers_.page_tables,
                           buffers_.keys[layer], buffers_.values[layer]);
        !ok)
        return ok;
    add(to.norm_qkv, std::move(*rope_kv), kernels_.rope_kv_groups(config_), kernels_.group_items(),
        kernels_.rope_kv_takes_batch() ? kWholeBatch : 1);

    auto attention = kernels_.attention();
    if (!attention) return attention.error();
    const float scale = 1.0f / std::sqrt(static_cast<float>(config_.head_dim));
    if (auto ok = set_args(*attention, buffers_.qkv, buffers_.step, buffers_.page_tables, buffers_.keys[layer],
                           buffers_.values[layer], scale, buffers_.attended);
        !ok) {
        return ok;
    }
    add(to.attend, std::move(*attention), config_.n_heads, kernels_.group_items());

    if (auto ok = project(to.attend_output, Role::AttnOutput, Role::AttnOutputBias, buffers_.attended, buffers_.x,
                          config_.n_embd, 0, Epilogue::Add);
        !ok) {
        return ok;
    }

    if (auto ok = add_norm(to.norm_up, Role::FfnNorm, Role::FfnNormBias, layer, false); !ok) return ok;
    const bool gated = config_.activation == model::Activation::SwiGlu;
    if (gated) {
        auto gate = weights_.matrix(Role::FfnGate, layer);
        if (!gate) return gate.error();
        if (auto ok = add_matvec(to.norm_up, **gate, buffers_.normed, nullptr, buffers_.hidden, config_.n_ff, 0,
                                 Epilogue::Store);
            !ok) {
            return ok;
        }
    }
    if (auto ok = project(to.norm_up, Role::FfnUp, Role::FfnUpBias, buffers_.normed, buffers_.hidden, config_.n_ff, 0,
                          gated ? Epilogue::SwiGlu : Epilogue::Gelu);
        !ok) {
        return ok;
    }
    return project(to.down, Role::FfnDown, Role::FfnDownBias, buffers_.hidden, buffers_.x, config_.n_embd, 0,
                   Epilogue::Add);
}

Result<void> Binder::bind_head(Launches& to) {
    const DeviceMatrix* matrix = weights_.find_matrix(Role::Output);
    if (matrix == nullptr) matrix = weights_.find_matrix(Role::TokenEmbedding);
    if (auto ok = add_norm(to, Role::OutputNorm, Role::OutputNormBias, 0, true); !ok) return ok;
    return add_matvec(to, *matrix, buffers_.normed, nullptr, buffers_.logits, config_.n_vocab, 0, Epilogue::Store,
                      true);
}

Result<void> Binder::bind_sample(Launches& to) {
    auto kernel = kernels_.sample();
    if (!kernel) return kernel.error();
    if (auto ok = set_args(*kernel, buffers_.logits, buffers_.requests, buffers_.step, buffers_.answer); !ok) return ok;
    add(to, std::move(*kernel), kSampleChunks, kernels_.group_items());
    auto choose = kernels_.choose();
    if (!choose) return choose.error();
    if (auto ok = set_args(*choose, buffers_.answer, buffers_.step, buffers_.sampled); !ok) return ok;
    add(to, std::move(*choose), 1, kGroupItems);
    return {};
}

}  // namespace

Result<LaunchPlan> LaunchPlan::bind(const DeviceQueue& queue, KernelSet& kernels, const model::ModelConfig& config,
                                    const DeviceWeights& weights, const DeviceBuffers& buffers) {
    Binder binder(queue, kernels, config, weights, buffers);
    LaunchPlan plan;
    if (auto ok = binder.bind_embedding(plan.embed); !ok) return ok.error();
    plan.layers.resize(config.n_layers);
    for (uint32_t layer = 0; layer < config.n_layers; ++layer) {
        if (auto ok = binder.bind_layer(layer, plan.layers[layer]); !ok) return ok.error();
    }
    if (auto ok = binder.bind_head(plan.head); !ok) return ok.error();
    if (auto ok = binder.bind_sample(plan.sample); !ok) return ok.error();
    return plan;
}

}  // namespace llmd::compute
