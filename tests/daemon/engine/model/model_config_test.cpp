// What a file says about its architecture: the three families, defaults, and every number or combination out of range.
#include "engine/model/model_config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/gguf_writer.h"

namespace llmd::model {
namespace {

using test::GgufWriter;
using test::tiny_model;
using test::TinyModel;
using Bytes = std::vector<std::byte>;

base::Result<ModelConfig> config_of(const Bytes& file) {
    const auto gguf = Gguf::parse(file);
    if (!gguf) return gguf.error();
    return read_model_config(*gguf);
}

void expect_refused(const base::Result<ModelConfig>& config, const std::vector<std::string>& parts) {
    ASSERT_FALSE(config) << "should name " << parts.front();
    EXPECT_EQ(config.error().code, base::ErrorCode::ModelLoadFailed);
    for (const std::string& part : parts) {
        EXPECT_NE(config.error().message.find(part), std::string::npos) << config.error().message << "\nlacks " << part;
    }
}

// The least that a llama file must say, without the keys that start with one of `without` (they follow "llama.").
GgufWriter llama(const std::vector<std::string>& without = {}) {
    GgufWriter writer;
    writer.add("general.architecture", "llama");
    const auto number = [&](const std::string& name, uint32_t value) {
        for (const std::string& leave_out : without) {
            if (name == leave_out) return;
        }
        writer.add("llama." + name, value);
    };
    number("block_count", 2);
    number("context_length", 64);
    number("embedding_length", 32);
    number("feed_forward_length", 96);
    number("attention.head_count", 4);
    number("attention.head_count_kv", 2);
    number("vocab_size", 100);
    bool with_eps = true;
    for (const std::string& leave_out : without) with_eps = with_eps && leave_out != "attention.layer_norm_rms_epsilon";
    if (with_eps) writer.add("llama.attention.layer_norm_rms_epsilon", 1e-6f);
    return writer;
}

template <typename T>
base::Result<ModelConfig> llama_with(const std::string& name, T value) {
    GgufWriter writer = llama({name});
    writer.add("llama." + name, value);
    return config_of(writer.bytes());
}

TEST(ModelConfig, Llama) {
    TinyModel tiny;
    tiny.rope_theta = 500000;
    tiny.type = TensorType::Q4_0;
    const auto config = config_of(tiny_model(tiny));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->architecture, "llama");
    EXPECT_EQ(config->quantization, "Q4_0");
    EXPECT_EQ(config->n_layers, 2u);
    EXPECT_EQ(config->n_embd, 32u);
    EXPECT_EQ(config->n_heads, 4u);
    EXPECT_EQ(config->n_kv_heads, 2u);
    EXPECT_EQ(config->heads_per_kv(), 2u);
    EXPECT_EQ(config->head_dim, 8u);
    EXPECT_EQ(config->q_rows(), 32u);
    EXPECT_EQ(config->kv_rows(), 16u);
    EXPECT_EQ(config->n_ff, 64u);
    EXPECT_EQ(config->n_vocab, 288u);
    EXPECT_EQ(config->n_ctx_train, 128u);
    EXPECT_EQ(config->norm, Norm::RmsNorm);
    EXPECT_EQ(config->norm_eps, 1e-5f);
    EXPECT_EQ(config->activation, Activation::SwiGlu);
    EXPECT_EQ(config->positions, Positions::RotaryInterleaved);
    EXPECT_EQ(config->n_rot, 8u);
    EXPECT_EQ(config->rope_theta, 500000.0f);
    EXPECT_EQ(config->rope_factor, 1.0f);
}

TEST(ModelConfig, Gpt2) {
    TinyModel tiny;
    tiny.architecture = "gpt2";
    tiny.n_kv_heads = tiny.n_heads;
    const auto config = config_of(tiny_model(tiny));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->norm, Norm::LayerNorm);
    EXPECT_EQ(config->activation, Activation::Gelu);
    EXPECT_EQ(config->positions, Positions::Learned);
    EXPECT_EQ(config->n_rot, 0u);
    EXPECT_EQ(config->n_kv_heads, 4u);
    EXPECT_EQ(config->quantization, "F32");
}

TEST(ModelConfig, Qwen2) {
    TinyModel tiny;
    tiny.architecture = "qwen2";
    tiny.head_dim = 16;
    tiny.n_rot = 12;
    const auto config = config_of(tiny_model(tiny));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->positions, Positions::RotaryHalfSplit);
    EXPECT_EQ(config->head_dim, 16u);
    EXPECT_EQ(config->q_rows(), 64u);
    EXPECT_EQ(config->n_rot, 12u);
}

TEST(ModelConfig, DefaultsOfAbsentKeys) {
    const auto config = config_of(llama({"attention.head_count_kv"}).bytes());
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->n_kv_heads, 4u);
    EXPECT_EQ(config->head_dim, 8u);
    EXPECT_EQ(config->n_rot, 8u);
    EXPECT_EQ(config->rope_theta, 10000.0f);
    EXPECT_EQ(config->quantization, "") << "a file without tensors";
    EXPECT_EQ(config->n_vocab, 100u) << "without a tokenizer, from vocab_size";
}

TEST(ModelConfig, RefusesUnknownArchitectures) {
    GgufWriter writer;
    writer.add("general.architecture", "mamba\n2");
    expect_refused(config_of(writer.bytes()), {"general.architecture", "\"mamba?2\"", "gpt2, llama, qwen2"});
    expect_refused(config_of(GgufWriter().bytes()), {"general.architecture is absent"});
}

TEST(ModelConfig, NamesEveryMissingKey) {
    for (const char* key : {"block_count", "context_length", "embedding_length", "feed_forward_length",
                            "attention.head_count", "vocab_size", "attention.layer_norm_rms_epsilon"}) {
        expect_refused(config_of(llama({key}).bytes()), {std::string("llama.") + key, "absent"});
    }
}

TEST(ModelConfig, RefusesNumbersOutOfRange) {
    const std::vector<std::pair<std::string, uint32_t>> most = {
        {"block_count", ModelConfigLimits::kMaxLayers},
        {"context_length", ModelConfigLimits::kMaxContext},
        {"embedding_length", ModelConfigLimits::kMaxWidth},
        {"feed_forward_length", ModelConfigLimits::kMaxWidth},
        {"attention.head_count", ModelConfigLimits::kMaxHeads},
        {"attention.head_count_kv", ModelConfigLimits::kMaxHeads},
        {"vocab_size", ModelConfigLimits::kMaxVocab},
        {"attention.key_length", ModelConfigLimits::kMaxHeadDim},
    };
    for (const auto& [name, limit] : most) {
        expect_refused(llama_with(name, uint32_t{0}), {"llama." + name + " is 0"});
        expect_refused(llama_with(name, limit + 1), {"llama." + name + " is " + std::to_string(limit + 1)});
        expect_refused(llama_with(name, int32_t{-1}), {"llama." + name, "-1"});
        expect_refused(llama_with(name, uint64_t{1} << 63), {"llama." + name, "9223372036854775808"});
        expect_refused(llama_with(name, "many"), {"llama." + name});
    }
    EXPECT_TRUE(llama_with("block_count", ModelConfigLimits::kMaxLayers));
    EXPECT_TRUE(llama_with("context_length", ModelConfigLimits::kMaxContext));
}

TEST(ModelConfig, RefusesFloatsOutOfRange) {
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

TEST(ModelConfig, RefusesHeadsThatDoNotFit) {
    expect_refused(llama_with("attention.head_count_kv", uint32_t{3}), {"attention.head_count is 4", "3"});
    expect_refused(llama_with("attention.head_count_kv", uint32_t{8}), {"attention.head_count is 4", "8"});
    expect_refused(llama_with("embedding_length", uint32_t{34}), {"embedding_length is 34", "4"});
    expect_refused(llama_with("embedding_length", uint32_t{24}), {"heads of 6"});
    expect_refused(llama_with("attention.key_length", uint32_t{10}), {"heads of 10"});
    expect_refused(llama_with("embedding_length", uint32_t{4096}), {"heads of 1024"});

    GgufWriter unequal = llama();
    unequal.add("llama.attention.key_length", uint32_t{16});
    unequal.add("llama.attention.value_length", uint32_t{8});
    expect_refused(config_of(unequal.bytes()), {"llama.attention.value_length is 8", "16"});

    GgufWriter wide = llama({"attention.head_count"});
    wide.add("llama.attention.head_count", uint32_t{1024});
    wide.add("llama.attention.key_length", uint32_t{256});
    expect_refused(config_of(wide.bytes()), {"1024 heads of 256"});
}

TEST(ModelConfig, RefusesOddRotaryDimensions) {
    expect_refused(llama_with("rope.dimension_count", uint32_t{7}), {"rope.dimension_count is 7"});
    expect_refused(llama_with("rope.dimension_count", uint32_t{10}), {"rope.dimension_count is 10", "8"});
    expect_refused(llama_with("rope.dimension_count", uint32_t{0}), {"rope.dimension_count is 0"});
    const auto narrow = llama_with("rope.dimension_count", uint32_t{4});
    ASSERT_TRUE(narrow);
    EXPECT_EQ(narrow->n_rot, 4u);
}

TEST(ModelConfig, AcceptsLinearRopeScalingAndNone) {
    const auto with = [](const char* type, const char* factor_key) {
        GgufWriter writer = llama();
        if (type != nullptr) writer.add("llama.rope.scaling.type", type);
        if (factor_key != nullptr) writer.add(std::string("llama.") + factor_key, 2.5f);
        const auto config = config_of(writer.bytes());
        return config ? config->rope_factor : -1;
    };
    EXPECT_EQ(with("linear", "rope.scaling.factor"), 2.5f);
    EXPECT_EQ(with(nullptr, "rope.scaling.factor"), 2.5f);
    EXPECT_EQ(with(nullptr, "rope.scale_linear"), 2.5f);
    EXPECT_EQ(with("linear", nullptr), 1.0f);
    EXPECT_EQ(with("none", "rope.scaling.factor"), 1.0f);
    EXPECT_EQ(with("none", nullptr), 1.0f);
}

TEST(ModelConfig, RefusesOtherRopeScalingsByName) {
    for (const char* type : {"yarn", "longrope", "dynamic", ""}) {
        expect_refused(llama_with("rope.scaling.type", type),
                       {"llama.rope.scaling.type", '"' + std::string(type) + '"', "not supported"});
    }
}

TEST(ModelConfig, RefusesMixturesOfExpertsAndEncoders) {
    expect_refused(llama_with("expert_count", uint32_t{8}), {"llama.expert_count is 8", "mixture of experts"});
    EXPECT_TRUE(llama_with("expert_count", uint32_t{0}));
    expect_refused(llama_with("attention.causal", false), {"llama.attention.causal"});
}

TEST(ModelConfig, TheTokenizersListGivesTheVocabularySize) {
    GgufWriter writer = llama();  // vocab_size 100
    writer.add_array("tokenizer.ggml.tokens", std::vector<std::string>(7, "t"));
    EXPECT_EQ(config_of(writer.bytes())->n_vocab, 7u);

    GgufWriter empty = llama();
    empty.add_array("tokenizer.ggml.tokens", std::vector<std::string>{});
    expect_refused(config_of(empty.bytes()), {"tokenizer.ggml.tokens has 0"});

    GgufWriter number = llama();
    number.add("tokenizer.ggml.tokens", uint32_t{1});
    expect_refused(config_of(number.bytes()), {"tokenizer.ggml.tokens is not an array"});
}

}  // namespace
}  // namespace llmd::model
