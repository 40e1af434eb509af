// What a model file says about its own architecture. A family is a set of values here, not a class: the one forward
// pass (generation/forward.cpp) reads them.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "engine/model/gguf.h"

namespace llmd::model {

enum class Norm : uint8_t {
    LayerNorm,  // (x - mean) / sqrt(var + eps) * w + b        (GPT-2)
    RmsNorm,    // x / sqrt(mean(x^2) + eps) * w               (Zhang and Sennrich 2019; LLaMA)
};

enum class Activation : uint8_t {
    Gelu,    // 0.5 u (1 + tanh(sqrt(2/pi) (u + 0.044715 u^3))), u = up                    (Hendrycks and Gimpel 2016)
    SwiGlu,  // gate / (1 + exp(-gate)) * up                                               (Shazeer 2020)
};

enum class Positions : uint8_t {
    Learned,            // a row of position_embd is added to the embedding  (GPT-2)
    RotaryInterleaved,  // pairs (2i, 2i+1) of a head are rotated            (Su et al. 2021; GGUF "llama")
    RotaryHalfSplit,    // pairs (i, i + n_rot/2) are rotated                (GGUF "qwen2")
};

// Every number is checked by read_model_config() to lie in the limits below; products of them fit in 64 bits.
struct ModelConfig {
    std::string architecture;  // "gpt2", "llama", "qwen2"
    std::string quantization;  // the type that holds most weights' bytes, e.g. "Q4_0"
    uint32_t n_layers = 0;
    uint32_t n_embd = 0;      // width of the residual stream
    uint32_t n_heads = 0;     // query heads
    uint32_t n_kv_heads = 0;  // key/value heads; divides n_heads
    uint32_t head_dim = 0;    // a multiple of 4
    uint32_t n_ff = 0;
    uint32_t n_vocab = 0;
    uint32_t n_ctx_train = 0;  // the longest context the model was trained for
    Norm norm = Norm::RmsNorm;
    float norm_eps = 1e-5f;
    Activation activation = Activation::SwiGlu;
    Positions positions = Positions::RotaryInterleaved;
    uint32_t n_rot = 0;        // rotated dimensions of a head: even, <= head_dim; 0 with learned positions
    float rope_theta = 10000;  // base of the rotary frequencies
    float rope_factor = 1;     // linear scaling: the position is divided by it

    uint32_t q_rows() const { return n_heads * head_dim; }
    uint32_t kv_rows() const { return n_kv_heads * head_dim; }
    uint32_t heads_per_kv() const { return n_heads / n_kv_heads; }
};

struct ModelConfigLimits {
    static constexpr uint32_t kMaxLayers = 512;
    static constexpr uint32_t kMaxWidth = 1u << 17;  // n_embd, n_ff, heads * head_dim
    static constexpr uint32_t kMaxHeads = 1024;
    static constexpr uint32_t kMaxHeadDim = 256;
    static constexpr uint32_t kMaxVocab = 1u << 20;
    static constexpr uint32_t kMaxContext = 1u << 20;
    // Beyond these an angle (position * frequency) or a reciprocal root is no longer a sensible float.
    static constexpr float kMaxRopeTheta = 1e12f;  // least: 1; the largest in use is about 1e9
    static constexpr float kMaxRopeFactor = 1e6f;  // least: 1
    static constexpr float kMaxNormEps = 0.1f;     // more than 0; 1e-6 to 1e-5 are usual
};

// Those that read_model_config() knows: "gpt2, llama, qwen2".
std::string architecture_names();

// ModelLoadFailed names the key and its value: an unknown architecture, a number out of range, heads that do not
// divide, a rope scaling other than none or linear (by its name), and so on.
base::Result<ModelConfig> read_model_config(const Gguf& gguf);

}  // namespace llmd::model
