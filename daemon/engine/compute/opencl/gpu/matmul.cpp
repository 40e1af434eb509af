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

std::string layout_source(const ProductVariant& variant) {
    using namespace kernels;
    std::string source(kPlanesCl);
    switch (variant.layout) {
        case Layout::Q4_0:
        case Layout::Q4_1:
        case Layout::Q4_K:
            source += base::concat(kDotCl, kDotQ4Cl, kDotScalesCl);
            break;
        case Layout::Q5_0:
        case Layout::Q5_1:
        case Layout::Q5_K:
            source += base::concat(kDotCl, kDotQ5Cl, kDotScalesCl);
            break;
        case Layout::Q6_K:
            source += base::concat(kDotCl, kDotQ6Cl);
            break;
        case Layout::IQ4_NL:
            source += base::concat(kDotCl, kDotIq4Cl);
            break;
        case Layout::Q8_0:
            source += kDotQ8Cl;
            break;
        case Layout::F16:
            source += kDotF16Cl;
            break;
    }
    source += variant.core == Core::Integer ? kCoreIntCl : kCoreFloatCl;
    return source += kActivationsCl;
}

std::string epilogue_source(Epilogue epilogue) {
    using namespace kernels;
    switch (epilogue) {
        case Epilogue::Qkv:
            return base::concat(kEpilogueCl, kEpilogueQkvCl);
        case Epilogue::Residual:
            return base::concat(kEpilogueCl, kEpilogueResidualCl, kEpilogueRecordsCl);
        case Epilogue::Gelu:
        case Epilogue::SwiGlu:
        case Epilogue::Gated:
            return base::concat(kEpilogueCl, kEpilogueActivationCl, kEpilogueRecordsCl);
        case Epilogue::Logits:
            return base::concat(kSampleCl, kNoiseCl, kChoiceCl, kEpilogueCl, kEpilogueLogitsCl);
        case Epilogue::Store:
            break;
    }
    return base::concat(kEpilogueCl, kEpilogueStoreCl);
}

std::string product_source(const ProductVariant& variant, Epilogue epilogue) {
    return base::concat(layout_source(variant), epilogue_source(epilogue), kernels::kMatmulCl);
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
