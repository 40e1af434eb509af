// Answers of several choices: one request of the service each, one answer, one fate.
#include "server_fixture.h"

namespace llmd::http {
namespace {

class ChoicesTest : public ServerTest {
protected:
    // A client that has asked for two choices, both of which run and neither of which is accepted.
    base::UniqueFd ask_for_two(const std::string& fields) {
        base::UniqueFd client = connect();
        write(client, post("/v1/completions", R"({"model":"a",)" + fields + "}"));
        load_and_get_ready(2);
        for (const service::RequestId id : {1, 2}) {
            submits_.push_back(engine().expect<protocol::Submit>());
            EXPECT_EQ(engine().expect<protocol::Start>().id, id);
        }
        return client;
    }
    void accept_two() {
        send(protocol::Accepted{1, 3});
        send(protocol::Accepted{2, 4});
    }
    static std::string chunk(int choice, const std::string& text, const std::string& reason = "null") {
        return base::concat(R"(data: {"id":"cmpl-1","object":"text_completion","created":0,"model":"a",)",
                            R"("choices":[{"index":)", choice, R"(,"text":")", text,
                            R"(","logprobs":null,"finish_reason":)", reason, "}]}\n\n");
    }

    std::vector<protocol::Submit> submits_;
};

TEST_F(ChoicesTest, EachPromptOfAnArrayIsAnsweredInItsPlace) {
    const base::UniqueFd client = ask_for_two(R"("prompt":["Once","Twice"],"seed":1)");
    EXPECT_EQ(submits_[0].prompt, "Once");
    EXPECT_EQ(submits_[1].prompt, "Twice");
    EXPECT_TRUE(submits_[0].sampling.seed == 1 && submits_[1].sampling.seed == 1);
    accept_two();
    token(2, 5, " second");
    finish(2);
    EXPECT_EQ(read(client), "");
    token(1, 5, " first");
    finish(1);
    const std::string reply = read(client);
    EXPECT_EQ(status(reply), 200);
    EXPECT_NE(body(reply).find(R"("choices":[{"index":0,"text":" first","logprobs":null,"finish_reason":"stop"},)"
                               R"({"index":1,"text":" second","logprobs":null,"finish_reason":"stop"}],)"
                               R"("usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9)"),
              std::string::npos)
        << reply;
    EXPECT_TRUE(server_->is_idle());
}

TEST_F(ChoicesTest, AStreamBeginsWhenAllAreAcceptedAndInterleavesThem) {
    const base::UniqueFd client = ask_for_two(R"("prompt":"Once","n":2,"seed":1,"stream":true)");
    EXPECT_TRUE(submits_[0].sampling.seed == 1 && submits_[1].sampling.seed == 2);
    send(protocol::Accepted{1, 3});
    token(1, 5, " upon");
    EXPECT_EQ(read(client), "") << "the other may still be refused";
    send(protocol::Accepted{2, 3});
    const std::string begin = read(client);
    EXPECT_EQ(status(begin), 200);
    EXPECT_EQ(chunks(body(begin)), chunk(0, " upon") + "…");
    token(2, 5, " a");
    token(1, 6, " an");
    EXPECT_EQ(chunks(read(client)), chunk(1, " a") + chunk(0, " an") + "…");
    finish(1);
    EXPECT_EQ(chunks(read(client)), chunk(0, "", "\"stop\"") + "…");
    finish(2, protocol::FinishReason::Length);
    EXPECT_EQ(chunks(read(client)), chunk(1, "", "\"length\"") + "data: [DONE]\n\n");
}

TEST_F(ChoicesTest, AChoiceThatEndsBeforeTheStreamBeginsIsToldInIt) {
    const base::UniqueFd client = ask_for_two(R"("prompt":"Once","n":2,"stream":true)");
    send(protocol::Accepted{1, 3});
    token(1, 5, " upon");
    finish(1);
    EXPECT_EQ(read(client), "");
    send(protocol::Accepted{2, 3});
    EXPECT_EQ(chunks(body(read(client))), chunk(0, " upon") + chunk(0, "", "\"stop\"") + "…");
}

TEST_F(ChoicesTest, WhenOneIsRefusedAllAre) {
    const base::UniqueFd client = ask_for_two(R"("prompt":["Once","Twice"],"stream":true)");
    send(protocol::Accepted{1, 3});
    send(protocol::Refused{2, base::ErrorCode::ContextExceeded, "too long", 300});
    const std::string reply = read(client);
    EXPECT_EQ(status(reply), 400);
    EXPECT_NE(reply.find(R"("name":"ContextExceeded","n_prompt_tokens":300,"n_ctx":128)"), std::string::npos);
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 1u);
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(ChoicesTest, WhenOneFailsTheStreamEndsWithItsError) {
    const base::UniqueFd client = ask_for_two(R"("prompt":"Once","n":2,"stream":true)");
    accept_two();
    (void)read(client);
    protocol::Finished failed;
    failed.id = 2;
    failed.reason = protocol::FinishReason::Error;
    failed.code = base::ErrorCode::DeviceError;
    failed.message = "it broke";
    send(failed);
    EXPECT_EQ(
        chunks(read(client)),
        "data: {\"error\":{\"message\":\"it broke\",\"type\":\"server_error\",\"code\":\"device_error\",\"param\":null,"
        "\"name\":\"DeviceError\"}}\n\n");
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 1u);
    EXPECT_TRUE(service_->requests().empty());
    EXPECT_TRUE(server_->is_idle());
}

TEST_F(ChoicesTest, LeavingCancelsAll) {
    base::UniqueFd client = ask_for_two(R"("prompt":"Once","n":2)");
    accept_two();
    client.reset();
    settle();
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 1u);
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 2u);
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(ChoicesTest, AnAnswerIsCancelledByItsIdAlsoWhenItsFirstChoiceHasEnded) {
    const base::UniqueFd client = ask_for_two(R"("prompt":"Once","n":2)");
    accept_two();
    finish(1);
    EXPECT_EQ(body(ask(post("/v1/requests/cmpl-1/cancel", ""))), R"({"id":1,"cancelled":true})");
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 2u);
    EXPECT_NE(read(client).find(R"("name":"Cancelled")"), std::string::npos);
    EXPECT_EQ(status(ask(post("/v1/requests/cmpl-1/cancel", ""))), 404);
}

TEST_F(ChoicesTest, AreTakenAllOrNoneAndCountAsOneRequest) {
    base::UniqueFd clients[service::RequestLimits::kMaxPerClient];
    for (base::UniqueFd& client : clients) {
        client = connect();
        write(client, post("/v1/completions", R"({"prompt":"Once","n":8,"stream":true})"));
    }
    load_and_get_ready(2);
    EXPECT_EQ(service_->requests().size(), 32u);
    const base::UniqueFd waiting = connect();
    write(waiting, post("/v1/completions", R"({"prompt":"Once","n":2})"));
    EXPECT_EQ(service_->requests().size(), 32u);
    clients[0].reset();
    settle();
    EXPECT_EQ(service_->requests().size(), 26u);
    EXPECT_EQ(read(waiting), "");
}

TEST_F(ChoicesTest, AReaderThatLagsPausesAll) {
    const base::UniqueFd slow = ask_for_two(R"("prompt":"Once","n":2,"stream":true)");
    accept_two();
    const std::string text(16u << 10, 'x');
    std::optional<protocol::Message> told;
    for (int i = 0; i < 100 && !told; ++i) {
        token(1, 5, text);
        told = engine().next();
    }
    ASSERT_TRUE(told && std::holds_alternative<protocol::SetPaused>(*told));
    EXPECT_TRUE(std::get<protocol::SetPaused>(*told).paused);
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    EXPECT_GT(read(slow).size(), text.size());
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused);
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused);
}

// From the engine to the frames: each choice has its own, which go out with its text, also what was sent before an
// engine died, and the end of a stop string's victim at the end.
TEST_F(ChoicesTest, LogprobsGoOutWithTheTextOfTheirChoice) {
    const base::UniqueFd client = ask_for_two(R"("prompt":"Once","n":2,"stream":true,"logprobs":0)");
    for (const protocol::Submit& submit : submits_) EXPECT_TRUE(submit.top_logprobs == 0u);
    accept_two();
    (void)read(client);
    const auto tell = [&](service::RequestId id, const std::string& bytes, float logprob, const std::string& text) {
        protocol::Tokens tokens = supervisor::tokens_of(id, {5}, text);
        tokens.logprobs.push_back({{5, logprob, bytes}, {}});
        send(tokens);
    };
    const auto chunk = [](int choice, const std::string& text, const std::string& logprobs,
                          const std::string& reason = "null") {
        return base::concat(R"(data: {"id":"cmpl-1","object":"text_completion","created":0,"model":"a",)",
                            R"("choices":[{"index":)", choice, R"(,"text":")", text, R"(","logprobs":)", logprobs,
                            R"(,"finish_reason":)", reason, "}]}\n\n");
    };
    const auto one = [](const std::string& token, const std::string& logprob, int offset) {
        return base::concat(R"({"tokens":[")", token, R"("],"token_logprobs":[)", logprob,
                            R"(],"top_logprobs":null,"text_offset":[)", offset, "]}");
    };
    tell(2, " a", -0.5, " a");
    EXPECT_EQ(chunks(read(client)), chunk(1, " a", one(" a", "-0.5", 0)) + "…");
    tell(1, " up", -0.25, "");
    EXPECT_EQ(read(client), "") << "a stop string may have begun";

    die_of(SIGKILL);
    load_and_get_ready(2);
    for (const service::RequestId id : {1, 2}) {
        EXPECT_EQ(engine().expect<protocol::Submit>().replay_ids.size(), 1u);
        EXPECT_EQ(engine().expect<protocol::Start>().id, id);
    }
    accept_two();
    tell(1, "on", -2, " upon");
    EXPECT_EQ(chunks(read(client)),
              chunk(0, " upon",
                    R"({"tokens":[" up","on"],"token_logprobs":[-0.25,-2],"top_logprobs":null,"text_offset":[0,3]})") +
                  "…");
    tell(1, "! END", -3, "!");
    EXPECT_EQ(chunks(read(client)), chunk(0, "!", "null") + "…");
    finish(1);
    EXPECT_EQ(chunks(read(client)), chunk(0, "", one("!", "-3", 5), "\"stop\"") + "…");
    finish(2);
    EXPECT_EQ(chunks(read(client)), chunk(1, "", "null", "\"stop\"") + "data: [DONE]\n\n");
}

TEST_F(ChoicesTest, LogprobsThatComeBeforeTheStreamBeginsAreInIt) {
    const base::UniqueFd client = ask_for_two(R"("prompt":"Once","n":2,"stream":true,"logprobs":0)");
    send(protocol::Accepted{1, 3});
    protocol::Tokens tokens = supervisor::tokens_of(1, {5, 6}, " up");
    tokens.logprobs = {{{5, -1, " up"}, {}}, {{6, -2, "onto"}, {}}};
    send(tokens);
    finish(1);
    EXPECT_EQ(read(client), "");
    send(protocol::Accepted{2, 3});
    const std::string frames = chunks(body(read(client)));
    EXPECT_NE(frames.find(R"("text":" up","logprobs":{"tokens":[" up"],"token_logprobs":[-1],)"), std::string::npos);
    EXPECT_EQ(frames.find("onto"), std::string::npos) << "a stop string has cut it away: " << frames;
    EXPECT_EQ(frames.find("-2"), std::string::npos);
}

}  // namespace
}  // namespace llmd::http
