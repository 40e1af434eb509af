#include "engine/compute/opencl/blocks/launch_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/compute/opencl/sample_exchange.h"

namespace llmd::compute::blocks {
namespace {

using base::Result;
using model::Role;

class Binder {
public:
    Binder(const DeviceQueue& queue, Kernels& kernels, const model::ModelConfig& config, const BlockWeights& weights,
           const Buffers& buffers)
        : queue_(queue), kernels_(kernels), config_(config), weights_(weights), buffers_(buffers) {}

    Result<void> bind_embedding(Launches& to);
    Result<void> bind_layer(uint32_t layer, LayerLaunches& to);
    Result<void> bind_head(Launches& to);
    Result<void> bind_sample(Launches& to);

private:
    // A kernel whose work-groups are one item and compute so many rows of the batch.
    static void add(Launches& to, ClKernel kernel, uint32_t groups, uint32_t rows = 1) {
        to.emplace_back().variants.push_back({std::move(kernel), rows, groups, 1});
    }
    // A kernel that computes a row of the batch with groups of kGroupItems.
    static void add_wide(Launches& to, ClKernel kernel, uint32_t groups) {
        to.emplace_back().variants.push_back({std::move(kernel), 1, groups, kGroupItems});
    }
    Result<void> add_norm(Launches& to, Role weight, Role bias, uint32_t layer, bool of_outputs);
    // Before the products of a batch so wide that they take x packed.
    Result<void> add_pack(Launches& to, const ClBuffer& x, uint32_t cols, bool of_outputs = false);
    // y[y_first...] of rows that are y_stride long = matrix x (+ bias), for every part of the matrix.
    Result<void> add_matvec(Launches& to, const BlockMatrix& matrix, const ClBuffer& x, const ClBuffer* bias,
                            const ClBuffer& y, uint32_t y_stride, uint32_t y_first, Epilogue epilogue,
                            bool of_outputs = false);

    // For batches of one row, in place of what `to` has.
    static void add_alone(Launches& to, Launches alone);
    // To what takes a norm and its products of any batch, one launch that does it all for a batch of one row; nothing
    // where no kernel can. `gate` is null but for SwiGlu.
    Result<void> join_product(Launches& to, Role norm_weight, Role norm_bias, uint32_t layer, const BlockMatrix& matrix,
                              const BlockMatrix* gate, const ClBuffer* bias, const ClBuffer& y, Epilogue epilogue,
                              bool of_outputs = false);
    Result<void> join_qkv(Launches& to, uint32_t layer);

    struct NormVectors {
        const ClBuffer* scale;
        const ClBuffer* shift;  // null: none
    };
    Result<NormVectors> norm_vectors(Role weight, Role bias, uint32_t layer) const;

    const DeviceQueue& queue_;
    Kernels& kernels_;
    const model::ModelConfig& config_;
    const BlockWeights& weights_;
    const Buffers& buffers_;
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
        add_wide(to, std::move(*kernel),
                 static_cast<uint32_t>((config_.n_embd + 32 * kGroupItems - 1) / (32 * kGroupItems)));
    }
    return {};
}

Result<Binder::NormVectors> Binder::norm_vectors(Role weight, Role bias, uint32_t layer) const {
    auto scale = weights_.vector(weight, layer);
    if (!scale) return scale.error();
    return NormVectors{*scale, weights_.find_vector(bias, layer)};
}

Result<void> Binder::add_norm(Launches& to, Role weight, Role bias, uint32_t layer, bool of_outputs) {
    const auto norm = norm_vectors(weight, bias, layer);
    if (!norm) return norm.error();
    auto kernel = kernels_.norm();
    if (!kernel) return kernel.error();
    const auto& [scale, shift] = *norm;
    if (auto ok = set_args(*kernel, buffers_.x, *scale, shift ? *shift : *scale, uint32_t{shift != nullptr},
                           config_.norm_eps, buffers_.step, uint32_t{of_outputs}, buffers_.normed);
        !ok) {
        return ok;
    }
    add(to, std::move(*kernel), 1);
    return {};
}

Result<void> Binder::add_pack(Launches& to, const ClBuffer& x, uint32_t cols, bool of_outputs) {
    const auto shapes = kernels_.matvec_shapes(cols);
    if (!shapes.back().takes_packed) return {};
    auto kernel = kernels_.pack();
    if (!kernel) return kernel.error();
    if (auto ok = set_pack_args(*kernel, x, cols, buffers_.step, of_outputs, buffers_.packed); !ok) return ok;
    Launch& launch = to.emplace_back();
    launch.variants.push_back({ClKernel(), shapes[shapes.size() - 2].columns});
    launch.variants.push_back({std::move(*kernel), kPackedColumns, kPackGroups, 1});
    return {};
}

Result<void> Binder::add_matvec(Launches& to, const BlockMatrix& matrix, const ClBuffer& x, const ClBuffer* bias,
                                const ClBuffer& y, uint32_t y_stride, uint32_t y_first, Epilogue epilogue,
                                bool of_outputs) {
    for (const MatrixPart& part : matrix.parts) {
        Launch launch;
        for (const MatvecShape& shape : kernels_.matvec_shapes(matrix.cols)) {
            auto kernel = kernels_.matvec(queue_, matrix.type, shape);
            if (!kernel) return kernel.error();
            const MatvecArguments arguments{part.buffer,
                                            matrix.row_bytes,
                                            part.rows,
                                            matrix.cols,
                                            shape.takes_packed ? buffers_.packed : x,
                                            bias,
                                            y,
                                            y_stride,
                                            y_first,
                                            part.first_row,
                                            epilogue,
                                            buffers_.step,
                                            of_outputs};
            if (auto ok = set_matvec_args(*kernel, shape, arguments); !ok) return ok;
            const uint32_t groups = (part.rows + kGroupRows - 1) / kGroupRows;
            launch.variants.push_back({std::move(*kernel), shape.columns, groups, 1});
        }
        to.push_back(std::move(launch));
    }
    return {};
}

void Binder::add_alone(Launches& to, Launches alone) {
    for (Launch& launch : to) {
        auto& variants = launch.variants;
        // Where a wider one takes all other batches, what would serve one row is not kept.
        if (variants.size() > 1 && variants.front().columns == 1) variants.erase(variants.begin());
        variants.insert(variants.begin(), LaunchVariant{});
    }
    for (Launch& launch : alone) {
        launch.variants.push_back({ClKernel(), kWholeBatch});
        to.push_back(std::move(launch));
    }
}

Result<void> Binder::join_product(Launches& to, Role norm_weight, Role norm_bias, uint32_t layer,
                                  const BlockMatrix& matrix, const BlockMatrix* gate, const ClBuffer* bias,
                                  const ClBuffer& y, Epilogue epilogue, bool of_outputs) {
    if (!kernels_.joins_norms() || (gate != nullptr && gate->type != matrix.type)) return {};
    const auto norm = norm_vectors(norm_weight, norm_bias, layer);
    if (!norm) return norm.error();
    const auto& [scale, shift] = *norm;
    Launches alone;
    for (size_t i = 0; i < matrix.parts.size(); ++i) {
        const MatrixPart& part = matrix.parts[i];
        auto kernel = kernels_.norm_product(queue_, matrix.type);
        if (!kernel) return kernel.error();
        if (auto ok = set_args(*kernel, buffers_.x, *scale, shift ? *shift : *scale, uint32_t{shift != nullptr},
                               config_.norm_eps, buffers_.step, uint32_t{of_outputs}, part.buffer,
                               gate ? gate->parts[i].buffer : part.buffer, uint32_t{gate != nullptr}, matrix.row_bytes,
                               part.rows, bias ? *bias : buffers_.x, uint32_t{bias != nullptr}, y, part.first_row,
                               static_cast<uint32_t>(epilogue));
            !ok) {
            return ok;
        }
        add(alone, std::move(*kernel), (part.rows + kNormedRows - 1) / kNormedRows);
    }
    add_alone(to, std::move(alone));
    return {};
}

Result<void> Binder::join_qkv(Launches& to, uint32_t layer) {
    const std::array matrices = {weights_.find_matrix(Role::AttnQ, layer), weights_.find_matrix(Role::AttnK, layer),
                                 weights_.find_matrix(Role::AttnV, layer)};
    const std::array biases = {weights_.find_vector(Role::AttnQBias, layer),
                               weights_.find_vector(Role::AttnKBias, layer),
                               weights_.find_vector(Role::AttnVBias, layer)};
    const BlockMatrix& first = *matrices[0];
    const bool has_biases = biases[0] != nullptr;
    const bool are_alike = std::all_of(matrices.begin(), matrices.end(), [&](const BlockMatrix* matrix) {
        return matrix->type == first.type && matrix->parts.size() == 1;
    });
    const bool have_same_biases = std::all_of(biases.begin(), biases.end(),
                                              [&](const ClBuffer* bias) { return (bias != nullptr) == has_biases; });
    if (!kernels_.joins_norms() || config_.head_dim % kGroupRows != 0 || !are_alike || !have_same_biases) return {};
    const auto norm = norm_vectors(Role::AttnNorm, Role::AttnNormBias, layer);
    if (!norm) return norm.error();
    const auto& [scale, shift] = *norm;
    const auto bias = [&](size_t i) -> const ClBuffer& { return has_biases ? *biases[i] : buffers_.x; };
    auto kernel = kernels_.norm_qkv(queue_, first.type);
    if (!kernel) return kernel.error();
    if (auto ok = set_args(*kernel, buffers_.x, *scale, shift ? *shift : *scale, uint32_t{shift != nullptr},
                           config_.norm_eps, first.parts[0].buffer, matrices[1]->parts[0].buffer,
                           matrices[2]->parts[0].buffer, first.row_bytes, bias(0), bias(1), bias(2),
                           uint32_t{has_biases}, buffers_.rotation, buffers_.step, buffers_.kv[layer], buffers_.qkv);
        !ok) {
        return ok;
    }
    Launches alone;
    add(alone, std::move(*kernel), (config_.q_rows() + 2 * config_.kv_rows()) / config_.head_dim);
    add_alone(to, std::move(alone));
    return {};
}

Result<void> Binder::bind_layer(uint32_t layer, LayerLaunches& to) {
    const uint32_t q_rows = config_.q_rows(), kv_rows = config_.kv_rows(), qkv_rows = q_rows + 2 * kv_rows;
    const auto project = [&](Launches& list, Role role, std::optional<Role> bias, const ClBuffer& x, const ClBuffer& y,
                             uint32_t y_stride, uint32_t y_first, Epilogue epilogue) -> Result<void> {
        auto matrix = weights_.matrix(role, layer);
        if (!matrix) return matrix.error();
        return add_matvec(list, **matrix, x, bias ? weights_.find_vector(*bias, layer) : nullptr, y, y_stride, y_first,
                          epilogue);
    };

    if (auto ok = add_norm(to.norm_qkv, Role::AttnNorm, Role::AttnNormBias, layer, false); !ok) return ok;
    if (auto ok = add_pack(to.norm_qkv, buffers_.normed, config_.n_embd); !ok) return ok;
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
    if (auto ok = set_args(*rope_kv, buffers_.qkv, buffers_.rotation, buffers_.step, buffers_.kv[layer]); !ok)
        return ok;
    add(to.norm_qkv, std::move(*rope_kv), qkv_rows / config_.head_dim, kWholeBatch);
    if (auto ok = join_qkv(to.norm_qkv, layer); !ok) return ok;

    auto attention = kernels_.attention();
    if (!attention) return attention.error();
    const float scale = 1.0f / std::sqrt(static_cast<float>(config_.head_dim));
    if (auto ok = set_args(*attention, buffers_.qkv, buffers_.step, buffers_.kv[layer], scale, buffers_.attended);
        !ok) {
        return ok;
    }
    add(to.attend, std::move(*attention), config_.n_heads);

    if (auto ok = add_pack(to.attend_output, buffers_.attended, q_rows); !ok) return ok;
    if (auto ok = project(to.attend_output, Role::AttnOutput, Role::AttnOutputBias, buffers_.attended, buffers_.x,
                          config_.n_embd, 0, Epilogue::Add);
        !ok) {
        return ok;
    }

    if (auto ok = add_norm(to.norm_up, Role::FfnNorm, Role::FfnNormBias, layer, false); !ok) return ok;
    if (auto ok = add_pack(to.norm_up, buffers_.normed, config_.n_embd); !ok) return ok;
    const bool is_gated = config_.activation == model::Activation::SwiGlu;
    const Epilogue activation = is_gated ? Epilogue::SwiGlu : Epilogue::Gelu;
    if (is_gated) {
        if (auto ok = project(to.norm_up, Role::FfnGate, std::nullopt, buffers_.normed, buffers_.hidden, config_.n_ff,
                              0, Epilogue::Store);
            !ok) {
            return ok;
        }
    }
    if (auto ok = project(to.norm_up, Role::FfnUp, Role::FfnUpBias, buffers_.normed, buffers_.hidden, config_.n_ff, 0,
                          activation);
        !ok) {
        return ok;
    }
    if (auto ok =
            join_product(to.norm_up, Role::FfnNorm, Role::FfnNormBias, layer, *weights_.find_matrix(Role::FfnUp, layer),
                         is_gated ? weights_.find_matrix(Role::FfnGate, layer) : nullptr,
                         weights_.find_vector(Role::FfnUpBias, layer), buffers_.hidden, activation);
        !ok) {
        return ok;
    }
    if (auto ok = add_pack(to.down, buffers_.hidden, config_.n_ff); !ok) return ok;
    return project(to.down, Role::FfnDown, Role::FfnDownBias, buffers_.hidden, buffers_.x, config_.n_embd, 0,
                   Epilogue::Add);
}

Result<void> Binder::bind_head(Launches& to) {
    const BlockMatrix* matrix = weights_.find_matrix(Role::Output);
    if (matrix == nullptr) matrix = weights_.find_matrix(Role::TokenEmbedding);
    if (auto ok = add_norm(to, Role::OutputNorm, Role::OutputNormBias, 0, true); !ok) return ok;
    if (auto ok = add_pack(to, buffers_.normed, config_.n_embd, true); !ok) return ok;
    if (auto ok = add_matvec(to, *matrix, buffers_.normed, nullptr, buffers_.logits, config_.n_vocab, 0,
                             Epilogue::Store, true);
        !ok) {
        return ok;
    }
    return join_product(to, Role::OutputNorm, Role::OutputNormBias, 0, *matrix, nullptr, nullptr, buffers_.logits,
                        Epilogue::Store, true);
}

Result<void> Binder::bind_sample(Launches& to) {
    auto kernel = kernels_.sample();
    if (!kernel) return kernel.error();
    if (auto ok = set_args(*kernel, buffers_.logits, buffers_.requests, buffers_.step, buffers_.answer); !ok) return ok;
    add(to, std::move(*kernel), kSampleChunks);
    auto choose = kernels_.choose();
    if (!choose) return choose.error();
    if (auto ok = set_args(*choose, buffers_.answer, buffers_.step, buffers_.sampled); !ok) return ok;
    add_wide(to, std::move(*choose), 1);
    return {};
}

}  // namespace

Result<LaunchPlan> LaunchPlan::bind(const DeviceQueue& queue, Kernels& kernels, const model::ModelConfig& config,
                                    const BlockWeights& weights, const Buffers& buffers) {
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

}  // namespace llmd::compute::blocks
