// Binding tensors to roles: required, optional, fused, misshapen, and the models that the project ships or tests with.
#include "engine/model/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <set>
#include <tuple>

#include "base/mapped_file.h"
#include "engine/model/architectures.h"
#include "support/environment.h"
#include "support/gguf_writer.h"

namespace llmd::model {
namespace {

using test::GgufWriter;
using test::TinyModel;
using Bytes = std::vector<std::byte>;

TinyModel tiny(const std::string& architecture) {
    TinyModel model;
    model.architecture = architecture;
    if (architecture == "gpt2") model.n_kv_heads = model.n_heads;
    return model;
}

// Keeps everything that views point into.
struct Bound {
    Bytes file;
    Gguf gguf;
    DecoderSpec spec;
    base::Result<Weights> weights;
};

Bound bind_file(Bytes file, const std::string& forget_tensor = "") {
    // A tensor is removed by giving it another name of the same length.
    if (!forget_tensor.empty()) {
        const auto* wanted = reinterpret_cast<const std::byte*>(forget_tensor.data());
        const auto at = std::search(file.begin(), file.end(), wanted, wanted + forget_tensor.size());
        EXPECT_NE(at, file.end()) << forget_tensor;
        *at = std::byte{'?'};
    }
    auto gguf = Gguf::parse(file);
    EXPECT_TRUE(gguf) << gguf.error().message;
    auto spec = read_decoder_spec(*gguf);
    EXPECT_TRUE(spec) << spec.error().message;
    auto weights = Weights::bind(*gguf, *spec);
    return {std::move(file), std::move(*gguf), std::move(*spec), std::move(weights)};
}

void expect_refused(const Bound& bound, const std::vector<std::string>& parts) {
    ASSERT_FALSE(bound.weights) << "should name " << parts.front();
    EXPECT_EQ(bound.weights.error().code, base::ErrorCode::ModelLoadFailed);
    for (const std::string& part : parts) {
        EXPECT_NE(bound.weights.error().message.find(part), std::string::npos)
            << bound.weights.error().message << "\nlacks " << part;
    }
}

std::set<Role> roles_of(const Weights& weights, uint32_t layer) {
    std::set<Role> roles;
    for (const Weight& weight : weights.all()) {
        if (weight.layer == layer) roles.insert(weight.role);
    }
    return roles;
}

TEST(Weights, LlamaHasTheseRoles) {
    const Bound bound = bind_file(test::tiny_model(tiny("llama")));
    ASSERT_TRUE(bound.weights) << bound.weights.error().message;
    EXPECT_EQ(roles_of(*bound.weights, 1),
              (std::set{Role::AttnNorm, Role::AttnQ, Role::AttnK, Role::AttnV, Role::AttnOutput, Role::FfnNorm,
                        Role::FfnGate, Role::FfnUp, Role::FfnDown}));
    EXPECT_EQ(bound.weights->all().size(), 2u * 9 + 2);
    const TensorView* k = bound.weights->find(Role::AttnK, 1);
    ASSERT_NE(k, nullptr);
    EXPECT_EQ(k->rows, 16u);
    EXPECT_EQ(k->cols, 32u);
    EXPECT_EQ(k->data.data(), bound.gguf.tensor("blk.1.attn_k.weight")->data.data());
    EXPECT_EQ(bound.weights->find(Role::Output), nullptr) << "tied";
    EXPECT_EQ(bound.weights->find(Role::AttnK, 2), nullptr);
    EXPECT_EQ(bound.weights->size_bytes(), bound.gguf.weight_bytes());
}

TEST(Weights, OptionalTensorsAreBoundWhereTheyAre) {
    TinyModel model = tiny("llama");
    model.tied = false;
    model.qkv_biases = true;
    model.rope_freqs = true;
    const Bound bound = bind_file(test::tiny_model(model));
    ASSERT_TRUE(bound.weights) << bound.weights.error().message;
    EXPECT_EQ(bound.weights->find(Role::Output)->rows, 288u);
    EXPECT_EQ(bound.weights->find(Role::RopeFactors)->cols, 4u);
    EXPECT_EQ(bound.weights->find(Role::AttnKBias, 0)->cols, 16u);
    EXPECT_EQ(bound.weights->find(Role::AttnOutputBias, 0), nullptr);
}

TEST(Weights, QwenHasBiases) {
    const Bound bound = bind_file(test::tiny_model(tiny("qwen2")));
    ASSERT_TRUE(bound.weights) << bound.weights.error().message;
    EXPECT_NE(bound.weights->find(Role::AttnQBias, 1), nullptr);
    EXPECT_NE(bound.weights->find(Role::AttnVBias, 1), nullptr);
}

// A layer of a decoder that has everything optional, with these tensors; all others are as a llama's.
Bound bind_layer(const DecoderSpec& spec, const std::vector<std::tuple<std::string, uint64_t, uint64_t>>& tensors) {
    GgufWriter writer;
    writer.add("general.architecture", "made-up");
    for (const auto& [name, rows, cols] : tensors) {
        const std::vector<float> values(rows * cols, 1.0f);
        if (rows == 1) {
            writer.add_vector(name, values);
        } else {
            writer.add_tensor(name, TensorType::F32, rows, cols, std::as_bytes(std::span(values)));
        }
    }
    Bytes file = writer.bytes();
    auto gguf = Gguf::parse(file);
    EXPECT_TRUE(gguf) << gguf.error().message;
    auto weights = Weights::bind(*gguf, spec);
    return {std::move(file), std::move(*gguf), spec, std::move(weights)};
}

TEST(Weights, NormsOfHeadsAndPostNormsAndFusedGates) {
    DecoderSpec spec;
    spec.n_embd = 16;
    spec.n_vocab = 32;
    spec.n_ctx_train = 64;
    spec.has_pre_norms = false;
    spec.has_post_norms = true;
    spec.longrope_context = 8;
    spec.layers = {{.n_heads = 4,
                    .n_kv_heads = 2,
                    .head_dim = 8,
                    .rotation = Rotation::HalfSplit,
                    .n_rot = 8,
                    .n_ff = 24,
                    .qk_norm = QkNorm::Row}};
    std::vector<std::tuple<std::string, uint64_t, uint64_t>> tensors = {
        {"token_embd.weight", 32, 16},
        {"output_norm.weight", 1, 16},
        {"rope_factors_long.weight", 1, 4},
        {"rope_factors_short.weight", 1, 4},
        {"blk.0.attn_qkv.weight", 64, 16},
        {"blk.0.attn_output.weight", 16, 32},
        {"blk.0.attn_q_norm.weight", 1, 32},
        {"blk.0.attn_k_norm.weight", 1, 16},
        {"blk.0.post_attention_norm.weight", 1, 16},
        {"blk.0.ffn_up.weight", 48, 16},
        {"blk.0.ffn_down.weight", 16, 24},
        {"blk.0.post_ffw_norm.weight", 1, 16},
    };
    const Bound bound = bind_layer(spec, tensors);
    ASSERT_TRUE(bound.weights) << bound.weights.error().message;
    const TensorView* fused = bound.gguf.tensor("blk.0.ffn_up.weight");
    const TensorView *gate = bound.weights->find(Role::FfnGate), *up = bound.weights->find(Role::FfnUp);
    ASSERT_TRUE(gate != nullptr && up != nullptr);
    EXPECT_EQ(gate->rows, 24u);
    EXPECT_EQ(gate->row(0).data(), fused->row(0).data()) << "the gate is first";
    EXPECT_EQ(up->row(0).data(), fused->row(24).data());
    EXPECT_EQ(bound.weights->find(Role::AttnQNorm)->cols, 32u);
    EXPECT_EQ(bound.weights->find(Role::AttnNorm), nullptr);

    // Each of them is needed, in its size.
    for (size_t i = 0; i < tensors.size(); ++i) {
        auto without = tensors;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(bind_layer(spec, without).weights) << std::get<0>(tensors[i]);
        auto larger = tensors;
        std::get<1>(larger[i]) == 1 ? ++std::get<2>(larger[i]) : ++std::get<1>(larger[i]);
        expect_refused(bind_layer(spec, larger), {std::get<0>(tensors[i])});
    }
    // And what only other decoders have is refused.
    for (const char* name : {"blk.0.attn_norm.weight", "rope_freqs.weight", "blk.0.attn_q_norm.bias"}) {
        auto more = tensors;
        more.emplace_back(name, 1, 16);
        expect_refused(bind_layer(spec, more), {name, "not supported"});
    }
}

TEST(Weights, WhatGoesIntoAConvolutionIsSplit) {
    TinyModel model = tiny("lfm2");
    const Bound bound = bind_file(test::tiny_model(model));
    ASSERT_TRUE(bound.weights) << bound.weights.error().message;
    const TensorView* fused = bound.gguf.tensor("blk.0.shortconv.in_proj.weight");
    ASSERT_NE(fused, nullptr);
    for (const auto& [role, third] : {std::pair{Role::AttnK, 0u}, {Role::AttnQ, 1u}, {Role::AttnV, 2u}}) {
        const TensorView* part = bound.weights->find(role);
        ASSERT_NE(part, nullptr);
        EXPECT_EQ(part->rows, model.n_embd);
        EXPECT_EQ(part->row(0).data(), fused->row(third * model.n_embd).data());
    }
    EXPECT_EQ(bound.weights->find(Role::ConvTaps)->cols, 3u);
    EXPECT_EQ(bound.weights->find(Role::OutputNorm)->data.data(),
              bound.gguf.tensor("token_embd_norm.weight")->data.data());

    for (const char* name :
         {"token_embd_norm.weight", "blk.0.shortconv.in_proj.weight", "blk.0.shortconv.conv.weight",
          "blk.0.shortconv.out_proj.weight", "blk.1.attn_q_norm.weight", "blk.1.attn_output.weight"}) {
        expect_refused(bind_file(test::tiny_model(model), name), {name, "missing"});
    }
    for (const char* name : {"output_norm.weight", "blk.0.attn_q.weight", "blk.0.attn_q.bias", "blk.0.attn_output.bias",
                             "blk.0.attn_qkv.weight", "blk.1.shortconv.conv.weight"}) {
        GgufWriter writer = test::tiny_model_writer(model);
        writer.add_vector(name, std::vector<float>(32));
        expect_refused(bind_file(writer.bytes()), {name, "not supported in lfm2 models"});
    }
}

TEST(Weights, GptsFusedMatrixIsSplitByRows) {
    for (const TensorType type : {TensorType::F32, TensorType::Q8_0}) {
        TinyModel model = tiny("gpt2");
        model.type = type;
        const Bound bound = bind_file(test::tiny_model(model));
        ASSERT_TRUE(bound.weights) << bound.weights.error().message;
        const TensorView* fused = bound.gguf.tensor("blk.1.attn_qkv.weight");
        uint64_t row = 0;
        for (const Role role : {Role::AttnQ, Role::AttnK, Role::AttnV}) {
            const TensorView* part = bound.weights->find(role, 1);
            ASSERT_NE(part, nullptr);
            EXPECT_EQ(part->type, type);
            EXPECT_EQ(part->rows, 32u);
            EXPECT_EQ(part->cols, 32u);
            EXPECT_EQ(part->row(0).data(), fused->row(row).data());
            row += 32;
        }
        const TensorView* bias = bound.gguf.tensor("blk.1.attn_qkv.bias");
        EXPECT_EQ(bound.weights->find(Role::AttnVBias, 1)->cols, 32u);
        EXPECT_EQ(bound.weights->find(Role::AttnVBias, 1)->data.data(), bias->data.data() + 64 * sizeof(float));
        EXPECT_EQ(bound.weights->find(Role::AttnVBias, 1)->data.size(), 32 * sizeof(float));
        EXPECT_EQ(bound.weights->size_bytes(), bound.gguf.weight_bytes());
        EXPECT_EQ(bound.weights->find(Role::PositionEmbedding)->rows, 128u);
        EXPECT_NE(bound.weights->find(Role::OutputNormBias), nullptr);
        EXPECT_EQ(bound.weights->find(Role::FfnGate, 0), nullptr);
    }
}

TEST(Weights, AreInFileOrder) {
    for (const char* architecture : {"gpt2", "llama", "qwen2"}) {
        const Bound bound = bind_file(test::tiny_model(tiny(architecture)));
        ASSERT_TRUE(bound.weights);
        const auto& all = bound.weights->all();
        for (size_t i = 1; i < all.size(); ++i) {
            EXPECT_GE(all[i].tensor.data.data(), all[i - 1].tensor.data.data() + all[i - 1].tensor.data.size());
        }
        for (const Weight& weight : all) EXPECT_EQ(bound.weights->find(weight.role, weight.layer), &weight.tensor);
    }
}

TEST(Weights, NameEveryMissingTensor) {
    for (const char* name :
         {"token_embd.weight", "output_norm.weight", "blk.0.attn_norm.weight", "blk.1.attn_q.weight",
          "blk.1.attn_k.weight", "blk.1.attn_v.weight", "blk.1.attn_output.weight", "blk.1.ffn_norm.weight",
          "blk.1.ffn_gate.weight", "blk.1.ffn_up.weight", "blk.1.ffn_down.weight"}) {
        expect_refused(bind_file(test::tiny_model(tiny("llama")), name), {name, "missing"});
    }
    for (const char* name :
         {"position_embd.weight", "output_norm.bias", "blk.0.attn_norm.bias", "blk.1.ffn_norm.bias"}) {
        expect_refused(bind_file(test::tiny_model(tiny("gpt2")), name), {name, "missing"});
    }
    expect_refused(bind_file(test::tiny_model(tiny("gpt2")), "blk.1.attn_qkv.weight"),
                   {"blk.1.attn_q.weight", "missing"});
    for (const char* name :
         {"blk.0.attn_qkv.bias", "blk.0.attn_output.bias", "blk.0.ffn_up.bias", "blk.1.ffn_down.bias"}) {
        // It is optional: what is wrong is the tensor of another name.
        expect_refused(bind_file(test::tiny_model(tiny("gpt2")), name), {"?" + std::string(name + 1), "not supported"});
    }
}

TEST(Weights, NameEveryMisshapenTensor) {
    const auto with = [](const std::string& name, uint64_t rows, uint64_t cols, TensorType type) {
        TinyModel model = tiny("llama");
        GgufWriter writer = test::tiny_model_writer(model);
        test::RandomBits bits(5);
        writer.add_tensor(name, type, rows, cols, test::random_blocks(type, rows * cols, 1, bits));
        return bind_file(writer.bytes());
    };
    expect_refused(with("output.weight", 287, 32, TensorType::F32), {"output.weight has 287 x 32", "288 x 32"});
    expect_refused(with("blk.1.attn_k.bias", 1, 32, TensorType::F32), {"blk.1.attn_k.bias has 1 x 32", "1 x 16"});
    expect_refused(with("blk.1.attn_q.bias", 1, 32, TensorType::Q8_0),
                   {"blk.1.attn_q.bias is Q8_0", "F32, F16 or BF16"});
    expect_refused(with("rope_freqs.weight", 1, 8, TensorType::F32), {"rope_freqs.weight has 1 x 8", "1 x 4"});
    expect_refused(with("blk.0.attn_qkv.weight", 63, 32, TensorType::F32),
                   {"blk.0.attn_qkv.weight has 63 x 32", "64 x 32"});
    EXPECT_TRUE(with("blk.1.attn_q.bias", 1, 32, TensorType::BF16).weights);
}

// A tensor that is not bound would be left out of the result.
TEST(Weights, RefuseTensorsThatTheSpecHasNoUseFor) {
    for (const char* name : {"blk.0.attn_q_norm.weight", "output.bias", "position_embd.weight", "output_norm.bias",
                             "blk.2.attn_q.weight", "blk.1.something.weight", "v.patch_embd.weight"}) {
        GgufWriter writer = test::tiny_model_writer(tiny("llama"));
        writer.add_vector(name, std::vector<float>(64));
        expect_refused(bind_file(writer.bytes()), {name, "not supported in llama models"});
    }
    GgufWriter ungated = test::tiny_model_writer(tiny("gpt2"));
    ungated.add_vector("blk.1.ffn_gate.bias", std::vector<float>(64));
    expect_refused(bind_file(ungated.bytes()), {"blk.1.ffn_gate.bias", "not supported in gpt2 models"});
    GgufWriter both = test::tiny_model_writer(tiny("gpt2"));
    both.add_tensor("blk.0.attn_q.weight", TensorType::F32, 32, 32, std::vector<std::byte>(32 * 32 * 4));
    expect_refused(bind_file(both.bytes()), {"blk.0.attn_q.weight", "not supported in gpt2 models"});
    GgufWriter hostile = test::tiny_model_writer(tiny("llama"));
    hostile.add_vector("a\nb", std::vector<float>(64));
    expect_refused(bind_file(hostile.bytes()), {"\"a?b\""});
}

TEST(Weights, RefuseRopeFactorsThatAreNotPositive) {
    for (const float bad :
         {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        GgufWriter writer = test::tiny_model_writer(tiny("llama"));
        writer.add_vector("rope_freqs.weight", std::vector<float>{1, 2, bad, 4});
        expect_refused(bind_file(writer.bytes()), {"rope_freqs.weight"});
    }
}

TEST(Weights, RoleNamesAreDistinct) {
    std::set<std::string_view> names;
    for (size_t i = 0; i < kRoleCount; ++i) names.insert(role_name(static_cast<Role>(i)));
    EXPECT_EQ(names.size(), kRoleCount);
    EXPECT_EQ(role_name(Role::FfnDown), "ffn_down");
    EXPECT_EQ(role_name(Role::TokenEmbedding), "token_embd");
}

TEST(TinyModel, EveryShapeAndTypeBinds) {
    for (const BlockLayout& format : kBlockLayouts) {
        for (const char* architecture : {"gpt2", "llama", "qwen2"}) {
            TinyModel model = tiny(architecture);
            model.type = format.type;
            model.n_embd = model.n_ff = 256;
            model.head_dim = 64;
            model.n_vocab = 257;
            const Bound bound = bind_file(test::tiny_model(model));
            EXPECT_TRUE(bound.weights) << format.name << ": " << bound.weights.error().message;
            EXPECT_EQ(bound.spec.quantization, format.name);
        }
    }
    EXPECT_EQ(test::tiny_model(tiny("llama")), test::tiny_model(tiny("llama"))) << "the same seed, the same bytes";
}

TEST(TalesModels, ParseAndBind) {
    const std::filesystem::path directory = std::filesystem::path(LLMD_TEST_DATA) / "models";
    size_t n_models = 0;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(directory, absent)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with("tales-") || !name.ends_with(".gguf")) continue;
        const auto file = base::MappedFile::open(entry.path());
        ASSERT_TRUE(file) << file.error().message;
        const auto gguf = Gguf::parse(file->bytes());
        ASSERT_TRUE(gguf) << name << ": " << gguf.error().message;
        const auto spec = read_decoder_spec(*gguf);
        ASSERT_TRUE(spec) << name << ": " << spec.error().message;
        const auto weights = Weights::bind(*gguf, *spec);
        ASSERT_TRUE(weights) << name << ": " << weights.error().message;
        EXPECT_EQ(spec->n_layers(), 6u);
        EXPECT_EQ(spec->n_vocab, 4096u);
        EXPECT_EQ(spec->n_ctx_train, 512u);
        EXPECT_EQ(weights->size_bytes(), gguf->weight_bytes()) << name << ": every tensor has a role";
        std::string type = spec->quantization;
        std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
        EXPECT_TRUE(name.ends_with("-" + type + ".gguf")) << name << " is mostly " << type;
        ++n_models;
    }
    if (n_models == 0) GTEST_SKIP() << test::absent_reference_data(directory.string());
}

}  // namespace
}  // namespace llmd::model
