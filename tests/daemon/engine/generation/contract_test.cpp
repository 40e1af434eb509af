// The numeric contract from end to end, on every device of this machine: neither the size of prefill chunks nor other
// requests in the batch nor an interruption nor cached pages change a token or a byte of text.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "engine/generation/generator.h"
#include "recorded_events.h"
#include "support/gguf_writer.h"
#include "test_devices.h"

namespace llmd::generation {
namespace {

// A file that goes when the test is over.
class TemporaryModel {
public:
    explicit TemporaryModel(const std::string& architecture)
        : path_(std::filesystem::temp_directory_path() /
                base::concat("llmd-contract-", ::getpid(), "-", architecture, ".gguf")) {
        test::TinyModel tiny;
        tiny.architecture = architecture;
        tiny.n_kv_heads = architecture == "gpt2" ? tiny.n_heads : 2;
        tiny.n_ctx = 512;
        // Layers with pages of their own: every second one, and all of them.
        if (architecture == "gemma2" || architecture == "phi3") tiny.window = 48;
        tiny.type = model::TensorType::Q8_0;
        EXPECT_TRUE(test::write_file(path_, test::tiny_model(tiny)));
    }
    ~TemporaryModel() { std::filesystem::remove(path_); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

GenerationRequest tale_request(uint64_t id, size_t n_prompt_bytes, const Sampling& sampling) {
    GenerationRequest request;
    request.id = id;
    for (size_t i = 0; i < n_prompt_bytes; ++i) request.prompt.push_back(static_cast<char>('a' + (i * i + id) % 26));
    request.max_tokens = 24;
    request.sampling = sampling;
    request.stops = {"\n\n\n"};
    return request;
}

const Sampling kGreedy;
const Sampling kWithSeed = {.temperature = 1, .seed = 11};
const Sampling kFiltered = {
    .temperature = 1, .top_k = 40, .top_p = 0.9f, .min_p = 0.02f, .repeat_penalty = 1.2f, .seed = 5};
const Sampling kAdjusted = {.temperature = 0.9f,
                            .repeat_penalty = 1.1f,
                            .presence_penalty = 0.4f,
                            .frequency_penalty = 0.3f,
                            .repeat_last_n = kWholeContext,
                            .seed = 8,
                            .logit_bias = {{70, -100}, {80, 2.5f}, {90, -1}}};

class ContractTest : public testing::TestWithParam<std::tuple<const char*, test::TestDevice>> {
protected:
    void SetUp() override {
        const auto& [architecture, device] = GetParam();
        const TemporaryModel file(architecture);
        test::PatientObserver observer;
        LoadOptions options;
        options.backend = device.options;
        options.n_slots = 3;
        auto loaded = load_model(file.path(), options, observer);
        ASSERT_TRUE(loaded) << loaded.error().message;
        model_ = std::move(*loaded);
    }

    test::RecordedEvents run(const std::vector<GenerationRequest>& requests, uint32_t chunk) {
        test::RecordedEvents events;
        Generator generator(*model_, chunk == 0 ? PrefillPace(0) : PrefillPace::exactly(chunk), events);
        for (const auto& one : requests) {
            const auto submitted = generator.submit(one);
            EXPECT_TRUE(submitted) << submitted.error().message;
            generator.start(one.id);
        }
        while (generator.has_work()) {
            const auto stepped = generator.step();
            EXPECT_TRUE(stepped) << stepped.error().message;
            if (!stepped) break;
        }
        return events;
    }
    test::RecordedEvents::Request alone(const GenerationRequest& one, uint32_t chunk = 128) {
        return run({one}, chunk).requests[one.id];
    }

    std::optional<LoadedModel> model_;
};

TEST_P(ContractTest, ChunksChangeNothing) {
    // Across the border of a KV split.
    const auto long_prompt = tale_request(1, 270, kFiltered);
    const auto expected = alone(long_prompt);
    ASSERT_FALSE(expected.ids.empty());
    for (const uint32_t chunk : {1u, 7u, 32u, 0u}) {
        EXPECT_EQ(alone(long_prompt, chunk).ids, expected.ids) << "chunk " << chunk;
    }
}

TEST_P(ContractTest, OtherRowsChangeNothing) {
    const std::vector<GenerationRequest> all = {tale_request(1, 40, kGreedy), tale_request(2, 7, kWithSeed),
                                                tale_request(3, 65, kFiltered), tale_request(4, 33, kAdjusted)};
    for (const uint32_t chunk : {5u, 128u}) {
        auto together = run(all, chunk);
        for (const auto& one : all) {
            const auto expected = alone(one);
            EXPECT_EQ(together.requests[one.id].ids, expected.ids) << "request " << one.id;
            EXPECT_EQ(together.requests[one.id].text, expected.text);
        }
    }
}

TEST_P(ContractTest, TellingLogprobsChangesNothing) {
    for (const auto& sampling : {kGreedy, kWithSeed, kFiltered, kAdjusted}) {
        auto asking = tale_request(1, 30, sampling);
        const auto expected = alone(asking);
        for (const uint32_t n_top : {0u, 20u}) {
            asking.top_logprobs = n_top;
            const auto given = alone(asking);
            EXPECT_EQ(given.ids, expected.ids);
            EXPECT_EQ(given.text, expected.text);
            ASSERT_EQ(given.logprobs.size(), given.ids.size());
            for (const TokenLogprobs& told : given.logprobs) {
                ASSERT_EQ(told.top.size(), n_top);
                // None can be likelier than the first, and all that are told are not likelier than certain.
                double total = n_top == 0 ? std::exp(told.chosen.logprob) : 0;
                for (const TokenLogprob& one : told.top) total += std::exp(one.logprob);
                EXPECT_LE(total, 1 + 1e-4);
                EXPECT_TRUE(n_top == 0 || told.chosen.logprob <= told.top[0].logprob);
            }
        }
    }
}

TEST_P(ContractTest, ReplayFromEveryCutGivesTheSameBytes) {
    for (const auto& sampling : {kGreedy, kWithSeed, kFiltered, kAdjusted}) {
        auto whole = tale_request(1, 30, sampling);
        whole.sampling.min_tokens = 10;
        whole.sampling.ignore_eos = !sampling.logit_bias.empty();
        const auto expected = alone(whole);
        size_t delivered = 0;
        for (size_t cut = 0; cut <= expected.ids.size(); ++cut) {
            auto resumed = whole;
            resumed.replay_ids.assign(expected.ids.begin(), expected.ids.begin() + static_cast<ptrdiff_t>(cut));
            resumed.delivered_bytes = delivered;
            EXPECT_EQ(expected.text.substr(0, delivered) + alone(resumed).text, expected.text) << "cut " << cut;
            if (cut < expected.texts.size()) delivered += expected.texts[cut].size();
        }
    }
}

// Prompts that begin alike across the border of a KV split, alone and all at once.
TEST_P(ContractTest, CacheHitsChangeNothing) {
    std::vector<GenerationRequest> all = {tale_request(1, 270, kGreedy), tale_request(1, 270, kWithSeed),
                                          tale_request(1, 270, kFiltered), tale_request(1, 300, kWithSeed),
                                          tale_request(1, 100, kGreedy)};
    std::vector<test::RecordedEvents::Request> expected;
    for (const auto& one : all) expected.push_back(alone(one));
    for (size_t i = 0; i < all.size(); ++i) {
        all[i].id = i + 1;
        all[i].cache_scope = "app";
    }
    test::RecordedEvents events;
    Generator generator(*model_, PrefillPace(0), events);
    const auto run_all = [&](const std::vector<GenerationRequest>& requests) {
        for (const auto& one : requests) {
            ASSERT_TRUE(generator.submit(one));
            generator.start(one.id);
        }
        while (generator.has_work()) ASSERT_TRUE(generator.step());
    };
    for (const auto& one : all) run_all({one});
    // A window's pages are there at the end of a prompt, not in its middle.
    const uint32_t in_the_middle = model_->backend->limits().window == 0 ? 96 : 0;
    const std::vector<uint32_t> found = {0, 256, 256, 256, in_the_middle};
    for (size_t i = 0; i < all.size(); ++i) {
        const auto& given = events.requests[all[i].id];
        EXPECT_EQ(given.cached, std::vector<uint32_t>{found[i]});
        EXPECT_EQ(given.ids, expected[i].ids) << "alone, " << i;
        EXPECT_EQ(given.text, expected[i].text) << "alone, " << i;
    }
    events = {};
    run_all(all);
    for (size_t i = 0; i < all.size(); ++i) {
        const auto& given = events.requests[all[i].id];
        EXPECT_GE(given.cached.at(0), in_the_middle);
        EXPECT_EQ(given.ids, expected[i].ids) << "together, " << i;
        EXPECT_EQ(given.text, expected[i].text) << "together, " << i;
    }
}

// A later engine reads back what it would have computed.
TEST_P(ContractTest, PagesFromFilesChangeNothing) {
    const auto directory =
        std::filesystem::temp_directory_path() / base::concat("llmd-contract-", ::getpid(), "-prefixes");
    auto& backend = *model_->backend;
    const auto run_one = [&](uint64_t id, const Sampling& sampling, uint32_t n_cached) {
        auto one = tale_request(1, 300, sampling);
        const auto expected = alone(one);
        one.id = id;
        one.cache_scope = "app";
        auto store = PrefixStore::open(
            directory, backend.report().fingerprint,
            {backend.page_bytes(compute::KvPool::Full), backend.page_bytes(compute::KvPool::Window)}, 1u << 30);
        ASSERT_TRUE(store) << store.error().message;
        test::RecordedEvents events;
        Generator generator(*model_, PrefillPace(0), events, *std::move(store));
        // Not where the pages were before, whose contents a new engine does not have.
        auto before = tale_request(99, 10, kGreedy);
        before.max_tokens = id == 1 ? 10 : 400;
        ASSERT_TRUE(generator.submit(before));
        generator.start(before.id);
        ASSERT_TRUE(generator.step());
        generator.set_paused(before.id, true);
        for (int i = 0; i < 2; ++i) {
            ASSERT_TRUE(generator.submit(one));
            generator.start(one.id);
            while (generator.has_work()) ASSERT_TRUE(generator.step());
            const auto& given = events.requests[id];
            EXPECT_EQ(given.cached.back(), i == 0 ? n_cached : 288u);
            EXPECT_EQ(given.ids, expected.ids);
            EXPECT_EQ(given.text, expected.text);
            events = {};
            while (generator.has_unsaved()) ASSERT_TRUE(generator.save_next());
        }
    };
    run_one(1, kGreedy, 0);
    for (const auto& sampling : {kGreedy, kWithSeed, kFiltered}) run_one(2, sampling, 288);
    std::filesystem::remove_all(directory);
}

// It goes on from pages that the cache kept of it, answer included, where they had not to be given away as well.
TEST_P(ContractTest, LosingItsPagesChangesNothing) {
    for (const auto& sampling : {kGreedy, kFiltered}) {
        auto evicted = tale_request(1, 270, sampling);
        const auto expected = alone(evicted).ids;
        ASSERT_GE(expected.size(), 24u) << "another prompt, please";
        evicted.cache_scope = "app";
        evicted.max_tokens = 230;
        test::RecordedEvents events;
        Generator generator(*model_, PrefillPace(0), events);
        generator.set_speculates(false);  // how many tokens a step gives is a question of time otherwise
        const auto& ids = events.requests[1].ids;
        ASSERT_TRUE(generator.submit(evicted));
        generator.start(1);
        while (ids.size() < 20) ASSERT_TRUE(generator.step());
        generator.set_paused(1, true);
        for (const uint64_t id : {2, 3, 4}) {  // two need a third of all pages each, and the last a bit less
            auto other = tale_request(id, 10, kGreedy);
            other.max_tokens = id == 4 ? 300 : 500;
            ASSERT_TRUE(generator.submit(other));
            generator.start(id);
        }
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(generator.step());
        for (const uint64_t id : {2, 3, 4}) generator.cancel(id);
        generator.set_paused(1, false);
        while (ids.size() < 24) ASSERT_TRUE(generator.step());
        const uint32_t n_left = model_->backend->limits().window == 0 ? 192 : 0;  // three of nine pages are gone
        EXPECT_EQ(events.requests[1].cached, (std::vector<uint32_t>{0, n_left}));
        EXPECT_EQ(std::vector<int32_t>(ids.begin(), ids.begin() + 24), expected);
    }
}

// An embedding, across the border of a KV split.
TEST_P(ContractTest, NothingChangesAnEmbedding) {
    auto embedded = tale_request(1, 270, kGreedy);
    embedded.embeds = true;
    const auto expected = alone(embedded).finish.value_or(Finish{}).embedding;
    ASSERT_EQ(expected.size(), model_->spec.n_embd);
    for (const uint32_t chunk : {1u, 7u, 32u, 0u}) {
        EXPECT_EQ(alone(embedded, chunk).finish->embedding, expected) << "chunk " << chunk;
        auto other = tale_request(4, 65, kGreedy);
        other.embeds = true;
        auto together = run({tale_request(2, 33, kWithSeed), embedded, tale_request(3, 7, kFiltered), other}, chunk);
        EXPECT_EQ(together.requests[1].finish->embedding, expected) << "with other rows, chunk " << chunk;
    }
}

INSTANTIATE_TEST_SUITE_P(TinyModels, ContractTest,
                         testing::Combine(testing::Values("gpt2", "llama", "qwen2", "gemma2", "lfm2", "phi3"),
                                          testing::ValuesIn(test::test_devices())),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param).label;
                         });

}  // namespace
}  // namespace llmd::generation
