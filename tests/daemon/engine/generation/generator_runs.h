// Requests for the tests of a Generator, and what each must give.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "engine/generation/generator.h"
#include "fake_model.h"
#include "recorded_events.h"

namespace llmd::test {

inline generation::GenerationRequest request(uint64_t id, std::string prompt, uint32_t max_tokens = 40,
                                             generation::Sampling sampling = {}) {
    generation::GenerationRequest request;
    request.id = id;
    request.prompt = std::move(prompt);
    request.max_tokens = max_tokens;
    request.sampling = sampling;
    return request;
}

// That many bytes, no page of it like another.
inline std::string long_text(const std::string& begin, size_t n_bytes) {
    std::string text = begin;
    for (int i = 0; text.size() < n_bytes; ++i) text += " word " + std::to_string(i);
    text.resize(n_bytes);
    return text;
}

inline void run(generation::Generator& generator) {
    while (generator.has_work()) {
        const auto stepped = generator.step();
        ASSERT_TRUE(stepped) << stepped.error().message;
    }
}

// The request alone, in one chunk, on a device that no step is ahead on.
inline RecordedEvents::Request undisturbed(const generation::GenerationRequest& request,
                                           const FakeModelOptions& options = {}) {
    auto model = fake_model(options);
    RecordedEvents events;
    generation::Generator generator(model, generation::PrefillPace::exactly(60), events);
    EXPECT_TRUE(generator.submit(request));
    generator.start(request.id);
    run(generator);
    EXPECT_TRUE(events.requests[request.id].finish);
    return events.requests[request.id];
}

inline const generation::Sampling kSeeded = {.temperature = 0.9f, .seed = 42};
inline const generation::Sampling kFiltered = {
    .temperature = 0.9f, .top_k = 40, .top_p = 0.95f, .min_p = 0.01f, .repeat_penalty = 1.1f, .seed = 7};

}  // namespace llmd::test
