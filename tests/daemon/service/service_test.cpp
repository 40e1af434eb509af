// Clients may expect this of the service while the engine is well: order, limits, events, cancelling.
#include "service/service.h"

#include "service_fixture.h"

namespace llmd::service {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;

TEST_F(ServiceTest, StartsTheEngineWithTheFirstRequestAndStreamsItsText) {
    settle();
    EXPECT_EQ(n_engines(), 0u);
    EXPECT_EQ(service_->status().state, State::Idle);

    RecordingSink sink;
    auto generate = request();
    generate.max_tokens = 5;
    generate.sampling = {0.5f, 11, 0.75f, 0.125f, 1.5f};
    generate.sampling.presence_penalty = 0.25f;
    generate.sampling.logit_bias = {{7, -1.5f}};
    generate.sampling.seed = 99;
    generate.stops = {"END"};
    const RequestId id = submit(sink, generate);
    ASSERT_EQ(n_engines(), 1u);
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/a.gguf");
    EXPECT_EQ(service_->status().state, State::Loading);
    EXPECT_EQ(state(id), RequestState::Loading);
    send(protocol::LoadProgress{400});
    EXPECT_EQ(service_->status().main.load_per_mille, 400u);

    now_ += milliseconds(100);
    ready();
    const auto submitted = expect_start(id);
    EXPECT_EQ(submitted.prompt, "Once");
    EXPECT_EQ(submitted.max_tokens, 5u);
    EXPECT_EQ(submitted.sampling.temperature, 0.5f);
    EXPECT_EQ(submitted.sampling.top_k, 11u);
    EXPECT_EQ(submitted.sampling.top_p, 0.75f);
    EXPECT_EQ(submitted.sampling.min_p, 0.125f);
    EXPECT_EQ(submitted.sampling.repeat_penalty, 1.5f);
    EXPECT_EQ(submitted.sampling.presence_penalty, 0.25f);
    EXPECT_EQ(submitted.sampling.logit_bias, (std::vector<protocol::LogitBias>{{7, -1.5f}}));
    EXPECT_EQ(submitted.sampling.seed, 99u);
    EXPECT_EQ(submitted.stops, std::vector<std::string>{"END"});
    EXPECT_TRUE(submitted.replay_ids.empty());
    EXPECT_EQ(submitted.delivered_bytes, 0u);
    EXPECT_EQ(sink.accepted, 1);
    EXPECT_EQ(sink.prompt_tokens, 3u);
    EXPECT_EQ(state(id), RequestState::Prefill);
    EXPECT_EQ(service_->status().state, State::Busy);

    now_ += milliseconds(50);
    token(id, 1, " upon");
    EXPECT_EQ(state(id), RequestState::Decode);
    token(id, 2, "");
    protocol::Finished finished{
        .id = id, .reason = protocol::FinishReason::Length, .message = {}, .parts = {{.text = " a time"}}};
    finished.prefill_tokens = 3;
    finished.prefill_us = 1'000'000;
    finished.decode_tokens = 2;
    finished.decode_us = 500'000;
    send(finished);

    EXPECT_EQ(sink.text, " upon a time");
    const Outcome& outcome = sink.outcome();
    EXPECT_EQ(outcome.finish, Finish::Length);
    EXPECT_FALSE(outcome.error);
    EXPECT_EQ(outcome.model, "a");
    EXPECT_EQ(outcome.seed, 99u);
    EXPECT_EQ(outcome.prompt_tokens, 3u);
    EXPECT_EQ(outcome.generated_tokens, 2u);
    EXPECT_EQ(outcome.queue_time, milliseconds(100));
    EXPECT_EQ(outcome.ttft, milliseconds(150));
    EXPECT_EQ(outcome.prefill_tps, 3);
    EXPECT_EQ(outcome.decode_tps, 4);
    EXPECT_EQ(service_->status().figures.queue_ms.sum(), 100);
    EXPECT_EQ(service_->status().figures.ttft_ms.sum(), 150);
    EXPECT_EQ(service_->status().figures.prefill_ms.sum(), 50);
    EXPECT_EQ(service_->status().figures.decode_tps.sum(), 4);
    EXPECT_FALSE(outcome.profile_changed);
    EXPECT_FALSE(service_->request(id));
    EXPECT_EQ(service_->status().state, State::Ready);
    engine().expect_nothing();
}

TEST_F(ServiceTest, NothingIsCalledFromInsideACall) {
    RecordingSink sink;
    int status_changes = 0;
    service_->on_status_changed([&] { ++status_changes; });
    bool done = false;
    const auto id = service_->submit(request(), sink);
    ASSERT_TRUE(id);
    ASSERT_TRUE(service_->cancel(*id));
    service_->tokenize("nowhere", "text", [&](auto) { done = true; });
    service_->load_model("nowhere", [&](auto) { done = true; });
    EXPECT_EQ(n_engines(), 0u);
    EXPECT_FALSE(sink.ended());
    EXPECT_FALSE(done);
    EXPECT_EQ(status_changes, 0);
    settle();
    EXPECT_TRUE(sink.ended());
    EXPECT_TRUE(done);
    EXPECT_EQ(status_changes, 1);
}

TEST_F(ServiceTest, WaitingRequestsAreTokenizedAtOnceAndStartedInOrder) {
    RecordingSink sinks[4];
    RequestId ids[4];
    for (int i = 0; i < 4; ++i) ids[i] = submit(sinks[i]);
    load_and_get_ready(2);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(engine().expect<protocol::Submit>().id, ids[i]);
        EXPECT_EQ(engine().expect<protocol::Start>().id, ids[i]);
    }
    for (int i = 2; i < 4; ++i) EXPECT_EQ(engine().expect<protocol::Submit>().id, ids[i]);
    engine().expect_nothing();
    EXPECT_EQ(state(ids[2]), RequestState::Queued);
    EXPECT_EQ(service_->request(ids[3])->position, 1u);
    EXPECT_EQ(service_->status().queued, 2u);
    EXPECT_EQ(service_->status().active, 2u);

    for (int i = 0; i < 4; ++i) send(protocol::Accepted{ids[i], 3});
    EXPECT_EQ(sinks[3].accepted, 1);
    finish(ids[1]);
    EXPECT_EQ(engine().expect<protocol::Start>().id, ids[2]);
    EXPECT_EQ(service_->request(ids[3])->position, 0u);

    send(protocol::Refused{ids[3], ErrorCode::ContextExceeded, "too long", 300});
    EXPECT_EQ(sinks[3].error().code, ErrorCode::ContextExceeded);
    EXPECT_EQ(sinks[3].outcome().prompt_tokens, 300u);
    engine().expect_nothing();
}

TEST_F(ServiceTest, EstimatesWaitingFromTheSpeedAndLengthOfEarlierRequests) {
    RecordingSink sinks[4];
    const RequestId first = submit(sinks[0]);
    load_and_get_ready(1);
    expect_start(first);
    const RequestId second = submit(sinks[1]);
    EXPECT_EQ(service_->request(second)->estimated_wait_ms, 0u);
    for (int i = 0; i < 8; ++i) token(first, i, "x");
    protocol::Finished finished{.id = first, .message = {}, .parts = {}};
    finished.decode_tokens = 7;
    finished.decode_us = 700'000;
    send(finished);
    const RequestId third = submit(sinks[2]);
    const RequestId fourth = submit(sinks[3]);
    EXPECT_EQ(service_->request(second)->estimated_wait_ms, 0u);
    EXPECT_EQ(service_->request(third)->estimated_wait_ms, 800u);
    EXPECT_EQ(service_->request(fourth)->estimated_wait_ms, 1600u);
}

TEST_F(ServiceTest, AnInteractiveRequestTakesABackgroundPlaceAtOnce) {
    RecordingSink sinks[4], hasty;
    RequestId ids[4];
    auto generate = request();
    generate.priority = Priority::Background;
    for (int i = 0; i < 4; ++i) {
        generate.caller.name = "patient " + std::to_string(i);
        ids[i] = submit(sinks[i], generate);
    }
    load_and_get_ready(4);
    for (const RequestId id : ids) {
        EXPECT_EQ(engine().expect<protocol::Submit>().id, id);
        EXPECT_EQ(engine().expect<protocol::Start>().priority, Priority::Background);
        send(protocol::Accepted{id, 3});
        token(id, 1, "one");
    }

    generate.caller.name = "hasty";
    generate.priority = Priority::Interactive;
    const RequestId id = submit(hasty, generate);
    const auto paused = engine().expect<protocol::SetPaused>();
    EXPECT_EQ(paused.id, ids[3]);
    EXPECT_TRUE(paused.paused);
    EXPECT_EQ(engine().expect<protocol::Submit>().id, id);
    const auto start = engine().expect<protocol::Start>();
    EXPECT_EQ(start.id, id);
    EXPECT_EQ(start.priority, Priority::Interactive);
    engine().expect_nothing();
    EXPECT_EQ(state(ids[3]), RequestState::Paused);
    EXPECT_EQ(service_->status().active, 4u);
    EXPECT_EQ(service_->status().queued, 1u);
    token(ids[3], 2, " two");  // was on its way
    EXPECT_EQ(sinks[3].text, "one two");

    send(protocol::Accepted{id, 3});
    finish(id);
    const auto resumed = engine().expect<protocol::SetPaused>();
    EXPECT_EQ(resumed.id, ids[3]);
    EXPECT_FALSE(resumed.paused);
    engine().expect_nothing();
    token(ids[3], 3, " three");
    EXPECT_EQ(sinks[3].text, "one two three");
}

TEST_F(ServiceTest, WhoLostItsPlaceComesBackFromItsTokensAfterADeath) {
    RecordingSink patient, hasty;
    auto generate = request();
    generate.priority = Priority::Background;
    const RequestId id = submit(patient, generate);
    load_and_get_ready(1);
    expect_start(id);
    token(id, 5, "five");
    const RequestId other = submit(hasty);
    EXPECT_EQ(engine().expect<protocol::SetPaused>().id, id);
    expect_start(other);
    die_of(SIGKILL);
    load_and_get_ready(1);
    expect_start(other);
    EXPECT_EQ(engine().expect<protocol::Submit>().replay_ids, std::vector<int32_t>{5});
    finish(other);
    EXPECT_EQ(engine().expect<protocol::Start>().id, id);
    engine().expect_nothing();
}

TEST_F(ServiceTest, AConversationGoesToEveryEngineThatServesIt) {
    RecordingSink sink;
    auto generate = request("a");
    generate.prompt.clear();
    generate.messages = {{protocol::ChatMessage::Role::System, "s"}, {protocol::ChatMessage::Role::User, "u"}};
    const RequestId id = submit(sink, generate);
    load_and_get_ready();
    const auto expect_conversation = [](const protocol::Submit& submitted) {
        ASSERT_EQ(submitted.messages.size(), 2u);
        EXPECT_EQ(submitted.messages[0].role, protocol::ChatMessage::Role::System);
        EXPECT_EQ(submitted.messages[1].content, "u");
        EXPECT_EQ(submitted.prompt, "");
    };
    expect_conversation(expect_start(id));
    token(id, 5, "five");
    die_of(SIGKILL);
    load_and_get_ready();
    expect_conversation(expect_start(id));
}

TEST_F(ServiceTest, AnotherModelOfAHigherClassDoesNotWaitForBackground) {
    RecordingSink patient, hasty;
    auto generate = request("a");
    generate.priority = Priority::Background;
    const RequestId id = submit(patient, generate);
    load_and_get_ready(1);
    expect_start(id);
    token(id, 5, "five");
    const RequestId other = submit(hasty, request("b"));
    EXPECT_TRUE(engine().hung_up());
    exit_engine();
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/b.gguf");
    ready(1);
    expect_start(other);
    finish(other);
    exit_engine();
    load_and_get_ready(1);
    EXPECT_EQ(expect_start(id).replay_ids, std::vector<int32_t>{5});
}

TEST_F(ServiceTest, TheEngineHearsOfAnotherPriority) {
    RecordingSink sink;
    const RequestId id = run(sink);
    ASSERT_TRUE(service_->set_priority(id, Priority::Background));
    settle();
    EXPECT_EQ(engine().expect<protocol::Start>().priority, Priority::Background);
    ASSERT_TRUE(service_->set_priority(id, Priority::Background));
    settle();
    engine().expect_nothing();
}

TEST_F(ServiceTest, ASandboxedCallerHasHalfTheLimitsAndIsNeverInteractive) {
    RecordingSink sinks[2];
    auto generate = request();
    generate.caller.sandboxed = true;
    generate.priority = Priority::Interactive;
    const RequestId id = submit(sinks[0], generate);
    EXPECT_EQ(service_->request(id)->priority, Priority::Normal);
    ASSERT_TRUE(service_->set_priority(id, Priority::Interactive));
    EXPECT_EQ(service_->request(id)->priority, Priority::Normal);
    submit(sinks[1], generate);
    EXPECT_EQ(refusal(generate).code, ErrorCode::RateLimited);
}

TEST_F(ServiceTest, TheQueueAndAClientHaveLimits) {
    auto greedy = request();
    RecordingSink sinks[32];
    size_t n = 0;
    for (; n < RequestLimits::kMaxPerClient; ++n) submit(sinks[n], greedy);
    EXPECT_EQ(refusal(greedy).code, ErrorCode::RateLimited);
    // One of them runs (or loads); the others wait.
    for (size_t waiting = n - 1; waiting < RequestLimits::kMaxQueued; ++waiting) submit(sinks[n++]);
    EXPECT_EQ(refusal(request()).code, ErrorCode::QueueFull);
    service_->cancel_all();
    settle();
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(sinks[i].outcome().finish, Finish::Cancelled);
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(ServiceTest, RefusesWhatNoFrontEndShouldLetThrough) {
    const auto code = [&](const std::function<void(GenerateRequest&)>& spoil) {
        auto bad = request();
        spoil(bad);
        return refusal(std::move(bad)).code;
    };
    EXPECT_EQ(code([](auto& r) { r.model = "c"; }), ErrorCode::ModelNotFound);
    EXPECT_EQ(code([](auto& r) { r.model = "../a"; }), ErrorCode::ModelNotFound);
    EXPECT_EQ(code([&](auto& r) { r.model = folder_.path() + "/a.gguf"; }), ErrorCode::ModelNotFound);
    // No frame to the engine could carry this: the engine would take the blame.
    EXPECT_EQ(code([](auto& r) { r.tool_name.assign(RequestLimits::kMaxToolNameBytes + 1, 'f'); }),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(code([](auto& r) {
                  r.prompt.clear();
                  r.messages.emplace_back().tool_calls.resize(protocol::kMaxToolCalls + 1);
              }),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(code([](auto& r) {
                  r.prompt.clear();
                  r.messages.emplace_back().tool_call_id.assign(RequestLimits::kMaxSocketPromptBytes + 1, 'x');
              }),
              ErrorCode::PromptTooLong);
    EXPECT_EQ(code([](auto& r) { r.prompt.assign((4u << 20) + 1, 'x'); }), ErrorCode::PromptTooLong);
    settle();
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(ServiceTest, DrawsASeedWhenNoneIsGiven) {
    RecordingSink sinks[2];
    uint64_t seeds[2];
    for (int i = 0; i < 2; ++i) {
        auto generate = request();
        generate.sampling.seed.reset();
        const RequestId id = submit(sinks[i], generate);
        if (i == 0) load_and_get_ready();
        seeds[i] = *expect_start(id).sampling.seed;
        finish(id);
        EXPECT_EQ(sinks[i].outcome().seed, seeds[i]);
    }
    EXPECT_NE(seeds[0], seeds[1]);
}

TEST_F(ServiceTest, CancelWorksInEveryState) {
    RecordingSink loading, prefill, decoding, paused, queued;
    const RequestId loading_id = submit(loading);
    ASSERT_TRUE(service_->cancel(loading_id));
    EXPECT_FALSE(service_->cancel(loading_id));
    settle();
    EXPECT_EQ(loading.outcome().finish, Finish::Cancelled);

    const RequestId prefill_id = submit(prefill);
    load_and_get_ready(3);
    expect_start(prefill_id);
    const RequestId decoding_id = submit(decoding);
    expect_start(decoding_id);
    token(decoding_id, 1, "text");
    const RequestId paused_id = submit(paused);
    expect_start(paused_id);
    ASSERT_TRUE(service_->set_paused(paused_id, true));
    settle();
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    EXPECT_EQ(state(paused_id), RequestState::Paused);
    const RequestId queued_id = submit(queued);
    expect_start(queued_id);  // in the slot of the paused one

    for (const RequestId id : {queued_id, paused_id, decoding_id, prefill_id}) {
        ASSERT_TRUE(service_->cancel(id));
        EXPECT_EQ(engine().expect<protocol::Cancel>().id, id);
    }
    // On its way when the cancel was sent: nobody hears of it.
    token(decoding_id, 2, "late");
    finish(decoding_id);
    engine().expect_nothing();
    for (const RecordingSink* sink : {&prefill, &decoding, &paused, &queued}) {
        EXPECT_EQ(sink->outcome().finish, Finish::Cancelled);
    }
    EXPECT_EQ(decoding.text, "text");
    EXPECT_EQ(decoding.outcome().generated_tokens, 1u);
    EXPECT_EQ(n_engines(), 1u);
}

TEST_F(ServiceTest, ASinkMayCancelFailOrSubmitFromItsCallbacks) {
    RecordingSink first, second, third;
    const RequestId id = submit(first);
    load_and_get_ready();
    expect_start(id);
    RequestId next = 0;
    first.when_text = [&] { EXPECT_TRUE(service_->fail(id, {ErrorCode::SlowConsumer, "asleep"})); };
    first.when_finished = [&] { next = *service_->submit(request(), second); };
    send(protocol::Finished{.id = id, .message = {}, .parts = {{.text = "the end"}}});
    EXPECT_EQ(first.error().code, ErrorCode::SlowConsumer);
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, id);
    expect_start(next);
    finish(next);
    EXPECT_EQ(second.outcome().finish, Finish::Stop);
}

TEST_F(ServiceTest, APausedRequestIsNotStartedAndPausingIsPassedOnOnce) {
    RecordingSink sink;
    const RequestId id = submit(sink);
    const auto pause = [&](bool paused) {
        ASSERT_TRUE(service_->set_paused(id, paused));
        settle();
    };
    pause(true);
    load_and_get_ready();
    EXPECT_EQ(engine().expect<protocol::Submit>().id, id);
    pause(false);
    EXPECT_EQ(engine().expect<protocol::Start>().id, id);
    pause(true);
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    pause(true);
    engine().expect_nothing();
    pause(false);
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused);
    engine().expect_nothing();
    EXPECT_FALSE(service_->set_paused(id + 1, true));
}

TEST_F(ServiceTest, ADeadlineEndsARequestWithTheTextSoFar) {
    RecordingSink running, waiting;
    auto generate = request();
    generate.deadline = milliseconds(50);
    const RequestId id = submit(running, generate);
    load_and_get_ready(1);
    expect_start(id);
    token(id, 1, "so far");
    generate.deadline = milliseconds(0);
    generate.caller.name = "other";
    submit(waiting, generate);
    constexpr int kTurns = 1000;
    for (int i = 0; i < kTurns && !(running.ended() && waiting.ended()); ++i) {
        ASSERT_TRUE(loop_.run_once(std::chrono::seconds(10)));
    }
    EXPECT_EQ(waiting.outcome().finish, Finish::Timeout);
    EXPECT_EQ(running.outcome().finish, Finish::Timeout);
    EXPECT_FALSE(running.outcome().error);
    EXPECT_EQ(running.text, "so far");
    EXPECT_EQ(service_->status().active, 0u);
}

TEST_F(ServiceTest, EchoPutsThePromptFirstAndDoesNotCountIt) {
    RecordingSink sink;
    auto generate = request();
    generate.echo = true;
    const RequestId id = submit(sink, generate);
    load_and_get_ready();
    expect_start(id);
    EXPECT_EQ(sink.text, "Once");
    token(id, 1, " upon");
    die_of(SIGKILL);
    load_and_get_ready();
    EXPECT_EQ(expect_start(id).delivered_bytes, 5u);
    EXPECT_EQ(sink.text, "Once upon");
}

TEST_F(ServiceTest, PriorityIsStored) {
    RecordingSink sink;
    const RequestId id = submit(sink);
    ASSERT_TRUE(service_->set_priority(id, Priority::Background));
    EXPECT_EQ(service_->request(id)->priority, Priority::Background);
    EXPECT_FALSE(service_->set_priority(id + 1, Priority::Background));
}

TEST_F(ServiceTest, ShutsDownInOrder) {
    RecordingSink running, waiting;
    const RequestId id = submit(running);
    load_and_get_ready(1);
    expect_start(id);
    submit(waiting, request("b"));
    std::vector<ErrorCode> errors;
    service_->load_model("b", [&](base::Result<void> result) { errors.push_back(result.error().code); });
    service_->tokenize("b", "x", [&](auto result) { errors.push_back(result.error().code); });
    bool done = false;
    service_->shut_down([&] { done = true; });
    EXPECT_EQ(refusal(request()).code, ErrorCode::ShuttingDown);
    service_->load_model("b", [&](base::Result<void> result) { errors.push_back(result.error().code); });
    service_->unload_model({}, [&](base::Result<void> result) { errors.push_back(result.error().code); });
    settle();
    for (const RecordingSink* sink : {&running, &waiting}) {
        EXPECT_EQ(sink->outcome().finish, Finish::Error);
        EXPECT_EQ(sink->outcome().error->code, ErrorCode::ShuttingDown);
    }
    EXPECT_EQ(errors, std::vector<ErrorCode>(4, ErrorCode::ShuttingDown));
    EXPECT_FALSE(done);
    die_of(SIGSEGV);
    EXPECT_TRUE(done);
    EXPECT_EQ(n_engines(), 1u);
}

TEST_F(ServiceTest, ShuttingDownWithoutAnEngineIsDoneInTheNextTurn) {
    bool done = false;
    service_->shut_down([&] { done = true; });
    EXPECT_FALSE(done);
    settle();
    EXPECT_TRUE(done);
}

TEST_F(ServiceTest, DestructionKillsTheEngineAndCallsNobody) {
    RecordingSink sink;
    auto generate = request();
    generate.deadline = milliseconds(0);
    submit(sink);
    ASSERT_TRUE(service_->submit(generate, sink));
    service_.reset();
    settle();
    EXPECT_FALSE(sink.ended());
}

}  // namespace
}  // namespace llmd::service
