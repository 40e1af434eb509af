// The service when engines die or lie: nobody's request is lost, and nothing is tried for ever.
#include "service_fixture.h"
#include "supervisor/engine_fault.h"

namespace llmd::service {
namespace {

using base::ErrorCode;
using std::chrono::seconds;

class ServiceEngineTest : public ServiceTest {};

TEST_F(ServiceEngineTest, EveryKindOfDeathIsFollowedByAReplayFromTheIds) {
    const std::function<void()> deaths[] = {
        [&] { die_of(SIGABRT); },
        [&] { die_of(SIGSEGV); },
        [&] { die_of(SIGKILL); },
        [&] { die_of(SIGTERM); },
        [&] { exit_engine(); },
        [&] {
            send(protocol::Fault{"clFinish failed"});
            exit_engine();
        },
        [&] {
            engine().send_bytes("garbage that is no frame at all");
            settle();
        },
        [&] { send(protocol::Load{}); },
        [&] { ready(); },
        [&] { send(protocol::LoadFailed{}); },
        [&] { send(protocol::Inspection{}); },
        [&] {
            engine().send(protocol::PhaseChange{protocol::Phase::Step, 1});
            for (const size_t n = n_engines(); n_engines() == n;) ASSERT_TRUE(loop_.run_once(seconds(10)));
            settle();
        },
    };
    RecordingSink sink;
    const RequestId id = run(sink);
    std::vector<int32_t> ids;
    std::string text;
    for (const auto& die : deaths) {
        const auto n = static_cast<int32_t>(ids.size());
        const std::string word = std::to_string(n) + " ";
        ids.insert(ids.end(), {n, -n});
        text += word;
        token(id, n, word);
        token(id, -n, "");  // its text is kept
        const size_t before = n_engines();
        die();
        if (n_engines() == before) await_engine();  // SIGTERM is a program's that watches memory
        ASSERT_EQ(n_engines(), before + 1);
        EXPECT_EQ(state(id), RequestState::Loading);
        load_and_get_ready();
        const auto replay = expect_start(id);
        EXPECT_EQ(replay.replay_ids, ids);
        EXPECT_EQ(replay.delivered_bytes, text.size());
        EXPECT_EQ(replay.sampling.seed, 7u);
        EXPECT_FALSE(service_->status().last_fault.empty());
    }
    finish(id);
    EXPECT_EQ(sink.text, text);
    EXPECT_EQ(sink.accepted, 1);
    EXPECT_EQ(sink.outcome().finish, Finish::Stop);
    EXPECT_EQ(sink.outcome().generated_tokens, ids.size());
    EXPECT_FALSE(sink.outcome().profile_changed);
    EXPECT_EQ(service_->status().engine_restarts, std::size(deaths));
}

TEST_F(ServiceEngineTest, WhatTheEngineSentBeforeItDiedIsNotAskedForAgain) {
    RecordingSink sink;
    const RequestId id = run(sink);
    engine().send(supervisor::tokens_of(id, {5}, "five", 4));
    die_of(SIGKILL);
    load_and_get_ready();
    EXPECT_EQ(expect_start(id).replay_ids, std::vector<int32_t>{5});
    EXPECT_EQ(sink.text, "five");
}

TEST_F(ServiceEngineTest, RunningWaitingAndPausedRequestsAllComeBack) {
    RecordingSink sinks[3];
    RequestId ids[3];
    for (int i = 0; i < 3; ++i) ids[i] = submit(sinks[i]);
    load_and_get_ready(2);
    ASSERT_TRUE(service_->set_paused(ids[0], true));
    die_of(SIGSEGV);
    load_and_get_ready(2);
    for (const RequestId id : {ids[1], ids[2]}) {  // the paused one has given its slot away
        EXPECT_EQ(engine().expect<protocol::Submit>().id, id);
        EXPECT_EQ(engine().expect<protocol::Start>().id, id);
    }
    EXPECT_EQ(engine().expect<protocol::Submit>().id, ids[0]);
    engine().expect_nothing();
    ASSERT_TRUE(service_->set_paused(ids[0], false));
    settle();
    engine().expect_nothing();
    send(protocol::Accepted{ids[1], 3});
    finish(ids[1]);
    EXPECT_EQ(engine().expect<protocol::Start>().id, ids[0]);
}

TEST_F(ServiceEngineTest, FewerSlotsThanBeforeAreRespected) {
    RecordingSink sinks[2];
    const RequestId first = submit(sinks[0]);
    const RequestId second = submit(sinks[1]);
    load_and_get_ready(2);
    die_of(SIGKILL);
    load_and_get_ready(1);
    expect_start(first);
    EXPECT_EQ(engine().expect<protocol::Submit>().id, second);
    engine().expect_nothing();
    finish(first);
    EXPECT_EQ(engine().expect<protocol::Start>().id, second);
}

TEST_F(ServiceEngineTest, TheSchemaGoesToEveryEngine) {
    RecordingSink sink;
    auto generate = request();
    generate.json_schema = R"({"type":"null"})";
    const RequestId id = submit(sink, generate);
    load_and_get_ready(1);
    EXPECT_EQ(expect_start(id).json_schema, generate.json_schema);
    die_of(SIGKILL);
    load_and_get_ready(1);
    EXPECT_EQ(expect_start(id).json_schema, generate.json_schema);
    finish(id);
}

TEST_F(ServiceEngineTest, TheCachePertainsToTheApplicationAndIsCountedWhereItServedAPrompt) {
    RecordingSink sinks[2];
    auto generate = request();
    generate.caller.application = "flatpak:org.example.App";
    const RequestId first = submit(sinks[0], generate);
    load_and_get_ready(2);
    EXPECT_EQ(expect_start(first).cache_scope, "flatpak:org.example.App");
    send(protocol::Pages{.used = 5, .cached = 3, .total = 16});
    EXPECT_EQ(service_->status().main.pages.used, 5u);
    EXPECT_EQ(service_->status().main.pages.cached, 3u);
    EXPECT_EQ(service_->status().main.pages.total, 16u);
    send(protocol::Started{first, 2});
    token(first, 1, "one");
    die_of(SIGKILL);
    EXPECT_EQ(service_->status().main.pages.total, 0u);
    load_and_get_ready(2);
    EXPECT_EQ(expect_start(first).cache_scope, "flatpak:org.example.App");
    send(protocol::Started{first, 0});
    finish(first);
    EXPECT_EQ(sinks[0].outcome().cached_tokens, 2u) << "when its prompt was first computed";
    expect_start(submit(sinks[1]));
    finish(2);
    EXPECT_EQ(sinks[1].outcome().cached_tokens, 0u);
    EXPECT_EQ(service_->status().figures.cache_hits, 1u);
    EXPECT_EQ(service_->status().figures.cache_hit_tokens, 2u);
}

TEST_F(ServiceEngineTest, MoreCachedTokensThanThePromptHasAreAProtocolError) {
    RecordingSink sink;
    const RequestId id = run(sink);
    send(protocol::Started{id, 4});
    EXPECT_EQ(launcher_->engines.front()->kills, 1);
    EXPECT_EQ(n_engines(), 2u) << "another one goes on";
}

TEST_F(ServiceEngineTest, DraftedAndAcceptedTokensAreToldOfEachRequestAndCounted) {
    RecordingSink sinks[2];
    for (RecordingSink& sink : sinks) {
        const RequestId id = submit(sink);
        if (&sink == &sinks[0]) load_and_get_ready(2);
        expect_start(id);
        token(id, 1, "one");
        protocol::Finished finished{.id = id, .message = {}, .parts = {}};
        finished.drafted_tokens = 7;
        finished.accepted_tokens = 5;
        send(finished);
        EXPECT_EQ(sink.outcome().drafted_tokens, 7u);
        EXPECT_EQ(sink.outcome().accepted_tokens, 5u);
    }
    EXPECT_EQ(service_->status().figures.drafted_tokens, 14u);
    EXPECT_EQ(service_->status().figures.accepted_tokens, 10u);
}

TEST_F(ServiceEngineTest, MoreAcceptedTokensThanDraftedOnesAreAProtocolError) {
    RecordingSink sink;
    const RequestId id = run(sink);
    protocol::Finished finished{.id = id, .message = {}, .parts = {}};
    finished.accepted_tokens = 1;
    send(finished);
    EXPECT_EQ(launcher_->engines.front()->kills, 1);
    EXPECT_FALSE(sink.ended());
}

TEST_F(ServiceEngineTest, SpeculationIsOffWhereTheSettingsSaySo) {
    for (const bool speculates : {true, false}) {
        make_service({.model = "a", .speculation = speculates});
        RecordingSink sink;
        submit(sink);
        EXPECT_EQ(engine().expect<protocol::Load>().speculates, speculates);
    }
}

// The setting as it was when the request came holds for all engines that answer it.
TEST_F(ServiceEngineTest, BareCallsAreAsTheRequestSaysOrElseTheSettings) {
    for (const bool setting : {true, false}) {
        for (const std::optional<bool> asked : {std::optional<bool>(), std::optional(true), std::optional(false)}) {
            make_service({.model = "a", .bare_calls = setting});
            RecordingSink sink;
            auto generate = request();
            generate.bare_calls = asked;
            const RequestId id = submit(sink, generate);
            service_->configure(base::Config{.model = "a", .bare_calls = !setting});
            load_and_get_ready();
            EXPECT_EQ(expect_start(id).bare_calls, asked.value_or(setting));
        }
    }
}

TEST_F(ServiceEngineTest, ADeviceErrorNeedsTwoFailuresWithNoTokenBetween) {
    make_service({.model = "a", .backend = "opencl"});
    RecordingSink sink;
    const RequestId id = run(sink, "opencl");
    die_of(SIGABRT);
    load_and_get_ready(2, "opencl", "opencl");
    expect_start(id);
    token(id, 1, "one");
    die_of(SIGABRT);
    load_and_get_ready(2, "opencl", "opencl");
    expect_start(id);
    EXPECT_FALSE(sink.ended());
    die_of(SIGBUS);
    EXPECT_EQ(sink.error().code, ErrorCode::DeviceError);
    EXPECT_NE(sink.error().message.find("signal 7"), std::string::npos) << sink.error().message;
    EXPECT_EQ(n_engines(), 3u);
    EXPECT_EQ(service_->status().state, State::Idle);
    EXPECT_NE(service_->status().last_fault.find("signal 7"), std::string::npos);
    EXPECT_EQ(service_->status().last_fault_cause, "crash");
}

TEST_F(ServiceEngineTest, AChosenGpuIsQuarantinedAfterTheSecondFailure) {
    RecordingSink sink;
    const RequestId id = run(sink, "opencl");
    token(id, 1, "one");
    die_of(SIGABRT);
    EXPECT_EQ(expect_load().avoid_device_reason, "");
    ready(2, "opencl", "opencl");
    expect_start(id);
    die_of(SIGABRT);
    const auto load = expect_load();
    EXPECT_NE(load.avoid_device_reason.find("opencl device"), std::string::npos) << load.avoid_device_reason;
    ready(2, "cpu", "cpu");
    EXPECT_EQ(expect_start(id).replay_ids, std::vector<int32_t>{1});
    token(id, 2, "two");

    // On the CPU nothing is left to quarantine.
    die_of(SIGSEGV);
    EXPECT_NE(expect_load().avoid_device_reason, "");
    ready(2, "cpu", "cpu");
    expect_start(id);
    EXPECT_FALSE(sink.ended());
    die_of(SIGSEGV);
    EXPECT_EQ(sink.error().code, ErrorCode::DeviceError);
    EXPECT_TRUE(sink.outcome().profile_changed);
    EXPECT_EQ(sink.text, "onetwo");

    // LoadModel tries the device again.
    service_->load_model("a", nullptr);
    settle();
    EXPECT_EQ(expect_load().avoid_device_reason, "");
}

TEST_F(ServiceEngineTest, AResultThatIsNotFiniteEndsItsRequestAlone) {
    RecordingSink sinks[2];
    const RequestId wrong = run(sinks[0], "opencl");
    const RequestId healthy = submit(sinks[1]);
    expect_start(healthy);
    protocol::Finished finished{.id = wrong, .reason = protocol::FinishReason::Error, .message = "NaN", .parts = {}};
    finished.code = ErrorCode::DeviceError;
    send(finished);
    EXPECT_EQ(sinks[0].error().code, ErrorCode::DeviceError);
    EXPECT_EQ(sinks[0].error().message, "NaN");
    EXPECT_EQ(n_engines(), 1u);
    EXPECT_EQ(engine().kills, 0);
    token(healthy, 1, "one");
    finish(healthy);
    EXPECT_EQ(sinks[1].text, "one");
}

TEST_F(ServiceEngineTest, ADeviceIsQuarantinedForOneModelOnly) {
    RecordingSink sinks[2];
    const RequestId id = run(sinks[0], "opencl");
    die_of(SIGABRT);
    load_and_get_ready(2, "opencl", "opencl");
    die_of(SIGABRT);
    EXPECT_NE(expect_load().avoid_device_reason, "");
    ready();
    expect_start(id);
    finish(id);
    exit_engine();
    submit(sinks[1], request("b"));
    EXPECT_EQ(expect_load().avoid_device_reason, "");
}

TEST_F(ServiceEngineTest, OtherErrorsOfARequestAreItsOwn) {
    RecordingSink sink;
    const RequestId id = run(sink);
    protocol::Finished full{.id = id, .reason = protocol::FinishReason::Error, .message = "full", .parts = {}};
    full.code = ErrorCode::OutOfMemory;
    send(full);
    EXPECT_EQ(sink.error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(sink.error().message, "full");
    EXPECT_EQ(n_engines(), 1u);
}

TEST_F(ServiceEngineTest, SevenForeignKillsAreOutOfMemory) {
    RecordingSink sink;
    const RequestId id = run(sink, "opencl");
    // Whether it had loaded the model again or not.
    die_of(SIGKILL);
    die_of(SIGKILL);
    await_engine();
    for (uint32_t i = 3; i <= supervisor::kMaxForeignKills; ++i) {
        EXPECT_FALSE(sink.ended());
        load_and_get_ready(2, "opencl", "opencl");
        die_of(SIGKILL);
        if (i < supervisor::kMaxForeignKills) await_engine();
    }
    EXPECT_EQ(sink.error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(n_engines(), supervisor::kMaxForeignKills);
    EXPECT_FALSE(service_->request(id));
}

TEST_F(ServiceEngineTest, AnIdleEnginesDeathStartsNoOther) {
    RecordingSink sink;
    finish(run(sink));
    die_of(SIGSEGV);
    EXPECT_EQ(n_engines(), 1u);
    EXPECT_EQ(service_->status().state, State::Idle);
    RecordingSink next;
    const RequestId id = submit(next, request(""));
    load_and_get_ready();
    expect_start(id);
    EXPECT_EQ(service_->status().engine_restarts, 1u);
}

TEST_F(ServiceEngineTest, AFileThatChangedUnderARequestEndsIt) {
    RecordingSink begun, fresh;
    const RequestId id = run(begun);
    token(id, 1, "one");
    const RequestId other = submit(fresh);
    folder_.write("a.gguf", "a longer model a");
    die_of(SIGKILL);
    load_and_get_ready();
    EXPECT_EQ(begun.error().code, ErrorCode::ModelLoadFailed);
    expect_start(other);
}

TEST_F(ServiceEngineTest, TokensNobodyAskedForEndTheEngine) {
    RecordingSink sinks[2];
    auto generate = request();
    generate.max_tokens = 2;
    const RequestId id = submit(sinks[0], generate);
    load_and_get_ready(1);
    expect_start(id);
    const RequestId waiting = submit(sinks[1]);
    send(protocol::Accepted{waiting, 3});
    send(supervisor::tokens_of(id, {1, 2, 3}, "too much", 0));
    EXPECT_EQ(n_engines(), 2u);
    load_and_get_ready(1);
    EXPECT_TRUE(expect_start(id).replay_ids.empty());
    EXPECT_EQ(engine().expect<protocol::Submit>().id, waiting);
    send(protocol::Accepted{waiting, 3});
    send(supervisor::tokens_of(waiting, {1}, "early", 0));
    EXPECT_EQ(n_engines(), 2u + 1);
    EXPECT_EQ(sinks[0].error().code, ErrorCode::DeviceError);
    EXPECT_EQ(sinks[0].text, "");
    EXPECT_EQ(sinks[1].text, "");
    // Unknown ids are requests that have ended in the meantime.
    load_and_get_ready(1);
    expect_start(waiting);
    send(supervisor::tokens_of(9999, {1}, "x", 0));
    send(protocol::Finished{.id = 9999, .message = {}, .parts = {}});
    send(protocol::Accepted{9999, 1});
    EXPECT_EQ(n_engines(), 3u);
}

TEST_F(ServiceEngineTest, TokenizeIsAskedAgainOnce) {
    ErrorCode error{};
    service_->tokenize("a", "poison", [&](auto result) { error = result.error().code; });
    settle();
    load_and_get_ready();
    EXPECT_EQ(engine().expect<protocol::Tokenize>().text, "poison");
    die_of(SIGSEGV);
    load_and_get_ready();
    EXPECT_EQ(engine().expect<protocol::Tokenize>().text, "poison");
    die_of(SIGSEGV);
    EXPECT_EQ(error, ErrorCode::DeviceError);
    EXPECT_EQ(n_engines(), 2u);
}

TEST_F(ServiceEngineTest, ADyingEngineIsNotReplacedWhileShuttingDown) {
    RecordingSink sink;
    run(sink);
    engine().die_of(SIGTERM);
    bool done = false;
    service_->shut_down([&] { done = true; });
    settle();
    EXPECT_TRUE(done);
    EXPECT_EQ(n_engines(), 1u);
    EXPECT_EQ(sink.outcome().finish, Finish::Error);
}

// --- Real processes --------------------------------------------------------------------------------------------------

class RealEngineTest : public ServiceTest {
protected:
    void use_program(const std::string& body) {
        const std::string path =
            folder_.write_program("engine", "#!/bin/sh\n[ \"$1\" = --inspect ] && exit 1\necho start >>" +
                                                folder_.path() + "/starts\n" + body + "\n");
        service_ = std::make_unique<Service>(
            loop_, base::Config{.model = "a"}, supervisor::make_process_launcher(path),
            supervisor::ModelCatalogue::make(loop_, std::vector<std::string>{folder_.path()}, path));
    }
    int starts() const {
        std::ifstream file(folder_.path() + "/starts");
        int n = 0;
        for (std::string line; std::getline(file, line);) ++n;
        return n;
    }
    template <typename Condition>
    void run_until(Condition condition) {
        constexpr int kTurns = 100;
        for (int i = 0; i < kTurns && !condition(); ++i) ASSERT_TRUE(loop_.run_once(seconds(10)));
    }
};

TEST_F(RealEngineTest, AProgramThatCrashesAtStartIsStartedOnce) {
    for (const std::string body : {"exit 3", "kill -SEGV $$", "kill -KILL $$"}) {
        std::filesystem::remove(folder_.path() + "/starts");
        use_program(body);
        RecordingSink sink;
        submit(sink);
        run_until([&] { return sink.ended(); });
        const bool is_kill = body.starts_with("kill -KILL");  // which may be for want of memory
        const auto code = is_kill ? ErrorCode::OutOfMemory : ErrorCode::ModelLoadFailed;
        EXPECT_EQ(sink.error().code, code) << sink.error().message;
        settle();
        EXPECT_EQ(refusal(request()).code, code);
        EXPECT_EQ(starts(), 1) << body;
    }
}

TEST_F(RealEngineTest, AProgramThatIsMissingIsNamed) {
    service_ = std::make_unique<Service>(
        loop_, base::Config{.model = "a"}, supervisor::make_process_launcher("/nonexistent/llmd-engine"),
        supervisor::ModelCatalogue::make(loop_, std::vector<std::string>{folder_.path()}, ""));
    RecordingSink sink;
    submit(sink);
    EXPECT_EQ(sink.error().message, "cannot run /nonexistent/llmd-engine: No such file or directory");
}

TEST_F(RealEngineTest, AProgramThatReadsItsSocketLeavesWhenAsked) {
    use_program("cat <&3 >/dev/null; exit 0");
    RecordingSink sink;
    submit(sink);
    bool done = false;
    service_->shut_down([&] { done = true; });
    run_until([&] { return done; });
    EXPECT_TRUE(done);
    EXPECT_EQ(sink.outcome().finish, Finish::Error);
}

}  // namespace
}  // namespace llmd::service
