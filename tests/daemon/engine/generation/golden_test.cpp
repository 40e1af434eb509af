// The demonstration models on every device of this machine against an independent float64 forward pass over the same
// weights (`*.golden.json` beside them).
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "engine/generation/loaded_model.h"
#include "test_devices.h"
#include "tools/bench_eval.h"

namespace llmd {
namespace {

// f32 or 16-bit activations stay well inside these; 8-bit ones leave them at once.
constexpr double kLogProbabilityTolerance = 0.02;  // of each of the five most likely first tokens
constexpr double kLeastMargin = 0.05;              // in logits: below it the greedy choice may go either way
constexpr double kNllTolerance = 0.003;            // nats per token of the passage
constexpr size_t kTop = 5;

struct Case {
    std::string text;
    std::vector<int32_t> prompt_ids;
    std::vector<double> first_logits;
    std::vector<int32_t> greedy_ids;
    std::vector<double> greedy_margins;
};

struct Golden {
    std::vector<Case> cases;
    std::vector<int32_t> passage_ids;
    double mean_nll = 0;
};

template <typename T, typename As>
std::vector<T> numbers(simdjson::dom::element array) {
    std::vector<T> out;
    for (const auto element : array.get_array()) out.push_back(static_cast<T>(As(element)));
    return out;
}

Golden read_golden(const std::string& path) {
    simdjson::dom::parser parser;
    const simdjson::dom::element root = parser.load(path);
    Golden golden;
    for (const auto element : root["cases"].get_array()) {
        golden.cases.push_back(
            {std::string(std::string_view(element["text"])), numbers<int32_t, int64_t>(element["prompt_ids"]),
             numbers<double, double>(element["first_logits"]), numbers<int32_t, int64_t>(element["greedy_ids"]),
             numbers<double, double>(element["greedy_margin"])});
    }
    golden.passage_ids = numbers<int32_t, int64_t>(root["passage"]["ids"]);
    golden.mean_nll = root["passage"]["mean_nll"];
    return golden;
}

template <typename T>
double log_sum_exp(const std::vector<T>& logits) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const auto logit : logits) sum += std::exp(logit - largest);
    return largest + std::log(sum);
}

class GoldenTest : public testing::TestWithParam<std::tuple<const char*, test::TestDevice>> {};

TEST_P(GoldenTest, AgreesWithTheReference) {
    const auto& [name, device] = GetParam();
    const std::string path = std::string(TEST_DATA_DIR "/models/") + name;
    if (!std::filesystem::exists(path + ".gguf")) GTEST_SKIP() << "there is no " << path << ".gguf";
    const Golden golden = read_golden(path + ".golden.json");
    ASSERT_FALSE(golden.cases.empty());

    test::PatientObserver observer;
    generation::LoadOptions options;
    options.backend = device.options;
    options.n_ctx = 512;
    options.max_outputs = 16;
    auto model = generation::load_model(path + ".gguf", options, observer);
    ASSERT_TRUE(model) << model.error().message;

    for (const Case& one : golden.cases) {
        SCOPED_TRACE(one.text);
        const auto n_greedy = static_cast<uint32_t>(one.greedy_ids.size());
        const auto answer = bench::evaluate(*model, one.prompt_ids, n_greedy, 16);
        ASSERT_TRUE(answer) << answer.error().message;
        std::vector<size_t> order(one.first_logits.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::partial_sort(order.begin(), order.begin() + kTop, order.end(),
                          [&](size_t a, size_t b) { return one.first_logits[a] > one.first_logits[b]; });
        const double expected_total = log_sum_exp(one.first_logits);
        const double total = log_sum_exp(answer->last_logits);
        for (size_t i = 0; i < kTop; ++i) {
            EXPECT_NEAR(answer->last_logits[order[i]] - total, one.first_logits[order[i]] - expected_total,
                        kLogProbabilityTolerance)
                << "id " << order[i];
        }

        for (size_t i = 0; i < one.greedy_ids.size() && one.greedy_margins[i] >= kLeastMargin; ++i) {
            ASSERT_EQ(answer->greedy_ids[i], one.greedy_ids[i]) << "step " << i;
        }
    }

    const auto passage = bench::evaluate(*model, golden.passage_ids, 0, 16);
    ASSERT_TRUE(passage) << passage.error().message;
    ASSERT_TRUE(passage->mean_nll);
    EXPECT_NEAR(*passage->mean_nll, golden.mean_nll, kNllTolerance);
}

INSTANTIATE_TEST_SUITE_P(Tales, GoldenTest,
                         testing::Combine(testing::Values("tales-gpt2-6m-f16", "tales-gpt2-6m-q8_0",
                                                          "tales-gpt2-6m-q4_0", "tales-llama-11m-q8_0",
                                                          "tales-llama-11m-q4_0"),
                                          testing::ValuesIn(test::test_devices())),
                         [](const auto& test) {
                             return test::only_letters_and_digits(std::get<0>(test.param)) + "_" +
                                    std::get<1>(test.param).label;
                         });

}  // namespace
}  // namespace llmd
