// Calls for embeddings: one request of the service for each input, some at a time, one answer, one fate.
#include "server_fixture.h"

namespace llmd::http {
namespace {

class EmbeddingsTest : public ServerTest {
protected:
    // A client that has asked for so many; the first three, all that may be, run and are accepted.
    base::UniqueFd ask_for(int n, const std::string& fields = "") {
        base::UniqueFd client = connect();
        std::string inputs;
        for (int i = 1; i <= n; ++i) inputs += base::concat(i > 1 ? "," : "", "\"text ", i, "\"");
        write(client, post("/v1/embeddings", base::concat(R"({"model":"a","input":[)", inputs, "]", fields, "}")));
        load_and_get_ready(4);
        for (int id = 1; id <= std::min(n, 3); ++id) expect_input(id);
        return client;
    }
    void expect_input(int id) {
        const auto submit = expect_start(static_cast<service::RequestId>(id));
        EXPECT_EQ(submit.prompt, base::concat("text ", id));
        EXPECT_TRUE(submit.embeds);
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

TEST_F(EmbeddingsTest, AreAnsweredInTheOrderOfTheInputsAFewAtATime) {
    const base::UniqueFd client = ask_for(5);
    EXPECT_EQ(service_->requests().size(), 3u) << "one is left for whatever else the client asks";
    embed(2, 0.25f);
    expect_input(4);
    embed(1, 0.5f);
    expect_input(5);
    embed(5, 1);
    embed(3, 0.125f);
    EXPECT_EQ(read(client), "");
    embed(4, -1);
    const std::string reply = read(client);
    EXPECT_EQ(status(reply), 200);
    EXPECT_EQ(body(reply), base::concat(R"({"object":"list","data":[)", data(0, "0.5"), ",", data(1, "0.25"), ",",
                                        data(2, "0.125"), ",", data(3, "-1"), ",", data(4, "1"),
                                        R"(],"model":"a","usage":{"prompt_tokens":15,"total_tokens":15}})"));
    EXPECT_TRUE(server_->is_idle());
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(EmbeddingsTest, WaitsForItsOwnWhileTheClientHasEnough) {
    base::UniqueFd other = connect();
    write(other, post("/v1/completions", R"({"model":"a","prompt":"Once","n":2})"));
    load_and_get_ready(4);
    expect_start(1);
    expect_start(2);
    const base::UniqueFd client = connect();
    write(client, post("/v1/embeddings", R"({"input":["text 3","text 4","text 5"]})"));
    expect_input(3);
    expect_input(4);
    EXPECT_EQ(service_->requests().size(), 4u);
    embed(3, 1);
    expect_input(5);
    embed(5, 1);
    embed(4, 1);
    EXPECT_EQ(status(read(client)), 200);
    // With nothing of its own to wait for it is told to come back.
    const base::UniqueFd third = connect();
    write(third, post("/v1/completions", R"({"model":"a","prompt":"Once","n":2})"));
    EXPECT_EQ(status(ask(post("/v1/embeddings", R"({"input":"x"})"))), 429);
}

// What has been computed is not thrown away because another request of the client has taken its place.
class CrowdedEmbeddingsTest : public EmbeddingsTest {
protected:
    // One of two inputs is computed, and its place is taken before the call hears of it: nothing of its own runs.
    base::UniqueFd ask_and_lose_the_place() {
        other_ = connect();
        write(other_, post("/v1/completions", R"({"model":"a","prompt":"Once","n":2})"));
        load_and_get_ready(4);
        for (const service::RequestId id : {1, 2}) expect_start(id);
        auto greedy = request();
        greedy.client = service_->requests().front().client;
        EXPECT_TRUE(service_->submit(greedy, first_));
        first_.when_finished = [this, greedy] {
            for (service::RecordingSink& taker : takers_) EXPECT_TRUE(service_->submit(greedy, taker));
        };
        settle();
        expect_start(3);
        base::UniqueFd client = connect();
        write(client, post("/v1/embeddings", R"({"input":["text 4","text 5"]})"));
        expect_input(4);
        protocol::Finished finished;
        finished.id = 3;
        engine().send(finished);
        finished.id = 4;
        finished.embedding = {1};
        engine().send(finished);
        settle();
        expect_start(5);
        expect_start(6);
        EXPECT_EQ(read(client), "") << "it waits";
        return client;
    }
    void turn() { EXPECT_TRUE(loop_.run_once(std::chrono::seconds(10))); }

    base::UniqueFd other_;
    service::RecordingSink first_, takers_[2];
};

TEST_F(CrowdedEmbeddingsTest, WhatIsHalfDoneGoesOnWhenThereIsRoomAgain) {
    const base::UniqueFd client = ask_and_lose_the_place();
    turn();
    EXPECT_EQ(read(client), "") << "it has tried again, and waits";
    ASSERT_TRUE(service_->cancel(5));
    settle();
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 5u);
    for (int i = 0; i < kMaxTurns && service_->requests().size() == 3; ++i) turn();
    settle();
    const auto submit = expect_start(7);
    EXPECT_EQ(submit.prompt, "text 5");
    embed(7, 1);
    EXPECT_EQ(status(read(client)), 200);
}

TEST_F(CrowdedEmbeddingsTest, LeavingWhileItWaitsEndsIt) {
    base::UniqueFd client = ask_and_lose_the_place();
    client.reset();
    settle();
    for (const service::RequestId id : {5, 6}) ASSERT_TRUE(service_->cancel(id));
    other_.reset();
    settle();
    EXPECT_TRUE(server_->is_idle());
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(EmbeddingsTest, WhenOneFailsAllDoAndNoMoreFollow) {
    const base::UniqueFd client = ask_for(5);
    send(protocol::Refused{2, base::ErrorCode::ContextExceeded, "too long", 300});
    const std::string reply = read(client);
    EXPECT_EQ(status(reply), 400);
    EXPECT_NE(reply.find(R"("name":"ContextExceeded","n_prompt_tokens":300,"n_ctx":128)"), std::string::npos) << reply;
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 1u);
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 3u);
    EXPECT_FALSE(engine().next()) << "no more are submitted";
    EXPECT_TRUE(service_->requests().empty());
    EXPECT_TRUE(server_->is_idle());
}

TEST_F(EmbeddingsTest, LeavingCancelsAll) {
    base::UniqueFd client = ask_for(4);
    client.reset();
    settle();
    for (const uint64_t id : {1, 2, 3}) EXPECT_EQ(engine().expect<protocol::Cancel>().id, id);
    EXPECT_FALSE(engine().next());
    EXPECT_TRUE(service_->requests().empty());
    EXPECT_TRUE(server_->is_idle());
}

TEST_F(EmbeddingsTest, WhoCancelsOneCancelsTheCall) {
    const base::UniqueFd client = ask_for(2);
    EXPECT_EQ(status(ask(post("/v1/requests/2/cancel", ""))), 200);
    EXPECT_NE(read(client).find(R"("name":"Cancelled")"), std::string::npos);
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(EmbeddingsTest, OllamasCallsHaveTheirShapes) {
    const base::UniqueFd client = connect();
    write(client, post("/api/embed", R"({"model":"a","input":"text 1"})"));
    load_and_get_ready(4);
    expect_input(1);
    embed(1, 1);
    EXPECT_EQ(body(read(client)).rfind(R"({"model":"a","embeddings":[[1]],"total_duration":)", 0), 0u);
    write(client, post("/api/embeddings", R"({"model":"a","prompt":"text 2"})"));
    expect_input(2);
    embed(2, -1);
    EXPECT_EQ(body(read(client)), R"({"embedding":[-1]})");
    EXPECT_EQ(body(ask(post("/api/embed", R"({"model":"a"})"))), R"({"error":"input: it is missing"})");
}

}  // namespace
}  // namespace llmd::http
