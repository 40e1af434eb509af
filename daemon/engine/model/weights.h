// The tensors of a model by their meaning, with shapes checked against the spec.
// Fused matrices (Q, K and V in one; gate and up in one; what goes into a convolution) are split into their parts here,
// so nobody else knows that they exist.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/gguf.h"

namespace llmd::model {

// Shapes are (rows, cols); a vector is (1, n).
enum class Role : uint8_t {
    TokenEmbedding,     // (n_vocab, n_embd); also the output matrix where Output is absent
    PositionEmbedding,  // (n_ctx_train, n_embd), learned positions only
    RopeFactors,        // (1, n_rot/2): divides each rotary frequency; optional ("rope_freqs")
    RopeFactorsLong,    // (1, n_rot/2), LongRoPE only, as is the next
    RopeFactorsShort,   // (1, n_rot/2)
    OutputNorm,         // (1, n_embd)
    OutputNormBias,     // (1, n_embd), LayerNorm only
    Output,             // (n_vocab, n_embd), absent where tied
    // In every layer:
    AttnNorm,        // (1, n_embd), pre-norms only, as is FfnNorm
    AttnNormBias,    // (1, n_embd), LayerNorm only
    AttnQ,           // (n_heads * head_dim, n_embd); of a convolution too, as are the next two and AttnOutput
    AttnK,           // (n_kv_heads * head_dim, n_embd)
    AttnV,           // (n_kv_heads * head_dim, n_embd)
    AttnQNorm,       // (1, head_dim) or the whole row, by LayerSpec::qk_norm
    AttnKNorm,       // likewise
    AttnQBias,       // (1, n_heads * head_dim), optional
    AttnKBias,       // (1, n_kv_heads * head_dim), optional
    AttnVBias,       // (1, n_kv_heads * head_dim), optional
    AttnOutput,      // (n_embd, n_heads * head_dim)
    AttnOutputBias,  // (1, n_embd), optional
    AttnPostNorm,    // (1, n_embd), post-norms only, as is FfnPostNorm
    ConvTaps,        // (n_embd, window), convolutions only: of each channel, the oldest position's first
    FfnNorm,         // (1, n_embd)
    FfnNormBias,     // (1, n_embd), LayerNorm only
    FfnGate,         // (n_ff, n_embd), gated activations only
    FfnGateBias,     // (1, n_ff), optional, gated activations only
    FfnUp,           // (n_ff, n_embd)
    FfnUpBias,       // (1, n_ff), optional
    FfnDown,         // (n_embd, n_ff)
    FfnDownBias,     // (1, n_embd), optional
    FfnPostNorm,     // (1, n_embd)
};
inline constexpr size_t kRoleCount = static_cast<size_t>(Role::FfnPostNorm) + 1;

// The role of the frequencies' divisors in a context of so many tokens. A model may have none.
Role rope_factors_role(const DecoderSpec& spec, uint32_t n_ctx);

std::string_view role_name(Role role);  // "ffn_down"
bool is_in_layer(Role role);            // every layer has its own
bool is_vector(Role role);              // norms, biases, factors and taps: held as floats

struct Shape {
    uint64_t rows;
    uint64_t cols;
};
// The table above in numbers; `layer` is that of a role in a layer, and exists.
Shape shape_of(Role role, const DecoderSpec& spec, uint32_t layer);
// The model cannot be computed without it, in this layer where it is in one.
bool is_required(Role role, const DecoderSpec& spec, uint32_t layer);

// The bias of a matrix or of a norm, which a model may lack; nothing: the role never has one.
std::optional<Role> bias_of(Role role);
// The norm that the residual stream goes through on its way into a matrix; nothing: it goes through none, or the matrix
// reads something else. A token embedding is one that is the output matrix too.
std::optional<Role> norm_before(Role matrix, const DecoderSpec& spec);
// The norm that the result of a matrix goes through on its way into the residual stream; nothing: none.
std::optional<Role> norm_behind(Role matrix, const DecoderSpec& spec);

struct Weight {
    Role role;
    uint32_t layer;  // 0 for roles that are not in a layer
    TensorView tensor;
};

class Weights {
public:
    // Binds every tensor of the file: ModelLoadFailed names one that is missing, one that the spec has no use for,
    // since the model would compute something else without it, or one of another shape, with both shapes. Vectors
    // (is_vector()) must be F32, F16 or BF16. Views point into the Gguf's bytes.
    static base::Result<Weights> bind(const Gguf& gguf, const DecoderSpec& spec);

    // In file order, part by part, so that a loader reads each file once from front to back.
    const std::vector<Weight>& all() const { return weights_; }
    // Null when the model has none.
    const TensorView* find(Role role, uint32_t layer = 0) const;
    uint64_t size_bytes() const;

private:
    std::vector<Weight> weights_;
    std::vector<uint32_t> index_;  // layer * kRoleCount + role -> position in weights_ + 1, 0 where there is none
};

}  // namespace llmd::model
