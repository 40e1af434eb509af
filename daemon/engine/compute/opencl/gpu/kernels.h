// The programs that one model needs on one device, each built once, and the kernels made from them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/gpu/kernel_choice.h"
#include "engine/compute/opencl/gpu/layout.h"
#include "engine/compute/opencl/gpu/matmul.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/model/decoder_spec.h"

namespace llmd::compute::gpu {

// Tells the kernel sets of two versions of this program apart.
uint32_t hash_kernels();

// The key tells one matmul program from another.
struct MatmulKey {
    Layout layout = Layout::Q4_0;
    KernelConfig config;
    uint32_t batch_rows = 1;
    uint32_t value_bytes = kMostValueBytes;  // of the activations it reads
    uint32_t next_value_bytes = 0;           // of the activations it writes, if it does; 0: as many
    Epilogue epilogue = Epilogue::Store;
    InputNorm norm = InputNorm::None;
    bool has_bias = false;
    bool image = false;
    const model::LayerSpec* layer = nullptr;  // with Epilogue::Qkv, whose heads it writes
};

// Refers to the queue and the kernel choice that it was made with.
class Kernels {
public:
    Kernels(const DeviceQueue& queue, const model::DecoderSpec& spec, const BackendLimits& limits,
            const KernelChoice& kernel_choice);

    // DeviceError names the program that does not build.
    base::Result<ClKernel> matmul(const MatmulKey& key);
    base::Result<ClKernel> embed(Layout layout, bool image, bool has_positions);
    // `split`: the kernel leaves partial results for merge() instead of quantized activations.
    base::Result<ClKernel> attention(const model::LayerSpec& layer, uint32_t heads, bool split);
    base::Result<ClKernel> merge(const model::LayerSpec& layer);
    // The kernel reads the queries, keys and values of a layer whose heads are normalised.
    base::Result<ClKernel> heads(const model::LayerSpec& layer);
    // It writes activations of so many bytes.
    base::Result<ClKernel> post_norm(uint32_t next_value_bytes);
    // The kernel reads what a matmul has left for a layer that is a convolution.
    base::Result<ClKernel> convolve(const model::LayerSpec& layer);
    base::Result<ClKernel> choose();
    base::Result<ClKernel> candidates(uint32_t n_vocab);

    // The text has everything that decides the order and kind of float operations, beside the device itself.
    std::string fingerprint() const;

private:
    std::string attention_options(const model::LayerSpec& layer) const;
    base::Result<ClKernel> make(const char* kernel, const std::string& name, const std::string& source,
                                const std::string& options);

    const DeviceQueue& queue_;
    const KernelChoice& kernel_choice_;
    const BackendLimits limits_;
    std::string value_bytes_option_, rows_option_;
    std::string temperature_options_, embedding_option_, residual_option_,  // empty where they change nothing
        gate_option_, logit_cap_option_;
    std::string unrolled_option_;  // of kernels whose loops index arrays; empty where the compiler unrolls them
    std::map<std::string, ClProgram> programs_;  // by name and options
};

}  // namespace llmd::compute::gpu
