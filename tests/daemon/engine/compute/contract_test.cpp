// The numeric contract, bit for bit: what a row gives depends on its own sequence only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "daemon/engine/compute/device_under_test.h"

namespace llmd::test {
namespace {

using compute::Sampled;
using model::Role;
using model::TensorType;

bool same_bits(const Logits& a, const Logits& b) {
    return !a.empty() && a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

bool refuses(const base::Result<void>& result, base::ErrorCode code = base::ErrorCode::InvalidArgument) {
    return !result && result.error().code == code;
}

model::ModelConfig two_layers(model::ModelConfig config) {
    config.n_layers = 2;
    config.n_ctx_train = 640;
    return config;
}

std::vector<RandomModel> models() {
    std::vector<RandomModel> all;
    all.emplace_back(two_layers(small_llama()), RandomModel::Options{.type = TensorType::Q4_0, .biases = true});
    all.emplace_back(two_layers(small_gpt2()),
                     RandomModel::Options{.type = TensorType::Q8_0, .biases = true, .tied = true});
    return all;
}

class Contract : public testing::TestWithParam<DeviceUnderTest> {};

TEST_P(Contract, ChunksDoNotMatter) {
    for (const RandomModel& model : models()) {
        DeviceModel device(GetParam(), model, test_limits(model.config()));
        if (!device.loaded()) return;
        const auto tokens = random_tokens(101, model.config().n_vocab, 1);
        device.give_pages(0);
        const Logits whole = device.feed(tokens, 101, 0);
        for (const uint32_t chunk : {1u, 7u, 32u}) {
            EXPECT_TRUE(same_bits(whole, device.feed(tokens, chunk, 0))) << "chunks of " << chunk;
        }
    }
}

TEST_P(Contract, ChunksDoNotMatterAcrossLeaves) {
    const RandomModel model = std::move(models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.config()));
    if (!device.loaded()) return;
    const auto tokens = random_tokens(530, model.config().n_vocab, 1);
    device.give_pages(0);
    EXPECT_TRUE(same_bits(device.feed(tokens, 128, 0), device.feed(tokens, 45, 0)));
}

TEST_P(Contract, CompanyDoesNotMatter) {
    for (const RandomModel& model : models()) {
        DeviceModel device(GetParam(), model, test_limits(model.config()));
        if (!device.loaded()) return;
        const auto tokens = random_tokens(40, model.config().n_vocab, 2);
        device.give_pages(0);
        const Logits alone = device.feed(tokens, 40, 0);

        // Again in slot 2 on other pages in a mixed order, with two others in every batch that are at other positions.
        const auto others = random_tokens(200, model.config().n_vocab, 3);
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
}

// What an earlier sequence left in pages and buffers, NaN included, reaches nobody.
TEST_P(Contract, PoisonFromBeforeDoesNotMatter) {
    model::ModelConfig config = two_layers(small_llama());
    RandomModel model(config, {});
    std::vector<float> embedding(size_t{config.n_vocab} * config.n_embd);
    model::dequantize(TensorType::F32, model.find(Role::TokenEmbedding)->data, embedding);
    std::fill_n(embedding.begin(), config.n_embd, std::nanf(""));  // token 0
    model.set(Role::TokenEmbedding, 0, config.n_embd, embedding);

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
    model::ModelConfig config = two_layers(small_llama());
    RandomModel model(config, {});
    std::vector<float> embedding(size_t{config.n_vocab} * config.n_embd);
    model::dequantize(TensorType::F32, model.find(Role::TokenEmbedding)->data, embedding);
    std::fill_n(embedding.begin(), config.n_embd, std::numeric_limits<float>::infinity());
    model.set(Role::TokenEmbedding, 0, config.n_embd, embedding);
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
    const RandomModel model = std::move(models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.config()));
    if (!device.loaded()) return;
    const auto tokens = random_tokens(33, model.config().n_vocab, 8);
    device.give_pages(0, std::vector<uint32_t>{4, 11});
    const Logits want = device.feed(tokens, 33, 0);
    // A shared first page: slot 1 reads what slot 0 wrote there.
    device.give_pages(1, std::vector<uint32_t>{4, 12});
    const std::vector<compute::Row> last = {{1, 32, tokens[32], true}};
    const auto got = device.forward(last);
    ASSERT_EQ(got.size(), 1u);
    EXPECT_TRUE(same_bits(want, got[0]));
}

TEST_P(Contract, BadBatchesAreRefused) {
    const RandomModel model = std::move(models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.config()));
    if (!device.loaded()) return;
    device.give_pages(0, std::vector<uint32_t>{0});
    compute::Backend& backend = device.backend();
    using Rows = std::vector<compute::Row>;
    EXPECT_TRUE(refuses(backend.begin({}))) << "no rows";
    EXPECT_TRUE(refuses(backend.begin(Rows{{4, 0, 1, true}}))) << "slot";
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 32, 1, true}}))) << "position without a page";
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 0, 1, false}, {0, 2, 1, true}}))) << "positions with a gap";
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 0, -2, true}}))) << "token below 0";
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 0, compute::kSampledToken, true}}))) << "no sampled token";
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 0, 96, true}}))) << "token beyond the vocabulary";
    EXPECT_TRUE(refuses(backend.begin(Rows(129, compute::Row{0, 0, 1, false})))) << "too many rows";
    Rows outputs;
    for (uint32_t i = 0; i < 17; ++i) outputs.push_back({0, i, 1, true});
    EXPECT_TRUE(refuses(backend.begin(outputs))) << "too many outputs";
    EXPECT_TRUE(refuses(backend.set_pages(0, std::vector<uint32_t>{160}))) << "page";
    EXPECT_TRUE(refuses(backend.set_pages(0, std::vector<uint32_t>(640 / 32 + 1)))) << "too many pages";
    EXPECT_TRUE(refuses(backend.set_pages(4, {}))) << "slot";
    EXPECT_EQ(device.forward(Rows{{0, 0, 1, true}}).size(), 1u) << "and a good one still runs";

    EXPECT_TRUE(refuses(backend.sample({}))) << "outside a step";
    EXPECT_TRUE(refuses(backend.submit())) << "outside a step";
    EXPECT_FALSE(backend.wait()) << "nothing is in flight";
    ASSERT_TRUE(backend.begin(Rows{{0, 0, 1, true}}));
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 0, 1, true}}))) << "before submit()";
    EXPECT_TRUE(refuses(backend.sample({}))) << "fewer requests than outputs";
    std::vector<compute::SampleRequest> request(1);
    const std::vector<int32_t> beyond = {96}, many(compute::kMaxPenaltyIds + 1);
    request[0].repeat_penalty = 2;
    request[0].penalty_ids = beyond;
    EXPECT_TRUE(refuses(backend.sample(request))) << "penalty id beyond the vocabulary";
    request[0].penalty_ids = many;
    EXPECT_TRUE(refuses(backend.sample(request))) << "too many penalty ids";
    request[0].penalty_ids = {};
    EXPECT_TRUE(backend.sample(request));
    EXPECT_TRUE(refuses(backend.sample(request))) << "twice";
    ASSERT_TRUE(backend.submit() && backend.wait());
    EXPECT_FALSE(backend.wait()) << "twice";
    Logits logits(96);
    EXPECT_TRUE(refuses(backend.read_logits(1, logits))) << "output";
    EXPECT_TRUE(refuses(backend.read_logits(0, std::span(logits).first(95)))) << "size";
}

// Two sequences that continue with what the device sampled, the next step submitted before the last is read, against
// the same ones step by step: the same ids, sums and logits.
TEST_P(Contract, TwoStepsInFlightGiveWhatOneAtATimeGives) {
    for (const RandomModel& model : models()) {
        DeviceModel device(GetParam(), model, test_limits(model.config()));
        if (!device.loaded()) return;
        constexpr uint32_t kPrompt = 30, kSteps = 9;  // across the border of a page
        const auto prompt = random_tokens(kPrompt, model.config().n_vocab, 12);
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
        Logits expected_logits(model.config().n_vocab), logits(expected_logits.size(), std::nanf(""));
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
TEST_P(Contract, AnAnswerOutlivesTheStepsSubmittedAfterIt) {
    const RandomModel model = std::move(models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.config()));
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

TEST_P(Contract, TheSampledTokenIsTheSlotsLastOneUntilItsPagesChange) {
    const RandomModel model = std::move(models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.config()));
    if (!device.loaded()) return;
    device.give_pages(0, 0);
    device.give_pages(1, 40);
    using Rows = std::vector<compute::Row>;
    // Several outputs of one slot, another slot between them, and a step that has nothing to do with it.
    const std::vector<compute::SampleRequest> requests(3);
    const auto sampled = device.sample(Rows{{0, 0, 5, true}, {1, 0, 9, true}, {0, 1, 6, true}}, requests);
    ASSERT_EQ(sampled.size(), 3u);
    device.forward(Rows{{1, 1, 8, true}});
    device.forward(Rows{{0, 2, sampled[2].id, false}});
    const auto known = device.forward(Rows{{0, 2, sampled[2].id, true}});
    ASSERT_EQ(known.size(), 1u);
    // forward() sampled in slot 0: the same rows again, for the same last one.
    device.sample(Rows{{0, 0, 5, true}, {1, 0, 9, true}, {0, 1, 6, true}}, requests);
    const auto got = device.forward(Rows{{0, 2, compute::kSampledToken, true}});
    ASSERT_EQ(got.size(), 1u);
    EXPECT_TRUE(same_bits(known[0], got[0]));

    device.give_pages(0, 80);
    EXPECT_TRUE(refuses(device.backend().begin(Rows{{0, 0, compute::kSampledToken, true}})));
    EXPECT_EQ(device.forward(Rows{{1, 1, compute::kSampledToken, true}}).size(), 1u) << "slot 1 keeps its own";
}

// Where there is no id to go on with, the step that was to use it is not finite either, and says so; its neighbour is
// as it is alone.
TEST_P(Contract, ARowWithoutANumberIsNotContinuedSilently) {
    model::ModelConfig config = two_layers(small_llama());
    RandomModel model(config, {});
    std::vector<float> embedding(size_t{config.n_vocab} * config.n_embd);
    model::dequantize(TensorType::F32, model.find(Role::TokenEmbedding)->data, embedding);
    std::fill_n(embedding.begin(), config.n_embd, std::nanf(""));  // token 0
    model.set(Role::TokenEmbedding, 0, config.n_embd, embedding);
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

// Pages that a refused batch would have brought into use come with the next one.
TEST_P(Contract, ARefusedBatchLosesNoPages) {
    const RandomModel model = std::move(models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.config()));
    if (!device.loaded()) return;
    const auto tokens = random_tokens(33, model.config().n_vocab, 8);
    device.give_pages(0, std::vector<uint32_t>{4, 11});
    const Logits want = device.feed(tokens, 33, 0);
    device.give_pages(0, std::vector<uint32_t>{5, 12});
    EXPECT_TRUE(refuses(device.backend().begin(std::vector<compute::Row>{{0, 64, 1, true}})));
    EXPECT_TRUE(same_bits(want, device.feed(tokens, 33, 0)));
    device.give_pages(0, std::vector<uint32_t>{4, 11});
    EXPECT_TRUE(same_bits(want, device.forward({{{0, 32, tokens[32], true}}})[0])) << "the old pages are untouched";
}

TEST_P(Contract, TensorsThatDoNotFitTheConfigAreRefused) {
    const RandomModel model = std::move(models()[0]);
    auto backend = make_backend(GetParam(), model.config(), test_limits(model.config()));
    ASSERT_TRUE(backend) << backend.error().message;
    ASSERT_TRUE((*backend)->announce(model.weights()));
    constexpr auto kCode = base::ErrorCode::ModelLoadFailed;
    for (const model::Weight& weight : model.weights()) {
        model::Weight bad = weight;
        bad.tensor.cols /= 2;
        EXPECT_TRUE(refuses((*backend)->upload(bad), kCode)) << "shape of " << model::role_name(weight.role);
        bad = weight;
        bad.layer = 2;
        EXPECT_TRUE(refuses((*backend)->upload(bad), kCode)) << "layer of " << model::role_name(weight.role);
        bad = weight;
        bad.tensor.data = bad.tensor.data.first(bad.tensor.data.size() - 1);
        EXPECT_TRUE(refuses((*backend)->upload(bad), kCode)) << "bytes of " << model::role_name(weight.role);
    }
    const auto finished = (*backend)->finish_loading();
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, kCode);
    EXPECT_EQ(finished.error().message, "token_embd of layer 0 was not uploaded");
    ASSERT_TRUE((*backend)->upload(model.weights()[0]));
    EXPECT_TRUE(refuses((*backend)->upload(model.weights()[0]), kCode)) << "twice";
}

TEST_P(Contract, LimitsWithoutSenseAreRefused) {
    const model::ModelConfig config = small_llama();
    const auto message_of = [&](const compute::BackendLimits& limits) {
        const auto backend = make_backend(GetParam(), config, limits);
        return backend ? std::string("taken") : backend.error().message;
    };
    compute::BackendLimits limits = test_limits(config);
    limits.max_outputs = 0;
    EXPECT_EQ(message_of(limits), "max_outputs: 0 is not between 1 and 128");
    limits = test_limits(config);
    limits.n_ctx = config.n_ctx_train + 1;
    EXPECT_EQ(message_of(limits), "n_ctx: 4225 is not between 1 and 4224");
    limits = test_limits(config);
    limits.max_rows = 65'536;
    EXPECT_EQ(message_of(limits), "max_rows: 65536 is not between 1 and 65535");
}

INSTANTIATE_TEST_SUITE_P(Devices, Contract, testing::ValuesIn(devices_under_test()), device_name);

TEST(CpuContract, ThreadsDoNotMatter) {
    for (const RandomModel& model : models()) {
        const auto tokens = random_tokens(45, model.config().n_vocab, 6);
        Logits want;
        for (const uint32_t n_threads : {1u, 2u, 3u}) {
            DeviceModel device({"cpu"}, model, test_limits(model.config()), n_threads);
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
