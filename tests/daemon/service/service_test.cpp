// What clients may expect of the service while the engine is well: order, limits, events, cancelling.
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
    generate.sampling = {0.5f, 11, 0.75f, 0.125f, 1.5f, 99};
    generate.stops = {"END"};
    const RequestId id = submit(sink, generate);
    ASSERT_EQ(n_engines(), 1u);
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/a.gguf");
    EXPECT_EQ(service_->status().state, State::Loading);
    EXPECT_EQ(state(id), RequestState::Loading);
    send(protocol::LoadProgress{400});
    EXPECT_EQ(service_->status().load_per_mille, 400u);

    now_ += milliseconds(100);
    ready();
    const auto submitted = expect_start(id);
    EXPECT_EQ(submitted.prompt, "Once");
    EXPECT_EQ(submitted.max_tokens, 5u);
    EXPECT_EQ(submitted.temperature, 0.5f);
    EXPECT_EQ(submitted.top_k, 11u);
    EXPECT_EQ(submitted.top_p, 0.75f);
    EXPECT_EQ(submitted.min_p, 0.125f);
    EXPECT_EQ(submitted.repeat_penalty, 1.5f);
    EXPECT_EQ(submitted.seed, 99u);
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
    protocol::Finished finished{.id = id, .reason = protocol::FinishReason::Length, .message = {}, .text = " a time"};
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

    for (int i = 0; i < 4; ++i) send(protocol::Accepted{ids[i], 3, 0});
    EXPECT_EQ(sinks[3].accepted, 1);
    finish(ids[1]);
    EXPECT_EQ(engine().expect<protocol::Start>().id, ids[2]);
    EXPECT_EQ(service_->request(ids[3])->position, 0u);

    send(protocol::Refused{ids[3], ErrorCode::ContextExceeded, "too long"});
    EXPECT_EQ(sinks[3].error().code, ErrorCode::ContextExceeded);
    engine().expect_nothing();
}

TEST_F(ServiceTest, EstimatesWaitingFromWhatEarlierRequestsTook) {
    RecordingSink sinks[3];
    const RequestId first = submit(sinks[0]);
    load_and_get_ready(1);
    expect_start(first);
    const RequestId second = submit(sinks[1]);
    EXPECT_EQ(service_->request(second)->estimated_wait_ms, 0u);
    now_ += milliseconds(800);
    finish(first);
    const RequestId third = submit(sinks[2]);
    EXPECT_EQ(service_->request(second)->estimated_wait_ms, 0u);
    EXPECT_EQ(service_->request(third)->estimated_wait_ms, 800u);
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
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(code([](auto& r) { r.model = "c"; }), ErrorCode::ModelNotFound);
    EXPECT_EQ(code([](auto& r) { r.model = "../a"; }), ErrorCode::ModelNotFound);
    EXPECT_EQ(code([&](auto& r) { r.model = folder_.path() + "/a.gguf"; }), ErrorCode::ModelNotFound);
    EXPECT_EQ(code([](auto& r) { r.max_tokens = 0; }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code([](auto& r) { r.max_tokens = RequestLimits::kMaxTokens + 1; }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code([&](auto& r) { r.sampling.temperature = nan; }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code([](auto& r) { r.sampling.top_p = -1; }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code([](auto& r) { r.sampling.repeat_penalty = 0; }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code([](auto& r) { r.stops.assign(10'000, "x"); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code([](auto& r) { r.stops = {""}; }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code([](auto& r) { r.prompt.assign((4u << 20) + 1, 'x'); }), ErrorCode::PromptTooLong);
    EXPECT_EQ(code([](auto& r) { r.deadline = milliseconds(-1); }), ErrorCode::InvalidArgument);
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
        seeds[i] = expect_start(id).seed;
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
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    EXPECT_EQ(state(paused_id), RequestState::Paused);
    const RequestId queued_id = submit(queued);
    EXPECT_EQ(engine().expect<protocol::Submit>().id, queued_id);

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
    send(protocol::Finished{.id = id, .message = {}, .text = "the end"});
    EXPECT_EQ(first.error().code, ErrorCode::SlowConsumer);
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, id);
    expect_start(next);
    finish(next);
    EXPECT_EQ(second.outcome().finish, Finish::Stop);
}

TEST_F(ServiceTest, PausingIsPassedOnOnceAndKeptForAnEngineThatIsNotReady) {
    RecordingSink sink;
    const RequestId id = submit(sink);
    ASSERT_TRUE(service_->set_paused(id, true));
    load_and_get_ready();
    EXPECT_EQ(engine().expect<protocol::Submit>().id, id);
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    EXPECT_EQ(engine().expect<protocol::Start>().id, id);
    ASSERT_TRUE(service_->set_paused(id, true));
    engine().expect_nothing();
    ASSERT_TRUE(service_->set_paused(id, false));
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused);
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
    generate.client = "other";
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
    service_->unload_model([&](base::Result<void> result) { errors.push_back(result.error().code); });
    settle();
    EXPECT_EQ(running.outcome().finish, Finish::Cancelled);
    EXPECT_EQ(waiting.outcome().finish, Finish::Cancelled);
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
