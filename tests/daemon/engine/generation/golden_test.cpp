// The demonstration models on every device of this machine against an independent float64 forward pass over the same
// weights (`*.golden.json` beside them).
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string_view>

#include "bench/bench_eval.h"
#include "engine/generation/loaded_model.h"
#include "support/environment.h"
#include "test_devices.h"

namespace llmd {
namespace {

using compute::Precision;

struct Bounds {
    double log_probability;  // of each of the five most likely first tokens
    double least_margin;     // in logits: below it the greedy choice may go either way
    double nll;              // nats per token of the passage
};
// f32 or 16-bit activations stay well inside the first; 8-bit ones leave it at once.
constexpr Bounds kFaithfulBounds = {0.02, 0.05, 0.003};
constexpr Bounds kFastBounds = {0.35, 0.7, 0.02};
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

// The ids up to the first whose golden margin is too small to be certain.
size_t certain_ids(const Case& one, double least_margin) {
    const auto uncertain = [&](double margin) { return margin < least_margin; };
    const auto& margins = one.greedy_margins;
    return static_cast<size_t>(std::find_if(margins.begin(), margins.end(), uncertain) - margins.begin());
}

void expect_within(const Bounds& bounds, generation::LoadedModel& model, const Golden& golden) {
    size_t n_compared = 0;
    for (const Case& one : golden.cases) {
        SCOPED_TRACE(one.text);
        const size_t n_certain = certain_ids(one, bounds.least_margin);
        const auto answer = bench::evaluate(model, one.prompt_ids, static_cast<uint32_t>(n_certain), 16);
        ASSERT_TRUE(answer) << answer.error().message;
        std::vector<size_t> order(one.first_logits.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::partial_sort(order.begin(), order.begin() + kTop, order.end(),
                          [&](size_t a, size_t b) { return one.first_logits[a] > one.first_logits[b]; });
        const double expected_total = log_sum_exp(one.first_logits);
        const double total = log_sum_exp(answer->last_logits);
        for (size_t i = 0; i < kTop; ++i) {
            EXPECT_NEAR(answer->last_logits[order[i]] - total, one.first_logits[order[i]] - expected_total,
                        bounds.log_probability)
                << "id " << order[i];
        }
        for (size_t i = 0; i < n_certain; ++i) ASSERT_EQ(answer->greedy_ids[i], one.greedy_ids[i]) << "step " << i;
        n_compared += n_certain;
    }
    EXPECT_GT(n_compared, 0u);

    const auto passage = bench::evaluate(model, golden.passage_ids, 0, 16);
    ASSERT_TRUE(passage) << passage.error().message;
    ASSERT_TRUE(passage->mean_nll);
    EXPECT_NEAR(*passage->mean_nll, golden.mean_nll, bounds.nll);
}

class GoldenTest : public testing::TestWithParam<std::tuple<const char*, test::TestDevice>> {
protected:
    void check(Precision precision, const Bounds& bounds) {
        const auto& [name, device] = GetParam();
        const std::string path = std::string(TEST_DATA_DIR "/models/") + name;
        if (!std::filesystem::exists(path + ".gguf")) GTEST_SKIP() << test::absent_reference_data(TEST_DATA_DIR);
        const Golden golden = read_golden(path + ".golden.json");
        ASSERT_FALSE(golden.cases.empty());

        test::PatientObserver observer;
        generation::LoadOptions options;
        options.backend = device.options;
        options.backend.precision = precision;
        options.n_ctx = 512;
        options.max_outputs = 16;
        auto model = generation::load_model(path + ".gguf", options, observer);
        ASSERT_TRUE(model) << model.error().message;
        // It is what computes that the report names, whatever was asked for. Float weights are never fast.
        const bool is_float = std::string_view(name).ends_with("f16");
        const Precision expected = device.has_fast_kernels && !is_float ? precision : Precision::Faithful;
        EXPECT_EQ(model->backend->report().precision, expected);
        // Asked for what it has not, a device computes as in AgreesWithTheReference.
        if (expected == precision) expect_within(bounds, *model, golden);
    }
};

TEST_P(GoldenTest, AgreesWithTheReference) {
    check(Precision::Faithful, kFaithfulBounds);
}

TEST_P(GoldenTest, AgreesRoughlyWhenFast) {
    check(Precision::Fast, kFastBounds);
}

// Every model on every device that users have. A CPU device of OpenCL, which only tests use, compiles a model's kernels
// for half a minute; other tests compute each format on it, and two models are enough here.
std::vector<std::tuple<const char*, test::TestDevice>> models_and_devices() {
    std::vector<std::tuple<const char*, test::TestDevice>> all;
    for (const char* model : {"tales-gpt2-6m-f16", "tales-gpt2-6m-q8_0", "tales-gpt2-6m-q4_0", "tales-llama-11m-q8_0",
                              "tales-llama-11m-q4_0"}) {
        const std::string_view name = model;
        const bool is_one_of_two = name == "tales-gpt2-6m-q8_0" || name == "tales-llama-11m-q4_0";
        for (const test::TestDevice& device : test::test_devices()) {
            if (is_one_of_two || !device.only_tests_use_it) all.emplace_back(model, device);
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Tales, GoldenTest, testing::ValuesIn(models_and_devices()), [](const auto& test) {
    return test::only_letters_and_digits(std::get<0>(test.param)) + "_" + std::get<1>(test.param).label;
});

}  // namespace
}  // namespace llmd
