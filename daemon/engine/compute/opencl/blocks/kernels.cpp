#include "engine/compute/opencl/blocks/kernels.h"

#include <string_view>

#include "engine/compute/opencl/sample_exchange.h"
#include "engine/compute/opencl/step_exchange.h"
#include "kernel_sources.h"

namespace llmd::compute::blocks {

using base::Result;

namespace {

// MATMUL_COLUMNS, the weights in a whole unit; the local memory of matmul_wide.
constexpr uint32_t kMatmulColumns = 32;
constexpr uint32_t kUnitWeights = 32;
constexpr uint64_t kMatmulLocalBytes = sizeof(float) * (8 * 768 + kGroupRows * kPackedColumns);
// From so many lanes on sixteen vector sums fit the registers at once (AVX-512); with fewer, four do.
constexpr uint32_t kManyLanes = 16;

// FNV-1a, to tell kernel sets apart in the profile.
uint32_t hash_sources() {
    using namespace kernels;
    uint32_t hash = 2166136261u;
    for (const std::string_view source :
         {kCommonCl, kBlocksCommonCl, kBlocksDecodeCl, kBlocksEmbedCl, kBlocksStripsCl, kBlocksProductCl,
          kBlocksMatvecCl, kBlocksMatmulCl, kBlocksMatmulWideCl, kBlocksPackCl, kBlocksNormCl, kBlocksNormProductCl,
          kBlocksRopeKvCl, kBlocksAttentionCl, kBlocksSampleCl, kBlocksChooseCl, kSampleExchangeCl, kNoiseCl,
          kGroupBestCl}) {
        for (const char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    }
    return hash;
}

}  // namespace

Result<Kernels> Kernels::build(const DeviceQueue& queue, const model::ModelConfig& config,
                               const BackendLimits& limits) {
    Kernels set;
    const DeviceLimits& device = queue.limits();
    set.micro_ = device.vector_floats >= kManyLanes ? 4 : 2;
    set.joins_norms_ = device.local_bytes >= config.n_embd * sizeof(float);
    set.matvec_shapes_ = {{1}};
    if (device.local_bytes >= kMatmulLocalBytes) {
        set.matvec_shapes_.push_back({kMatmulColumns});
        set.matvec_shapes_.push_back({kPackedColumns, true});
    }
    set.shape_options_ =
        base::concat(step_options(limits), " -DN_EMBD=", config.n_embd, " -DHEAD_DIM=", config.head_dim,
                     " -DQ_ROWS=", config.q_rows(), " -DKV_ROWS=", config.kv_rows(), " -DN_VOCAB=", config.n_vocab,
                     " -DN_ROT=", config.positions == model::Positions::Learned ? 0 : config.n_rot,
                     " -DHALF_SPLIT=", config.positions == model::Positions::RotaryHalfSplit ? 1 : 0,
                     " -DLAYER_NORM=", config.norm == model::Norm::LayerNorm ? 1 : 0, " -DCHUNKS=", kSampleChunks,
                     " -DTOP=", kChunkCandidates, " -DNOISE_LANES=16");
    const auto add = [&](ClProgram& program, const char* name, std::initializer_list<std::string_view> sources,
                         const std::string& options) -> Result<void> {
        auto built = queue.build(name, sources, options);
        if (!built) return built.error();
        program = std::move(*built);
        return {};
    };
    using namespace kernels;
    const std::string& options = set.shape_options_;
    auto ok = add(set.norm_, "norm", {kBlocksCommonCl, kBlocksNormCl}, options);
    if (ok) ok = add(set.rope_kv_, "rope_kv", {kBlocksCommonCl, kBlocksRopeKvCl}, options);
    if (ok) ok = add(set.attention_, "attention", {kBlocksCommonCl, kBlocksAttentionCl}, options);
    if (ok) {
        ok = add(set.sample_, "sample",
                 {kSampleExchangeCl, kNoiseCl, kGroupBestCl, kBlocksChooseCl, kBlocksCommonCl, kBlocksSampleCl},
                 options);
    }
    if (ok) {
        ok = add(set.pack_, "pack", {kBlocksCommonCl, kBlocksStripsCl, kBlocksPackCl},
                 base::concat("-DMICRO=", set.micro_, " -DMAX_ROWS=", limits.max_rows));
    }
    if (!ok) return ok.error();
    return set;
}

Result<ClKernel> Kernels::embed(const DeviceQueue& queue, model::TensorType type) {
    ClProgram& program = embeds_[type];
    if (!program) {
        auto built = queue.build(base::concat("embed for ", model::block_format(type).name),
                                 {kernels::kBlocksDecodeCl, kernels::kBlocksEmbedCl},
                                 base::concat(shape_options_, " -DWEIGHT_TYPE=", static_cast<uint32_t>(type)));
        if (!built) return built.error();
        program = std::move(*built);
    }
    return make_kernel(program, "embed");
}

std::string Kernels::product_options(model::TensorType type) const {
    const model::BlockFormat& format = model::block_format(type);
    return base::concat("-DWEIGHT_TYPE=", static_cast<uint32_t>(type),
                        " -DUNIT_BYTES=", kUnitWeights * format.block_bytes / format.block_weights,
                        " -DMICRO=", micro_);
}

Result<ClKernel> Kernels::matvec(const DeviceQueue& queue, model::TensorType type, const MatvecShape& shape) {
    using namespace kernels;
    ClProgram& program = products_[type];
    if (!program) {
        // No shape in the options: drivers that cache programs find these again for every model.
        auto built = queue.build(base::concat("matvec for ", model::block_format(type).name),
                                 {kBlocksCommonCl, kBlocksStripsCl, kBlocksDecodeCl, kBlocksProductCl, kBlocksMatvecCl,
                                  kBlocksMatmulCl, kBlocksMatmulWideCl},
                                 product_options(type));
        if (!built) return built.error();
        program = std::move(*built);
    }
    return make_kernel(program, shape.takes_packed ? "matmul_wide" : shape.columns > 1 ? "matmul" : "matvec");
}

Result<ClKernel> Kernels::make_normed(const DeviceQueue& queue, model::TensorType type, const char* name) {
    using namespace kernels;
    ClProgram& program = normed_products_[type];
    if (!program) {
        auto built = queue.build(base::concat("norm_product for ", model::block_format(type).name),
                                 {kBlocksCommonCl, kBlocksStripsCl, kBlocksDecodeCl, kBlocksProductCl, kBlocksNormCl,
                                  kBlocksRopeKvCl, kBlocksNormProductCl},
                                 base::concat(shape_options_, " ", product_options(type),
                                              " -DNORMED_SPACE=__local -DNORMED_ROWS=", kNormedRows));
        if (!built) return built.error();
        program = std::move(*built);
    }
    return make_kernel(program, name);
}

std::span<const MatvecShape> Kernels::matvec_shapes(uint32_t cols) const {
    const std::span all(matvec_shapes_);
    return all.back().takes_packed && cols % kUnitWeights != 0 ? all.first(all.size() - 1) : all;
}

uint64_t Kernels::packed_bytes(uint64_t rows, uint32_t cols) const {
    if (!matvec_shapes_.back().takes_packed) return 0;
    return (rows + kPackedColumns - 1) / kPackedColumns * kPackedColumns * cols * sizeof(float);
}

std::string Kernels::profile() const {
    return base::concat("blocks, kernels ", std::hex, hash_sources());
}

Result<void> set_pack_args(const ClKernel& kernel, const ClBuffer& x, uint32_t cols, const ClBuffer& step,
                           bool of_outputs, const ClBuffer& packed) {
    return set_args(kernel, x, cols, step, uint32_t{of_outputs}, packed);
}

Result<void> set_matvec_args(const ClKernel& kernel, const MatvecShape& shape, const MatvecArguments& a) {
    const auto set = [&](const auto&... more) {
        return set_args(kernel, a.weights, a.row_bytes, a.rows, a.cols, a.x, a.bias ? *a.bias : a.x,
                        uint32_t{a.bias != nullptr}, a.y, a.y_stride, a.y_first, a.first_row,
                        static_cast<uint32_t>(a.epilogue), more...);
    };
    return shape.columns > 1 ? set(a.step, uint32_t{a.of_outputs}) : set();
}

}  // namespace llmd::compute::blocks
