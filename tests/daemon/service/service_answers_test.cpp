// The parts of answers besides text, embeddings and logprobs, also when engines die or lie.
#include "service_fixture.h"

namespace llmd::service {
namespace {

class ServiceAnswersTest : public ServiceTest {
protected:
    static GenerateRequest embeddings(std::vector<Prompt> inputs) {
        GenerateRequest wanted = request();
        wanted.prompt.clear();
        wanted.inputs = std::move(inputs);
        return wanted;
    }
    // Submit of an input; the engine is made to forget it when others follow.
    void expect_input(RequestId id, const std::string& text, bool is_forgotten = false) {
        const auto submit = engine().expect<protocol::Submit>();
        EXPECT_TRUE(submit.id == id && submit.embeds && submit.replay_ids.empty());
        EXPECT_EQ(submit.prompt, text);
        if (is_forgotten) {
            EXPECT_EQ(engine().expect<protocol::Cancel>().id, id);
        }
    }
    void embed(RequestId id, float value, uint32_t n_tokens = 0) {
        protocol::Finished finished;
        finished.id = id;
        finished.embedding = {value};
        finished.prefill_tokens = n_tokens;
        send(finished);
    }
    // A request for three, of which the engine has accepted all, with 3, 4 and 5 tokens.
    RequestId embed_three(RecordingSink& sink, uint32_t n_slots = 2) {
        const RequestId id = submit(sink, embeddings({{"zero", {}}, {"one", {}}, {"two", {}}}));
        load_and_get_ready(n_slots);
        expect_check(id);
        EXPECT_EQ(engine().expect<protocol::Start>().id, id);
        for (const uint32_t n_tokens : {4, 5}) send(protocol::Accepted{id, n_tokens});
        EXPECT_EQ(sink.accepted, 0) << "one is not answered yet";
        send(protocol::Accepted{id, 3});
        EXPECT_EQ(sink.accepted, 1);
        EXPECT_EQ(sink.prompt_tokens, 12u);
        return id;
    }
    void expect_check(RequestId id) {
        expect_input(id, "one", true);
        expect_input(id, "two", true);
        expect_input(id, "zero");
    }
    void expect_next(RequestId id, const std::string& text) {
        expect_input(id, text);
        EXPECT_EQ(engine().expect<protocol::Start>().id, id);
        send(protocol::Accepted{id, 4});
    }
};

TEST_F(ServiceAnswersTest, InputsAreComputedOneAfterAnotherOnceAllOfThemFit) {
    RecordingSink sink;
    const RequestId id = embed_three(sink);
    engine().expect_nothing();
    embed(id, 0);
    expect_next(id, "one");
    embed(id, 1);
    EXPECT_FALSE(sink.ended());
    expect_next(id, "two");
    embed(id, 2);
    EXPECT_EQ(sink.outcome().finish, Finish::Stop);
    EXPECT_EQ(sink.outcome().embeddings, (std::vector<std::vector<float>>{{0}, {1}, {2}}));
    EXPECT_EQ(sink.outcome().prompt_tokens, 12u);
    EXPECT_EQ(sink.accepted, 1);
    engine().expect_nothing();
}

TEST_F(ServiceAnswersTest, AnInputThatIsTooLongIsNamedBeforeAnyIsComputed) {
    for (const size_t bad : {0, 1, 2}) {
        RecordingSink sink;
        const RequestId id = submit(sink, embeddings({{"zero", {}}, {"one", {}}, {"two", {}}}));
        if (bad == 0) load_and_get_ready();
        expect_check(id);
        EXPECT_EQ(engine().expect<protocol::Start>().id, id);
        for (const size_t input : {1, 2, 0}) {
            if (input != bad) {
                send(protocol::Accepted{id, 3});
                continue;
            }
            send(protocol::Refused{id, base::ErrorCode::ContextExceeded, "too long", 300});
            break;
        }
        EXPECT_EQ(sink.error().code, base::ErrorCode::ContextExceeded);
        EXPECT_EQ(sink.error().message, base::concat("input[", bad, "]: too long"));
        EXPECT_EQ(sink.outcome().prompt_tokens, 300u);
        EXPECT_EQ(sink.accepted, 0);
        EXPECT_EQ(engine().expect<protocol::Cancel>().id, id) << "the one that was sent behind it is let go";
        send(protocol::Accepted{id, 3});  // was on its way
        EXPECT_EQ(n_engines(), 1u);
    }
}

TEST_F(ServiceAnswersTest, WhatIsEmbeddedIsNotComputedAgainByTheNextEngine) {
    RecordingSink sink;
    const RequestId id = embed_three(sink);
    embed(id, 0);
    die_of(SIGABRT);
    load_and_get_ready();
    expect_next(id, "one");
    embed(id, 1);
    expect_next(id, "two");
    embed(id, 2);
    EXPECT_EQ(sink.outcome().embeddings, (std::vector<std::vector<float>>{{0}, {1}, {2}}));
}

TEST_F(ServiceAnswersTest, AnEngineThatDiesWhileItChecksInputsGetsThemAllAgain) {
    RecordingSink sink;
    const RequestId id = submit(sink, embeddings({{"zero", {}}, {"one", {}}, {"two", {}}}));
    load_and_get_ready();
    expect_check(id);
    for (int i = 0; i < 2; ++i) send(protocol::Accepted{id, 4});
    die_of(SIGABRT);
    load_and_get_ready();
    expect_check(id);
    for (int i = 0; i < 3; ++i) send(protocol::Accepted{id, 4});
    EXPECT_EQ(sink.prompt_tokens, 12u);
}

TEST_F(ServiceAnswersTest, OthersHaveTheirTurnsBetweenInputs) {
    RecordingSink sink, other;
    const RequestId id = embed_three(sink, 1);
    const RequestId waiting = submit(other);
    EXPECT_EQ(engine().expect<protocol::Submit>().id, waiting);
    send(protocol::Accepted{waiting, 3});
    embed(id, 0, 10 * kFairTokens * kPromptTokensPerToken);
    EXPECT_EQ(engine().expect<protocol::Start>().id, waiting);
    expect_input(id, "one");
    engine().expect_nothing();
    send(protocol::Accepted{id, 4});
    finish(waiting);
    EXPECT_EQ(engine().expect<protocol::Start>().id, id);
    embed(id, 1);
    EXPECT_FALSE(sink.ended());
    ASSERT_TRUE(service_->cancel(id));
    settle();
    EXPECT_EQ(sink.outcome().finish, Finish::Cancelled);
    EXPECT_TRUE(sink.outcome().embeddings.empty());
}

TEST_F(ServiceAnswersTest, EmbeddingsThatAreNotThereInTimeAreAnError) {
    RecordingSink sink;
    GenerateRequest wanted = embeddings({{"zero", {}}, {"one", {}}});
    wanted.deadline = std::chrono::milliseconds(1);
    ASSERT_TRUE(service_->submit(wanted, sink));
    while (!sink.ended()) ASSERT_TRUE(loop_.run_once(std::chrono::seconds(10)));
    EXPECT_EQ(sink.error().code, base::ErrorCode::Timeout);
}

TEST_F(ServiceAnswersTest, ThereAreLimitsOnInputs) {
    GenerateRequest most = embeddings(std::vector<Prompt>(RequestLimits::kMaxInputs, {"a", {}}));
    EXPECT_TRUE(check(most));
    most.prompt = "Once";
    EXPECT_EQ(refusal(most).message, "input: given together with another prompt");
    EXPECT_EQ(refusal(embeddings(std::vector<Prompt>(RequestLimits::kMaxInputs + 1, {"a", {}}))).message,
              "input: 2049 are more than 2048");
    EXPECT_EQ(refusal(embeddings({{"a", {}}, {std::string(RequestLimits::kMaxSocketPromptBytes, 'a'), {}}})).code,
              base::ErrorCode::PromptTooLong);
}

TEST_F(ServiceAnswersTest, AnswersOfOneCallAreTakenAllOrNone) {
    RecordingSink sinks[RequestLimits::kMaxAnswers + 1];
    const auto submit_call = [&](size_t n, const GenerateRequest& like) {
        std::vector<RequestSink*> each;
        for (size_t i = 0; i < n; ++i) each.push_back(&sinks[i]);
        return service_->submit(std::vector(n, like), each);
    };
    EXPECT_EQ(submit_call(RequestLimits::kMaxAnswers + 1, request()).error().message, "n: 9 answers, must be 1 to 8");
    GenerateRequest like = request();
    like.sampling.seed.reset();
    like.caller.sandboxed = true;
    const auto ids = submit_call(RequestLimits::kMaxAnswers, like);
    ASSERT_TRUE(ids);
    EXPECT_EQ(*ids, (std::vector<RequestId>{1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_TRUE(submit_call(1, like)) << "as one request";
    EXPECT_EQ(submit_call(2, like).error().code, base::ErrorCode::RateLimited);
    EXPECT_EQ(service_->requests().size(), 9u);
    // The text is kept for each of them.
    like = request();
    like.prompt = std::string(RequestLimits::kMaxSocketPromptBytes / 2, 'a');
    EXPECT_TRUE(submit_call(2, like));
    EXPECT_EQ(submit_call(3, like).error().message, "prompt: 6291456 bytes for 3 answers are more than 4194304");
}

// It has made nothing that could be replayed: the next engine starts over.
TEST_F(ServiceAnswersTest, AnEmbeddingOutlivesItsEngine) {
    RecordingSink sink;
    const GenerateRequest wanted = embeddings({{"", {5, 6}}});
    const RequestId id = submit(sink, wanted);
    load_and_get_ready();
    EXPECT_TRUE(expect_start(id).embeds);
    send(protocol::Tokens{.id = id, .ids = {}, .parts = {}, .position = 1});
    die_of(SIGABRT);
    load_and_get_ready();
    const auto again = expect_start(id);
    EXPECT_TRUE(again.embeds && again.replay_ids.empty());
    EXPECT_EQ(again.prompt_ids, wanted.inputs[0].ids);
    protocol::Finished finished;
    finished.id = id;
    finished.embedding = {0.6f, 0.8f};
    send(finished);
    EXPECT_EQ(sink.outcome().finish, Finish::Stop);
    EXPECT_EQ(sink.outcome().embeddings, (std::vector<std::vector<float>>{finished.embedding}));
    EXPECT_EQ(sink.outcome().prompt_tokens, 3u);
}

TEST_F(ServiceAnswersTest, AnEngineThatConfusesTextsAndEmbeddingsIsEnded) {
    for (const bool embeds : {false, true}) {
        for (const bool with_token : {false, true}) {
            if (with_token && !embeds) continue;
            RecordingSink sink;
            const GenerateRequest wanted = embeds ? embeddings({{"Once", {}}}) : request();
            const size_t before = n_engines();
            const RequestId id = submit(sink, wanted);
            if (n_engines() > before) load_and_get_ready();
            expect_start(id);
            const size_t n = n_engines();
            if (with_token) {
                token(id, 1, "a");
            } else {
                protocol::Finished finished;
                finished.id = id;
                if (!embeds) finished.embedding = {1};
                send(finished);
            }
            EXPECT_EQ(n_engines(), n + 1);
            EXPECT_FALSE(sink.ended());
            ASSERT_TRUE(service_->cancel(id));
            load_and_get_ready();
        }
    }
}

// Neither lost nor sent twice, however the engine dies: they come with the ids, which a replay does not give again.
TEST_F(ServiceAnswersTest, LogprobsComeOnceForEachTokenAndBeforeItsText) {
    RecordingSink sink;
    auto generate = request();
    generate.top_logprobs = 2;
    const RequestId id = submit(sink, generate);
    load_and_get_ready();
    const auto first = expect_start(id);
    EXPECT_EQ(first.top_logprobs, 2u);
    const auto tell = [&](int32_t token, const std::string& text) {
        protocol::Tokens tokens = supervisor::tokens_of(id, {token}, text);
        tokens.logprobs.push_back({{token, -1, "x"}, {}});
        send(tokens);
    };
    tell(5, "five");
    tell(6, "");
    die_of(SIGKILL);
    load_and_get_ready();
    const auto replay = expect_start(id);
    EXPECT_EQ(replay.replay_ids, (std::vector<int32_t>{5, 6}));
    EXPECT_TRUE(replay.top_logprobs);
    tell(7, "sixseven");
    finish(id);
    EXPECT_EQ(sink.text, "fivesixseven");
    EXPECT_EQ(sink.logprobs, (std::vector<std::pair<int32_t, size_t>>{{5, 0}, {6, 4}, {7, 4}}));
}

TEST_F(ServiceAnswersTest, LogprobsThatAreNotOnePerTokenWantedEndTheEngine) {
    RecordingSink plain;
    const RequestId id = run(plain);
    protocol::Tokens tokens = supervisor::tokens_of(id, {5}, "five");
    tokens.logprobs.push_back({{5, -1, "five"}, {}});
    send(tokens);
    EXPECT_EQ(n_engines(), 2u) << "nobody asked for them";
    load_and_get_ready();
    expect_start(id);
    finish(id);

    RecordingSink asking;
    auto generate = request();
    generate.top_logprobs = 0;
    const RequestId other = submit(asking, generate);
    expect_start(other);
    token(other, 5, "five");
    EXPECT_EQ(n_engines(), 3u) << "they are missing";
    EXPECT_EQ(plain.text + asking.text, "");
}

using Part = protocol::AnswerPart;
using Kind = Part::Kind;

protocol::Tokens parts_of(RequestId id, std::vector<Part> parts) {
    protocol::Tokens tokens;
    tokens.id = id;
    tokens.ids = {5};
    tokens.parts = std::move(parts);
    return tokens;
}

// The marker that opens the thinking has no text, nor has the one that closes it; a token may lack its last byte.
TEST_F(ServiceAnswersTest, ThinkingIsCountedUpToWhatFollowsIt) {
    RecordingSink sink;
    const RequestId id = run(sink);
    send(parts_of(id, {}));
    send(parts_of(id, {{Kind::Thinking, "hm", 0}}));
    send(parts_of(id, {}));
    die_of(SIGKILL);
    load_and_get_ready(2, "cpu", "cpu");
    expect_start(id);
    send(parts_of(id, {{Kind::Thinking, "!", 0}, {Kind::Text, "so", 0}}));
    send(parts_of(id, {}));
    send(parts_of(id, {{Kind::Text, "so", 0}}));
    finish(id);
    EXPECT_EQ(sink.outcome().generated_tokens, 6u);
    EXPECT_EQ(sink.outcome().thinking_tokens, 3u);
}

// An empty text ends the thinking and is not sent.
TEST_F(ServiceAnswersTest, TokensThatAreHeldBackBehindTheThinkingAreNotCountedAsThinking) {
    RecordingSink sink;
    const RequestId id = run(sink);
    send(parts_of(id, {{Kind::Thinking, "hm", 0}}));
    send(parts_of(id, {{Kind::Text, "", 0}}));
    send(parts_of(id, {}));
    protocol::Finished finished;
    finished.id = id;
    finished.reason = protocol::FinishReason::ToolCalls;
    finished.parts = {{Kind::CallBegin, "clock", 0}, {Kind::CallArguments, "{}", 0}, {Kind::CallEnd, "", 0}};
    finished.notes = {"bare_calls: it was plain JSON"};
    send(finished);
    EXPECT_EQ(sink.outcome().generated_tokens, 3u);
    EXPECT_EQ(sink.outcome().thinking_tokens, 1u);
    EXPECT_EQ(sink.outcome().notes, finished.notes);
    EXPECT_EQ(sink.parts.size(), 4u);
}

TEST_F(ServiceAnswersTest, ACallGoesOnWithTheNextEngine) {
    RecordingSink sink;
    const RequestId id = run(sink);
    const std::vector<Part> begin{{Kind::CallBegin, "clock", 0}, {Kind::CallArguments, "{", 0}};
    const std::vector<Part> end{{Kind::CallArguments, "}", 0}, {Kind::CallEnd, "", 0}, {Kind::CallBegin, "clock", 1}};
    send(parts_of(id, begin));
    die_of(SIGKILL);
    load_and_get_ready(2, "cpu", "cpu");
    expect_start(id);
    send(parts_of(id, end));
    protocol::Finished finished;
    finished.id = id;
    finished.reason = protocol::FinishReason::Length;
    finished.parts = {{Kind::CallCut, "", 1}};
    send(finished);
    std::vector<Part> all = begin;
    all.insert(all.end(), end.begin(), end.end());
    all.push_back(finished.parts.front());
    EXPECT_EQ(sink.parts, all);
    EXPECT_EQ(sink.outcome().finish, Finish::Length);
}

// Whoever has been notified of its beginning is notified of its end too.
TEST_F(ServiceAnswersTest, WhatEndsARequestCutsItsCall) {
    RecordingSink sink;
    const RequestId id = run(sink);
    send(parts_of(id, {{Kind::CallBegin, "clock", 0}, {Kind::CallEnd, "", 0}, {Kind::CallBegin, "clock", 1}}));
    ASSERT_TRUE(service_->cancel(id));
    settle();
    ASSERT_EQ(sink.parts.size(), 4u);
    EXPECT_EQ(sink.parts.back(), (Part{Kind::CallCut, "", 1}));
    EXPECT_EQ(sink.outcome().finish, Finish::Cancelled);

    RecordingSink whole;
    const RequestId other = submit(whole);
    (void)engine().expect<protocol::Cancel>();
    expect_start(other);
    send(parts_of(other, {{Kind::CallBegin, "clock", 0}, {Kind::CallEnd, "", 0}}));
    ASSERT_TRUE(service_->cancel(other));
    settle();
    EXPECT_EQ(whole.parts.size(), 2u) << "it has ended";
}

// The front ends keep calls by their numbers.
TEST_F(ServiceAnswersTest, PartsThatDoNotFollowEndTheEngine) {
    const std::vector<std::vector<Part>> nonsense{
        {{Kind::CallArguments, "{", 0}},
        {{Kind::CallEnd, "", 0}},
        {{Kind::CallBegin, "clock", 1}},
        {{Kind::CallBegin, "clock", 0}, {Kind::CallArguments, "{", 1}},
        {{Kind::CallBegin, "clock", 0}, {Kind::Text, "so", 0}},
        {{Kind::CallBegin, "clock", 0}, {Kind::CallBegin, "clock", 1}},
        {{Kind::CallBegin, "clock", 0}, {Kind::CallEnd, "", 0}, {Kind::CallArguments, "{", 0}},
    };
    for (const auto& parts : nonsense) {
        make_service({.model = "a"});
        RecordingSink sink;
        const RequestId id = run(sink);
        send(parts_of(id, parts));
        EXPECT_EQ(n_engines(), 2u) << parts.size() << " parts";
        EXPECT_LT(sink.parts.size(), parts.size());
        service_.reset();
    }
}

}  // namespace
}  // namespace llmd::service
