// Which device is chosen, and what is said about it.
#include "engine/compute/backend_factory.h"

#include <gtest/gtest.h>

#include "daemon/engine/compute/random_model.h"
#include "engine/compute/cpu/cpu_backend.h"
#include "engine/compute/cpu/worker_pool.h"
#include "engine/compute/opencl/opencl_backend.h"

namespace llmd::compute {
namespace {

BackendLimits small_limits() {
    BackendLimits limits;
    limits.n_ctx = 64;
    limits.n_pages = 4;
    limits.max_rows = 16;
    return limits;
}

base::Result<BackendLimits> plan(const DeviceMemory&) {
    return small_limits();
}

TEST(BackendFactory, KnowsThreeNames) {
    EXPECT_EQ(backend_kind_from_name("auto"), BackendKind::Auto);
    EXPECT_EQ(backend_kind_from_name("opencl"), BackendKind::OpenCl);
    EXPECT_EQ(backend_kind_from_name("cpu"), BackendKind::Cpu);
    EXPECT_EQ(backend_kind_from_name("CPU"), std::nullopt);
    EXPECT_EQ(backend_kind_from_name(""), std::nullopt);
}

TEST(BackendFactory, AnExplicitDeviceThatIsNotThereIsAnErrorAndNeverTheCpu) {
    BackendOptions options;
    options.kind = BackendKind::OpenCl;
    options.device = "no such device";
    const auto backend = create_backend(test::small_llama(), plan, options);
    ASSERT_FALSE(backend);
    EXPECT_EQ(backend.error().code, base::ErrorCode::DeviceError);
}

TEST(BackendFactory, AutoWithoutAMatchingGpuTakesTheCpuAndSaysWhy) {
    BackendOptions options;
    options.device = "no such device";
    const auto backend = create_backend(test::small_llama(), plan, options);
    ASSERT_TRUE(backend) << backend.error().message;
    EXPECT_EQ((*backend)->report().kind, BackendKind::Cpu);
    EXPECT_FALSE((*backend)->report().notes.empty());
}

TEST(BackendFactory, ADeviceThatIsQuarantinedIsNotTried) {
    BackendOptions options;
    options.avoided.reason = "the GPU failed twice";
    const auto backend = create_backend(test::small_llama(), plan, options);
    ASSERT_TRUE(backend) << backend.error().message;
    EXPECT_EQ((*backend)->report().kind, BackendKind::Cpu);
    EXPECT_EQ((*backend)->report().notes, std::vector<std::string>{"the GPU failed twice"});
}

TEST(BackendFactory, ADeviceThatIsQuarantinedByNameIsAvoidedWhileItHasThatDriver) {
    const auto devices = list_opencl_devices();
    ASSERT_TRUE(devices) << devices.error().message;
    const auto avoids = [](const std::string& name, const std::string& driver) {
        BackendOptions options;
        options.avoided = {name, driver, "the GPU failed"};
        std::vector<BackendKind> chosen;
        options.on_chosen = [&](const ChosenDevice& device) { chosen.push_back(device.kind); };
        const auto backend = create_backend(test::small_llama(), plan, options);
        EXPECT_TRUE(backend) << backend.error().message;
        EXPECT_FALSE(chosen.empty());
        if (!backend || chosen.empty()) return false;
        EXPECT_EQ(chosen.back(), (*backend)->report().kind);
        return (*backend)->report().notes == std::vector<std::string>{"the GPU failed"};
    };
    for (const OpenClDevice& device : *devices) {
        EXPECT_TRUE(avoids(device.name, device.driver)) << device.name;
        EXPECT_FALSE(avoids(device.name, device.driver + ".1")) << device.name;
    }
    EXPECT_FALSE(avoids("no such device", "1.0"));
}

TEST(BackendFactory, AsksForLimitsWithTheMemoryOfTheDevice) {
    uint64_t asked = 0;
    const auto too_small = [&](const DeviceMemory& memory) -> base::Result<BackendLimits> {
        asked = memory.available_bytes;
        return base::fail(base::ErrorCode::OutOfMemory, "too small");
    };
    BackendOptions options;
    options.kind = BackendKind::Cpu;
    const auto cpu = create_backend(test::small_llama(), too_small, options);
    ASSERT_FALSE(cpu);
    EXPECT_EQ(cpu.error().code, base::ErrorCode::OutOfMemory);
    EXPECT_GT(asked, 0u);

    options.kind = BackendKind::OpenCl;
    std::vector<std::string> notes;
    const auto devices = list_opencl_devices(&notes);
    ASSERT_TRUE(devices) << devices.error().message;
    EXPECT_EQ(notes, std::vector<std::string>());
    for (const OpenClDevice& device : *devices) {
        options.device = device.name;
        asked = 0;
        EXPECT_FALSE(create_backend(test::small_llama(), too_small, options));
        EXPECT_GT(asked, 0u) << device.name;
        EXPECT_LE(asked, device.memory_bytes) << device.name;
    }
}

TEST(CpuBackend, ReportsWhatItIs) {
    const auto backend = create_cpu_backend(test::small_llama(), small_limits(), 2);
    ASSERT_TRUE(backend) << backend.error().message;
    const DeviceReport& report = (*backend)->report();
    EXPECT_NE(report.device.find("2 threads"), std::string::npos) << report.device;
    EXPECT_EQ(report.fingerprint.rfind("cpu/", 0), 0u) << report.fingerprint;
    // K and V, f16: 4 pages of 32 positions, 2 heads of 16
    EXPECT_EQ(report.kv_bytes, 2u * 2 * 4 * 32 * 2 * 16);
}

TEST(CpuBackend, RefusesLimitsThatMakeNoSense) {
    const auto code = [](const BackendLimits& limits, uint32_t n_threads = 1) {
        const auto backend = create_cpu_backend(test::small_llama(), limits, n_threads);
        return backend ? base::ErrorCode::Failed : backend.error().code;
    };
    BackendLimits limits = small_limits();
    limits.n_ctx = 0;
    EXPECT_EQ(code(limits), base::ErrorCode::InvalidArgument);
    limits = small_limits();
    limits.max_rows = 0;
    EXPECT_EQ(code(limits), base::ErrorCode::InvalidArgument);
    EXPECT_EQ(code(small_limits(), kMaxThreads + 1), base::ErrorCode::InvalidArgument);
    limits = small_limits();
    limits.n_pages = 1u << 20;
    test::UniformSpec huge = test::small_llama();
    huge.n_layers = 512;
    const auto backend = create_cpu_backend(huge, limits, 1);
    ASSERT_FALSE(backend) << "terabytes of KV pages";
    EXPECT_EQ(backend.error().code, base::ErrorCode::OutOfMemory);
}

}  // namespace
}  // namespace llmd::compute
