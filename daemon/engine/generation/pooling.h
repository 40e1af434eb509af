// The embedding of a text: the mean over its tokens of what the last layer leaves, behind the model's own last norm,
// scaled to length 1. A causal model's last token alone would speak mostly of what comes next; the mean is what most
// tools take from such a model.
//
// All sums are in double precision and in the order of the tokens, so that the chunks in which the rows arrive change
// no bit of it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/model/model_config.h"

namespace llmd::generation {

// The norm between the last layer and the vocabulary.
struct OutputNorm {
    model::Norm kind = model::Norm::RmsNorm;
    float epsilon = 0;
    std::vector<float> weight;
    std::vector<float> bias;  // empty: none
};

class Pooling {
public:
    // The norm must outlive it.
    explicit Pooling(const OutputNorm& norm) : norm_(norm), sum_(norm.weight.size()), normed_(norm.weight.size()) {}

    // The next rows of the text, one for each token: Backend::read_residual().
    // Precondition: whole rows.
    void add(std::span<const float> rows);
    // Of all rows so far, at least one. DeviceError when it has no direction: a row was not finite.
    base::Result<std::vector<float>> embedding() const;

private:
    void add_row(std::span<const float> x);

    const OutputNorm& norm_;
    std::vector<double> sum_;  // the mean's direction; its length is not needed
    std::vector<double> normed_;
};

}  // namespace llmd::generation
