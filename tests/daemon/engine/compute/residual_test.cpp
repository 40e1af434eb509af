// The results of read_residual() on every device: each row as the double-precision oracle has it, and the same bits
// whatever the chunks, the other rows and the outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "daemon/engine/compute/device_under_test.h"

namespace llmd::test {
namespace {

// The tolerance is a part of a row's largest number, as for logits (ops_test.cpp), which are of the order of 1.
constexpr double kResidualTolerance = 1e-3;
constexpr uint32_t kTokens = 45;

class Residual : public testing::TestWithParam<DeviceUnderTest> {
protected:
    static std::vector<float> read(DeviceModel& device, const RandomModel& model, size_t n_rows) {
        std::vector<float> out(n_rows * model.spec().n_embd);
        const auto got = device.backend().read_residual(out);
        EXPECT_TRUE(got) << got.error().message;
        return out;
    }
    // Feeds a sequence in slot 0 in chunks and reads its residual; only the last token may want output.
    static std::vector<float> feed(DeviceModel& device, const RandomModel& model, std::span<const int32_t> tokens,
                                   uint32_t chunk, bool wants_output) {
        std::vector<float> all;
        for (uint32_t first = 0; first < tokens.size(); first += chunk) {
            const uint32_t n = std::min<uint32_t>(chunk, static_cast<uint32_t>(tokens.size()) - first);
            const bool is_last = first + n == tokens.size();
            (void)device.forward(rows_of(tokens, first, n, 0, wants_output && is_last));
            const auto rows = read(device, model, n);
            all.insert(all.end(), rows.begin(), rows.end());
        }
        return all;
    }
};

std::vector<RandomModel> models() {
    std::vector<RandomModel> all = two_layer_models();
    // A width that devices pad.
    UniformSpec odd = two_layers(small_llama());
    odd.n_embd = 72;
    all.emplace_back(odd, RandomModel::Options{.type = model::TensorType::F16, .seed = 5});
    return all;
}

TEST_P(Residual, IsWhatTheLastLayerLeavesOfEachRow) {
    for (const RandomModel& model : models()) {
        DeviceModel device(GetParam(), model, test_limits(model.spec()));
        if (!device.loaded()) return;
        const auto tokens = random_tokens(kTokens, model.spec().n_vocab, 1);
        device.give_pages(0);
        const auto got = feed(device, model, tokens, kTokens, false);
        Oracle oracle(model, GetParam().rounding());
        for (uint32_t r = 0; r < kTokens; ++r) {
            oracle.feed(tokens[r]);
            const auto& want = oracle.residual();
            double largest = 1;
            for (const double value : want) largest = std::max(largest, std::abs(value));
            for (size_t i = 0; i < want.size(); ++i) {
                ASSERT_NEAR(got[r * want.size() + i], want[i], kResidualTolerance * largest)
                    << "row " << r << ", column " << i;
            }
        }
    }
}

TEST_P(Residual, ChunksOtherRowsAndOutputsDoNotMatter) {
    for (const RandomModel& model : two_layer_models()) {
        DeviceModel device(GetParam(), model, test_limits(model.spec()));
        if (!device.loaded()) return;
        const size_t width = model.spec().n_embd;
        const auto tokens = random_tokens(kTokens, model.spec().n_vocab, 2);
        device.give_pages(0);
        const auto want = feed(device, model, tokens, kTokens, false);
        EXPECT_TRUE(same_bits(want, feed(device, model, tokens, kTokens, true))) << "with an output";
        for (const uint32_t chunk : {1u, 7u, 32u}) {
            EXPECT_TRUE(same_bits(want, feed(device, model, tokens, chunk, false))) << "chunks of " << chunk;
        }
        // Between two that decode, of which one samples.
        device.give_pages(1, 40);
        device.give_pages(2, 80);
        std::vector<float> together;
        for (uint32_t i = 0; i < kTokens; i += 5) {
            std::vector<compute::Row> rows = {{1, i / 5, tokens[kTokens - 1 - i], true}};
            const auto mine = rows_of(tokens, i, 5, 0, false);
            rows.insert(rows.end(), mine.begin(), mine.end());
            rows.push_back({2, i / 5, tokens[i], false});
            (void)device.forward(rows);
            const auto all = read(device, model, rows.size());
            together.insert(together.end(), all.begin() + static_cast<ptrdiff_t>(width),
                            all.end() - static_cast<ptrdiff_t>(width));
        }
        EXPECT_TRUE(same_bits(want, together)) << "with other rows";
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Residual, testing::ValuesIn(devices_under_test()), device_name);

}  // namespace
}  // namespace llmd::test
