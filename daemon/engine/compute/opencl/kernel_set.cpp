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

// FNV-1a, to tell kernel sets apart in the profile.
uint32_t hash_sources() {
    uint32_t hash = 2166136261u;
    for (const std::string_view source :
         {kernels::kCommonCl, kernels::kBlocksCl, kernels::kMatvecCl, kernels::kEmbedCl, kernels::kNormCl,
          kernels::kRopeKvCl, kernels::kAttentionCl, kernels::kSampleCl}) {
        for (const char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    }
    return hash;
}

}  // namespace

Result<KernelSet> KernelSet::build(const DeviceQueue& queue, const model::ModelConfig& config,
                                   const BackendLimits& limits) {
    KernelSet set;
    set.slices_ = queue.limits().is_cpu ? 1 : kGpuSlices;
    set.wide_ = queue.limits().is_cpu;
    const uint32_t rows = static_cast<uint32_t>(kGroupItems) / set.slices_;
    set.matvec_shapes_ = {{1, rows, kGroupItems}, {kMaxColumns, rows, kGroupItems}};
    set.shape_options_ =
        base::concat("-DMAX_ROWS=", limits.max_rows, " -DMAX_PAGES=", (limits.n_ctx + kPageTokens - 1) / kPageTokens,
                     " -DN_EMBD=", config.n_embd, " -DHEAD_DIM=", config.head_dim, " -DQ_ROWS=", config.q_rows(),
                     " -DKV_ROWS=", config.kv_rows(), " -DN_VOCAB=", config.n_vocab,
                     " -DN_ROT=", config.positions == model::Positions::Learned ? 0 : config.n_rot,
                     " -DHALF_SPLIT=", config.positions == model::Positions::RotaryHalfSplit ? 1 : 0,
                     " -DLAYER_NORM=", config.norm == model::Norm::LayerNorm ? 1 : 0, " -DCHUNKS=", kSampleChunks,
                     " -DTOP=", kChunkCandidates);

    const std::pair<ClProgram*, std::pair<std::string_view, std::string_view>> programs[] = {
        {&set.norm_, {"norm", kernels::kNormCl}},
        {&set.rope_kv_, {"rope_kv", kernels::kRopeKvCl}},
        {&set.attention_, {"attention", kernels::kAttentionCl}},
        {&set.sample_, {"sample", kernels::kSampleCl}},
    };
    for (const auto& [program, source] : programs) {
        auto built = queue.build(source.first, {source.second}, set.shape_options_);
        if (!built) return built.error();
        *program = std::move(*built);
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

Result<ClKernel> KernelSet::matvec(const DeviceQueue& queue, model::TensorType type, const MatvecShape& shape) {
    const uint32_t columns = shape.columns;
    ClProgram& program = typed_[{type, columns}];
    if (!program) {
        // No shape in the options: drivers that cache programs find these again for every model.
        auto built = queue.build(base::concat("matvec for ", model::block_format(type).name, ", ", columns, " columns"),
                                 {kernels::kBlocksCl, kernels::kMatvecCl},
                                 base::concat("-DWEIGHT_TYPE=", static_cast<uint32_t>(type), " -DCOLUMNS=", columns,
                                              " -DSLICES=", slices_, " -DWIDE=", wide_ ? 1 : 0));
        if (!built) return built.error();
        program = std::move(*built);
    }
    return make_kernel(program, "matvec");
}

uint32_t KernelSet::rows_per_group() const {
    return std::min_element(matvec_shapes_.begin(), matvec_shapes_.end(),
                            [](const auto& a, const auto& b) { return a.rows < b.rows; })
        ->rows;
}

std::string KernelSet::profile() const {
    return base::concat("kernels ", std::hex, hash_sources(), std::dec, ", slices ", slices_, ", sums ",
                        wide_ ? 16 : 4);
}

}  // namespace llmd::compute
