// Compares logprobs, on a device whose logits are known, with a softmax over the whole row, and proves that wanting
// them changes no token and that an interrupted request reports those of each token once.
#include "engine/generation/sampling/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "constraint/automaton.h"
#include "daemon/engine/generation/fake_model.h"
#include "daemon/engine/generation/generator_runs.h"
#include "daemon/engine/generation/recorded_events.h"

namespace llmd::generation {
namespace {

using namespace test;
using Request = RecordedEvents::Request;

const std::vector<Sampling> kSamplings = {{},
                                          kSeeded,
                                          kFiltered,
                                          {.temperature = 2, .seed = 9},
                                          {.repeat_penalty = 1.3f},
                                          {.temperature = 1,
                                           .top_k = 30,
                                           .repeat_penalty = 1.2f,
                                           .presence_penalty = 0.5f,
                                           .frequency_penalty = -0.7f,
                                           .seed = 2,
                                           .logit_bias = {{'a', 3}, {'t', -4}, {'b', 5}}},
                                          {.temperature = 1.5f, .min_p = 0.2f, .seed = 4}};
constexpr uint32_t kTop = 5;
constexpr float kTolerance = 1e-5f;

GenerationRequest asking(const Sampling& sampling, std::optional<uint32_t> n_top = kTop) {
    auto asking = request(1, "tell me", 30, sampling);
    asking.top_logprobs = n_top;
    return asking;
}

Request given(LoadedModel& model, const GenerationRequest& request) {
    RecordedEvents events;
    Generator generator(model, PrefillPace::exactly(60), events);
    EXPECT_TRUE(generator.submit(request));
    generator.start(request.id);
    run(generator);
    return events.requests[request.id];
}

// Any text of these letters.
std::shared_ptr<const constraint::Grammar> letters(char first, char last) {
    constraint::GrammarBuilder b;
    const auto loop = b.unknown();
    b.become_choice(loop, b.end(), b.bytes(first, last, loop));
    auto grammar = b.finish(b.rule(loop));
    EXPECT_TRUE(grammar);
    return std::make_shared<const constraint::Grammar>(std::move(*grammar));
}

// The logarithms of all probabilities at the i-th token, of those ids that `takes_part`.
template <typename TakesPart>
std::vector<TokenLogprob> expected(LoadedModel& model, const GenerationRequest& request, const Request& given, size_t i,
                                   TakesPart takes_part) {
    std::vector<int32_t> history;
    for (const char c : request.prompt) history.push_back(static_cast<uint8_t>(c));
    history.insert(history.end(), given.ids.begin(), given.ids.begin() + static_cast<ptrdiff_t>(i));
    auto logits = fake_backend(model).logits(history);
    std::map<int32_t, int> counts;  // the window has them all
    for (const int32_t id : history) ++counts[id];
    const Sampling& sampling = request.sampling;
    for (const auto& [id, count] : counts) {
        float& l = logits[static_cast<size_t>(id)];
        l = l > 0 ? l / sampling.repeat_penalty : l * sampling.repeat_penalty;
        l -= sampling.presence_penalty + static_cast<float>(count) * sampling.frequency_penalty;
    }
    for (const auto& [id, bias] : sampling.logit_bias) logits[static_cast<size_t>(id)] += bias;
    double total = 0;
    std::vector<TokenLogprob> all;
    for (size_t id = 0; id < logits.size(); ++id) {
        if (!takes_part(static_cast<int32_t>(id))) continue;
        total += std::exp(static_cast<double>(logits[id]));
        all.push_back({static_cast<int32_t>(id), logits[id]});
    }
    for (TokenLogprob& one : all) one.logprob -= static_cast<float>(std::log(total));
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.logprob > b.logprob; });
    return all;
}

template <typename TakesPart>
void expect_told(LoadedModel& model, const GenerationRequest& request, const Request& given, TakesPart takes_part) {
    ASSERT_EQ(given.logprobs.size(), given.ids.size());
    for (size_t i = 0; i < given.ids.size(); ++i) {
        const auto all = expected(model, request, given, i, takes_part);
        const TokenLogprobs& told = given.logprobs[i];
        EXPECT_EQ(told.chosen.id, given.ids[i]);
        const auto chosen =
            std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.id == given.ids[i]; });
        ASSERT_NE(chosen, all.end());
        EXPECT_NEAR(told.chosen.logprob, chosen->logprob, kTolerance);
        ASSERT_EQ(told.top.size(), std::min<size_t>(*request.top_logprobs, all.size()));
        for (size_t k = 0; k < told.top.size(); ++k) {
            EXPECT_EQ(told.top[k].id, all[k].id);
            EXPECT_NEAR(told.top[k].logprob, all[k].logprob, kTolerance);
        }
    }
}

const auto kAll = [](int32_t) { return true; };

TEST(Logprobs, AreThoseOfTheRowBeforeTemperatureAndFiltersAndAfterThePenalties) {
    for (const Sampling& sampling : kSamplings) {
        auto model = fake_model();
        const auto asked = asking(sampling);
        expect_told(model, asked, given(model, asked), kAll);
    }
}

TEST(Logprobs, ChangeNoToken) {
    for (const bool asynchronous : {false, true}) {
        for (const Sampling& sampling : kSamplings) {
            const auto without = undisturbed(asking(sampling, std::nullopt));
            EXPECT_TRUE(without.logprobs.empty());
            for (const uint32_t n_top : {0u, kTop}) {
                auto model = fake_model();
                fake_backend(model).asynchronous = asynchronous;
                const auto with = given(model, asking(sampling, n_top));
                EXPECT_EQ(with.ids, without.ids);
                EXPECT_EQ(with.texts, without.texts);
            }
        }
    }
}

// The same numbers, whether the device's candidates were enough or its row had to be read.
TEST(Logprobs, CandidatesAndTheWholeRowTellTheSame) {
    for (const Sampling& sampling : kSamplings) {
        auto many = fake_model();
        auto few = fake_model();
        fake_backend(few).max_candidates = 3;
        fake_backend(few).asynchronous = true;  // a step ahead would take the row away
        const auto by_candidates = given(many, asking(sampling));
        const auto by_row = given(few, asking(sampling));
        EXPECT_EQ(fake_backend(many).n_logit_reads, 0u);
        EXPECT_GE(fake_backend(few).n_logit_reads, by_row.ids.size());
        ASSERT_EQ(by_candidates.logprobs.size(), by_row.logprobs.size());
        for (size_t i = 0; i < by_row.logprobs.size(); ++i) {
            EXPECT_EQ(by_candidates.logprobs[i].chosen.logprob, by_row.logprobs[i].chosen.logprob);
            ASSERT_EQ(by_candidates.logprobs[i].top.size(), by_row.logprobs[i].top.size());
            for (size_t k = 0; k < kTop; ++k) {
                EXPECT_EQ(by_candidates.logprobs[i].top[k].id, by_row.logprobs[i].top[k].id);
                EXPECT_EQ(by_candidates.logprobs[i].top[k].logprob, by_row.logprobs[i].top[k].logprob);
            }
        }
    }
}

TEST(Logprobs, TheChosenTokenAloneNeedsNoRowWhereItIsACandidate) {
    auto model = fake_model();
    fake_backend(model).max_candidates = 3;
    const auto greedy = given(model, asking({}, 0));
    expect_told(model, asking({}, 0), greedy, kAll);
    EXPECT_EQ(fake_backend(model).n_logit_reads, 0u);
}

TEST(Logprobs, UnderAConstraintAreAmongWhatItAllows) {
    for (const Sampling& sampling : kSamplings) {
        auto asked = asking(sampling);
        asked.grammar = letters('a', 'd');
        auto model = fake_model();
        const auto told = given(model, asked);
        ASSERT_FALSE(told.ids.empty());
        // Four letters and the end: fewer than the alternatives that are asked for, but for one.
        expect_told(model, asked, told,
                    [](int32_t id) { return (id >= 'a' && id <= 'd') || id == ByteTokenizer::kEnd; });
        asked.top_logprobs.reset();
        EXPECT_EQ(undisturbed(asked).ids, told.ids);
    }
}

TEST(Logprobs, OfATokenThatEndsTheAnswerThereAreNone) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
        auto model = fake_model();
        const auto told = given(model, asking({.temperature = 3, .seed = seed}));
        EXPECT_EQ(told.logprobs.size(), told.ids.size());
        if (told.ended_with(End::Stop)) return;
    }
    FAIL() << "no answer ended by itself";
}

TEST(Logprobs, AReplayTellsOfNewTokensOnlyAndTheSame) {
    for (const Sampling& sampling : kSamplings) {
        const auto whole = undisturbed(asking(sampling));
        for (size_t n = 0; n < whole.ids.size(); ++n) {
            auto resumed = asking(sampling);
            resumed.replay_ids.assign(whole.ids.begin(), whole.ids.begin() + static_cast<ptrdiff_t>(n));
            const auto rest = undisturbed(resumed);
            ASSERT_EQ(rest.logprobs.size(), whole.logprobs.size() - n);
            for (size_t i = 0; i < rest.logprobs.size(); ++i) {
                EXPECT_EQ(rest.logprobs[i].chosen.id, whole.logprobs[n + i].chosen.id);
                EXPECT_EQ(rest.logprobs[i].chosen.logprob, whole.logprobs[n + i].chosen.logprob);
            }
        }
    }
}

TEST(LogprobReader, IdsThatTieWithTheFloorAreNotTaken) {
    auto model = fake_model({.n_vocab = 4});
    const std::vector<compute::Candidate> candidates = {{2, 1}, {3, 0}};
    compute::Sampled sampled{.finite = true, .id = 2, .log_sum_exp = 2, .candidates = candidates, .candidate_floor = 0};
    LogprobReader reader(4);
    const auto one = reader.read(sampled, 2, 1, 0, *model.backend, {});
    ASSERT_TRUE(one);
    EXPECT_EQ(one->chosen.logprob, -1);
    ASSERT_EQ(one->top.size(), 1u);
    // A second alternative could be another id than 3: the row must be read, which this device has none of.
    EXPECT_FALSE(reader.read(sampled, 2, 2, 0, *model.backend, {}));
}

TEST(LogprobReader, NumbersAreThoseThatAProbabilityCanHave) {
    auto model = fake_model({.n_vocab = 4});
    const std::vector<compute::Candidate> candidates = {{0, 1.5f}, {1, -20'000}, {2, -30'000}, {3, -30'000}};
    const compute::Sampled sampled{.finite = true, .id = 0, .log_sum_exp = 1.4999999f, .candidates = candidates};
    const auto told = LogprobReader(4).read(sampled, 1, 20, 0, *model.backend, {});
    ASSERT_TRUE(told);
    EXPECT_EQ(told->chosen.logprob, kLeastLogprob);
    ASSERT_EQ(told->top.size(), 4u);
    EXPECT_EQ(told->top[0].logprob, 0);
}

TEST(LogprobReader, ARowThatCannotBeReadIsTheDevicesError) {
    auto model = fake_model();
    fake_backend(model).fail_logit_reads = true;
    fake_backend(model).max_candidates = 3;
    RecordedEvents events;
    Generator generator(model, PrefillPace(0), events);
    ASSERT_TRUE(generator.submit(asking({})));
    generator.start(1);
    base::Result<void> stepped;
    while (stepped && generator.has_work()) stepped = generator.step();
    ASSERT_FALSE(stepped);
    EXPECT_EQ(stepped.error().code, base::ErrorCode::DeviceError);
}

}  // namespace
}  // namespace llmd::generation
