// The steps that a decoder's spec gives, in their order, and the roles of norms and biases.
#include "engine/compute/decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace llmd::compute {
namespace {

using model::Role;

model::DecoderSpec spec_of_two_layers() {
    model::DecoderSpec spec;
    spec.layers.assign(2, {.n_heads = 4, .n_kv_heads = 2, .head_dim = 16, .n_ff = 64});
    return spec;
}

std::string text_of(Role role, uint32_t layer) {
    return base::concat(model::role_name(role), " ", layer);
}

// Writes the steps down. The one with this number fails.
class WrittenSteps final : public Steps {
public:
    explicit WrittenSteps(size_t failing = SIZE_MAX) : failing_(failing) {}

    base::Result<void> embed(const Reader& next) override { return add("embed", next); }
    base::Result<void> make_qkv(uint32_t layer) override { return add(base::concat("qkv ", layer)); }
    base::Result<void> attend(uint32_t layer) override { return add(base::concat("attend ", layer)); }
    base::Result<void> convolve(uint32_t layer) override { return add(base::concat("convolve ", layer)); }
    base::Result<void> feed_forward(uint32_t layer) override { return add(base::concat("ffn ", layer)); }
    base::Result<void> add_to_residual(Role matrix, uint32_t layer, const Reader& next) override {
        return add(text_of(matrix, layer), next);
    }

    std::vector<std::string> all;

private:
    base::Result<void> add(std::string step) {
        all.push_back(std::move(step));
        if (all.size() == failing_) return base::fail(base::ErrorCode::DeviceError, "step ", failing_);
        return {};
    }
    base::Result<void> add(std::string step, const Reader& next) {
        return add(std::move(step) + " > " + text_of(next.matrix, next.layer));
    }

    size_t failing_;
};

TEST(Decode, EachStepIsToldWhoReadsTheResidualStreamNext) {
    WrittenSteps steps;
    ASSERT_TRUE(decode(spec_of_two_layers(), steps));
    EXPECT_EQ(steps.all, (std::vector<std::string>{"embed > attn_q 0",          //
                                                   "qkv 0", "attend 0",         //
                                                   "attn_output 0 > ffn_up 0",  //
                                                   "ffn 0",                     //
                                                   "ffn_down 0 > attn_q 1",     //
                                                   "qkv 1", "attend 1",         //
                                                   "attn_output 1 > ffn_up 1",  //
                                                   "ffn 1",                     //
                                                   "ffn_down 1 > output 0"}));  //
}

TEST(Decode, AConvolutionTakesTheAttentionsPlace) {
    auto spec = spec_of_two_layers();
    spec.layers[1].mixer = model::Mixer::Convolution;
    WrittenSteps steps;
    ASSERT_TRUE(decode(spec, steps));
    EXPECT_EQ(steps.all[2], "attend 0");
    EXPECT_EQ(steps.all[6], "convolve 1");
    EXPECT_EQ(steps.all[7], "attn_output 1 > ffn_up 1");
}

TEST(Decode, EndsWithTheStepThatFails) {
    for (size_t failing = 1; failing <= 11; ++failing) {
        WrittenSteps steps(failing);
        const auto decoded = decode(spec_of_two_layers(), steps);
        ASSERT_FALSE(decoded);
        EXPECT_EQ(decoded.error().message, "step " + std::to_string(failing));
        EXPECT_EQ(steps.all.size(), failing);
    }
}

TEST(Decode, NormsStandBeforeAndBehindTheResidualStreamAsTheSpecSays) {
    auto spec = spec_of_two_layers();
    const Role readers[] = {Role::AttnQ, Role::AttnK, Role::AttnV, Role::FfnGate, Role::FfnUp};
    for (const Role matrix : readers) {
        const bool is_of_ffn = matrix == Role::FfnGate || matrix == Role::FfnUp;
        EXPECT_EQ(model::norm_before(matrix, spec), is_of_ffn ? Role::FfnNorm : Role::AttnNorm);
        EXPECT_FALSE(model::norm_behind(matrix, spec));
    }
    for (const Role matrix : {Role::AttnOutput, Role::FfnDown}) {
        EXPECT_FALSE(model::norm_before(matrix, spec));
        EXPECT_FALSE(model::norm_behind(matrix, spec));
    }
    spec.has_pre_norms = false;
    spec.has_post_norms = true;
    for (const Role matrix : readers) EXPECT_FALSE(model::norm_before(matrix, spec));
    EXPECT_EQ(model::norm_behind(Role::AttnOutput, spec), Role::AttnPostNorm);
    EXPECT_EQ(model::norm_behind(Role::FfnDown, spec), Role::FfnPostNorm);
    // A vocabulary is always read through the last norm.
    EXPECT_EQ(model::norm_before(Role::Output, spec), Role::OutputNorm);
    EXPECT_EQ(model::norm_before(Role::TokenEmbedding, spec), Role::OutputNorm);
}

TEST(Decode, ABiasIsNamedForItsMatrixOrNorm) {
    size_t n_biases = 0;
    for (size_t i = 0; i < model::kRoleCount; ++i) {
        const auto role = static_cast<Role>(i);
        const auto bias = model::bias_of(role);
        if (!bias) continue;
        ++n_biases;
        EXPECT_EQ(std::string(model::role_name(*bias)), std::string(model::role_name(role)) + "_bias");
    }
    EXPECT_EQ(n_biases, 10u);
}

}  // namespace
}  // namespace llmd::compute
