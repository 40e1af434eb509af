// Engines that share a device have it by turns: without the lease an engine computes nothing, answers all the same, and
// its texts are those of an engine that always has it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>

#include "served_engine.h"
#include "test_devices.h"

namespace llmd::engine {
namespace {

using protocol::Message;
using protocol::Phase;
using protocol::PhaseChange;
using protocol::SetLease;
using test::submit;

constexpr SetLease kGo{true};
constexpr SetLease kStop{false};

class EngineServerLease : public test::ServedEngine {
protected:
    std::vector<Message> run_once() {
        left_ = server_->run_once();
        return hear();
    }
    std::vector<Message> run_once(const Message& message) {
        say(message);
        return run_once();
    }
    // A request that has made some tokens and is to make more.
    void begin(uint64_t id = 1) {
        say(submit(id, "hello", 200));
        say(protocol::Start{id});
        for (int i = 0; i < 5; ++i) run_once();
        ASSERT_FALSE(left_);
    }
};

// On an asynchronous device a step is in flight then, whose tokens come before the answer.
TEST_F(EngineServerLease, EndsTheStepInFlightAndComputesNothing) {
    for (const bool asynchronous : {false, true}) {
        SetUp();
        asynchronous_ = asynchronous;
        load();
        begin();
        EXPECT_EQ(fake_->rows_per_step.size(), fake_->n_steps + (asynchronous ? 1 : 0));
        const auto all = run_once(kStop);
        EXPECT_EQ(only<protocol::Tokens>(all).size(), asynchronous ? 1u : 0u);
        ASSERT_TRUE(std::holds_alternative<protocol::LeaseReleased>(all.back()));
        EXPECT_EQ(only<protocol::LeaseReleased>(all).size(), 1u);
        EXPECT_EQ(fake_->n_finished, 1u);
        const size_t n_steps = fake_->rows_per_step.size();
        EXPECT_EQ(fake_->n_steps, n_steps) << "nothing is in flight";

        const auto waiting = run_once(protocol::Cancel{9});  // only wakes it
        ASSERT_EQ(waiting.size(), 1u);
        EXPECT_EQ(std::get<PhaseChange>(waiting[0]).phase, Phase::Waiting);
        EXPECT_EQ(std::get<PhaseChange>(waiting[0]).budget_ms, 0u);
        EXPECT_TRUE(run_once(protocol::Cancel{9}).empty()) << "that is said once";
        EXPECT_EQ(fake_->rows_per_step.size(), n_steps);

        const auto going = run_once(kGo);
        ASSERT_FALSE(going.empty());
        EXPECT_EQ(std::get<PhaseChange>(going[0]).phase, Phase::Step);
        EXPECT_EQ(only<protocol::Tokens>(going).size(), 1u);
        EXPECT_EQ(fake_->n_steps, n_steps + 1);
    }
}

TEST_F(EngineServerLease, AnswersMeanwhileAndGoesBackToWaiting) {
    say(protocol::Load{.model_path = "good", .chat_template = "none"});
    serve();
    begin();
    run_once(kStop);
    const size_t n_steps = fake_->rows_per_step.size();
    run_once(protocol::Cancel{9});  // only wakes it
    EXPECT_EQ(only<protocol::Accepted>(run_once(submit(2, "abc"))).size(), 1u);
    const auto answers = run_once(protocol::Tokenize{9, "x"});
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_EQ(std::get<PhaseChange>(answers[0]).phase, Phase::Waiting);
    EXPECT_EQ(std::get<PhaseChange>(answers[1]).phase, Phase::Step) << "tokenizing has its budget";
    EXPECT_EQ(only<protocol::Tokenized>(answers).size(), 1u);
    EXPECT_EQ(only<protocol::Detokenized>(run_once(protocol::Detokenize{9, {'h'}})).size(), 1u);
    EXPECT_EQ(only<protocol::Rendered>(run_once(protocol::Render{.id = 9, .messages = {{.content = "h"}}})).size(), 1u);
    EXPECT_TRUE(only<protocol::Started>(run_once(protocol::Start{2})).empty());
    run_once(protocol::SetPaused{2, true});
    run_once(protocol::Cancel{1});
    const auto idle = only<PhaseChange>(run_once(protocol::Cancel{9}));
    ASSERT_EQ(idle.size(), 1u);
    EXPECT_EQ(idle[0].phase, Phase::Idle) << "nothing is left that waits for the lease";
    EXPECT_EQ(idle[0].budget_ms, 0u);
    EXPECT_EQ(fake_->rows_per_step.size(), n_steps);
    say(protocol::SetPaused{2, false});
    say(kGo);
    n_started_ = 1;
    EXPECT_EQ(only<protocol::Finished>(serve()).at(0).id, 2u);
}

TEST_F(EngineServerLease, AnIdleEngineGivesItBackAtOnceAsOftenAsItIsAsked) {
    load();
    run_once(protocol::Cancel{9});  // only wakes it: it is idle
    for (int i = 0; i < 2; ++i) {
        const auto all = run_once(kStop);
        ASSERT_EQ(all.size(), 1u);
        EXPECT_TRUE(std::holds_alternative<protocol::LeaseReleased>(all[0]));
    }
    say(submit(1, "hello"));
    run_once(protocol::Start{1});
    EXPECT_EQ(std::get<PhaseChange>(run_once(protocol::Cancel{9}).at(0)).phase, Phase::Waiting);
    EXPECT_TRUE(fake_->rows_per_step.empty());
    EXPECT_TRUE(only<protocol::LeaseReleased>(run_once(kGo)).empty());
    EXPECT_EQ(fake_->rows_per_step.size(), 1u);
}

TEST_F(EngineServerLease, LoadingHasIt) {
    EXPECT_EQ(only<protocol::LeaseReleased>(run_once(kStop)).size(), 1u) << "there is nothing to compute yet";
    load();
    begin();
    EXPECT_GT(fake_->n_steps, 0u);
}

TEST_F(EngineServerLease, AFaultOfTheStepInFlightIsItsLastWord) {
    asynchronous_ = true;
    fail_step_ = 5;
    load();
    begin();
    const auto all = run_once(kStop);
    EXPECT_EQ(left_, EngineServer::Leave::DeviceFault);
    ASSERT_TRUE(std::holds_alternative<protocol::Fault>(all.back()));
    EXPECT_TRUE(only<protocol::LeaseReleased>(all).empty());
}

// A step takes half a second, so at a quarter of the time it rests for three times as long, of which the server's next
// look at the clock takes a third. An hour without the lease is no rest.
TEST_F(EngineServerLease, RestsAreHeldWithinTheLease) {
    using std::chrono::milliseconds;
    load();
    begin();
    tick_ = {};
    run_once(protocol::SetPace{25});
    const size_t n_steps = fake_->n_steps;
    tick_ = milliseconds(500);
    run_once(protocol::Cancel{9});
    ASSERT_EQ(fake_->n_steps, n_steps + 1);
    tick_ = {};
    run_once(kStop);
    now_ += std::chrono::hours(1);
    run_once(kGo);
    EXPECT_EQ(fake_->n_steps, n_steps + 1) << "the rest was not held";
    now_ += milliseconds(999);
    run_once(protocol::Cancel{9});
    EXPECT_EQ(fake_->n_steps, n_steps + 1) << "nor is it over";
    now_ += milliseconds(1);
    tick_ = milliseconds(500);
    run_once(protocol::Cancel{9});
    EXPECT_EQ(fake_->n_steps, n_steps + 2) << "it is no longer than it was";
    tick_ = {};
    run_once(kStop);
    run_once(protocol::SetPace{protocol::kFullDutyCycle});
    run_once(kGo);
    EXPECT_EQ(fake_->n_steps, n_steps + 3) << "without a pace there is no rest";
}

class EngineServerLeaseSaving : public EngineServerLease {
protected:
    void SetUp() override {
        prefixes_ = std::filesystem::temp_directory_path() / base::concat("llmd-lease-", ::getpid());
        model_options_ = {.n_ctx = 1024, .n_pages = 64, .max_rows = 256};
        EngineServerLease::SetUp();
    }
    void TearDown() override { std::filesystem::remove_all(prefixes_); }
};

TEST_F(EngineServerLeaseSaving, NoPageIsReadForTheDisk) {
    say(protocol::Load{.model_path = "good", .saved_prefix_bytes = 1u << 20});
    serve();
    for (const uint64_t id : {1, 2}) {
        auto request = submit(id, std::string(300, 'a'));
        request.cache_scope = "app";
        say(request);
        say(protocol::Start{id});
        n_started_ = 1;
        serve();
    }
    run_once(kStop);
    run_once(protocol::Cancel{9});
    run_once(protocol::Cancel{9});
    EXPECT_EQ(fake_->n_page_reads, 0u);
    run_once(kGo);
    EXPECT_EQ(fake_->n_page_reads, 1u);
}

// --- Texts -----------------------------------------------------------------------------------------------------------

struct Answer {
    std::vector<int32_t> ids;
    std::string text;
    std::vector<float> embedding;
    bool operator==(const Answer&) const = default;
};
using Answers = std::map<uint64_t, Answer>;

void take(const std::vector<Message>& all, Answers& answers, size_t& n_ended) {
    for (const Message& message : all) {
        if (const auto* tokens = std::get_if<protocol::Tokens>(&message)) {
            Answer& answer = answers[tokens->id];
            answer.ids.insert(answer.ids.end(), tokens->ids.begin(), tokens->ids.end());
            for (const auto& part : tokens->parts) answer.text += part.text;
        } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
            Answer& answer = answers[finished->id];
            for (const auto& part : finished->parts) answer.text += part.text;
            answer.embedding = finished->embedding;
            ++n_ended;
        }
    }
}

// Greedy, drawn and filtered texts, some of whose prompts take many chunks, and an embedding.
std::vector<protocol::Submit> requests() {
    std::vector<protocol::Submit> all;
    for (const uint64_t id : {1, 2, 3, 4}) {
        auto& request = all.emplace_back(submit(id, {}, 24));
        for (size_t i = 0; i < 60 + 50 * id; ++i) {
            request.prompt.push_back(static_cast<char>('a' + (i * i + id) % 26));
        }
        request.sampling.seed = id;
    }
    all[1].sampling.temperature = 1;
    all[2].sampling.temperature = 0.9f;
    all[2].sampling.top_k = 40;
    all[2].sampling.top_p = 0.95f;
    all[2].sampling.repeat_penalty = 1.1f;
    all[3].embeds = true;
    return all;
}

// Takes the lease away before steps that `bits` choose, and then lets the engine handle some commands without it.
template <typename RunOnce>
Answers answers_of(const RunOnce& run_once, const std::function<void(const Message&)>& say, uint32_t seed,
                   size_t* n_released) {
    std::mt19937 bits(seed);
    const auto requested = requests();
    for (const auto& request : requested) {
        say(request);
        say(protocol::Start{request.id});
    }
    Answers answers;
    size_t n_ended = 0;
    for (int i = 0; i < 10'000 && n_ended < requested.size(); ++i) {
        if (seed != 0 && bits() % 3 == 0) {
            say(kStop);
            take(run_once(), answers, n_ended);
            for (uint32_t n = bits() % 3; n > 0; --n) {
                say(protocol::Tokenize{9, "x"});
                take(run_once(), answers, n_ended);
            }
            say(kGo);
            ++*n_released;
        }
        if (n_ended < requested.size()) take(run_once(), answers, n_ended);
    }
    return answers;
}

TEST_F(EngineServerLease, InterruptionsChangeNoText) {
    model_options_ = {.n_ctx = 512, .n_pages = 64, .max_rows = 256};
    for (const bool asynchronous : {false, true}) {
        asynchronous_ = asynchronous;
        Answers undisturbed;
        for (uint32_t seed = 0; seed < 20; ++seed) {
            SetUp();
            load();
            size_t n_released = 0;
            const auto given =
                answers_of([&] { return run_once(); }, [&](const Message& m) { say(m); }, seed, &n_released);
            ASSERT_EQ(given.size(), 4u);
            if (seed == 0) undisturbed = given;
            EXPECT_EQ(n_released > 5, seed != 0);
            EXPECT_EQ(given, undisturbed) << "seed " << seed;
        }
        EXPECT_EQ(undisturbed[1].ids.size(), 24u);
        EXPECT_FALSE(undisturbed[4].embedding.empty());
    }
}

// The same with real kernels.
class EngineServerLeaseOn : public testing::TestWithParam<test::TestDevice> {};

TEST_P(EngineServerLeaseOn, InterruptionsChangeNoText) {
    const auto path = std::filesystem::temp_directory_path() / base::concat("llmd-lease-", ::getpid(), ".gguf");
    test::TinyModel tiny;
    tiny.n_ctx = 512;
    tiny.type = model::TensorType::Q8_0;
    ASSERT_TRUE(test::write_file(path, test::tiny_model(tiny)));
    std::array<int, 2> fds{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
    const base::UniqueFd peer(fds[0]);
    const compute::Backend* backend = nullptr;
    EngineServer server(
        base::UniqueFd(fds[1]), {.sandbox = "", .version = "0"},
        [&](const std::string& file, generation::LoadOptions options, generation::LoadObserver& observer) {
            options.backend = GetParam().options;
            auto loaded = generation::load_model(file, options, observer);
            if (loaded) backend = loaded->backend.get();
            return loaded;
        });
    protocol::FrameReader reader;
    const auto say = [&](const Message& message) {
        std::string frame;
        ASSERT_TRUE(protocol::encode(message, frame));
        ASSERT_EQ(::send(peer.get(), frame.data(), frame.size(), MSG_NOSIGNAL), static_cast<ssize_t>(frame.size()));
    };
    const auto run_once = [&] {
        EXPECT_FALSE(server.run_once()) << server.reason();
        std::vector<Message> messages;
        std::array<char, 65536> buffer;
        ssize_t n = 0;
        while ((n = ::recv(peer.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
            reader.append({buffer.data(), static_cast<size_t>(n)});
        }
        while (auto message = reader.next()) {
            if (!message->has_value()) break;
            messages.push_back(std::move(**message));
        }
        return messages;
    };
    say(protocol::Load{.model_path = path});
    run_once();
    std::filesystem::remove(path);
    ASSERT_NE(backend, nullptr);
    Answers undisturbed;
    for (const uint32_t seed : {0, 1, 2, 3}) {
        size_t n_released = 0;
        const auto given = answers_of(run_once, say, seed, &n_released);
        ASSERT_EQ(given.size(), 4u);
        if (seed == 0) undisturbed = given;
        EXPECT_EQ(n_released > 5, seed != 0);
        EXPECT_EQ(given, undisturbed) << "seed " << seed;
    }
    EXPECT_FALSE(undisturbed[1].ids.empty());
    EXPECT_FALSE(undisturbed[4].embedding.empty());

    say(submit(5, "hello", 400));
    say(protocol::Start{5});
    for (int i = 0; i < 5; ++i) run_once();
    const auto before = backend->queue_counts();
    say(kStop);
    run_once();
    EXPECT_EQ(backend->queue_counts().launches, before.launches);
    EXPECT_EQ(backend->queue_counts().submissions, before.submissions + (backend->is_asynchronous() ? 1 : 0))
        << "the queue is finished";
}

INSTANTIATE_TEST_SUITE_P(Devices, EngineServerLeaseOn, testing::ValuesIn(test::test_devices()),
                         [](const auto& test) { return test.param.label; });

}  // namespace
}  // namespace llmd::engine
