#include "engine/compute/opencl/gpu/weight_addressing.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/compute/noise.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/model/quantization.h"
#include "kernel_sources.h"

namespace llmd::compute::gpu {
namespace {

using base::Result;

constexpr cl_image_format kUint4 = {CL_RGBA, CL_UNSIGNED_INT32};
constexpr cl_image_format kUint2 = {CL_RG, CL_UNSIGNED_INT32};
constexpr cl_image_format kHalf4 = {CL_RGBA, CL_HALF_FLOAT};
constexpr cl_image_format kHalf2 = {CL_RG, CL_HALF_FLOAT};
constexpr cl_image_format kChar4 = {CL_RGBA, CL_SIGNED_INT8};
constexpr cl_image_format kUchar4 = {CL_RGBA, CL_UNSIGNED_INT8};
constexpr cl_image_format kNormalised4 = {CL_RGBA, CL_SNORM_INT8};

// In the order of probe_images() in probes.cl.
constexpr std::array kProbed = {kUint4, kUint2, kHalf4, kHalf2, kChar4, kUchar4, kNormalised4};
constexpr size_t kProbeWords = 24;
constexpr size_t kProbeTexels = size_t{2} * kGroupItems;
constexpr float kNormalisedError = 1e-6f;  // the error of a byte / 127

using ProbeWords = std::array<uint32_t, kProbeWords>;

// Arbitrary bytes, none of whose halfs is infinite or NaN.
std::vector<uint8_t> probe_bytes() {
    std::vector<uint8_t> bytes(kProbeTexels * 16);
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<uint8_t>(mix32(static_cast<uint32_t>(i)) >> 8);
        if (i % 2 == 1 && (bytes[i] & 0x7c) == 0x7c) bytes[i] ^= 0x40;
    }
    return bytes;
}

ProbeWords expected_words(const std::vector<uint8_t>& bytes, size_t i) {
    ProbeWords words;
    std::memcpy(&words[0], &bytes[16 * i], 16);
    const auto half = [&](size_t index) {
        uint16_t bits;
        std::memcpy(&bits, &bytes[2 * index], 2);
        return std::bit_cast<uint32_t>(model::half_to_float(bits));
    };
    for (size_t c = 0; c < 4; ++c) {
        const auto quant = static_cast<int8_t>(bytes[4 * i + c]);
        words[4 + c] = half(4 * i + c);
        words[8 + c] = static_cast<uint32_t>(int32_t{quant});
        words[12 + c] = bytes[4 * i + c];
        words[16 + c] = std::bit_cast<uint32_t>(std::max(static_cast<float>(quant) / 127.0f, -1.0f));
    }
    std::memcpy(&words[20], &bytes[8 * i], 8);
    words[22] = half(2 * i);
    words[23] = half(2 * i + 1);
    return words;
}

bool agree(const ProbeWords& got, const ProbeWords& expected) {
    for (size_t w = 0; w < kProbeWords; ++w) {
        if (w >= 16 && w < 20) {
            const auto value = std::bit_cast<float>(got[w]);
            if (!(std::fabs(value - std::bit_cast<float>(expected[w])) <= kNormalisedError)) return false;
        } else if (got[w] != expected[w]) {
            return false;
        }
    }
    return true;
}

}  // namespace

cl_image_format texel_format(Layout layout, WeightArray array) {
    const ArrayFormat format = array_format(layout, array, true);
    switch (array) {
        case WeightArray::Quants:
            if (layout == Layout::Q8_0) return kNormalised4;
            return layout == Layout::F16 ? kHalf4 : kUint4;
        case WeightArray::High:
            return format.element_bytes == 16 ? kUint4 : kUint2;
        case WeightArray::Scales:
            if (block_of(layout).sub_scales.exists()) return block_of(layout).minimum.exists() ? kUchar4 : kChar4;
            break;
        case WeightArray::SuperScales:
            break;
    }
    return format.element_bytes == 8 ? kHalf4 : kHalf2;
}

bool is_better_as_image(Layout layout) {
    return layout == Layout::Q8_0 || layout == Layout::Q6_K;
}

Result<bool> images_work(DeviceQueue& queue) {
    if (queue.limits().image_texels < kProbeTexels) return false;
    const std::vector<uint8_t> bytes = probe_bytes();
    std::vector<ProbeWords> words(kProbeTexels);
    auto from = queue.allocate_scratch("the image probe", bytes.size());
    if (!from) return from.error();
    auto to = queue.allocate_scratch("the image probe", words.size() * sizeof(ProbeWords));
    if (!to) return to.error();
    if (auto ok = queue.upload(*from, 0, std::as_bytes(std::span(bytes))); !ok) return ok.error();
    std::vector<ClImage> images;
    for (const cl_image_format& format : kProbed) {
        auto image = queue.image_of(*from, format, kProbeTexels);
        if (!image) return false;
        images.push_back(std::move(*image));
    }
    auto program = queue.build("the image probe", {kernels::kProbesCl},
                               base::concat("-DPROBE_IMAGES -DPROBE_WORDS=", kProbeWords));
    if (!program) return false;
    auto kernel = make_kernel(*program, "probe_images");
    if (!kernel) return kernel.error();
    Arguments args(*kernel);
    for (const ClImage& image : images) args.add(image);
    if (auto ok = args.add(*to).finish(); !ok) return ok.error();
    if (auto ok = queue.launch(*kernel, kProbeTexels / kGroupItems, 1); !ok) return ok.error();
    if (queue.compile_only()) return true;
    if (auto ok = queue.read(*to, 0, std::as_writable_bytes(std::span(words))); !ok) return ok.error();
    for (size_t i = 0; i < words.size(); ++i) {
        if (!agree(words[i], expected_words(bytes, i))) return false;
    }
    return true;
}

namespace {

constexpr std::string_view kSegmentProbe = "the segment probe";

using UpperHalves = std::array<uint32_t, 2>;  // of the addresses of the first and the last byte

}  // namespace

Result<SegmentProbe> SegmentProbe::create(DeviceQueue& queue) {
    SegmentProbe probe(queue);
    auto program = queue.build(kSegmentProbe, {kernels::kProbesCl}, "-DPROBE_SEGMENT");
    if (!program) return program.error();
    auto kernel = make_kernel(*program, "probe_segment");
    if (!kernel) return kernel.error();
    probe.kernel_ = std::move(*kernel);
    auto upper = queue.allocate_scratch(kSegmentProbe, sizeof(UpperHalves));
    if (!upper) return upper.error();
    probe.upper_ = std::move(*upper);
    return probe;
}

Result<bool> SegmentProbe::is_in_segment(const ClBuffer& buffer) {
    size_t bytes = 0;
    auto ok =
        cl_check("clGetMemObjectInfo", clGetMemObjectInfo(buffer.get(), CL_MEM_SIZE, sizeof bytes, &bytes, nullptr));
    if (ok) ok = set_args(kernel_, buffer, static_cast<uint32_t>(bytes - 1), upper_);
    if (ok) ok = queue_->launch(kernel_, 1, 1, 1);
    UpperHalves upper{};
    if (ok) ok = queue_->read(upper_, 0, std::as_writable_bytes(std::span(upper)));
    if (!ok) return ok.error();
    return upper[0] == upper[1];
}

Result<WeightBuffers> SegmentProbe::make_in_segments(const MakeWeights& make) {
    std::vector<WeightBuffers> across;  // they are held: meanwhile no other buffer meets their borders
    while (across.size() < kMostTries) {
        auto arrays = make();
        if (!arrays) return arrays;
        bool all = true;
        for (const ClBuffer& array : *arrays) {
            if (!array) continue;
            const auto one = is_in_segment(array);
            if (!one) return one.error();
            all = all && *one;
        }
        if (all) return arrays;
        across.push_back(std::move(*arrays));
    }
    return base::fail(base::ErrorCode::DeviceError, "the device gave buffers across borders of 4 GiB ", kMostTries,
                      " times in a row");
}

}  // namespace llmd::compute::gpu
