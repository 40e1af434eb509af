// The GPU backend's numeric contract over a long context, faithful and fast: across the positions where
// attention changes its way, a sequence gives the same bits alone, among others, in any slot and replayed on a new
// device.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "daemon/engine/compute/device_under_test.h"

namespace llmd::test {
namespace {

using compute::kPageTokens;
using compute::Row;
using model::Role;

// The first border between KV splits, and positions from which a lone row's splits are computed side by side.
constexpr std::array<uint32_t, 3> kBorders = {256, 1024, 2048};
constexpr uint32_t kBefore = 2, kSteps = 5;  // rows of every comparison: so many in front of a border, so many in all
constexpr uint32_t kSlots = 8;               // as many as one launch computes together
constexpr uint32_t kHistories = 2;
constexpr uint32_t kHistoryPages = 8;  // written once; a history repeats them up to the page in front of a border
constexpr uint32_t kFrontPages = kHistories * kHistoryPages;                          // those in front of borders
constexpr uint32_t kOwnPages = kFrontPages + kHistories * uint32_t{kBorders.size()};  // those of slots, behind borders

class GpuContract : public testing::TestWithParam<DeviceUnderTest> {
protected:
    static UniformSpec config() {
        UniformSpec config = small_llama();
        config.n_ctx_train = kBorders.back() + kPageTokens;
        return config;
    }
    static compute::BackendLimits limits() {
        compute::BackendLimits limits = test_limits(config());
        limits.n_slots = kSlots;
        limits.n_pages = kOwnPages + kSlots;
        return limits;
    }

    // The slot reads a history up to the page in front of a border; behind the border it has a page of its own.
    static void share(DeviceModel& device, uint32_t slot, uint32_t history, uint32_t border) {
        std::vector<uint32_t> pages;
        for (uint32_t i = 0; i + 1 < kBorders[border] / kPageTokens; ++i) {
            pages.push_back(history * kHistoryPages + i % kHistoryPages);
        }
        pages.push_back(kFrontPages + history * uint32_t{kBorders.size()} + border);
        pages.push_back(kOwnPages + slot);
        device.give_pages(slot, pages);
    }

    // Writes both histories in chunks, and what lies in the pages in front of borders.
    void write_histories(DeviceModel& device, uint32_t chunk) const {
        for (uint32_t history = 0; history < kHistories; ++history) {
            std::vector<uint32_t> pages(kHistoryPages);
            std::iota(pages.begin(), pages.end(), history * kHistoryPages);
            device.give_pages(history, pages);
            device.feed(std::span(tokens_[history]).first(kHistoryPages * kPageTokens), chunk, history);
            for (uint32_t border = 0; border < kBorders.size(); ++border) {
                share(device, history, history, border);
                const uint32_t end = kBorders[border] - kBefore;
                for (uint32_t first = kBorders[border] - kPageTokens; first < end; first += chunk) {
                    device.forward(rows_of(tokens_[history], first, std::min(chunk, end - first), history, false));
                }
            }
        }
    }

    Row row(uint32_t slot, uint32_t history, uint32_t border, uint32_t step) const {
        const uint32_t position = kBorders[border] - kBefore + step;
        return {slot, position, tokens_[history][position], true};
    }

    // One step after the other.
    std::vector<Logits> alone(DeviceModel& device, uint32_t border) const {
        share(device, 0, 0, border);
        std::vector<Logits> steps;
        for (uint32_t step = 0; step < kSteps; ++step) {
            const Row one = row(0, 0, border, step);
            const auto logits = device.forward({&one, 1});
            steps.push_back(logits.empty() ? Logits() : logits[0]);
        }
        return steps;
    }

    std::array<std::vector<int32_t>, kHistories> tokens_ = {
        random_tokens(kBorders.back() + kPageTokens, config().n_vocab, 21),
        random_tokens(kBorders.back() + kPageTokens, config().n_vocab, 22)};
};

TEST_P(GpuContract, OtherRowsSlotsAndReplayChangeNoBitAcrossBorders) {
    const RandomModel model(config(), {.type = model::TensorType::Q4_0, .biases = true});
    DeviceModel device(GetParam(), model, limits());
    if (!device.loaded()) return;
    write_histories(device, 128);
    std::vector<Logits> last;  // at each border, of the last step
    for (uint32_t border = 0; border < kBorders.size(); ++border) {
        SCOPED_TRACE(kBorders[border]);
        const auto expected = alone(device, border);
        last.push_back(expected.back());
        for (uint32_t n = 2; n <= kSlots; ++n) {
            const uint32_t mine = border == 1 ? 0 : n - 1;  // in every slot at some n
            const auto at = [&](uint32_t slot) { return slot == mine ? border : slot % uint32_t{kBorders.size()}; };
            for (uint32_t slot = 0; slot < n; ++slot) share(device, slot, slot == mine ? 0 : 1, at(slot));
            for (uint32_t step = 0; step < kSteps; ++step) {
                std::vector<Row> rows;
                for (uint32_t slot = 0; slot < n; ++slot) {
                    rows.push_back(row(slot, slot == mine ? 0 : 1, at(slot), step));
                }
                const auto logits = device.forward(rows);
                ASSERT_EQ(logits.size(), n);
                EXPECT_TRUE(same_bits(logits[mine], expected[step])) << "step " << step << " as 1 of " << n;
            }
        }
        // Read across the border in one chunk, between steps of others.
        share(device, 5, 0, border);
        share(device, 1, 1, 1);
        share(device, 2, 1, 2);
        auto rows = rows_of(tokens_[0], kBorders[border] - kBefore, kSteps, 5, true);
        rows.insert(rows.begin(), row(1, 1, 1, 0));
        rows.push_back(row(2, 1, 2, 0));
        const auto logits = device.forward(rows);
        ASSERT_EQ(logits.size(), 3u);
        EXPECT_TRUE(same_bits(logits[1], expected.back())) << "in a chunk";
    }

    // The next engine takes the place of a dead one.
    DeviceModel next(GetParam(), model, limits());
    if (!next.loaded()) return;
    write_histories(next, 13);
    for (uint32_t border = 0; border < kBorders.size(); ++border) {
        share(next, 3, 0, border);
        const auto logits = next.forward(rows_of(tokens_[0], kBorders[border] - kBefore, kSteps, 3, true));
        ASSERT_EQ(logits.size(), 1u);
        EXPECT_TRUE(same_bits(logits[0], last[border])) << "replayed across " << kBorders[border];
    }
}

// The keys and values of a position are NaN, in a page that the sequence's later positions read.
TEST_P(GpuContract, ANanInAPageFailsItsOwnSequenceOnly) {
    constexpr uint32_t kVictim = 3;
    constexpr int32_t kPoison = 0;
    RandomModel model(config(), {.type = model::TensorType::Q4_0, .biases = true});
    Noise noise(5);
    std::vector<float> embedding(size_t{config().n_vocab} * config().n_embd);
    for (float& value : embedding) value = static_cast<float>(noise.uniform());
    std::fill_n(embedding.begin() + kPoison * config().n_embd, config().n_embd, std::nanf(""));
    model.set(Role::TokenEmbedding, 0, config().n_embd, embedding);
    for (auto& tokens : tokens_) {
        for (int32_t& token : tokens) token = std::max(token, kPoison + 1);
    }
    tokens_[1] = tokens_[0];
    tokens_[1][kPageTokens + 7] = kPoison;

    DeviceModel device(GetParam(), model, limits());
    if (!device.loaded()) return;
    write_histories(device, 128);
    for (uint32_t border = 0; border < kBorders.size(); ++border) {
        SCOPED_TRACE(kBorders[border]);
        const auto expected = alone(device, border);
        ASSERT_TRUE(std::isfinite(expected[0].at(0)));
        for (uint32_t slot = 0; slot < kSlots; ++slot) share(device, slot, slot == kVictim ? 1 : 0, border);
        for (uint32_t step = 0; step < kSteps; ++step) {
            std::vector<Row> rows;
            for (uint32_t slot = 0; slot < kSlots; ++slot) rows.push_back(row(slot, 0, border, step));
            const auto sampled = device.sample(rows, std::vector<compute::SampleRequest>(kSlots));
            ASSERT_EQ(sampled.size(), kSlots);
            for (uint32_t slot = 0; slot < kSlots; ++slot) {
                EXPECT_EQ(sampled[slot].finite, slot != kVictim) << "slot " << slot << ", step " << step;
                if (slot == kVictim) continue;
                Logits logits(config().n_vocab);
                ASSERT_TRUE(device.backend().read_logits(slot, logits));
                EXPECT_TRUE(same_bits(logits, expected[step])) << "slot " << slot << ", step " << step;
            }
        }
    }
}

// Each device once, in the shape of a GPU where it is listed in several.
std::vector<DeviceUnderTest> devices_in_both_modes() {
    std::vector<DeviceUnderTest> devices;
    const auto listed = opencl_devices_under_test();
    for (size_t i = 0; i < listed.size(); ++i) {
        if (i + 1 < listed.size() && listed[i + 1].opencl_index == listed[i].opencl_index) continue;
        DeviceUnderTest device = listed[i];
        devices.push_back(device);
        device.name += "_fast";
        device.precision = compute::Precision::Fast;
        devices.push_back(device);
    }
    return devices;
}
INSTANTIATE_TEST_SUITE_P(Devices, GpuContract, testing::ValuesIn(devices_in_both_modes()), device_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuContract);

}  // namespace
}  // namespace llmd::test
