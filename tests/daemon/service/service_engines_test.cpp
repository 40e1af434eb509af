// Several models side by side: what fits stays, what does not waits or goes, and no engine is another's concern.
#include <algorithm>
#include <filesystem>

#include "platform/oom_kills.h"
#include "service/remote_access.h"
#include "service_fixture.h"
#include "supervisor/device_lease.h"
#include "supervisor/memory_budget.h"

namespace llmd::service {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class ServiceEnginesTest : public ServiceTest {
protected:
    ServiceEnginesTest() {
        folder_.write("c.gguf", "model c");
        make_service({.model = "a", .max_models = 2});
    }

    // A remote whose model `big` programs of the host may ask.
    static base::RemoteSettings home() {
        base::RemoteSettings home;
        home.name = "home";
        home.models = {"big"};
        home.apps = {"host"};
        return home;
    }
    // Returns what starts the processes that ask it.
    supervisor::FakeLauncher& make_service_with(base::RemoteSettings remote, base::Config options) {
        options.remotes = {std::move(remote)};
        make_service(std::move(options));
        auto made = std::make_unique<supervisor::FakeLauncher>();
        supervisor::FakeLauncher& remotes = *made;
        service_->set_remote_launcher(std::move(made));
        return remotes;
    }

    supervisor::FakeEngine& engine(size_t n) { return *launcher_->engines.at(n); }
    void send(size_t n, const protocol::Message& message) {
        engine(n).send(message);
        settle();
    }
    // The n-th engine that was started is to load this model, and does.
    protocol::Load load(size_t n, const std::string& model, const std::string& backend = "cpu") {
        if (n >= n_engines()) {
            ADD_FAILURE() << "there is no engine " << n;
            return {};
        }
        auto load = engine(n).expect<protocol::Load>();
        EXPECT_EQ(load.model_path, folder_.path() + "/" + model + ".gguf");
        protocol::Ready ready;
        ready.n_ctx = 128;
        ready.n_slots = 2;
        ready.backend = kind_of(backend);
        ready.device = backend + " device";
        ready.profile = backend;
        send(n, ready);
        return load;
    }
    protocol::Submit accept(size_t n, RequestId id) {
        auto submit = engine(n).expect<protocol::Submit>();
        EXPECT_EQ(submit.id, id);
        EXPECT_EQ(engine(n).expect<protocol::Start>().id, id);
        send(n, protocol::Accepted{id, 3});
        return submit;
    }
    // A request that runs on the n-th engine, which is started for it if need be.
    RequestId run(size_t n, RecordingSink& sink, const std::string& model, Priority priority = Priority::Normal,
                  const std::string& backend = "cpu") {
        auto wanted = request(model);
        wanted.priority = priority;
        const bool is_new = n == n_engines();
        const RequestId id = submit(sink, wanted);
        if (is_new) load(n, model, backend);
        accept(n, id);
        return id;
    }
    void finish(size_t n, RequestId id) {
        protocol::Finished message;
        message.id = id;
        send(n, message);
    }
    void serve(size_t n, const std::string& model) {
        RecordingSink sink;
        finish(n, run(n, sink, model));
        EXPECT_EQ(sink.outcome().finish, Finish::Stop);
    }
    void exit(size_t n) {
        while (engine(n).next()) {
        }
        EXPECT_TRUE(engine(n).hung_up());
        engine(n).exit_with(0);
        settle();
    }
    std::vector<std::string> resident() {
        std::vector<std::string> names;
        for (const EngineStatus& one : service_->status().engines) names.push_back(one.model);
        return names;
    }
    using Names = std::vector<std::string>;
};

TEST_F(ServiceEnginesTest, TwoModelsAreResidentAndServeSideBySide) {
    RecordingSink sinks[2];
    const RequestId a = run(0, sinks[0], "a");
    const RequestId b = run(1, sinks[1], "b");
    EXPECT_FALSE(engine(0).hung_up());
    send(1, supervisor::tokens_of(b, {1}, "of b"));
    send(0, supervisor::tokens_of(a, {1}, "of a"));
    EXPECT_EQ(sinks[0].text, "of a");
    EXPECT_EQ(sinks[1].text, "of b");
    const Status status = service_->status();
    ASSERT_EQ(status.engines.size(), 2u);
    EXPECT_EQ(status.engines[1].model, "b");
    EXPECT_EQ(status.engines[1].state, State::Busy);
    EXPECT_EQ(status.engines[1].active, 1u);
    EXPECT_EQ(status.engines[1].pid, 2);
    EXPECT_EQ(status.active, 2u);
    EXPECT_EQ(status.main.model, "b") << "the last text model";
    finish(0, a);
    finish(1, b);
    EXPECT_EQ(service_->status().state, State::Ready);
    std::vector<supervisor::ModelEntry> entries;
    service_->list_models([&](std::vector<supervisor::ModelEntry> list) { entries = std::move(list); });
    settle();
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_TRUE(entries[0].loaded && entries[1].loaded && !entries[2].loaded);
    // Whoever asks again waits for no load.
    RecordingSink again;
    accept(0, submit(again, request("a")));
    EXPECT_EQ(n_engines(), 2u);
}

TEST_F(ServiceEnginesTest, ADeathOfOneLeavesTheOthersRequestsUntouched) {
    RecordingSink sinks[2];
    const RequestId a = run(0, sinks[0], "a");
    const RequestId b = run(1, sinks[1], "b");
    send(0, supervisor::tokens_of(a, {1}, "one"));
    send(1, supervisor::tokens_of(b, {5}, "five"));
    engine(0).die_of(SIGSEGV);
    settle();
    engine(1).expect_nothing();
    send(1, supervisor::tokens_of(b, {6}, " six"));
    EXPECT_EQ(sinks[1].text, "five six");
    load(2, "a");
    EXPECT_EQ(accept(2, a).replay_ids, std::vector<int32_t>{1});
    finish(1, b);
    finish(2, a);
    EXPECT_EQ(sinks[0].outcome().finish, Finish::Stop);
    EXPECT_EQ(sinks[1].outcome().finish, Finish::Stop);
    const Status status = service_->status();
    EXPECT_EQ(status.engine_restarts, 1u);
    EXPECT_EQ(status.engines[0].restarts, 1u);
    EXPECT_EQ(status.engines[1].restarts, 0u);
}

TEST_F(ServiceEnginesTest, AnEngineThatSpeaksOfAnothersRequestIsNotHeard) {
    RecordingSink sinks[2];
    const RequestId a = run(0, sinks[0], "a");
    run(1, sinks[1], "b");
    send(1, supervisor::tokens_of(a, {1}, "forged"));
    EXPECT_EQ(sinks[0].text, "");
    EXPECT_FALSE(engine(0).hung_up());
}

TEST_F(ServiceEnginesTest, AThirdThatDoesNotFitTakesThePlaceOfTheLeastRecentlyUsedIdleOne) {
    serve(0, "a");
    now_ += minutes(1);
    serve(1, "b");
    now_ += minutes(1);
    serve(0, "a");
    RecordingSink sink;
    const RequestId c = submit(sink, request("c"));
    EXPECT_FALSE(engine(0).hung_up());
    EXPECT_EQ(n_engines(), 2u) << "not before the other has gone";
    exit(1);
    load(2, "c");
    accept(2, c);
    EXPECT_EQ(resident(), (Names{"a", "c"}));
}

TEST_F(ServiceEnginesTest, AThirdThatDoesNotFitWaitsForThoseThatRun) {
    RecordingSink sinks[4];
    const RequestId a = run(0, sinks[0], "a");
    now_ += minutes(1);
    const RequestId b = run(1, sinks[1], "b");
    const RequestId c = submit(sinks[2], request("c"));
    EXPECT_EQ(state(c), RequestState::Queued);
    EXPECT_EQ(n_engines(), 2u);
    EXPECT_FALSE(engine(0).hung_up() || engine(1).hung_up()) << "of one class nobody is interrupted";
    finish(0, a);
    exit(0);
    load(2, "c");
    accept(2, c);
    send(1, supervisor::tokens_of(b, {1}, "on"));
    EXPECT_EQ(sinks[1].text, "on");
}

TEST_F(ServiceEnginesTest, AHigherClassTakesThePlaceOfALowerOneOnAnotherEngine) {
    RecordingSink sinks[3];
    const RequestId low = run(0, sinks[0], "a", Priority::Background);
    run(1, sinks[1], "b");
    send(0, supervisor::tokens_of(low, {1}, "one"));
    auto urgent = request("c");
    urgent.priority = Priority::Interactive;
    const RequestId c = submit(sinks[2], urgent);
    EXPECT_FALSE(engine(1).hung_up());
    exit(0);
    load(2, "c");
    accept(2, c);
    EXPECT_EQ(state(low), RequestState::Paused);
    EXPECT_FALSE(sinks[0].ended());
    finish(2, c);
    exit(2);
    load(3, "a");
    EXPECT_EQ(accept(3, low).replay_ids, std::vector<int32_t>{1}) << "it goes on where it was";
}

TEST_F(ServiceEnginesTest, ModelsOfOneFileAndSettingsAreOneEngine) {
    std::filesystem::create_symlink(folder_.path() + "/a.gguf", folder_.path() + "/alias.gguf");
    RecordingSink sinks[3];
    run(0, sinks[0], "a");
    const RequestId alias = submit(sinks[1], request("alias"));
    EXPECT_EQ(n_engines(), 1u);
    accept(0, alias);
    EXPECT_EQ(service_->request(alias)->model, "alias");

    make_service({.model = "a", .max_models = 2, .models = {{.name = "alias", .context_length = 64}}});
    run(0, sinks[0], "a");
    submit(sinks[2], request("alias"));
    ASSERT_EQ(n_engines(), 2u);
    EXPECT_EQ(load(1, "alias").n_ctx, 64u);
}

TEST_F(ServiceEnginesTest, APinnedModelStaysWhileAnotherCanGo) {
    make_service({.model = "a", .max_models = 2, .models = {{.name = "a", .pinned = true}}});
    serve(0, "a");
    now_ += minutes(1);
    serve(1, "b");
    RecordingSink sink;
    submit(sink, request("c"));
    EXPECT_FALSE(engine(0).hung_up());
    exit(1);
    load(2, "c");
    // Nor does it go for want of anything to do.
    platform::Directive directive;
    directive.idle_time = minutes(5);
    service_->apply(directive);
    now_ += minutes(60);
    service_->cancel_all();
    settle();
    EXPECT_FALSE(engine(0).hung_up());
}

TEST_F(ServiceEnginesTest, MemoryIsBookedBeforeALoad) {
    // With what an engine needs beside its model, two of these files fit.
    make_service({.model = "a", .max_models = 16, .memory_mib = 250});
    serve(0, "a");
    serve(1, "b");
    EXPECT_GT(service_->status().engines[0].memory_bytes, uint64_t{64} << 20);
    RecordingSink sink;
    submit(sink, request("c"));
    exit(0);
    load(2, "c");
    EXPECT_EQ(resident(), (Names{"b", "c"}));
}

TEST_F(ServiceEnginesTest, WhatIsMeasuredIsBookedWithRoomForRequests) {
    constexpr uint32_t kMeasuredMib = 100;
    constexpr auto kBookedMib =
        static_cast<uint32_t>(kMeasuredMib + ((supervisor::kRequestBytes + supervisor::kOverheadBytes) >> 20));
    for (const bool fits : {true, false}) {
        make_service({.model = "a", .max_models = 2, .memory_mib = fits ? kBookedMib + 1 : kBookedMib - 1});
        RecordingSink sinks[2];
        const RequestId a = submit(sinks[0], request("a"));
        engine(0).expect<protocol::Load>();
        protocol::Ready ready;
        ready.n_ctx = 128;
        ready.n_slots = 2;
        ready.overhead_bytes = uint64_t{kMeasuredMib} << 20;
        send(0, ready);
        accept(0, a);
        finish(0, a);
        EXPECT_EQ(service_->status().engines[0].memory_bytes, ready.overhead_bytes)
            << "people are told what was measured";
        submit(sinks[1], request("b"));
        EXPECT_EQ(engine(0).hung_up(), !fits);
        EXPECT_EQ(n_engines(), fits ? 2u : 1u);
    }
}

TEST_F(ServiceEnginesTest, OneLoadAtATime) {
    RecordingSink sinks[2];
    submit(sinks[0], request("a"));
    submit(sinks[1], request("b"));
    EXPECT_EQ(n_engines(), 1u);
    load(0, "a");
    EXPECT_EQ(n_engines(), 2u);
}

TEST_F(ServiceEnginesTest, AfterAKillForMemoryIdleOnesGoBeforeAnythingIsLoaded) {
    struct Case {
        int signal;
        std::optional<uint64_t> kills_at_start, kills_at_death;
        bool idle_ones_go;
    };
    for (const auto& [signal, kills_at_start, kills_at_death, idle_ones_go] :
         {Case{SIGKILL, {}, {}, true},    // nobody knows
          Case{SIGKILL, {}, 0, true},     // likewise
          Case{SIGKILL, 0, 1, true},      // the kernel
          Case{SIGKILL, 0, 0, false},     // a person
          Case{SIGKILL, 3, 3, false},     // likewise: those were others
          Case{SIGTERM, 0, 0, true},      // a program that watches memory
          Case{SIGSEGV, 0, 1, false}}) {  // an engine that the kernel has killed ends by SIGKILL
        SCOPED_TRACE(testing::Message() << signal << ' ' << kills_at_start.value_or(99) << ' '
                                        << kills_at_death.value_or(99));
        oom_kills_ = 0;
        make_service({.model = "a", .max_models = 2});
        oom_kills_ = kills_at_start;
        RecordingSink sink;
        const RequestId a = run(0, sink, "a");
        serve(1, "b");
        send(0, supervisor::tokens_of(a, {1}, "one"));
        now_ += platform::OomKills::kOneShortage + seconds(1);
        oom_kills_ = kills_at_death;
        engine(0).die_of(signal);
        settle();
        EXPECT_EQ(n_engines(), idle_ones_go ? 2u : 3u);
        if (idle_ones_go) {
            exit(1);
            await_engine();  // which is due after a pause
        }
        load(2, "a");
        EXPECT_EQ(accept(2, a).replay_ids, std::vector<int32_t>{1});
        EXPECT_EQ(resident(), idle_ones_go ? Names{"a"} : (Names{"a", "b"}));
    }
}

TEST_F(ServiceEnginesTest, AReplacementLooksAtTheKernelsKillsAgain) {
    oom_kills_ = 0;
    RecordingSink sink;
    const RequestId a = run(0, sink, "a");
    serve(1, "b");
    oom_kills_ = 1;  // not an engine
    engine(0).die_of(SIGSEGV);
    settle();
    load(2, "a");
    accept(2, a);
    now_ += platform::OomKills::kOneShortage + seconds(1);
    engine(2).die_of(SIGKILL);
    settle();
    load(3, "a");
    EXPECT_EQ(resident(), (Names{"a", "b"}));
}

TEST_F(ServiceEnginesTest, EachGoesWhenNobodyHasNeededItForItsOwnTime) {
    platform::Directive directive;
    directive.idle_time = minutes(5);
    service_->apply(directive);
    RecordingSink sink;
    const RequestId a = run(0, sink, "a");
    serve(1, "b");
    now_ += minutes(6);
    send(0, supervisor::tokens_of(a, {1}, "still here"));
    service_->reload();
    auto moved = directive;
    moved.throttled = true;
    service_->apply(moved);
    settle();
    exit(1);
    EXPECT_EQ(resident(), Names{"a"});
    EXPECT_FALSE(engine(0).hung_up());
}

TEST_F(ServiceEnginesTest, WhereMemoryIsShortIdleOnesGoWhileOthersCompute) {
    RecordingSink sink;
    const RequestId a = run(0, sink, "a");
    serve(1, "b");
    platform::Directive directive;
    directive.unload = true;
    service_->apply(directive);
    settle();
    exit(1);
    EXPECT_FALSE(engine(0).hung_up());
    finish(0, a);
    exit(0);
}

TEST_F(ServiceEnginesTest, UnloadingEndsAllOrTheOneThatIsNamed) {
    serve(0, "a");
    serve(1, "b");
    int done = 0;
    service_->unload_model("b", [&](const base::Result<void>& result) { done += result ? 1 : 0; });
    settle();
    EXPECT_FALSE(engine(0).hung_up());
    exit(1);
    EXPECT_EQ(done, 1);
    serve(2, "b");
    RecordingSink sink;
    const RequestId a = run(0, sink, "a");
    service_->unload_model({}, [&](const base::Result<void>& result) { done += result ? 1 : 0; });
    settle();
    exit(2);
    EXPECT_EQ(done, 1) << "one of them still computes";
    finish(0, a);
    exit(0);
    EXPECT_EQ(done, 2);
    EXPECT_TRUE(resident().empty());
}

TEST_F(ServiceEnginesTest, NoModelMeansThatOfTheSettingsElseTheLastThatWasUsedForTheSame) {
    for (const auto& [configured, answers] : {std::pair("", "b"), std::pair("a", "a")}) {
        make_service({.model = configured, .max_models = 2});
        RecordingSink sinks[3];
        serve(0, "b");
        auto embedding = request("c");
        embedding.prompt.clear();
        embedding.inputs = {{"a text", {}}};
        const RequestId c = submit(sinks[0], embedding);
        load(1, "c");
        EXPECT_EQ(engine(1).expect<protocol::Submit>().id, c);
        EXPECT_EQ(service_->status().main.model, "b");
        EXPECT_EQ(service_->request(submit(sinks[1], request("")))->model, answers) << configured;
        embedding.model.clear();
        embedding.caller.name = embedding.caller.share = "another";
        EXPECT_EQ(service_->request(submit(sinks[2], embedding))->model, "c") << "that of the settings is for texts";
        service_->cancel_all();
        settle();
    }
}

TEST_F(ServiceEnginesTest, TheCoresAreShared) {
    RecordingSink sinks[2];
    run(0, sinks[0], "a");
    run(1, sinks[1], "b");
    now_ += supervisor::kLeaseTurn;
    send(0, protocol::Pages{1, 0, 2});
    engine(0).expect_nothing();
    engine(1).expect_nothing();
}

TEST_F(ServiceEnginesTest, TwoThatComputeOnOneGpuTakeTurns) {
    RecordingSink sinks[2];
    run(0, sinks[0], "a", Priority::Normal, "gpu");
    engine(0).gives_lease_back = false;
    engine(0).expect_nothing();  // alone, it needs no leave
    const RequestId b = submit(sinks[1], request("b"));
    engine(1).gives_lease_back = false;
    send(1, protocol::DeviceChosen{protocol::BackendKind::OpenCl, "gpu device", ""});
    engine(0).expect_nothing();
    now_ += supervisor::kLeaseTurn;
    send(0, protocol::Pages{1, 0, 2});
    EXPECT_FALSE(engine(0).expect<protocol::SetLease>().held) << "who loads has the device alone, after this turn";
    send(0, protocol::LeaseReleased{});
    load(1, "b", "gpu");
    accept(1, b);
    now_ += supervisor::kLeaseTurn;
    send(1, protocol::Pages{1, 0, 2});
    EXPECT_FALSE(engine(1).expect<protocol::SetLease>().held);
    engine(0).expect_nothing();
    send(1, protocol::LeaseReleased{});
    EXPECT_TRUE(engine(0).expect<protocol::SetLease>().held);
    // The lease of one that has ended is free.
    engine(0).die_of(SIGKILL);
    settle();
    EXPECT_TRUE(engine(1).expect<protocol::SetLease>().held);
}

TEST_F(ServiceEnginesTest, ARemotesModelIsNotOfThisDevice) {
    supervisor::FakeLauncher& remotes = make_service_with(home(), {.model = "a", .max_models = 1});
    EXPECT_EQ(refusal(request("big@elsewhere")).code, base::ErrorCode::NotAllowed);
    RecordingSink sinks[2];
    run(0, sinks[0], "a");
    GenerateRequest big = request("big@home");
    EXPECT_EQ(refusal(big).code, base::ErrorCode::NotAllowed) << "whoever cannot be told may ask no remote";
    big.caller.application = "host";
    const RequestId id = submit(sinks[1], std::move(big));
    ASSERT_EQ(remotes.engines.size(), 1u) << "it needs no room here";
    const auto connect = remotes.last().expect<protocol::Connect>();
    EXPECT_EQ(connect.remote, "home");
    EXPECT_EQ(connect.model, "big");
    const auto say = [&](const protocol::Message& message) {
        remotes.last().send(message);
        settle();
    };
    say(protocol::Ready{.n_ctx = 128, .n_slots = 4, .backend = protocol::BackendKind::Remote});
    EXPECT_EQ(remotes.last().expect<protocol::Submit>().id, id);
    EXPECT_EQ(remotes.last().expect<protocol::Start>().id, id);
    EXPECT_EQ(service_->status().remotes[0].words.state, "unused");
    say(protocol::Accepted{id, 0, {}});
    EXPECT_EQ(service_->status().remotes[0].words.state, "ready");
    EXPECT_EQ(service_->status().remotes[0].words.in_flight, 1u);
    say(protocol::Usage{.id = id, .prompt_tokens = 7, .cached_tokens = 2, .generated_tokens = 0, .resumed = 1});
    protocol::Finished finished;
    finished.id = id;
    say(finished);
    const Outcome& outcome = sinks[1].outcome();
    EXPECT_EQ(outcome.where, "home");
    EXPECT_EQ(outcome.prompt_tokens, 7u);
    EXPECT_EQ(outcome.cached_tokens, 2u);
    EXPECT_EQ(outcome.resumed, 1u);
    remotes.last().expect_nothing();
    engine(0).expect_nothing();
}

TEST_F(ServiceEnginesTest, ARemoteIsNotKeptAsLongAsAModelOfThisDevice) {
    supervisor::FakeLauncher& remotes = make_service_with(home(), {.model = "a", .max_models = 1});
    RecordingSink sinks[2];
    finish(0, run(0, sinks[0], "a"));
    GenerateRequest big = request("big@home");
    big.caller.application = "host";
    const RequestId id = submit(sinks[1], std::move(big));
    remotes.last().expect<protocol::Connect>();
    const auto say = [&](const protocol::Message& message) {
        remotes.last().send(message);
        settle();
    };
    say(protocol::Ready{.n_ctx = 128, .n_slots = 4, .backend = protocol::BackendKind::Remote});
    remotes.last().expect<protocol::Submit>();
    remotes.last().expect<protocol::Start>();
    say(protocol::Accepted{id, 3, {}});
    platform::Directive directive;
    directive.idle_time = minutes(5);
    const auto wait = [&](std::chrono::milliseconds time) {
        now_ += time;
        directive.idle_time += std::chrono::seconds(1);  // one that is the same is not looked at
        service_->apply(directive);
        settle();
    };
    wait(kRemoteIdle * 2);
    EXPECT_FALSE(remotes.last().hung_up()) << "its text is not finished";
    protocol::Finished finished;
    finished.id = id;
    say(finished);
    wait(kRemoteIdle - std::chrono::milliseconds(1));
    EXPECT_FALSE(remotes.last().hung_up());
    wait(std::chrono::milliseconds(1));
    EXPECT_TRUE(remotes.last().hung_up());
    EXPECT_FALSE(engine(0).hung_up());
}

// A remote heats no phone and takes none of its memory; going to sleep is another matter.
TEST_F(ServiceEnginesTest, HeatAndMemoryHoldUpNoRemote) {
    supervisor::FakeLauncher& remotes = make_service_with(home(), {.model = "a"});
    platform::Directive hot;
    hot.max_slots = 0;
    service_->apply(hot);
    GenerateRequest big = request("big@home");
    big.caller.application = "host";
    RecordingSink sinks[2];
    submit(sinks[0], request("a"));
    const RequestId id = submit(sinks[1], big);
    EXPECT_EQ(n_engines(), 0u);
    ASSERT_EQ(remotes.engines.size(), 1u);
    remotes.last().expect<protocol::Connect>();
    remotes.last().send(protocol::Ready{.n_ctx = 128, .n_slots = 1, .backend = protocol::BackendKind::Remote});
    settle();
    EXPECT_EQ(remotes.last().expect<protocol::Submit>().id, id);
    EXPECT_EQ(remotes.last().expect<protocol::Start>().id, id);
    platform::Directive sleep = hot;
    sleep.states.sleep = "going_to_sleep";
    service_->apply(sleep);
    settle();
    EXPECT_TRUE(remotes.last().expect<protocol::SetPaused>().paused);
    service_->apply(hot);
    settle();
    EXPECT_FALSE(remotes.last().expect<protocol::SetPaused>().paused);
    EXPECT_EQ(n_engines(), 0u) << "the device is still too hot";
}

TEST_F(ServiceEnginesTest, ARequestAtARemoteMakesTheDeviceNeitherBusyNorThrottled) {
    supervisor::FakeLauncher& remotes = make_service_with(home(), {.model = "a"});
    serve(0, "a");
    GenerateRequest big = request("big@home");
    big.caller.application = "host";
    RecordingSink sinks[2];
    submit(sinks[0], big);
    remotes.last().expect<protocol::Connect>();
    remotes.last().send(protocol::Ready{.n_ctx = 128, .n_slots = 1, .backend = protocol::BackendKind::Remote});
    settle();
    EXPECT_EQ(service_->status().active, 1u);
    EXPECT_EQ(service_->status().state, State::Ready);
    platform::Directive hot;
    hot.throttled = true;
    service_->apply(hot);
    EXPECT_EQ(service_->status().state, State::Ready);
    run(0, sinks[1], "a");
    EXPECT_EQ(service_->status().state, State::Throttled);
    service_->apply({});
    EXPECT_EQ(service_->status().state, State::Busy);
}

TEST_F(ServiceEnginesTest, AnApplicationIsNotToldARemotesAddress) {
    base::RemoteSettings settings = home();
    settings.url = "https://box.example:8443";
    settings.models = {"big", "small"};
    settings.apps = {"host", "org.example.Notes"};
    supervisor::FakeLauncher& remotes = make_service_with(settings, {.model = "a"});
    for (const bool sandboxed : {true, false}) {
        GenerateRequest big = request("big@home");
        big.caller.sandboxed = sandboxed;
        big.caller.application = sandboxed ? "flatpak:org.example.Notes" : "host";
        RecordingSink sink;
        submit(sink, big);
        EXPECT_EQ(service_->requests().front().where, "home");
        remotes.last().expect<protocol::Connect>();
        remotes.last().send(protocol::LoadFailed{base::ErrorCode::RemoteLost, "box.example:8443 went"});
        settle();
        ASSERT_TRUE(sink.outcome().error);
        EXPECT_EQ(sink.outcome().error->code, base::ErrorCode::RemoteLost);
        EXPECT_EQ(sink.outcome().error->message.find("box.example") == std::string::npos, sandboxed);
        remotes.last().exit_with(0);
        settle();
    }
    ASSERT_EQ(service_->status().remotes.size(), 1u);
    EXPECT_EQ(service_->status().remotes[0].host, "box.example:8443");
    EXPECT_EQ(service_->status().remotes[0].words.last_error, "RemoteLost") << "whatever the server said";
}

// One that is not used counts from its last use on, one that is used does not.
TEST_F(ServiceEnginesTest, TheStatusTellsHowLongNobodyHasUsedAnEngine) {
    make_service({.model = "a", .models = {{.name = "a", .pinned = true}}});
    RecordingSink sink;
    const RequestId id = run(0, sink, "a");
    now_ += std::chrono::seconds(5);
    EXPECT_EQ(service_->status().engines[0].idle, std::chrono::seconds(0));
    EXPECT_TRUE(service_->status().engines[0].pinned);
    finish(0, id);
    now_ += std::chrono::seconds(7);
    EXPECT_EQ(service_->status().engines[0].idle, std::chrono::seconds(7));
}

TEST_F(ServiceEnginesTest, NothingGoesToARemoteBeforeItsTurnOrAgainstItsRules) {
    supervisor::FakeLauncher& remotes = make_service_with(home(), {.model = "a", .max_models = 2});
    GenerateRequest big = request("big@home");
    big.caller.application = "host";
    RecordingSink sinks[3];
    // A remote that takes its time to connect holds up nobody here: an engine that dies meanwhile is replaced.
    const RequestId a = run(0, sinks[2], "a");
    const RequestId first = submit(sinks[0], big);
    const auto say = [&](const protocol::Message& message) {
        remotes.last().send(message);
        settle();
    };
    remotes.last().expect<protocol::Connect>();
    engine(0).die_of(SIGSEGV);
    settle();
    ASSERT_EQ(n_engines(), 2u);
    load(1, "a");
    accept(1, a);

    say(protocol::Ready{.n_ctx = 128, .n_slots = 1, .backend = protocol::BackendKind::Remote});
    EXPECT_EQ(remotes.last().expect<protocol::Submit>().id, first);
    EXPECT_EQ(remotes.last().expect<protocol::Start>().id, first);
    say(protocol::Accepted{first, 3, {}});
    submit(sinks[1], big);
    remotes.last().expect_nothing();  // its only slot is taken, and a Submit would be the hand-over
    // Whoever is not among the apps any more is not waited for either.
    base::RemoteSettings settings = home();
    settings.apps = {"org.example.Notes"};
    service_->configure(base::Config{.model = "a", .max_models = 2, .remotes = {settings}});
    settle();
    for (const RecordingSink& sink : {std::cref(sinks[0]), std::cref(sinks[1])}) {
        ASSERT_TRUE(sink.outcome().error);
        EXPECT_EQ(sink.outcome().error->code, base::ErrorCode::NotAllowed);
    }
    EXPECT_EQ(remotes.last().expect<protocol::Cancel>().id, first);
    EXPECT_TRUE(remotes.last().hung_up()) << "what it read of the settings is out of date";
    EXPECT_FALSE(engine(1).hung_up());
    finish(1, a);
}

}  // namespace
}  // namespace llmd::service
