// A decoder described as data: settings of the model and of each of its layers. An architecture is a row of a table
// (architectures.h) that reads a file's keys into this; the order of a decoder's steps (compute/decode.h), the weights,
// the backends, the KV cache and the tests' oracle read nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace llmd::model {

enum class Norm : uint8_t {
    LayerNorm,  // (x - mean) / sqrt(var + eps) * w + b        (GPT-2)
    RmsNorm,    // x / sqrt(mean(x^2) + eps) * w               (Zhang and Sennrich 2019; LLaMA)
};

enum class Activation : uint8_t {
    Gelu,    // 0.5 u (1 + tanh(sqrt(2/pi) (u + 0.044715 u^3))), u = up                    (Hendrycks and Gimpel 2016)
    SwiGlu,  // gate / (1 + exp(-gate)) * up                                               (Shazeer 2020)
    GeGlu,   // gelu(gate) * up, with Gelu's formula                                  (Shazeer 2020)
    ReluSquared,  // max(up, 0)^2                                                          (So et al. 2021)
};
// Whether there is a gate beside up.
constexpr bool is_gated(Activation activation) {
    return activation == Activation::SwiGlu || activation == Activation::GeGlu;
}

// The parts of queries and keys that are normalised, with RMSNorm and a weight of their own (Henry et al. 2020).
enum class QkNorm : uint8_t {
    None,
    Head,  // each head by itself, all with the same weight   (Qwen3)
    Row,   // all heads of the query or key together          (OLMo 2)
};

// How a layer mixes what the positions of a sequence hold.
enum class Mixer : uint8_t {
    Attention,
    // A gated short convolution (LFM2), in the notation of Poli et al. 2023: query * conv(key * value), element by
    // element, where conv weighs the products of the last `window` positions, each channel with taps of its own.
    Convolution,
};

// Which dimensions of a query or key head are rotated together (Su et al. 2021).
enum class Rotation : uint8_t {
    None,
    Interleaved,  // pairs (2i, 2i+1)           (GGUF "llama")
    HalfSplit,    // pairs (i, i + n_rot/2)     (GGUF "qwen2")
};

// How the vectors of a text's tokens become its embedding.
enum class PoolingType : uint8_t {
    Mean,
    First,  // that of the first token
    Last,   // that of the last token
};

// YaRN (Peng et al. 2023): dimensions that turn more than `beta_fast` times over the original context keep their
// frequency, those that turn less than `beta_slow` times have it divided by rope_factor, between them it is blended.
struct Yarn {
    uint32_t original_context = 0;
    float beta_fast = 32, beta_slow = 1;

    bool operator==(const Yarn&) const = default;
};

// How the rotations of a position are computed (rotation_frequencies(), fill_rotations()).
struct Rope {
    float theta = 10000;  // base of the frequencies
    float factor = 1;     // the position is divided by it: of all frequencies, or as Yarn says
    std::optional<Yarn> yarn;
    float magnitude = 1;  // multiplies cos and sin

    bool operator==(const Rope&) const = default;
};

// The first position that a query at `position` sees through a window, its own the last of it; 0: it sees all.
constexpr uint32_t first_seen(uint32_t position, uint32_t window) {
    return window == 0 || position < window ? 0 : position + 1 - window;
}

struct LayerSpec {
    Mixer mixer = Mixer::Attention;  // a convolution has one head, n_embd wide, and neither norms nor rotation
    uint32_t n_heads = 0;            // query heads
    uint32_t n_kv_heads = 0;         // key/value heads; divides n_heads
    uint32_t head_dim = 0;           // a multiple of 4
    Rotation rotation = Rotation::None;
    uint32_t n_rot = 0;  // rotated dimensions of a head: even, <= head_dim; 0 without rotation
    uint32_t rope = 0;   // of DecoderSpec::ropes
    uint32_t n_ff = 0;   // width of the feed-forward part
    QkNorm qk_norm = QkNorm::None;
    bool norms_after_rotation = false;  // of queries and keys; else before
    uint32_t window = 0;                // positions that a query sees, its own the last of them; 0: all. Of a
                                        // convolution its taps
    float score_scale = 0;              // of q . k; 0: 1 / sqrt(head_dim)
    float score_cap = 0;                // c: a score s becomes c tanh(s / c)   (Gemma 2); 0: it does not

    float scale_of_scores() const;
    uint32_t first_seen(uint32_t position) const { return model::first_seen(position, window); }

    uint32_t q_rows() const { return n_heads * head_dim; }
    uint32_t kv_rows() const { return n_kv_heads * head_dim; }
    uint32_t heads_per_kv() const { return n_heads / n_kv_heads; }

    bool is_convolution() const { return mixer == Mixer::Convolution; }

    bool operator==(const LayerSpec&) const = default;
};

// Every number that read_decoder_spec() gives lies in the limits below; products of them fit in 64 bits.
struct DecoderSpec {
    std::string architecture;  // "gpt2", "llama", "qwen2"
    std::string quantization;  // the type that holds most weights' bytes, e.g. "Q4_0"
    uint32_t n_embd = 0;       // width of the residual stream
    uint32_t n_vocab = 0;
    uint32_t n_ctx_train = 0;  // the longest context the model was trained for
    Norm norm = Norm::RmsNorm;
    float norm_eps = 1e-5f;
    Activation activation = Activation::SwiGlu;
    // Norms of what attention and the feed-forward part read, and of what they add to the residual stream.
    bool has_pre_norms = true;
    bool has_post_norms = false;
    float embedding_scale = 1;           // multiplies a token's embedding
    float residual_scale = 1;            // multiplies what is added to the residual stream
    float logit_scale = 1;               // multiplies the logits
    float logit_cap = 0;                 // as LayerSpec::score_cap, of the logits after that
    bool has_learned_positions = false;  // a row of position_embd is added to the embedding  (GPT-2)
    std::vector<Rope> ropes = {{}};      // LayerSpec::rope is one of them; a file's factors belong to the first
    // LongRoPE (Ding et al. 2024): longer contexts than this take the frequencies' divisors from RopeFactorsLong,
    // others from RopeFactorsShort. 0: the model has neither.
    uint32_t longrope_context = 0;
    // Queries at position p are multiplied by 1 + temperature_slope * ln(1 + floor(p / temperature_context)) (Ministral
    // 3)
    float temperature_slope = 0;  // 0: they are not
    uint32_t temperature_context = 0;
    std::optional<PoolingType> pooling;  // nothing: the file was not made for embeddings
    // The layers that are rotated have the same n_rot, so that all tables of rotations have one shape.
    std::vector<LayerSpec> layers;

    uint32_t n_layers() const { return static_cast<uint32_t>(layers.size()); }
    // The widest of all layers, for what is allocated once for all of them.
    uint32_t max_q_rows() const;
    uint32_t max_kv_rows() const;
    uint32_t max_ff() const;
    // Returns how many dimensions the layers rotate that do so; 0 where none does.
    uint32_t n_rot() const;
};

struct DecoderSpecLimits {
    static constexpr uint32_t kMaxLayers = 512;
    static constexpr uint32_t kMaxWidth = 1u << 17;  // n_embd, n_ff, heads * head_dim
    static constexpr uint32_t kMaxHeads = 1024;
    static constexpr uint32_t kMaxHeadDim = 256;  // of attention
    static constexpr uint32_t kMaxTaps = 16;      // of a convolution, least: 2; LFM2 has 3
    static constexpr uint32_t kMaxVocab = 1u << 20;
    static constexpr uint32_t kMaxContext = 1u << 20;
    // Beyond these an angle (position * frequency) or a reciprocal root is no longer a sensible float.
    static constexpr float kMaxRopeTheta = 1e12f;  // least: 1; the largest in use is about 1e9
    static constexpr float kMaxRopeFactor = 1e6f;  // least: 1
    static constexpr float kMaxNormEps = 0.1f;     // more than 0; 1e-6 to 1e-5 are usual
};

// The angle by which each of the n_rot / 2 pairs is rotated from one position to the next: theta^(-2i / n_rot) /
// (factor * factors[i]), with Yarn's share of the factor. `factors` is empty where there are none.
std::vector<double> rotation_frequencies(const Rope& rope, uint32_t n_rot, std::span<const float> factors);
// Fills out[pair] with (cos, sin) of position * frequencies[pair] times the magnitude, computed in double.
void fill_rotation(std::span<const double> frequencies, float magnitude, uint32_t position, std::span<float> out);
// Fills out[position][pair] likewise, for each position from 0 on.
void fill_rotations(const Rope& rope, uint32_t n_rot, std::span<const float> factors, std::span<float> out);

}  // namespace llmd::model
