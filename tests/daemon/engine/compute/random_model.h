// A model of any shape with seeded random weights in memory, for the tests of compute devices. Scales are such that
// activations, scores and logits are of the order of 1. The same arguments give the same bytes everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/model/decoder_spec.h"
#include "engine/model/weights.h"

namespace llmd::test {

// Seeded numbers that are the same with every standard library.
class Noise {
public:
    explicit Noise(uint64_t seed) : state_(seed) {}
    uint64_t bits();
    double uniform();  // in [-1, 1)

private:
    uint64_t state_;
};

// A decoder whose layers are all alike, flat so that tests change a number in one place.
struct UniformSpec {
    std::string architecture;
    uint32_t n_layers = 1;
    uint32_t n_embd = 0, n_vocab = 0, n_ctx_train = 0;
    uint32_t n_heads = 0, n_kv_heads = 0, head_dim = 0, n_rot = 0, n_ff = 0;
    model::Norm norm = model::Norm::RmsNorm;
    float norm_eps = 1e-5f;
    model::Activation activation = model::Activation::SwiGlu;
    model::Rotation rotation = model::Rotation::Interleaved;  // None: learned positions
    float rope_theta = 10000, rope_factor = 1;
    model::QkNorm qk_norm = model::QkNorm::None;
    bool norms_after_rotation = false, has_pre_norms = true, has_post_norms = false;
    float embedding_scale = 1, residual_scale = 1, logit_scale = 1;

    operator model::DecoderSpec() const;  // NOLINT(google-explicit-constructor): they are the same thing
};

// A small LLaMA: 1 layer, width 64, 4 query heads on 2 key/value heads of 16, 128 feed-forward, 96 ids, context 4224.
UniformSpec small_llama();
// The same size in GPT-2's way: LayerNorm, GELU, learned positions, as many key/value heads as query heads.
UniformSpec small_gpt2();
// With two layers and a context of 640, two and a half KV splits.
UniformSpec two_layers(UniformSpec spec);

// Makes a layer a short convolution.
void make_convolution(model::DecoderSpec& spec, uint32_t layer, uint32_t taps);

class RandomModel {
public:
    struct Options {
        model::TensorType type = model::TensorType::F32;  // of every matrix but the position embedding (F32)
        uint64_t seed = 1;
        bool biases = false;  // on every matmul
        bool tied = false;    // no output matrix of its own
        bool rope_factors = false;
        std::map<model::Role, model::TensorType> types = {};  // of single matrices of every layer
    };

    RandomModel(const model::DecoderSpec& spec, const Options& options);
    RandomModel(RandomModel&&) = default;  // not copied: tensors are views of bytes that it owns

    const model::DecoderSpec& spec() const { return spec_; }
    std::vector<model::Weight> weights() const;
    // Null when the model has none.
    const model::TensorView* find(model::Role role, uint32_t layer = 0) const;
    // Replaces or adds a tensor by these floats.
    void set(model::Role role, uint32_t layer, uint64_t cols, std::span<const float> values);
    // The embedding of a token becomes this, everywhere; the model has F32.
    void set_embedding(int32_t token, float value);

private:
    struct Tensor {
        model::Role role;
        uint32_t layer;
        std::vector<std::byte> bytes;
        model::TensorView view;
    };

    void add(model::Role role, uint32_t layer, model::TensorType type, uint64_t rows, uint64_t cols, double scale,
             double offset = 0);

    model::DecoderSpec spec_;
    Noise noise_;
    std::vector<Tensor> tensors_;
};

// One of each family with two_layers(), quantised.
std::vector<RandomModel> two_layer_models();

// Random blocks whose decoded weights are roughly uniform in [-scale, scale].
std::vector<std::byte> random_blocks(model::TensorType type, uint64_t n_weights, double scale, Noise& noise);

}  // namespace llmd::test
