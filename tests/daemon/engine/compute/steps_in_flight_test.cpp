// Two steps in flight: what continues on a token that only the device knows is what one step at a time gives.
#include <gtest/gtest.h>

#include <cmath>

#include "daemon/engine/compute/device_under_test.h"

namespace llmd::test {
namespace {

using compute::Sampled;

class StepsInFlight : public testing::TestWithParam<DeviceUnderTest> {};

// Two sequences that continue with what the device sampled, the next step submitted before the last is read, against
// the same ones step by step: the same ids, sums and logits.
TEST_P(StepsInFlight, TwoStepsInFlightGiveWhatOneAtATimeGives) {
    for (const RandomModel& model : two_layer_models()) {
        DeviceModel device(GetParam(), model, test_limits(model.spec()));
        if (!device.loaded()) return;
        constexpr uint32_t kPrompt = 30, kSteps = 9;  // across the border of a page
        const auto prompt = random_tokens(kPrompt, model.spec().n_vocab, 12);
        const auto requests = [](uint32_t position) {
            std::vector<compute::SampleRequest> both(2);
            both[1] = {.temperature = 0.9f, .seed = 5, .position = position};
            return both;
        };
        const auto open = [&] {
            device.give_pages(0, std::vector<uint32_t>{3, 1});
            device.give_pages(2, std::vector<uint32_t>{2, 7});
            auto rows = rows_of(prompt, 0, kPrompt, 0, true);
            const auto other = rows_of(prompt, 0, kPrompt - 1, 2, true);
            rows.insert(rows.end(), other.begin(), other.end());
            return device.submit(rows, requests(kPrompt));
        };
        const auto rows_at = [](uint32_t step, int32_t first, int32_t second) {
            return std::vector<compute::Row>{{0, kPrompt + step, first, true}, {2, kPrompt - 1 + step, second, true}};
        };

        ASSERT_TRUE(open());
        std::vector<std::vector<Sampled>> expected = {device.wait()};
        for (uint32_t step = 0; step < kSteps; ++step) {
            ASSERT_EQ(expected.back().size(), 2u);
            const auto rows = rows_at(step, expected.back()[0].id, expected.back()[1].id);
            expected.push_back(device.sample(rows, requests(kPrompt + 1 + step)));
        }
        Logits expected_logits(model.spec().n_vocab), logits(expected_logits.size(), std::nanf(""));
        ASSERT_TRUE(device.backend().read_logits(1, expected_logits));

        ASSERT_TRUE(open());
        const auto ahead = [&](uint32_t step) {
            return device.submit(rows_at(step, compute::kSampledToken, compute::kSampledToken),
                                 requests(kPrompt + 1 + step));
        };
        ASSERT_TRUE(ahead(0));
        EXPECT_TRUE(refuses(device.backend().begin(rows_at(1, 1, 1)))) << "two are in flight";
        for (uint32_t step = 0; step <= kSteps; ++step) {
            const auto got = device.wait();
            EXPECT_TRUE(step == kSteps || refuses(device.backend().read_logits(0, logits))) << "the next has begun";
            ASSERT_TRUE(step + 1 >= kSteps || ahead(step + 1));
            ASSERT_EQ(got.size(), 2u);
            for (size_t i = 0; i < 2; ++i) {
                EXPECT_EQ(got[i].id, expected[step][i].id) << "step " << step << ", output " << i;
                EXPECT_EQ(got[i].log_sum_exp, expected[step][i].log_sum_exp) << "step " << step << ", output " << i;
            }
        }
        ASSERT_TRUE(device.backend().read_logits(1, logits));
        EXPECT_TRUE(same_bits(logits, expected_logits));
    }
}

// A step's answer, candidates included, is the caller's until the next wait(), whatever is begun meanwhile.
TEST_P(StepsInFlight, AnAnswerOutlivesTheStepsSubmittedAfterIt) {
    const RandomModel model = std::move(two_layer_models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.spec()));
    if (!device.loaded()) return;
    device.give_pages(0);
    const std::vector<compute::SampleRequest> request = {{.wants_candidates = true}};
    const auto submit = [&](uint32_t position, int32_t token) {
        return device.submit(std::vector<compute::Row>{{0, position, token, true}}, request);
    };
    ASSERT_TRUE(submit(0, 7) && submit(1, compute::kSampledToken));
    const auto answer = device.wait();
    ASSERT_EQ(answer.size(), 1u);
    const std::vector<compute::Candidate> listed(answer[0].candidates.begin(), answer[0].candidates.end());
    ASSERT_FALSE(listed.empty());
    ASSERT_TRUE(submit(2, compute::kSampledToken));
    EXPECT_EQ(answer[0].candidates.size(), listed.size());
    for (size_t i = 0; i < listed.size(); ++i) {
        EXPECT_EQ(answer[0].candidates[i].id, listed[i].id) << i;
        EXPECT_EQ(answer[0].candidates[i].logit, listed[i].logit) << i;
    }
    device.wait();
    device.wait();
}

TEST_P(StepsInFlight, TheSampledTokenIsTheSlotsLastOneUntilItsPagesChange) {
    const RandomModel model = std::move(two_layer_models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.spec()));
    if (!device.loaded()) return;
    device.give_pages(0, 0);
    device.give_pages(1, 40);
    using Rows = std::vector<compute::Row>;
    // Several outputs of one slot behind another's, and a step that has nothing to do with it.
    const std::vector<compute::SampleRequest> requests(3);
    const auto sampled = device.sample(Rows{{1, 0, 9, true}, {0, 0, 5, true}, {0, 1, 6, true}}, requests);
    ASSERT_EQ(sampled.size(), 3u);
    device.forward(Rows{{1, 1, 8, true}});
    device.forward(Rows{{0, 2, sampled[2].id, false}});
    const auto known = device.forward(Rows{{0, 2, sampled[2].id, true}});
    ASSERT_EQ(known.size(), 1u);
    // forward() sampled in slot 0: the same rows again, for the same last one.
    device.sample(Rows{{1, 0, 9, true}, {0, 0, 5, true}, {0, 1, 6, true}}, requests);
    const auto got = device.forward(Rows{{0, 2, compute::kSampledToken, true}});
    ASSERT_EQ(got.size(), 1u);
    EXPECT_TRUE(same_bits(known[0], got[0]));

    device.give_pages(0, 80);
    EXPECT_TRUE(refuses(device.backend().begin(Rows{{0, 0, compute::kSampledToken, true}})));
    EXPECT_EQ(device.forward(Rows{{1, 1, compute::kSampledToken, true}}).size(), 1u) << "slot 1 keeps its own";
}

// Where there is no id to go on with, the step that was to use it is not finite either, and says so; its neighbour is
// as it is alone.
TEST_P(StepsInFlight, ARowWithoutANumberIsNotContinuedSilently) {
    UniformSpec config = two_layers(small_llama());
    RandomModel model(config, {});
    model.set_embedding(0, std::nanf(""));
    DeviceModel device(GetParam(), model, test_limits(config));
    if (!device.loaded()) return;
    const std::vector<compute::SampleRequest> requests(2);
    const auto run = [&](int32_t bad) {
        device.give_pages(0, 0);
        device.give_pages(1, 40);
        EXPECT_TRUE(device.submit(std::vector<compute::Row>{{0, 0, bad, true}, {1, 0, 5, true}}, requests));
        EXPECT_TRUE(device.submit(
            std::vector<compute::Row>{{0, 1, compute::kSampledToken, true}, {1, 1, compute::kSampledToken, true}},
            requests));
        std::vector<std::vector<Sampled>> steps = {device.wait()};
        steps.push_back(device.wait());
        return steps;
    };
    const auto clean = run(1), poisoned = run(0);
    for (size_t step = 0; step < 2; ++step) {
        ASSERT_EQ(clean[step].size(), 2u);
        ASSERT_EQ(poisoned[step].size(), 2u);
        EXPECT_TRUE(clean[step][0].finite);
        EXPECT_FALSE(poisoned[step][0].finite) << "step " << step;
        EXPECT_TRUE(poisoned[step][1].finite);
        EXPECT_EQ(poisoned[step][1].id, clean[step][1].id);
        EXPECT_EQ(poisoned[step][1].log_sum_exp, clean[step][1].log_sum_exp);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, StepsInFlight, testing::ValuesIn(devices_under_test()), device_name);

}  // namespace
}  // namespace llmd::test
