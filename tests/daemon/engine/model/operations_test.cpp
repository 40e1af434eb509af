// The order of operations that each architecture's spec gives.
#include "engine/model/operations.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace llmd::model {
namespace {

DecoderSpec spec_of(Norm norm, Activation activation, Rotation rotation) {
    DecoderSpec spec;
    spec.norm = norm;
    spec.activation = activation;
    spec.has_learned_positions = rotation == Rotation::None;
    spec.layers.assign(2, {.n_heads = 4,
                           .n_kv_heads = 2,
                           .head_dim = 16,
                           .rotation = rotation,
                           .n_rot = rotation == Rotation::None ? 0u : 16u,
                           .n_ff = 64});
    return spec;
}

std::vector<Operator> operators_of(std::span<const Operation> operations) {
    std::vector<Operator> result;
    for (const Operation& operation : operations) result.push_back(operation.op);
    return result;
}

using enum Operator;

TEST(Operations, OfALlama) {
    const auto all = derive_operations(spec_of(Norm::RmsNorm, Activation::SwiGlu, Rotation::Interleaved));
    EXPECT_EQ(operators_of(std::span(all).first(17)),
              (std::vector{Embed, Norm, Matmul, Matmul, Matmul, Rotate, Rotate, StoreKv, Attend, Matmul, Add, Norm,
                           Matmul, Matmul, Activate, Matmul, Add}));
    EXPECT_EQ(all.size(), 1u + 2 * 16 + 2);
    EXPECT_TRUE(std::none_of(all.begin(), all.end(),
                             [](const Operation& operation) { return operation.op == Norm && operation.bias; }));
    EXPECT_EQ(all[1].layer, 0u);
    EXPECT_EQ(all[17].layer, 1u);
    EXPECT_EQ(all[17].weight, Role::AttnNorm);
}

TEST(Operations, OfAGpt2) {
    const auto all = derive_operations(spec_of(Norm::LayerNorm, Activation::Gelu, Rotation::None));
    EXPECT_EQ(operators_of(std::span(all).first(14)), (std::vector{Embed, Norm, Matmul, Matmul, Matmul, StoreKv, Attend,
                                                                   Matmul, Add, Norm, Matmul, Activate, Matmul, Add}));
    EXPECT_EQ(all[1].bias, Role::AttnNormBias);
    EXPECT_EQ(all.back().weight, Role::Output);
}

TEST(Operations, NormsOfHeadsGoBeforeOrAfterRotation) {
    DecoderSpec spec = spec_of(Norm::RmsNorm, Activation::SwiGlu, Rotation::HalfSplit);
    spec.layers[0].qk_norm = QkNorm::Head;
    spec.layers[1].qk_norm = QkNorm::Row;
    spec.layers[1].norms_after_rotation = true;
    const auto all = operators_of(derive_operations(spec));
    EXPECT_EQ(std::vector(all.begin() + 4, all.begin() + 10),
              (std::vector{Matmul, HeadNorm, HeadNorm, Rotate, Rotate, StoreKv}));
    EXPECT_EQ(std::vector(all.begin() + 22, all.begin() + 28),
              (std::vector{Matmul, Rotate, Rotate, HeadNorm, HeadNorm, StoreKv}));
}

TEST(Operations, AConvolutionTakesTheAttentionsPlace) {
    DecoderSpec spec = spec_of(Norm::RmsNorm, Activation::SwiGlu, Rotation::HalfSplit);
    spec.layers[0].mixer = Mixer::Convolution;
    const auto all = derive_operations(spec);
    EXPECT_EQ(operators_of(std::span(all).first(13)),
              (std::vector{Embed, Norm, Matmul, Matmul, Matmul, Convolve, Matmul, Add, Norm, Matmul, Matmul, Activate,
                           Matmul}));
    EXPECT_EQ(all[5].in, Operand::Query);
    EXPECT_EQ(all[5].out, Operand::Attended);
    EXPECT_EQ(all[5].weight, Role::ConvTaps);
}

TEST(Operations, PostNormsAloneReadTheResidualStream) {
    DecoderSpec spec = spec_of(Norm::RmsNorm, Activation::SwiGlu, Rotation::HalfSplit);
    spec.has_pre_norms = false;
    spec.has_post_norms = true;
    const auto all = derive_operations(spec);
    EXPECT_EQ(operators_of(std::span(all).first(17)),
              (std::vector{Embed, Matmul, Matmul, Matmul, Rotate, Rotate, StoreKv, Attend, Matmul, Norm, Add, Matmul,
                           Matmul, Activate, Matmul, Norm, Add}));
    EXPECT_EQ(all[1].in, Operand::Residual);
    EXPECT_EQ(all[11].in, Operand::Residual);
    EXPECT_EQ(all[9].in, Operand::Projected);
    EXPECT_EQ(all[9].out, Operand::Projected);
    EXPECT_EQ(operators_of(head_operations(all)), (std::vector{Norm, Matmul}));
}

TEST(Operations, TheHeadIsTheLastNormAndTheMatmulOfLogits) {
    const auto all = derive_operations(spec_of(Norm::LayerNorm, Activation::Gelu, Rotation::None));
    EXPECT_EQ(operators_of(head_operations(all)), (std::vector{Norm, Matmul}));
    EXPECT_EQ(head_operations(all)[0].bias, Role::OutputNormBias);
    EXPECT_EQ(head_operations(all)[1].out, Operand::Logits);
    EXPECT_EQ(body_operations(all).size() + head_operations(all).size(), all.size());
}

// Every operand is written before it is read.
TEST(Operations, ReadWhatWasWritten) {
    for (const auto& spec : {spec_of(Norm::LayerNorm, Activation::Gelu, Rotation::None),
                             spec_of(Norm::LayerNorm, Activation::SwiGlu, Rotation::HalfSplit)}) {
        std::vector<Operand> written;
        for (const Operation& operation : derive_operations(spec)) {
            const bool reads =
                operation.op != Embed && !(operation.op == Activate && spec.activation == Activation::Gelu);
            EXPECT_TRUE(!reads || std::find(written.begin(), written.end(), operation.in) != written.end())
                << static_cast<int>(operation.op) << " reads " << static_cast<int>(operation.in);
            written.push_back(operation.out);
        }
    }
}

}  // namespace
}  // namespace llmd::model
