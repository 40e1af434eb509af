#include "engine/compute/opencl/runtime/quirks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/compute/opencl/kernels/constants.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "kernel_sources.h"

namespace llmd::compute {
namespace {

constexpr std::string_view kRusticl = "rusticl", kPoclPlatform = "Portable", kNvidiaPlatform = "NVIDIA";

constexpr std::array kQuirkRows = {
    QuirkRow{Quirk::NamesNoDriver, QuirkMet::Always, kRusticl, "", "", "",
             "RUSTICL_ENABLE is set to freedreno, msm, panfrost, asahi, iris and radeonsi, not to llvmpipe",
             "it offers the devices of those drivers only that the variable names, and the CPU backend is faster than "
             "llvmpipe",
             "Mesa, docs/envvars"},
    QuirkRow{Quirk::HidesHalf, QuirkMet::Always, kRusticl, "", "", "25.2", "RUSTICL_FEATURES is set to fp16",
             "it offers half precision only where the variable says so", "Mesa, release notes of 25.2.0"},
    QuirkRow{Quirk::ReusesFaultyContext, QuirkMet::Always, kRusticl, "", "", "",
             "RUSTICL_DEBUG is set to no_reuse_context",
             "it gives the context of a queue that met a fault of the GPU to the next queue", "Mesa, docs/envvars"},
    QuirkRow{Quirk::NoDeviceAtFirst, QuirkMet::Always, kRusticl, "", "", "",
             "a platform that has no device is asked a second time",
             "at times it has none at the first look and one at the second", "darktable issue 22329"},
    QuirkRow{Quirk::PassesForGpu, QuirkMet::ByName, kRusticl, "llvmpipe", "", "",
             "`backend = \"auto\"` does not take it", "it computes on the processor and says that it is a GPU",
             "seen, Mesa 22.3 to 26.1"},
    QuirkRow{Quirk::LeavesOutBarriers, QuirkMet::ByProbe, kRusticl, "", "", "26",
             "where a chain of launches shows it, each launch is submitted on its own",
             "on an Adreno a launch may read what the one before has not written yet", "Mesa's source before 26.0"},
    QuirkRow{Quirk::UnrollsNothing, QuirkMet::ByName, kRusticl, "zink", "", "",
             "matmuls and attention are built with -O2 and without hints about loops",
             "it unrolls no loop, so that arrays which loops index lie in memory; with -O2 its clang does, and then no "
             "hint about a loop can be translated",
             "Mesa 26.1's SPIR-V; measured, H200: matmuls 7 and 35 times faster"},
    QuirkRow{
        Quirk::StartsLate, QuirkMet::ByName, kRusticl, "zink", "", "", "every 16 launches are submitted",
        "its threads prepare a launch for as long as the GPU computes it, and by turns where a token is submitted at "
        "once",
        "measured, H200: decode is 1.5 to 2 times as fast"},
    QuirkRow{Quirk::CountsArguments, QuirkMet::Always, kRusticl, "", "", "",
             "all numbers of a kernel are one argument, a structure",
             "its threads take every argument by itself at every launch: ten numbers cost as much as the launch",
             "measured, H200: 31 µs a launch, and 19 with a structure; NVIDIA's OpenCL 7 and 5"},
    QuirkRow{
        Quirk::NeedsSampler, QuirkMet::ByName, kRusticl, "FD6", "", "26.2.4",
        "weights are read through pointers, not through images",
        "an Adreno of the 600s needs a sampler wherever an image is read, and these kernels have none; that it reads "
        "wrong values without one is inferred, not seen",
        "Mesa, release notes of 26.2.4"},
    QuirkRow{
        Quirk::WrongBuiltIns, QuirkMet::ByName, kRusticl, "", "26.1.5", "",
        "a failure of the self-test names the cure: the package mesa-libclc, or a libclc with Mesa's patches",
        "with libclc of LLVM 22 and without Mesa's patches for it, built-in functions compute wrong or end the process",
        "darktable issue 21662, Void Linux pull request 62204"},
    QuirkRow{Quirk::CallsFunctions, QuirkMet::Always, kRusticl, "llvmpipe", "", "",
             "functions in kernels are always inlined",
             "it does not inline by itself, and finds no private memory for nested calls", "seen, Mesa 22.3"},
    QuirkRow{Quirk::AbortsOnBinary, QuirkMet::Always, kPoclPlatform, "", "", "",
             "a kept program is out of the cache while it is loaded",
             "it ends the process on binaries that it should refuse", "seen, PoCL 3.1"},
    QuirkRow{Quirk::ReleasesImage, QuirkMet::Always, kPoclPlatform, "", "", "",
             "after an error of a read the queue is finished before anything is released",
             "it keeps no image for a launch that waits", "seen, PoCL 6.0"},
    QuirkRow{
        Quirk::ConditionForAll, QuirkMet::Always, kPoclPlatform, "", "", "",
        "no kernel returns early, a barrier stands before conditions that have none inside, and what has barriers and "
        "is used twice is a macro",
        "it takes all items of a work-group into a condition that the first one meets", "seen, PoCL 3.1"},
    QuirkRow{Quirk::AbortsOnBranches, QuirkMet::Always, kPoclPlatform, "", "", "",
             "sampling takes truth values together as bits, without branches",
             "LLVM 18 makes code for AVX2 of such branches that ends the process", "seen, PoCL 6.0"},
    QuirkRow{Quirk::CompilesSlowly, QuirkMet::Always, kPoclPlatform, "", "", "",
             "devices that are a CPU have matmuls of one and of eight rows, not of two and four",
             "each kernel takes about a second to compile, and llmd only tests on such devices", "measured, PoCL 3.1"},
    QuirkRow{Quirk::CopiesHoldQueue, QuirkMet::Always, kNvidiaPlatform, "", "", "",
             "answers are copied into pinned memory where a device has memory of its own",
             "a copy into other memory keeps the device from the next launches for 40 µs", "measured, H200"},
    QuirkRow{Quirk::NamesNoDotProduct, QuirkMet::Always, kNvidiaPlatform, "", "", "",
             "the compute capability tells whether it has dot products of bytes (dp2a, from 6.1 on)",
             "no extension of its OpenCL does, and its compiler takes them as inline assembly", "PTX ISA, dp2a"},
    QuirkRow{Quirk::CrossesSegments, QuirkMet::ByProbe, "", "", "", "",
             "on small GPUs weights are allocated until none lies across a border of 4 GiB of addresses",
             "no driver keeps buffers off the borders, and sums of 64 bits are several instructions there",
             "Mesa 26.1's compiler for an Adreno 630"},
};

struct DriverVariable {
    const char* name;
    const char* value;
};

// Those of the first rows.
constexpr std::array kDriverVariables = {
    DriverVariable{"RUSTICL_ENABLE", "freedreno,msm,panfrost,asahi,iris,radeonsi"},
    DriverVariable{"RUSTICL_FEATURES", "fp16"},
    DriverVariable{"RUSTICL_DEBUG", "no_reuse_context"},
};

// "26.1.6-1~bpo13" has 26, 1 and 6.
std::vector<uint32_t> version_numbers(std::string_view version) {
    std::vector<uint32_t> numbers;
    const char* at = version.data();
    const char* const end = at + version.size();
    while (at != end) {
        uint32_t number = 0;
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc()) break;
        numbers.push_back(number);
        if (next == end || *next != '.') break;
        at = next + 1;
    }
    return numbers;
}

// A function may be off by so much of its value: by five units in the last place (OpenCL C's bound of tanh), and as
// much again for what a contraction rounds.
constexpr double kBuiltInTolerance = 4e-6;
// Native functions have no bound in OpenCL C. What is computed with them is quantized to eight bits or more.
constexpr double kNativeTolerance = 1e-3;

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

std::span<const QuirkRow> quirk_rows() {
    return kQuirkRows;
}

bool is_earlier_version(std::string_view version, std::string_view other) {
    return version_numbers(version) < version_numbers(other);
}

bool has_quirk(Quirk quirk, const OpenClDevice& device) {
    const QuirkRow& row = kQuirkRows.at(static_cast<size_t>(quirk));
    return device.platform.find(row.platform) != std::string::npos &&
           device.name.find(row.device) != std::string::npos && !is_earlier_version(device.driver, row.from) &&
           (row.below.empty() || is_earlier_version(device.driver, row.below));
}

base::Error with_cure(base::Error error, const OpenClDevice& device) {
    if (error.code == base::ErrorCode::DeviceError && has_quirk(Quirk::WrongBuiltIns, device)) {
        error.message += "; if this Mesa was built with LLVM 22, install mesa-libclc, or a libclc with Mesa's patches";
    }
    return error;
}

void set_driver_environment() {
    for (const auto& [name, value] : kDriverVariables) ::setenv(name, value, 0);
}

base::Result<void> check_built_ins(DeviceQueue& queue) {
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
    auto ok = set_args(*kernel, *buffer);
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

}  // namespace llmd::compute
