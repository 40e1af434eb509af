// A model's tensors in memory of our own: matrices in the file's blocks, their rows
// interleaved if quantised (packed_rows.h), vectors as floats. Filled while loading, then
// read from every worker.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/host_buffer.h"
#include "engine/model/decoder_spec.h"
#include "engine/model/weights.h"

namespace llmd::compute {

class CpuWeights {
public:
    explicit CpuWeights(const model::DecoderSpec& spec);

    // Copies a tensor. OutOfMemory names it and its size; ModelLoadFailed when check_weight() refuses it or it comes
    // twice.
    base::Result<void> add(const model::Weight& weight);
    // ModelLoadFailed names the first role that the spec needs and that is missing.
    base::Result<void> check_complete() const;

    // Null when the model has none. Role::Output gives the token embedding where the two are tied.
    const Matrix* matrix(model::Role role, uint32_t layer = 0) const;
    const float* vector(model::Role role, uint32_t layer = 0) const;

    uint64_t size_bytes() const { return size_bytes_; }

private:
    struct Tensor {
        HostBuffer data;
        Matrix matrix;
    };

    size_t index(model::Role role, uint32_t layer) const;

    const model::DecoderSpec& spec_;
    std::vector<Tensor> tensors_;  // [role][layer]; no data: absent
    uint64_t size_bytes_ = 0;
};

}  // namespace llmd::compute
