// A request that lists other models, and what becomes of it when the one that it asked for fails: the sink is notified
// of one model only, the one that answers.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "service_fixture.h"

namespace llmd::service {
namespace {

using base::ErrorCode;

class NotingSink final : public RequestSink {
public:
    void on_note(const std::string& note) override { notes.push_back(note); }
    void on_accepted(uint32_t n) override { prompt_tokens.push_back(n); }
    void on_text(std::string_view more) override { text += more; }
    void on_finished(const Outcome& outcome) override { outcomes.push_back(outcome); }

    std::vector<std::string> notes;
    std::vector<uint32_t> prompt_tokens;  // each time that it was accepted
    std::string text;
    std::vector<Outcome> outcomes;
};

class ServiceFallbackTest : public ServiceTest {
protected:
    ServiceFallbackTest() {
        base::RemoteSettings home;
        home.name = "home";
        home.models = {"big", "small"};
        home.apps = {"host"};
        make_service({.model = "a", .max_models = 2, .remotes = {home}});
        auto made = std::make_unique<supervisor::FakeLauncher>();
        remotes_ = made.get();
        service_->set_remote_launcher(std::move(made));
    }
    static GenerateRequest asking(std::string model, std::vector<std::string> fallback) {
        GenerateRequest wanted = request(std::move(model));
        wanted.caller.application = "host";
        wanted.fallback = std::move(fallback);
        return wanted;
    }
    RequestId ask(std::string model, std::vector<std::string> fallback) {
        const auto id = service_->submit(asking(std::move(model), std::move(fallback)), sink_);
        EXPECT_TRUE(id) << id.error().message;
        settle();
        return id ? *id : 0;
    }
    std::string model_of(RequestId id) { return service_->request(id).value_or(RequestSnapshot{}).model; }
    std::string where(RequestId id) { return service_->request(id).value_or(RequestSnapshot{}).where; }

    // --- The remote's side: one process for each of its models that is asked ---
    supervisor::FakeEngine& remote() { return remotes_->last(); }
    void say(const protocol::Message& message) {
        remote().send(message);
        settle();
    }
    void connect(const std::string& model) {
        EXPECT_EQ(remote().expect<protocol::Connect>().model, model);
        say(protocol::Ready{.n_ctx = 128, .n_slots = 4, .backend = protocol::BackendKind::Remote});
    }
    void take(RequestId id) {
        EXPECT_EQ(remote().expect<protocol::Submit>().id, id);
        EXPECT_EQ(remote().expect<protocol::Start>().id, id);
    }
    // A text of the device's engine, from the request's beginning on.
    void answer_here(RequestId id, const std::string& text) {
        const auto submit = expect_start(id);
        EXPECT_EQ(submit.prompt, "Once");
        EXPECT_TRUE(submit.replay_ids.empty()) << "nothing of another model goes on";
        EXPECT_EQ(submit.delivered_bytes, 0u);
        token(id, 5, text);
        finish(id);
    }
    const Outcome& outcome() {
        static const Outcome kNone;
        EXPECT_EQ(sink_.outcomes.size(), 1u);
        return sink_.outcomes.empty() ? kNone : sink_.outcomes.front();
    }
    static protocol::Finished failed(RequestId id, ErrorCode code) {
        protocol::Finished finished;
        finished.id = id;
        finished.reason = protocol::FinishReason::Error;
        finished.code = code;
        finished.message = "it went away";
        return finished;
    }
    static platform::Directive short_of_power() {
        platform::Directive directive;
        directive.refuse_all = platform::Refusal{ErrorCode::Suspended, "the battery is empty"};
        return directive;
    }

    NotingSink sink_;
    supervisor::FakeLauncher* remotes_ = nullptr;
};

TEST_F(ServiceFallbackTest, ARemoteThatCannotBeReachedHandsTheRequestOn) {
    const RequestId id = ask("big@home", {"a"});
    EXPECT_EQ(where(id), "home");
    remote().expect<protocol::Connect>();
    say(protocol::LoadFailed{ErrorCode::RemoteUnreachable, "no route"});
    EXPECT_EQ(model_of(id), "a");
    EXPECT_EQ(where(id), "device");
    EXPECT_EQ(service_->status().remotes.front().words.state, "away") << "that it failed is known of it all the same";
    ASSERT_EQ(n_engines(), 1u);
    load_and_get_ready();
    answer_here(id, "a king");
    EXPECT_EQ(sink_.text, "a king");
    EXPECT_EQ(outcome().finish, Finish::Stop);
    EXPECT_EQ(outcome().model, "a");
    EXPECT_EQ(outcome().where, "device");
    EXPECT_EQ(sink_.notes, std::vector<std::string>{"fallback: \"big@home\" failed with RemoteUnreachable"});
    EXPECT_EQ(sink_.prompt_tokens.size(), 1u);
    // Whoever asks now is not kept waiting for it.
    NotingSink next;
    ASSERT_TRUE(service_->submit(asking("big@home", {"a"}), next));
    settle();
    EXPECT_EQ(remotes_->engines.size(), 1u);
    engine().expect<protocol::Submit>();
}

TEST_F(ServiceFallbackTest, WhoListsNothingGetsTheError) {
    ask("big@home", {});
    remote().expect<protocol::Connect>();
    say(protocol::LoadFailed{ErrorCode::RemoteUnreachable, "no route"});
    ASSERT_TRUE(outcome().error);
    EXPECT_EQ(outcome().error->code, ErrorCode::RemoteUnreachable);
    EXPECT_EQ(n_engines(), 0u) << "no model of this device is asked";
}

TEST_F(ServiceFallbackTest, ARemoteThatIsBusyBeforeAnythingWasAskedSaysWhenToComeBack) {
    ask("big@home", {});
    remote().expect<protocol::Connect>();
    say(protocol::LoadFailed{ErrorCode::QueueFull, "the remote answered 429", 100});
    ASSERT_TRUE(outcome().error);
    EXPECT_EQ(outcome().error->code, ErrorCode::QueueFull);
    EXPECT_EQ(outcome().error->retry_after, std::chrono::seconds(100));
}

TEST_F(ServiceFallbackTest, OneThatWasAcceptedAndIsLostBeforeItsFirstByteGoesOn) {
    const RequestId id = ask("big@home", {"small@home", "a"});
    connect("big");
    take(id);
    say(protocol::Accepted{id, 9, {"temperature: is not held to the letter"}});
    EXPECT_TRUE(sink_.prompt_tokens.empty()) << "what is told cannot be taken back";
    say(protocol::Tokens{.id = id, .ids = {1}, .parts = {}, .bytes = 0, .position = 0});
    say(failed(id, ErrorCode::RemoteLost));
    ASSERT_EQ(model_of(id), "small@home");
    connect("small");
    take(id);
    say(protocol::Refused{.id = id, .code = ErrorCode::NotSupported, .message = "no"});
    ASSERT_EQ(model_of(id), "a");
    ASSERT_EQ(n_engines(), 1u);
    load_and_get_ready();
    answer_here(id, "a king");
    EXPECT_EQ(outcome().generated_tokens, 1u) << "the others' are not counted";
    EXPECT_EQ(sink_.prompt_tokens, std::vector<uint32_t>{3});
    EXPECT_EQ(sink_.notes, std::vector<std::string>{"fallback: \"big@home\" failed with RemoteLost, "
                                                    "\"small@home\" failed with NotSupported"});
}

TEST_F(ServiceFallbackTest, TheFirstByteEndsIt) {
    const RequestId id = ask("big@home", {"a"});
    connect("big");
    take(id);
    say(protocol::Accepted{id, 9, {}});
    say(supervisor::tokens_of(id, {1}, "a", 0));
    EXPECT_EQ(sink_.prompt_tokens, std::vector<uint32_t>{9});
    say(failed(id, ErrorCode::RemoteLost));
    ASSERT_TRUE(outcome().error);
    EXPECT_EQ(outcome().error->code, ErrorCode::RemoteLost);
    EXPECT_EQ(sink_.text, "a");
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(ServiceFallbackTest, AnEmptyAnswerIsAnAnswer) {
    const RequestId id = ask("big@home", {"a"});
    connect("big");
    take(id);
    say(protocol::Accepted{id, 9, {}});
    protocol::Finished finished;
    finished.id = id;
    say(finished);
    EXPECT_EQ(sink_.prompt_tokens, std::vector<uint32_t>{9});
    EXPECT_EQ(outcome().model, "big@home");
    EXPECT_EQ(outcome().where, "home");
}

TEST_F(ServiceFallbackTest, TheDeviceHandsOnOnlyToARemoteThatIsListed) {
    const RequestId id = ask("nothing-of-the-kind", {"big@home"});
    EXPECT_EQ(where(id), "home");
    connect("big");
    take(id);
    EXPECT_EQ(n_engines(), 0u);
    EXPECT_LT(service_->request(id)->estimated_wait_ms, 1u);
    EXPECT_EQ(refusal(asking("nothing-of-the-kind", {})).code, ErrorCode::ModelNotFound);
}

TEST_F(ServiceFallbackTest, ADeviceThatIsShortGivesNothingAway) {
    service_->apply(short_of_power());
    const auto error = refusal(asking("a", {"big@home", "b"}));
    EXPECT_EQ(error.code, ErrorCode::Suspended);
    EXPECT_EQ(error.message, "the battery is empty; before it \"a\" failed with Suspended") << "b is asked, big is not";
    EXPECT_TRUE(remotes_->engines.empty());
    // Nor when it runs out of memory with the request.
    service_->apply({});
    ask("a", {"big@home"});
    expect_load();
    send(protocol::LoadFailed{ErrorCode::OutOfMemory, "too big"});
    ASSERT_TRUE(outcome().error);
    EXPECT_EQ(outcome().error->code, ErrorCode::OutOfMemory);
    EXPECT_TRUE(remotes_->engines.empty());
}

TEST_F(ServiceFallbackTest, TheRulesHoldForEachModel) {
    GenerateRequest stranger = asking("nothing-of-the-kind", {"big@home"});
    stranger.caller.sandboxed = true;
    stranger.caller.application = "flatpak:org.example.Notes";
    const auto error = refusal(stranger);
    EXPECT_EQ(error.code, ErrorCode::NotAllowed);
    EXPECT_TRUE(remotes_->engines.empty());
    // And where a rule forbids the first, the next is asked.
    GenerateRequest next = asking("big@home", {"a"});
    next.caller.application.clear();
    ASSERT_TRUE(service_->submit(next, sink_));
    settle();
    EXPECT_EQ(n_engines(), 1u);
    EXPECT_TRUE(remotes_->engines.empty());
}

TEST_F(ServiceFallbackTest, WhatTheClientIsAtFaultForStaysItsError) {
    const RequestId id = ask("big@home", {"a"});
    connect("big");
    take(id);
    say(protocol::Refused{.id = id, .code = ErrorCode::ContextExceeded, .message = "too long", .prompt_tokens = 900});
    ASSERT_TRUE(outcome().error);
    EXPECT_EQ(outcome().error->code, ErrorCode::ContextExceeded);
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(ServiceFallbackTest, TheSameModelUnderAnotherNameIsNotAskedAgain) {
    ask("", {"a", "b"});
    expect_load();
    send(protocol::LoadFailed{ErrorCode::ModelLoadFailed, "not a model"});
    EXPECT_EQ(n_engines(), 2u);
    expect_load();
    send(protocol::LoadFailed{ErrorCode::ModelLoadFailed, "neither"});
    ASSERT_TRUE(outcome().error);
    EXPECT_EQ(outcome().error->message, "neither; before it the default model failed with ModelLoadFailed");
}

TEST_F(ServiceFallbackTest, TheDefaultAsItsOwnFallbackEndsWithItsError) {
    ask("", {"a"});
    expect_load();
    send(protocol::LoadFailed{ErrorCode::ModelLoadFailed, "not a model"});
    ASSERT_TRUE(outcome().error);
    EXPECT_EQ(outcome().error->code, ErrorCode::ModelLoadFailed);
    EXPECT_EQ(outcome().error->message, "not a model");
}

// The kernel, or a program that watches the memory, has ended the engine.
TEST_F(ServiceFallbackTest, ALoadThatLacksMemoryGivesNothingAway) {
    ask("a", {"big@home"});
    expect_load();
    engine().die_of(SIGTERM);
    settle();
    ASSERT_TRUE(outcome().error);
    EXPECT_EQ(outcome().error->code, ErrorCode::OutOfMemory);
    EXPECT_TRUE(remotes_->engines.empty());
}

TEST_F(ServiceFallbackTest, ADeadlineCountsAllOfThem) {
    GenerateRequest wanted = asking("big@home", {"a"});
    wanted.deadline = std::chrono::milliseconds(0);
    ASSERT_TRUE(service_->submit(wanted, sink_));
    settle();
    EXPECT_EQ(outcome().finish, Finish::Timeout);
}

TEST_F(ServiceFallbackTest, OneThatIsCancelledMeanwhileStays) {
    const RequestId id = ask("big@home", {"a"});
    remote().expect<protocol::Connect>();
    say(protocol::LoadFailed{ErrorCode::RemoteUnreachable, "no route"});
    expect_load();
    ASSERT_TRUE(service_->cancel(id));
    settle();
    EXPECT_EQ(outcome().finish, Finish::Cancelled);
    ready();
    engine().expect_nothing();
    EXPECT_EQ(service_->status().queued + service_->status().active, 0u);
}

TEST_F(ServiceFallbackTest, SeedsThatAreDrawnSuitEveryListedRemote) {
    for (int i = 0; i < 8; ++i) {
        GenerateRequest wanted = asking("a", {"big@home"});
        wanted.sampling.seed.reset();
        NotingSink sink;
        const auto id = service_->submit(wanted, sink);
        ASSERT_TRUE(id);
        ASSERT_TRUE(service_->cancel(*id));
        settle();
        EXPECT_LT(sink.outcomes.front().seed, uint64_t{1} << 31);
    }
}

TEST_F(ServiceFallbackTest, IsForOneText) {
    GenerateRequest embedding = asking("a", {"b"});
    embedding.prompt.clear();
    embedding.inputs = {{"Once", {}}};
    EXPECT_EQ(refusal(embedding).message,
              "fallback: not with an embedding, since those of two models cannot be compared");
    RecordingSink sinks[2];
    const auto two =
        service_->submit({asking("a", {"b"}), asking("a", {"b"})}, std::vector<RequestSink*>{&sinks[0], &sinks[1]});
    ASSERT_FALSE(two);
    EXPECT_EQ(two.error().message, "fallback: not with 2 answers, which may not be of several models");
}

TEST_F(ServiceFallbackTest, AListOfModelsHasTheRemotesOfWhoeverMayAsk) {
    const auto names = [&](const handover::Caller& caller) {
        std::vector<std::string> out;
        service_->list_models(caller, [&](const std::vector<supervisor::ModelEntry>& models) {
            for (const auto& model : models)
                out.push_back(model.name + (model.host.empty() ? "" : " at " + model.host));
        });
        settle();
        return out;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(names({false, "host"}), (Names{"a", "b", "big@home", "small@home"}));
    EXPECT_EQ(names({true, "flatpak:org.example.Notes"}), (Names{"a", "b"}));
    EXPECT_TRUE(remotes_->engines.empty()) << "nobody is contacted for a list";
}

}  // namespace
}  // namespace llmd::service
