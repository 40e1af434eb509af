// sample() on every device: ties, logit biases, noise, candidates, and logits that are no numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "daemon/engine/compute/device_under_test.h"
#include "engine/compute/noise.h"

namespace llmd::test {
namespace {

using compute::Sampled;
using compute::SampleRequest;
using model::Role;

constexpr uint32_t kWidth = 32;

// A model whose logits for token t are row t of a table, near enough: attention and feed-forward add nothing, the
// normed embedding is a unit vector, and the output matrix has the table in its columns.
RandomModel table_model(const std::vector<Logits>& table) {
    UniformSpec config = small_llama();
    config.n_embd = config.n_ff = kWidth;
    config.n_vocab = static_cast<uint32_t>(table[0].size());
    config.n_ctx_train = 64;
    RandomModel model(config, {});
    const uint32_t q_rows = model.spec().layers[0].q_rows();
    model.set(Role::AttnOutput, 0, q_rows, std::vector<float>(size_t{kWidth} * q_rows));
    model.set(Role::FfnDown, 0, config.n_ff, std::vector<float>(size_t{kWidth} * config.n_ff));
    model.set(Role::OutputNorm, 0, kWidth, std::vector<float>(kWidth, 1));
    std::vector<float> embedding(size_t{config.n_vocab} * kWidth);
    std::vector<float> output(size_t{config.n_vocab} * kWidth);
    for (uint32_t t = 0; t < config.n_vocab; ++t) embedding[size_t{t} * kWidth + std::min<uint32_t>(t, kWidth - 1)] = 1;
    for (uint32_t t = 0; t < table.size(); ++t) {
        for (uint32_t id = 0; id < config.n_vocab; ++id) {
            output[size_t{id} * kWidth + t] = table[t][id] / std::sqrt(static_cast<float>(kWidth));
        }
    }
    model.set(Role::TokenEmbedding, 0, kWidth, embedding);
    model.set(Role::Output, 0, kWidth, output);
    return model;
}

Logits random_logits(uint32_t n, uint64_t seed, double spread) {
    Noise noise(seed);
    Logits logits(n);
    for (float& logit : logits) logit = static_cast<float>(spread * noise.uniform());
    return logits;
}

class Sampling : public testing::TestWithParam<DeviceUnderTest> {
protected:
    void load(const std::vector<Logits>& table) {
        model_ = std::make_unique<RandomModel>(table_model(table));
        compute::BackendLimits limits = test_limits(model_->spec());
        limits.n_pages = 16;
        device_ = std::make_unique<DeviceModel>(GetParam(), *model_, limits);
        if (device_->loaded()) device_->give_pages(0);
    }

    // Samples after token t; logits() is what the device then reports.
    Sampled sample(int32_t t, const SampleRequest& request) {
        const std::vector<compute::Row> rows = {{0, 0, t, true}};
        const auto sampled = device_->sample(rows, {&request, 1});
        return sampled.empty() ? Sampled() : sampled[0];
    }
    Logits logits(uint32_t output = 0) {
        Logits out(model_->spec().n_vocab, std::nanf(""));
        EXPECT_TRUE(device_->backend().read_logits(output, out));
        return out;
    }
    bool ready() const { return device_->loaded(); }

    std::unique_ptr<RandomModel> model_;
    std::unique_ptr<DeviceModel> device_;
};

TEST_P(Sampling, GreedyTakesTheLowestIdAmongEquals) {
    for (const uint32_t n : {7u, 1025u, 9000u}) {
        Logits logits = random_logits(n, n, 3);
        for (const uint32_t id : {n / 2, n / 2 + 1, n - 1}) logits[id] = 5;
        load({logits, Logits(n, 0.0f)});
        if (!ready()) return;
        EXPECT_EQ(sample(0, {}).id, static_cast<int32_t>(n / 2)) << n;
        EXPECT_EQ(sample(1, {}).id, 0) << "all equal, " << n;
    }
}

TEST_P(Sampling, LogSumExpIsThatOfTheLogits) {
    load({random_logits(5000, 1, 8), Logits(5000, -60.0f)});
    if (!ready()) return;
    for (const int32_t t : {0, 1}) {
        const Sampled sampled = sample(t, {});
        double sum = 0;
        const Logits l = logits();
        for (const float logit : l) sum += std::exp(double{logit} - l[0]);
        EXPECT_NEAR(sampled.log_sum_exp, l[0] + std::log(sum), 1e-4);
    }
}

// In double precision: what a device must make of a logit.
double biased_exactly(double logit, const compute::LogitBias& change) {
    const double factor = change.factor;
    return (logit > 0 ? logit / factor : logit * factor) + double{change.addend};
}

// A factor and an addend as penalties, biases and bans give them, small and huge ones.
compute::LogitBias random_logit_bias(int32_t id, Noise& noise) {
    const float factors[] = {1, 1, 1.1f, 2, 0.5f, 10};
    const float addends[] = {0, 0, -1.5f, 2, 100, -100, -2e6f, 2e6f, -1e34f};
    const auto draw = [&](size_t n) {
        return static_cast<size_t>((noise.uniform() + 1) / 2 * static_cast<double>(n)) % n;
    };
    return {id, factors[draw(std::size(factors))], addends[draw(std::size(addends))]};
}

// Which ids they are: the first, the last, the border of chunks and groups, few and as many as fit.
TEST_P(Sampling, LogitBiasesChangeTheNamedIdsOnly) {
    Noise noise(21);
    for (const uint32_t n : {7u, 600u, 5003u}) {
        load({random_logits(n, n, 4)});
        if (!ready()) return;
        sample(0, {});
        const Logits before = logits();
        for (const uint32_t n_biased : {1u, 2u, 63u, 65u, compute::kMaxLogitBiases}) {
            std::vector<compute::LogitBias> logit_biases;
            const uint32_t step = std::max(1u, n / n_biased);
            for (uint32_t id = 0; id < n && logit_biases.size() < n_biased; id += step) {
                logit_biases.push_back(random_logit_bias(static_cast<int32_t>(id), noise));
            }
            if (logit_biases.size() < n_biased && logit_biases.back().id != static_cast<int32_t>(n - 1)) {
                logit_biases.push_back(random_logit_bias(static_cast<int32_t>(n - 1), noise));
            }
            SampleRequest request;
            request.logit_biases = logit_biases;
            request.wants_candidates = true;
            const Sampled sampled = sample(0, request);
            const Logits after = logits();
            SCOPED_TRACE(testing::Message() << logit_biases.size() << " of " << n);
            std::vector<double> want(before.begin(), before.end());
            for (const auto& change : logit_biases) {
                double& logit = want[static_cast<size_t>(change.id)];
                logit = biased_exactly(logit, change);
            }
            double sum = 0;
            for (uint32_t id = 0; id < n; ++id) {
                ASSERT_NEAR(after[id], want[id], 1e-6 * std::max(1.0, std::abs(want[id]))) << id;
            }
            const float largest = *std::max_element(after.begin(), after.end());
            for (const float logit : after) sum += std::exp(double{logit} - largest);
            ASSERT_TRUE(sampled.finite);
            EXPECT_EQ(sampled.id, std::max_element(after.begin(), after.end()) - after.begin());
            EXPECT_NEAR(sampled.log_sum_exp, largest + std::log(sum), 1e-4 + 1e-7 * std::abs(largest));
            ASSERT_FALSE(sampled.candidates.empty());
            EXPECT_EQ(sampled.candidates[0].logit, largest);
            sample(0, {});
            EXPECT_TRUE(same_bits(logits(), before)) << "the next step has none of it";
        }
    }
}

// Rows of one step, the middle one with none; more rows than one group computes.
TEST_P(Sampling, EachRowHasItsOwnAdjustments) {
    constexpr uint32_t n = 3000, n_rows = 10;
    load({random_logits(n, 9, 4)});
    if (!ready()) return;
    Noise noise(22);
    std::vector<compute::Row> rows;
    std::vector<std::vector<compute::LogitBias>> logit_biases(n_rows);
    std::vector<SampleRequest> requests(n_rows);
    for (uint32_t r = 0; r < n_rows; ++r) rows.push_back({0, r, 0, true});
    device_->sample(rows, requests);
    std::vector<Logits> before;
    for (uint32_t r = 0; r < n_rows; ++r) before.push_back(logits(r));
    for (uint32_t r = 0; r < n_rows; ++r) {
        if (r == 4) continue;
        for (uint32_t id = r; id < n; id += 11 + r) {
            if (logit_biases[r].size() < compute::kMaxLogitBiases) {
                logit_biases[r].push_back(random_logit_bias(static_cast<int32_t>(id), noise));
            }
        }
        requests[r].logit_biases = logit_biases[r];
    }
    const auto sampled = device_->sample(rows, requests);
    ASSERT_EQ(sampled.size(), n_rows);
    for (uint32_t r = 0; r < n_rows; ++r) {
        const Logits after = logits(r);
        std::vector<double> want(before[r].begin(), before[r].end());
        for (const auto& change : logit_biases[r]) {
            double& logit = want[static_cast<size_t>(change.id)];
            logit = biased_exactly(logit, change);
        }
        for (uint32_t id = 0; id < n; ++id) {
            ASSERT_NEAR(after[id], want[id], 1e-6 * std::max(1.0, std::abs(want[id]))) << "row " << r << ", id " << id;
        }
        EXPECT_EQ(sampled[r].id, std::max_element(after.begin(), after.end()) - after.begin()) << "row " << r;
    }
}

// A ban leaves the row finite, holds at every temperature, and yields only where nothing else takes part.
TEST_P(Sampling, ABannedIdIsNeverChosen) {
    constexpr uint32_t n = 40;
    constexpr float kBan = -1e34f;
    load({random_logits(n, 3, 4)});
    if (!ready()) return;
    std::vector<compute::LogitBias> bans;
    for (int32_t id = 0; id < 40; ++id) {
        if (id != 17 && id != 30) bans.push_back({id, id % 2 == 0 ? 1.0f : 10.0f, kBan});
    }
    for (const float temperature : {0.0f, 1e-4f, 1.0f, 1e6f}) {
        for (uint32_t position = 0; position < 20; ++position) {
            SampleRequest request;
            request.temperature = temperature;
            request.position = position;
            request.logit_biases = bans;
            const Sampled sampled = sample(0, request);
            ASSERT_TRUE(sampled.finite);
            EXPECT_TRUE(sampled.id == 17 || sampled.id == 30) << sampled.id << " at temperature " << temperature;
            const std::vector<uint32_t> allowed = {1u << 5 | 1u << 6, 0};
            request.allowed = allowed;
            const Sampled forced = sample(0, request);
            ASSERT_TRUE(forced.finite);
            EXPECT_TRUE(forced.id == 5 || forced.id == 6) << forced.id << " at temperature " << temperature;
        }
    }
}

TEST_P(Sampling, CandidatesAreTheLargestAndTheFloorHoldsForTheRest) {
    for (const uint32_t n : {3u, 512u, 513u, 20000u}) {
        for (const double spread : {0.001, 10.0}) {
            load({random_logits(n, n, spread)});
            if (!ready()) return;
            SampleRequest request;
            request.wants_candidates = true;
            const Sampled sampled = sample(0, request);
            ASSERT_TRUE(sampled.finite);
            ASSERT_FALSE(sampled.candidates.empty());
            ASSERT_LE(sampled.candidates.size(), compute::kMaxCandidates);
            const Logits l = logits();
            std::vector<bool> listed(n);
            for (size_t i = 0; i < sampled.candidates.size(); ++i) {
                const compute::Candidate& c = sampled.candidates[i];
                ASSERT_TRUE(c.id >= 0 && c.id < static_cast<int32_t>(n) && !listed[static_cast<size_t>(c.id)]);
                listed[static_cast<size_t>(c.id)] = true;
                EXPECT_EQ(c.logit, l[static_cast<size_t>(c.id)]);
                if (i == 0) continue;
                const compute::Candidate& p = sampled.candidates[i - 1];
                EXPECT_TRUE(p.logit > c.logit || (p.logit == c.logit && p.id < c.id)) << "order at " << i;
            }
            for (uint32_t id = 0; id < n; ++id) {
                if (!listed[id]) {
                    EXPECT_LE(l[id], sampled.candidate_floor) << "id " << id << " of " << n;
                }
            }
            if (sampled.candidates.size() == n) {
                EXPECT_EQ(sampled.candidate_floor, -std::numeric_limits<float>::infinity());
            }
        }
    }
}

// The device's logarithm may differ from the host's in the last place, so near ties are left out; on the CPU there is
// none.
TEST_P(Sampling, TemperatureDrawsByTheNoiseFormula) {
    load({random_logits(3000, 5, 2)});
    if (!ready()) return;
    for (uint32_t position = 1; position <= 40; ++position) {
        SampleRequest request;
        request.temperature = 0.8f;
        request.seed = 0x123456789abcdefu;
        request.position = position;
        const Sampled sampled = sample(0, request);
        const Logits l = logits();
        const uint32_t key = compute::noise_key(request.seed, position);
        std::multimap<float, int32_t, std::greater<>> ranked;
        for (uint32_t id = 0; id < l.size(); ++id) {
            ranked.emplace(l[id] / request.temperature + compute::gumbel_noise(key, id), static_cast<int32_t>(id));
        }
        if (GetParam().is_opencl && ranked.begin()->first - std::next(ranked.begin())->first < 1e-4f) continue;
        EXPECT_EQ(sampled.id, ranked.begin()->second) << "position " << position;
    }
}

TEST_P(Sampling, DrawsFollowTheSoftmax) {
    const Logits l = {0.5f, 2.0f, -1.0f, 1.0f, 0.0f};
    load({l});
    if (!ready()) return;
    constexpr int kDraws = 1500;
    constexpr float kTemperature = 1.25f;
    std::vector<double> seen(l.size()), want(l.size());
    for (uint32_t i = 0; i < kDraws; ++i) {
        SampleRequest request;
        request.temperature = kTemperature;
        request.seed = 99;
        request.position = i;
        const int32_t id = sample(0, request).id;
        ASSERT_TRUE(id >= 0 && id < 5);
        seen[static_cast<size_t>(id)] += 1.0 / kDraws;
    }
    double sum = 0;
    for (size_t i = 0; i < l.size(); ++i) sum += want[i] = std::exp(l[i] / kTemperature);
    for (size_t i = 0; i < l.size(); ++i) {
        const double p = want[i] / sum;
        EXPECT_NEAR(seen[i], p, 4 * std::sqrt(p * (1 - p) / kDraws)) << "id " << i;  // four standard deviations
    }
}

// Ids of a mask, and the mask as requests have it.
struct Mask {
    std::vector<uint32_t> words;
    std::vector<int32_t> ids;  // rising

    template <typename Takes>
    Mask(uint32_t n, const Takes& takes) : words((n + 31) / 32) {
        for (uint32_t id = 0; id < n; ++id) {
            if (!takes(id)) continue;
            words[id / 32] |= 1u << id % 32;
            ids.push_back(static_cast<int32_t>(id));
        }
    }
};

// Compares the device's answer for `l` under a mask with what the formulas give.
void expect_masked(const DeviceUnderTest& device, const Sampled& sampled, const Logits& l, const SampleRequest& request,
                   const Mask& mask) {
    const auto logit = [&](int32_t id) { return l[static_cast<size_t>(id)]; };
    ASSERT_TRUE(sampled.finite);
    const uint32_t key = compute::noise_key(request.seed, request.position);
    std::multimap<float, int32_t, std::greater<>> scores, largest;
    double sum = 0;
    for (const int32_t id : mask.ids) {
        const float score = request.temperature > 0 ? logit(id) / request.temperature +
                                                          compute::gumbel_noise(key, static_cast<uint32_t>(id))
                                                    : logit(id);
        scores.emplace(score, id);
        largest.emplace(logit(id), id);
        sum += std::exp(double{logit(id)});
    }
    EXPECT_NEAR(sampled.log_sum_exp, std::log(sum), 1e-4);
    const bool is_near = device.is_opencl && request.temperature > 0 && scores.size() > 1 &&
                         scores.begin()->first - std::next(scores.begin())->first < 1e-4f;
    if (!is_near) {
        EXPECT_EQ(sampled.id, scores.begin()->second);
    }
    if (!request.wants_candidates) return;
    ASSERT_FALSE(sampled.candidates.empty());
    ASSERT_LE(sampled.candidates.size(), std::min<size_t>(mask.ids.size(), compute::kMaxCandidates));
    auto want = largest.begin();
    for (const compute::Candidate& candidate : sampled.candidates) {
        EXPECT_EQ(candidate.logit, logit(candidate.id));
        if (candidate.logit <= sampled.candidate_floor) break;
        EXPECT_EQ(candidate.id, want++->second);
    }
    if (sampled.candidates.size() == mask.ids.size()) {
        EXPECT_EQ(sampled.candidate_floor, -std::numeric_limits<float>::infinity());
    } else {
        EXPECT_LE(largest.size() > sampled.candidates.size() ? want->first : 0, sampled.candidate_floor);
    }
}

TEST_P(Sampling, OnlyTheIdsOfAMaskTakePart) {
    for (const uint32_t n : {7u, 70u, 5003u}) {
        load({random_logits(n, n, 6)});
        if (!ready()) return;
        sample(0, {});
        const Logits plain = logits();
        const auto best = static_cast<uint32_t>(std::max_element(plain.begin(), plain.end()) - plain.begin());
        const Mask masks[] = {
            {n, [&](uint32_t id) { return id == n - 1; }},
            {n, [&](uint32_t id) { return id == 0; }},
            {n, [](uint32_t) { return true; }},
            {n, [&](uint32_t id) { return id != best; }},
            {n, [](uint32_t id) { return compute::mix32(id) % 2 == 0; }},
            {n, [](uint32_t id) { return compute::mix32(id) % 97 == 0 || id == 5; }},
            {n, [&](uint32_t id) { return id >= n / 2 && id < n / 2 + 9; }},
        };
        std::vector<compute::LogitBias> logit_biases = {{static_cast<int32_t>(best), 1.3f, -1}};
        if (best != 0) logit_biases.insert(logit_biases.begin(), {0, 1, 3});
        for (const Mask& mask : masks) {
            uint32_t position = 1;
            for (const float temperature : {0.0f, 1.5f}) {
                for (const bool wants_candidates : {false, true}) {
                    SampleRequest request;
                    request.temperature = temperature;
                    request.seed = 77;
                    request.position = position++;
                    request.wants_candidates = wants_candidates;
                    if (wants_candidates) request.logit_biases = logit_biases;
                    request.allowed = mask.words;
                    const Sampled sampled = sample(0, request);
                    SCOPED_TRACE(testing::Message() << mask.ids.size() << " of " << n << ", temperature " << temperature
                                                    << ", candidates " << wants_candidates);
                    expect_masked(GetParam(), sampled, logits(), request, mask);
                }
            }
        }
    }
}

// Rows of one step with and without masks, each its own; and afterwards none of them has one.
TEST_P(Sampling, EachRowHasItsOwnMask) {
    constexpr uint32_t n = 5000;
    load({random_logits(n, 8, 6)});
    if (!ready()) return;
    const Mask even(n, [](uint32_t id) { return id % 2 == 0; }), odd(n, [](uint32_t id) { return id % 2 == 1; });
    const Mask all(n, [](uint32_t) { return true; });
    device_->give_pages(1, 2);
    device_->give_pages(2, 4);
    const std::vector<compute::Row> rows = {{0, 0, 0, true}, {1, 0, 0, true}, {2, 0, 0, true}};
    std::vector<SampleRequest> requests(3);
    requests[0].allowed = odd.words;
    requests[2].allowed = even.words;
    requests[2].temperature = 1;
    for (const bool wants_candidates : {false, true}) {
        for (SampleRequest& request : requests) request.wants_candidates = wants_candidates;
        const auto sampled = device_->sample(rows, requests);
        ASSERT_EQ(sampled.size(), 3u);
        const Logits l = logits();
        expect_masked(GetParam(), sampled[0], l, requests[0], odd);
        expect_masked(GetParam(), sampled[1], l, requests[1], all);
        expect_masked(GetParam(), sampled[2], l, requests[2], even);
    }
    for (SampleRequest& request : requests) request.allowed = {};
    const auto free = device_->sample(rows, requests);
    ASSERT_EQ(free.size(), 3u);
    for (size_t i = 0; i < free.size(); ++i) expect_masked(GetParam(), free[i], logits(), requests[i], all);
}

TEST_P(Sampling, AMaskOfAnotherSizeIsRefused) {
    load({random_logits(70, 1, 1)});
    if (!ready()) return;
    const std::vector<uint32_t> words(2, 1u);
    compute::Backend& backend = device_->backend();
    const std::vector<compute::Row> rows = {{0, 0, 0, true}};
    ASSERT_TRUE(backend.begin(rows) && backend.forward());
    SampleRequest request;
    request.allowed = words;
    const auto refused = backend.sample({&request, 1});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "a mask of 2 words for a vocabulary of 70");
}

TEST_P(Sampling, LogitsThatAreNoNumbersAreNeverAChoice) {
    for (const float poison : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
        for (const uint32_t at : {0u, 2999u}) {
            Logits bad = random_logits(3000, 6, 2);
            bad[at] = poison;
            load({bad});
            if (!ready()) return;
            for (const float temperature : {0.0f, 1.0f}) {
                SampleRequest request;
                request.temperature = temperature;
                request.wants_candidates = true;
                EXPECT_FALSE(sample(0, request).finite) << poison << " at " << at;
                const Mask others(3000, [&](uint32_t id) { return id != at; });
                request.allowed = others.words;
                EXPECT_FALSE(sample(0, request).finite) << poison << " at " << at << ", left out by a mask";
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Sampling, testing::ValuesIn(devices_under_test()), device_name);

}  // namespace
}  // namespace llmd::test
