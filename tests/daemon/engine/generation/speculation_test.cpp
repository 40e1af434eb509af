// Speculation changes no token: random requests, with right and wrong drafts, with other rows, across the edges of
// windows, cancelled and resumed, paused, replayed, give the ids and texts that they give alone without drafts. 2,000
// requests with LLMD_ALL, else some dozens.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <random>

#include "constraint/json_schema.h"
#include "engine/generation/constraint/tool_grammar.h"
#include "engine/generation/generator.h"
#include "generator_runs.h"
#include "recorded_events.h"
#include "support/environment.h"
#include "support/gguf_writer.h"
#include "test_devices.h"

namespace llmd::generation {
namespace {

const Sampling kPenalised = {.temperature = 0.8f,
                             .repeat_penalty = 1.2f,
                             .presence_penalty = 0.4f,
                             .frequency_penalty = 0.3f,
                             .repeat_last_n = 16,
                             .seed = 3,
                             .logit_bias = {{70, -100}, {80, 2.5f}}};
const std::vector<Sampling> kManySamplings = {
    {},
    {.temperature = 0.3f, .seed = 1},
    {.temperature = 1.0f, .top_p = 0.9f, .seed = 2},
    {.temperature = 1.0f, .top_k = 20, .min_p = 0.05f, .seed = 4},
    kPenalised,
    {.repeat_penalty = 1.3f, .repeat_last_n = kWholeContext},
    {.temperature = 0.7f, .presence_penalty = 1.5f, .repeat_last_n = kWholeContext, .seed = 5}};

const char* const kSchema = R"({"type":"object","properties":{"name":{"enum":["first","second","third"]},
    "list":{"type":"array","items":{"type":"integer","minimum":0,"maximum":99},"maxItems":6},
    "text":{"type":"string","maxLength":8}},"required":["name","list","text"]})";

std::shared_ptr<const constraint::Grammar> schema_grammar() {
    auto grammar = constraint::compile_json_schema(kSchema);
    EXPECT_TRUE(grammar);
    return std::make_shared<const constraint::Grammar>(std::move(*grammar));
}

std::shared_ptr<const constraint::Grammar> tool_grammar() {
    std::vector<chat::Tool> tools(1);
    tools[0].name = "get_weather";
    constraint::AnswerShape shape{.tools = tools, .syntax = &chat::kHermesCalls};
    shape.choice.kind = constraint::ToolChoice::Kind::Required;
    const auto grammar = constraint::compile_answer_grammar(shape);
    EXPECT_TRUE(grammar);
    return grammar->grammar;
}

class SpeculationTest : public testing::TestWithParam<const char*> {
protected:
    using Answer = test::RecordedEvents::Request;

    void SetUp() override {
        const auto path = std::filesystem::temp_directory_path() /
                          base::concat("llmd-speculation-", ::getpid(), "-", GetParam(), ".gguf");
        test::TinyModel tiny;
        tiny.architecture = GetParam();
        tiny.n_kv_heads = tiny.architecture == "gpt2" ? tiny.n_heads : 2;
        tiny.n_ctx = 512;
        if (tiny.architecture == "gemma3") tiny.window = 48;  // its layer has pages of its own
        tiny.type = model::TensorType::Q8_0;
        ASSERT_TRUE(test::write_file(path, test::tiny_model(tiny)));
        test::PatientObserver observer;
        LoadOptions options;
        options.backend = {.kind = compute::BackendKind::Cpu, .n_threads = 1};
        options.n_slots = 3;
        auto loaded = load_model(path, options, observer);
        std::filesystem::remove(path);
        ASSERT_TRUE(loaded) << loaded.error().message;
        model_ = std::move(*loaded);
        grammars_ = {schema_grammar(), tool_grammar()};
    }

    uint32_t random(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

    // A text that repeats what it says, with changes.
    std::string random_text(size_t n_bytes) {
        std::string text;
        for (uint32_t n = 2 + random(12); n > 0; --n) text.push_back(static_cast<char>('a' + random(26)));
        while (text.size() < n_bytes) {
            const size_t begin = random(static_cast<uint32_t>(text.size()));
            text += text.substr(begin, 1 + random(20));
            if (random(4) == 0) text.push_back(static_cast<char>('a' + random(26)));
        }
        return text.substr(0, n_bytes);
    }

    GenerationRequest random_request(uint64_t id) {
        GenerationRequest request =
            test::request(id, random_text(1 + random(random(4) == 0 ? 200 : 60)), 4 + random(50),
                          kManySamplings[random(static_cast<uint32_t>(kManySamplings.size()))]);
        request.sampling.seed = request.sampling.seed.value_or(0) + random(100);
        if (random(3) == 0) request.grammar = grammars_[random(2)];
        // They tell more of the logits than which one is the largest.
        if (random(8) > 0) request.top_logprobs = random(3);
        if (random(4) == 0) request.sampling.min_tokens = random(request.max_tokens);
        if (random(4) == 0) request.stops = {std::string(1, static_cast<char>('a' + random(26)))};
        if (random(2) == 0) request.cache_scope = "app";
        request.sampling.ignore_eos = random(4) == 0;
        return request;
    }

    Answer alone(const GenerationRequest& request) {
        test::RecordedEvents events;
        Generator generator(*model_, PrefillPace::exactly(60), events);
        generator.set_speculates(false);
        EXPECT_TRUE(generator.submit(request));
        generator.start(request.id);
        test::run(generator);
        return events.requests[request.id];
    }

    // Drafts that are sometimes right, if look-ups are not enough.
    void add_drafts(GenerationRequest& request, const std::vector<int32_t>& ids) {
        if (random(4) == 0) return;
        request.recording = std::make_shared<const Recording>(
            Recording{.ids = ids, .replaces = false, .acceptance = 0.25f * static_cast<float>(1 + random(4))});
    }

    // The rest of the answer from another engine, as after a crash.
    Answer resumed(GenerationRequest request, const Answer& so_far) {
        request.replay_ids = so_far.ids;
        request.delivered_bytes = so_far.text.size();
        test::RecordedEvents events;
        Generator generator(*model_, PrefillPace::exactly(1 + random(60)), events);
        generator.set_row_costs(RowCosts::exactly(0));
        EXPECT_TRUE(generator.submit(request));
        generator.start(request.id);
        test::run(generator);
        Answer all = events.requests[request.id];
        all.ids.insert(all.ids.begin(), so_far.ids.begin(), so_far.ids.end());
        all.text = so_far.text + all.text;
        all.logprobs.insert(all.logprobs.begin(), so_far.logprobs.begin(), so_far.logprobs.end());
        return all;
    }

    void expect_same(const GenerationRequest& request, const Answer& given, const Answer& expected) {
        EXPECT_EQ(given.ids, expected.ids);
        EXPECT_EQ(given.text, expected.text);
        ASSERT_TRUE(given.finish && expected.finish);
        EXPECT_EQ(given.finish->how.index(), expected.finish->how.index());
        ASSERT_EQ(given.logprobs.size(), request.top_logprobs ? given.ids.size() : 0);
        for (size_t i = 0; i < given.logprobs.size(); ++i) {
            EXPECT_EQ(given.logprobs[i].chosen.logprob, expected.logprobs[i].chosen.logprob);
            ASSERT_EQ(given.logprobs[i].top.size(), expected.logprobs[i].top.size());
            for (size_t k = 0; k < given.logprobs[i].top.size(); ++k) {
                EXPECT_EQ(given.logprobs[i].top[k].id, expected.logprobs[i].top[k].id);
                EXPECT_EQ(given.logprobs[i].top[k].logprob, expected.logprobs[i].top[k].logprob);
            }
        }
        EXPECT_LE(given.finish->costs.accepted, given.finish->costs.drafted);
        n_drafted_ += given.finish->costs.drafted;
        n_accepted_ += given.finish->costs.accepted;
    }

    // Some requests together, with all that may happen to them.
    void run_together(uint32_t n) {
        std::vector<GenerationRequest> requests;
        std::vector<Answer> expected;
        for (uint64_t id = 1; id <= n; ++id) {
            requests.push_back(random_request(id));
            expected.push_back(alone(requests.back()));
            add_drafts(requests.back(), expected.back().ids);
        }
        test::RecordedEvents events;
        Generator generator(*model_, PrefillPace::exactly(1 + random(60)), events);
        generator.set_row_costs(RowCosts::exactly(0));
        for (const GenerationRequest& request : requests) {
            const auto submitted = generator.submit(request);
            ASSERT_TRUE(submitted) << submitted.error().message;
            generator.start(request.id, random(2));
            for (uint32_t steps = random(4); steps > 0; --steps) ASSERT_TRUE(generator.step());
        }
        const uint64_t paused = 1 + random(n), killed = random(2) == 0 ? 1 + random(n) : 0;
        generator.set_paused(paused, true);
        for (uint32_t steps = random(6); steps > 0; --steps) ASSERT_TRUE(generator.step());
        if (random(2) == 0) generator.drop_cache();
        generator.set_paused(paused, false);
        for (uint32_t steps = random(12); steps > 0; --steps) ASSERT_TRUE(generator.step());
        if (killed != 0 && !events.requests[killed].finish) generator.cancel(killed);
        test::run(generator);
        // Each that was killed goes on in another engine, which has the pages now.
        for (const GenerationRequest& request : requests) {
            const Answer& given = events.requests[request.id];
            SCOPED_TRACE(testing::Message() << "request " << request.id << ", killed " << killed);
            expect_same(request, given.finish ? given : resumed(request, given), expected[request.id - 1]);
        }
    }

    std::optional<LoadedModel> model_;
    std::vector<std::shared_ptr<const constraint::Grammar>> grammars_;
    std::mt19937 random_{1};
    uint64_t n_drafted_ = 0, n_accepted_ = 0;
};

TEST_P(SpeculationTest, RandomRequestsGiveTheSameTexts) {
    const uint32_t n_requests = test::takes_all_of_pocl() ? 400 : 24;  // five architectures
    for (uint32_t n = 0, together = 0; n < n_requests && !HasFailure(); n += together) {
        random_.seed(n);
        SCOPED_TRACE(testing::Message() << "seed " << n);
        together = 1 + random(3);
        run_together(together);
    }
    // There are enough of both kinds.
    EXPECT_GT(n_accepted_, n_requests * 4);
    EXPECT_GT(n_drafted_, n_accepted_ + n_requests);
}

// On a device that works while the host goes on: sequences that do not draft are a step ahead as ever, and those that
// do are none.
TEST(SpeculationAhead, OnlySequencesThatDraftWaitForTheirTokens) {
    const std::vector<Sampling> samplings = {{}, test::kSeeded, test::kFiltered};
    for (const Sampling& sampling : samplings) {
        for (const float acceptance : {0.0f, 0.5f, 0.9f, 1.0f}) {
            test::FakeModelOptions options;
            options.max_drafted = 8;
            options.window = 40;
            options.n_window_pages = 24;
            auto model = test::fake_model(options);
            auto& device = test::fake_backend(model);
            device.asynchronous = true;
            test::RecordedEvents events;
            Generator generator(model, PrefillPace::exactly(60), events);
            generator.set_row_costs(RowCosts::exactly(0.1));
            std::vector<GenerationRequest> requests;
            for (uint64_t id = 1; id <= 2; ++id) {
                GenerationRequest request = test::request(id, "prompt " + std::to_string(id), 80, sampling);
                request.sampling.ignore_eos = true;
                auto recording = std::make_shared<Recording>();
                recording->ids = test::undisturbed(request, options).ids;
                recording->replaces = false;
                recording->acceptance = acceptance;
                request.recording = recording;
                requests.push_back(request);
                ASSERT_TRUE(generator.submit(request));
                generator.start(id);
            }
            test::run(generator);
            for (const GenerationRequest& request : requests) {
                const auto& given = events.requests[request.id];
                EXPECT_EQ(given.ids, request.recording->ids);
                EXPECT_EQ(given.finish->costs.drafted > 0, acceptance > 0);
                EXPECT_LE(given.finish->costs.rejected_time, given.finish->costs.draft_time);
                EXPECT_GT(given.finish->costs.look_up_time.count(), 0);
                if (acceptance == 1) {
                    EXPECT_GE(given.finish->costs.accepted, given.ids.size() / 2);
                }
            }
            if (acceptance == 0) {
                EXPECT_EQ(device.n_steps_ahead > 20, is_done_by_device(sampling));
            }
            if (acceptance == 1) {
                EXPECT_LT(device.n_steps_ahead, 20u);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(TinyModels, SpeculationTest, testing::Values("gpt2", "llama", "qwen3", "gemma3", "lfm2"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace llmd::generation
