#include "engine/compute/opencl/gpu/kernels.h"

#include <bit>

#include "engine/compute/opencl/runtime/quirks.h"
#include "engine/compute/opencl/runtime/step_exchange.h"
#include "kernel_sources.h"

namespace llmd::compute::gpu {
namespace {

using base::Result;

// The sources that decide float operations: those of all programs but the probes.
constexpr std::string_view kSources[] = {
    kernels::kCommonCl,  kernels::kActivationsCl, kernels::kDotCl,      kernels::kCoreFloatCl,   kernels::kCoreIntCl,
    kernels::kCoreDotCl, kernels::kEpilogueCl,    kernels::kMatmulCl,   kernels::kEmbedCl,       kernels::kAttentionCl,
    kernels::kSampleCl,  kernels::kQkvCl,         kernels::kPostNormCl, kernels::kConvolutionCl,
};

// All bits of a float as an expression of OpenCL C.
std::string exact(float value) {
    return base::concat("as_float(", std::bit_cast<uint32_t>(value), "u)");
}

}  // namespace

// FNV-1a.
uint32_t hash_kernels() {
    uint32_t hash = 2166136261u;
    const auto add = [&hash](std::string_view source) {
        for (const char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    };
    add(kernel_prelude());
    for (const std::string_view source : kSources) add(source);
    for (const Layout layout : kLayouts) {
        for (const std::string_view source : layout_parts(layout)) add(source);
    }
    return hash;
}

Kernels::Kernels(const DeviceQueue& queue, const model::DecoderSpec& spec, const BackendLimits& limits,
                 const KernelChoice& kernel_choice)
    : queue_(queue), kernel_choice_(kernel_choice), limits_(limits) {
    value_bytes_option_ = base::concat(" -DVALUE_BYTES=", kernel_choice.value_bytes());
    rows_option_ = base::concat(" -DMAX_ROWS=", limits.max_rows);
    if (has_quirk(Quirk::UnrollsNothing, queue.names())) unrolled_option_ = " -O2 -DNO_LOOP_HINTS";
    if (spec.temperature_slope != 0) {
        temperature_options_ = base::concat(" -DTEMPERATURE_SLOPE=", exact(spec.temperature_slope),
                                            " -DTEMPERATURE_CONTEXT=", spec.temperature_context);
    }
    if (spec.embedding_scale != 1) {
        embedding_option_ = base::concat(" -DEMBEDDING_SCALE=", exact(spec.embedding_scale));
    }
    if (spec.activation == model::Activation::GeGlu) gate_option_ = " -DGATE=gelu";
    if (spec.logit_cap != 0) logit_cap_option_ = base::concat(" -DLOGIT_CAP=", exact(spec.logit_cap));
    if (spec.residual_scale != 1) residual_option_ = base::concat(" -DRESIDUAL_SCALE=", exact(spec.residual_scale));
}

std::string Kernels::attention_options(const model::LayerSpec& layer) const {
    std::string further;
    if (layer.window != 0) further += base::concat(" -DWINDOW=", layer.window);
    if (layer.score_cap != 0) further += base::concat(" -DSCORE_CAP=", exact(layer.score_cap));
    return base::concat(step_options(limits_, limits_.pool_of(layer)), further, " -DHEAD_DIM=", layer.head_dim,
                        " -DQ_ROWS=", layer.q_rows(), " -DKV_ROWS=", layer.kv_rows(), " -DN_ROT=", layer.n_rot);
}

Result<ClKernel> Kernels::make(const char* kernel, const std::string& name, const std::string& source,
                               const std::string& options) {
    ClProgram& program = programs_[name + options];
    if (!program) {
        auto built = queue_.build(name, {source}, options);
        if (!built) return built.error();
        program = std::move(*built);
    }
    return make_kernel(program, kernel);
}

Result<ClKernel> Kernels::matmul(const MatmulKey& key) {
    const MatmulChoice choice = {.layout = key.layout,
                                 .core = key.config.core,
                                 .value_bytes = key.value_bytes,
                                 .batch_rows = key.batch_rows,
                                 .shape = key.config.shape,
                                 .image = key.image,
                                 .segment = kernel_choice_.needs_segments(),
                                 .prefetch = kernel_choice_.loads_ahead(),
                                 .staged_bytes = key.config.staged_bytes};
    if (matmul_local_bytes(choice) > queue_.limits().local_bytes) {
        return base::fail(base::ErrorCode::DeviceError, "a matmul of ", key.batch_rows, " batch rows needs ",
                          matmul_local_bytes(choice), " bytes of local memory; the device has ",
                          queue_.limits().local_bytes);
    }
    // The options have no model shape where none is needed: drivers that cache programs find these again for every
    // model.
    std::string options = matmul_options(choice, key.epilogue, key.norm, key.has_bias) + unrolled_option_;
    if (key.epilogue == Epilogue::Qkv) options += " " + attention_options(*key.layer) + temperature_options_;
    if (key.epilogue == Epilogue::Residual) options += residual_option_;
    if (key.epilogue == Epilogue::SwiGlu || key.epilogue == Epilogue::Gated) options += gate_option_;
    if (key.epilogue == Epilogue::Logits) options += rows_option_ + logit_cap_option_;
    if (key.next_value_bytes != 0) options += base::concat(" -DNEXT_VALUE_BYTES=", key.next_value_bytes);
    return make("matmul", base::concat("matmul of ", layout_name(key.layout), ", ", key.batch_rows, " batch rows"),
                matmul_source(choice, key.epilogue), options);
}

Result<ClKernel> Kernels::embed(Layout layout, bool image, bool has_positions) {
    const MatmulChoice choice = {.layout = layout,
                                 .core = Core::Float,
                                 .value_bytes = kernel_choice_.qkv_value_bytes(),
                                 .image = image,
                                 .segment = kernel_choice_.needs_segments()};
    return make("embed", base::concat("embed for ", layout_name(layout)),
                base::concat(layout_source(choice.layout, choice.core), kernels::kEmbedCl),
                base::concat(layout_options(choice), " -DPOSITIONS=", has_positions ? 1 : 0, embedding_option_));
}

Result<ClKernel> Kernels::attention(const model::LayerSpec& layer, uint32_t heads, bool split) {
    return make("attention", "attention", base::concat(kernels::kActivationsCl, kernels::kAttentionCl),
                base::concat(attention_options(layer), value_bytes_option_, " -DHEADS=", heads,
                             " -DITEMS=", kernel_choice_.attention_items(), " -DSPLIT=", split ? 1 : 0,
                             " -DAHEAD=", kernel_choice_.loads_ahead() ? 1 : 0, unrolled_option_));
}

Result<ClKernel> Kernels::merge(const model::LayerSpec& layer) {
    return make("merge", "merge", base::concat(kernels::kActivationsCl, kernels::kAttentionCl),
                base::concat(attention_options(layer), value_bytes_option_, " -DMERGE"));
}

Result<ClKernel> Kernels::heads(const model::LayerSpec& layer) {
    return make("heads", "heads", base::concat(kernels::kActivationsCl, kernels::kQkvCl),
                base::concat(attention_options(layer), temperature_options_, value_bytes_option_, " -DQK_NORM=QK_NORM_",
                             layer.qk_norm == model::QkNorm::Row ? "ROW" : "HEAD",
                             " -DAFTER_ROTATION=", layer.norms_after_rotation ? 1 : 0));
}

Result<ClKernel> Kernels::post_norm(uint32_t next_value_bytes) {
    return make("post_norm", "post_norm", base::concat(kernels::kActivationsCl, kernels::kPostNormCl),
                base::concat("-DVALUE_BYTES=", next_value_bytes, residual_option_));
}

Result<ClKernel> Kernels::convolve(const model::LayerSpec& layer) {
    return make("convolve", "convolve", base::concat(kernels::kActivationsCl, kernels::kConvolutionCl),
                base::concat(step_options(limits_, limits_.pool_of(layer)), value_bytes_option_,
                             " -DCHANNELS=", layer.head_dim, " -DTAPS=", layer.window));
}

Result<ClKernel> Kernels::choose() {
    return make("choose", "choose", std::string(kernels::kSampleCl), base::concat(rows_option_, " -DSAMPLE_CHOOSE"));
}

Result<ClKernel> Kernels::candidates(uint32_t n_vocab) {
    return make("candidates", "candidates", std::string(kernels::kSampleCl),
                base::concat(rows_option_, " -DSAMPLE_CANDIDATES -DN_VOCAB=", n_vocab, " -DCHUNKS=", kSampleChunks,
                             " -DTOP=", kChunkCandidates));
}

std::string Kernels::fingerprint() const {
    return base::concat(kernel_choice_.fingerprint(), ", kernels ", std::hex, hash_kernels());
}

}  // namespace llmd::compute::gpu
