// Requests with a grammar, on a device whose logits are noise: their texts match it, end when they must, and are the
// same whatever happens around them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "constraint/automaton.h"
#include "constraint/json_schema.h"
#include "engine/generation/generator.h"
#include "fake_model.h"
#include "generator_runs.h"
#include "recorded_events.h"

namespace llmd::generation {
namespace {

using namespace test;
using constraint::Grammar;

const char* const kPerson = R"({"type":"object","properties":{"name":{"type":"string","maxLength":6},
    "age":{"type":"integer","minimum":0,"maximum":150},"tags":{"type":"array","items":{"enum":["a","b"]},"maxItems":3}},
    "required":["name","age"]})";

const std::vector<Sampling> kSamplings = {{},
                                          kSeeded,
                                          kFiltered,
                                          {.temperature = 1.5f, .top_p = 0.9f, .seed = 3},
                                          {.temperature = 1.5f, .min_p = 0.2f, .seed = 4}};

std::shared_ptr<const Grammar> grammar_of(std::string_view schema) {
    auto grammar = constraint::compile_json_schema(schema);
    EXPECT_TRUE(grammar);
    return std::make_shared<const Grammar>(std::move(*grammar));
}

std::shared_ptr<const Grammar> any_bytes() {
    constraint::GrammarBuilder b;
    const auto loop = b.unknown();
    b.become_choice(loop, b.end(), b.bytes('\0', '\xFF', loop));
    auto grammar = b.finish(b.rule(loop));
    EXPECT_TRUE(grammar);
    return std::make_shared<const Grammar>(std::move(*grammar));
}

GenerationRequest held(uint64_t id, const std::string& prompt, std::shared_ptr<const Grammar> grammar,
                       const Sampling& sampling = {}, uint32_t max_tokens = 200) {
    GenerationRequest held = request(id, prompt, max_tokens, sampling);
    held.grammar = std::move(grammar);
    return held;
}

bool fits(const std::shared_ptr<const Grammar>& grammar, const std::string& text) {
    constraint::Automaton automaton(grammar);
    auto state = automaton.start();
    for (const char c : text) {
        state = automaton.advance(state, static_cast<uint8_t>(c));
        if (state == constraint::Automaton::kDead) return false;
    }
    return automaton.is_complete(state);
}

TEST(Constrained, EveryTextThatStopsFits) {
    const auto grammar = grammar_of(kPerson);
    for (Sampling sampling : kSamplings) {
        for (uint64_t seed = 0; seed < 20; ++seed) {
            sampling.seed = seed;
            const auto given = undisturbed(held(1, "p" + std::to_string(seed), grammar, sampling));
            EXPECT_TRUE(given.ended_with(End::Stop));
            EXPECT_TRUE(fits(grammar, given.text)) << given.text;
        }
    }
}

TEST(Constrained, WhatAllowsAllChangesNothing) {
    for (Sampling sampling : kSamplings) {
        for (uint64_t seed = 0; seed < 10; ++seed) {
            sampling.seed = seed;
            const auto free = undisturbed(request(1, "abc", 40, sampling));
            const auto all = undisturbed(held(1, "abc", any_bytes(), sampling, 40));
            EXPECT_EQ(all.ids, free.ids);
            EXPECT_EQ(all.text, free.text);
        }
    }
}

// The device's few candidates must give what its whole row gives.
TEST(Constrained, CandidatesAndTheWholeRowChooseAlike) {
    const auto grammar = grammar_of(kPerson);
    for (const Sampling& sampling : kSamplings) {
        const auto many = undisturbed(held(1, "abc", grammar, sampling));
        auto model = fake_model();
        fake_backend(model).max_candidates = 3;
        RecordedEvents events;
        Generator generator(model, PrefillPace::exactly(60), events);
        ASSERT_TRUE(generator.submit(held(1, "abc", grammar, sampling)));
        generator.start(1);
        run(generator);
        EXPECT_EQ(events.requests[1].ids, many.ids);
    }
}

TEST(Constrained, ReplayGoesOnAsIfNothingHadHappened) {
    const auto grammar = grammar_of(kPerson);
    for (const Sampling& sampling : kSamplings) {
        const auto whole = undisturbed(held(1, "abc", grammar, sampling));
        for (size_t n = 0; n <= whole.ids.size(); ++n) {
            GenerationRequest again = held(1, "abc", grammar, sampling);
            again.replay_ids.assign(whole.ids.begin(), whole.ids.begin() + static_cast<std::ptrdiff_t>(n));
            const auto rest = undisturbed(again);
            auto ids = again.replay_ids;
            ids.insert(ids.end(), rest.ids.begin(), rest.ids.end());
            EXPECT_EQ(ids, whole.ids);
            EXPECT_EQ(rest.text, whole.text);
        }
    }
    GenerationRequest wrong = held(1, "abc", grammar);
    wrong.replay_ids = {'{', '['};
    auto model = fake_model();
    RecordedEvents events;
    Generator generator(model, PrefillPace::exactly(60), events);
    const auto refused = generator.submit(wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "replay_ids: 91 is not what the grammar goes on with");
}

// On a device that runs ahead, among others, with pages so short that they lose theirs.
TEST(Constrained, OtherRowsAndEvictionChangeNothing) {
    const auto grammar = grammar_of(kPerson);
    auto model = fake_model({.n_slots = 2, .n_ctx = 96, .n_pages = 4});
    fake_backend(model).asynchronous = true;
    RecordedEvents events;
    Generator generator(model, PrefillPace::exactly(8), events);
    std::vector<GenerationRequest> all;
    for (uint64_t id = 1; id <= 6; ++id) {
        const auto& sampling = kSamplings[id % kSamplings.size()];
        all.push_back(id % 3 == 0 ? request(id, "free", 40, sampling) : held(id, "held", grammar, sampling, 60));
        ASSERT_TRUE(generator.submit(all.back()));
        generator.start(id, static_cast<uint32_t>(6 - id));
        for (int i = 0; i < 4; ++i) ASSERT_TRUE(generator.step());
    }
    run(generator);
    for (const auto& one : all) {
        auto alone = fake_model({.n_ctx = 96});
        RecordedEvents expected;
        Generator undisturbed(alone, PrefillPace::exactly(60), expected);
        ASSERT_TRUE(undisturbed.submit(one));
        undisturbed.start(one.id);
        run(undisturbed);
        EXPECT_EQ(events.requests[one.id].ids, expected.requests[one.id].ids) << one.id;
        EXPECT_EQ(events.requests[one.id].text, expected.requests[one.id].text) << one.id;
    }
}

TEST(Constrained, TheDeviceNeverRunsAheadOfTheGrammar) {
    auto model = fake_model();
    fake_backend(model).asynchronous = true;
    RecordedEvents events;
    Generator generator(model, PrefillPace::exactly(60), events);
    ASSERT_TRUE(generator.submit(held(1, "abc", grammar_of(kPerson), kSeeded)));
    generator.start(1);
    run(generator);
    EXPECT_EQ(fake_backend(model).n_steps_ahead, 0u);
}

// Tokens without an alternative need no step of their own, and each token is computed once, whatever a chunk holds.
TEST(Constrained, TokensWithoutAChoiceAreComputedTogether) {
    const auto grammar = grammar_of(R"({"type":"object","properties":{"a long name of a property":{"const":
        "and a value that is known"},"digit":{"enum":[1,2]}},"required":["a long name of a property","digit"]})");
    auto model = fake_model();
    const auto tokens = std::make_shared<const constraint::TokenTrie>(*model.tokenizer, model.spec.n_vocab);
    for (const Sampling& sampling : kSamplings) {
        const auto whole = undisturbed(held(1, "abc", grammar, sampling));
        ASSERT_TRUE(whole.ended_with(End::Stop));
        EXPECT_TRUE(fits(grammar, whole.text));
        constraint::Constraint constraint(grammar, tokens);
        uint32_t n_sampled = 0;
        for (const int32_t id : whole.ids) {
            n_sampled += n_sampled == 0 || constraint.allowed().n > 1 ? 1 : 0;
            ASSERT_TRUE(constraint.accept(id));
        }
        EXPECT_LT(n_sampled, whole.ids.size() / 4);
        for (const uint32_t chunk : {60u, 5u}) {
            auto fresh = fake_model();
            RecordedEvents events;
            Generator generator(fresh, PrefillPace::exactly(chunk), events);
            ASSERT_TRUE(generator.submit(held(1, "abc", grammar, sampling)));
            generator.start(1);
            run(generator);
            EXPECT_EQ(events.requests[1].ids, whole.ids);
            EXPECT_EQ(events.requests[1].text, whole.text);
            const auto& rows = fake_backend(fresh).rows_per_step;
            if (chunk == 60) {
                EXPECT_EQ(rows.size(), n_sampled);
            }
            EXPECT_LE(*std::max_element(rows.begin(), rows.end()), 1 + chunk);
            EXPECT_LT(std::accumulate(rows.begin(), rows.end(), 0u), 3 + whole.ids.size());
        }
    }
}

TEST(Constrained, EndsWithTheTokensThatWereAskedFor) {
    const auto given = undisturbed(held(1, "abc", grammar_of(R"({"type":"string"})"), kSeeded, 12));
    EXPECT_TRUE(given.ended_with(End::Length));
    EXPECT_EQ(given.ids.size(), 12u);
}

// A number may go on until its digits are used up; the end of text is allowed behind every one.
TEST(Constrained, ACompleteTextMayEnd) {
    const auto grammar = grammar_of(R"({"type":"integer"})");
    bool some_early = false;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        const auto given = undisturbed(held(1, "n", grammar, {.temperature = 1, .seed = seed}));
        EXPECT_TRUE(given.ended_with(End::Stop));
        EXPECT_TRUE(fits(grammar, given.text)) << given.text;
        some_early = some_early || given.text.size() < 15;
    }
    EXPECT_TRUE(some_early);
}

TEST(Constrained, AStopStringStillEndsIt) {
    GenerationRequest stopped = held(1, "abc", grammar_of(kPerson), kSeeded);
    stopped.stops = {"\"age"};
    const auto given = undisturbed(stopped);
    EXPECT_TRUE(given.ended_with(End::Stop));
    EXPECT_EQ(given.text.find("\"age"), std::string::npos);
    EXPECT_EQ(given.text.rfind("{\"name\":", 0), 0u);
}

// The model's ids end before '{'.
TEST(Constrained, AVocabularyThatCannotSpellItFailsThatRequestAlone) {
    auto model = fake_model({.n_vocab = 64});
    RecordedEvents events;
    Generator generator(model, PrefillPace::exactly(60), events);
    ASSERT_TRUE(generator.submit(held(1, "!!", grammar_of(kPerson))));
    ASSERT_TRUE(generator.submit(held(2, "!!", grammar_of(R"({"type":"integer","minimum":7})"))));
    generator.start(1);
    generator.start(2);
    run(generator);
    const auto* error = std::get_if<base::Error>(&events.requests[1].finish->how);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->code, base::ErrorCode::ConstraintFailed);
    EXPECT_EQ(error->message, "json_schema: after 0 tokens no token of this model goes on with a text that fits");
    EXPECT_TRUE(events.requests[2].ended_with(End::Stop)) << "without an end-of-text token in this vocabulary";
    EXPECT_EQ(events.requests[2].text.size(), 15u);
}

}  // namespace
}  // namespace llmd::generation
