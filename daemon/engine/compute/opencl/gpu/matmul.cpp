#include "engine/compute/opencl/gpu/matmul.h"

#include <algorithm>

#include "base/error.h"
#include "kernel_sources.h"

namespace llmd::compute::gpu {
namespace {

// Bytes of local memory that four columns of x take.
uint32_t quad_bytes(const ProductVariant& variant) {
    return 16 * (variant.core == Core::Integer ? variant.digits : 1);
}

uint32_t chunk_blocks(const ProductVariant& variant) {
    if (variant.chunk_blocks != 0) return variant.chunk_blocks;
    const uint32_t block_bytes = quad_bytes(variant) * (kBlockColumns / 4) * variant.columns;
    const uint32_t slices = variant.shape.slices;
    const uint32_t least = (variant.shape.items() * 8 + block_bytes - 1) / block_bytes;
    const uint32_t blocks = std::max(variant.staged_bytes / block_bytes, least);
    return std::max((blocks + slices - 1) / slices, 1u) * slices;
}

// What a kernel's code may hold of a block, for all of the kernel to fit into an Adreno 630's cache of 1,024
// instructions (docs/adreno.md).
uint32_t turn_quads(const ProductVariant& variant) {
    if (variant.prefetch) return 8;  // for GPUs whose cache is larger
    if (variant.columns == 8) return 2;
    return variant.columns > 1 || variant.layout == Layout::F16 ? 4 : 8;
}

}  // namespace

std::string layout_source(Core core) {
    return base::concat(kernels::kDotCl, core == Core::Integer ? kernels::kCoreIntCl : kernels::kCoreFloatCl,
                        kernels::kActivationsCl);
}

std::string product_source(Core core, Epilogue epilogue) {
    return base::concat(layout_source(core), epilogue == Epilogue::Logits ? kernels::kSampleCl : "",
                        kernels::kEpilogueCl, kernels::kMatmulCl);
}

std::string product_options(const ProductVariant& variant) {
    return base::concat("-DLAYOUT_", layout_name(variant.layout), " -DDIGITS=", variant.digits,
                        " -DIMAGE=", variant.image ? 1 : 0, " -DWINDOW=", variant.window && !variant.image ? 1 : 0,
                        " -DPREFETCH=", variant.prefetch ? 1 : 0, " -DCOLUMNS=", variant.columns,
                        " -DPAIRS=", variant.shape.pairs, " -DLANES=", variant.shape.lanes,
                        " -DSLICES=", variant.shape.slices, " -DCHUNK_BLOCKS=", chunk_blocks(variant),
                        " -DTURN_QUADS=", turn_quads(variant));
}

uint32_t product_local_bytes(const ProductVariant& variant) {
    // Scales, sums and starting values, of which an integer core has the most with sums of eight columns.
    constexpr uint32_t kMostBlockBytes = 4 * (1 + 1 + 8);
    return chunk_blocks(variant) * variant.columns * (quad_bytes(variant) * (kBlockColumns / 4) + kMostBlockBytes);
}

}  // namespace llmd::compute::gpu
