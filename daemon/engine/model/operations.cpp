#include "engine/model/operations.h"

namespace llmd::model {
namespace {

using enum Operator;
using enum Operand;

class Writer {
public:
    explicit Writer(const DecoderSpec& spec) : spec_(spec) {}

    std::vector<Operation> write() {
        add({.op = Embed, .out = Residual});
        for (uint32_t layer = 0; layer < spec_.n_layers(); ++layer) {
            write_mixer(layer);
            write_feed_forward(layer);
        }
        norm(0, Role::OutputNorm, Role::OutputNormBias);
        matmul(0, Normed, Logits, Role::Output);
        return std::move(all_);
    }

private:
    void write_mixer(uint32_t layer) {
        const Operand in = pre_norm(layer, Role::AttnNorm, Role::AttnNormBias);
        matmul(layer, in, Query, Role::AttnQ, Role::AttnQBias);
        matmul(layer, in, Key, Role::AttnK, Role::AttnKBias);
        matmul(layer, in, Value, Role::AttnV, Role::AttnVBias);
        if (spec_.layers[layer].is_convolution()) {
            add({.op = Convolve, .layer = layer, .in = Query, .out = Attended, .weight = Role::ConvTaps});
        } else {
            write_attention(layer);
        }
        matmul(layer, Attended, Projected, Role::AttnOutput, Role::AttnOutputBias);
        add_to_residual(layer, Role::AttnPostNorm);
    }

    void write_attention(uint32_t layer) {
        const LayerSpec& of = spec_.layers[layer];
        if (!of.norms_after_rotation) head_norms(layer);
        if (of.rotation != Rotation::None) {
            add({.op = Rotate, .layer = layer, .in = Query, .out = Query});
            add({.op = Rotate, .layer = layer, .in = Key, .out = Key});
        }
        if (of.norms_after_rotation) head_norms(layer);
        add({.op = StoreKv, .layer = layer, .in = Key, .out = Value});
        add({.op = Attend, .layer = layer, .in = Query, .out = Attended});
    }

    void write_feed_forward(uint32_t layer) {
        const Operand in = pre_norm(layer, Role::FfnNorm, Role::FfnNormBias);
        if (is_gated(spec_.activation)) matmul(layer, in, Gate, Role::FfnGate, Role::FfnGateBias);
        matmul(layer, in, Up, Role::FfnUp, Role::FfnUpBias);
        add({.op = Activate, .layer = layer, .in = Gate, .out = Up});
        matmul(layer, Up, Projected, Role::FfnDown, Role::FfnDownBias);
        add_to_residual(layer, Role::FfnPostNorm);
    }

    // Every reader of the residual stream reads this.
    Operand pre_norm(uint32_t layer, Role weight, Role bias) {
        if (!spec_.has_pre_norms) return Residual;
        norm(layer, weight, bias);
        return Normed;
    }

    void head_norms(uint32_t layer) {
        if (spec_.layers[layer].qk_norm == QkNorm::None) return;
        add({.op = HeadNorm, .layer = layer, .in = Query, .out = Query, .weight = Role::AttnQNorm});
        add({.op = HeadNorm, .layer = layer, .in = Key, .out = Key, .weight = Role::AttnKNorm});
    }

    void add_to_residual(uint32_t layer, Role post_norm) {
        if (spec_.has_post_norms) {
            add({.op = Norm, .layer = layer, .in = Projected, .out = Projected, .weight = post_norm});
        }
        add({.op = Add, .layer = layer, .in = Projected, .out = Residual});
    }

    void norm(uint32_t layer, Role weight, Role bias) {
        Operation norm = {.op = Norm, .layer = layer, .in = Residual, .out = Normed, .weight = weight};
        if (spec_.norm == model::Norm::LayerNorm) norm.bias = bias;
        add(norm);
    }

    void matmul(uint32_t layer, Operand in, Operand out, Role weight, std::optional<Role> bias = std::nullopt) {
        add({.op = Matmul, .layer = layer, .in = in, .out = out, .weight = weight, .bias = bias});
    }

    void add(const Operation& operation) { all_.push_back(operation); }

    const DecoderSpec& spec_;
    std::vector<Operation> all_;
};

}  // namespace

std::vector<Operation> derive_operations(const DecoderSpec& spec) {
    return Writer(spec).write();
}

}  // namespace llmd::model
