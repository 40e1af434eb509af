#include "daemon/engine/compute/device_under_test.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <numeric>
#include <optional>

#include "engine/compute/cpu/cpu_backend.h"
#include "engine/compute/opencl/opencl_backend.h"

namespace llmd::test {

using compute::Row;
using compute::SampleRequest;

namespace {

std::string test_name(size_t index, std::string_view platform) {
    std::string name = "opencl" + std::to_string(index) + "_" + std::string(platform);
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}

}  // namespace

std::vector<DeviceUnderTest> devices_under_test() {
    std::vector<DeviceUnderTest> devices = {{"cpu"}};
    const auto listed = compute::list_opencl_devices();
    if (!listed) return devices;  // OpenClDevices.AreThere says so
    std::optional<size_t> last_cpu;
    for (size_t i = 0; i < listed->size(); ++i) {
        devices.push_back({test_name(i, (*listed)[i].platform), i, true, {.untried = true}});
        // zink's gets a GPU's kernels whatever computes for it.
        if (!(*listed)[i].is_gpu && !(*listed)[i].name.starts_with("zink")) last_cpu = i;
    }
    if (!last_cpu) return devices;
    devices.push_back({test_name(*last_cpu, (*listed)[*last_cpu].platform) + "_gpu_shape",
                       *last_cpu,
                       true,
                       {.use_gpu_kernels = true, .untried = true}});
    return devices;
}

std::vector<DeviceUnderTest> opencl_devices_under_test() {
    std::vector<DeviceUnderTest> devices = devices_under_test();
    std::erase_if(devices, [](const auto& device) { return !device.is_opencl; });
    return devices;
}

std::string device_name(const testing::TestParamInfo<DeviceUnderTest>& info) {
    return info.param.name;
}

compute::BackendLimits test_limits(const model::DecoderSpec& spec) {
    compute::BackendLimits limits;
    limits.n_slots = 4;
    limits.n_ctx = spec.n_ctx_train;
    limits.n_pages = 160;
    limits.max_rows = 128;
    limits.max_outputs = 16;
    return limits;
}

std::vector<Row> rows_of(std::span<const int32_t> tokens, uint32_t first, uint32_t n, uint32_t slot,
                         bool last_wants_output) {
    std::vector<Row> rows;
    for (uint32_t i = first; i < first + n; ++i)
        rows.push_back({slot, i, tokens[i], last_wants_output && i + 1 == first + n});
    return rows;
}

std::vector<int32_t> random_tokens(uint32_t n, uint32_t n_vocab, uint64_t seed) {
    Noise noise(seed);
    std::vector<int32_t> tokens(n);
    for (int32_t& token : tokens) token = static_cast<int32_t>(noise.bits() % n_vocab);
    return tokens;
}

bool same_bits(const Logits& a, const Logits& b) {
    return !a.empty() && a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

bool refuses(const base::Result<void>& result, base::ErrorCode code) {
    return !result && result.error().code == code;
}

base::Result<std::unique_ptr<compute::Backend>> make_backend(const DeviceUnderTest& device,
                                                             const model::DecoderSpec& spec,
                                                             const compute::BackendLimits& limits, uint32_t n_threads) {
    if (device.is_opencl) {
        return compute::create_opencl_backend(spec, limits, device.opencl_index, device.overrides, {},
                                              device.precision);
    }
    return compute::create_cpu_backend(spec, limits, n_threads, {}, device.precision);
}

DeviceModel::DeviceModel(const DeviceUnderTest& device, const RandomModel& model, const compute::BackendLimits& limits,
                         uint32_t n_threads)
    : spec_(model.spec()), limits_(limits) {
    auto backend = make_backend(device, spec_, limits, n_threads);
    if (!backend) {
        ADD_FAILURE() << device.name << ": " << backend.error().message;
        return;
    }
    const auto succeeded = [&](const base::Result<void>& result) {
        if (!result) ADD_FAILURE() << device.name << ": " << result.error().message;
        return result.has_value();
    };
    if (!succeeded((*backend)->declare_tensors(model.weights(), kUnobserved))) return;
    for (const model::Weight& weight : model.weights()) {
        if (!succeeded((*backend)->upload(weight))) return;
    }
    if (succeeded((*backend)->finish_loading())) backend_ = std::move(*backend);
}

void DeviceModel::give_pages(uint32_t slot, std::span<const uint32_t> pages) {
    const auto done = backend_->set_pages(slot, pages);
    if (!done) ADD_FAILURE() << done.error().message;
}

void DeviceModel::give_pages(uint32_t slot, uint32_t first) {
    const uint32_t whole = (limits_.n_ctx + compute::kPageTokens - 1) / compute::kPageTokens;
    std::vector<uint32_t> pages(std::min(whole, limits_.n_pages - first));
    std::iota(pages.begin(), pages.end(), first);
    give_pages(slot, pages);
}

void DeviceModel::give_window_pages(uint32_t slot, uint32_t begin, uint32_t end) {
    const uint32_t first = model::first_seen(begin, limits_.window) / compute::kPageTokens;
    const uint32_t last = (end - 1) / compute::kPageTokens;
    ASSERT_LT(last - first, limits_.n_window_pages);
    std::vector<uint32_t> pages;
    for (uint32_t i = first; i <= last; ++i) pages.push_back(i % limits_.n_window_pages);
    const std::vector<std::byte> nans(backend_->page_bytes(compute::KvPool::Window), std::byte{0xff});
    for (uint32_t page = 0; page < limits_.n_window_pages; ++page) {
        if (std::find(pages.begin(), pages.end(), page) != pages.end()) continue;
        ASSERT_TRUE(backend_->write_page({page, compute::KvPool::Window}, nans));
    }
    ASSERT_TRUE(backend_->set_window_pages(slot, first, pages));
}

bool DeviceModel::submit(std::span<const Row> rows, std::span<const SampleRequest> requests) {
    const auto failed = [](const base::Result<void>& result) {
        if (!result) ADD_FAILURE() << result.error().message;
        return !result;
    };
    if (failed(backend_->begin(rows)) || failed(backend_->forward())) return false;
    if (!requests.empty() && failed(backend_->sample(requests))) return false;
    return !failed(backend_->submit());
}

std::vector<compute::Sampled> DeviceModel::wait() {
    const auto sampled = backend_->wait();
    if (sampled) return {sampled->begin(), sampled->end()};
    ADD_FAILURE() << sampled.error().message;
    return {};
}

std::vector<compute::Sampled> DeviceModel::sample(std::span<const Row> rows, std::span<const SampleRequest> requests) {
    if (!submit(rows, requests)) return {};
    const auto sampled = wait();
    EXPECT_EQ(sampled.size(), requests.size());
    return sampled;
}

std::vector<Logits> DeviceModel::forward(std::span<const Row> rows) {
    const auto n =
        static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.wants_output; }));
    if (sample(rows, std::vector<SampleRequest>(n)).size() != n) return {};
    // Poisoned: a device that writes only a part is found out.
    std::vector<Logits> all(n, Logits(spec_.n_vocab, std::numeric_limits<float>::quiet_NaN()));
    for (uint32_t i = 0; i < n; ++i) {
        const auto done = backend_->read_logits(i, all[i]);
        if (!done) ADD_FAILURE() << done.error().message;
    }
    return all;
}

Logits DeviceModel::feed(std::span<const int32_t> tokens, uint32_t chunk, uint32_t slot) {
    const auto n_tokens = static_cast<uint32_t>(tokens.size());
    for (uint32_t first = 0; first < n_tokens; first += chunk) {
        const uint32_t n = std::min(chunk, n_tokens - first);
        const bool last = first + n == n_tokens;
        const auto logits = forward(rows_of(tokens, first, n, slot, last));
        if (last) return logits.empty() ? Logits() : logits[0];
    }
    return {};
}

}  // namespace llmd::test
