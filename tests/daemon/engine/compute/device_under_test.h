// The compute devices that a test runs on: the CPU and every OpenCL device that this machine shows.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "daemon/engine/compute/oracle.h"
#include "daemon/engine/compute/random_model.h"
#include "engine/compute/backend.h"
#include "engine/compute/opencl/opencl_backend.h"

namespace llmd::test {

struct DeviceUnderTest {
    std::string name;         // fit for a test's name: "cpu", "opencl0_pocl", "opencl1_rusticl_gpu_shape"
    size_t opencl_index = 0;  // with is_opencl
    bool is_opencl = false;
    compute::OpenClOverrides overrides = {};
    compute::Precision precision = compute::Precision::Faithful;

    // The device rounds its activations by design. For the CPU this is the rounding in faithful precision.
    Rounding rounding() const {
        if (!is_opencl) return {.steps = 32639.0, .at_matmul = true};
        constexpr double k15Bits = 16319.0, k8Bits = 127.0;
        return {.steps = precision == compute::Precision::Fast ? k8Bits : k15Bits,
                .qkv_steps = k15Bits,
                .to_half_weights = true};
    }
};

// The CPU first, then each OpenCL device, faithful. Of those that are a CPU, which gets kernels whose items share
// nothing, the last one gets those of a GPU too.
std::vector<DeviceUnderTest> devices_under_test();
// Returns those of them that are OpenCL's.
std::vector<DeviceUnderTest> opencl_devices_under_test();
// GoogleTest prints a parameter with this.
inline void PrintTo(const DeviceUnderTest& device, std::ostream* out) {
    *out << device.name;
}
std::string device_name(const testing::TestParamInfo<DeviceUnderTest>& info);

// For Backend::declare_tensors().
inline constexpr auto kUnobserved = [] { return true; };

base::Result<std::unique_ptr<compute::Backend>> make_backend(const DeviceUnderTest& device,
                                                             const model::DecoderSpec& spec,
                                                             const compute::BackendLimits& limits,
                                                             uint32_t n_threads = 2);

// Limits that fit the small models: 4 slots, the whole context, 160 pages, 128 rows, 16 outputs.
compute::BackendLimits test_limits(const model::DecoderSpec& spec);

// Tokens [first, first + n) of a sequence as rows; the last one wants output if asked for.
std::vector<compute::Row> rows_of(std::span<const int32_t> tokens, uint32_t first, uint32_t n, uint32_t slot,
                                  bool last_wants_output);

std::vector<int32_t> random_tokens(uint32_t n, uint32_t n_vocab, uint64_t seed);

using Logits = std::vector<float>;
// And there are any.
bool same_bits(const Logits& a, const Logits& b);
// The result is an error with that code.
bool refuses(const base::Result<void>& result, base::ErrorCode code = base::ErrorCode::InvalidArgument);

// A model on a device. Every step that fails is a failure of the test, and gives empty results.
class DeviceModel {
public:
    // A device that is listed but cannot load the model fails the test; then loaded() is false.
    DeviceModel(const DeviceUnderTest& device, const RandomModel& model, const compute::BackendLimits& limits,
                uint32_t n_threads = 2);

    bool loaded() const { return backend_ != nullptr; }
    compute::Backend& backend() { return *backend_; }

    void give_pages(uint32_t slot, std::span<const uint32_t> pages);
    // Pages first, first + 1, … for the whole context.
    void give_pages(uint32_t slot, uint32_t first = 0);

    // Before positions [begin, end) of the slot are computed, of which none is computed again: windowed pages for what
    // they see, the first ones again and again. All others become NaN.
    void give_window_pages(uint32_t slot, uint32_t begin, uint32_t end);

    // The whole forward pass; the logits of the rows that want output.
    std::vector<Logits> forward(std::span<const compute::Row> rows);
    // Same, then a sample for each request. Candidates are valid until the next pass.
    std::vector<compute::Sampled> sample(std::span<const compute::Row> rows,
                                         std::span<const compute::SampleRequest> requests);
    // The two halves of sample(): the step is in flight in between.
    bool submit(std::span<const compute::Row> rows, std::span<const compute::SampleRequest> requests);
    std::vector<compute::Sampled> wait();
    // Feeds a sequence in chunks and gives the logits of its last token.
    Logits feed(std::span<const int32_t> tokens, uint32_t chunk, uint32_t slot);

private:
    model::DecoderSpec spec_;
    compute::BackendLimits limits_;
    std::unique_ptr<compute::Backend> backend_;
};

}  // namespace llmd::test
