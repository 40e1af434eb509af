// Calls for embeddings: one request of the service, whatever the number of their inputs, and one answer.
#include "server_fixture.h"

namespace llmd::http {
namespace {

class EmbeddingsTest : public ServerTest {
protected:
    // A client that has asked for those of three texts, which the engine has; none is accepted.
    base::UniqueFd ask_for_three() {
        base::UniqueFd client = connect();
        write(client, post("/v1/embeddings", R"({"model":"a","input":["zero","one","two"]})"));
        load_and_get_ready(4);
        for (const char* text : {"one", "two"}) {
            EXPECT_EQ(engine().expect<protocol::Submit>().prompt, text);
            engine().expect<protocol::Cancel>();
        }
        EXPECT_EQ(engine().expect<protocol::Submit>().prompt, "zero");
        engine().expect<protocol::Start>();
        return client;
    }
    void accept_three() {
        for (int i = 0; i < 3; ++i) send(protocol::Accepted{1, 5});
    }
    void embed(service::RequestId id, float value) {
        protocol::Finished finished;
        finished.id = id;
        finished.embedding = {value};
        send(finished);
    }
    static std::string data(int index, const char* value) {
        return base::concat(R"({"object":"embedding","index":)", index, R"(,"embedding":[)", value, "]}");
    }
};

TEST_F(EmbeddingsTest, AreAnsweredInTheOrderOfTheInputs) {
    const base::UniqueFd client = ask_for_three();
    EXPECT_EQ(service_->requests().size(), 1u);
    accept_three();
    embed(1, 0.5f);
    EXPECT_EQ(expect_start(1).prompt, "one");
    embed(1, 0.25f);
    EXPECT_EQ(expect_start(1).prompt, "two");
    EXPECT_EQ(read(client), "");
    embed(1, -1);
    const std::string reply = read(client);
    EXPECT_EQ(status(reply), 200);
    EXPECT_EQ(body(reply),
              base::concat(R"({"object":"list","data":[)", data(0, "0.5"), ",", data(1, "0.25"), ",", data(2, "-1"),
                           R"(],"model":"a","usage":{"prompt_tokens":15,"total_tokens":15}})"));
    EXPECT_TRUE(server_->is_idle());
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(EmbeddingsTest, AnInputThatIsTooLongRefusesTheCallByItsIndex) {
    const base::UniqueFd client = ask_for_three();
    send(protocol::Accepted{1, 5});
    send(protocol::Refused{1, base::ErrorCode::ContextExceeded, "too long", 300});
    const std::string reply = read(client);
    EXPECT_EQ(status(reply), 400);
    EXPECT_NE(reply.find(R"("message":"input[2]: too long")"), std::string::npos) << reply;
    EXPECT_NE(reply.find(R"("name":"ContextExceeded","n_prompt_tokens":300,"n_ctx":128)"), std::string::npos) << reply;
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 1u);
    engine().expect_nothing();
    EXPECT_TRUE(server_->is_idle());
}

TEST_F(EmbeddingsTest, CountAsOneRequestOfTheClient) {
    const base::UniqueFd client = ask_for_three();
    base::UniqueFd others[3];
    for (base::UniqueFd& other : others) {
        other = connect();
        write(other, post("/v1/completions", R"({"prompt":"Once"})"));
    }
    EXPECT_EQ(service_->requests().size(), 4u);
    const base::UniqueFd waiting = connect();
    write(waiting, post("/v1/embeddings", R"({"input":"x"})"));
    EXPECT_EQ(service_->requests().size(), 4u) << "one more waits";
    accept_three();
    EXPECT_EQ(read(client), "");
}

TEST_F(EmbeddingsTest, LeavingCancels) {
    base::UniqueFd client = ask_for_three();
    accept_three();
    embed(1, 1);
    EXPECT_EQ(expect_start(1).prompt, "one");
    client.reset();
    settle();
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 1u);
    engine().expect_nothing();
    EXPECT_TRUE(service_->requests().empty());
    EXPECT_TRUE(server_->is_idle());
}

TEST_F(EmbeddingsTest, WhoCancelsTheRequestIsAnswered) {
    const base::UniqueFd client = ask_for_three();
    EXPECT_EQ(status(ask(post("/v1/requests/1/cancel", ""))), 200);
    EXPECT_NE(read(client).find(R"("name":"Cancelled")"), std::string::npos);
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(EmbeddingsTest, WhatIsNotThereInTimeIsAnError) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/embeddings", R"({"model":"a","input":["zero","one","two"],"deadline_ms":1})"));
    load_and_get_ready(4);  // whether the engine still hears of them is a question of time
    for (int i = 0; i < kMaxIterations && !service_->requests().empty(); ++i) {
        ASSERT_TRUE(loop_.run_once(std::chrono::seconds(10)));
    }
    EXPECT_EQ(status(read(client)), 504);
}

TEST_F(EmbeddingsTest, OllamasCallsHaveTheirShapes) {
    const base::UniqueFd client = connect();
    write(client, post("/api/embed", R"({"model":"a","input":"text 1"})"));
    load_and_get_ready(4);
    EXPECT_EQ(expect_start(1).prompt, "text 1");
    embed(1, 1);
    EXPECT_EQ(body(read(client)).rfind(R"({"model":"a","embeddings":[[1]],"total_duration":)", 0), 0u);
    write(client, post("/api/embeddings", R"({"model":"a","prompt":"text 2"})"));
    EXPECT_EQ(expect_start(2).prompt, "text 2");
    embed(2, -1);
    EXPECT_EQ(body(read(client)), R"({"embedding":[-1]})");
    EXPECT_EQ(body(ask(post("/api/embed", R"({"model":"a"})"))), R"({"error":"input: it is missing"})");
}

}  // namespace
}  // namespace llmd::http
