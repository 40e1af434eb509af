// A call that breaks a precondition is refused on every device, and changes nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "daemon/engine/compute/device_under_test.h"

namespace llmd::test {
namespace {

class Misuse : public testing::TestWithParam<DeviceUnderTest> {};

TEST_P(Misuse, BadBatchesAreRefused) {
    const RandomModel model = std::move(two_layer_models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.spec()));
    if (!device.loaded()) return;
    device.give_pages(0, std::vector<uint32_t>{0});
    compute::Backend& backend = device.backend();
    using Rows = std::vector<compute::Row>;
    EXPECT_TRUE(refuses(backend.begin({}))) << "no rows";
    EXPECT_TRUE(refuses(backend.begin(Rows{{4, 0, 1, true}}))) << "slot";
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 32, 1, true}}))) << "position without a page";
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 0, 1, false}, {0, 2, 1, true}}))) << "positions with a gap";
    ASSERT_TRUE(backend.set_pages(1, std::vector<uint32_t>{1}));
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 0, 1, false}, {1, 0, 1, false}, {0, 1, 1, true}}))) << "rows apart";
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
    std::vector<std::byte> page(backend.page_bytes(compute::KvPool::Full));
    EXPECT_TRUE(refuses(backend.read_page({160}, page))) << "page";
    EXPECT_TRUE(refuses(backend.write_page({160}, page))) << "page";
    EXPECT_TRUE(refuses(backend.read_page({0}, std::span(page).subspan(1)))) << "size";
    EXPECT_TRUE(refuses(backend.write_page({0}, std::span(page).subspan(1)))) << "size";
    Logits logits(96);
    std::vector<float> residual(model.spec().n_embd);
    EXPECT_TRUE(refuses(backend.read_logits(0, logits))) << "before the first step";
    EXPECT_TRUE(refuses(backend.read_residual(residual))) << "before the first step";
    EXPECT_EQ(device.forward(Rows{{0, 0, 1, true}}).size(), 1u) << "and a good one still runs";

    EXPECT_TRUE(refuses(backend.forward())) << "outside a step";
    EXPECT_TRUE(refuses(backend.sample({}))) << "outside a step";
    EXPECT_TRUE(refuses(backend.submit())) << "outside a step";
    EXPECT_FALSE(backend.wait()) << "nothing is in flight";
    ASSERT_TRUE(backend.begin(Rows{{0, 0, 1, true}}));
    EXPECT_TRUE(refuses(backend.begin(Rows{{0, 0, 1, true}}))) << "before submit()";
    EXPECT_TRUE(refuses(backend.read_page({0}, page))) << "within a step";
    EXPECT_TRUE(refuses(backend.write_page({0}, page))) << "within a step";
    std::vector<compute::SampleRequest> request(1);
    EXPECT_TRUE(refuses(backend.sample(request))) << "before forward()";
    EXPECT_TRUE(refuses(backend.submit())) << "before forward()";
    ASSERT_TRUE(backend.forward());
    EXPECT_TRUE(refuses(backend.forward())) << "twice";
    EXPECT_TRUE(refuses(backend.sample({}))) << "fewer requests than outputs";
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::vector<compute::LogitBias> bad[] = {
        {{96}},           {{-1}},           {{5}, {5}},
        {{5}, {4}},       {{0, 0}},         {{0, -1}},
        {{0, kInfinity}}, {{0, NAN}},       {{0, 1, kInfinity}},
        {{0, 1, NAN}},    {{1}, {0, 1, 1}}, std::vector<compute::LogitBias>(compute::kMaxLogitBiases + 1),
    };
    for (const auto& logit_biases : bad) {
        request[0].logit_biases = logit_biases;
        EXPECT_TRUE(refuses(backend.sample(request))) << "logit biases " << &logit_biases - bad;
    }
    request[0].logit_biases = {};
    EXPECT_TRUE(backend.sample(request));
    EXPECT_TRUE(refuses(backend.sample(request))) << "twice";
    ASSERT_TRUE(backend.submit() && backend.wait());
    EXPECT_FALSE(backend.wait()) << "twice";
    EXPECT_TRUE(refuses(backend.read_logits(1, logits))) << "output";
    EXPECT_TRUE(refuses(backend.read_logits(0, std::span(logits).first(95)))) << "size";
    EXPECT_TRUE(refuses(backend.read_residual(std::span(residual).first(1)))) << "size";
    EXPECT_TRUE(backend.read_residual(residual));
    ASSERT_TRUE(backend.begin(Rows{{0, 0, 1, false}}));
    EXPECT_TRUE(refuses(backend.read_residual(residual))) << "after begin()";
    ASSERT_TRUE(backend.forward() && backend.submit());
    EXPECT_TRUE(refuses(backend.read_residual(residual))) << "while a step is in flight";
    ASSERT_TRUE(backend.wait());
}

TEST_P(Misuse, AsManyDraftedRowsHaveOutputsAsWereAskedFor) {
    const RandomModel model = std::move(two_layer_models()[0]);
    compute::BackendLimits limits = test_limits(model.spec());
    limits.max_outputs = 2;
    limits.max_drafted = 3;
    DeviceModel device(GetParam(), model, limits);
    if (!device.loaded()) return;
    device.give_pages(0, std::vector<uint32_t>{0});
    auto rows = rows_of(random_tokens(6, model.spec().n_vocab, 8), 0, 6, 0, true);
    for (compute::Row& row : rows) row.wants_output = true;
    EXPECT_TRUE(refuses(device.backend().begin(rows))) << "one more";
    const auto logits = device.forward(std::span(rows).first(5));
    ASSERT_EQ(logits.size(), 5u);
    for (size_t i = 0; i < logits.size(); ++i) EXPECT_TRUE(same_bits(logits[i], device.forward({&rows[i], 1})[0])) << i;
}

// Pages that a refused batch would have brought into use come with the next one.
TEST_P(Misuse, ARefusedBatchLosesNoPages) {
    const RandomModel model = std::move(two_layer_models()[0]);
    DeviceModel device(GetParam(), model, test_limits(model.spec()));
    if (!device.loaded()) return;
    const auto tokens = random_tokens(33, model.spec().n_vocab, 8);
    device.give_pages(0, std::vector<uint32_t>{4, 11});
    const Logits want = device.feed(tokens, 33, 0);
    device.give_pages(0, std::vector<uint32_t>{5, 12});
    EXPECT_TRUE(refuses(device.backend().begin(std::vector<compute::Row>{{0, 64, 1, true}})));
    EXPECT_TRUE(same_bits(want, device.feed(tokens, 33, 0)));
    device.give_pages(0, std::vector<uint32_t>{4, 11});
    EXPECT_TRUE(same_bits(want, device.forward({{{0, 32, tokens[32], true}}})[0])) << "the old pages are untouched";
}

TEST_P(Misuse, TensorsThatDoNotFitTheConfigAreRefused) {
    const RandomModel model = std::move(two_layer_models()[0]);
    auto backend = make_backend(GetParam(), model.spec(), test_limits(model.spec()));
    ASSERT_TRUE(backend) << backend.error().message;
    ASSERT_TRUE((*backend)->declare_tensors(model.weights(), kUnobserved));
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

TEST_P(Misuse, LimitsWithoutSenseAreRefused) {
    const UniformSpec config = small_llama();
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
    limits = test_limits(config);
    limits.max_drafted = 120;
    EXPECT_EQ(message_of(limits), "max_outputs: 16 is not between 1 and 8") << "beside those of drafts";
}

INSTANTIATE_TEST_SUITE_P(Devices, Misuse, testing::ValuesIn(devices_under_test()), device_name);

}  // namespace
}  // namespace llmd::test
