// The programs that one model needs on one CPU device, each built once, and kernels made from them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/cl_handle.h"
#include "engine/compute/opencl/device_queue.h"

namespace llmd::compute::blocks {

inline constexpr uint32_t kGroupRows = 16;  // GROUP_ROWS in product.cl: what a work-group of every product computes
// Products may touch so many rows of activations together, whatever the batch has: TILE in matmul.cl.
inline constexpr uint32_t kTileColumns = 4;
// What a launch of pack and of the products that take it does at most, and work-groups that share it (strips.cl).
inline constexpr uint32_t kPackedColumns = 128;
inline constexpr uint32_t kPackGroups = kPackedColumns / 16;
inline constexpr uint32_t kNormedRows = 64;  // what a work-group of norm_product computes: NORMED_ROWS

// A variant of a product: its work-groups compute kGroupRows of the matrix times so many rows of the batch.
struct MatvecShape {
    uint32_t columns;
    bool takes_packed = false;  // x as pack leaves it (strips.cl)
};
// Values of product.cl's EPILOGUE_*.
enum class Epilogue : uint32_t { Store = 0, Add = 1, Gelu = 2, SwiGlu = 3 };
// y[column][y_first + first_row + r] = weights[r] . x[column] (+ bias), then the epilogue.
struct MatvecArguments {
    const ClBuffer& weights;
    uint32_t row_bytes, rows, cols;
    const ClBuffer& x;     // packed for shapes that take it so
    const ClBuffer* bias;  // null: none
    const ClBuffer& y;
    uint32_t y_stride, y_first, first_row;
    Epilogue epilogue;
    const ClBuffer& step;  // says how many columns there are
    bool of_outputs;       // the columns are the step's outputs, not its rows
};

class Kernels {
public:
    // Builds all but the programs that depend on a weight type. DeviceError names the program that does not build.
    static base::Result<Kernels> build(const DeviceQueue& queue, const model::ModelConfig& config,
                                       const BackendLimits& limits);

    // A work-group of norm, rope_kv, attention, pack and sample is one item. One of rope_kv serves all rows of a batch.
    base::Result<ClKernel> norm() const { return make_kernel(norm_, "norm"); }
    base::Result<ClKernel> rope_kv() const { return make_kernel(rope_kv_, "rope_kv"); }
    base::Result<ClKernel> attention() const { return make_kernel(attention_, "attention"); }
    base::Result<ClKernel> pack() const { return make_kernel(pack_, "pack"); }
    base::Result<ClKernel> sample() const { return make_kernel(sample_, "sample"); }
    base::Result<ClKernel> choose() const { return make_kernel(sample_, "choose"); }
    // Build their program at the first call for a type.
    base::Result<ClKernel> embed(const DeviceQueue& queue, model::TensorType type);
    base::Result<ClKernel> matvec(const DeviceQueue& queue, model::TensorType type, const MatvecShape& shape);
    base::Result<ClKernel> norm_product(const DeviceQueue& queue, model::TensorType type) {
        return make_normed(queue, type, "norm_product");
    }
    base::Result<ClKernel> norm_qkv(const DeviceQueue& queue, model::TensorType type) {
        return make_normed(queue, type, "norm_qkv");
    }

    // Those for matrices of so many columns: by rising columns of the batch, the first with one. Every variant gives
    // the same bits.
    std::span<const MatvecShape> matvec_shapes(uint32_t cols) const;
    // Whether a work-group can keep a normed row, as those of norm_product do.
    bool joins_norms() const { return joins_norms_; }
    // What pack writes for so many rows of a batch, each of so many values; 0 where nothing takes it.
    uint64_t packed_bytes(uint64_t rows, uint32_t cols) const;
    // What decides the order and kind of float operations, beside the device itself.
    std::string profile() const;

private:
    std::string product_options(model::TensorType type) const;
    // Of norm_product.cl.
    base::Result<ClKernel> make_normed(const DeviceQueue& queue, model::TensorType type, const char* name);

    uint32_t micro_ = 0;  // MICRO of product.cl
    std::vector<MatvecShape> matvec_shapes_;
    bool joins_norms_ = false;
    std::string shape_options_;
    ClProgram norm_, rope_kv_, attention_, sample_, pack_;
    std::map<model::TensorType, ClProgram> embeds_, products_, normed_products_;
};

base::Result<void> set_pack_args(const ClKernel& kernel, const ClBuffer& x, uint32_t cols, const ClBuffer& step,
                                 bool of_outputs, const ClBuffer& packed);
base::Result<void> set_matvec_args(const ClKernel& kernel, const MatvecShape& shape, const MatvecArguments& arguments);

}  // namespace llmd::compute::blocks
