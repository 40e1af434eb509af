// A token costs no memory: once every size has been seen, nothing between begin() and wait() allocates on the engine's
// thread. Counts this program's operator new; what drivers get from malloc() is theirs.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>

#include "daemon/engine/compute/device_under_test.h"

namespace {

thread_local uint64_t allocations = 0;

void* counted(size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}

}  // namespace

// The array and nothrow forms end in these.
void* operator new(size_t size) {
    return counted(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
    std::free(memory);
}

namespace llmd::test {
namespace {

constexpr uint32_t kSequences = 3;
constexpr uint32_t kSteps = 40;  // across the border of a page

class Allocation : public testing::TestWithParam<DeviceUnderTest> {};

TEST_P(Allocation, NoneInADecodingStep) {
    UniformSpec config = small_llama();
    config.n_ctx_train = 96;
    const RandomModel model(config, {.type = model::TensorType::Q4_0});
    DeviceModel device(GetParam(), model, test_limits(config));
    if (!device.loaded()) return;
    compute::Backend& backend = device.backend();

    std::array<compute::Row, kSequences> rows;
    std::array<compute::SampleRequest, kSequences> requests;
    const std::array<compute::LogitBias, 2> logit_biases = {{{3, 1.1f, 0}, {5, 1.1f, -2}}};
    const std::vector<uint32_t> mask((config.n_vocab + 31) / 32, 0x55555555u);
    requests[1] = {.temperature = 1, .allowed = mask};
    requests[2] = {.temperature = 1, .logit_biases = logit_biases, .wants_candidates = true};
    // One step ahead, as the generator does it; gives what it allocated.
    const auto decode = [&](uint32_t n_sequences) {
        for (uint32_t slot = 0; slot < n_sequences; ++slot) device.give_pages(slot, slot * 3);
        bool good = true;
        const uint64_t before = allocations;
        for (uint32_t i = 0; i < kSteps; ++i) {
            for (uint32_t slot = 0; slot < n_sequences; ++slot) {
                rows[slot] = {slot, i, i == 0 ? 7 : compute::kSampledToken, true};
            }
            good = good && backend.begin(std::span(rows).first(n_sequences)) && backend.forward() &&
                   backend.sample(std::span(requests).first(n_sequences)) && backend.submit();
            if (i > 0) good = good && backend.wait();
        }
        good = good && backend.wait();
        const uint64_t made = allocations - before;
        EXPECT_TRUE(good);
        return made;
    };
    decode(1);
    decode(kSequences);
    EXPECT_EQ(decode(1), 0u) << "a sequence alone";
    EXPECT_EQ(decode(kSequences), 0u) << "with others";
}

TEST(AllocationCount, SeesAllocations) {
    const uint64_t before = allocations;
    const auto memory = std::make_unique<std::array<int, 100>>();
    EXPECT_GT(allocations, before);
}

INSTANTIATE_TEST_SUITE_P(Devices, Allocation, testing::ValuesIn(devices_under_test()), device_name);

}  // namespace
}  // namespace llmd::test
