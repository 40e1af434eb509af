// The order of a decoder's operations, derived from its spec in this one place. A backend lowers the list: it turns
// runs of operations into the fused forms that it has (a norm into the matmul behind it, rotation and the writing of
// keys and values into its epilogue, the addition to the residual), and what it has no form for into a fused op or
// launch of its own. The tests' oracle computes the list one operation after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/model/decoder_spec.h"
#include "engine/model/weights.h"

namespace llmd::model {

enum class Operator : uint8_t {
    Embed,     // out = token_embd[token] * embedding_scale (+ position_embd[position])
    Norm,      // out = norm(in) * weight (+ bias)
    Matmul,    // out = weight in (+ bias)
    HeadNorm,  // out, a query or key, is normalised by heads or as a whole: LayerSpec::qk_norm
    Rotate,    // out, a query or key head by head, is rotated by its position
    StoreKv,   // keys and values go into the row's KV page, as f16
    Attend,    // out = per query head, softmax(t q . K[0..position] / sqrt(head_dim)) V with the position's temperature
               // t (DecoderSpec); keys and values from the pages only
    Convolve,  // key * value goes into the row's KV page, as float; out = in * the sum over the taps of weight[tap] *
               // that product at position - taps + 1 + tap, each channel by itself; before position 0 it is 0
    Activate,  // out = activation(gate, out)
    Add,       // out += residual_scale * in
};

// The vectors that operations read and write: one for each row of the batch.
enum class Operand : uint8_t {
    Residual,   // [n_embd] the residual stream
    Normed,     // [n_embd]
    Query,      // [q_rows]
    Key,        // [kv_rows]
    Value,      // [kv_rows]
    Attended,   // [q_rows]
    Gate,       // [n_ff]
    Up,         // [n_ff], then activated
    Projected,  // [n_embd] what is added to the residual stream
    Logits,     // [n_vocab], which logit_scale multiplies
};
inline constexpr size_t kOperandCount = static_cast<size_t>(Operand::Logits) + 1;

struct Operation {
    Operator op;
    uint32_t layer = 0;  // 0 behind the last layer, and for Embed
    Operand in = Operand::Residual;
    Operand out = Operand::Residual;
    Role weight = Role::TokenEmbedding;  // of Norm, HeadNorm, Matmul and Convolve; Role::Output is TokenEmbedding where
                                         // the two are tied
    std::optional<Role> bias = std::nullopt;  // that a file may have

    bool operator==(const Operation&) const = default;
};

// Embed, then the operations of each layer, then the last norm and the matmul that gives logits: head_operations().
std::vector<Operation> derive_operations(const DecoderSpec& spec);

// The last two operations, which only rows that want output go through; body_operations() are those before.
inline constexpr size_t kHeadOperations = 2;
inline std::span<const Operation> head_operations(std::span<const Operation> all) {
    return all.last(kHeadOperations);
}
inline std::span<const Operation> body_operations(std::span<const Operation> all) {
    return all.first(all.size() - kHeadOperations);
}

}  // namespace llmd::model
