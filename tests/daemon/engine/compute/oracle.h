// The steps of a decoder (decode.h) for one sequence, each written down as plainly as possible in double
// precision from the dequantised weights: what every compute device is compared with. Keys and values are rounded to
// f16, as the numeric contract wants; so is, where a device is said to do it, what goes into a product.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "daemon/engine/compute/random_model.h"
#include "engine/compute/decode.h"

namespace llmd::test {

struct Rounding {
    // Rounds 32 values of a matmul's input to multiples of largest / steps; 0: none. An input that went through a norm
    // is rounded after the multiplication with the norm's weight and before the rest of the norm.
    double steps = 0;
    double qkv_steps = 0;          // the same of what queries, keys and values are made of, unless at_matmul
    bool at_matmul = false;        // after the whole norm instead, and for quantised matrices only
    bool to_half_weights = false;  // of matrices whose type has no packed layout of its own
};

class Oracle : private compute::Steps {
public:
    // The model must outlive the oracle.
    // n_ctx: the context that is set, which decides between two kinds of rope factors.
    explicit Oracle(const RandomModel& model, const Rounding& rounding = {}, uint32_t n_ctx = 1)
        : model_(model),
          spec_(model.spec()),
          rounding_(rounding),
          rope_factors_(model::rope_factors_role(spec_, n_ctx)) {}

    // Appends a token to the sequence.
    void feed(int32_t token);
    // After the last token fed: what the last layer leaves, [n_embd].
    const std::vector<double>& residual() { return residual_; }
    // And the vocabulary makes of it: [n_vocab].
    std::vector<double> logits();

private:
    using Vector = std::vector<double>;

    const std::vector<float>& weights(model::Role role, uint32_t layer = 0);
    bool has(model::Role role, uint32_t layer = 0) const { return model_.find(role, layer) != nullptr; }
    Vector row(model::Role role, uint32_t r);
    Vector rounded(Vector x, double steps) const;
    Vector rounded_early(Vector x, double steps) const;  // unless at_matmul
    // Rounding::steps or qkv_steps of what this matrix multiplies.
    double steps_into(model::Role matrix) const;
    Vector norm(model::Role role, uint32_t layer, const Vector& x, double steps);
    // An input that went through a norm was rounded there.
    Vector matmul(model::Role role, uint32_t layer, Vector x, bool is_normed);
    Vector multiply_residual(model::Role matrix, uint32_t layer);
    void add_bias(model::Role of, uint32_t layer, Vector& to);
    void norm_heads(model::Role role, uint32_t layer, Vector& heads);
    void multiply_qkv(uint32_t layer);
    double frequency(const model::LayerSpec& layer, uint32_t pair);
    void rotate(const model::LayerSpec& layer, Vector& heads);
    void activate(const Vector& gate, Vector& up) const;

    base::Result<void> embed(const compute::Reader& next) override;
    base::Result<void> make_qkv(uint32_t layer) override;
    base::Result<void> attend(uint32_t layer) override;
    base::Result<void> convolve(uint32_t layer) override;
    base::Result<void> feed_forward(uint32_t layer) override;
    base::Result<void> add_to_residual(model::Role matrix, uint32_t layer, const compute::Reader& next) override;

    const RandomModel& model_;
    const model::DecoderSpec spec_;
    const Rounding rounding_;
    const model::Role rope_factors_;
    std::map<std::pair<model::Role, uint32_t>, std::vector<float>> dequantized_;
    std::map<uint32_t, std::vector<Vector>> key_cache_, value_cache_, product_cache_;  // [layer][position]
    Vector residual_, query_, key_, value_;
    Vector mixed_;           // of attend(), convolve() or feed_forward()
    int32_t token_ = 0;      // being fed
    uint32_t position_ = 0;  // of it
};

}  // namespace llmd::test
