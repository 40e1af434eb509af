// One step of a backend: a batch of rows through the decoder and what is sampled from it; and what becomes of the rows
// where a text's embedding is wanted instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/model/decoder_spec.h"

namespace llmd::generation {

// Submits one batch. There is one request for each row that wants output, in the order of the rows. Any error is the
// device's, and the backend can then only be destroyed; this holds for all functions here.
base::Result<void> submit_step(compute::Backend& backend, std::span<const compute::Row> rows,
                               std::span<const compute::SampleRequest> requests);

// Waits for the oldest submitted batch, and returns the answers to its n_requests in their order. They are valid until
// the next call.
base::Result<std::span<const compute::Sampled>> wait_step(compute::Backend& backend, size_t n_requests);

// Does both. The answers are valid until the next call.
base::Result<std::span<const compute::Sampled>> forward(compute::Backend& backend, std::span<const compute::Row> rows,
                                                        std::span<const compute::SampleRequest> requests);

// The norm between the last layer and the vocabulary.
struct OutputNorm {
    model::Norm kind = model::Norm::RmsNorm;
    float epsilon = 0;
    std::vector<float> weight;
    std::vector<float> bias;  // empty: none
};

// Pooling computes the embedding of a text from the last layer's outputs after the model's output norm, one vector for
// each token: their mean, or that of the first or last token, as the file says (DecoderSpec::pooling), scaled to length
// 1. Where the file says nothing it is the mean: in a model that was trained for texts the last token alone would
// mostly describe what comes next.
//
// All sums are in double precision and in the order of the tokens, so that the chunks in which the rows arrive change
// no bit of the embedding.
class Pooling {
public:
    // The norm must outlive it.
    explicit Pooling(const OutputNorm& norm, model::PoolingType type = model::PoolingType::Mean)
        : norm_(norm), type_(type), sum_(norm.weight.size()), normed_(norm.weight.size()) {}

    // Adds the next rows of the text, one for each token, as Backend::read_residual() gives them.
    // Precondition: the rows are whole.
    void add(std::span<const float> rows);
    // Returns the embedding of all rows so far. DeviceError if it has no direction, because a row was not finite.
    // Precondition: there is at least one row.
    base::Result<std::vector<float>> embedding() const;

private:
    void add_row(std::span<const float> x);

    const OutputNorm& norm_;
    const model::PoolingType type_;
    bool has_rows_ = false;
    std::vector<double> sum_;  // the embedding's direction; its length is not needed
    std::vector<double> normed_;
};

}  // namespace llmd::generation
