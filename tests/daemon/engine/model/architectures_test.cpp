// A file describes its architecture: the table's rows, defaults, and every number or combination out of range.
#include "engine/model/architectures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "engine/model/weights.h"
#include "support/gguf_writer.h"

namespace llmd::model {
namespace {

using test::GgufWriter;
using test::tiny_model;
using test::TinyModel;
using Bytes = std::vector<std::byte>;

base::Result<DecoderSpec> spec_of(const Bytes& file, std::span<const Architecture> known = architectures()) {
    const auto gguf = Gguf::parse(file);
    if (!gguf) return gguf.error();
    return read_decoder_spec(*gguf, known);
}

void expect_refused(const base::Result<DecoderSpec>& spec, const std::vector<std::string>& parts) {
    ASSERT_FALSE(spec) << "should name " << parts.front();
    EXPECT_EQ(spec.error().code, base::ErrorCode::ModelLoadFailed);
    for (const std::string& part : parts) {
        EXPECT_NE(spec.error().message.find(part), std::string::npos) << spec.error().message << "\nlacks " << part;
    }
}

using Keys = std::vector<std::pair<std::string, std::variant<uint32_t, float, std::string>>>;

// The least that a file of any architecture with RMSNorm must say, without some of it, and more; keys follow its name.
GgufWriter file_of(const std::string& architecture, const Keys& more = {},
                   const std::vector<std::string>& without = {}) {
    Keys keys = {{"block_count", 8u},
                 {"context_length", 64u},
                 {"embedding_length", 32u},
                 {"feed_forward_length", 96u},
                 {"attention.head_count", 4u},
                 {"vocab_size", 100u},
                 {"attention.layer_norm_rms_epsilon", 1e-6f}};
    keys.insert(keys.end(), more.begin(), more.end());
    GgufWriter writer;
    writer.add("general.architecture", architecture);
    for (const auto& [name, value] : keys) {
        if (std::find(without.begin(), without.end(), name) != without.end()) continue;
        std::visit([&, key = architecture + "." + name](const auto& v) { writer.add(key, v); }, value);
    }
    return writer;
}

GgufWriter llama(const std::vector<std::string>& without = {}) {
    return file_of("llama", {{"attention.head_count_kv", 2u}}, without);
}

template <typename T>
base::Result<DecoderSpec> llama_with(const std::string& name, T value) {
    GgufWriter writer = llama({name});
    writer.add("llama." + name, value);
    return spec_of(writer.bytes());
}

TEST(Architectures, Llama) {
    TinyModel tiny;
    tiny.rope_theta = 500000;
    tiny.type = TensorType::Q4_0;
    const auto spec = spec_of(tiny_model(tiny));
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->architecture, "llama");
    EXPECT_EQ(spec->quantization, "Q4_0");
    EXPECT_EQ(spec->n_layers(), 2u);
    EXPECT_EQ(spec->n_embd, 32u);
    EXPECT_EQ(spec->layers[0].n_heads, 4u);
    EXPECT_EQ(spec->layers[0].n_kv_heads, 2u);
    EXPECT_EQ(spec->layers[0].heads_per_kv(), 2u);
    EXPECT_EQ(spec->layers[0].head_dim, 8u);
    EXPECT_EQ(spec->layers[0].q_rows(), 32u);
    EXPECT_EQ(spec->layers[0].kv_rows(), 16u);
    EXPECT_EQ(spec->layers[0].n_ff, 64u);
    EXPECT_EQ(spec->n_vocab, 288u);
    EXPECT_EQ(spec->n_ctx_train, 128u);
    EXPECT_EQ(spec->norm, Norm::RmsNorm);
    EXPECT_EQ(spec->norm_eps, 1e-5f);
    EXPECT_EQ(spec->activation, Activation::SwiGlu);
    EXPECT_EQ(spec->layers[1], spec->layers[0]);
    EXPECT_EQ(spec->layers[0].rotation, Rotation::Interleaved);
    EXPECT_FALSE(spec->has_learned_positions);
    EXPECT_EQ(spec->layers[0].n_rot, 8u);
    EXPECT_EQ(spec->ropes[0].theta, 500000.0f);
    EXPECT_EQ(spec->ropes[0].factor, 1.0f);
}

TEST(Architectures, Gpt2) {
    TinyModel tiny;
    tiny.architecture = "gpt2";
    tiny.n_kv_heads = tiny.n_heads;
    const auto spec = spec_of(tiny_model(tiny));
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->norm, Norm::LayerNorm);
    EXPECT_EQ(spec->activation, Activation::Gelu);
    EXPECT_EQ(spec->layers[0].rotation, Rotation::None);
    EXPECT_TRUE(spec->has_learned_positions);
    EXPECT_EQ(spec->layers[0].n_rot, 0u);
    EXPECT_EQ(spec->layers[0].n_kv_heads, 4u);
    EXPECT_EQ(spec->quantization, "F32");
}

TEST(Architectures, Qwen2) {
    TinyModel tiny;
    tiny.architecture = "qwen2";
    tiny.head_dim = 16;
    tiny.n_rot = 12;
    const auto spec = spec_of(tiny_model(tiny));
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->layers[0].rotation, Rotation::HalfSplit);
    EXPECT_EQ(spec->layers[0].head_dim, 16u);
    EXPECT_EQ(spec->layers[0].q_rows(), 64u);
    EXPECT_EQ(spec->layers[0].n_rot, 12u);
}

TEST(Architectures, DefaultsOfAbsentKeys) {
    const auto spec = spec_of(llama({"attention.head_count_kv"}).bytes());
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->layers[0].n_kv_heads, 4u);
    EXPECT_EQ(spec->layers[0].head_dim, 8u);
    EXPECT_EQ(spec->layers[0].n_rot, 8u);
    EXPECT_EQ(spec->ropes[0].theta, 10000.0f);
    EXPECT_EQ(spec->quantization, "") << "a file without tensors";
    EXPECT_EQ(spec->n_vocab, 100u) << "without a tokenizer, from vocab_size";
}

TEST(Architectures, NamesImplyWhatTheirModelsAre) {
    const auto of = [](const std::string& name) {
        auto spec = spec_of(file_of(name).bytes());
        EXPECT_TRUE(spec) << name << ": " << spec.error().message;
        return *spec;
    };
    const DecoderSpec qwen3 = of("qwen3"), hunyuan = of("hunyuan-dense"), exaone = of("exaone4"), olmo = of("olmo2");
    EXPECT_EQ(qwen3.layers[0].qk_norm, QkNorm::Head);
    EXPECT_FALSE(qwen3.layers[0].norms_after_rotation);
    EXPECT_TRUE(hunyuan.layers[0].norms_after_rotation);
    EXPECT_EQ(olmo.layers[0].qk_norm, QkNorm::Row);
    for (const DecoderSpec& post_only : {exaone, olmo}) {
        EXPECT_FALSE(post_only.has_pre_norms);
        EXPECT_TRUE(post_only.has_post_norms);
    }
    for (const char* half_split : {"qwen3", "hunyuan-dense", "exaone4", "olmo2", "phi3"}) {
        EXPECT_EQ(of(half_split).layers[0].rotation, Rotation::HalfSplit) << half_split;
    }
    for (const char* interleaved : {"arcee", "ernie4_5", "minicpm", "mistral3", "smollm3"}) {
        EXPECT_EQ(of(interleaved).layers[0].rotation, Rotation::Interleaved) << interleaved;
    }
    EXPECT_EQ(of("arcee").activation, Activation::ReluSquared);
    const DecoderSpec smollm3 = of("smollm3");
    for (uint32_t layer = 0; layer < 8; ++layer) {
        const bool is_fourth = layer % 4 == 3;
        EXPECT_EQ(smollm3.layers[layer].rotation, is_fourth ? Rotation::None : Rotation::Interleaved) << layer;
        EXPECT_EQ(smollm3.layers[layer].n_rot, is_fourth ? 0u : 8u) << layer;
    }
}

TEST(Architectures, GemmasWindows) {
    const auto gemma3 = spec_of(
        file_of("gemma3", {{"attention.sliding_window", 16u}, {"rope.freq_base", 1e6f}, {"rope.scaling.factor", 8.0f}})
            .bytes());
    ASSERT_TRUE(gemma3) << gemma3.error().message;
    EXPECT_FLOAT_EQ(gemma3->embedding_scale, std::sqrt(32.0f));
    EXPECT_EQ(gemma3->activation, Activation::GeGlu);
    EXPECT_TRUE(gemma3->has_pre_norms && gemma3->has_post_norms);
    EXPECT_EQ(gemma3->logit_cap, 0.0f);
    EXPECT_EQ(gemma3->ropes, (std::vector<Rope>{{.theta = 1e6f, .factor = 8}, {.theta = 10000}}));
    EXPECT_EQ(spec_of(file_of("gemma3").bytes())->layers[0].window, 0u) << "Rnj-1 has no windows, and no such key";
    EXPECT_EQ(spec_of(file_of("gemma3", {{"attention.sliding_window", 0u}}).bytes())->layers[0].window, 0u);
    for (uint32_t layer = 0; layer < 8; ++layer) {
        EXPECT_EQ(gemma3->layers[layer].window, layer == 5 ? 0u : 16u) << layer;
        EXPECT_EQ(gemma3->layers[layer].rope, layer == 5 ? 0u : 1u) << layer;
    }
    const auto gemma2 = spec_of(file_of("gemma2").bytes());
    ASSERT_TRUE(gemma2) << gemma2.error().message;
    EXPECT_EQ(gemma2->layers[0].window, 4096u);
    EXPECT_EQ(gemma2->layers[1].window, 0u);
    EXPECT_EQ(gemma2->layers[0].score_cap, 50.0f);
    EXPECT_EQ(gemma2->logit_cap, 30.0f);
    EXPECT_EQ(gemma2->layers[0].qk_norm, QkNorm::None);
    EXPECT_EQ(spec_of(file_of("olmo2").bytes())->layers[0].window, 0u);
    EXPECT_EQ(spec_of(file_of("olmo2", {{"attention.sliding_window", 16u}}).bytes())->layers[2].window, 16u);
}

TEST(Architectures, ScalingOfLayersWithAWindow) {
    const auto ropes = [](const std::string& name) {
        const auto spec = spec_of(file_of(name, {{"attention.sliding_window", 16u},
                                                 {"rope.freq_base", 5000.0f},
                                                 {"rope.freq_base_swa", 300.0f},
                                                 {"rope.scaling.type", std::string("yarn")},
                                                 {"rope.scaling.factor", 8.0f},
                                                 {"rope.scaling.attn_factor", 1.5f}})
                                      .bytes());
        EXPECT_TRUE(spec) << name << ": " << spec.error().message;
        return spec ? spec->ropes : std::vector<Rope>(2);
    };
    const auto gemma2 = ropes("gemma2");
    Rope scaled = gemma2[0];
    scaled.theta = 300;
    EXPECT_EQ(gemma2[1], scaled);
    EXPECT_EQ(ropes("gemma3")[1], (Rope{.theta = 300, .magnitude = 1.5f}));
    EXPECT_EQ(ropes("olmo2")[1], (Rope{.theta = 300}));
    const auto own = spec_of(file_of("gemma2", {{"rope.freq_base", 5000.0f}}).bytes());
    ASSERT_TRUE(own);
    EXPECT_EQ(own->ropes[1].theta, 5000.0f) << "without a base of its own";
}

TEST(Architectures, ExaonesGlobalLayersAreNotRotatedBesideWindows) {
    const auto hybrid = spec_of(file_of("exaone4", {{"attention.sliding_window", 16u}}).bytes());
    ASSERT_TRUE(hybrid) << hybrid.error().message;
    EXPECT_EQ(hybrid->ropes.size(), 1u);
    for (uint32_t layer = 0; layer < 8; ++layer) {
        const bool is_global = layer % 4 == 3;
        EXPECT_EQ(hybrid->layers[layer].window, is_global ? 0u : 16u) << layer;
        EXPECT_EQ(hybrid->layers[layer].rotation, is_global ? Rotation::None : Rotation::HalfSplit) << layer;
    }
    const auto plain = spec_of(file_of("exaone4").bytes());
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->layers[3].rotation, Rotation::HalfSplit);
    GgufWriter deep = file_of("exaone4", {}, {"block_count"});
    deep.add("exaone4.block_count", uint32_t{64});
    EXPECT_EQ(spec_of(deep.bytes())->layers[0].window, 4096u) << "the 32B model's default";
}

TEST(Architectures, PhisWindowHoldsForAllLayers) {
    const auto phi3 = spec_of(file_of("phi3", {{"attention.sliding_window", 16u}}).bytes());
    ASSERT_TRUE(phi3) << phi3.error().message;
    for (const LayerSpec& layer : phi3->layers) EXPECT_EQ(layer.window, 16u);
    for (const uint32_t none : {0u, 64u, 262144u}) {
        EXPECT_EQ(spec_of(file_of("phi3", {{"attention.sliding_window", none}}).bytes())->layers[0].window, 0u) << none;
    }
}

TEST(Architectures, AWindowsPatternMayBeAList) {
    const auto with = [](const std::vector<bool>& pattern) {
        GgufWriter writer = file_of("gemma3", {{"attention.sliding_window", 16u}});
        std::vector<std::byte> bytes;
        for (const bool local : pattern) bytes.push_back(std::byte{local});
        writer.add_array_raw("gemma3.attention.sliding_window_pattern", ValueType::Bool, bytes.size(), bytes);
        return spec_of(writer.bytes());
    };
    const auto listed = with({true, false, false, true, true, true, true, false});
    ASSERT_TRUE(listed) << listed.error().message;
    EXPECT_NE(listed->layers[0].window, 0u);
    EXPECT_EQ(listed->layers[1].window, 0u);
    EXPECT_NE(listed->layers[3].window, 0u);
    expect_refused(with({true, false}), {"gemma3.attention.sliding_window_pattern has 2 elements", "8 layers"});
    const auto of_period = [](uint32_t period) {
        return spec_of(
            file_of("gemma2", {{"attention.sliding_window", 16u}, {"attention.sliding_window_pattern", period}})
                .bytes());
    };
    EXPECT_EQ(of_period(3)->layers[2].window, 0u);
    EXPECT_EQ(of_period(3)->layers[3].window, 16u);
    EXPECT_EQ(of_period(1)->layers[0].window, 0u) << "every layer is the last of its period";
    EXPECT_EQ(of_period(0)->layers[7].window, 16u) << "llama.cpp takes 0 for all layers";
    expect_refused(of_period(1u << 31), {"gemma2.attention.sliding_window_pattern is 2147483648"});
    expect_refused(spec_of(file_of("gemma2", {{"attention.sliding_window_pattern", 1.5f}}).bytes()),
                   {"sliding_window_pattern"});
    expect_refused(spec_of(file_of("gemma2", {{"attention.sliding_window", std::string("16")}}).bytes()),
                   {"gemma2.attention.sliding_window is not an integer"});
    const auto wide = spec_of(file_of("gemma3", {{"attention.sliding_window", 1u << 31}}).bytes());
    ASSERT_TRUE(wide) << wide.error().message;
    EXPECT_EQ(wide->layers[0].window, DecoderSpecLimits::kMaxContext) << "all positions are seen";
    for (const float bad : {0.0f, -1.0f, std::nanf("")}) {
        expect_refused(spec_of(file_of("gemma2", {{"attn_logit_softcapping", bad}}).bytes()),
                       {"gemma2.attn_logit_softcapping"});
        expect_refused(spec_of(file_of("gemma3", {{"final_logit_softcapping", bad}}).bytes()),
                       {"gemma3.final_logit_softcapping"});
    }
}

TEST(Architectures, ALayerWithoutKeyValueHeadsIsAConvolution) {
    const auto with = [](const std::vector<int32_t>& n_kv_heads, uint32_t taps = 3) {
        GgufWriter writer = file_of("lfm2", {{"shortconv.l_cache", taps}});
        writer.add_array("lfm2.attention.head_count_kv", n_kv_heads);
        return spec_of(writer.bytes());
    };
    const auto spec = with({0, 0, 2, 0, 2, 0, 0, 2});
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(
        spec->layers[0],
        (LayerSpec{
            .mixer = Mixer::Convolution, .n_heads = 1, .n_kv_heads = 1, .head_dim = 32, .n_ff = 96, .window = 3}));
    EXPECT_EQ(spec->layers[2].mixer, Mixer::Attention);
    EXPECT_EQ(spec->layers[2].n_kv_heads, 2u);
    EXPECT_EQ(spec->layers[2].head_dim, 8u);
    EXPECT_EQ(spec->layers[2].window, 0u);
    EXPECT_EQ(spec->layers[2].qk_norm, QkNorm::Head);
    const std::string key = "lfm2.attention.head_count_kv";
    expect_refused(with({0, 2}), {key + " has 2 elements", "8 layers"});
    expect_refused(with({0, 0, 2, 0, 2, 0, 0, -1}), {key + " has -1"});
    expect_refused(with({0, 0, 2, 0, 4, 0, 0, 2}), {key + " has 4"});
    expect_refused(with({0, 0, 3, 0, 3, 0, 0, 3}), {"lfm2.attention.head_count is 4", "3"});
    expect_refused(with({0, 0, 0, 0, 0, 0, 0, 0}), {key + " is 0 in 8 of 8 layers"});
    expect_refused(with({2, 2, 2, 2, 2, 2, 2, 2}), {key + " is 0 in 0 of 8 layers"});
    expect_refused(spec_of(file_of("lfm2", {{"attention.head_count_kv", 2u}}).bytes()), {key});
    expect_refused(with({0, 0, 2, 0, 2, 0, 0, 2}, 1), {"lfm2.shortconv.l_cache is 1"});
    expect_refused(with({0, 0, 2, 0, 2, 0, 0, 2}, 17), {"lfm2.shortconv.l_cache is 17"});

    GgufWriter windowed = file_of("lfm2", {{"shortconv.l_cache", 3u}, {"attention.sliding_window", 16u}});
    windowed.add_array(key, std::vector<int32_t>{0, 0, 2, 0, 2, 0, 0, 2});
    const auto local = spec_of(windowed.bytes());
    ASSERT_TRUE(local) << local.error().message;
    EXPECT_EQ(local->layers[2].window, 16u);
    EXPECT_EQ(local->layers[0].window, 3u);
}

TEST(Architectures, MiniCpmsScales) {
    auto spec = spec_of(
        file_of("minicpm", {{"embedding_scale", 3.0f}, {"residual_scale", 0.5f}, {"logit_scale", 4.0f}}).bytes());
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->embedding_scale, 3.0f);
    EXPECT_EQ(spec->residual_scale, 0.5f);
    EXPECT_EQ(spec->logit_scale, 0.25f);
    spec = spec_of(file_of("minicpm").bytes());
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->embedding_scale, 12.0f);
    EXPECT_FLOAT_EQ(spec->residual_scale, 1.4f / std::sqrt(8.0f));
    EXPECT_EQ(spec->logit_scale, 256.0f / 32.0f);
    expect_refused(spec_of(file_of("llama", {{"embedding_scale", 3.0f}}).bytes()), {"\"llama.embedding_scale\""});
    for (const float bad : {0.0f, -1.0f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
        expect_refused(spec_of(file_of("minicpm", {{"logit_scale", bad}}).bytes()), {"minicpm.logit_scale"});
    }
}

TEST(Architectures, GranitesScales) {
    auto spec = spec_of(file_of("granite", {{"logit_scale", 4.0f}, {"attention.scale", 0.25f}}).bytes());
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->embedding_scale, 1.0f);
    EXPECT_EQ(spec->residual_scale, 1.0f);
    EXPECT_EQ(spec->logit_scale, 0.25f);
    EXPECT_EQ(spec->layers[0].scale_of_scores(), 0.25f);
    EXPECT_EQ(spec->layers[0].rotation, Rotation::Interleaved);
    GgufWriter unrotated = file_of("granite", {{"logit_scale", 4.0f}});
    unrotated.add("granite.rope.scaling.finetuned", false);
    spec = spec_of(unrotated.bytes());
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->layers[0].rotation, Rotation::None);
    EXPECT_FALSE(spec->has_learned_positions);
    expect_refused(spec_of(file_of("granite").bytes()), {"granite.logit_scale is absent"});
}

TEST(Architectures, YarnsSettings) {
    const auto with = [](const std::string& name, const Keys& more) {
        Keys keys = {{"rope.scaling.type", std::string("yarn")},    {"rope.scaling.factor", 4.0f},
                     {"rope.scaling.original_context_length", 16u}, {"rope.scaling.yarn_ext_factor", 1.0f},
                     {"rope.scaling.yarn_beta_fast", 8.0f},         {"rope.scaling.yarn_beta_slow", 2.0f}};
        keys.insert(keys.end(), more.begin(), more.end());
        return spec_of(file_of(name, keys).bytes());
    };
    const float magnitude = 1 + 0.1f * std::log(4.0f);
    const auto llama = with("llama", {});
    ASSERT_TRUE(llama) << llama.error().message;
    EXPECT_EQ(llama->ropes[0].yarn, (Yarn{.original_context = 16, .beta_fast = 8, .beta_slow = 2}));
    EXPECT_EQ(llama->ropes[0].factor, 4.0f);
    EXPECT_FLOAT_EQ(llama->ropes[0].magnitude, magnitude);
    const auto mistral = with("mistral3", {{"rope.scaling.yarn_log_multiplier", 1.0f}});
    ASSERT_TRUE(mistral) << mistral.error().message;
    EXPECT_EQ(mistral->ropes[0].magnitude, 1.0f);
    expect_refused(with("llama", {{"rope.scaling.yarn_log_multiplier", 1.0f}}), {"\"llama.rope.scaling.yarn_log_mult"});
    expect_refused(with("llama", {{"rope.scaling.extrapolation_factor", 0.5f}}), {"extrapolation_factor"});
    for (const float said : {1.0f, magnitude}) {
        const auto same = with("llama", {{"rope.scaling.yarn_attn_factor", said}});
        ASSERT_TRUE(same) << same.error().message;
        EXPECT_FLOAT_EQ(same->ropes[0].magnitude, magnitude);
    }
    expect_refused(with("llama", {{"rope.scaling.yarn_attn_factor", 1.5f}}), {"yarn_attn_factor is 1.5", "1.138"});
    expect_refused(spec_of(file_of("llama", {{"rope.scaling.type", std::string("yarn")},
                                             {"rope.scaling.original_context_length", 0u}})
                               .bytes()),
                   {"original_context_length is 0"});
}

TEST(Architectures, LongRopesAndTemperaturesSettings) {
    const auto phi3 = spec_of(file_of("phi3", {{"rope.scaling.type", std::string("longrope")},
                                               {"rope.scaling.original_context_length", 16u},
                                               {"rope.scaling.attn_factor", 1.25f}})
                                  .bytes());
    ASSERT_TRUE(phi3) << phi3.error().message;
    EXPECT_EQ(phi3->longrope_context, 16u);
    EXPECT_EQ(phi3->ropes[0].magnitude, 1.25f);
    EXPECT_EQ(rope_factors_role(*phi3, 16), Role::RopeFactorsShort);
    EXPECT_EQ(rope_factors_role(*phi3, 17), Role::RopeFactorsLong);
    const auto minicpm = spec_of(file_of("minicpm", {{"rope.scaling.type", std::string("longrope")}}).bytes());
    ASSERT_TRUE(minicpm) << minicpm.error().message;
    EXPECT_EQ(minicpm->longrope_context, 64u) << "the context's length";
    expect_refused(
        spec_of(
            file_of("phi3", {{"rope.scaling.type", std::string("longrope")}, {"rope.scaling.factor", 4.0f}}).bytes()),
        {"phi3.rope.scaling.factor is 4", "longrope"});
    // Phi's converter writes the two tensors and no type.
    for (const std::string name : {"phi3", "llama"}) {
        GgufWriter writer = file_of(name, {{"rope.scaling.original_context_length", 16u}});
        writer.add_tensor("rope_factors_long.weight", TensorType::F32, 1, 4, Bytes(16));
        const auto untyped = spec_of(writer.bytes());
        ASSERT_TRUE(untyped) << untyped.error().message;
        EXPECT_EQ(untyped->longrope_context, name == "phi3" ? 16u : 0u) << name;
    }

    const auto mistral = spec_of(
        file_of("mistral3", {{"attention.temperature_scale", 0.5f}, {"rope.scaling.original_context_length", 32u}})
            .bytes());
    ASSERT_TRUE(mistral) << mistral.error().message;
    EXPECT_EQ(mistral->temperature_slope, 0.5f);
    EXPECT_EQ(mistral->temperature_context, 32u);
    expect_refused(spec_of(file_of("mistral3", {{"attention.temperature_scale", std::nanf("")}}).bytes()),
                   {"mistral3.attention.temperature_scale"});
}

// An architecture that differs from the others by settings which they have too is one row, and nothing else.
TEST(Architectures, AnotherOneIsARow) {
    constexpr Architecture kRows[] = {{.name = "made-up", .norm = Norm::LayerNorm, .rotation = Rotation::HalfSplit}};
    const GgufWriter writer = file_of("made-up", {{"attention.layer_norm_epsilon", 1e-6f}});
    const auto spec = spec_of(writer.bytes(), kRows);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->norm, Norm::LayerNorm);
    EXPECT_EQ(spec->activation, Activation::SwiGlu);
    EXPECT_EQ(spec->layers[1].rotation, Rotation::HalfSplit);
    EXPECT_FALSE(spec->has_learned_positions);
    EXPECT_EQ(spec->n_layers(), 8u);
    expect_refused(spec_of(writer.bytes()), {"\"made-up\"", "gpt2, llama, qwen2"});
}

TEST(Architectures, RefusesUnknownArchitectures) {
    GgufWriter writer;
    writer.add("general.architecture", "mamba\n2");
    expect_refused(spec_of(writer.bytes()), {"general.architecture", "\"mamba?2\"", "gpt2, llama, qwen2"});
    expect_refused(spec_of(GgufWriter().bytes()), {"general.architecture is absent"});
}

TEST(Architectures, NamesEveryMissingKey) {
    for (const char* key : {"block_count", "context_length", "embedding_length", "feed_forward_length",
                            "attention.head_count", "vocab_size", "attention.layer_norm_rms_epsilon"}) {
        expect_refused(spec_of(llama({key}).bytes()), {std::string("llama.") + key, "absent"});
    }
}

TEST(Architectures, RefusesNumbersOutOfRange) {
    const std::vector<std::pair<std::string, uint32_t>> most = {
        {"block_count", DecoderSpecLimits::kMaxLayers},
        {"context_length", DecoderSpecLimits::kMaxContext},
        {"embedding_length", DecoderSpecLimits::kMaxWidth},
        {"feed_forward_length", DecoderSpecLimits::kMaxWidth},
        {"attention.head_count", DecoderSpecLimits::kMaxHeads},
        {"attention.head_count_kv", DecoderSpecLimits::kMaxHeads},
        {"vocab_size", DecoderSpecLimits::kMaxVocab},
        {"attention.key_length", DecoderSpecLimits::kMaxHeadDim},
    };
    for (const auto& [name, limit] : most) {
        expect_refused(llama_with(name, uint32_t{0}), {"llama." + name + " is 0"});
        expect_refused(llama_with(name, limit + 1), {"llama." + name + " is " + std::to_string(limit + 1)});
        expect_refused(llama_with(name, int32_t{-1}), {"llama." + name, "-1"});
        expect_refused(llama_with(name, uint64_t{1} << 63), {"llama." + name, "9223372036854775808"});
        expect_refused(llama_with(name, "many"), {"llama." + name});
    }
    EXPECT_TRUE(llama_with("block_count", DecoderSpecLimits::kMaxLayers));
    EXPECT_TRUE(llama_with("context_length", DecoderSpecLimits::kMaxContext));
}

TEST(Architectures, RefusesFloatsOutOfRange) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInf = std::numeric_limits<float>::infinity();
    for (const char* name : {"attention.layer_norm_rms_epsilon", "rope.freq_base", "rope.scaling.factor"}) {
        for (const float bad : {kNan, kInf, -kInf, -1.0f, 0.0f, -0.0f, 3e38f}) {
            expect_refused(llama_with(name, bad), {std::string("llama.") + name});
        }
        expect_refused(llama_with(name, 1e300), {std::string("llama.") + name});
        expect_refused(llama_with(name, uint32_t{1}), {std::string("llama.") + name});
    }
    expect_refused(llama_with("attention.layer_norm_rms_epsilon", std::numeric_limits<float>::denorm_min()),
                   {"epsilon"});
}

TEST(Architectures, RefusesHeadsThatDoNotFit) {
    expect_refused(llama_with("attention.head_count_kv", uint32_t{3}), {"attention.head_count is 4", "3"});
    expect_refused(llama_with("attention.head_count_kv", uint32_t{8}), {"attention.head_count is 4", "8"});
    expect_refused(llama_with("embedding_length", uint32_t{34}), {"embedding_length is 34", "4"});
    expect_refused(llama_with("embedding_length", uint32_t{24}), {"heads of 6"});
    expect_refused(llama_with("attention.key_length", uint32_t{10}), {"heads of 10"});
    expect_refused(llama_with("embedding_length", uint32_t{4096}), {"heads of 1024"});

    GgufWriter unequal = llama();
    unequal.add("llama.attention.key_length", uint32_t{16});
    unequal.add("llama.attention.value_length", uint32_t{8});
    expect_refused(spec_of(unequal.bytes()), {"llama.attention.value_length is 8", "16"});

    GgufWriter wide = llama({"attention.head_count"});
    wide.add("llama.attention.head_count", uint32_t{1024});
    wide.add("llama.attention.key_length", uint32_t{256});
    expect_refused(spec_of(wide.bytes()), {"1024 heads of 256"});
}

TEST(Architectures, RefusesOddRotaryDimensions) {
    expect_refused(llama_with("rope.dimension_count", uint32_t{7}), {"rope.dimension_count is 7"});
    expect_refused(llama_with("rope.dimension_count", uint32_t{10}), {"rope.dimension_count is 10", "8"});
    expect_refused(llama_with("rope.dimension_count", uint32_t{0}), {"rope.dimension_count is 0"});
    const auto narrow = llama_with("rope.dimension_count", uint32_t{4});
    ASSERT_TRUE(narrow);
    EXPECT_EQ(narrow->layers[0].n_rot, 4u);
}

TEST(Architectures, AcceptsLinearRopeScalingAndNone) {
    const auto with = [](const char* type, const char* factor_key) {
        GgufWriter writer = llama();
        if (type != nullptr) writer.add("llama.rope.scaling.type", type);
        if (factor_key != nullptr) writer.add(std::string("llama.") + factor_key, 2.5f);
        const auto spec = spec_of(writer.bytes());
        return spec ? spec->ropes[0].factor : -1;
    };
    EXPECT_EQ(with("linear", "rope.scaling.factor"), 2.5f);
    EXPECT_EQ(with(nullptr, "rope.scaling.factor"), 2.5f);
    EXPECT_EQ(with(nullptr, "rope.scale_linear"), 2.5f);
    EXPECT_EQ(with("linear", nullptr), 1.0f);
    EXPECT_EQ(with("none", "rope.scaling.factor"), 1.0f);
    EXPECT_EQ(with("none", nullptr), 1.0f);
}

TEST(Architectures, RefusesOtherRopeScalingsByName) {
    for (const char* type : {"dynamic", ""}) {
        expect_refused(llama_with("rope.scaling.type", type),
                       {"llama.rope.scaling.type", '"' + std::string(type) + '"', "not supported"});
    }
}

TEST(Architectures, RefusesMixturesOfExpertsAndEncoders) {
    expect_refused(llama_with("expert_count", uint32_t{8}), {"llama.expert_count is 8", "mixture of experts"});
    EXPECT_TRUE(llama_with("expert_count", uint32_t{0}));
    expect_refused(llama_with("attention.causal", false), {"llama.attention.causal"});
}

TEST(Architectures, TheTokenizersListGivesTheVocabularySize) {
    GgufWriter writer = llama();  // vocab_size 100
    writer.add_array("tokenizer.ggml.tokens", std::vector<std::string>(7, "t"));
    EXPECT_EQ(spec_of(writer.bytes())->n_vocab, 7u);

    GgufWriter empty = llama();
    empty.add_array("tokenizer.ggml.tokens", std::vector<std::string>{});
    expect_refused(spec_of(empty.bytes()), {"tokenizer.ggml.tokens has 0"});

    GgufWriter number = llama();
    number.add("tokenizer.ggml.tokens", uint32_t{1});
    expect_refused(spec_of(number.bytes()), {"tokenizer.ggml.tokens is not an array"});
}

}  // namespace
}  // namespace llmd::model
