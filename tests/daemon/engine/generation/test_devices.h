// The devices that this machine has, as parameters of a test.
#pragma once

#include <algorithm>
#include <cctype>
#include <ostream>
#include <string>
#include <vector>

#include "engine/compute/backend_factory.h"
#include "engine/compute/cpu/processor.h"
#include "engine/compute/opencl/opencl_backend.h"
#include "engine/generation/loaded_model.h"

namespace llmd::test {

struct TestDevice {
    std::string label;  // letters and digits, for the test's name
    compute::BackendOptions options;
    bool has_fast_kernels = false;   // rather than faithful ones whatever is asked for
    bool only_tests_use_it = false;  // a CPU device of OpenCL

    friend void PrintTo(const TestDevice& device, std::ostream* out) { *out << device.label; }
};

inline std::string only_letters_and_digits(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isalnum(c) == 0; });
    return text;
}

// The CPU and every OpenCL device.
inline std::vector<TestDevice> test_devices() {
    std::vector<TestDevice> devices = {
        {"cpu", {.kind = compute::BackendKind::Cpu}, compute::usable_cpu_kernels().back().has_fast}};
    const auto listed = compute::list_opencl_devices();
    if (!listed) return devices;
    for (const auto& device : *listed) {
        devices.push_back({only_letters_and_digits(device.platform + device.name).substr(0, 40),
                           {.kind = compute::BackendKind::OpenCl, .device = device.name},
                           true,
                           !device.is_gpu});
    }
    return devices;
}

class PatientObserver : public generation::LoadObserver {
public:
    bool before(generation::LoadStage, std::chrono::milliseconds) override { return true; }
    void on_uploaded(uint64_t, uint64_t) override {}
};

}  // namespace llmd::test
