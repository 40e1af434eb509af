// The numeric contract, bit for bit: what a row gives depends on its own sequence only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "daemon/engine/compute/device_under_test.h"

namespace llmd::test {
namespace {

class Contract : public testing::TestWithParam<DeviceUnderTest> {
protected:
    // Fed at once and one by one, and among two other sequences.
    void check_other_rows(const RandomModel& model) {
        DeviceModel device(GetParam(), model, test_limits(model.spec()));
        if (!device.loaded()) return;
        const auto tokens = random_tokens(40, model.spec().n_vocab, 2);
        device.give_pages(0);
        const Logits alone = device.feed(tokens, 40, 0);
        // One by one, which devices may compute in other launches.
        EXPECT_TRUE(same_bits(alone, device.feed(tokens, 1, 0)));

        // Again in slot 2 on other pages in a mixed order, with two others in every batch that are at other positions.
        const auto others = random_tokens(200, model.spec().n_vocab, 3);
        const std::vector<uint32_t> pages = {77, 3};
        device.give_pages(2, pages);
        device.give_pages(0, 80);
        device.give_pages(3, 120);
        Logits together;
        for (uint32_t i = 0; i < 40; i += 5) {
            auto rows = rows_of(others, i, 5, 3, true);
            const auto mine = rows_of(tokens, i, 5, 2, true);
            rows.insert(rows.end(), mine.begin(), mine.end());
            rows.push_back({0, i / 5, others[100 + i], true});
            const auto logits = device.forward(rows);
            ASSERT_EQ(logits.size(), 3u);
            together = logits[1];
        }
        EXPECT_TRUE(same_bits(alone, together));
    }

    // The first layer has the window.
    void check_window_pages(const model::DecoderSpec& spec, uint32_t window) {
        const RandomModel model(spec, {.type = model::TensorType::Q8_0, .seed = 3});
        const auto tokens = random_tokens(130, spec.n_vocab, 12);
        compute::BackendLimits limits = test_limits(spec);
        const auto feed = [&](DeviceModel& device, uint32_t chunk) {
            Logits last;
            for (uint32_t begin = 0; begin < tokens.size(); begin += chunk) {
                const auto end = std::min<uint32_t>(begin + chunk, static_cast<uint32_t>(tokens.size()));
                if (limits.window != 0) device.give_window_pages(0, begin, end);
                auto logits = device.forward(rows_of(tokens, begin, end - begin, 0, true));
                if (logits.empty()) return Logits();
                last = std::move(logits[0]);
            }
            return last;
        };
        Logits want;
        uint64_t full_bytes = UINT64_MAX;
        if (!GetParam().is_opencl) {  // whose kernels take long to compile; Ops.Windows compares them with the oracle
            DeviceModel full(GetParam(), model, limits);
            full.give_pages(0);
            want = feed(full, 64);
            full_bytes = full.backend().report().kv_bytes;
        }
        limits.window = window;
        limits.n_window_pages = 5;
        DeviceModel windowed(GetParam(), model, limits);
        if (!windowed.loaded()) return;
        EXPECT_LT(windowed.backend().report().kv_bytes, full_bytes);
        for (const uint32_t chunk : {64u, 7u, 1u}) {
            windowed.give_pages(0);
            const Logits got = feed(windowed, chunk);
            if (want.empty()) want = got;
            EXPECT_TRUE(same_bits(want, got)) << "chunks of " << chunk;
        }
        EXPECT_TRUE(refuses(windowed.backend().begin(std::vector<compute::Row>{{0, 0, 1, true}})))
            << "its page is gone";
    }
};

TEST_P(Contract, ChunksDoNotMatter) {
    for (const RandomModel& model : two_layer_models()) {
        DeviceModel device(GetParam(), model, test_limits(model.spec()));
        if (!device.loaded()) return;
        const auto tokens = random_tokens(101, model.spec().n_vocab, 1);
        device.give_pages(0);
        const Logits whole = device.feed(tokens, 101, 0);
        for (const uint32_t chunk : {1u, 7u, 32u}) {
            EXPECT_TRUE(same_bits(whole, device.feed(tokens, chunk, 0))) << "chunks of " << chunk;
        }
    }
}

TEST_P(Contract, ChunksDoNotMatterAcrossSplits) {
    const RandomModel model = std::move(two_layer_models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.spec()));
    if (!device.loaded()) return;
    const auto tokens = random_tokens(530, model.spec().n_vocab, 1);
    device.give_pages(0);
    EXPECT_TRUE(same_bits(device.feed(tokens, 128, 0), device.feed(tokens, 45, 0)));
}

TEST_P(Contract, OtherRowsDoNotMatter) {
    for (const RandomModel& model : two_layer_models()) check_other_rows(model);
}

// Norms of heads and norms behind matmuls have launches and fused ops of their own.
TEST_P(Contract, NormsBehindMatmulsKeepIt) {
    UniformSpec uniform = two_layers(small_llama());
    uniform.rotation = model::Rotation::HalfSplit;
    uniform.qk_norm = model::QkNorm::Head;
    uniform.has_post_norms = true;
    uniform.residual_scale = 0.7f;
    model::DecoderSpec spec = uniform;
    spec.layers[1].qk_norm = model::QkNorm::Row;
    spec.layers[1].norms_after_rotation = true;
    check_other_rows(RandomModel(spec, {.type = model::TensorType::Q8_0, .biases = true}));
}

// Remains of an earlier sequence in pages and buffers, NaN included, reach nobody.
TEST_P(Contract, PoisonFromBeforeDoesNotMatter) {
    UniformSpec config = two_layers(small_llama());
    RandomModel model(config, {});
    model.set_embedding(0, std::nanf(""));

    DeviceModel device(GetParam(), model, test_limits(config));
    if (!device.loaded()) return;
    auto tokens = random_tokens(39, config.n_vocab - 1, 4);
    for (int32_t& token : tokens) ++token;
    const std::vector<uint32_t> pages = {5, 9};
    device.give_pages(0, pages);
    const Logits clean = device.feed(tokens, 39, 0);
    ASSERT_TRUE(std::all_of(clean.begin(), clean.end(), [](float l) { return std::isfinite(l); }));

    const std::vector<int32_t> poison(64, 0);
    const std::vector<compute::SampleRequest> request(1);
    const auto sampled = device.sample(rows_of(poison, 0, 64, 0, true), request);
    ASSERT_EQ(sampled.size(), 1u);
    EXPECT_FALSE(sampled[0].finite);
    EXPECT_TRUE(same_bits(clean, device.feed(tokens, 13, 0)));
}

// A row of NaN beside a good one.
TEST_P(Contract, PoisonInTheSameBatchDoesNotMatter) {
    UniformSpec config = two_layers(small_llama());
    RandomModel model(config, {});
    model.set_embedding(0, std::numeric_limits<float>::infinity());
    DeviceModel device(GetParam(), model, test_limits(config));
    if (!device.loaded()) return;
    device.give_pages(0, 0);
    device.give_pages(1, 40);
    const std::vector<compute::Row> alone = {{1, 0, 5, true}};
    const std::vector<compute::Row> both = {{0, 0, 0, true}, {1, 0, 5, true}};
    const auto want = device.forward(alone);
    const auto got = device.forward(both);
    ASSERT_EQ(want.size(), 1u);
    ASSERT_EQ(got.size(), 2u);
    EXPECT_TRUE(same_bits(want[0], got[1]));
    const auto sampled = device.sample(both, std::vector<compute::SampleRequest>(2));
    ASSERT_EQ(sampled.size(), 2u);
    EXPECT_FALSE(sampled[0].finite);
    EXPECT_TRUE(sampled[1].finite);
}

TEST_P(Contract, PagesTakeEffectWithTheNextBatch) {
    const RandomModel model = std::move(two_layer_models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.spec()));
    if (!device.loaded()) return;
    const auto tokens = random_tokens(33, model.spec().n_vocab, 8);
    device.give_pages(0, std::vector<uint32_t>{4, 11});
    const Logits want = device.feed(tokens, 33, 0);
    // A shared first page: slot 1 reads what slot 0 wrote there.
    device.give_pages(1, std::vector<uint32_t>{4, 12});
    const std::vector<compute::Row> last = {{1, 32, tokens[32], true}};
    const auto got = device.forward(last);
    ASSERT_EQ(got.size(), 1u);
    EXPECT_TRUE(same_bits(want, got[0]));
}

// Taken out as bytes and put elsewhere, also while a step of another sequence is in flight.
TEST_P(Contract, APageIsItsBytes) {
    for (const RandomModel& model : two_layer_models()) {
        DeviceModel device(GetParam(), model, test_limits(model.spec()));
        if (!device.loaded()) return;
        const auto tokens = random_tokens(65, model.spec().n_vocab, 9);
        device.give_pages(0, std::vector<uint32_t>{4, 11, 6});
        const Logits want = device.feed(tokens, 33, 0);
        std::vector<std::byte> first(device.backend().page_bytes(compute::KvPool::Full)), second(first.size()),
            again(first.size());
        ASSERT_TRUE(device.backend().read_page({4}, first));
        ASSERT_TRUE(device.backend().read_page({11}, second));
        EXPECT_NE(first, second);
        const std::vector<std::byte> garbage(first.size(), std::byte{0x7e});  // no NaN, which nobody would miss
        for (const uint32_t page : {4u, 11u, 6u}) ASSERT_TRUE(device.backend().write_page({page}, garbage));
        device.give_pages(1, std::vector<uint32_t>{8, 2, 3});
        device.give_pages(2, std::vector<uint32_t>{7});
        ASSERT_TRUE(device.submit(rows_of(tokens, 0, 20, 2, true), std::vector<compute::SampleRequest>(1)));
        ASSERT_TRUE(device.backend().write_page({8}, first));
        ASSERT_TRUE(device.backend().write_page({2}, second));
        ASSERT_TRUE(device.backend().read_page({2}, again));
        EXPECT_EQ(device.wait().size(), 1u);
        EXPECT_EQ(again, second);
        const auto got = device.forward(std::vector<compute::Row>{{1, 64, tokens[64], true}});
        ASSERT_EQ(got.size(), 1u);
        EXPECT_TRUE(same_bits(want, got[0]));
    }
}

TEST_P(Contract, ConvolutionsKeepIt) {
    model::DecoderSpec spec = two_layers(small_llama());
    make_convolution(spec, 0, 4);
    check_other_rows(RandomModel(spec, {.type = model::TensorType::Q8_0}));
}

// A layer with a window, or a convolution, computes the same from pages of its own, in any chunks, while the others see
// every position.
TEST_P(Contract, WindowedPagesDoNotMatter) {
    model::DecoderSpec windowed = two_layers(small_llama());
    windowed.layers[0].window = 48;
    check_window_pages(windowed, 48);
    model::DecoderSpec convolution = two_layers(small_llama());
    make_convolution(convolution, 0, 3);
    check_window_pages(convolution, 3);
}

INSTANTIATE_TEST_SUITE_P(Devices, Contract, testing::ValuesIn(devices_under_test()), device_name);
INSTANTIATE_TEST_SUITE_P(Fast, Contract,
                         testing::Values(DeviceUnderTest{.name = "cpu", .precision = compute::Precision::Fast}),
                         device_name);

TEST(CpuContract, ThreadsDoNotMatter) {
    for (const RandomModel& model : two_layer_models()) {
        const auto tokens = random_tokens(45, model.spec().n_vocab, 6);
        Logits want;
        for (const uint32_t n_threads : {1u, 2u, 3u}) {
            DeviceModel device({"cpu"}, model, test_limits(model.spec()), n_threads);
            ASSERT_TRUE(device.loaded());
            device.give_pages(0);
            const Logits got = device.feed(tokens, 44, 0);
            if (want.empty()) want = got;
            EXPECT_TRUE(same_bits(want, got)) << n_threads << " threads";
        }
    }
}

}  // namespace
}  // namespace llmd::test
