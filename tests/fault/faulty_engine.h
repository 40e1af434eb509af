// The engine with the fault layer under it: loads a tiny model and generates, on PoCL or the CPU.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/engine/generation/recorded_events.h"
#include "engine/compute/opencl/opencl_backend.h"
#include "engine/compute/opencl/runtime/cl.h"
#include "engine/generation/generator.h"
#include "engine/generation/loaded_model.h"
#include "fault/fault_control.h"
#include "support/environment.h"
#include "support/gguf_writer.h"

namespace llmd::test {

namespace fs = std::filesystem;
using base::ErrorCode;
using compute::BackendKind;

inline constexpr uint32_t kTokens = 4;
inline constexpr const char* kPocl = "Portable";

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

class FaultyEngine : public testing::Test {
protected:
    // Once: the layer keeps to the file that it has found at its first call.
    static void SetUpTestSuite() {
        if (control_ != nullptr) return;
        std::string name = (fs::temp_directory_path() / "llmd-faults-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
        std::atexit([] { fs::remove_all(directory_); });
        const fs::path file = directory_ / "control";
        const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        ASSERT_EQ(::ftruncate(fd, sizeof(FaultControl)), 0);
        void* const mapped = ::mmap(nullptr, sizeof(FaultControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        ASSERT_NE(mapped, MAP_FAILED);
        control_ = static_cast<FaultControl*>(mapped);
        ::setenv("LLMD_FAULT_CONTROL", file.c_str(), 1);  // before the first OpenCL call
        ::setenv("XDG_CACHE_HOME", directory_.c_str(), 1);
        ASSERT_TRUE(write_file(directory_ / "tiny.gguf", tiny_model({.n_layers = 1, .type = model::TensorType::Q8_0})));
    }

    void SetUp() override {
        *control_ = {};
        const auto devices = compute::list_opencl_devices();
        ASSERT_TRUE(devices) << devices.error().message;
        if (devices->empty()) GTEST_SKIP() << absent_opencl();
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
        auto loaded = generation::load_model(directory_ / model, options, observer);
        if (!loaded) {
            outcome.load_error = loaded.error();
            return outcome;
        }
        outcome.backend = compute::backend_name(loaded->backend->report().kind);
        outcome.notes = loaded->backend->report().notes;
        outcome.n_pages = loaded->backend->limits().n_pages;
        RecordedEvents events;
        // Chunks of a fixed size and no drafts, or the number of calls would depend on the time they take.
        generation::Generator generator(*loaded, generation::PrefillPace::exactly(4), events);
        generator.set_speculates(false);
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

    static inline fs::path directory_;
    static inline FaultControl* control_ = nullptr;
};

}  // namespace llmd::test
