#include "engine/compute/opencl/gpu/matmul.h"

#include <algorithm>

#include "base/error.h"
#include "kernel_sources.h"

namespace llmd::compute::gpu {
namespace {

// The bytes of local memory that four columns of a batch row take.
uint32_t vec4_bytes(const MatmulChoice& choice) {
    if (choice.core == Core::Dot) return 8;
    return 16 * (choice.core == Core::Integer ? choice.value_bytes : 1);
}

uint32_t chunk_blocks(const MatmulChoice& choice) {
    if (choice.chunk_blocks != 0) return choice.chunk_blocks;
    const uint32_t block_bytes = vec4_bytes(choice) * (kBlockCols / 4) * choice.batch_rows;
    const uint32_t k_splits = choice.shape.k_splits;
    const uint32_t least = (choice.shape.items() * 8 + block_bytes - 1) / block_bytes;
    // Beside 16 bits a column, what a block has of its own is no longer little.
    const uint32_t staged_bytes = choice.core == Core::Dot ? choice.staged_bytes * 2 / 3 : choice.staged_bytes;
    const uint32_t blocks = std::max(staged_bytes / block_bytes, least);
    return std::max((blocks + k_splits - 1) / k_splits, 1u) * k_splits;
}

// How much of a block is unrolled, for the whole kernel to fit into an Adreno 630's cache of 1,024 instructions
// (docs/adreno.md).
uint32_t unrolled_vec4s(const MatmulChoice& choice) {
    if (choice.prefetch) return 8;  // for GPUs whose cache is larger
    if (choice.batch_rows == 8) return 2;
    return choice.batch_rows > 1 || choice.layout == Layout::F16 ? 4 : 8;
}

// Names of epilogue.cl.
std::string_view macro_of(Epilogue epilogue) {
    switch (epilogue) {
        case Epilogue::Qkv:
            return "QKV";
        case Epilogue::Residual:
            return "RESIDUAL";
        case Epilogue::Gelu:
            return "GELU";
        case Epilogue::SwiGlu:
            return "SWIGLU";
        case Epilogue::Store:
            return "STORE";
        case Epilogue::Gated:
            return "GATED";
        case Epilogue::Logits:
            return "LOGITS";
        case Epilogue::ReluSquared:
            break;
    }
    return "RELU_SQUARED";
}

std::string_view macro_of(InputNorm norm) {
    return norm == InputNorm::None ? "NONE" : norm == InputNorm::Rms ? "RMS" : "LAYER";
}

}  // namespace

std::string layout_source(Layout layout, Core core) {
    const std::string_view core_source = core == Core::Integer ? kernels::kCoreIntCl
                                         : core == Core::Float ? kernels::kCoreFloatCl
                                                               : kernels::kCoreDotCl;
    const auto [first, second, third] = layout_parts(layout);
    return base::concat(kernels::kDotCl, first, second, third, core_source, kernels::kActivationsCl);
}

std::string matmul_source(const MatmulChoice& choice, Epilogue epilogue) {
    const std::string_view further = epilogue == Epilogue::Logits ? kernels::kSampleCl
                                     : epilogue == Epilogue::Qkv  ? kernels::kQkvCl
                                                                  : "";
    return base::concat(layout_source(choice.layout, choice.core), further, kernels::kEpilogueCl, kernels::kMatmulCl);
}

std::string layout_options(const MatmulChoice& choice) {
    // The layout's name is for whoever reads a trace of programs: its sources are the program's.
    return base::concat("-DLAYOUT_", layout_name(choice.layout), " -DVALUE_BYTES=", choice.value_bytes,
                        " -DIMAGE=", choice.image ? 1 : 0, " -DSEGMENT=", choice.segment && !choice.image ? 1 : 0,
                        " -DPREFETCH=", choice.prefetch ? 1 : 0, " -DBATCH_ROWS=", choice.batch_rows,
                        " -DPAIRS=", choice.shape.pairs, " -DLANES=", choice.shape.lanes,
                        " -DK_SPLITS=", choice.shape.k_splits, " -DCHUNK_BLOCKS=", chunk_blocks(choice),
                        " -DUNROLLED_VEC4S=", unrolled_vec4s(choice));
}

std::string matmul_options(const MatmulChoice& choice, Epilogue epilogue, InputNorm norm, bool has_bias) {
    return base::concat(layout_options(choice), " -DEPILOGUE=EPILOGUE_", macro_of(epilogue), " -DINPUT_NORM=NORM_",
                        macro_of(norm), " -DBIAS=", has_bias ? 1 : 0);
}

uint32_t matmul_local_bytes(const MatmulChoice& choice) {
    // Scales, sums and starting values, of which an integer core has the most with sums of eight columns.
    constexpr uint32_t kMostBlockBytes = 4 * (1 + 1 + 8);
    return chunk_blocks(choice) * choice.batch_rows * (vec4_bytes(choice) * (kBlockCols / 4) + kMostBlockBytes);
}

}  // namespace llmd::compute::gpu
