// A Generator on an asynchronous device: steps that are submitted ahead give what they give one at a time, and
// discarded results reach no request.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "engine/generation/generator.h"
#include "fake_model.h"
#include "generator_runs.h"
#include "recorded_events.h"

namespace llmd::generation {
namespace {

using namespace test;

class StepsAhead : public testing::Test {
protected:
    void open(const test::FakeModelOptions& options = {}) {
        events_ = {};
        model_.emplace(fake_model(options));
        device().asynchronous = true;
        generator_.emplace(*model_, PrefillPace::exactly(60), events_);
    }
    void start(const GenerationRequest& request) {
        ASSERT_TRUE(generator_->submit(request));
        generator_->start(request.id);
    }
    // Steps until the request has so many tokens: then the step after that token is in flight.
    void run_until(uint64_t id, size_t n_tokens) {
        while (events_.requests[id].ids.size() < n_tokens) {
            ASSERT_TRUE(generator_->has_work());
            ASSERT_TRUE(generator_->step());
        }
    }
    test::FakeBackend& device() { return fake_backend(*model_); }

    std::optional<LoadedModel> model_;
    RecordedEvents events_;
    std::optional<Generator> generator_;
};

TEST_F(StepsAhead, ASequenceAloneHasOneFromItsSecondTokenOn) {
    for (const auto& sampling : {Sampling{}, kSeeded}) {
        open();
        start(request(1, "hello", 10, sampling));
        run(*generator_);
        EXPECT_EQ(events_.requests[1].ids, undisturbed(request(1, "hello", 10, sampling)).ids);
        EXPECT_EQ(device().n_steps, 10u) << "none for a token that cannot be";
        EXPECT_EQ(device().n_steps_ahead, 8u) << "all but the prompt and the one behind it";
        generator_.reset();
    }
}

TEST_F(StepsAhead, ThereAreNoneWhereTheHostHasPartInAChoice) {
    for (const auto& sampling : {kFiltered, Sampling{.repeat_penalty = 1.2f}, Sampling{.presence_penalty = 1},
                                 Sampling{.frequency_penalty = -1}}) {
        open();
        start(request(1, "hello", 10));
        start(request(2, "hello", 10, sampling));
        run(*generator_);
        EXPECT_EQ(device().n_steps_ahead, 0u);
        EXPECT_EQ(events_.requests[1].ids, undisturbed(request(1, "hello", 10)).ids);
        EXPECT_EQ(events_.requests[2].ids, undisturbed(request(2, "hello", 10, sampling)).ids);
        generator_.reset();
    }
}

// The effect of a logit bias and a ban does not depend on the tokens before, and from where end tokens may come is
// known.
TEST_F(StepsAhead, ABiasAndBansHaveThem) {
    auto biased = request(1, "hello", 40, {.temperature = 1, .seed = 3, .logit_bias = {{ByteTokenizer::kEnd, 20}}});
    for (const uint32_t min_tokens : {10u, 11u, 40u}) {
        for (const bool ignore_eos : {false, true}) {
            biased.sampling.min_tokens = min_tokens;
            biased.sampling.ignore_eos = ignore_eos;
            open();
            start(biased);
            run(*generator_);
            EXPECT_GE(device().n_steps_ahead, 8u);
            EXPECT_EQ(events_.requests[1].ids, undisturbed(biased).ids);
            EXPECT_EQ(events_.requests[1].ids.size(), ignore_eos ? 40u : min_tokens);
            generator_.reset();
        }
    }
}

TEST_F(StepsAhead, BeginAgainWhenTheHostsPartIsOver) {
    open();
    start(request(1, "hello", 30));
    start(request(2, "you", 5, kFiltered));
    run(*generator_);
    EXPECT_GT(device().n_steps_ahead, 20u);
    EXPECT_EQ(events_.requests[1].ids, undisturbed(request(1, "hello", 30)).ids);
    EXPECT_EQ(events_.requests[2].ids, undisturbed(request(2, "you", 5, kFiltered)).ids);
}

// The pages of the stopped one go to a request that waited, while the step that still writes to them is in flight.
TEST_F(StepsAhead, AStopDiscardsTheTokenBehindItAndItsPages) {
    auto stopped = request(1, "stop me", 40);
    const auto endless = undisturbed(stopped).ids;
    const auto last = std::find_if(endless.begin() + 10, endless.end(), [](int32_t id) { return id < 0x80; });
    ASSERT_LT(last - endless.begin(), 35) << "another prompt, please";
    stopped.stops = {std::string(1, static_cast<char>(*last))};
    const auto expected = undisturbed(stopped);
    ASSERT_TRUE(expected.ended_with(End::Stop));
    ASSERT_GT(expected.ids.size(), 3u) << "another prompt, please";

    open({.n_slots = 2, .n_pages = 4});  // two each
    const auto neighbour = request(2, "beside", 40), waiting = request(3, "stop", 40, kSeeded);
    start(stopped);
    start(neighbour);
    start(waiting);
    run(*generator_);
    EXPECT_EQ(events_.requests[1].ids, expected.ids);
    EXPECT_EQ(events_.requests[1].text, expected.text);
    EXPECT_TRUE(events_.requests[1].ended_with(End::Stop));
    EXPECT_EQ(events_.requests[2].ids, undisturbed(neighbour).ids);
    EXPECT_EQ(events_.requests[3].ids, undisturbed(waiting).ids);
    EXPECT_GT(device().n_steps_ahead, 0u);
}

TEST_F(StepsAhead, ACancelledRequestLeavesItsSlotAndPagesToTheNext) {
    open({.n_slots = 1, .n_pages = 2});
    start(request(1, "first", 40));
    const auto second = request(2, "second", 40), third = request(1, "third", 40);
    start(second);
    run_until(1, 12);
    ASSERT_EQ(device().n_steps_ahead + 2, device().n_steps + 1) << "one is in flight";
    generator_->cancel(1);
    EXPECT_TRUE(generator_->has_work());
    run_until(2, 7);
    generator_->cancel(2);
    EXPECT_TRUE(generator_->has_work()) << "the step in flight is waited for";
    ASSERT_TRUE(generator_->step());
    EXPECT_FALSE(generator_->has_work());
    EXPECT_EQ(events_.requests[1].ids.size(), 12u);
    const auto so_far = events_.requests[2].ids;
    events_ = {};
    start(third);
    run(*generator_);
    EXPECT_EQ(events_.requests[1].ids, undisturbed(third).ids);
    EXPECT_TRUE(std::equal(so_far.begin(), so_far.end(), undisturbed(second).ids.begin()));
    EXPECT_FALSE(events_.requests.contains(2));
}

TEST_F(StepsAhead, APauseGivesNoTokenAndLosesNone) {
    const auto one = request(1, "pause me", 30, kSeeded), other = request(2, "go on", 30);
    for (const bool steps_between : {false, true}) {
        open();
        start(one);
        start(other);
        run_until(1, 6);
        generator_->set_paused(1, true);
        if (steps_between) {
            run_until(2, 12);
            EXPECT_EQ(events_.requests[1].ids.size(), 6u);
        }
        generator_->set_paused(1, false);
        run(*generator_);
        EXPECT_EQ(events_.requests[1].ids, undisturbed(one).ids);
        EXPECT_EQ(events_.requests[2].ids, undisturbed(other).ids);
        generator_.reset();
    }
}

TEST_F(StepsAhead, ARowThatIsNotFiniteEndsItsRequestAndDiscardsTheNextOne) {
    const auto bad = request(1, "bad", 30), good = request(2, "good", 30);
    const auto expected = undisturbed(bad);
    open();
    const auto fifth = expected.ids.begin() + 4;
    ASSERT_EQ(std::find(expected.ids.begin(), fifth, *fifth), fifth) << "another prompt, please";
    device().poison = {*fifth};
    const auto neighbour = undisturbed(good).ids;
    ASSERT_EQ(std::count(neighbour.begin(), neighbour.end(), *fifth), 0) << "another prompt, please";
    start(bad);
    start(good);
    run(*generator_);
    EXPECT_EQ(events_.requests[1].ids, std::vector<int32_t>(expected.ids.begin(), fifth + 1));
    ASSERT_TRUE(events_.requests[1].finish);
    const auto* error = std::get_if<base::Error>(&events_.requests[1].finish->how);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->code, base::ErrorCode::DeviceError);
    EXPECT_NE(error->message.find("position 8"), std::string::npos) << error->message;
    EXPECT_EQ(events_.requests[2].ids, neighbour);
}

TEST_F(StepsAhead, NewRequestsComeInBehindTheStepInFlight) {
    const auto one = request(1, "one", 40), two = request(2, std::string(100, 'b'), 20),
               three = request(3, "three", 20, kFiltered);
    open();
    start(one);
    run_until(1, 5);
    start(two);
    run_until(1, 9);
    start(three);
    run(*generator_);
    for (const auto& each : {one, two, three}) {
        EXPECT_EQ(events_.requests[each.id].ids, undisturbed(each).ids) << "request " << each.id;
    }
}

// The next generator on the same device must not get an answer of the last one.
TEST_F(StepsAhead, NothingStaysInFlightBehindAGenerator) {
    open();
    start(request(1, "hello", 30));
    run_until(1, 6);
    generator_.emplace(*model_, PrefillPace(0), events_);
    events_ = {};
    start(request(1, "again", 10));
    run(*generator_);
    EXPECT_EQ(events_.requests[1].ids, undisturbed(request(1, "again", 10)).ids);
}

TEST_F(StepsAhead, AFailureOfOneEndsTheStepThatReadsIt) {
    open();
    device().fail_step = 5;
    start(request(1, "hello", 30));
    run_until(1, 5);
    EXPECT_FALSE(generator_->step());
    EXPECT_EQ(events_.requests[1].ids.size(), 5u);
}

}  // namespace
}  // namespace llmd::generation
