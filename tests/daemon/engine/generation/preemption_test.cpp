// Preemption: no sequence waits for a slot that a sequence of higher rank number holds, the right one is evicted, and a
// paused or evicted one loses no token. Each test runs on a synchronous device and on an asynchronous one, where a
// second step is submitted ahead.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "engine/generation/generator.h"
#include "fake_model.h"
#include "generator_runs.h"
#include "recorded_events.h"

namespace llmd::generation {
namespace {

using test::fake_backend;
using test::fake_model;
using test::kFiltered;
using test::kSeeded;
using test::RecordedEvents;
using test::request;
using test::undisturbed;

constexpr uint32_t kInteractive = 0;
constexpr uint32_t kBackground = 2;

class Preemption : public testing::TestWithParam<bool> {
protected:
    void open(const test::FakeModelOptions& options) {
        generator_.reset();
        events_ = {};
        requests_.clear();
        model_.emplace(fake_model(options));
        fake_backend(*model_).asynchronous = GetParam();
        generator_.emplace(*model_, PrefillPace::exactly(60), events_);
    }
    void start(const GenerationRequest& request, uint32_t rank) {
        ASSERT_TRUE(generator_->submit(request));
        generator_->start(request.id, rank);
        requests_.push_back(request);
    }
    void steps(int n) {
        for (int i = 0; i < n; ++i) ASSERT_TRUE(generator_->step());
    }
    size_t n_tokens(uint64_t id) { return events_.requests[id].ids.size(); }
    // An evicted sequence prefills its prompt again, which the device's rows show.
    size_t rows_of(int n) {
        const size_t before = n_rows();
        steps(n);
        return n_rows() - before;
    }
    size_t n_rows() {
        size_t n = 0;
        for (const auto rows : fake_backend(*model_).rows_per_step) n += rows;
        return n;
    }
    void finish_and_compare() {
        test::run(*generator_);
        for (const auto& one : requests_) {
            const auto expected = undisturbed(one);
            EXPECT_EQ(events_.requests[one.id].ids, expected.ids) << "request " << one.id;
            EXPECT_EQ(events_.requests[one.id].text, expected.text) << "request " << one.id;
        }
    }

    std::optional<LoadedModel> model_;
    RecordedEvents events_;
    std::optional<Generator> generator_;
    std::vector<GenerationRequest> requests_;
};

TEST_P(Preemption, AnInteractiveArrivalHasItsFirstTokenAfterItsPromptAndTwoSteps) {
    open({.n_slots = 4, .n_held = 4});
    for (uint64_t id = 1; id <= 4; ++id) start(request(id, "background", 50, kSeeded), kBackground);
    steps(8);
    generator_->set_paused(4, true);
    const size_t paused_at = n_tokens(4);
    start(request(5, std::string(120, 'x'), 10), kInteractive);  // two chunks
    steps(2 + 2);
    EXPECT_GE(n_tokens(5), 1u);
    for (uint64_t id = 1; id <= 3; ++id) EXPECT_GE(n_tokens(id), 8u) << "the others go on";
    while (!events_.requests[5].finish) steps(1);
    EXPECT_EQ(n_tokens(4), paused_at);
    generator_->set_paused(4, false);
    EXPECT_LE(rows_of(3), 4u * 4u) << "its pages were kept: it reads nothing again";
    finish_and_compare();
}

TEST_P(Preemption, AHigherRankThatIsNotPausedComputesFirst) {
    open({.n_slots = 2, .n_held = 2});
    start(request(1, "one", 30), kBackground);
    start(request(2, "two", 30), kBackground);
    steps(5);
    start(request(3, "three", 30), kInteractive);
    while (!events_.requests[3].finish) steps(1);
    EXPECT_FALSE(events_.requests[2].finish);
    finish_and_compare();
}

TEST_P(Preemption, PausedOnesGiveTheirPagesFirstTheLastOfTheHighestRankBeforeOthers) {
    open({.n_slots = 4, .n_held = 4, .n_pages = 8});  // two for each
    start(request(1, "normal one", 50), 1);
    start(request(2, "background, first", 40), kBackground);
    start(request(3, "background, last", 40), kBackground);
    start(request(4, "normal, running", 45), 1);
    steps(10);
    for (const uint64_t id : {1, 2, 3}) generator_->set_paused(id, true);
    start(request(5, "interactive", 50), kInteractive);
    while (!events_.requests[5].finish) steps(1);
    generator_->set_paused(1, false);
    generator_->set_paused(2, false);
    EXPECT_LE(rows_of(3), 3u * 3u) << "neither of these reads anything again";
    generator_->set_paused(3, false);
    EXPECT_GT(rows_of(3), 20u) << "this one does";
    finish_and_compare();
}

TEST_P(Preemption, DroppingTheCacheTakesThePagesOfThePausedAlone) {
    open({.n_slots = 2, .n_held = 2});
    start(request(1, "paused", 50, kSeeded), 1);
    start(request(2, "running", 50), 1);
    steps(10);
    generator_->set_paused(1, true);
    generator_->drop_cache();
    EXPECT_LE(rows_of(1), 1u) << "the running one goes on with its pages";
    generator_->set_paused(1, false);
    EXPECT_GT(rows_of(3), 10u) << "the paused one reads its text again";
    generator_->drop_cache();
    EXPECT_LE(rows_of(3), 2u * 3u) << "nobody is paused";
    finish_and_compare();
}

TEST_P(Preemption, RunningOnesOfAHigherRankGiveTheirPagesWhenNothingElseIsLeft) {
    open({.n_slots = 3, .n_held = 3, .n_pages = 4});
    start(request(1, "background, first", 40), kBackground);
    start(request(2, "background, last", 40, kFiltered), kBackground);
    steps(10);
    const size_t so_far = n_tokens(2);
    start(request(3, "interactive", 50), kInteractive);
    steps(3);
    EXPECT_GE(n_tokens(3), 1u);
    EXPECT_LE(n_tokens(2), so_far + 1) << "the step in flight is its last for now";
    while (!events_.requests[3].finish) steps(1);
    EXPECT_GT(n_tokens(1), so_far) << "the older one goes on";
    finish_and_compare();
}

TEST_P(Preemption, NobodyLosesPagesForOneThatWouldNotFitEvenThen) {
    open({.n_slots = 3, .n_held = 3, .n_pages = 6});
    start(request(1, "its own rank", 80), 1);      // three
    start(request(2, "paused", 50), kBackground);  // two
    steps(10);
    generator_->set_paused(2, true);
    start(request(3, "too large for now", 140), 1);  // five
    steps(3);
    generator_->set_paused(2, false);
    EXPECT_LE(rows_of(1), 2u) << "nothing is read again";
    finish_and_compare();
}

TEST_P(Preemption, AnotherRankMovesARequestInTheOrder) {
    open({.n_slots = 1, .n_held = 1});
    start(request(1, "one", 20), 1);
    start(request(2, "two", 20), 1);
    steps(3);
    generator_->start(2, kInteractive);
    while (!events_.requests[2].finish) steps(1);
    EXPECT_FALSE(events_.requests[1].finish);
    finish_and_compare();
}

// Whatever is paused, resumed, moved and evicted, and when: every text is that of its request alone.
TEST_P(Preemption, NoDisturbanceChangesAText) {
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 chance(seed);
    const auto draw = [&](uint32_t least, uint32_t most) { return std::uniform_int_distribution(least, most)(chance); };
    for (int round = 0; round < 10; ++round) {
        const uint32_t window = round % 2 == 0 ? 0 : draw(1, 100);
        open({.n_slots = 3, .n_held = 2, .n_pages = 8, .window = window, .n_window_pages = draw(7, 24)});
        std::vector<bool> paused(13);
        for (uint64_t id = 1; id <= 12; ++id) {
            auto sampling = id % 3 == 0 ? kSeeded : id % 3 == 1 ? kFiltered : Sampling{};
            if (draw(0, 1) == 0) {
                sampling.presence_penalty = static_cast<float>(draw(0, 4)) - 2;
                sampling.frequency_penalty = static_cast<float>(draw(0, 2)) / 2;
                sampling.repeat_last_n = static_cast<int32_t>(draw(0, 80)) - 1;
            }
            for (uint32_t n = draw(0, 3); n > 0; --n) {
                sampling.logit_bias.push_back({static_cast<int32_t>(draw(0, 256)), static_cast<float>(draw(0, 6)) - 3});
            }
            auto one = request(id, std::string(draw(1, 90), static_cast<char>('a' + id)), draw(1, 60), sampling);
            one.sampling.min_tokens = draw(0, one.max_tokens);
            one.sampling.ignore_eos = draw(0, 3) == 0;
            if (draw(0, 2) == 0) one.sampling.stop_token_ids = {static_cast<int32_t>(draw(0, 255)), 'x'};
            one.stops = {"\x01", "q"};
            start(one, draw(0, 2));
            for (uint32_t n = draw(1, 8); n > 0; --n) {
                const uint64_t other = draw(1, static_cast<uint32_t>(id));
                if (draw(0, 1) == 0) {
                    paused[other] = !paused[other];
                    generator_->set_paused(other, paused[other]);
                } else if (draw(0, 3) == 0 && !events_.requests[other].finish) {
                    generator_->start(other, draw(0, 2));
                }
                steps(static_cast<int>(draw(0, 4)));
            }
        }
        for (uint64_t id = 1; id <= 12; ++id) generator_->set_paused(id, false);
        finish_and_compare();
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Preemption, testing::Bool(),
                         [](const auto& kind) { return std::string(kind.param ? "Asynchronous" : "Synchronous"); });

}  // namespace
}  // namespace llmd::generation
