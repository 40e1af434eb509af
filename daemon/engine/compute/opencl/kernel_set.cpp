#include "engine/compute/opencl/kernel_set.h"

#include <algorithm>
#include <string_view>

#include "kernel_sources.h"

namespace llmd::compute {
namespace {

using base::Result;

// Work-items that share a row on a GPU: enough to fill it with the rows of a small model, few enough that the 24 units
// of a 768-wide row keep all of them busy.
constexpr uint32_t kGpuSlices = 8;

// cpu_matvec.cl: GROUP_ROWS, MATMUL_COLUMNS and the local memory of matmul.
constexpr uint32_t kCpuGroupRows = 16;
constexpr uint32_t kMatmulColumns = 128;
constexpr uint64_t kMatmulLocalBytes = sizeof(float) * 8 * (768 + 16 * kMatmulColumns);
// From so many lanes on sixteen vector sums fit the registers at once (AVX-512); with fewer, four do.
constexpr uint32_t kManyLanes = 16;

// FNV-1a, to tell kernel sets apart in the profile.
uint32_t hash_sources() {
    uint32_t hash = 2166136261u;
    for (const std::string_view source :
         {kernels::kCommonCl, kernels::kBlocksCl, kernels::kMatvecCl, kernels::kEmbedCl, kernels::kNormCl,
          kernels::kRopeKvCl, kernels::kAttentionCl, kernels::kSampleCl, kernels::kCpuCommonCl, kernels::kCpuMatvecCl,
          kernels::kCpuNormCl, kernels::kCpuRopeKvCl, kernels::kCpuAttentionCl, kernels::kCpuSampleCl,
          kernels::kSampleExchangeCl, kernels::kNoiseCl, kernels::kChooseCl}) {
        for (const char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    }
    return hash;
}

}  // namespace

Result<KernelSet> KernelSet::build(const DeviceQueue& queue, const model::ModelConfig& config,
                                   const BackendLimits& limits) {
    KernelSet set;
    const DeviceLimits& device = queue.limits();
    set.for_cpu_ = device.vector_floats > 1;
    if (set.for_cpu_) {
        set.micro_ = device.vector_floats >= kManyLanes ? 4 : 2;
        set.matvec_shapes_ = {{1, kCpuGroupRows, 1}};
        if (device.local_bytes >= kMatmulLocalBytes) set.matvec_shapes_.push_back({kMatmulColumns, kCpuGroupRows, 1});
    } else {
        constexpr uint32_t kRows = static_cast<uint32_t>(kGroupItems) / kGpuSlices;
        set.matvec_shapes_ = {{1, kRows, kGroupItems}, {kMaxColumns, kRows, kGroupItems}};
    }
    set.shape_options_ =
        base::concat("-DMAX_ROWS=", limits.max_rows, " -DMAX_PAGES=", (limits.n_ctx + kPageTokens - 1) / kPageTokens,
                     " -DN_EMBD=", config.n_embd, " -DHEAD_DIM=", config.head_dim, " -DQ_ROWS=", config.q_rows(),
                     " -DKV_ROWS=", config.kv_rows(), " -DN_VOCAB=", config.n_vocab,
                     " -DN_ROT=", config.positions == model::Positions::Learned ? 0 : config.n_rot,
                     " -DHALF_SPLIT=", config.positions == model::Positions::RotaryHalfSplit ? 1 : 0,
                     " -DLAYER_NORM=", config.norm == model::Norm::LayerNorm ? 1 : 0, " -DCHUNKS=", kSampleChunks,
                     " -DTOP=", kChunkCandidates, " -DPENALTIES=1");

    using Sources = std::initializer_list<std::string_view>;
    const auto add = [&](ClProgram& program, const char* name, Sources gpu, Sources cpu) -> Result<void> {
        auto built = queue.build(name, set.for_cpu_ ? cpu : gpu, set.shape_options_);
        if (!built) return built.error();
        program = std::move(*built);
        return {};
    };
    using namespace kernels;
    if (auto ok = add(set.norm_, "norm", {kNormCl}, {kCpuCommonCl, kCpuNormCl}); !ok) return ok.error();
    if (auto ok = add(set.rope_kv_, "rope_kv", {kRopeKvCl}, {kCpuCommonCl, kCpuRopeKvCl}); !ok) return ok.error();
    if (auto ok = add(set.attention_, "attention", {kAttentionCl}, {kCpuCommonCl, kCpuAttentionCl}); !ok) {
        return ok.error();
    }
    if (auto ok = add(set.sample_, "sample", {kSampleExchangeCl, kNoiseCl, kChooseCl, kSampleCl},
                      {kSampleExchangeCl, kChooseCl, kCpuCommonCl, kCpuSampleCl});
        !ok) {
        return ok.error();
    }
    return set;
}

Result<ClKernel> KernelSet::embed(const DeviceQueue& queue, model::TensorType type) {
    ClProgram& program = typed_[{type, 0}];
    if (!program) {
        auto built = queue.build(base::concat("embed for ", model::block_format(type).name),
                                 {kernels::kBlocksCl, kernels::kEmbedCl},
                                 base::concat(shape_options_, " -DWEIGHT_TYPE=", static_cast<uint32_t>(type)));
        if (!built) return built.error();
        program = std::move(*built);
    }
    return make_kernel(program, "embed");
}

Result<ClProgram> KernelSet::build_matvec(const DeviceQueue& queue, model::TensorType type, uint32_t columns) const {
    // No shape in the options: drivers that cache programs find these again for every model.
    const std::string options = base::concat("-DWEIGHT_TYPE=", static_cast<uint32_t>(type));
    const model::BlockFormat& format = model::block_format(type);
    if (for_cpu_) {
        return queue.build(base::concat("matvec for ", format.name),
                           {kernels::kCpuCommonCl, kernels::kBlocksCl, kernels::kCpuMatvecCl},
                           base::concat(options, " -DUNIT_BYTES=", 32 * format.block_bytes / format.block_weights,
                                        " -DMICRO=", micro_));
    }
    return queue.build(base::concat("matvec for ", format.name, ", ", columns, " columns"),
                       {kernels::kBlocksCl, kernels::kMatvecCl},
                       base::concat(options, " -DCOLUMNS=", columns, " -DSLICES=", kGpuSlices));
}

Result<ClKernel> KernelSet::matvec(const DeviceQueue& queue, model::TensorType type, const MatvecShape& shape) {
    ClProgram& program = typed_[{type, for_cpu_ ? 1 : shape.columns}];
    if (!program) {
        auto built = build_matvec(queue, type, shape.columns);
        if (!built) return built.error();
        program = std::move(*built);
    }
    return make_kernel(program, for_cpu_ && shape.columns > 1 ? "matmul" : "matvec");
}

Result<void> KernelSet::set_matvec_args(const ClKernel& kernel, const MatvecShape& shape,
                                        const MatvecArguments& a) const {
    const auto set = [&](const auto&... more) {
        return set_args(kernel, a.weights, a.row_bytes, a.rows, a.cols, a.x, a.bias ? *a.bias : a.x,
                        uint32_t{a.bias != nullptr}, a.y, a.y_stride, a.y_first, a.first_row,
                        static_cast<uint32_t>(a.epilogue), more...);
    };
    return for_cpu_ && shape.columns > 1 ? set(a.step, uint32_t{a.of_outputs}) : set();
}

uint32_t KernelSet::rope_kv_groups(const model::ModelConfig& config) const {
    const uint32_t rows = config.q_rows() + 2 * config.kv_rows();
    if (for_cpu_) return rows / config.head_dim;
    return static_cast<uint32_t>((rows / 2 + kGroupItems - 1) / kGroupItems);
}

uint32_t KernelSet::rows_per_group() const {
    return std::min_element(matvec_shapes_.begin(), matvec_shapes_.end(),
                            [](const auto& a, const auto& b) { return a.rows < b.rows; })
        ->rows;
}

std::string KernelSet::profile() const {
    std::string kernels = base::concat("kernels ", std::hex, hash_sources());
    return kernels + (for_cpu_ ? ", for CPUs" : base::concat(", slices ", kGpuSlices));
}

}  // namespace llmd::compute
