// Batching, slots, pages and replay over a device whose answer depends on the whole history of a row: any mistake in
// them changes the ids.
#include "engine/generation/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "fake_model.h"
#include "generator_runs.h"
#include "recorded_events.h"

namespace llmd::generation {
namespace {

using namespace test;

// Each test runs on a synchronous device and on an asynchronous one, where a second step is submitted ahead.
class GeneratorTest : public testing::TestWithParam<bool> {
protected:
    static LoadedModel device(const test::FakeModelOptions& options = {}) {
        LoadedModel model = fake_model(options);
        fake_backend(model).asynchronous = GetParam();
        return model;
    }
};

TEST_P(GeneratorTest, IsGreedyOverTheDevicesLogits) {
    auto model = device();
    const auto alone = undisturbed(request(1, "hello", 10));
    std::vector<int32_t> history = {'h', 'e', 'l', 'l', 'o'};
    for (const int32_t id : alone.ids) {
        const auto logits = fake_backend(model).logits(history);
        EXPECT_EQ(id, std::max_element(logits.begin(), logits.end()) - logits.begin());
        history.push_back(id);
    }
    EXPECT_TRUE(alone.ended_with(End::Length));
    EXPECT_EQ(alone.ids.size(), 10u);
    EXPECT_EQ(alone.position, 14u);  // the last token is not computed
    EXPECT_EQ(alone.finish->costs.prefill_tokens, 5u);
    EXPECT_EQ(alone.finish->costs.decode_tokens, 9u);
}

TEST_P(GeneratorTest, ARequestOfNoTokensComputesItsPromptAlone) {
    auto model = device();
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    ASSERT_TRUE(generator.submit(request(1, "hello", 0)));
    generator.start(1, 0);
    while (generator.has_work()) ASSERT_TRUE(generator.step());
    const auto& read = events.requests[1];
    EXPECT_TRUE(read.ended_with(End::Length));
    EXPECT_TRUE(read.ids.empty());
    EXPECT_EQ(read.text, "");
    EXPECT_EQ(read.finish->costs.prefill_tokens, 5u);
    EXPECT_EQ(read.finish->costs.decode_tokens, 0u);
}

TEST_P(GeneratorTest, ChunksChangeNothing) {
    for (const auto& sampling : {Sampling{}, kSeeded, kFiltered}) {
        const auto alone = undisturbed(request(1, std::string(50, 'p'), 40, sampling));
        for (const uint32_t chunk : {0u, 1u, 7u, 32u, 50u}) {
            auto model = device();
            RecordedEvents events;
            Generator generator(model, chunk == 0 ? PrefillPace(0) : PrefillPace::exactly(chunk), events);
            ASSERT_TRUE(generator.submit(request(1, std::string(50, 'p'), 40, sampling)));
            generator.start(1);
            run(generator);
            EXPECT_EQ(events.requests[1].ids, alone.ids) << "chunk " << chunk;
            EXPECT_EQ(events.requests[1].text, alone.text);
            const auto& sizes = fake_backend(model).rows_per_step;
            EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), chunk == 0 ? kMaxPrefillRows : chunk);
        }
    }
}

TEST_P(GeneratorTest, OtherRowsChangeNothing) {
    std::vector<GenerationRequest> all;
    for (uint64_t id = 1; id <= 9; ++id) {
        const auto& sampling = id % 3 == 0 ? kSeeded : id % 3 == 1 ? kFiltered : Sampling{};
        all.push_back(
            request(id, std::string(id * 11, static_cast<char>('a' + id)), 20 + static_cast<uint32_t>(id), sampling));
    }
    auto model = device({.n_slots = 3, .n_pages = 10});  // pages are short now and then
    RecordedEvents events;
    Generator generator(model, PrefillPace::exactly(8), events);
    for (const auto& one : all) {
        ASSERT_TRUE(generator.submit(one));
        generator.start(one.id);
        for (int i = 0; i < 5; ++i) ASSERT_TRUE(generator.step());
    }
    run(generator);
    for (const auto& one : all) {
        EXPECT_EQ(events.requests[one.id].ids, undisturbed(one).ids) << "request " << one.id;
    }
}

TEST_P(GeneratorTest, ReplayContinuesWhatWasInterrupted) {
    for (const auto& sampling : {Sampling{}, kSeeded, kFiltered}) {
        auto whole = request(1, "once upon", 40, sampling);
        whole.stops = {"\n\n", "zq"};
        const auto alone = undisturbed(whole);
        size_t delivered = 0;
        for (size_t cut = 0; cut <= alone.ids.size(); ++cut) {
            auto resumed = whole;
            resumed.replay_ids.assign(alone.ids.begin(), alone.ids.begin() + static_cast<ptrdiff_t>(cut));
            resumed.delivered_bytes = delivered;
            const auto rest = undisturbed(resumed);
            std::vector<int32_t> ids = resumed.replay_ids;
            ids.insert(ids.end(), rest.ids.begin(), rest.ids.end());
            EXPECT_EQ(ids, alone.ids) << "cut " << cut;
            EXPECT_EQ(alone.text.substr(0, delivered) + rest.text, alone.text) << "cut " << cut;
            EXPECT_EQ(rest.finish->how.index(), alone.finish->how.index());
            if (cut < alone.texts.size()) delivered += alone.texts[cut].size();
        }
    }
}

TEST_P(GeneratorTest, PausedRequestsKeepTheirPlaceAndMakeNoTokens) {
    const auto alone = undisturbed(request(1, "pause me", 30));
    auto model = device({.n_slots = 2, .n_pages = 4});
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    ASSERT_TRUE(generator.submit(request(1, "pause me", 30)));
    generator.start(1);
    for (int i = 0; i < 6; ++i) ASSERT_TRUE(generator.step());
    const auto so_far = events.requests[1].ids.size();
    generator.set_paused(1, true);
    if (generator.has_work()) {  // the step in flight is waited for
        ASSERT_TRUE(generator.step());
    }
    EXPECT_FALSE(generator.has_work());
    ASSERT_TRUE(generator.submit(request(2, "another", 30)));
    generator.start(2);
    run(generator);
    EXPECT_EQ(events.requests[1].ids.size(), so_far);
    EXPECT_TRUE(events.requests[2].finish);
    generator.set_paused(1, false);
    EXPECT_TRUE(generator.has_work());
    run(generator);
    EXPECT_EQ(events.requests[1].ids, alone.ids);
}

// Whatever it was doing: only the steps that the device has already are made.
TEST_P(GeneratorTest, CancellingCostsNoStepThatIsNotInFlight) {
    struct State {
        const char* name;
        std::function<void(Generator&)> reach;
    };
    const auto steps = [](Generator& generator, int n) {
        for (int i = 0; i < n; ++i) ASSERT_TRUE(generator.step());
    };
    const State states[] = {
        {"queued", [](Generator&) {}},
        {"started", [](Generator& generator) { generator.start(1); }},
        {"prefill",
         [&](Generator& generator) {
             generator.start(1);
             steps(generator, 2);
         }},
        {"decode",
         [&](Generator& generator) {
             generator.start(1);
             steps(generator, 12);
         }},
        {"paused",
         [&](Generator& generator) {
             generator.start(1);
             steps(generator, 12);
             generator.set_paused(1, true);
         }},
    };
    for (const State& state : states) {
        auto model = device();
        RecordedEvents events;
        Generator generator(model, PrefillPace::exactly(8), events);
        ASSERT_TRUE(generator.submit(request(1, std::string(60, 'p'), 100)));
        state.reach(generator);
        const uint32_t before = fake_backend(model).n_steps;
        const size_t n_ids = events.requests[1].ids.size();
        EXPECT_EQ(n_ids > 0, std::string_view(state.name) == "decode" || std::string_view(state.name) == "paused");
        generator.cancel(1);
        run(generator);
        EXPECT_LE(fake_backend(model).n_steps - before, GetParam() ? 1u : 0u) << state.name;
        EXPECT_EQ(events.requests[1].ids.size(), n_ids) << state.name;
        EXPECT_FALSE(events.requests[1].finish) << state.name;
    }
}

TEST_P(GeneratorTest, WaitsForPagesInTurnAndNeverFailsMidway) {
    auto model = device({.n_slots = 4, .n_ctx = 128, .n_pages = 4});
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    ASSERT_TRUE(generator.submit(request(1, "a", 90)));   // 3 pages of 4
    ASSERT_TRUE(generator.submit(request(2, "b", 120)));  // 4 pages: waits for 1
    ASSERT_TRUE(generator.submit(request(3, "c", 1)));    // 1 page: would fit, but it is not its turn
    for (const uint64_t id : {1, 2, 3}) generator.start(id);
    run(generator);
    EXPECT_EQ(events.order_of_ends, (std::vector<uint64_t>{1, 2, 3}));
    EXPECT_TRUE(events.requests[2].ended_with(End::Length));
    EXPECT_EQ(events.requests[2].ids.size(), 120u);
}

TEST_P(GeneratorTest, CancelFreesPagesAtOnceAndSaysNothing) {
    auto model = device({.n_slots = 1, .n_pages = 8});
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    ASSERT_TRUE(generator.submit(request(1, "a", 200)));
    ASSERT_TRUE(generator.submit(request(2, "b", 20)));
    generator.start(1);
    generator.start(2);
    ASSERT_TRUE(generator.step());
    generator.cancel(1);
    generator.cancel(1);
    generator.cancel(99);
    run(generator);
    EXPECT_FALSE(events.requests[1].finish);
    EXPECT_EQ(events.requests[2].ids, undisturbed(request(2, "b", 20)).ids);
}

TEST_P(GeneratorTest, ALogitThatIsNotFiniteEndsThatRequestAlone) {
    auto model = device();
    fake_backend(model).poison = {'!'};
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    ASSERT_TRUE(generator.submit(request(1, "bad!", 20)));
    ASSERT_TRUE(generator.submit(request(2, "good", 20)));
    generator.start(1);
    generator.start(2);
    run(generator);
    ASSERT_TRUE(events.requests[1].finish);
    const auto* error = std::get_if<base::Error>(&events.requests[1].finish->how);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->code, base::ErrorCode::DeviceError);
    EXPECT_NE(error->message.find("position 4"), std::string::npos) << error->message;
    EXPECT_TRUE(events.requests[1].ids.empty());
    EXPECT_EQ(events.requests[2].ids, undisturbed(request(2, "good", 20)).ids);
}

TEST_P(GeneratorTest, ADeviceErrorEndsTheStep) {
    auto model = device();
    fake_backend(model).fail_step = 2;
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    ASSERT_TRUE(generator.submit(request(1, "abc", 20)));
    generator.start(1);
    EXPECT_TRUE(generator.step());
    EXPECT_TRUE(generator.step());
    const auto failed = generator.step();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, base::ErrorCode::DeviceError);
}

// The request is not to blame: a step that fails is repeated by a new engine.
TEST_P(GeneratorTest, LogitsThatCannotBeReadEndTheStep) {
    auto model = device();
    fake_backend(model).max_candidates = 0;
    fake_backend(model).fail_logit_reads = true;
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    ASSERT_TRUE(generator.submit(request(1, "abc", 20, kFiltered)));
    generator.start(1);
    EXPECT_FALSE(generator.step());
    EXPECT_FALSE(events.requests[1].finish);
}

TEST_P(GeneratorTest, RefusesAnIdInUseAndTakesItAgainAfterTheEnd) {
    auto model = device();
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    ASSERT_TRUE(generator.submit(request(1, "abc", 2)));
    EXPECT_FALSE(generator.submit(request(1, "abc", 2)));
    generator.start(1);
    generator.start(1);
    run(generator);
    EXPECT_TRUE(generator.submit(request(1, "abc", 2)));
    EXPECT_FALSE(generator.has_work());  // not started
}

TEST_P(GeneratorTest, AReplayThatIsTheWholeAnswerEndsWithoutTheDevice) {
    auto model = device();
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    auto done = request(1, "abc", 2);
    done.replay_ids = {'x', 'y'};
    done.delivered_bytes = 1;
    ASSERT_TRUE(generator.submit(done));
    generator.start(1);
    EXPECT_TRUE(events.requests[1].ended_with(End::Length));
    EXPECT_EQ(events.requests[1].text, "y");
    EXPECT_EQ(fake_backend(model).n_steps, 0u);
}

INSTANTIATE_TEST_SUITE_P(Devices, GeneratorTest, testing::Bool(),
                         [](const auto& kind) { return std::string(kind.param ? "Asynchronous" : "Synchronous"); });

}  // namespace
}  // namespace llmd::generation
