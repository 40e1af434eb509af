// The effects of a directive on requests, loads and tokenizing; none of it ends what runs.
#include "service_fixture.h"

namespace llmd::service {
namespace {

using base::ErrorCode;

platform::Directive refusing(ErrorCode code) {
    platform::Directive directive;
    directive.refuse_all = platform::Refusal{code, "because"};
    return directive;
}

TEST_F(ServiceTest, ADirectiveRefusesWhatIsNewWithItsOwnError) {
    RecordingSink sink;
    const RequestId id = run(sink);
    service_->apply(refusing(ErrorCode::OutOfMemory));
    EXPECT_EQ(refusal(request()).code, ErrorCode::OutOfMemory);
    EXPECT_EQ(refusal(request()).message, "because");
    std::optional<base::Error> load, tokenize;
    service_->load_model("b", [&](auto done) { load = done.error(); });
    service_->tokenize("b", "text", [&](auto ids) { tokenize = ids.error(); });
    bool tokenized = false;
    service_->tokenize("a", "text", [&](auto ids) { tokenized = ids.has_value(); });
    settle();
    ASSERT_TRUE(load && tokenize);
    EXPECT_EQ(load->code, ErrorCode::OutOfMemory);
    EXPECT_EQ(tokenize->code, ErrorCode::OutOfMemory);
    send(protocol::Tokenized{engine().expect<protocol::Tokenize>().id, {1}});
    EXPECT_TRUE(tokenized) << "the loaded model has room for that";
    token(id, 1, "on");
    finish(id);
    EXPECT_EQ(sink.text, "on");
    service_->apply({});
    RecordingSink next;
    expect_start(submit(next));
}

TEST_F(ServiceTest, ADirectiveRefusesBackgroundAlone) {
    platform::Directive directive;
    directive.refuse_background = platform::Refusal{ErrorCode::Suspended, "low"};
    service_->apply(directive);
    auto generate = request();
    generate.priority = Priority::Background;
    EXPECT_EQ(refusal(generate).code, ErrorCode::Suspended);
    RecordingSink sink;
    submit(sink);
    EXPECT_EQ(n_engines(), 1u);
}

TEST_F(ServiceTest, WithoutPlacesNothingStartsAndNothingEnds) {
    platform::Directive none;
    none.max_slots = 0;
    service_->apply(none);
    RecordingSink sink, other;
    const RequestId id = submit(sink);
    EXPECT_EQ(n_engines(), 0u) << "not even an engine";
    service_->apply({});
    settle();
    load_and_get_ready();
    expect_start(id);
    service_->apply(none);
    settle();
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    EXPECT_EQ(state(id), RequestState::Paused);
    submit(other, request("b"));
    EXPECT_FALSE(engine().hung_up()) << "another model waits too";
    service_->apply({});
    settle();
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused);
    finish(id);
    EXPECT_TRUE(sink.ended());
}

TEST_F(ServiceTest, UnloadWaitsForEverybodyWhoNeedsTheModel) {
    RecordingSink sink;
    const RequestId id = run(sink);
    platform::Directive directive;
    directive.unload = true;
    service_->apply(directive);
    settle();
    token(id, 1, "on");
    EXPECT_FALSE(engine().hung_up());
    finish(id);
    EXPECT_TRUE(engine().hung_up());
    EXPECT_EQ(sink.outcome().finish, Finish::Stop);
    exit_engine();
    RecordingSink next;
    submit(next);
    EXPECT_EQ(n_engines(), 2u) << "whoever asks gets it again";
}

// The pressure says so; the kernel's count of kills, which another program's killer does not change, says nothing.
TEST_F(ServiceTest, AnEngineThatIsKilledWhileMemoryIsShortIsReplacedWhenItIsEnough) {
    RecordingSink sink;
    const RequestId id = run(sink);
    token(id, 1, "one");
    platform::Directive directive;
    directive.memory_is_short = true;
    service_->apply(directive);
    settle();
    die_of(SIGKILL);
    EXPECT_EQ(n_engines(), 1u);
    pass_time(supervisor::kFirstLoadRetry);
    EXPECT_EQ(n_engines(), 1u) << "memory is short still";
    EXPECT_EQ(state(id), RequestState::Loading);
    service_->apply({});
    settle();
    ASSERT_EQ(n_engines(), 2u);
    load_and_get_ready();
    EXPECT_EQ(expect_start(id).replay_ids, std::vector<int32_t>{1});
    // Another death than a kill says nothing of memory.
    service_->apply(directive);
    settle();
    die_of(SIGSEGV);
    EXPECT_EQ(n_engines(), 3u);
}

TEST_F(ServiceTest, ActivityTellsWhatThePolicyNeeds) {
    const auto expect = [&](bool engine, bool work, bool requests, bool quiet) {
        const Activity activity = service_->activity();
        EXPECT_EQ(activity.has_engine, engine);
        EXPECT_EQ(activity.has_work, work);
        EXPECT_EQ(activity.has_requests, requests);
        EXPECT_EQ(activity.is_quiet, quiet);
    };
    expect(false, false, false, true);
    RecordingSink sink;
    auto generate = request();
    generate.priority = Priority::Background;
    const RequestId id = submit(sink, generate);
    expect(true, true, true, true);
    load_and_get_ready();
    expect_start(id);
    send(protocol::PhaseChange{protocol::Phase::Step, 60'000});
    expect(true, true, true, false);
    platform::Directive directive;
    directive.run_background = false;
    service_->apply(directive);
    settle();
    send(protocol::PhaseChange{protocol::Phase::Idle, 0});
    expect(true, false, true, true);
    ASSERT_TRUE(service_->cancel(id));
    settle();
    expect(true, false, false, true);
}

TEST_F(ServiceTest, ANewEngineIsToldThePaceOnceAndNothingOfACacheItDoesNotHave) {
    platform::Directive directive;
    directive.duty_cycle_percent = 40;
    directive.drop_cache = true;
    service_->apply(directive);
    RecordingSink sink;
    const RequestId id = submit(sink);
    load_and_get_ready();
    EXPECT_EQ(engine().expect<protocol::SetPace>().duty_cycle_percent, 40u);
    expect_start(id);
    engine().expect_nothing();
    die_of(SIGKILL);
    load_and_get_ready();
    EXPECT_EQ(engine().expect<protocol::SetPace>().duty_cycle_percent, 40u);
    expect_start(id);
    service_->apply({});
    settle();
    EXPECT_EQ(engine().expect<protocol::SetPace>().duty_cycle_percent, 100u);
    engine().expect_nothing();
}

}  // namespace
}  // namespace llmd::service
