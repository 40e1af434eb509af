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
            write_attention(layer);
            write_feed_forward(layer);
        }
        norm(0, Role::OutputNorm, Role::OutputNormBias);
        matmul(0, Normed, Logits, Role::Output);
        return std::move(all_);
    }

private:
    void write_attention(uint32_t layer) {
        norm(layer, Role::AttnNorm, Role::AttnNormBias);
        matmul(layer, Normed, Query, Role::AttnQ, Role::AttnQBias);
        matmul(layer, Normed, Key, Role::AttnK, Role::AttnKBias);
        matmul(layer, Normed, Value, Role::AttnV, Role::AttnVBias);
        if (spec_.layers[layer].rotation != Rotation::None) {
            add({.op = Rotate, .layer = layer, .in = Query, .out = Query});
            add({.op = Rotate, .layer = layer, .in = Key, .out = Key});
        }
        add({.op = StoreKv, .layer = layer, .in = Key, .out = Value});
        add({.op = Attend, .layer = layer, .in = Query, .out = Attended});
        matmul(layer, Attended, Projected, Role::AttnOutput, Role::AttnOutputBias);
        add({.op = Add, .layer = layer, .in = Projected, .out = Residual});
    }

    void write_feed_forward(uint32_t layer) {
        norm(layer, Role::FfnNorm, Role::FfnNormBias);
        if (spec_.activation == Activation::SwiGlu) matmul(layer, Normed, Gate, Role::FfnGate);
        matmul(layer, Normed, Up, Role::FfnUp, Role::FfnUpBias);
        add({.op = Activate, .layer = layer, .in = Gate, .out = Up});
        matmul(layer, Up, Projected, Role::FfnDown, Role::FfnDownBias);
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
