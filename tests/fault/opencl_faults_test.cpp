// The engine on a device that fails: the fault layer makes each OpenCL call of loading a tiny model and generating four
// tokens fail, one after the other, and hides features of the device. Every run gives the undisturbed text or one typed
// error, leaves no OpenCL object behind, and with `auto` ends on the CPU. Runs on PoCL.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "fault/faulty_engine.h"
#include "support/environment.h"

namespace llmd::test {
namespace {

class Faults : public FaultyEngine {
protected:
    static void fail_every_call(uint32_t hidden);

    // A run on each kind of device, with a built-in function that is wrong and no kernel that has passed its self-test.
    static std::vector<Outcome> run_with_wrong(const std::string& function, uint32_t hidden,
                                               std::initializer_list<BackendKind> kinds) {
        const fs::path cache = directory_ / "cold-cache";
        ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
        *control_ = {.hidden = hidden};
        std::snprintf(control_->wrong_function, sizeof control_->wrong_function, "%s", function.c_str());
        std::vector<Outcome> outcomes;
        for (const BackendKind kind : kinds) outcomes.push_back(run(kind));
        fs::remove_all(cache);
        ::setenv("XDG_CACHE_HOME", directory_.c_str(), 1);
        return outcomes;
    }
};

// Each kind of device has kernels and launches of its own.
void Faults::fail_every_call(uint32_t hidden) {
    control_->hidden = hidden;
    run(BackendKind::OpenCl);  // fills the program cache
    const Outcome undisturbed = run(BackendKind::OpenCl);
    ASSERT_EQ(undisturbed.ids.size(), kTokens) << (undisturbed.load_error ? undisturbed.load_error->message : "");
    EXPECT_EQ(control_->live_objects, 0);
    const uint64_t n_calls = control_->calls;
    RecordProperty("calls", static_cast<int>(n_calls));
    uint64_t n_errors = 0;
    const uint64_t step = sample_step(9);
    for (uint64_t call = 1; call <= n_calls; call += step) {
        SCOPED_TRACE(base::concat("call ", call, " of ", n_calls));
        const cl_int status = call % 2 == 0 ? CL_OUT_OF_RESOURCES : CL_MEM_OBJECT_ALLOCATION_FAILURE;
        fail_call(call, status);
        const Outcome outcome = run(BackendKind::OpenCl);
        SCOPED_TRACE(control_->last_call);
        check(outcome, undisturbed, status);
        n_errors += outcome.load_error || outcome.step_error ? 1 : 0;
        if (HasFailure()) break;
    }
    // A load that runs out of memory once is repeated.
    EXPECT_GT(n_errors, n_calls / step / 3) << "most calls matter";
}

TEST_F(Faults, EveryCallMayFailOnACpuDevice) {
    fail_every_call(0);
}

TEST_F(Faults, EveryCallMayFailOnAGpu) {
    fail_every_call(kHideCpuType);
}

// Nothing is kept: every program is compiled, and none can be written.
TEST_F(Faults, EveryCallOfTheCompilerMayFail) {
    const Outcome undisturbed = run(BackendKind::OpenCl);
    ASSERT_EQ(undisturbed.ids.size(), kTokens);
    ::setenv("XDG_CACHE_HOME", "/proc/none", 1);
    for (const char* function : {"clCreateProgramWithSource", "clBuildProgram", "clGetProgramInfo"}) {
        count_only(function);
        run(BackendKind::OpenCl);
        const uint64_t n_calls = control_->calls;
        EXPECT_GT(n_calls, 4u) << function;
        for (uint64_t call = 1; call <= n_calls; call += sample_step(5)) {
            SCOPED_TRACE(base::concat("call ", call, " of ", n_calls, " of ", function));
            fail_call(call, CL_BUILD_PROGRAM_FAILURE);
            check(run(BackendKind::OpenCl), undisturbed, CL_BUILD_PROGRAM_FAILURE);
        }
    }
    ::setenv("XDG_CACHE_HOME", directory_.c_str(), 1);
}

TEST_F(Faults, WhatFailsEveryTimeIsOneError) {
    run(BackendKind::OpenCl);
    const Outcome undisturbed = run(BackendKind::OpenCl);
    for (const char* function : {"clCreateContext", "clCreateCommandQueue", "clCreateBuffer",
                                 "clCreateProgramWithBinary", "clBuildProgram", "clCreateKernel", "clSetKernelArg",
                                 "clEnqueueNDRangeKernel", "clEnqueueWriteBuffer", "clEnqueueReadBuffer", "clFinish"}) {
        SCOPED_TRACE(function);
        count_only(function);
        fail_call(1, CL_OUT_OF_RESOURCES);
        control_->last_fault = UINT64_MAX;
        check(run(BackendKind::OpenCl), undisturbed, CL_OUT_OF_RESOURCES);
        EXPECT_GT(control_->calls, 0u);
    }
}

TEST_F(Faults, WithAutoTheCpuTakesOver) {
    const Outcome on_cpu = run(BackendKind::Cpu);
    control_->hidden = kHideCpuType;
    run(BackendKind::Auto);
    const Outcome undisturbed = run(BackendKind::Auto);
    ASSERT_EQ(undisturbed.backend, "opencl") << "PoCL does not pass for a GPU";
    const uint64_t n_calls = control_->calls;
    uint64_t n_on_cpu = 0;
    // Not a divisor of anything that repeats.
    const uint64_t step = 7 * sample_step(5);
    for (uint64_t call = 1; call <= n_calls; call += step) {
        SCOPED_TRACE(base::concat("call ", call, " of ", n_calls));
        fail_call(call, call % 2 == 0 ? CL_OUT_OF_RESOURCES : CL_MEM_OBJECT_ALLOCATION_FAILURE);
        const Outcome outcome = run(BackendKind::Auto);
        SCOPED_TRACE(control_->last_call);
        EXPECT_EQ(control_->live_objects, 0);
        ASSERT_FALSE(outcome.load_error) << outcome.load_error->message;
        if (outcome.step_error) continue;  // from then on it is llmd that quarantines the device
        EXPECT_EQ(outcome.ids, outcome.backend == "cpu" ? on_cpu.ids : undisturbed.ids);
        if (outcome.backend == "opencl") continue;
        ++n_on_cpu;
        std::string notes;
        for (const std::string& note : outcome.notes) notes += note + "\n";
        EXPECT_NE(notes.find(control_->last_call), std::string::npos) << notes;
    }
    EXPECT_GT(n_on_cpu, n_calls / step / 3);
}

TEST_F(Faults, ADeviceSaysWhatItHoldsAnotherWay) {
    ASSERT_TRUE(write_file(directory_ / "bf16.gguf", tiny_model({.n_layers = 1, .type = model::TensorType::BF16})));
    EXPECT_EQ(run(BackendKind::OpenCl, {}, "bf16.gguf").notes,
              std::vector<std::string>{"tensors of type BF16 are held as F16, rounded"});
}

// Each platform says once that it has no device (Quirk::NoDeviceAtFirst).
TEST_F(Faults, ADeviceThatIsNotThereAtFirstIsFound) {
    const auto n_found = [](uint64_t first, uint64_t last) {
        count_only("clGetDeviceIDs");
        control_->first_fault = first;
        control_->last_fault = last;
        control_->status = CL_DEVICE_NOT_FOUND;
        const auto devices = compute::list_opencl_devices();
        EXPECT_TRUE(devices) << devices.error().message;
        return devices ? devices->size() : 0;
    };
    const size_t n_devices = n_found(0, 0);
    const uint64_t n_calls = control_->calls;
    ASSERT_GT(n_devices, 0u);
    EXPECT_EQ(n_found(1, 1), n_devices);
    EXPECT_EQ(n_found(1, UINT64_MAX), 0u);
    EXPECT_LE(control_->calls, n_calls) << "asked twice, and no more";
}

// The self-test of the kernels (gpu/self_test.h) is remembered for a device and its driver, and nothing
// that lies in its place passes for it.
TEST_F(Faults, KernelsAreTriedOnce) {
    const fs::path cache = directory_ / "self-test-cache";
    ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
    const auto launches = [](uint32_t hidden) {
        count_only("clEnqueueNDRangeKernel");
        control_->hidden = kHideCpuType | hidden;
        EXPECT_EQ(run(BackendKind::OpenCl).ids.size(), kTokens);
        return control_->calls;
    };
    const uint64_t first = launches(0), again = launches(0);
    EXPECT_GT(first, again);
    EXPECT_EQ(launches(kChangeDriver), first);
    for (const auto& file : fs::directory_iterator(cache / "llmd" / "self-tests")) fs::resize_file(file, 20);
    EXPECT_EQ(launches(0), first);
    EXPECT_EQ(launches(0), again);
    fs::remove_all(cache / "llmd");
    std::ofstream(cache / "llmd") << "no directory";
    EXPECT_EQ(launches(0), first);
    ::setenv("XDG_CACHE_HOME", directory_.c_str(), 1);
}

TEST_F(Faults, AWrongKernelIsFoundBeforeItIsUsed) {
    const fs::path cache = directory_ / "wrong-cache";  // programs of these sources, wrongly compiled
    ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
    control_->hidden = kHideCpuType | kMiscompile;
    const Outcome refused = run(BackendKind::OpenCl);
    const Outcome on_cpu = run(BackendKind::Auto);
    ::setenv("XDG_CACHE_HOME", directory_.c_str(), 1);
    ASSERT_TRUE(refused.load_error);
    EXPECT_EQ(refused.load_error->code, ErrorCode::DeviceError);
    EXPECT_NE(refused.load_error->message.find("self-test: matmul of Q8_0, 1 batch rows"), std::string::npos)
        << refused.load_error->message;
    EXPECT_EQ(on_cpu.backend, "cpu");
    EXPECT_EQ(on_cpu.ids, run(BackendKind::Cpu).ids);
    ASSERT_FALSE(on_cpu.notes.empty());
    EXPECT_NE(on_cpu.notes.back().find(" is not used: self-test: matmul of Q8_0"), std::string::npos)
        << on_cpu.notes.back();
}

// Whatever a library of built-in functions gets wrong that a kernel calls, as one that is not made for the driver's
// compiler.
TEST_F(Faults, AWrongBuiltInFunctionIsFoundBeforeItIsUsed) {
    for (const std::string function :
         {"exp", "log", "tanh", "rsqrt", "native_exp", "native_recip", "mad", "popcount"}) {
        SCOPED_TRACE(function);
        const auto outcomes = run_with_wrong(function, kHideCpuType, {BackendKind::OpenCl, BackendKind::Auto});
        const Outcome &refused = outcomes[0], &on_cpu = outcomes[1];
        const std::string why = "self-test: the built-in function " + function + " gives ";
        ASSERT_TRUE(refused.load_error);
        EXPECT_EQ(refused.load_error->code, ErrorCode::DeviceError);
        EXPECT_NE(refused.load_error->message.find(why), std::string::npos) << refused.load_error->message;
        EXPECT_EQ(on_cpu.backend, "cpu");
        ASSERT_FALSE(on_cpu.notes.empty());
        EXPECT_NE(on_cpu.notes.back().find(" is not used: " + why), std::string::npos) << on_cpu.notes.back();
    }
}

TEST_F(Faults, AWrongBuiltInFunctionOfMesaNamesItsCure) {
    const Outcome refused = run_with_wrong("exp", kHideCpuType | kPassForRusticl, {BackendKind::OpenCl}).front();
    ASSERT_TRUE(refused.load_error);
    EXPECT_NE(refused.load_error->message.find("mesa-libclc"), std::string::npos) << refused.load_error->message;
}

TEST_F(Faults, WhereImagesAreReadWrongWeightsAreReadThroughPointers) {
    *control_ = {.hidden = kHideCpuType | kHideImages};
    const Outcome expected = run(BackendKind::OpenCl);
    const Outcome outcome = run_with_wrong("read_imagei", kHideCpuType, {BackendKind::OpenCl}).front();
    ASSERT_FALSE(outcome.load_error) << outcome.load_error->message;
    EXPECT_EQ(expected.ids.size(), kTokens);
    EXPECT_EQ(outcome.ids, expected.ids);
}

// What the host and the device say to each other: the batch, the sampling request, one flush and one small answer.
// Arguments and memory are a matter of loading.
TEST_F(Faults, ATokenCostsOneFlushAndOneRead) {
    const auto calls_of = [](const char* function, uint32_t n_tokens) {
        count_only(function);
        const Outcome outcome = run(BackendKind::OpenCl, {}, "tiny.gguf", n_tokens);
        EXPECT_EQ(outcome.ids.size(), n_tokens);
        return control_->calls;
    };
    const struct {
        const char* function;
        uint64_t per_token;
    } costs[] = {
        {"clFlush", 1},       {"clEnqueueReadBuffer", 1},         {"clWaitForEvents", 1}, {"clEnqueueWriteBuffer", 2},
        {"clFinish", 0},      {"clEnqueueMarkerWithWaitList", 0}, {"clSetKernelArg", 0},  {"clCreateKernel", 0},
        {"clCreateBuffer", 0}};
    constexpr uint32_t kMore = 20;
    run(BackendKind::OpenCl);  // fills the program cache
    for (const auto& [function, per_token] : costs) {
        EXPECT_EQ(calls_of(function, kTokens + kMore) - calls_of(function, kTokens), per_token * kMore) << function;
    }
}

TEST_F(Faults, LateAnswersChangeNothing) {
    const Outcome undisturbed = run(BackendKind::OpenCl);
    control_->action = FaultAction::Delay;
    control_->delay_ms = 3;
    control_->first_fault = 1;
    control_->last_fault = UINT64_MAX;
    EXPECT_EQ(run(BackendKind::OpenCl).ids, undisturbed.ids);
}

TEST_F(Faults, NoFeatureIsNeeded) {
    const Outcome undisturbed = run(BackendKind::OpenCl);
    ASSERT_EQ(undisturbed.ids.size(), kTokens);
    const uint32_t all = kHideImages | kHideFp16 | kHideLargeBuffers | kHideLargeGroups;
    for (const uint32_t hidden :
         {uint32_t{kHideImages}, uint32_t{kHideFp16}, uint32_t{kHideLargeBuffers}, uint32_t{kHideLargeGroups}, all}) {
        for (const uint32_t type : {0u, uint32_t{kHideCpuType}}) {
            SCOPED_TRACE(base::concat("hidden ", hidden | type));
            control_->hidden = hidden | type;
            const Outcome outcome = run(BackendKind::OpenCl);
            EXPECT_FALSE(outcome.load_error) << outcome.load_error->message;
            EXPECT_FALSE(outcome.step_error) << outcome.step_error->message;
            if (type == 0) {
                EXPECT_EQ(outcome.ids, undisturbed.ids);
            }
            EXPECT_EQ(outcome.ids.size(), kTokens);
            EXPECT_EQ(control_->live_objects, 0);
        }
    }
}

TEST_F(Faults, AsksForALowPriorityWhereThereIsOne) {
    const Outcome undisturbed = run(BackendKind::OpenCl);
    EXPECT_EQ(control_->low_priority_queues, 0u);
    control_->hidden = kOfferPriorities;
    EXPECT_EQ(run(BackendKind::OpenCl).ids, undisturbed.ids);
    EXPECT_EQ(control_->low_priority_queues, 1u);
    EXPECT_EQ(control_->live_objects, 0);

    count_only("clCreateCommandQueue");  // the driver's function for such queues makes a plain one
    control_->hidden = kOfferPriorities;
    fail_call(1, CL_INVALID_QUEUE_PROPERTIES);
    const Outcome refused = run(BackendKind::OpenCl);
    EXPECT_FALSE(refused.load_error) << refused.load_error->message;
    EXPECT_EQ(refused.ids, undisturbed.ids);
}

// On a tiny model no step has enough launches to be measured, so each launch of each step is submitted on its own.
TEST_F(Faults, SubmitsUnknownWorkLaunchByLaunchOnAGpu) {
    run(BackendKind::OpenCl);
    count_only("clFlush");
    run(BackendKind::OpenCl);
    const uint64_t on_cpu_device = control_->calls;
    control_->hidden = kHideCpuType;
    EXPECT_EQ(run(BackendKind::OpenCl).ids.size(), kTokens);
    EXPECT_GT(control_->calls, on_cpu_device + kTokens * 6);
}

}  // namespace
}  // namespace llmd::test
