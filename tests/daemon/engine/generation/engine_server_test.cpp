// The engine's side of the conversation, over a real socketpair and the fake device.
#include "engine/engine_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "fake_model.h"
#include "support/gguf_writer.h"

namespace llmd::engine {
namespace {

using protocol::Message;

class EngineServerTest : public testing::Test {
protected:
    void SetUp() override {
        std::array<int, 2> fds{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
        peer_.reset(fds[0]);
        server_.emplace(
            base::UniqueFd(fds[1]), "everything",
            [this](const std::string& path, const generation::LoadOptions& options,
                   generation::LoadObserver& observer) { return fake_load(path, options, observer); },
            [this] { return now_ += tick_; });
    }

    base::Result<generation::LoadedModel> fake_load(const std::string& path, const generation::LoadOptions& options,
                                                    generation::LoadObserver& observer) {
        if (!observer.before(generation::LoadStage::Read, generation::kReadBudget)) {
            return base::fail(base::ErrorCode::Cancelled, "given up");
        }
        if (path == "bad") return base::fail(base::ErrorCode::ModelLoadFailed, "bad: not a model");
        observer.before(generation::LoadStage::Build, generation::kBuildBudget);
        for (uint32_t i = 0; path == "tuned" && i <= 1000; i += 25) {
            observer.on_tuned(i);
            observer.before(generation::LoadStage::Tune, generation::kTuneBudget);
        }
        for (uint64_t i = 1; i <= 1000; ++i) observer.on_uploaded(i, 1000);
        asked_ = options.backend.precision;
        auto model = test::fake_model();
        if (!options.chat_template.empty()) {
            const auto bytes = test::GgufWriter().bytes();
            const auto gguf = model::Gguf::parse(bytes);
            model.chat_template = *tokenizer::ChatTemplate::create(*gguf, *model.tokenizer, options.chat_template);
        }
        test::fake_backend(model).set_precision(precision_);
        test::fake_backend(model).fail_step = fail_step_;
        observer.on_device({"opencl", "FD630", "26.1.6"});
        return model;
    }

    void say(const Message& message) {
        std::string frame;
        ASSERT_TRUE(protocol::encode(message, frame));
        say_bytes(frame);
    }
    void say_bytes(const std::string& bytes) {
        ASSERT_EQ(::send(peer_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }

    // What the server has sent so far.
    std::vector<Message> hear() {
        std::vector<Message> messages;
        std::array<char, 65536> buffer;
        ssize_t n = 0;
        while ((n = ::recv(peer_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
            reader_.append({buffer.data(), static_cast<size_t>(n)});
        }
        while (true) {
            auto message = reader_.next();
            EXPECT_TRUE(message);
            if (!message || !message->has_value()) return messages;
            messages.push_back(std::move(**message));
        }
    }

    // Turns the server until it would wait, and gives everything it said.
    std::vector<Message> serve() {
        std::vector<Message> all;
        while (!left_) {
            left_ = server_->turn();
            auto heard = hear();
            all.insert(all.end(), heard.begin(), heard.end());
            if (!server_has_work(all)) break;
        }
        return all;
    }
    // Requests that were started and have not ended keep it busy.
    bool server_has_work(const std::vector<Message>& all) {
        size_t ended = 0;
        for (const auto& message : all) ended += std::holds_alternative<protocol::Finished>(message) ? 1 : 0;
        return !left_ && ended < n_started_;
    }

    void load() {
        say(protocol::Load{.model_path = "good"});
        const auto answer = serve();
        ASSERT_FALSE(answer.empty());
        ASSERT_TRUE(std::holds_alternative<protocol::Ready>(answer.back()));
    }

    template <typename T>
    static std::vector<T> only(const std::vector<Message>& all) {
        std::vector<T> some;
        for (const auto& message : all) {
            if (const auto* one = std::get_if<T>(&message)) some.push_back(*one);
        }
        return some;
    }

    base::UniqueFd peer_;
    std::optional<EngineServer> server_;
    protocol::FrameReader reader_;
    std::optional<EngineServer::Leave> left_;
    std::optional<uint32_t> fail_step_;
    compute::Precision precision_ = compute::Precision::Faithful;  // of the device
    std::optional<compute::Precision> asked_;                      // of it, by what loads
    size_t n_started_ = 0;
    std::chrono::steady_clock::time_point now_{};  // of rests
    std::chrono::milliseconds tick_{1};            // every look at the clock takes so long
};

protocol::Submit submit(uint64_t id, std::string prompt, uint32_t max_tokens = 10) {
    protocol::Submit submit;
    submit.id = id;
    submit.prompt = std::move(prompt);
    submit.max_tokens = max_tokens;
    return submit;
}

TEST_F(EngineServerTest, ASchemaHoldsTheTextOrIsRefusedBeforeAny) {
    load();
    auto held = submit(1, "abc", 40);
    held.json_schema = R"({"type":"object","properties":{"a":{"enum":[1,22]}},"required":["a"]})";
    auto refused = submit(2, "abc");
    refused.json_schema = R"({"properties":{"a":{"pattern":"x"}}})";
    say(held);
    say(refused);
    say(protocol::Start{.id = 1});
    n_started_ = 1;
    const auto all = serve();
    const auto refusals = only<protocol::Refused>(all);
    ASSERT_EQ(refusals.size(), 1u);
    EXPECT_EQ(refusals[0].id, 2u);
    EXPECT_EQ(refusals[0].code, base::ErrorCode::InvalidArgument);
    EXPECT_EQ(refusals[0].message, R"(json_schema: at "#/properties/a": "pattern" is not supported)");
    std::string text;
    for (const auto& tokens : only<protocol::Tokens>(all)) text += tokens.text;
    const auto ends = only<protocol::Finished>(all);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].reason, protocol::FinishReason::Stop);
    text += ends[0].text;
    std::erase(text, ' ');
    EXPECT_TRUE(text == R"({"a":1})" || text == R"({"a":22})") << text;
}

TEST_F(EngineServerTest, LoadsAnnouncingWhatMayBlock) {
    say(protocol::Load{.model_path = "good"});
    const auto all = serve();
    const auto phases = only<protocol::PhaseChange>(all);
    ASSERT_EQ(phases.size(), 3u);
    EXPECT_EQ(phases[0].phase, protocol::Phase::Idle);
    EXPECT_EQ(phases[0].budget_ms, 0u);
    EXPECT_EQ(phases[1].phase, protocol::Phase::Load);
    EXPECT_EQ(phases[1].budget_ms, static_cast<uint32_t>(generation::kReadBudget.count()));
    EXPECT_EQ(phases[2].phase, protocol::Phase::KernelBuild);
    const auto progress = only<protocol::LoadProgress>(all);
    ASSERT_FALSE(progress.empty());
    EXPECT_LE(progress.size(), 101u);
    EXPECT_EQ(progress.back().per_mille, 1000u);
    const auto ready = only<protocol::Ready>(all);
    ASSERT_EQ(ready.size(), 1u);
    EXPECT_EQ(ready[0].architecture, "fake");
    EXPECT_EQ(ready[0].n_ctx, 256u);
    EXPECT_EQ(ready[0].n_vocab, 257u);
    EXPECT_EQ(ready[0].backend, "cpu");
    const auto chosen = only<protocol::DeviceChosen>(all);
    ASSERT_EQ(chosen.size(), 1u);
    EXPECT_EQ(chosen[0].backend, "opencl");
    EXPECT_EQ(chosen[0].device, "FD630");
    EXPECT_EQ(chosen[0].driver, "26.1.6");
}

TEST_F(EngineServerTest, TuningIsAPhaseAndAPartOfTheProgress) {
    say(protocol::Load{.model_path = "tuned"});
    const auto all = serve();
    const auto phases = only<protocol::PhaseChange>(all);
    ASSERT_EQ(phases.size(), 3u + 41u);
    EXPECT_EQ(phases.back().phase, protocol::Phase::Tuning);
    EXPECT_EQ(phases.back().budget_ms, static_cast<uint32_t>(generation::kTuneBudget.count()));
    const auto progress = only<protocol::LoadProgress>(all);
    EXPECT_LE(progress.size(), 101u);
    EXPECT_TRUE(std::ranges::is_sorted(progress, std::ranges::less(), &protocol::LoadProgress::per_mille));
    EXPECT_EQ(std::ranges::count(progress, 500u, &protocol::LoadProgress::per_mille), 1);
    EXPECT_EQ(progress.back().per_mille, 1000u);
}

TEST_F(EngineServerTest, SaysWhichPrecisionTheDeviceComputesWithWhateverWasAskedFor) {
    for (const auto& [of_device, announced] : {std::pair(compute::Precision::Faithful, protocol::Precision::Faithful),
                                               std::pair(compute::Precision::Fast, protocol::Precision::Fast)}) {
        SetUp();
        precision_ = of_device;
        say(protocol::Load{.model_path = "good", .precision = protocol::Precision::Fast});
        const auto ready = only<protocol::Ready>(serve());
        ASSERT_EQ(ready.size(), 1u);
        EXPECT_EQ(asked_, compute::Precision::Fast);
        EXPECT_EQ(ready[0].precision, announced);
    }
}

TEST_F(EngineServerTest, AConversationBecomesThePromptOfItsTemplate) {
    say(protocol::Load{.model_path = "good", .chat_template = "none"});
    serve();
    protocol::Submit chat = submit(1, "");
    chat.messages = {{protocol::ChatMessage::Role::System, "s"},
                     {protocol::ChatMessage::Role::User, "u"},
                     {protocol::ChatMessage::Role::Assistant, "a"}};
    say(chat);
    const auto accepted = only<protocol::Accepted>(serve());
    ASSERT_EQ(accepted.size(), 1u);
    EXPECT_EQ(accepted[0].prompt_tokens, std::string("s\n\nUser: u\nAssistant: a").size());
}

TEST_F(EngineServerTest, RefusesAConversationWhoseTemplateIsUnknown) {
    load();
    protocol::Submit chat = submit(1, "");
    chat.messages = {{protocol::ChatMessage::Role::User, "u"}};
    say(chat);
    const auto refused = only<protocol::Refused>(serve());
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].code, base::ErrorCode::InvalidArgument);
    EXPECT_EQ(refused[0].message.rfind("chat_template: ", 0), 0u) << refused[0].message;
}

TEST_F(EngineServerTest, APromptOfIdsIsTakenAsItIs) {
    load();
    auto ids = submit(1, "");
    ids.prompt_ids = {'a', 'b', 'c'};
    auto bad = submit(2, "");
    bad.prompt_ids = {'a', 257};
    say(ids);
    say(bad);
    const auto all = serve();
    const auto accepted = only<protocol::Accepted>(all);
    ASSERT_EQ(accepted.size(), 1u);
    EXPECT_EQ(accepted[0].prompt_tokens, 3u);
    const auto refused = only<protocol::Refused>(all);
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].message, "prompt[1]: 257 is not in the vocabulary of 257");
}

TEST_F(EngineServerTest, TellsHowLikelyATokenWasWhereThatIsWantedWithItsBytes) {
    load();
    auto asking = submit(1, "abc");
    asking.wants_logprobs = true;
    asking.n_top_logprobs = 3;
    auto chosen_only = submit(2, "abc");
    chosen_only.wants_logprobs = true;
    say(asking);
    say(chosen_only);
    say(submit(3, "abc"));
    for (const uint64_t id : {1, 2, 3}) say(protocol::Start{id});
    n_started_ = 3;
    size_t n_told = 0;
    for (const auto& tokens : only<protocol::Tokens>(serve())) {
        ASSERT_EQ(tokens.logprobs.size(), tokens.id == 3 ? 0 : tokens.ids.size());
        for (size_t i = 0; i < tokens.logprobs.size(); ++i) {
            const auto& told = tokens.logprobs[i];
            EXPECT_EQ(told.chosen.id, tokens.ids[i]);
            EXPECT_EQ(told.chosen.bytes, std::string(1, static_cast<char>(tokens.ids[i])));
            EXPECT_TRUE(told.chosen.logprob < 0 && told.chosen.logprob >= protocol::kLeastLogprob);
            EXPECT_EQ(told.top.size(), tokens.id == 1 ? 3u : 0u);
            ++n_told;
        }
    }
    EXPECT_EQ(n_told, 20u);
}

TEST_F(EngineServerTest, ReportsALoadThatFailedAndStays) {
    say(protocol::Load{.model_path = "bad"});
    const auto failed = only<protocol::LoadFailed>(serve());
    ASSERT_EQ(failed.size(), 1u);
    EXPECT_EQ(failed[0].code, base::ErrorCode::ModelLoadFailed);
    EXPECT_FALSE(left_);
    say(submit(1, "abc"));
    const auto refused = only<protocol::Refused>(serve());
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].code, base::ErrorCode::NotReady);
}

TEST_F(EngineServerTest, HoldsARequestUntilItsTurnThenStreamsItAndGoesIdle) {
    load();
    say(submit(7, "hello"));
    auto all = serve();
    const auto accepted = only<protocol::Accepted>(all);
    ASSERT_EQ(accepted.size(), 1u);
    EXPECT_EQ(accepted[0].id, 7u);
    EXPECT_EQ(accepted[0].prompt_tokens, 5u);
    EXPECT_TRUE(only<protocol::Tokens>(all).empty());

    say(protocol::Start{7});
    n_started_ = 1;
    all = serve();
    const auto finished = only<protocol::Finished>(all);
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_EQ(finished[0].reason, protocol::FinishReason::Length);
    EXPECT_EQ(finished[0].prefill_tokens, 5u);
    EXPECT_EQ(finished[0].decode_tokens, 9u);
    size_t n_ids = 0;
    for (const auto& tokens : only<protocol::Tokens>(all)) n_ids += tokens.ids.size();
    EXPECT_EQ(n_ids, 10u);
    for (const auto& phase : only<protocol::PhaseChange>(all)) {
        EXPECT_TRUE(phase.phase != protocol::Phase::Step || phase.budget_ms > 0);
    }
    say(protocol::Cancel{1});  // only wakes it
    n_started_ = 0;
    const auto phases = only<protocol::PhaseChange>(serve());
    ASSERT_EQ(phases.size(), 1u);
    EXPECT_EQ(phases[0].phase, protocol::Phase::Idle);
}

TEST_F(EngineServerTest, SaysWhatTheCacheHeldAndHowManyPagesThereAre) {
    load();
    auto cached = submit(1, std::string(100, 'a'));
    cached.cache_scope = "app";
    say(cached);
    EXPECT_EQ(only<protocol::Pages>(serve()).at(0).total, 32u);
    for (const uint64_t id : {1, 2}) {
        say(protocol::Start{id});
        n_started_ = 1;
        auto all = serve();
        n_started_ = 0;
        say(protocol::Cancel{9});  // only wakes it
        for (auto& message : serve()) all.push_back(std::move(message));
        ASSERT_EQ(only<protocol::Started>(all).size(), 1u);
        EXPECT_EQ(only<protocol::Started>(all)[0].cached_tokens, id == 1 ? 0u : 96u);
        const auto pages = only<protocol::Pages>(all);
        ASSERT_EQ(pages.size(), 2u) << "at its beginning and at its end";
        EXPECT_EQ(pages[0].used, 4u);
        EXPECT_EQ(pages[0].cached, 0u);
        EXPECT_EQ(pages[1].used, 0u);
        EXPECT_EQ(pages[1].cached, 3u);
        cached.id = 2;
        say(cached);
        serve();
    }
}

TEST_F(EngineServerTest, SaysOnceAStepWhatItHasMadeAndThatTheNextOneBegins) {
    load();
    say(submit(1, "hello", 200));
    say(protocol::Start{1});
    left_ = server_->turn();
    hear();
    for (int step = 0; step < 3; ++step) {
        left_ = server_->turn();
        const auto heard = hear();
        ASSERT_EQ(heard.size(), 2u);
        EXPECT_TRUE(std::holds_alternative<protocol::Tokens>(heard[0]));
        ASSERT_TRUE(std::holds_alternative<protocol::PhaseChange>(heard[1]));
        EXPECT_EQ(std::get<protocol::PhaseChange>(heard[1]).phase, protocol::Phase::Step);
    }
    // Whatever is done between two steps has a phase of its own, and the step again.
    say(protocol::Tokenize{9, "x"});
    left_ = server_->turn();
    EXPECT_EQ(only<protocol::PhaseChange>(hear()).size(), 3u);
}

TEST_F(EngineServerTest, GivesAnEmbeddingInsteadOfTokens) {
    load();
    protocol::Submit wanted;
    wanted.id = 1;
    wanted.prompt_ids = {'a', 'b', 'c'};
    wanted.embeds = true;
    say(wanted);
    ASSERT_EQ(only<protocol::Accepted>(serve()).at(0).prompt_tokens, 3u);
    say(protocol::Start{1});
    ++n_started_;
    const auto all = serve();
    const auto ends = only<protocol::Finished>(all);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends[0].reason, protocol::FinishReason::Stop);
    EXPECT_EQ(ends[0].embedding.size(), size_t{test::FakeBackend::kWidth});
    EXPECT_TRUE(only<protocol::Tokens>(all).empty());
}

TEST_F(EngineServerTest, RefusesWhatDoesNotFitNamingIt) {
    load();
    auto long_scope = submit(9, "abc");
    long_scope.cache_scope.assign(protocol::kMaxCacheScopeBytes + 1, 'x');
    say(long_scope);
    const auto of_scope = only<protocol::Refused>(serve());
    ASSERT_EQ(of_scope.size(), 1u);
    EXPECT_EQ(of_scope[0].message.rfind("cache_scope: 301", 0), 0u) << of_scope[0].message;
    say(submit(1, std::string(300, 'a')));
    say(submit(2, "a", 0));
    say(submit(3, "a"));
    say(submit(3, "a"));
    const auto refused = only<protocol::Refused>(serve());
    ASSERT_EQ(refused.size(), 3u);
    EXPECT_EQ(refused[0].code, base::ErrorCode::ContextExceeded);
    EXPECT_NE(refused[0].message.find("300"), std::string::npos);
    EXPECT_EQ(refused[0].prompt_tokens, 300u);
    EXPECT_EQ(refused[2].prompt_tokens, 0u);
    EXPECT_EQ(refused[1].code, base::ErrorCode::InvalidArgument);
    EXPECT_EQ(refused[2].id, 3u);
}

TEST_F(EngineServerTest, ResumesInTheMiddle) {
    load();
    say(submit(1, "hello"));
    say(protocol::Start{1});
    n_started_ = 1;
    std::string text;
    std::vector<int32_t> ids;
    for (const auto& message : serve()) {
        if (const auto* tokens = std::get_if<protocol::Tokens>(&message)) {
            ids.insert(ids.end(), tokens->ids.begin(), tokens->ids.end());
            text += tokens->text;
        } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
            text += finished->text;
        }
    }
    ASSERT_EQ(ids.size(), 10u);
    auto resumed = submit(2, "hello");
    resumed.replay_ids.assign(ids.begin(), ids.begin() + 4);
    say(resumed);
    say(protocol::Start{2});
    std::vector<int32_t> rest = resumed.replay_ids;
    std::string again;
    for (const auto& message : serve()) {
        if (const auto* tokens = std::get_if<protocol::Tokens>(&message)) {
            rest.insert(rest.end(), tokens->ids.begin(), tokens->ids.end());
            again += tokens->text;
        } else if (const auto* finished = std::get_if<protocol::Finished>(&message)) {
            again += finished->text;
        }
    }
    EXPECT_EQ(rest, ids);
    EXPECT_EQ(again, text);
}

TEST_F(EngineServerTest, Tokenizes) {
    load();
    say(protocol::Tokenize{5, "hi"});
    const auto tokenized = only<protocol::Tokenized>(serve());
    ASSERT_EQ(tokenized.size(), 1u);
    EXPECT_EQ(tokenized[0].id, 5u);
    EXPECT_EQ(tokenized[0].ids, (std::vector<int32_t>{'h', 'i'}));
}

TEST_F(EngineServerTest, DetokenizesOrNamesWhatItCannot) {
    load();
    say(protocol::Detokenize{5, {'h', 'i'}});
    for (const int32_t id : {-1, 1'000'000}) say(protocol::Detokenize{6, {'h', id}});
    const auto all = serve();
    const auto detokenized = only<protocol::Detokenized>(all);
    ASSERT_EQ(detokenized.size(), 1u);
    EXPECT_EQ(detokenized[0].id, 5u);
    EXPECT_EQ(detokenized[0].text, "hi");
    const auto refused = only<protocol::Refused>(all);
    ASSERT_EQ(refused.size(), 2u);
    EXPECT_EQ(refused[0].id, 6u);
    EXPECT_EQ(refused[0].code, base::ErrorCode::InvalidArgument);
    EXPECT_EQ(refused[0].message.rfind("tokens: -1 is not in the vocabulary of ", 0), 0u) << refused[0].message;
    EXPECT_EQ(refused[1].message.rfind("tokens: 1000000 is not in the vocabulary of ", 0), 0u);
}

TEST_F(EngineServerTest, CancelIsSilent) {
    load();
    say(submit(1, "hello", 200));
    say(protocol::Start{1});
    left_ = server_->turn();
    say(protocol::Cancel{1});
    left_ = server_->turn();
    hear();
    say(protocol::Tokenize{9, "x"});
    const auto all = serve();
    EXPECT_TRUE(only<protocol::Tokens>(all).empty());
    EXPECT_TRUE(only<protocol::Finished>(all).empty());
    EXPECT_EQ(only<protocol::Tokenized>(all).size(), 1u);
}

TEST_F(EngineServerTest, RestsBetweenStepsWithoutLosingAToken) {
    load();
    const auto turns_of = [&](uint64_t id) {
        say(submit(id, "hello"));
        say(protocol::Start{id});
        std::vector<Message> all;
        int n_turns = 0;
        for (; only<protocol::Finished>(all).empty() && !left_; ++n_turns) {
            left_ = server_->turn();
            const auto heard = hear();
            all.insert(all.end(), heard.begin(), heard.end());
        }
        size_t n_ids = 0;
        for (const auto& tokens : only<protocol::Tokens>(all)) n_ids += tokens.ids.size();
        EXPECT_EQ(n_ids, 10u);
        return n_turns;
    };
    turns_of(1);  // its prefill is tried out
    const int n_steps = turns_of(2);
    say(protocol::SetPace{10});
    EXPECT_GE(turns_of(3), 3 * n_steps);
    say(protocol::SetPace{100});
    EXPECT_EQ(turns_of(4), n_steps);
}

TEST_F(EngineServerTest, ObeysWhileItRests) {
    load();
    say(protocol::SetPace{50});
    say(submit(1, "hello", 200));
    say(protocol::Start{1});
    tick_ = 2 * kMaxRest;
    left_ = server_->turn();  // a step
    tick_ = {};
    hear();
    say(protocol::Tokenize{9, "x"});
    left_ = server_->turn();
    EXPECT_EQ(only<protocol::Tokenized>(hear()).size(), 1u);
    say(protocol::Cancel{1});
    left_ = server_->turn();
    EXPECT_TRUE(hear().empty()) << "no step was made";
}

TEST_F(EngineServerTest, APaceIsAShareOfTheTime) {
    for (const uint32_t percent : {0u, 101u}) {
        SetUp();
        left_.reset();
        say(protocol::SetPace{percent});
        left_ = server_->turn();
        EXPECT_EQ(left_, EngineServer::Leave::Broken);
        EXPECT_EQ(server_->reason(),
                  "SetPace.load_percent: " + std::to_string(percent) + " is not in the range 1 to 100");
    }
}

TEST_F(EngineServerTest, LeavesBetweenStepsWhenThePeerIsGone) {
    load();
    say(submit(1, "hello", 200));
    say(protocol::Start{1});
    EXPECT_FALSE(server_->turn());
    peer_.reset();
    EXPECT_EQ(server_->run(), EngineServer::Leave::PeerGone);
}

TEST_F(EngineServerTest, ADeviceErrorIsItsLastWord) {
    fail_step_ = 3;
    load();
    say(submit(1, "hello"));
    say(protocol::Start{1});
    n_started_ = 1;
    const auto all = serve();
    EXPECT_EQ(left_, EngineServer::Leave::DeviceFault);
    ASSERT_TRUE(std::holds_alternative<protocol::Fault>(all.back()));
    EXPECT_EQ(std::get<protocol::Fault>(all.back()).message, "the fake device failed");
    EXPECT_EQ(only<protocol::Tokens>(all).size(), 3u);
}

TEST_F(EngineServerTest, LeavesAPeerThatBreaksTheProtocol) {
    say_bytes(std::string("\x01\x00\x00\x00\xff", 5));
    serve();
    EXPECT_EQ(left_, EngineServer::Leave::Broken);
    EXPECT_FALSE(server_->reason().empty());
}

TEST_F(EngineServerTest, LoadsOnce) {
    load();
    say(protocol::Load{.model_path = "good"});
    serve();
    EXPECT_EQ(left_, EngineServer::Leave::Broken);
}

}  // namespace
}  // namespace llmd::engine
