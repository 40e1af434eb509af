// llmd's own routes: what its lists show, what administers it, and to whom that is refused.
#include <string>

#include "api/listing.h"
#include "daemon/http/server_fixture.h"

namespace llmd::http {
namespace {

constexpr const char* kDone = R"({"status":"ok"})";

class LlmdApi : public ServerTest {};

TEST_F(LlmdApi, TellsModelsAndRequestsByTheNamesOfTheBus) {
    const std::string models = body(ask(get("/llmd/models")));
    EXPECT_EQ(models.rfind(base::concat(R"({"models":[{"name":"a","path":")", folder_.path(),
                                        R"(/a.gguf","size_bytes":7,"loaded":false,"default":true,)"),
                           0),
              0u)
        << models;
    const base::UniqueFd client = connect();
    write(client, post("/v1/completions", R"({"prompt":"Once","stream":true})"));
    load_and_get_ready();
    expect_start(1);
    service::RecordingSink sink;
    auto of_bus = request();
    of_bus.bus_path = "/org/llmd/Llmd1/request/1_7/tale";
    const auto id = submit(sink, of_bus);
    expect_start(id);
    const std::string requests = body(ask(get("/llmd/requests")));
    EXPECT_EQ(requests.rfind(R"({"requests":[{"request":"/org/llmd/Llmd1/request/socket/1","client":"socket:)", 0), 0u)
        << requests;
    EXPECT_NE(requests.find(R"("request":"/org/llmd/Llmd1/request/1_7/tale","client":"client )"), std::string::npos);
    EXPECT_NE(requests.find(R"("state":"prefill","position":0,)"), std::string::npos) << requests;

    const std::string own = body(ask(get("/llmd/requests/own")));
    EXPECT_NE(own.find("socket/1"), std::string::npos) << own;
    EXPECT_EQ(own.find("tale"), std::string::npos) << own;

    EXPECT_EQ(body(ask(post("/v1/requests/1_7/tale/cancel", ""))),
              base::concat(R"({"id":)", id, R"(,"cancelled":true})"));
    EXPECT_EQ(sink.outcome().finish, service::Finish::Cancelled);
    EXPECT_EQ(status(ask(post("/v1/requests/1_7/tale/cancel", ""))), 404);
    EXPECT_EQ(body(ask(post("/v1/requests/socket/1/cancel", ""))), R"({"id":1,"cancelled":true})");
}

TEST_F(LlmdApi, StreamsInTheFormatOfThePipe) {
    const base::UniqueFd client = connect();
    write(client, post("/llmd/stream", R"({"prompt":"Once","seed":7,"max_tokens":4})"));
    load_and_get_ready();
    const auto submit = expect_start(1);
    EXPECT_EQ(submit.prompt, "Once");
    EXPECT_EQ(submit.sampling.seed, 7u);
    token(1, 5, " a");
    finish(1);
    const std::string reply = read(client);
    EXPECT_NE(reply.find("Content-Type: application/x-ndjson\r\n"), std::string::npos) << reply;
    const std::string lines = chunks(body(reply));
    EXPECT_EQ(lines.rfind("{\"seq\":0,\"text\":\" a\"}\n{\"done\":true,\"finish_reason\":\"stop\",\"usage\":{", 0), 0u)
        << lines;
    EXPECT_NE(lines.find(R"("seed":7,"model":"a","where":"device")"), std::string::npos) << lines;

    write(client, post("/llmd/stream", R"({"messages":[{"role":"user","content":"hi"}],"system":"s"})"));
    EXPECT_EQ(expect_start(2).messages.size(), 2u);
    EXPECT_EQ(status(ask(post("/v1/requests/2/cancel", ""))), 200);
    EXPECT_NE(chunks(body(read(client))).find(R"("finish_reason":"cancelled")"), std::string::npos);
    EXPECT_EQ(status(ask(post("/llmd/stream", R"({"prompt":"p","top_p":2})"))), 400);
    EXPECT_EQ(status(ask(post("/llmd/embed", R"({"inputs":[]})"))), 400);
}

TEST_F(LlmdApi, LoadsAndUnloads) {
    const base::UniqueFd client = connect();
    write(client, post("/llmd/load", R"({"model":"b"})"));
    expect_load();
    EXPECT_EQ(read(client), "") << "it answers when the model is ready";
    ready();
    EXPECT_EQ(body(read(client)), kDone);
    write(client, post("/llmd/unload", ""));
    exit_engine();
    EXPECT_EQ(body(read(client)), kDone);
    EXPECT_TRUE(service_->status().engines.empty());
}

TEST_F(LlmdApi, ReloadsAndCancelsAll) {
    int n_reloads = 0;
    service_->on_reload([&] { ++n_reloads; });
    EXPECT_EQ(body(ask(post("/llmd/reload", ""))), kDone);
    EXPECT_EQ(n_reloads, 1);
    service::RecordingSink sink;
    run(sink);
    EXPECT_EQ(body(ask(post("/llmd/requests/cancel", ""))), kDone);
    settle();
    EXPECT_EQ(sink.outcome().finish, service::Finish::Cancelled);
}

TEST_F(LlmdApi, RefusesWhatIsWrong) {
    const auto refused = [&](const std::string& reply, int code, const char* name, const char* words) {
        EXPECT_EQ(status(reply), code) << reply;
        EXPECT_NE(body(reply).find(base::concat(R"("name":")", name, '"')), std::string::npos) << reply;
        EXPECT_NE(body(reply).find(words), std::string::npos) << reply;
    };
    refused(ask(post("/llmd/load", R"({"model":"none"})")), 404, "ModelNotFound", "none");
    refused(ask(post("/llmd/load", R"({"model":7})")), 400, "InvalidArgument", "model: ");
    refused(ask(post("/llmd/load", "{\"model\":")), 400, "InvalidArgument", "body");
    refused(ask(post("/llmd/load", "[]")), 400, "InvalidArgument", "body: not a JSON object");
    refused(ask(get("/llmd/load")), 405, "InvalidArgument", "/llmd/load takes POST, not \\\"GET\\\"");
    refused(ask(post("/llmd/requests", "")), 405, "InvalidArgument", "GET, HEAD");
    refused(ask(get("/llmd/none")), 404, "NotFound", "/llmd/none");
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(LlmdApi, IsNotForSandboxesNorForTheBridge) {
    service::RecordingSink sink;
    run(sink);
    for (const char* path : {"/llmd/requests/cancel", "/llmd/load", "/llmd/unload", "/llmd/reload"}) {
        const std::string reply = ask_bridged(post(path, "{}", "", kBridgeHost));
        EXPECT_EQ(status(reply), 403) << path;
        EXPECT_NE(reply.find(R"("name":"NotAllowed")"), std::string::npos) << reply;
    }
    for (const char* path : {"/llmd/requests", "/llmd/requests/own"}) {
        EXPECT_EQ(body(ask_bridged(get(path, kBridgeHost))), R"({"requests":[]})") << path << " has others' too";
    }
    settle();
    EXPECT_FALSE(sink.ended());
    EXPECT_EQ(status(ask_bridged(post("/v1/requests/socket/1/cancel", "", "", kBridgeHost))), 404);
    const std::string models = body(ask_bridged(get("/llmd/models", kBridgeHost)));
    EXPECT_NE(models.find(R"("name":"a","path":"",)"), std::string::npos) << models;
    EXPECT_EQ(models.find(folder_.path()), std::string::npos) << models;
}

// It would else have what a sandbox asks over it pass for what the user's programs ask.
TEST_F(LlmdApi, IsNotForABridgeThatRunsSinceBeforeAnUpgrade) {
    const std::string reply = ask(post("/llmd/unload", "{}", "llmd-bridge: 1\r\n"));
    EXPECT_EQ(status(reply), 403);
    EXPECT_NE(reply.find("end it and start it again"), std::string::npos) << reply;
}

}  // namespace
}  // namespace llmd::http
