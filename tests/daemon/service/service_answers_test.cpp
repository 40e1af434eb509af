// What answers consist of besides text, embeddings and logprobs, also when engines die or lie.
#include "service_fixture.h"

namespace llmd::service {
namespace {

class ServiceAnswersTest : public ServiceTest {};

// It has made nothing that could be replayed: the next engine starts over.
TEST_F(ServiceAnswersTest, AnEmbeddingOutlivesItsEngine) {
    RecordingSink sink;
    GenerateRequest wanted = request();
    wanted.prompt.clear();
    wanted.prompt_ids = {5, 6};
    wanted.embeds = true;
    const RequestId id = submit(sink, wanted);
    load_and_get_ready();
    EXPECT_TRUE(expect_start(id).embeds);
    send(protocol::Tokens{.id = id, .ids = {}, .parts = {}, .position = 1});
    die_of(SIGABRT);
    load_and_get_ready();
    const auto again = expect_start(id);
    EXPECT_TRUE(again.embeds && again.replay_ids.empty());
    EXPECT_EQ(again.prompt_ids, wanted.prompt_ids);
    protocol::Finished finished;
    finished.id = id;
    finished.embedding = {0.6f, 0.8f};
    send(finished);
    EXPECT_EQ(sink.outcome().finish, Finish::Stop);
    EXPECT_EQ(sink.outcome().embedding, finished.embedding);
    EXPECT_EQ(sink.outcome().prompt_tokens, 3u);
}

TEST_F(ServiceAnswersTest, AnEngineThatConfusesTextsAndEmbeddingsIsEnded) {
    for (const bool embeds : {false, true}) {
        for (const bool with_token : {false, true}) {
            if (with_token && !embeds) continue;
            RecordingSink sink;
            GenerateRequest wanted = request();
            wanted.embeds = embeds;
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

// Neither lost nor told twice, however the engine dies: they come with the ids, which a replay does not give again.
TEST_F(ServiceAnswersTest, LogprobsComeOnceForEachTokenAndBeforeItsText) {
    RecordingSink sink;
    auto generate = request();
    generate.top_logprobs = 2;
    const RequestId id = submit(sink, generate);
    load_and_get_ready();
    const auto first = expect_start(id);
    EXPECT_TRUE(first.wants_logprobs);
    EXPECT_EQ(first.n_top_logprobs, 2u);
    const auto tell = [&](int32_t token, const std::string& text) {
        protocol::Tokens tokens = service::tokens_of(id, {token}, text);
        tokens.logprobs.push_back({{token, -1, "x"}, {}});
        send(tokens);
    };
    tell(5, "five");
    tell(6, "");
    die_of(SIGKILL);
    load_and_get_ready();
    const auto replay = expect_start(id);
    EXPECT_EQ(replay.replay_ids, (std::vector<int32_t>{5, 6}));
    EXPECT_TRUE(replay.wants_logprobs);
    tell(7, "sixseven");
    finish(id);
    EXPECT_EQ(sink.text, "fivesixseven");
    EXPECT_EQ(sink.logprobs, (std::vector<std::pair<int32_t, size_t>>{{5, 0}, {6, 4}, {7, 4}}));
}

TEST_F(ServiceAnswersTest, LogprobsThatAreNotOnePerTokenWantedEndTheEngine) {
    RecordingSink plain;
    const RequestId id = run(plain);
    protocol::Tokens tokens = service::tokens_of(id, {5}, "five");
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

}  // namespace
}  // namespace llmd::service
