// Requests that want an embedding: which rows it is the mean of, and that nothing around it changes a bit. Each test
// runs on a synchronous device and on an asynchronous one, where a second step is submitted ahead.
#include <gtest/gtest.h>

#include <optional>

#include "engine/generation/generator.h"
#include "fake_model.h"
#include "generator_runs.h"
#include "recorded_events.h"

namespace llmd::generation {
namespace {

using test::fake_backend;
using test::fake_model;
using test::kSeeded;
using test::RecordedEvents;

GenerationRequest embedding_of(uint64_t id, std::string text) {
    GenerationRequest request;
    request.id = id;
    request.prompt = std::move(text);
    request.embeds = true;
    request.cache_scope = "app";
    return request;
}

std::string text_of(size_t n) {
    std::string text;
    for (size_t i = 0; i < n; ++i) text.push_back(static_cast<char>('a' + i * i % 23));
    return text;
}

// From what the fake device says of each beginning of the text.
std::vector<float> expected(LoadedModel& model, const std::string& text) {
    Pooling pooling(model.output_norm);
    std::vector<int32_t> history;
    for (const char c : text) {
        history.push_back(static_cast<uint8_t>(c));
        pooling.add(fake_backend(model).residual(history));
    }
    return *pooling.embedding();
}

class Embedding : public testing::TestWithParam<bool> {
protected:
    void open(const test::FakeModelOptions& options = {}, uint32_t chunk = 60) {
        generator_.reset();
        events_ = {};
        model_.emplace(fake_model(options));
        device().asynchronous = GetParam();
        generator_.emplace(*model_, PrefillPace::exactly(chunk), events_);
    }
    test::FakeBackend& device() { return fake_backend(*model_); }
    void start(const GenerationRequest& request, uint32_t rank = 0) {
        const auto submitted = generator_->submit(request);
        ASSERT_TRUE(submitted) << submitted.error().message;
        generator_->start(request.id, rank);
    }
    void steps(int n) {
        for (int i = 0; i < n; ++i) ASSERT_TRUE(generator_->step());
    }
    void run() { test::run(*generator_); }
    const RecordedEvents::Request& seen(uint64_t id) { return events_.requests[id]; }
    // The request has ended with the embedding of the text.
    void expect_embedding(uint64_t id, const std::string& text) {
        ASSERT_TRUE(seen(id).ended_with(End::Stop));
        EXPECT_EQ(seen(id).finish->embedding, expected(*model_, text));
        EXPECT_TRUE(seen(id).ids.empty() && seen(id).text.empty());
    }

    std::optional<LoadedModel> model_;
    RecordedEvents events_;
    std::optional<Generator> generator_;
};

TEST_P(Embedding, IsOfEveryTokenInAnyChunksAndNothingIsSampled) {
    const std::string text = text_of(100);
    for (const uint32_t chunk : {1u, 7u, 60u}) {
        open({}, chunk);
        start(embedding_of(1, text));
        run();
        expect_embedding(1, text);
        EXPECT_EQ(device().n_outputs, 0u);
        EXPECT_EQ(seen(1).finish->costs.prefill_tokens, 100u);
        EXPECT_EQ(seen(1).finish->costs.decode_tokens, 0u);
    }
}

TEST_P(Embedding, OtherRowsChangeNothingForEither) {
    open({}, 20);
    const auto talker = test::request(1, "talks meanwhile", 60, kSeeded);
    start(talker);
    steps(3);
    start(embedding_of(2, text_of(90)));
    start(embedding_of(3, text_of(33)));
    run();
    expect_embedding(2, text_of(90));
    expect_embedding(3, text_of(33));
    EXPECT_EQ(seen(1).ids, test::undisturbed(talker).ids);
}

TEST_P(Embedding, NothingIsTakenFromTheCacheOrLeftInIt) {
    open();
    auto before = test::request(1, text_of(100), 2);
    before.cache_scope = "app";
    start(before);
    run();
    start(embedding_of(2, text_of(100)));
    run();
    EXPECT_EQ(seen(2).cached, std::vector<uint32_t>{0});
    expect_embedding(2, text_of(100));

    open();
    start(embedding_of(1, text_of(100)));
    run();
    EXPECT_EQ(generator_->page_counts().cached, 0u);
    EXPECT_EQ(generator_->page_counts().used, 0u);
}

TEST_P(Embedding, APauseOrTheLossOfItsPagesChangesNothing) {
    // A third sequence needs the pages of the one that is paused.
    open({.n_slots = 1, .n_held = 1, .n_ctx = 256, .n_pages = 10}, 20);
    start(embedding_of(1, text_of(200)), 2);
    steps(3);
    generator_->set_paused(1, true);
    EXPECT_FALSE(generator_->has_work());
    generator_->set_paused(1, false);
    steps(2);
    const uint32_t position = seen(1).position;
    EXPECT_GE(position, 80u) << "a pause alone takes nothing";
    generator_->set_paused(1, true);
    start(test::request(2, text_of(150), 20), 0);
    while (!seen(2).finish) steps(1);
    generator_->set_paused(1, false);
    run();
    EXPECT_EQ(seen(1).cached.size(), 2u) << "its pages were given away";
    expect_embedding(1, text_of(200));
}

TEST_P(Embedding, MayFillTheContextButNotExceedIt) {
    open({.n_ctx = 64});
    start(embedding_of(1, text_of(64)));
    run();
    expect_embedding(1, text_of(64));
    uint32_t n_prompt = 0;
    const auto refused = generator_->submit(embedding_of(2, text_of(65)), &n_prompt);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::ContextExceeded);
    EXPECT_EQ(refused.error().message,
              "the prompt is too long. This model's maximum context length is 64 tokens; the prompt has 65 tokens");
    EXPECT_EQ(n_prompt, 65u);
}

TEST_P(Embedding, OfTokenIdsIsThatOfTheirText) {
    open();
    GenerationRequest request = embedding_of(1, "");
    for (const char c : text_of(40)) request.prompt_ids.push_back(c);
    start(request);
    run();
    expect_embedding(1, text_of(40));
    request.prompt_ids = {1, 257};
    const auto refused = generator_->submit(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "prompt[1]: 257 is not in the vocabulary of 257");
}

TEST_P(Embedding, WhatIsNotFiniteEndsThatRequestAlone) {
    open();
    device().poison = {'!'};
    start(embedding_of(1, "good"));
    start(embedding_of(2, "bad! and what follows"));
    run();
    expect_embedding(1, "good");
    ASSERT_TRUE(seen(2).finish);
    EXPECT_EQ(std::get<base::Error>(seen(2).finish->how).code, base::ErrorCode::DeviceError);
    EXPECT_TRUE(seen(2).finish->embedding.empty());
}

TEST_P(Embedding, AFailedReadIsTheDevicesError) {
    open();
    device().fail_residual_reads = true;
    start(embedding_of(1, "text"));
    EXPECT_FALSE(generator_->step());
}

INSTANTIATE_TEST_SUITE_P(Devices, Embedding, testing::Bool(), [](const auto& test) {
    return test.param ? std::string("asynchronous") : std::string("synchronous");
});

}  // namespace
}  // namespace llmd::generation
