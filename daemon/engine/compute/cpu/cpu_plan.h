// A decoder's operations lowered to what the CPU computes in one go of the worker pool. Immutable once it is made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/compute/cpu/cpu_kernels.h"
#include "engine/compute/cpu/cpu_weights.h"
#include "engine/model/operations.h"

namespace llmd::compute {

// out[r] = matrix x[r] (+ bias)
struct MatmulPart {
    const Matrix* matrix = nullptr;
    const float* bias = nullptr;  // null: none
    model::Operand out = model::Operand::Residual;
};

struct FusedOp {
    enum class Kind : uint8_t {
        Embed,           // an item is a row of the batch
        Norm,            // likewise
        Matmul,          // some rows of a part's matrix, for the whole batch
        MatmulAdd,       // likewise, which are then added to the residual stream
        MatmulActivate,  // the same rows of every part's matrix, so that the activation follows while they are in the
                         // cache
        Add,             // a row of the batch: what is projected goes into the residual stream
        RotateStore,  // a row of the batch: queries and keys are normalised and rotated if the layer wants it, keys and
                      // values stored
        Attend,       // a row of the batch and a key/value head
        Convolve,     // a row of the batch
    };

    Kind kind = Kind::Embed;
    uint32_t layer = 0;
    model::Operand in = model::Operand::Residual;
    model::Operand out = model::Operand::Residual;  // of Norm
    const float* norm_weight = nullptr;
    const float* norm_bias = nullptr;                            // null: none
    const float *query_weight = nullptr, *key_weight = nullptr;  // of their norms; null: none
    const float* taps = nullptr;                                 // of Convolve
    std::vector<MatmulPart> parts = {};
};

// The pointers are into `weights`, which are complete. DeviceError names an operation that the CPU has no form for.
base::Result<std::vector<FusedOp>> lower_to_fused_ops(std::span<const model::Operation> operations,
                                                      const CpuWeights& weights);

}  // namespace llmd::compute
