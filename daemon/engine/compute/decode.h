// The order in which a decoder is computed, derived from its spec in this one place. Whoever computes one has the
// steps: the CPU backend computes each when decode() calls it, the OpenCL backend records its launches when a model is
// loaded, and the tests' oracle computes it in double precision.
//
// x is the residual stream, a vector [n_embd] for each row of the batch. W of a matrix is W in + its bias, where the
// model has one (model::bias_of()). norm(x) is x through model::norm_before() the matrix; x itself if there is none.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/weights.h"

namespace llmd::compute {

// A matrix that reads the residual stream; of several that read it together the first.
struct Reader {
    model::Role matrix = model::Role::Output;
    uint32_t layer = 0;

    bool operator==(const Reader&) const = default;
};

// The steps of a decoder, each done for all rows of the batch; Step (checks.h) is another thing. An error ends
// decode(). `next` is the next reader of x: a kernel of a GPU leaves x as the reader takes it.
class Steps {
public:
    virtual ~Steps() = default;

    // x = token_embd[token] * embedding_scale (+ position_embd[position])
    virtual base::Result<void> embed(const Reader& next) = 0;
    // q, k, v = AttnQ, AttnK, AttnV of norm(x). The heads of q and k, or their rows, are normalised
    // (LayerSpec::qk_norm) and rotated by the position, in the layer's order; k and v go into the row's KV page, as
    // f16.
    virtual base::Result<void> make_qkv(uint32_t layer) = 0;
    // y = per query head, softmax(t q . K[0..position] / sqrt(head_dim)) V with the position's temperature t
    // (DecoderSpec); keys and values from the pages only.
    virtual base::Result<void> attend(uint32_t layer) = 0;
    // q, k, v = AttnQ, AttnK, AttnV of norm(x). k * v goes into the row's KV page, as float. y = q * the sum over the
    // taps of ConvTaps[tap] * that product at position - taps + 1 + tap, each channel by itself; before position 0 it
    // is 0.
    virtual base::Result<void> convolve(uint32_t layer) = 0;
    // y = activation(FfnGate of norm(x), FfnUp of norm(x))
    virtual base::Result<void> feed_forward(uint32_t layer) = 0;
    // x += residual_scale * post(W of y), where W is AttnOutput or FfnDown and post is model::norm_behind() it.
    virtual base::Result<void> add_to_residual(model::Role matrix, uint32_t layer, const Reader& next) = 0;
};

// Everything up to the last layer: what x of each row becomes. Behind it come, for the rows that want output, the
// logits = Output of norm(x), times logit_scale and then capped.
inline base::Result<void> decode(const model::DecoderSpec& spec, Steps& steps) {
    using model::Role;
    const auto reader_behind = [&](uint32_t n_layers) {
        return n_layers < spec.n_layers() ? Reader{Role::AttnQ, n_layers} : Reader{Role::Output, 0};
    };
    if (auto ok = steps.embed(reader_behind(0)); !ok) return ok;
    for (uint32_t layer = 0; layer < spec.n_layers(); ++layer) {
        if (spec.layers[layer].is_convolution()) {
            if (auto ok = steps.convolve(layer); !ok) return ok;
        } else {
            if (auto ok = steps.make_qkv(layer); !ok) return ok;
            if (auto ok = steps.attend(layer); !ok) return ok;
        }
        if (auto ok = steps.add_to_residual(Role::AttnOutput, layer, {Role::FfnUp, layer}); !ok) return ok;
        if (auto ok = steps.feed_forward(layer); !ok) return ok;
        if (auto ok = steps.add_to_residual(Role::FfnDown, layer, reader_behind(layer + 1)); !ok) return ok;
    }
    return {};
}

}  // namespace llmd::compute
