// Requests with penalties, logit bias, min_tokens, ignore_eos and stop tokens, on a device whose logits are known: each
// token is the one that the formulas give in double precision, whether the device or the host biases the logits, and
// whatever happens around the request.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "constraint/automaton.h"
#include "daemon/engine/generation/fake_model.h"
#include "daemon/engine/generation/generator_runs.h"
#include "daemon/engine/generation/recorded_events.h"
#include "engine/compute/noise.h"

namespace llmd::generation {
namespace {

using namespace test;
using Request = RecordedEvents::Request;

constexpr uint32_t kVocabulary = 1200;  // most of which have no text
const FakeModelOptions kLarge = {.n_ctx = 1024, .n_pages = 128, .n_vocab = kVocabulary};
constexpr int32_t kEnd = ByteTokenizer::kEnd;

bool is_end(const GenerationRequest& request, int32_t id) {
    const auto& stops = request.sampling.stop_token_ids;
    return id == kEnd || std::find(stops.begin(), stops.end(), id) != stops.end();
}

// The logits behind `history`, after all logit biases.
std::vector<double> biased_logits(const FakeBackend& device, const GenerationRequest& request,
                                  const std::vector<int32_t>& history) {
    const Sampling& sampling = request.sampling;
    const auto plain = device.logits(history);
    std::vector<double> logits(plain.begin(), plain.end());
    std::map<int32_t, int> counts;
    for (size_t i = 0; i < history.size(); ++i) {
        const bool in_window = sampling.repeat_last_n == kWholeContext ||
                               history.size() - i <= static_cast<size_t>(sampling.repeat_last_n);
        if (in_window) ++counts[history[i]];
    }
    for (const auto& [id, count] : counts) {
        double& l = logits[static_cast<size_t>(id)];
        l = l > 0 ? l / double{sampling.repeat_penalty} : l * double{sampling.repeat_penalty};
        l -= double{sampling.presence_penalty} + count * double{sampling.frequency_penalty};
    }
    for (const auto& [id, bias] : sampling.logit_bias) logits[static_cast<size_t>(id)] += double{bias};
    const size_t n_generated = history.size() - request.prompt_ids.size();
    for (int32_t id = 0; id < static_cast<int32_t>(kVocabulary); ++id) {
        const bool is_banned =
            n_generated < request.sampling.min_tokens ? is_end(request, id) : request.sampling.ignore_eos && id == kEnd;
        if (is_banned) logits[static_cast<size_t>(id)] = -std::numeric_limits<double>::infinity();
    }
    return logits;
}

int32_t expected_token(const std::vector<double>& logits, const Sampling& sampling, uint32_t position) {
    std::vector<int32_t> ids(logits.size());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
    const auto logit = [&](int32_t id) { return logits[static_cast<size_t>(id)]; };
    std::stable_sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) { return logit(a) > logit(b); });
    if (sampling.temperature == 0) return ids[0];
    if (sampling.top_k > 0) ids.resize(std::min<size_t>(ids.size(), sampling.top_k));
    double total = 0, mass = 0;
    for (const int32_t id : ids) total += std::exp(logit(id) - logit(ids[0]));
    size_t n = 0;
    for (; n < ids.size(); ++n) {
        const double relative = std::exp(logit(ids[n]) - logit(ids[0]));
        if (n > 0 &&
            (mass >= (sampling.top_p < 1 ? double{sampling.top_p} : 2.0) || relative < double{sampling.min_p})) {
            break;
        }
        mass += relative / total;
    }
    ids.resize(n);
    const uint32_t key = compute::noise_key(sampling.seed.value_or(0), position);
    const auto score = [&](int32_t id) {
        return logit(id) / double{sampling.temperature} + double{compute::gumbel_noise(key, static_cast<uint32_t>(id))};
    };
    return *std::max_element(ids.begin(), ids.end(), [&](int32_t a, int32_t b) { return score(a) < score(b); });
}

void expect_the_formulas(const GenerationRequest& request, const Request& given) {
    const FakeBackend device(kVocabulary, {.n_slots = 1});
    std::vector<int32_t> history = request.prompt_ids;
    for (size_t i = 0;; ++i) {
        const auto position = static_cast<uint32_t>(history.size());
        const auto logits = biased_logits(device, request, history);
        const int32_t id = expected_token(logits, request.sampling, position);
        if (i == given.ids.size()) {
            EXPECT_EQ(given.ended_with(End::Stop), is_end(request, id) && i < request.max_tokens);
            return;
        }
        ASSERT_EQ(given.ids[i], id) << "token " << i;
        history.push_back(id);
        if (!request.top_logprobs) continue;
        double total = 0;
        for (const double logit : logits) total += std::exp(logit);
        const double logprob = logits[static_cast<size_t>(id)] - std::log(total);
        EXPECT_NEAR(given.logprobs[i].chosen.logprob, logprob, 1e-4);
    }
}

Request on_device(const GenerationRequest& request, bool asynchronous, uint32_t* n_logit_reads = nullptr) {
    auto model = fake_model(kLarge);
    fake_backend(model).asynchronous = asynchronous;
    RecordedEvents events;
    Generator generator(model, PrefillPace::exactly(60), events);
    const auto submitted = generator.submit(request);
    EXPECT_TRUE(submitted) << submitted.error().message;
    generator.start(request.id);
    run(generator);
    if (n_logit_reads != nullptr) *n_logit_reads += fake_backend(model).n_logit_reads;
    return events.requests[request.id];
}

class LogitBiases : public testing::Test {
protected:
    uint32_t draw(uint32_t least, uint32_t most) { return std::uniform_int_distribution(least, most)(chance_); }
    float between(float least, float most) { return std::uniform_real_distribution(least, most)(chance_); }
    int32_t draw_id(uint32_t n) { return static_cast<int32_t>(draw(0, n - 1)); }

    // With a prompt of few or of many different tokens, some of which come often.
    GenerationRequest random_request() {
        GenerationRequest request;
        request.id = 1;
        const uint32_t n_different = draw(0, 2) == 0 ? kVocabulary : draw(1, 60);
        for (uint32_t n = draw(1, 700); n > 0; --n) request.prompt_ids.push_back(draw_id(n_different));
        request.max_tokens = draw(1, 25);
        request.sampling.min_tokens = draw(0, 1) == 0 ? 0 : draw(0, request.max_tokens);
        request.sampling.ignore_eos = draw(0, 3) == 0;
        for (uint32_t n = draw(0, 3); n > 0; --n) request.sampling.stop_token_ids.push_back(draw_id(kVocabulary));
        Sampling& sampling = request.sampling;
        sampling.seed = draw(0, 1000);
        if (draw(0, 3) != 0) sampling.temperature = between(0.2f, 3);
        if (draw(0, 2) == 0) sampling.top_k = draw(2, 300);
        if (draw(0, 2) == 0) sampling.top_p = between(0.1f, 0.99f);
        if (draw(0, 2) == 0) sampling.min_p = between(0, 0.3f);
        if (draw(0, 2) == 0) sampling.repeat_penalty = between(0.3f, 3);
        if (draw(0, 1) == 0) sampling.presence_penalty = between(-2, 2);
        if (draw(0, 1) == 0) sampling.frequency_penalty = between(-2, 2);
        const int32_t windows[] = {Sampling().repeat_last_n, kWholeContext, kWholeContext, 0, 1, 500, 100'000};
        sampling.repeat_last_n = windows[draw(0, std::size(windows) - 1)];
        const uint32_t n_biased = draw(0, 2) == 0 ? draw(200, kMaxLogitBias) : draw(0, 5);
        for (uint32_t n = 0; n < n_biased; ++n) {
            const bool bans = draw(0, 5) == 0;
            const float bias = draw(0, 5) == 0 ? between(-100, 100) : between(-2, 2);
            sampling.logit_bias.push_back(
                {draw_id(draw(0, 1) == 0 ? 40 : kVocabulary), bans ? -std::numeric_limits<float>::infinity() : bias});
        }
        if (draw(0, 3) == 0)
            sampling.logit_bias.resize(std::min<size_t>(sampling.logit_bias.size(), kMaxLogitBias - 1));
        if (draw(0, 2) == 0 && sampling.logit_bias.size() < kMaxLogitBias) sampling.logit_bias.push_back({kEnd, 30});
        return request;
    }

    std::mt19937 chance_{1};
};

TEST_F(LogitBiases, EachTokenIsWhatTheFormulasGive) {
    uint32_t n_logit_reads = 0, n_stopped = 0;
    for (int round = 0; round < 150; ++round) {
        SCOPED_TRACE(testing::Message() << "round " << round);
        auto request = random_request();
        if (round % 5 == 0) request.top_logprobs = 0;
        const auto given = on_device(request, round % 2 == 0, &n_logit_reads);
        expect_the_formulas(request, given);
        n_stopped += given.ended_with(End::Stop) ? 1 : 0;
        if (HasFailure()) return;
    }
    EXPECT_GT(n_logit_reads, 100u) << "no logit_biases were too many for the device";
    EXPECT_GT(n_stopped, 20u);
}

TEST_F(LogitBiases, ReplayFromEveryCutGivesTheSameTokens) {
    for (int round = 0; round < 20; ++round) {
        const auto request = random_request();
        const auto whole = on_device(request, round % 2 == 0);
        for (size_t cut = 0; cut <= whole.ids.size(); ++cut) {
            auto resumed = request;
            resumed.replay_ids.assign(whole.ids.begin(), whole.ids.begin() + static_cast<ptrdiff_t>(cut));
            const auto rest = on_device(resumed, round % 2 == 0);
            auto ids = resumed.replay_ids;
            ids.insert(ids.end(), rest.ids.begin(), rest.ids.end());
            ASSERT_EQ(ids, whole.ids) << "round " << round << ", cut " << cut;
            EXPECT_EQ(rest.text, whole.text);
        }
    }
}

TEST(EndTokens, AreNotSampledBeforeMinTokensNorWithIgnoreEos) {
    // Without a ban the first token would be an end token.
    auto eager = request(1, "abc", 20, {.logit_bias = {{kEnd, 100}, {'q', 90}}});
    EXPECT_EQ(undisturbed(eager).ids.size(), 0u);
    eager.sampling.min_tokens = 7;
    const auto seven = undisturbed(eager);
    EXPECT_EQ(seven.ids.size(), 7u);
    EXPECT_TRUE(seven.ended_with(End::Stop));
    eager.sampling.ignore_eos = true;
    const auto endless = undisturbed(eager);
    EXPECT_EQ(endless.ids.size(), 20u);
    EXPECT_TRUE(endless.ended_with(End::Length));
    eager.sampling.stop_token_ids = {'q'};
    const auto stopped = undisturbed(eager);
    EXPECT_EQ(stopped.ids.size(), 7u);
    EXPECT_TRUE(stopped.ended_with(End::Stop));
    EXPECT_EQ(std::count(stopped.ids.begin(), stopped.ids.end(), 'q'), 0);
}

// Not even at a temperature where all tokens are alike.
TEST(EndTokens, AreNotSampledAtAnyTemperature) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
        auto hot = request(1, "abc", 100, {.temperature = kMaxTemperature, .seed = seed});
        hot.sampling.ignore_eos = true;
        EXPECT_EQ(undisturbed(hot).ids.size(), 100u);
    }
}

// --- Under a grammar -------------------------------------------------------------------------------------------------

// The letter a, at most `most` times, then possibly the letter b.
std::shared_ptr<const constraint::Grammar> some_a(int most) {
    constraint::GrammarBuilder b;
    auto rest = b.choice(b.end(), b.bytes('b', 'b', b.end()));
    for (int i = 0; i < most; ++i) rest = b.choice(b.end(), b.bytes('a', 'a', rest));
    auto grammar = b.finish(b.rule(rest));
    EXPECT_TRUE(grammar);
    return std::make_shared<const constraint::Grammar>(std::move(*grammar));
}

// It has no b, and two tokens that end generation.
class WithoutB : public ByteTokenizer {
public:
    WithoutB() {
        kinds_['b'] = tokenizer::TokenKind::Control;
        end_ids_ = {255, kEnd};
    }
};

TEST(EndTokens, ABanYieldsWhereTheGrammarAllowsNothingElse) {
    for (const bool ignore_eos : {false, true}) {
        for (const Sampling& sampling : {Sampling{}, kSeeded, kFiltered}) {
            auto held = request(1, "abc", 50, sampling);
            held.grammar = some_a(5);
            held.sampling.min_tokens = ignore_eos ? 0 : 50;
            held.sampling.ignore_eos = ignore_eos;
            auto model = fake_model();
            model.tokenizer = std::make_unique<WithoutB>();
            RecordedEvents events;
            Generator generator(model, PrefillPace::exactly(60), events);
            ASSERT_TRUE(generator.submit(held));
            generator.start(1);
            run(generator);
            EXPECT_TRUE(events.requests[1].ended_with(End::Stop));
            EXPECT_EQ(events.requests[1].text, "aaaaa") << "all that goes on, then the end";
        }
    }
}

TEST(EndTokens, ATextThatNothingCanFollowEndsBeforeMinTokens) {
    auto held = request(1, "abc", 50, kSeeded);
    held.grammar = some_a(2);
    held.sampling.min_tokens = 50;
    const auto given = undisturbed(held);
    EXPECT_TRUE(given.ended_with(End::Stop));
    EXPECT_EQ(given.text.back(), 'b');
}

}  // namespace
}  // namespace llmd::generation
