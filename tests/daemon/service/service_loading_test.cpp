// The service when a model cannot be loaded: at first, or by the replacement of an engine that died.
#include "service_fixture.h"
#include "supervisor/engine_fault.h"

namespace llmd::service {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ServiceLoadingTest : public ServiceTest {};

TEST_F(ServiceLoadingTest, AReplacementThatFindsTooLittleMemoryTriesAgainLater) {
    RecordingSink sink;
    const RequestId id = run(sink);
    token(id, 1, "one");
    die_of(SIGKILL);
    expect_load();
    now_ += seconds(60);
    send(protocol::LoadFailed{ErrorCode::OutOfMemory, "3 GiB do not fit"});
    EXPECT_FALSE(sink.ended());
    EXPECT_EQ(n_engines(), 2u) << "at once";
    EXPECT_EQ(service_->status().state, State::Loading);
    EXPECT_EQ(service_->status().main.model, "a");
    EXPECT_NE(service_->status().last_fault.find("3 GiB do not fit"), std::string::npos);
    EXPECT_EQ(state(id), RequestState::Loading);

    // Another model need not wait.
    ASSERT_TRUE(service_->cancel(id));
    RecordingSink other;
    submit(other, request("b"));
    EXPECT_EQ(n_engines(), 3u);
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/b.gguf");
}

TEST_F(ServiceLoadingTest, ALoadThatFailedForMemoryIsTriedAgain) {
    RecordingSink sink;
    const RequestId id = run(sink);
    token(id, 1, "one");
    die_of(SIGSEGV);
    expect_load();
    send(protocol::LoadFailed{ErrorCode::OutOfMemory, "3 GiB do not fit"});
    await_engine();
    load_and_get_ready();
    EXPECT_EQ(expect_start(id).replay_ids, std::vector<int32_t>{1});
}

TEST_F(ServiceLoadingTest, TooLittleMemoryTooOftenIsOutOfMemory) {
    RecordingSink sink;
    run(sink);
    for (uint32_t i = 1; i < supervisor::kMaxForeignKills; ++i) {
        die_of(SIGKILL);
        if (i > 1) await_engine();
        if (i + 1 < supervisor::kMaxForeignKills) load_and_get_ready();
    }
    send(protocol::LoadFailed{ErrorCode::OutOfMemory, "3 GiB do not fit"});
    EXPECT_EQ(sink.error().code, ErrorCode::OutOfMemory);
    EXPECT_NE(sink.error().message.find("3 GiB do not fit"), std::string::npos) << sink.error().message;
    EXPECT_EQ(service_->status().state, State::Idle);
}

TEST_F(ServiceLoadingTest, OtherLoadErrorsOfAReplacementFailItsRequests) {
    RecordingSink sink;
    run(sink);
    die_of(SIGKILL);
    send(protocol::LoadFailed{ErrorCode::ModelLoadFailed, "corrupt"});
    EXPECT_EQ(sink.error().code, ErrorCode::ModelLoadFailed);
}

TEST_F(ServiceLoadingTest, ADeathBeforeReadyIsNotTriedAgain) {
    for (const int signal : {SIGSEGV, SIGKILL}) {
        make_service({.model = "a"});
        const auto code = signal == SIGKILL ? ErrorCode::OutOfMemory : ErrorCode::ModelLoadFailed;
        RecordingSink sinks[3];
        submit(sinks[0]);
        submit(sinks[1]);
        submit(sinks[2], request("b"));
        bool tokenized = false;
        service_->tokenize("a", "x", [&](auto result) {
            EXPECT_EQ(result.error().code, code);
            tokenized = true;
        });
        settle();
        die_of(signal);
        for (int i = 0; i < 2; ++i) EXPECT_EQ(sinks[i].error().code, code);
        EXPECT_TRUE(tokenized);
        // Only the one for the other model is left, and has its turn.
        ASSERT_EQ(n_engines(), 2u);
        EXPECT_EQ(expect_load().model_path, folder_.path() + "/b.gguf");
        EXPECT_FALSE(service_->status().last_fault.empty());
    }
}

TEST_F(ServiceLoadingTest, TheStatusNamesThePrecisionThatTheEngineComputesWith) {
    for (const auto& [of_engine, name] :
         {std::pair(protocol::Precision::Faithful, "faithful"), std::pair(protocol::Precision::Fast, "fast")}) {
        make_service({.model = "a", .precision = "fast"});
        RecordingSink sink;
        submit(sink);
        EXPECT_EQ(expect_load().precision, protocol::Precision::Fast);
        protocol::Ready ready;
        ready.n_ctx = 128;
        ready.n_slots = 2;
        ready.precision = of_engine;
        send(ready);
        EXPECT_EQ(service_->status().main.precision, name);
    }
}

// Whatever ends it: a crash, an exit, or a hang, which llmd ends.
TEST_F(ServiceLoadingTest, AReplacementThatDiesWhileLoadingIsStartedAgainAfterAPause) {
    make_service({.model = "a", .backend = "cpu"});
    RecordingSink sink;
    const RequestId id = run(sink);
    token(id, 1, "one");
    const std::function<void()> deaths[] = {
        [&] { die_of(SIGSEGV); },
        [&] {
            engine().send(protocol::PhaseChange{protocol::Phase::Load, 1});
            for (supervisor::FakeEngine& hung = engine(); hung.kills == 0;) ASSERT_TRUE(loop_.run_once(seconds(10)));
            settle();
        },
    };
    std::vector<int32_t> ids = {1};
    for (const auto& die : deaths) {
        exit_engine();
        expect_load();
        const size_t before = n_engines();
        die();
        EXPECT_FALSE(sink.ended());
        EXPECT_EQ(n_engines(), before) << "at once";
        EXPECT_EQ(state(id), RequestState::Loading);
        await_engine();
        load_and_get_ready();
        EXPECT_EQ(expect_start(id).replay_ids, ids);
        ids.push_back(static_cast<int32_t>(ids.size()) + 1);
        token(id, ids.back(), "more");
    }
    EXPECT_FALSE(sink.ended());
}

// It was ready in an engine that has been unloaded since.
TEST_F(ServiceLoadingTest, AFileThatWasReadyOnceIsStartedAgainForWhoeverWaits) {
    make_service({.model = "a", .backend = "cpu"});
    RecordingSink first, second;
    finish(run(first));
    service_->unload_model("a", [](auto) {});
    settle();
    exit_engine();
    submit(second);
    ASSERT_EQ(n_engines(), 2u);
    die_of(SIGSEGV);
    EXPECT_FALSE(second.ended());
    EXPECT_EQ(service_->status().state, State::Loading);
}

TEST_F(ServiceLoadingTest, AModelThatSomebodyNamedAndThatFailsIsNoErrorOfTheService) {
    make_service({.model = "a"});
    RecordingSink sink;
    submit(sink, request("b"));
    send(protocol::LoadFailed{ErrorCode::ModelLoadFailed, "it is no model"});
    exit_engine();
    EXPECT_EQ(sink.error().code, ErrorCode::ModelLoadFailed);
    EXPECT_EQ(service_->status().state, State::Idle);
    EXPECT_EQ(service_->status().last_fault, "it is no model");
    EXPECT_EQ(service_->status().last_fault_cause, "load_failed");
}

TEST_F(ServiceLoadingTest, AFailedLoadIsTriedAgainAfterAPause) {
    for (const int delay : {1, 2, 4}) {
        RecordingSink sink;
        submit(sink);
        send(protocol::LoadFailed{ErrorCode::OutOfMemory, "3 GiB do not fit"});
        EXPECT_EQ(sink.error().code, ErrorCode::OutOfMemory);
        EXPECT_EQ(sink.error().message, "3 GiB do not fit");
        exit_engine();
        EXPECT_EQ(service_->status().state, State::Error);

        now_ += seconds(delay) - milliseconds(1);
        const auto error = refusal(request());
        EXPECT_EQ(error.code, ErrorCode::OutOfMemory);
        EXPECT_EQ(error.message, "3 GiB do not fit");
        ErrorCode tokenize_error{};
        service_->tokenize("a", "x", [&](auto result) { tokenize_error = result.error().code; });
        settle();
        EXPECT_EQ(tokenize_error, ErrorCode::OutOfMemory);
        now_ += milliseconds(1);
    }
    EXPECT_EQ(n_engines(), 3u);
}

TEST_F(ServiceLoadingTest, AChangedFileOrLoadModelEndsThePause) {
    RecordingSink sinks[2];
    submit(sinks[0]);
    die_of(SIGSEGV);
    EXPECT_EQ(refusal(request()).code, ErrorCode::ModelLoadFailed);
    folder_.write("a.gguf", "a better model a");
    submit(sinks[1]);
    die_of(SIGSEGV);
    EXPECT_EQ(sinks[1].error().code, ErrorCode::ModelLoadFailed);
    EXPECT_EQ(refusal(request()).code, ErrorCode::ModelLoadFailed);

    std::vector<bool> loaded;
    service_->load_model("a", [&](base::Result<void> result) { loaded.push_back(result.has_value()); });
    settle();
    die_of(SIGSEGV);
    service_->load_model("a", [&](base::Result<void> result) { loaded.push_back(result.has_value()); });
    settle();
    load_and_get_ready();
    EXPECT_EQ(loaded, (std::vector<bool>{false, true}));
    RecordingSink sink;
    expect_start(submit(sink));
}

TEST_F(ServiceLoadingTest, AnEngineThatCannotBeStartedIsAFailedLoad) {
    launcher_->refuse = true;
    RecordingSink sink;
    submit(sink);
    EXPECT_EQ(sink.error().message, "no more processes");
    EXPECT_EQ(service_->status().state, State::Error);
}

GenerateRequest preload(GenerateRequest request) {
    request.prompt.clear();
    request.max_tokens = 0;
    return request;
}

TEST_F(ServiceTest, ARequestOfNothingEndsWhenTheModelIsThere) {
    RecordingSink sink;
    const RequestId id = submit(sink, preload(request()));
    EXPECT_EQ(state(id), RequestState::Loading);
    load_and_get_ready();
    EXPECT_EQ(sink.outcome().finish, Finish::Length);
    engine().expect_nothing();
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(ServiceTest, ARequestOfNothingIsLateWithAnError) {
    RecordingSink sink;
    auto wanted = preload(request());
    wanted.deadline = milliseconds(0);
    submit(sink, wanted);
    settle();
    EXPECT_EQ(sink.outcome().finish, Finish::Error) << "the model is not there";
    EXPECT_EQ(sink.outcome().error->code, ErrorCode::Timeout);
}

TEST_F(ServiceTest, ARequestOfNothingWaitsForNoSlotOfALoadedModel) {
    RecordingSink busy, nothing;
    const RequestId id = submit(busy);
    load_and_get_ready(1);
    expect_start(id);
    submit(nothing, preload(request()));
    EXPECT_EQ(nothing.outcome().finish, Finish::Length);
    engine().expect_nothing();
    finish(id);
    EXPECT_EQ(busy.outcome().finish, Finish::Stop);
}

TEST_F(ServiceTest, ARequestOfNothingWaitsForAnotherModelsRequests) {
    RecordingSink busy, nothing;
    const RequestId id = run(busy);
    submit(nothing, preload(request("b")));
    EXPECT_FALSE(nothing.ended());
    finish(id);
    exit_engine();
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/b.gguf");
    EXPECT_FALSE(nothing.ended());
    ready();
    EXPECT_EQ(nothing.outcome().finish, Finish::Length);
}

TEST_F(ServiceTest, ARequestOfNothingGetsTheFileThatHasTakenThePlace) {
    RecordingSink busy, nothing;
    const RequestId id = run(busy);
    folder_.write("a.gguf", "another model a");
    submit(nothing, preload(request()));
    EXPECT_FALSE(nothing.ended()) << "what is loaded is out of date";
    finish(id);
    exit_engine();
    load_and_get_ready();
    EXPECT_EQ(nothing.outcome().finish, Finish::Length);
}

TEST_F(ServiceTest, ARequestOfNothingDoesNotMakeAFailedLoadForgotten) {
    RecordingSink first;
    submit(first, preload(request()));
    expect_load();
    send(protocol::LoadFailed{base::ErrorCode::ModelLoadFailed, "it is no model"});
    exit_engine();
    EXPECT_EQ(first.error().message, "it is no model");
    EXPECT_EQ(refusal(preload(request())).message, "it is no model");
    EXPECT_EQ(n_engines(), 1u);
}

TEST_F(ServiceTest, APromptIsReadWithoutATokenOfAnAnswer) {
    RecordingSink sink;
    auto generate = request();
    generate.max_tokens = 0;
    const RequestId id = submit(sink, generate);
    load_and_get_ready();
    EXPECT_EQ(expect_start(id).max_tokens, 0u);
    finish(id, protocol::FinishReason::Length);
    EXPECT_EQ(sink.outcome().finish, Finish::Length);
    EXPECT_EQ(sink.outcome().generated_tokens, 0u);
    EXPECT_EQ(sink.outcome().prompt_tokens, 3u);
}

}  // namespace
}  // namespace llmd::service
