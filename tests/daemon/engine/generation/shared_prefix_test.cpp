// Sequences that begin like earlier ones of their scope compute less and give the same, whatever else goes on. Each
// test runs on a synchronous device and on an asynchronous one, where a second step is submitted ahead.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
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
using test::long_text;
using test::RecordedEvents;
using test::undisturbed;

class SharedPrefix : public testing::TestWithParam<bool> {
protected:
    void open(const test::FakeModelOptions& options = {}) {
        generator_.reset();
        events_ = {};
        model_.emplace(fake_model(options));
        device().asynchronous = GetParam();
        generator_.emplace(*model_, PrefillPace::exactly(60), events_);
    }
    static GenerationRequest request(uint64_t id, const std::string& prompt, uint32_t max_tokens = 40,
                                     const Sampling& sampling = {}, const std::string& scope = "app") {
        auto request = test::request(id, prompt, max_tokens, sampling);
        request.cache_scope = scope;
        return request;
    }
    void start(const GenerationRequest& request, uint32_t rank = 0) {
        ASSERT_TRUE(generator_->submit(request));
        generator_->start(request.id, rank);
    }
    // Runs it alone, and compares it with what it is without a cache. Gives the prompt's tokens that it found.
    uint32_t found(const GenerationRequest& request) {
        start(request);
        const size_t rows_before = n_rows();
        test::run(*generator_);
        const auto& given = events_.requests[request.id];
        const auto expected = undisturbed(request);
        EXPECT_EQ(given.ids, expected.ids);
        EXPECT_EQ(given.text, expected.text);
        EXPECT_EQ(given.position, expected.position);
        EXPECT_EQ(given.cached.size(), 1u);
        if (!given.finish || given.cached.empty()) return 0;
        EXPECT_EQ(given.finish->costs.prefill_tokens, request.prompt.size() - given.cached[0]);
        const uint32_t computed = given.finish->costs.prefill_tokens + given.finish->costs.decode_tokens;
        EXPECT_LE(n_rows() - rows_before, computed + 1) << "and one in vain behind the last token";
        return given.cached[0];
    }
    size_t n_rows() {
        const auto& rows = device().rows_per_step;
        return std::accumulate(rows.begin(), rows.end(), size_t{0});
    }
    test::FakeBackend& device() { return fake_backend(*model_); }

    std::optional<LoadedModel> model_;
    RecordedEvents events_;
    std::optional<Generator> generator_;
};

TEST_P(SharedPrefix, IsComputedOnceAndChangesNothing) {
    const std::string prompt = long_text("once upon a time", 150);
    for (const auto& sampling : {Sampling{}, kSeeded, kFiltered}) {
        open();
        EXPECT_EQ(found(request(1, prompt, 40, sampling)), 0u);
        EXPECT_EQ(found(request(2, prompt, 40, sampling)), 128u);
        EXPECT_EQ(found(request(3, prompt, 40, kSeeded)), 128u);
        EXPECT_EQ(found(request(4, prompt.substr(0, 100) + "otherwise", 40, sampling)), 96u);
        EXPECT_EQ(found(request(5, "x" + prompt, 40, sampling)), 0u);
        EXPECT_EQ(found(request(6, prompt.substr(0, 33), 40, sampling)), 32u);
        EXPECT_EQ(found(request(7, prompt.substr(0, 32), 40, sampling)), 0u) << "its last token is computed";
    }
}

TEST_P(SharedPrefix, IsNobodyElses) {
    const std::string prompt = long_text("once upon a time", 150);
    open();
    EXPECT_EQ(found(request(1, prompt, 10, {}, "app")), 0u);
    EXPECT_EQ(found(request(2, prompt, 10, {}, "another app")), 0u);
    EXPECT_EQ(found(request(3, prompt, 10, {}, "")), 0u);
    EXPECT_EQ(found(request(4, prompt, 10, {}, "")), 0u) << "an empty scope has no cache";
    EXPECT_EQ(found(request(5, prompt, 10, {}, "another app")), 128u);
    EXPECT_EQ(generator_->page_counts().cached, 2 * 4u);
}

TEST_P(SharedPrefix, IncludesTheAnswer) {
    open();
    const std::string prompt = long_text("a question", 50);
    ASSERT_EQ(found(request(1, prompt, 60)), 0u);
    std::string turn = prompt;
    for (const int32_t id : events_.requests[1].ids) turn.push_back(static_cast<char>(id));
    EXPECT_EQ(found(request(2, turn + " and a further question", 40)), 96u);
}

TEST_P(SharedPrefix, IsThereWhileTheFirstOneStillAnswers) {
    open();
    const std::string prompt = long_text("together", 100);
    const auto first = request(1, prompt, 60, kSeeded), second = request(2, prompt, 60);
    start(first);
    while (events_.requests[1].ids.size() < 5) ASSERT_TRUE(generator_->step());
    start(second);
    test::run(*generator_);
    EXPECT_EQ(events_.requests[2].cached, std::vector<uint32_t>{96});
    EXPECT_EQ(events_.requests[2].ids, undisturbed(second).ids);
    EXPECT_EQ(events_.requests[1].ids, undisturbed(first).ids);
}

TEST_P(SharedPrefix, OfOneThatLostItsPagesIsItsOwnToo) {
    open({.n_slots = 2, .n_held = 2, .n_pages = 8});
    const auto evicted = request(1, long_text("evicted", 120), 40, kFiltered);  // five pages
    start(evicted, 1);
    while (events_.requests[1].ids.size() < 10) ASSERT_TRUE(generator_->step());
    const auto urgent = request(2, "urgent", 100);  // four
    start(urgent, 0);
    test::run(*generator_);
    EXPECT_EQ(events_.requests[1].cached, (std::vector<uint32_t>{0, 120})) << "the prompt and a part of the answer";
    EXPECT_EQ(events_.requests[1].ids, undisturbed(evicted).ids);
    EXPECT_EQ(events_.requests[2].ids, undisturbed(urgent).ids);
}

TEST_P(SharedPrefix, MakesNobodyWaitForPages) {
    open({.n_slots = 1, .n_pages = 8});
    ASSERT_EQ(found(request(1, long_text("all of them", 250), 6)), 0u);
    EXPECT_EQ(generator_->page_counts(), (KvPages::Counts{.used = 0, .cached = 7, .total = 8}));
    EXPECT_EQ(found(request(2, long_text("others", 250), 6)), 0u);
    EXPECT_EQ(found(request(3, long_text("others", 250), 6)), 224u);
    EXPECT_EQ(found(request(4, long_text("all of them", 250), 6)), 0u) << "the least recently used are gone";
}

TEST_P(SharedPrefix, IsNotKeptOfWhatWasNotFinite) {
    const std::string sound = long_text("sound", 70);
    open();
    ASSERT_EQ(found(request(1, sound, 5)), 0u);
    device().poison = {'#'};
    start(request(2, sound + "#" + long_text("", 60), 5));
    test::run(*generator_);
    ASSERT_TRUE(events_.requests[2].finish);
    ASSERT_TRUE(std::holds_alternative<base::Error>(events_.requests[2].finish->how));
    EXPECT_EQ(events_.requests[2].cached, std::vector<uint32_t>{64});
    EXPECT_EQ(generator_->page_counts().cached, 0u) << "nor what it took from the cache";
    device().poison.clear();
    EXPECT_EQ(found(request(3, sound + "#" + long_text("", 60), 5)), 0u);
}

TEST_P(SharedPrefix, IsDroppedOnDemandAlsoThatOfPausedOnes) {
    open();
    ASSERT_EQ(found(request(1, long_text("ended", 100), 5)), 0u);
    const auto paused = request(2, long_text("paused", 100), 30);
    start(paused);
    while (events_.requests[2].ids.size() < 5) ASSERT_TRUE(generator_->step());
    generator_->set_paused(2, true);
    generator_->drop_cache();
    EXPECT_EQ(generator_->page_counts(), (KvPages::Counts{.used = 0, .cached = 0, .total = 32}));
    EXPECT_EQ(found(request(3, long_text("ended", 100), 5)), 0u);
    generator_->set_paused(2, false);
    test::run(*generator_);
    EXPECT_EQ(events_.requests[2].cached, (std::vector<uint32_t>{0, 0}));
    EXPECT_EQ(events_.requests[2].ids, undisturbed(paused).ids);
}

TEST_P(SharedPrefix, IsNotKeptBeforeLogitsShowThatItIsSound) {
    open({.n_slots = 1, .max_rows = 64});
    const auto cancelled = request(1, long_text("cancelled", 200), 5);
    start(cancelled);
    ASSERT_TRUE(generator_->step());  // the first 60
    generator_->cancel(1);
    EXPECT_EQ(found(request(2, cancelled.prompt, 5)), 0u);
}

// With windowed pages a text goes on where those are still there that the next position sees: 48 positions are two or
// three pages.
TEST_P(SharedPrefix, OfAWindowGoesOnFromTheEndOfAPromptAndOfAText) {
    const test::FakeModelOptions options = {.window = 48, .n_window_pages = 24};
    const std::string prompt = long_text("once upon a time", 150);
    open(options);
    EXPECT_EQ(found(request(1, prompt, 40)), 0u);
    EXPECT_LE(device().most_window_pages, 5u);
    EXPECT_EQ(found(request(2, prompt, 40)), 128u);
    EXPECT_EQ(found(request(3, prompt.substr(0, 100) + "otherwise", 40)), 0u) << "its window was let go";
    open(options);
    EXPECT_EQ(found(request(1, prompt.substr(0, 50), 60)), 0u);
    std::string turn = prompt.substr(0, 50);
    for (const int32_t id : events_.requests[1].ids) turn.push_back(static_cast<char>(id));
    EXPECT_EQ(found(request(2, turn + " and a further question", 40)), 96u);
}

TEST_P(SharedPrefix, OfAWindowIsKeptWhereASecondTextBranchesOff) {
    open({.window = 48, .n_window_pages = 24});
    const std::string system = long_text("a system prompt", 70);
    EXPECT_EQ(found(request(1, system + long_text("one", 100), 20)), 0u);
    EXPECT_EQ(found(request(2, system + long_text("two", 100), 20)), 0u);
    EXPECT_EQ(found(request(3, system + long_text("three", 100), 20)), 64u);
    for (uint64_t id = 4; id <= 6; ++id) {  // that take most of the pages, but not those that come again
        const std::string name = std::string(1, static_cast<char>('0' + id));
        EXPECT_EQ(found(request(id, long_text(name, 150), 20)), 0u);
    }
    EXPECT_EQ(found(request(7, system + long_text("four", 100), 20)), 64u);
}

TEST_P(SharedPrefix, OfAWindowMakesNobodyWaitForPages) {
    open({.n_slots = 2, .window = 48, .n_window_pages = 9});  // of which a text needs five
    const auto first = request(1, long_text("first", 150), 40), second = request(2, long_text("second", 150), 40);
    start(first);
    start(second);
    test::run(*generator_);
    EXPECT_EQ(events_.requests[1].ids, undisturbed(first).ids);
    EXPECT_EQ(events_.requests[2].ids, undisturbed(second).ids);
    generator_->drop_cache();
    EXPECT_EQ(found(request(3, first.prompt, 40)), 0u);
    EXPECT_EQ(found(request(4, first.prompt, 40)), 128u);
}

// Whatever is paused, moved, evicted, cancelled and begun again, and when: every text is that of its request alone.
TEST_P(SharedPrefix, NoDisturbanceChangesAText) {
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 chance(seed);
    const auto draw = [&](uint32_t least, uint32_t most) { return std::uniform_int_distribution(least, most)(chance); };
    const std::string tree[] = {long_text("a system prompt", 120), long_text("another", 90)};
    uint32_t n_found = 0;
    for (int round = 0; round < 10; ++round) {
        const uint32_t window = std::array{0u, 1u, 33u, 48u, 100u}[round % 5];
        open({.n_slots = 3, .n_held = 2, .n_pages = 14, .window = window, .n_window_pages = draw(7, 24)});
        std::vector<GenerationRequest> requests;
        std::vector<bool> paused(17), cancelled(17);
        for (uint64_t id = 1; id <= 16; ++id) {
            const auto& sampling = id % 3 == 0 ? kSeeded : id % 3 == 1 ? kFiltered : Sampling{};
            const std::string prompt = tree[draw(0, 1)].substr(0, draw(60, 90)) +
                                       std::string(draw(1, 60), static_cast<char>('a' + draw(0, 1)));
            requests.push_back(request(id, prompt, draw(1, 60), sampling, draw(0, 1) == 0 ? "app" : "another"));
            start(requests.back(), draw(0, 2));
            for (uint32_t n = draw(1, 8); n > 0; --n) {
                const uint64_t other = draw(1, static_cast<uint32_t>(id));
                const uint32_t what = draw(0, 7);
                if (what < 4) {
                    paused[other] = !paused[other];
                    generator_->set_paused(other, paused[other]);
                } else if (what == 4 && !events_.requests[other].finish && !cancelled[other]) {
                    generator_->start(other, draw(0, 2));
                } else if (what == 5 && draw(0, 9) == 0) {
                    cancelled[other] = true;
                    generator_->cancel(other);
                }
                for (uint32_t i = draw(0, 6); i > 0; --i) ASSERT_TRUE(generator_->step());
            }
        }
        for (uint64_t id = 1; id <= 16; ++id) generator_->set_paused(id, false);
        test::run(*generator_);
        for (const auto& one : requests) {
            const auto& given = events_.requests[one.id];
            for (const uint32_t n : given.cached) n_found += n;
            if (!given.finish) continue;
            const auto expected = undisturbed(one);
            EXPECT_EQ(given.ids, expected.ids) << "request " << one.id;
            EXPECT_EQ(given.text, expected.text) << "request " << one.id;
        }
        EXPECT_EQ(generator_->page_counts().used, 0u);
    }
    EXPECT_GT(n_found, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Devices, SharedPrefix, testing::Bool(),
                         [](const auto& kind) { return std::string(kind.param ? "Asynchronous" : "Synchronous"); });

}  // namespace
}  // namespace llmd::generation
