#include "engine/compute/opencl/gpu/built_ins.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/compute/opencl/kernels/constants.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "kernel_sources.h"

namespace llmd::compute::gpu {
namespace {

using base::Result;

struct BuiltIn {
    std::string_view name;
    float low, high;  // of its arguments
    double tolerance;
    double (*exact)(double);
};

// In the order of probe_built_ins() in probes.cl, which has the same expressions.
constexpr std::array kBuiltIns = {
    BuiltIn{"exp", -20, 2, kBuiltInTolerance, [](double x) { return std::exp(x); }},
    BuiltIn{"log", 2, 1000, kBuiltInTolerance, [](double x) { return std::log(x); }},
    BuiltIn{"tanh", -4, 4, kBuiltInTolerance, [](double x) { return std::tanh(x); }},
    BuiltIn{"rsqrt", 0.01f, 100, kBuiltInTolerance, [](double x) { return 1 / std::sqrt(x); }},
    BuiltIn{"native_exp", -20, 10, kNativeTolerance, [](double x) { return std::exp(x); }},
    BuiltIn{"native_recip", 0.01f, 1000, kNativeTolerance, [](double x) { return 1 / x; }},
    BuiltIn{"mad", -4, 4, kBuiltInTolerance, [](double x) { return x * x + 1; }},
    BuiltIn{"fmax", -4, 4, kBuiltInTolerance, [](double x) { return std::fmax(x, 0.5); }},
    BuiltIn{"convert_int_rte", -100, 100, 0, [](double x) { return std::nearbyint(x); }},
    BuiltIn{"mul24", -1000, 1000, 0, [](double x) { return std::trunc(x) * 3; }},
    BuiltIn{"mad24", -1000, 1000, 0, [](double x) { return std::trunc(x) * 3 + 1; }},
    BuiltIn{"popcount", 0, 60000, 0,
            [](double x) { return static_cast<double>(std::popcount(static_cast<uint32_t>(x))); }},
};

float argument(const BuiltIn& built_in, size_t i) {
    return built_in.low + (built_in.high - built_in.low) * ((static_cast<float>(i) + 0.5f) / float{kGroupItems});
}

}  // namespace

Result<void> check_built_ins(DeviceQueue& queue) {
    constexpr std::string_view kWhat = "the built-in functions";
    std::vector<float> values;  // arguments, then results
    for (const BuiltIn& built_in : kBuiltIns) {
        for (size_t i = 0; i < kGroupItems; ++i) values.push_back(argument(built_in, i));
    }
    const std::vector<float> arguments = values;
    auto buffer = queue.allocate_scratch(kWhat, values.size() * sizeof(float));
    if (!buffer) return buffer.error();
    if (auto ok = queue.upload(*buffer, 0, std::as_bytes(std::span(values))); !ok) return ok.error();
    auto program = queue.build(kWhat, {kernels::kProbesCl}, "-DPROBE_BUILT_INS");
    if (!program) return program.error();
    auto kernel = make_kernel(*program, "probe_built_ins");
    if (!kernel) return kernel.error();
    auto ok = set_arg(*kernel, 0, *buffer);
    if (ok) ok = queue.launch(*kernel, 1, 1);
    if (ok) ok = queue.read(*buffer, 0, std::as_writable_bytes(std::span(values)));
    if (!ok) return ok.error();
    for (size_t at = 0; at < values.size(); ++at) {
        const BuiltIn& built_in = kBuiltIns[at / kGroupItems];
        const double expected = built_in.exact(arguments[at]);
        if (std::fabs(values[at] - expected) <= built_in.tolerance * std::fabs(expected)) continue;
        return base::fail(base::ErrorCode::DeviceError, "self-test: the built-in function ", built_in.name, " gives ",
                          values[at], " instead of ", expected, " with ", arguments[at]);
    }
    return {};
}

}  // namespace llmd::compute::gpu
