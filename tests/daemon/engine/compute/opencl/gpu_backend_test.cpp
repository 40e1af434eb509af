// Mistakes that only the GPU backend can make: how many launches it takes, matmuls of several tensor types or in
// several buffers, small work-groups, attention in one pass or in KV splits, the number of batch rows, fast
// activations, other kernels than the usual.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "daemon/engine/compute/device_under_test.h"
#include "daemon/engine/compute/oracle.h"
#include "engine/compute/backend_factory.h"
#include "engine/compute/opencl/gpu/gpu_weights.h"
#include "engine/compute/opencl/runtime/device.h"
#include "engine/compute/opencl/runtime/device_queue.h"
#include "engine/compute/opencl/runtime/program_cache.h"

namespace llmd::test {
namespace {

using compute::Row;
using model::Role;
using model::TensorType;

// As in the tests of single steps (ops_test.cpp).
constexpr double kGpuTolerance = 5e-4;
// In fast precision a value on the edge between two of 127 steps may go to the other side than the oracle's, and what
// follows from it moves others over their edges: errors of the order of the rounding itself, seen up to 2e-2.
constexpr double kFastTolerance = 6e-2;

class GpuBackend : public testing::TestWithParam<DeviceUnderTest> {
protected:
    // Twenty tokens in one batch and two alone, against the oracle.
    void check(const RandomModel& model, const DeviceUnderTest& on, double tolerance = kGpuTolerance) {
        const model::DecoderSpec& spec = model.spec();
        compute::BackendLimits limits = test_limits(spec);
        limits.n_ctx = 32;
        limits.n_pages = 1;
        limits.max_rows = limits.max_outputs = 20;
        DeviceModel device(on, model, limits);
        if (!device.loaded()) return;
        device.give_pages(0);
        const auto tokens = random_tokens(22, spec.n_vocab, 3);
        Oracle oracle(model, on.rounding());
        for (const auto& [first, n] : {std::pair{0u, 20u}, {20u, 1u}, {21u, 1u}}) {
            auto rows = rows_of(tokens, first, n, 0, true);
            for (Row& row : rows) row.wants_output = true;
            const auto logits = device.forward(rows);
            ASSERT_EQ(logits.size(), n);
            for (uint32_t i = 0; i < n; ++i) {
                oracle.feed(tokens[first + i]);
                const auto want = oracle.logits();
                for (size_t id = 0; id < want.size(); ++id) {
                    ASSERT_NEAR(logits[i][id], want[id], tolerance) << "position " << first + i << ", id " << id;
                }
            }
        }
    }
};

uint64_t launches_for(DeviceModel& device, std::span<const Row> rows, const compute::SampleRequest& request = {}) {
    const uint64_t before = device.backend().queue_counts().launches;
    const std::vector<compute::SampleRequest> requests(rows.size(), request);
    EXPECT_EQ(device.sample(rows, requests).size(), rows.size());
    return device.backend().queue_counts().launches - before;
}
uint64_t launches_for(DeviceModel& device, const Row& row, const compute::SampleRequest& request) {
    return launches_for(device, {&row, 1}, request);
}

TEST_P(GpuBackend, TakesFiveLaunchesALayerAndThree) {
    struct Family {
        UniformSpec config;
        uint32_t layers, launches;
    };
    // GPT-2 124M and TinyLlama-1.1B have so many layers.
    for (const Family& family : {Family{small_gpt2(), 12, 63}, Family{small_llama(), 22, 113}}) {
        UniformSpec config = family.config;
        config.n_layers = family.layers;
        config.head_dim = 32;  // so that any group of heads fills whole blocks, as in real models
        config.n_ctx_train = 1056;
        const bool tied = config.rotation == model::Rotation::None;
        const RandomModel model(config, {.type = TensorType::Q4_0, .biases = tied, .tied = tied});
        compute::BackendLimits limits = test_limits(config);
        limits.max_rows = limits.max_outputs = 1;
        DeviceModel device(GetParam(), model, limits);
        if (!device.loaded()) return;
        device.give_pages(0);
        compute::SampleRequest request;
        EXPECT_EQ(launches_for(device, {0, 0, 5, true}, request), family.launches);
        EXPECT_EQ(launches_for(device, {0, 1023, 5, true}, request), family.launches);
        // One to merge in every layer.
        EXPECT_EQ(launches_for(device, {0, 1024, 5, true}, request), family.launches + family.layers);
        request.wants_candidates = true;
        EXPECT_EQ(launches_for(device, {0, 0, 5, true}, request), family.launches + 1);
    }
}

// The splits of drafted rows are computed side by side too, of as many rows as there can be.
TEST_P(GpuBackend, KeepsKvSplitsBesideDrafts) {
    constexpr uint32_t kRows = 6;
    const UniformSpec config = small_llama();
    compute::BackendLimits limits = test_limits(config);
    limits.max_outputs = 1;
    limits.max_drafted = kRows - 1;
    limits.max_rows = kRows + 1;
    const RandomModel model(config, {.type = TensorType::Q4_0});
    DeviceModel device(GetParam(), model, limits);
    if (!device.loaded()) return;
    device.give_pages(0);
    const auto tokens = random_tokens(config.n_ctx_train, config.n_vocab, 3);
    const auto launches_at = [&](uint32_t first, uint32_t n) {
        auto rows = rows_of(tokens, first, n, 0, true);
        for (Row& row : rows) row.wants_output = true;
        return launches_for(device, rows);
    };
    const uint32_t last = config.n_ctx_train - kRows;
    EXPECT_EQ(launches_at(last, kRows), launches_at(0, kRows) + config.n_layers);
}

// One more a layer for norms of heads, and one for each post-norm.
TEST_P(GpuBackend, TakesAnotherLaunchForNormsBehindMatmuls) {
    UniformSpec config = two_layers(small_llama());
    config.head_dim = 32;
    for (const auto& [has_post_norms, launches] : {std::pair{false, 6u}, {true, 8u}}) {  // Qwen3, Gemma 3
        config.qk_norm = model::QkNorm::Head;
        config.has_post_norms = has_post_norms;
        const RandomModel model(config, {.type = TensorType::Q4_0});
        DeviceModel device(GetParam(), model, test_limits(config));
        if (!device.loaded()) return;
        device.give_pages(0);
        EXPECT_EQ(launches_for(device, {0, 0, 5, true}, {}), 2 * launches + 3);
    }
}

TEST_P(GpuBackend, ComputesMatmulsOfSeveralTypes) {
    UniformSpec config = small_llama();
    config.n_embd = config.n_ff = 256;
    config.head_dim = config.n_rot = 64;
    config.n_ctx_train = 64;
    config.n_layers = 2;
    DeviceUnderTest fast = GetParam();
    fast.precision = compute::Precision::Fast;
    // Each of the three launches that would be one has two or three parts, a gate lies apart from its up.
    const RandomModel model(config, {.type = TensorType::Q4_0,
                                     .biases = true,
                                     .types = {{Role::AttnV, TensorType::Q6_K}, {Role::FfnUp, TensorType::Q8_0}}});
    check(model, GetParam());
    check(model, fast, kFastTolerance);
    config.rotation = model::Rotation::HalfSplit;
    check(RandomModel(config, {.type = TensorType::Q4_K,
                               .types = {{Role::AttnK, TensorType::Q5_0}, {Role::FfnGate, TensorType::Q5_K}}}),
          GetParam());
}

TEST_P(GpuBackend, GivesTheSameBitsWithSplitTensors) {
    UniformSpec config = small_llama();
    config.n_vocab = 2001;
    config.n_ctx_train = 64;
    const RandomModel model(config, {.type = TensorType::Q8_0, .biases = true});
    compute::BackendLimits limits = test_limits(config);
    limits.max_rows = 16;
    limits.max_outputs = 2;
    limits.n_pages = 2;
    const auto tokens = random_tokens(11, config.n_vocab, 5);
    std::vector<Logits> all;
    for (const uint64_t max_buffer_bytes : {uint64_t{0}, uint64_t{66'000}}) {
        DeviceUnderTest on = GetParam();
        on.overrides.max_buffer_bytes = max_buffer_bytes;
        DeviceModel device(on, model, limits);
        if (!device.loaded()) return;
        device.give_pages(0);
        all.push_back(device.feed(tokens, 10, 0));
        const auto& notes = device.backend().report().notes;
        if (max_buffer_bytes == 0) {
            EXPECT_TRUE(notes.empty());
        } else {
            ASSERT_EQ(notes.size(), 1u);
            EXPECT_EQ(notes[0], "2 matrices are split: one buffer holds at most 66000 bytes");
        }
    }
    EXPECT_TRUE(same_bits(all[0], all[1]));
}

TEST_P(GpuBackend, ComputesInSmallWorkGroups) {
    UniformSpec config = small_gpt2();
    config.n_embd = 96;
    config.n_ctx_train = 64;
    for (const uint64_t items : {64u, 128u}) {
        DeviceUnderTest on = GetParam();
        on.overrides.max_group_items = items;
        check(RandomModel(config, {.type = TensorType::Q5_1, .biases = true, .tied = true}), on);
    }
}

TEST_P(GpuBackend, SaysWhatItHoldsAnotherWay) {
    UniformSpec config = small_llama();
    config.n_embd = config.n_ff = 256;
    // Queries and values have one layout, keys between them another: nothing is split.
    const RandomModel model(config, {.type = TensorType::Q4_0,
                                     .types = {{Role::AttnK, TensorType::BF16},
                                               {Role::FfnUp, TensorType::Q2_K},
                                               {Role::FfnDown, TensorType::Q3_K}}});
    DeviceModel device(GetParam(), model, test_limits(config));
    if (!device.loaded()) return;
    const compute::DeviceReport& report = device.backend().report();
    EXPECT_EQ(report.notes, (std::vector<std::string>{"tensors of type Q2_K are held as F16, rounded",
                                                      "tensors of type Q3_K are held as Q6_K, exactly",
                                                      "tensors of type BF16 are held as F16, rounded"}));
    // Q2_K takes six times as much as in the file.
    const uint64_t planned = compute::gpu::gpu_weight_bytes(model.weights());
    EXPECT_GT(planned, compute::block_weight_bytes(model.weights()));
    EXPECT_LE(report.weight_bytes, planned);
    EXPECT_GT(report.weight_bytes, planned * 9 / 10);
}

TEST_P(GpuBackend, RoundsTo8BitsWhenFast) {
    DeviceUnderTest on = GetParam();
    on.precision = compute::Precision::Fast;
    for (UniformSpec config : {small_gpt2(), small_llama()}) {
        config.n_layers = 3;  // of which the last writes its records for the vocabulary
        const RandomModel model(config, {.type = TensorType::Q4_0, .biases = true});
        check(model, on, kFastTolerance);
        DeviceModel device(on, model, test_limits(config));
        if (!device.loaded()) return;
        EXPECT_EQ(device.backend().report().precision, compute::Precision::Fast);
        device.give_pages(0);
        const auto tokens = random_tokens(40, config.n_vocab, 4);
        EXPECT_TRUE(same_bits(device.feed(tokens, 40, 0), device.feed(tokens, 7, 0)));
    }
}

// In the first layer they come from the embedding alone.
TEST_P(GpuBackend, MakesKeysAndValuesOf15BitsWhenFast) {
    for (const UniformSpec& config : {small_gpt2(), small_llama()}) {
        ASSERT_EQ(config.n_layers, 1u);
        const RandomModel model(config, {.type = TensorType::Q4_0, .biases = true});
        std::vector<std::byte> pages[2];
        for (const auto precision : {compute::Precision::Faithful, compute::Precision::Fast}) {
            DeviceUnderTest on = GetParam();
            on.precision = precision;
            DeviceModel device(on, model, test_limits(config));
            if (!device.loaded()) return;
            device.give_pages(0);
            device.feed(random_tokens(compute::kPageTokens, config.n_vocab, 4), 7, 0);
            auto& page = pages[static_cast<size_t>(precision)];
            page.resize(device.backend().page_bytes(compute::KvPool::Full));
            ASSERT_TRUE(device.backend().read_page({0}, page));
        }
        EXPECT_EQ(pages[0], pages[1]);
    }
}

TEST_P(GpuBackend, GivesTheSameBitsAmongOneToNine) {
    for (const UniformSpec& family : {small_gpt2(), small_llama()}) {
        UniformSpec config = family;
        config.n_ctx_train = 64;
        const RandomModel model(config, {.type = TensorType::Q4_1, .biases = true});
        compute::BackendLimits limits = test_limits(config);
        limits.n_slots = 9;
        DeviceModel device(GetParam(), model, limits);
        if (!device.loaded()) return;
        for (uint32_t slot = 0; slot < 9; ++slot) device.give_pages(slot, 2 * slot);
        const auto tokens = random_tokens(9, config.n_vocab, 6);
        std::vector<Logits> alone;
        for (uint32_t slot = 0; slot < 9; ++slot) {
            const std::vector<Row> row = {{slot, 0, tokens[slot], true}};
            const auto logits = device.forward(row);
            ASSERT_EQ(logits.size(), 1u);
            alone.push_back(logits[0]);
        }
        for (uint32_t n = 2; n <= 9; ++n) {
            std::vector<Row> rows;
            for (uint32_t slot = 9 - n; slot < 9; ++slot) rows.push_back({slot, 0, tokens[slot], true});
            const auto logits = device.forward(rows);
            ASSERT_EQ(logits.size(), n);
            for (uint32_t i = 0; i < n; ++i) {
                EXPECT_TRUE(same_bits(logits[i], alone[9 - n + i])) << "row " << i << " of " << n;
            }
        }
    }
}

// A lone row beyond 1,024 positions has its KV splits computed side by side, a row of prefill one after the other.
TEST_P(GpuBackend, GivesTheSameBitsWhetherSplitsAreWalkedOrMerged) {
    for (const uint32_t head_dim : {8u, 16u, 32u}) {  // of four heads: the first two fill no block of 32 alone
        UniformSpec config = small_llama();
        config.n_embd = config.n_ff = 32;
        config.head_dim = config.n_rot = head_dim;
        const RandomModel model(config, {.type = TensorType::Q8_0});
        DeviceModel device(GetParam(), model, test_limits(config));
        if (!device.loaded()) return;
        device.give_pages(0);
        const auto tokens = random_tokens(2050, config.n_vocab, 9);
        for (uint32_t first = 0; first < tokens.size(); first += 128) {
            auto rows =
                rows_of(tokens, first, std::min<uint32_t>(128, static_cast<uint32_t>(tokens.size()) - first), 0, false);
            std::vector<Row> lone;
            for (Row& row : rows) {
                row.wants_output = row.position >= 255 && (row.position % 256 == 0 || row.position % 256 == 255);
                if (row.wants_output) lone.push_back(row);
            }
            const auto together = device.forward(rows);
            ASSERT_EQ(together.size(), lone.size());
            for (size_t i = 0; i < lone.size(); ++i) {
                const auto alone = device.forward({&lone[i], 1});
                ASSERT_EQ(alone.size(), 1u);
                EXPECT_TRUE(same_bits(together[i], alone[0])) << "position " << lone[i].position;
            }
        }
    }
}

// The page of one sequence holds a NaN, as after a fault of the memory.
TEST_P(GpuBackend, ANanInAPageFailsItsOwnSequenceOnly) {
    UniformSpec config = small_llama();
    config.n_ctx_train = 64;
    RandomModel model(config, {});
    model.set_embedding(0, std::nanf(""));
    DeviceModel device(GetParam(), model, test_limits(config));
    if (!device.loaded()) return;
    for (uint32_t slot = 0; slot < 3; ++slot) device.give_pages(slot, 2 * slot);
    const std::vector<Row> first = {{0, 0, 7, true}, {1, 0, 0, true}, {2, 0, 9, true}};
    const std::vector<Row> next = {{0, 1, 3, true}, {1, 1, 4, true}, {2, 1, 5, true}};
    const std::vector<compute::SampleRequest> requests(3);
    for (const auto& rows : {first, next}) {
        const auto sampled = device.sample(rows, requests);
        ASSERT_EQ(sampled.size(), 3u);
        EXPECT_TRUE(sampled[0].finite && sampled[2].finite);
        EXPECT_FALSE(sampled[1].finite);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, GpuBackend, testing::ValuesIn(opencl_devices_under_test()), device_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuBackend);

}  // namespace
}  // namespace llmd::test
