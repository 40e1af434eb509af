// The engine on a device that fails: the fault layer makes each OpenCL call of loading a tiny model and generating four
// tokens fail, one after the other, and hides features of the device. Every run gives the undisturbed text or one typed
// error, leaves no OpenCL object behind, and with `auto` ends on the CPU. Runs on PoCL.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "daemon/engine/generation/recorded_events.h"
#include "engine/compute/opencl/cl_error.h"
#include "engine/compute/opencl/opencl_backend.h"
#include "engine/generation/generator.h"
#include "engine/generation/loaded_model.h"
#include "fault/fault_control.h"
#include "support/gguf_writer.h"

namespace llmd::test {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using compute::BackendKind;

constexpr uint32_t kTokens = 4;
constexpr const char* kPocl = "Portable";

class Observer : public generation::LoadObserver {
public:
    bool before(generation::LoadStage, std::chrono::milliseconds) override { return true; }
    void on_uploaded(uint64_t, uint64_t) override {}
};

struct Outcome {
    std::optional<base::Error> load_error, step_error;
    std::string backend;
    std::vector<std::string> notes;
    uint32_t n_pages = 0;
    std::vector<int32_t> ids;
};

class Faults : public testing::Test {
protected:
    static void SetUpTestSuite() {
        std::string name = (fs::temp_directory_path() / "llmd-faults-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        const fs::path file = folder_ / "control";
        const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        ASSERT_EQ(::ftruncate(fd, sizeof(FaultControl)), 0);
        void* const mapped = ::mmap(nullptr, sizeof(FaultControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        ASSERT_NE(mapped, MAP_FAILED);
        control_ = static_cast<FaultControl*>(mapped);
        ::setenv("LLMD_FAULT_CONTROL", file.c_str(), 1);  // before the first OpenCL call
        ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
        ASSERT_TRUE(write_file(folder_ / "tiny.gguf", tiny_model({.n_layers = 1, .type = model::TensorType::Q8_0})));
    }
    static void TearDownTestSuite() { fs::remove_all(folder_); }

    void SetUp() override {
        *control_ = {};
        const auto devices = compute::list_opencl_devices();
        ASSERT_TRUE(devices) << devices.error().message;
        if (devices->empty()) GTEST_SKIP() << "there is no OpenCL device";
        ASSERT_GT(control_->calls, 0u) << "the layer is not loaded: OPENCL_LAYERS names it?";
        *control_ = {};
    }

    // Loads the model and generates greedily; what the layer counts begins at 0.
    static Outcome run(BackendKind kind, generation::LoadOptions options = {}, const char* model = "tiny.gguf",
                       uint32_t n_tokens = kTokens) {
        control_->calls = 0;
        Outcome outcome;
        Observer observer;
        options.backend = {.kind = kind, .device = kPocl, .n_threads = 1};
        auto loaded = generation::load_model(folder_ / model, options, observer);
        if (!loaded) {
            outcome.load_error = loaded.error();
            return outcome;
        }
        outcome.backend = loaded->backend->report().backend;
        outcome.notes = loaded->backend->report().notes;
        outcome.n_pages = loaded->backend->limits().n_pages;
        RecordedEvents events;
        // Chunks of a fixed size, or the number of calls would depend on the time they take.
        generation::Generator generator(*loaded, generation::PrefillPace::exactly(4), events);
        generation::GenerationRequest request;
        request.id = 1;
        request.prompt = "the tale";
        request.max_tokens = n_tokens;
        EXPECT_TRUE(generator.submit(request));
        generator.start(1);
        while (generator.has_work()) {
            if (const auto stepped = generator.step(); !stepped) {
                outcome.step_error = stepped.error();
                break;
            }
        }
        outcome.ids = events.requests[1].ids;
        return outcome;
    }

    static void fail_call(uint64_t call, cl_int status) {
        control_->first_fault = control_->last_fault = call;
        control_->status = status;
    }
    // From now on no other function counts.
    static void count_only(const char* function) {
        *control_ = {};
        std::snprintf(control_->function, sizeof control_->function, "%s", function);
    }

    // That a run with a fault ended as it may: the undisturbed ids, or an error that names the call and the status.
    static void check(const Outcome& outcome, const Outcome& undisturbed, cl_int status) {
        EXPECT_EQ(control_->live_objects, 0) << "objects are not released";
        const auto& error = outcome.load_error ? outcome.load_error : outcome.step_error;
        if (!error) {
            EXPECT_EQ(outcome.ids, undisturbed.ids);
            return;
        }
        EXPECT_TRUE(error->code == ErrorCode::DeviceError || error->code == ErrorCode::OutOfMemory) << error->message;
        EXPECT_NE(error->message.find(compute::cl_status_name(status)), std::string::npos) << error->message;
        EXPECT_NE(error->message.find(control_->last_call), std::string::npos) << error->message;
    }

    static void fail_every_call(uint32_t hidden);

    static inline fs::path folder_;
    static inline FaultControl* control_ = nullptr;
};

// Each kind of device has kernels and launches of its own.
void Faults::fail_every_call(uint32_t hidden) {
    control_->hidden = hidden;
    run(BackendKind::OpenCl);  // fills the program cache
    const Outcome undisturbed = run(BackendKind::OpenCl);
    ASSERT_EQ(undisturbed.ids.size(), kTokens);
    EXPECT_EQ(control_->live_objects, 0);
    const uint64_t n_calls = control_->calls;
    RecordProperty("calls", static_cast<int>(n_calls));
    uint64_t n_errors = 0;
    for (uint64_t call = 1; call <= n_calls; ++call) {
        SCOPED_TRACE(base::concat("call ", call, " of ", n_calls));
        const cl_int status = call % 2 == 0 ? CL_OUT_OF_RESOURCES : CL_MEM_OBJECT_ALLOCATION_FAILURE;
        fail_call(call, status);
        const Outcome outcome = run(BackendKind::OpenCl);
        SCOPED_TRACE(control_->last_call);
        check(outcome, undisturbed, status);
        n_errors += outcome.load_error || outcome.step_error ? 1 : 0;
        if (HasFailure()) break;
    }
    EXPECT_GT(n_errors, n_calls / 2) << "most calls matter";
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
        for (uint64_t call = 1; call <= n_calls; ++call) {
            SCOPED_TRACE(base::concat("call ", call, " of ", n_calls, " of ", function));
            fail_call(call, CL_BUILD_PROGRAM_FAILURE);
            check(run(BackendKind::OpenCl), undisturbed, CL_BUILD_PROGRAM_FAILURE);
        }
    }
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
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
    for (uint64_t call = 1; call <= n_calls; call += 7) {
        SCOPED_TRACE(base::concat("call ", call, " of ", n_calls));
        fail_call(call, call % 2 == 0 ? CL_OUT_OF_RESOURCES : CL_MEM_OBJECT_ALLOCATION_FAILURE);
        const Outcome outcome = run(BackendKind::Auto);
        SCOPED_TRACE(control_->last_call);
        EXPECT_EQ(control_->live_objects, 0);
        ASSERT_FALSE(outcome.load_error) << outcome.load_error->message;
        if (outcome.step_error) continue;  // from then on it is llmd that sets the device aside
        EXPECT_EQ(outcome.ids, outcome.backend == "cpu" ? on_cpu.ids : undisturbed.ids);
        if (outcome.backend == "opencl") continue;
        ++n_on_cpu;
        std::string notes;
        for (const std::string& note : outcome.notes) notes += note + "\n";
        EXPECT_NE(notes.find(control_->last_call), std::string::npos) << notes;
    }
    EXPECT_GT(n_on_cpu, n_calls / 7 / 2);
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

// A layer's keys for all sequences take 128 MiB here.
TEST_F(Faults, PlansFewerPagesWhereABufferIsSmall) {
    const TinyModel model{.n_layers = 1, .n_kv_heads = 4, .n_ctx = 131'072};
    ASSERT_TRUE(write_file(folder_ / "long.gguf", tiny_model(model)));
    const generation::LoadOptions options{.n_ctx = model.n_ctx, .n_slots = 16};
    const Outcome large = run(BackendKind::OpenCl, options, "long.gguf");
    control_->hidden = kHideLargeBuffers;
    const Outcome small = run(BackendKind::OpenCl, options, "long.gguf");
    ASSERT_FALSE(small.load_error) << small.load_error->message;
    EXPECT_EQ(small.ids, large.ids);
    EXPECT_EQ(small.ids.size(), kTokens);
    EXPECT_EQ(small.n_pages, 32'768u);
    EXPECT_GT(large.n_pages, small.n_pages);
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
TEST_F(Faults, SubmitsUnknownWorkPieceByPieceOnAGpu) {
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
