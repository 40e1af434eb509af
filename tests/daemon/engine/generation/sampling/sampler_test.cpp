#include "engine/generation/sampling/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "daemon/engine/generation/fake_backend.h"

namespace llmd::generation {
namespace {

using compute::Candidate;

constexpr float kNoFloor = -std::numeric_limits<float>::infinity();

// Probabilities 0.4, 0.3, 0.2, 0.1.
const std::vector<Candidate> kFour = {
    {7, std::log(0.4f)}, {3, std::log(0.3f)}, {9, std::log(0.2f)}, {1, std::log(0.1f)}};

TEST(KeptCandidates, TopK) {
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .top_k = 3}), 3u);
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .top_k = 400}), 4u);
}

TEST(KeptCandidates, TopPKeepsTheOneThatReachesIt) {
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .top_p = 0.69f}), 2u);
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .top_p = 0.71f}), 3u);
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .top_p = 0}), 1u);
}

TEST(KeptCandidates, TopPGoesByWhatTopKLeft) {
    // 4/7 and 3/7 of what is left.
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .top_k = 2, .top_p = 0.5f}), 1u);
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .top_k = 2, .top_p = 0.6f}), 2u);
}

TEST(KeptCandidates, MinPIsAPartOfTheLargest) {
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .min_p = 0.51f}), 2u);
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .min_p = 0.24f}), 4u);
    EXPECT_EQ(kept_candidates(kFour, kNoFloor, 0, 4, {.temperature = 1, .min_p = 1}), 1u);
}

TEST(KeptCandidates, RefusesWhatTheListDoesNotProve) {
    const float floor = std::log(0.1f);  // the last one may tie with an id that is not listed
    EXPECT_EQ(kept_candidates(kFour, floor, 0, 100, {.temperature = 1, .top_k = 3}), 3u);
    EXPECT_EQ(kept_candidates(kFour, floor, 0, 100, {.temperature = 1, .top_k = 4}), std::nullopt);
    EXPECT_EQ(kept_candidates(kFour, floor, 0, 100, {.temperature = 1, .top_p = 0.85f}), 3u);
    EXPECT_EQ(kept_candidates(kFour, floor, 0, 100, {.temperature = 1, .top_p = 0.95f}), std::nullopt);
    EXPECT_EQ(kept_candidates(kFour, floor, 0, 100, {.temperature = 1, .min_p = 0.3f}), 3u);
    EXPECT_EQ(kept_candidates(kFour, floor, 0, 100, {.temperature = 1, .min_p = 0.2f}), std::nullopt);
    EXPECT_EQ(kept_candidates(kFour, floor, 0, 100, {.temperature = 1, .top_k = 4, .top_p = 0.1f}), std::nullopt);
    EXPECT_EQ(kept_candidates({}, floor, 0, 100, {.temperature = 1, .top_k = 1}), std::nullopt);
}

TEST(Sampling, NameWhatIsWrong) {
    const float nan = std::nanf("");
    const auto refused = [](const Sampling& parameters, const std::string& name) {
        const auto checked = check(parameters, 257);
        return !checked && checked.error().code == base::ErrorCode::InvalidArgument &&
               checked.error().message.starts_with(name);
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(check(Sampling{}, 257));
    for (const float bad : {nan, -1.0f, kInfinity}) {
        EXPECT_TRUE(refused({.temperature = bad}, "temperature"));
        EXPECT_TRUE(refused({.top_p = bad}, "top_p"));
        EXPECT_TRUE(refused({.min_p = bad}, "min_p"));
        EXPECT_TRUE(refused({.repeat_penalty = bad}, "repeat_penalty"));
    }
    EXPECT_TRUE(refused({.repeat_penalty = 0}, "repeat_penalty"));
    EXPECT_TRUE(refused({.temperature = 2 * kMaxTemperature}, "temperature"));
    for (const float bad : {nan, kInfinity, -kInfinity, 2.01f, -2.01f}) {
        EXPECT_TRUE(refused({.presence_penalty = bad}, "presence_penalty"));
        EXPECT_TRUE(refused({.frequency_penalty = bad}, "frequency_penalty"));
    }
    for (const int32_t bad : {-2, std::numeric_limits<int32_t>::min()}) {
        EXPECT_TRUE(refused({.repeat_last_n = bad}, "repeat_last_n"));
    }
    for (const float bad : {nan, kInfinity, 100.5f, -100.5f}) {
        EXPECT_TRUE(refused({.logit_bias = {{3, 1}, {4, bad}}}, "logit_bias"));
    }
    for (const int32_t bad : {-1, 257}) EXPECT_TRUE(refused({.logit_bias = {{bad, 1}}}, "logit_bias: "));
    EXPECT_TRUE(refused({.logit_bias = std::vector<protocol::LogitBias>(kMaxLogitBias + 1)}, "logit_bias: 301"));
    const Sampling extreme = {.temperature = kMaxTemperature,
                              .presence_penalty = -kMaxPenalty,
                              .frequency_penalty = kMaxPenalty,
                              .repeat_last_n = std::numeric_limits<int32_t>::max(),
                              .logit_bias = {{0, -kInfinity}, {0, kMaxBias}, {256, -kMaxBias}}};
    EXPECT_TRUE(check(extreme, 257));
}

TEST(Sampler, PenalisesTheLast64DistinctTokens) {
    std::vector<int32_t> ids = {200};
    for (int32_t i = 0; i < 64; ++i) ids.push_back(i % 10);
    Sampler sampler({.repeat_penalty = 1.5f}, 257);
    const auto request = sampler.request(ids, 65);
    EXPECT_EQ(request.position, 65u);
    ASSERT_EQ(request.logit_biases.size(), 10u);
    for (int32_t id = 0; id < 10; ++id) {
        const compute::LogitBias& change = request.logit_biases[static_cast<size_t>(id)];
        EXPECT_EQ(change.id, id);
        EXPECT_EQ(change.factor, 1.5f);
        EXPECT_EQ(change.addend, 0);
        EXPECT_TRUE(std::signbit(change.addend)) << "-0 changes no logit, not even one of -0";
    }
    EXPECT_TRUE(Sampler({.repeat_penalty = 1}, 257).request(ids, 65).logit_biases.empty());
    EXPECT_TRUE(Sampler({.repeat_penalty = 2, .repeat_last_n = 0}, 257).request(ids, 65).logit_biases.empty());
    EXPECT_EQ(Sampler({.repeat_penalty = 2, .repeat_last_n = 65}, 257).request(ids, 65).logit_biases.size(), 11u);
    EXPECT_EQ(Sampler({.repeat_penalty = 2, .repeat_last_n = -1}, 257).request(ids, 65).logit_biases.size(), 11u);
}

TEST(Sampler, PenaltiesBiasAndBansOfAnIdBecomeOneAdjustment) {
    const std::vector<int32_t> ids = {9, 4, 9, 4, 9}, banned = {30, 2};
    Sampler sampler(
        {.repeat_penalty = 1.5f,
         .presence_penalty = 0.5f,
         .frequency_penalty = -2,
         .repeat_last_n = 4,
         .logit_bias = {{9, 7}, {100, -100}, {9, -1}, {30, 100}, {4, -std::numeric_limits<float>::infinity()}}},
        257);
    const auto request = sampler.request(ids, 5, {}, banned);
    const std::vector<std::tuple<int32_t, float, float>> expected = {
        {2, 1.0f, kBan}, {4, 1.5f, kBan}, {9, 1.5f, -0.5f + 2 * 2 + 6}, {30, 1.0f, kBan}, {100, 1.0f, -100.0f}};
    std::vector<std::tuple<int32_t, float, float>> given;
    for (const compute::LogitBias& change : request.logit_biases) {
        given.emplace_back(change.id, change.factor, change.addend);
    }
    EXPECT_EQ(given, expected);
    EXPECT_TRUE(sampler.unsent().empty());
}

TEST(Sampler, SendsTheDeviceAsManyLogitBiasesAsItTakes) {
    std::vector<int32_t> ids(compute::kMaxLogitBiases);
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(2 * i);
    Sampler sampler({.temperature = 1, .top_k = 5, .presence_penalty = 1, .repeat_last_n = -1}, 1000);
    EXPECT_EQ(sampler.request(ids, 384).logit_biases.size(), compute::kMaxLogitBiases);
    EXPECT_TRUE(sampler.unsent().empty());
    ids.push_back(1);
    const auto request = sampler.request(ids, 385);
    EXPECT_TRUE(request.logit_biases.empty());
    EXPECT_FALSE(request.wants_candidates);
    EXPECT_EQ(sampler.unsent().size(), compute::kMaxLogitBiases + 1);
    ids.pop_back();
    (void)sampler.request(ids, 384);
    EXPECT_TRUE(sampler.unsent().empty());
}

TEST(Sampler, AsksForCandidatesOnlyWhereAFilterNeedsThem) {
    const std::vector<int32_t> ids = {1};
    const auto asks = [&](const Sampling& p) { return Sampler(p, 257).request(ids, 1).wants_candidates; };
    EXPECT_FALSE(asks({.temperature = 0, .top_k = 40, .top_p = 0.9f}));
    EXPECT_FALSE(asks({.temperature = 0.8f}));
    EXPECT_FALSE(asks({.temperature = 0.8f, .top_k = 1}));
    EXPECT_EQ(Sampler({.temperature = 0.8f, .top_k = 1}, 257).request(ids, 1).temperature, 0);
    EXPECT_TRUE(asks({.temperature = 0.8f, .top_k = 40}));
    EXPECT_TRUE(asks({.temperature = 0.8f, .top_p = 0.9f}));
    EXPECT_TRUE(asks({.temperature = 0.8f, .min_p = 0.1f}));
}

TEST(Sampler, KnowsWhatTheDeviceDoesByItself) {
    EXPECT_TRUE(is_done_by_device(Sampling{}));
    EXPECT_TRUE(is_done_by_device((Sampling{.temperature = 0.8f})));
    EXPECT_TRUE(is_done_by_device((Sampling{.temperature = 0, .top_p = 0.5f})));
    EXPECT_FALSE(is_done_by_device((Sampling{.temperature = 0.8f, .top_p = 0.5f})));
    EXPECT_FALSE(is_done_by_device((Sampling{.repeat_penalty = 1.1f})));
    EXPECT_FALSE(is_done_by_device((Sampling{.presence_penalty = 1})));
    EXPECT_FALSE(is_done_by_device((Sampling{.frequency_penalty = -1, .repeat_last_n = -1})));
    EXPECT_TRUE(is_done_by_device((Sampling{.repeat_penalty = 1.1f, .repeat_last_n = 0})));
    EXPECT_TRUE(is_done_by_device((Sampling{.logit_bias = {{1, 1}}})));
}

// Runs one row of the fake device through request() and choose().
int32_t sample_once(test::FakeBackend& backend, Sampler& sampler, const std::vector<int32_t>& history) {
    std::vector<compute::Row> rows;
    for (size_t i = 0; i < history.size(); ++i) {
        rows.push_back({0, static_cast<uint32_t>(i), history[i], i + 1 == history.size()});
    }
    const std::vector<compute::SampleRequest> requests = {
        sampler.request(history, static_cast<uint32_t>(history.size()))};
    EXPECT_TRUE(backend.begin(rows) && backend.forward() && backend.sample(requests) && backend.submit());
    const auto sampled = backend.wait();
    EXPECT_TRUE(sampled);
    const auto id = sampler.choose((*sampled)[0], requests[0].position, 0, backend);
    EXPECT_TRUE(id);
    return id ? *id : -1;
}

test::FakeBackend one_slot_backend(uint32_t n_vocab) {
    test::FakeBackend backend(n_vocab, {.n_slots = 1, .n_ctx = 64, .n_pages = 2, .max_rows = 64, .max_outputs = 1});
    EXPECT_TRUE(backend.set_pages(0, std::vector<uint32_t>{1, 0}));
    return backend;
}

TEST(Sampler, ReadsTheWholeRowWhenCandidatesAreTooFewAndChoosesTheSame) {
    const std::vector<Sampling> cases = {
        {.temperature = 1.3f, .top_k = 100},
        {.temperature = 1.3f, .top_p = 0.99f},
        {.temperature = 1.3f, .min_p = 0.001f},
        {.temperature = 1.3f, .top_k = 200, .top_p = 0.98f, .min_p = 0.01f, .repeat_penalty = 1.4f},
    };
    for (Sampling parameters : cases) {
        uint32_t reads = 0;
        for (uint64_t seed = 0; seed < 50; ++seed) {
            parameters.seed = seed;
            auto many = one_slot_backend(400);
            auto few = one_slot_backend(400);
            few.max_candidates = 5;
            Sampler a(parameters, 400);
            Sampler b(parameters, 400);
            const std::vector<int32_t> history = {1, 2, static_cast<int32_t>(seed)};
            EXPECT_EQ(sample_once(many, a, history), sample_once(few, b, history)) << "seed " << seed;
            EXPECT_EQ(many.n_logit_reads, 0u);
            reads += few.n_logit_reads;
        }
        EXPECT_EQ(reads, 50u);
    }
}

TEST(Sampler, DrawsAsOftenAsTheProbabilitiesSay) {
    // Filters that keep everything: the host's draw must follow the softmax at temperature 2.
    auto backend = one_slot_backend(8);
    const std::vector<int32_t> history = {5};
    std::vector<float> logits = backend.logits(history);
    std::vector<double> expected;
    double total = 0;
    for (const float l : logits) total += std::exp(l / 2.0);
    for (const float l : logits) expected.push_back(std::exp(l / 2.0) / total);
    constexpr int kDraws = 20000;
    std::map<int32_t, int> counts;
    for (uint64_t seed = 0; seed < kDraws; ++seed) {
        Sampler sampler({.temperature = 2, .top_k = 8, .seed = seed}, 8);
        ++counts[sample_once(backend, sampler, history)];
    }
    for (int32_t id = 0; id < 8; ++id) {
        const double p = expected[static_cast<size_t>(id)];
        const double deviation = std::sqrt(p * (1 - p) / kDraws);
        EXPECT_NEAR(counts[id] / static_cast<double>(kDraws), p, 5 * deviation) << id;  // seeds are fixed: no luck
    }
}

TEST(Sampler, NeverLeavesTheKeptSet) {
    auto backend = one_slot_backend(400);
    for (uint64_t seed = 0; seed < 200; ++seed) {
        const std::vector<int32_t> history = {3, static_cast<int32_t>(seed)};
        const auto logits = backend.logits(history);
        Sampler sampler({.temperature = 5, .top_k = 4, .seed = seed}, 400);
        const auto id = static_cast<size_t>(sample_once(backend, sampler, history));
        EXPECT_LT(std::count_if(logits.begin(), logits.end(), [&](float l) { return l > logits[id]; }), 4);
    }
}

// Divided by it, logits would become infinite and the lowest id with one would win.
TEST(Sampler, TinyTemperatureIsGreedy) {
    auto backend = one_slot_backend(400);
    const auto logits = backend.logits({1, 2});
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    for (const float temperature : {1e-40f, 1e-37f, 9e-5f}) {
        for (const uint32_t top_k : {0u, 40u}) {
            Sampler sampler({.temperature = temperature, .top_k = top_k, .seed = 3}, 400);
            EXPECT_EQ(sample_once(backend, sampler, {1, 2}), best) << temperature << ", top_k " << top_k;
        }
    }
    EXPECT_EQ(Sampler({.temperature = kLeastTemperature}, 400).request({}, 0).temperature, kLeastTemperature);
}

TEST(Sampler, RefusesAnIdThatIsNotInTheVocabulary) {
    auto backend = one_slot_backend(10);
    Sampler sampler({}, 10);
    for (const int32_t bad : {-1, 10}) {
        compute::Sampled sampled;
        sampled.finite = true;
        sampled.id = bad;
        const auto id = sampler.choose(sampled, 4, 0, backend);
        ASSERT_FALSE(id);
        EXPECT_EQ(id.error().code, base::ErrorCode::DeviceError);
    }
}

}  // namespace
}  // namespace llmd::generation
