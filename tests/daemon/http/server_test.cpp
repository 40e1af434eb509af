// The server over a real socket: what goes over it when, and what happens when clients behave badly or disconnect.
#include "http/server.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "server_fixture.h"

namespace llmd::http {
namespace {

const std::string kStream = R"({"prompt":"Once","seed":1,"stream":true})";
const std::string kWhole = R"({"prompt":"Once","seed":1})";

TEST_F(ServerTest, TellsItsHealthAndItsModels) {
    const std::string health = ask(get("/health"));
    EXPECT_EQ(status(health), 200);
    EXPECT_NE(health.find("Content-Type: application/json\r\n"), std::string::npos);
    EXPECT_EQ(body(health), R"({"status":"ok","state":"idle"})");

    const base::UniqueFd client = connect();
    write(client, get("/v1/models"));
    std::string models;
    for (int i = 0; i < kMaxIterations && models.empty(); ++i) models = read(client);
    EXPECT_EQ(status(models), 200);
    EXPECT_NE(models.find(R"("id":"a","object":"model")"), std::string::npos) << models;
    EXPECT_NE(models.find(R"("id":"b","object":"model")"), std::string::npos);
}

TEST_F(ServerTest, AnswersACompletionAtOnceWhenItIsDone) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/completions", kWhole));
    load_and_get_ready();
    const auto submit = expect_start(1);
    EXPECT_EQ(submit.prompt, "Once");
    EXPECT_EQ(submit.sampling.seed, 1u);
    EXPECT_EQ(submit.cache_scope, "host");
    token(1, 5, " upon");
    token(1, 6, " a time");
    EXPECT_EQ(read(client), "");
    finish(1);
    const std::string reply = read(client);
    EXPECT_EQ(status(reply), 200);
    EXPECT_NE(body(reply).find(R"("text":" upon a time","logprobs":null,"finish_reason":"stop")"), std::string::npos);
    EXPECT_NE(body(reply).find(R"("usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5)"),
              std::string::npos);
}

TEST_F(ServerTest, AStreamBeginsWhenTheEngineHasAcceptedAndFollowsTheTokens) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/completions", kStream));
    load_and_get_ready();
    EXPECT_EQ(read(client), "") << "it may still be refused";
    expect_start(1);
    const std::string head = read(client);
    EXPECT_EQ(status(head), 200);
    EXPECT_NE(head.find("Content-Type: text/event-stream\r\n"), std::string::npos);
    EXPECT_EQ(body(head), "");
    token(1, 5, " upon");
    const std::string begin =
        R"(data: {"id":"cmpl-1","object":"text_completion","created":0,"model":"a","choices":[{"index":0,"text":)";
    EXPECT_EQ(chunks(read(client)), begin + R"(" upon","logprobs":null,"finish_reason":null}]})" + "\n\n…");
    finish(1);
    EXPECT_EQ(chunks(read(client)), begin + R"("","logprobs":null,"finish_reason":"stop"}]})" + "\n\ndata: [DONE]\n\n");
}

TEST_F(ServerTest, AStreamWhoseDeadlinePassesBeforeTheEngineAcceptsIsAStreamAllTheSame) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/completions", R"({"prompt":"Once","seed":1,"stream":true,"deadline_ms":1})"));
    std::string reply;
    for (int i = 0; i < kMaxIterations && reply.find("[DONE]") == std::string::npos; ++i) reply += read(client);
    EXPECT_EQ(status(reply), 200);
    EXPECT_NE(reply.find("Content-Type: text/event-stream\r\n"), std::string::npos);
    EXPECT_NE(reply.find(R"("finish_reason":"timeout")"), std::string::npos) << reply;
}

TEST_F(ServerTest, WhatTheEngineRefusesHasAStatus) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/completions", kStream));
    load_and_get_ready();
    (void)engine().expect<protocol::Submit>();
    send(protocol::Refused{1, base::ErrorCode::ContextExceeded, "too long", 300});
    const std::string reply = read(client);
    EXPECT_EQ(status(reply), 400);
    EXPECT_NE(reply.find("x-should-retry: false\r\n"), std::string::npos);
    EXPECT_EQ(body(reply), R"({"error":{"message":"too long","type":"invalid_request_error",)"
                           R"("code":"context_length_exceeded","param":null,"name":"ContextExceeded",)"
                           R"("n_prompt_tokens":300,"n_ctx":128}})");
}

TEST_F(ServerTest, AFailureInTheMiddleIsAFrameAndAProperEnd) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/chat/completions", R"({"messages":[{"role":"user","content":"c"}],"stream":true})"));
    load_and_get_ready();
    (void)engine().next();
    (void)engine().next();
    send(protocol::Accepted{1, 3});
    (void)read(client);
    protocol::Finished finished;
    finished.id = 1;
    finished.reason = protocol::FinishReason::Error;
    finished.code = base::ErrorCode::InvalidArgument;
    finished.message = "it went wrong";
    send(finished);
    EXPECT_EQ(chunks(read(client)),
              "data: {\"error\":{\"message\":\"it went wrong\",\"type\":\"invalid_request_error\","
              "\"code\":\"invalid_value\",\"param\":null,\"name\":\"InvalidArgument\"}}\n\n");
}

TEST_F(ServerTest, RefusalsComeBeforeAnythingElse) {
    EXPECT_EQ(status(ask(get("/v1/completions"))), 405);
    EXPECT_NE(ask(get("/v1/completions")).find("Allow: POST\r\n"), std::string::npos);
    EXPECT_EQ(status(ask(post("/health", "x"))), 405);
    EXPECT_EQ(status(ask(get("/nothing"))), 404);
    EXPECT_EQ(status(ask(post("/v1/completions", "{"))), 400);
    const std::string unknown = ask(post("/v1/completions", R"({"prompt":"p","model":"none"})"));
    EXPECT_EQ(status(unknown), 404);
    EXPECT_NE(unknown.find(R"("name":"ModelNotFound")"), std::string::npos);
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(ServerTest, OllamasClientsFindWhatTheyLookFor) {
    EXPECT_EQ(body(ask(get("/"))), "Ollama is running");
    EXPECT_EQ(body(ask(get("/api/version"))), R"({"version":"0.13.3","llmd":"1.2.3"})");
    EXPECT_EQ(status(ask(get("/api/chat"))), 405);
    const std::string nameless = ask(post("/api/show", "{}"));
    EXPECT_EQ(status(nameless), 400);
    EXPECT_EQ(body(nameless), R"({"error":"model: it is missing"})");
    const std::string unknown = ask(post("/api/generate", R"({"model":"none","prompt":"p"})"));
    EXPECT_EQ(status(unknown), 404);
    EXPECT_EQ(body(unknown).rfind(R"({"error":")", 0), 0u);
    const base::UniqueFd client = connect();
    write(client, post("/api/generate", R"({"model":"a","prompt":"Once"})"));
    load_and_get_ready();
    expect_start(1);
    token(1, 5, " upon");
    finish(1);
    const std::string reply = read(client);
    EXPECT_NE(reply.find("Content-Type: application/x-ndjson\r\n"), std::string::npos);
    EXPECT_NE(chunks(body(reply)).find(R"("response":" upon","done":false})"), std::string::npos);
    EXPECT_NE(chunks(body(reply)).find(R"("done":true,"done_reason":"stop")"), std::string::npos);
}

TEST_F(ServerTest, ARequestWithoutATextLoadsTheModel) {
    const base::UniqueFd client = connect();
    write(client, post("/api/generate", R"({"model":"b"})"));
    EXPECT_EQ(expect_load().model_path, folder_.path() + "/b.gguf");
    EXPECT_EQ(read(client), "");
    ready();
    EXPECT_NE(read(client).find(R"("done_reason":"load")"), std::string::npos);
    engine().expect_nothing();

    // A sandbox's keep_alive is a request like any other of it, and is refused like one.
    const base::UniqueFd bridged = connect_bridged();
    write(bridged, post("/api/chat", R"({"model":"b","messages":[]})", "", kBridgeHost));
    EXPECT_NE(read(bridged).find(R"("message":{"role":"assistant","content":""},"done":true,"done_reason":"load"})"),
              std::string::npos);
    platform::Directive directive;
    directive.refuse_all = platform::Refusal{base::ErrorCode::Suspended, "it is too hot"};
    service_->apply(directive);
    const std::string refused = ask(post("/api/generate", R"({"model":"b"})"));
    EXPECT_EQ(status(refused), 503);
    EXPECT_EQ(body(refused), R"({"error":"it is too hot"})");
}

TEST_F(ServerTest, KeepAliveOfZeroUnloadsAndLoadsNothingForIt) {
    const std::string absent = ask(post("/api/generate", R"({"model":"a","keep_alive":0})"));
    EXPECT_NE(body(absent).find(R"("done":true,"done_reason":"unload"})"), std::string::npos) << absent;
    EXPECT_EQ(status(ask(post("/api/generate", R"({"model":"none","keep_alive":0})"))), 404);
    EXPECT_EQ(
        body(ask(post("/api/generate", R"({"model":"a","keep_alive":"x"})"))).rfind(R"({"error":"keep_alive: )", 0),
        0u);
    EXPECT_EQ(n_engines(), 0u);
    const base::UniqueFd client = connect();
    write(client, post("/api/chat", R"({"model":"a","keep_alive":"2m"})"));
    load_and_get_ready();
    EXPECT_NE(read(client).find(R"("done_reason":"load"})"), std::string::npos);
    platform::Directive directive;
    directive.idle_time = std::chrono::minutes(30);
    service_->apply(directive);
    EXPECT_EQ(service_->status().main.unload_in, std::chrono::minutes(2));
    write(client, post("/api/chat", R"({"model":"a","keep_alive":"0s"})"));
    EXPECT_NE(read(client).find(R"("done_reason":"unload"})"), std::string::npos);
    EXPECT_TRUE(engine().hung_up()) << "nobody needs it any more";
}

TEST_F(ServerTest, HeadIsEverywhereWhereGetIs) {
    for (const char* path :
         {"/", "/health", "/v1/models", "/models", "/status", "/metrics", "/api/version", "/api/tags", "/api/ps"}) {
        const std::string whole = ask(get(path));
        const std::string head = ask(base::concat("HEAD ", path, " HTTP/1.1\r\nHost: llmd\r\n\r\n"));
        EXPECT_EQ(status(head), 200) << path;
        EXPECT_EQ(body(head), "") << path;
        EXPECT_NE(head.find(base::concat("Content-Length: ", body(whole).size(), "\r\n")), std::string::npos) << path;
    }
    EXPECT_EQ(body(ask(get("/models"))), body(ask(get("/v1/models"))));
    EXPECT_NE(ask(get("/api/show")).find("\r\nAllow: POST\r\n"), std::string::npos);
    EXPECT_NE(ask(post("/health", "{}")).find("\r\nAllow: GET, HEAD\r\n"), std::string::npos);
}

TEST_F(ServerTest, AModelIsFoundByEachOfItsSpellings) {
    const std::string model = body(ask(get("/v1/models/a")));
    EXPECT_NE(model.find(R"("id":"a")"), std::string::npos) << model;
    for (const char* path : {"/models/a", "/v1/models/a:latest", "/models/a:latest", "/v1/models/a/", "//models//a/"}) {
        const std::string answer = ask(get(path));
        EXPECT_EQ(status(answer), 200) << path;
        EXPECT_EQ(body(answer), model) << path;
    }
    for (const char* path : {"/v1/models/nobodys", "/models/nobodys:latest"}) {
        const std::string answer = ask(get(path));
        EXPECT_EQ(status(answer), 404) << path;
        EXPECT_NE(body(answer).find(R"("code":"model_not_found")"), std::string::npos) << path;
    }
}

TEST_F(ServerTest, NoInputHasNoEmbeddingsInOllamasApi) {
    const std::string none = ask(post("/api/embed", R"({"model":"a:latest","input":[]})"));
    EXPECT_EQ(status(none), 200);
    EXPECT_EQ(body(none).rfind(R"({"model":"a","embeddings":[],)", 0), 0u) << body(none);
    EXPECT_EQ(status(ask(post("/api/embed", R"({"model":"nobodys","input":[]})"))), 404);
    EXPECT_EQ(status(ask(post("/api/embed", R"({"model":"a"})"))), 400);
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(ServerTest, NothingThatOllamasClientsAskChangesModelFiles) {
    const std::string erase =
        ask("DELETE /api/delete HTTP/1.1\r\nHost: llmd\r\nContent-Length: 13\r\n\r\n{\"model\":\"a\"}");
    EXPECT_EQ(status(erase), 403);
    EXPECT_EQ(body(erase), R"({"error":"llmd deletes no models: `llmctl rm` does"})");
    for (const char* path : {"/api/copy", "/api/create", "/api/push", "/api/blobs/sha256:0"}) {
        const std::string refused = ask(post(path, R"({"model":"a"})"));
        EXPECT_EQ(status(refused), 403) << path;
        EXPECT_EQ(body(refused).rfind(R"({"error":"llmd )", 0), 0u) << path;
    }
    EXPECT_EQ(status(ask("HEAD /api/blobs/sha256:0 HTTP/1.1\r\nHost: llmd\r\n\r\n")), 403);
    const std::string speech = ask(post("/v1/audio/speech", R"({"model":"a","input":"x"})"));
    EXPECT_EQ(status(speech), 404);
    EXPECT_NE(speech.find("\r\nx-should-retry: false\r\n"), std::string::npos) << speech;
    EXPECT_NE(body(speech).find("/v1/audio/speech is not offered: llmd neither hears nor speaks"), std::string::npos);
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(ServerTest, PullingAModelThatIsThereIsDoneAtOnce) {
    const std::string stream = ask(post("/api/pull", R"({"model":"a:latest"})"));
    EXPECT_NE(stream.find("Content-Type: application/x-ndjson\r\n"), std::string::npos);
    EXPECT_EQ(body(stream), "{\"status\":\"success\"}\n");
    const std::string whole = ask(post("/api/pull", R"({"name":"a","stream":false})"));
    EXPECT_NE(whole.find("Content-Type: application/json\r\n"), std::string::npos);
    EXPECT_EQ(body(whole), R"({"status":"success"})");
    const std::string absent = ask(post("/api/pull", R"({"model":"smollm2"})"));
    EXPECT_EQ(status(absent), 404);
    EXPECT_EQ(body(absent),
              R"({"error":"there is no model \"smollm2\", and llmd downloads none: `llmctl pull` does"})");
    EXPECT_EQ(n_engines(), 0u);
}

TEST_F(ServerTest, TheLoadedModelSaysWhenItGoes) {
    EXPECT_EQ(body(ask(get("/api/ps"))), R"({"models":[]})");
    platform::Directive directive;
    directive.idle_time = std::chrono::minutes(5);
    service_->apply(directive);
    const base::UniqueFd client = connect();
    write(client, post("/api/generate", R"({"model":"a"})"));
    load_and_get_ready();
    const auto year = [&] {
        std::smatch match;
        const std::string ps = body(ask(get("/api/ps")));
        return std::regex_search(ps, match, std::regex(R"re("expires_at":"(\d+)-)re")) ? std::stoi(match[1]) : 0;
    };
    const int now = year();
    EXPECT_GT(now, 2000);
    service::RecordingSink sink;
    auto pin = request();
    pin.keep_alive = std::chrono::seconds(-1);
    const service::RequestId id = submit(sink, pin);
    expect_start(id);
    finish(id);
    EXPECT_GE(year(), now + 99) << "Ollama's programs call that Forever";
}

TEST_F(ServerTest, ASandboxSeesItsOwnFiguresOnly) {
    service::RecordingSink other;
    run(other);
    const std::string all = body(ask(get("/status")));
    EXPECT_NE(all.find(R"("active":1,)"), std::string::npos) << all;
    EXPECT_NE(all.find(R"("engine_pid":1,)"), std::string::npos) << all;
    const std::string own = body(ask_bridged(get("/status", kBridgeHost)));
    EXPECT_NE(own.find(R"("model":"a")"), std::string::npos) << own;
    EXPECT_NE(own.find(R"("active":0,)"), std::string::npos) << own;
    EXPECT_NE(own.find(R"("engine_pid":0,)"), std::string::npos) << own;
    const std::string metrics = ask_bridged(get("/metrics", kBridgeHost));
    EXPECT_NE(metrics.find("\nllmd_requests_active 0\n"), std::string::npos);

    const base::UniqueFd sandboxed = connect_bridged();
    write(sandboxed, post("/v1/completions", kStream, "", kBridgeHost));
    expect_start(2);
    EXPECT_NE(body(ask_bridged(get("/status", kBridgeHost))).find(R"("active":1,)"), std::string::npos);
    EXPECT_NE(body(ask(get("/status"))).find(R"("active":2,)"), std::string::npos);
}

TEST_F(ServerTest, PropsAreThoseOfTheModelThatAnswers) {
    const std::string before = body(ask(get("/props")));
    EXPECT_NE(before.find(R"("model_alias":"a")"), std::string::npos) << before;
    EXPECT_NE(before.find(R"("is_sleeping":true)"), std::string::npos) << before;
    EXPECT_EQ(n_engines(), 0u) << "asking wakes nobody";
    const base::UniqueFd client = connect();
    write(client, post("/api/generate", R"({"model":"b"})"));
    load_and_get_ready();
    const std::string props = body(ask(get("/props")));
    EXPECT_EQ(props.rfind(R"({"default_generation_settings":{"n_ctx":128},"total_slots":2,"model_alias":"b",)", 0), 0u)
        << props;
    EXPECT_NE(props.find(folder_.path() + "/b.gguf"), std::string::npos);
    const std::string sandboxed = ask_bridged(get("/props", kBridgeHost));
    EXPECT_EQ(sandboxed.find(folder_.path()), std::string::npos);
}

TEST_F(ServerTest, RendersAConversationAndTakesWhatAChatTakes) {
    const base::UniqueFd client = connect();
    write(client,
          post("/apply-template", R"({"model":"a","messages":[{"role":"user","content":"hi"}],"temperature":0})"));
    load_and_get_ready();
    const auto call = engine().expect<protocol::Render>();
    ASSERT_EQ(call.messages.size(), 1u);
    EXPECT_EQ(call.messages[0].content, "hi");
    send(protocol::Rendered{call.id, "<user>hi</user>"});
    EXPECT_EQ(body(read(client)), R"({"prompt":"<user>hi</user>"})");
    EXPECT_EQ(status(ask(post("/apply-template", R"({"model":"a"})"))), 400);
    write(client, post("/apply-template", R"({"messages":[{"role":"user","content":"hi"}]})"));
    const auto other = engine().expect<protocol::Render>();
    send(protocol::Refused{other.id, base::ErrorCode::InvalidArgument, "chat_template: it is not known"});
    EXPECT_EQ(status(read(client)), 400);
}

TEST_F(ServerTest, TokenizesAndCancelsAndCounts) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/completions", kStream));
    load_and_get_ready();
    expect_start(1);
    const base::UniqueFd other = connect();
    write(other, post("/tokenize", R"({"content":"Once"})"));
    const auto call = engine().expect<protocol::Tokenize>();
    EXPECT_EQ(call.text, "Once");
    send(protocol::Tokenized{call.id, {4, 5}});
    EXPECT_EQ(body(read(other)), R"({"tokens":[4,5]})");
    EXPECT_FALSE(call.add_special || call.with_pieces);
    write(other, post("/tokenize", R"({"content":"Once","add_special":true,"with_pieces":true})"));
    const auto pieces = engine().expect<protocol::Tokenize>();
    EXPECT_TRUE(pieces.add_special && pieces.with_pieces);
    send(protocol::Tokenized{pieces.id, {1, 4}, {"<s>", "Once"}});
    EXPECT_EQ(body(read(other)), R"({"tokens":[{"id":1,"piece":"<s>"},{"id":4,"piece":"Once"}]})");
    write(other, post("/detokenize", R"({"tokens":[4,5]})"));
    const auto back = engine().expect<protocol::Detokenize>();
    EXPECT_EQ(back.ids, (std::vector<int32_t>{4, 5}));
    send(protocol::Detokenized{back.id, "a \"tale\""});
    EXPECT_EQ(body(read(other)), R"({"content":"a \"tale\""})");
    for (const char* path : {"/tokenize", "/detokenize"}) EXPECT_EQ(status(ask(post(path, "{}"))), 400);

    EXPECT_NE(ask(get("/metrics")).find("\nllmd_requests_active 1\n"), std::string::npos);
    for (const char* id : {"cmpl-99", "x", "cmpl-", "-1", "18446744073709551616"}) {
        EXPECT_EQ(status(ask(post(base::concat("/v1/requests/", id, "/cancel"), ""))), 404);
    }
    EXPECT_EQ(status(ask(post("/v1/requests//cancel", ""))), 404);
    EXPECT_EQ(body(ask(post("/v1/requests/cmpl-1/cancel", ""))), R"({"id":1,"cancelled":true})");
    EXPECT_NE(read(client).find(R"("name":"Cancelled")"), std::string::npos);
}

TEST_F(ServerTest, LimitsOfARequestAreStatuses) {
    EXPECT_EQ(status(ask(get("/" + std::string(kMaxRequestLineBytes, 'x')))), 414);
    std::string many = "GET /health HTTP/1.1\r\nHost: l\r\n";
    for (size_t i = 0; i < kMaxHeaders; ++i) many += "A: b\r\n";
    EXPECT_EQ(status(ask(many + "\r\n")), 431);
    EXPECT_EQ(status(ask(post("/v1/completions", "{}", "Content-Length: 2\r\n"))), 400);
    EXPECT_EQ(status(ask(post("/v1/completions", "{}", "Transfer-Encoding: chunked\r\n"))), 400);
    EXPECT_EQ(status(ask(post("/v1/completions", "{}", "Content-Encoding: gzip\r\n"))), 415);
    // libmicrohttpd before 1.0 finds no end of such a body.
    EXPECT_GE(status(ask("POST /v1/completions HTTP/1.1\r\nHost: l\r\nTransfer-Encoding: gzip\r\n\r\n")), 400);
    EXPECT_EQ(status(ask("POST /v1/completions HTTP/1.1\r\nHost: l\r\nContent-Length: 4194305\r\n\r\n")), 413);
    EXPECT_EQ(status(ask("POST /v1/completions HTTP/1.1\r\nHost: l\r\nContent-Length: 1e9\r\n\r\n")), 400);
    (void)ask("nonsense\r\n\r\n");
    EXPECT_EQ(status(ask(get("/health"))), 200);
}

TEST_F(ServerTest, AChunkedBodyIsTakenAndHasTheSameLimit) {
    const std::string head = "POST /v1/completions HTTP/1.1\r\nHost: l\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string reply = ask(head + "4\r\n{\"n\"\r\n3\r\n:2}\r\n0\r\n\r\n");
    EXPECT_EQ(status(reply), 400);
    EXPECT_NE(reply.find("prompt: it is missing"), std::string::npos) << reply;
    std::string large;
    for (int i = 0; i < 65; ++i) large += "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    EXPECT_EQ(status(ask(head + large + "0\r\n\r\n")), 413);
}

TEST_F(ServerTest, ALengthThatIsNoNumberGetsOneAnswer) {
    for (const auto& [value, code] :
         std::initializer_list<std::pair<const char*, int>>{{"x", 400},
                                                            {"-1", 400},
                                                            {"+1", 400},
                                                            {"1x", 400},
                                                            {"", 400},
                                                            {"1, 2", 400},
                                                            {"0x1", 400},
                                                            {"99999999999999999999999", 413},
                                                            {"18446744073709551615", 413}}) {
        const std::string reply =
            ask(base::concat("POST /health HTTP/1.1\r\nHost: llmd\r\nContent-Length: ", value, "\r\n\r\nabc"));
        EXPECT_EQ(status(reply), code) << value;
        EXPECT_EQ(reply.find("HTTP/1.1 ", 1), std::string::npos) << reply;
        // libmicrohttpd 1.0 answers one that is too large by itself, and notifies nobody.
        const bool is_ours = body(reply).starts_with(R"({"error":{"message":)");
        EXPECT_TRUE(is_ours || code == 413) << reply;
        EXPECT_TRUE(reply.ends_with(kEnd)) << value;
    }
    // One that is just being received is not judged by what happens on others.
    const base::UniqueFd slow = connect();
    write(slow, "POST /nothing HTTP/1.1\r\nHost: llmd\r\nContent-Length: 1");
    (void)ask("POST /health HTTP/1.1\r\nHost: llmd\r\nContent-Length: x\r\n\r\n");
    write(slow, "\r\n\r\na");
    EXPECT_EQ(status(read(slow)), 404);
    EXPECT_EQ(status(ask(get("/health"))), 200);
}

TEST_F(ServerTest, BodiesThatAreBeingReceivedHaveABudget) {
    const std::string head = "POST /health HTTP/1.1\r\nHost: llmd\r\n";
    const std::string large = base::concat(head, "Content-Length: ", kMaxBodyBytes, "\r\n\r\n");
    base::UniqueFd first = connect();
    write(first, large + "a");
    const base::UniqueFd second = connect();
    write(second, head + "Transfer-Encoding: chunked\r\n\r\n");
    // This application has as much as it may.
    const std::string reply = ask(large);
    EXPECT_EQ(status(reply), 429) << reply;
    EXPECT_NE(reply.find("Retry-After: "), std::string::npos);
    EXPECT_NE(reply.find(kEnd), std::string::npos) << "the body is not read";
    EXPECT_EQ(status(ask(post("/health", std::string(BodyBudget::kFreeBytes, ' ')))), 405) << "small ones always may";
    EXPECT_EQ(status(ask(post("/health", std::string(BodyBudget::kFreeBytes + 1, ' ')))), 429);
    // Complete, or dropped, it takes nothing any more.
    write(second, "0\r\n\r\n");
    EXPECT_EQ(status(read(second)), 405);
    EXPECT_EQ(status(ask(post("/health", std::string(kMaxBodyBytes, ' ')))), 405);
    write(second, large);
    EXPECT_EQ(status(ask(large)), 429);
    first.reset();
    settle();
    EXPECT_EQ(status(ask(post("/health", std::string(kMaxBodyBytes, ' ')))), 405);
}

TEST(BodyBudget, HasLimitsForEachApplicationAndForAll) {
    BodyBudget budget;
    constexpr size_t kAll = BodyBudget::kMaxBytesPerApplication;
    ASSERT_TRUE(budget.take("one", kAll));
    EXPECT_EQ(budget.take("one", 1).error().code, base::ErrorCode::RateLimited);
    ASSERT_TRUE(budget.take("two", BodyBudget::kMaxBytes - kAll));
    EXPECT_EQ(budget.take("three", 1).error().code, base::ErrorCode::NotReady);
    budget.give_back("one", kAll);
    EXPECT_TRUE(budget.take("three", kAll));
    EXPECT_EQ(budget.take("one", 1).error().code, base::ErrorCode::NotReady);
}

TEST_F(ServerTest, AConnectionServesOneRequestAfterAnother) {
    const base::UniqueFd client = connect();
    write(client, get("/health"));
    EXPECT_EQ(status(read(client)), 200);
    write(client, get("/nothing") + get("/health"));  // both at once
    const std::string both = read(client);
    EXPECT_EQ(status(both), 404);
    EXPECT_NE(both.find(R"({"status":"ok","state":"idle"})"), std::string::npos);
}

TEST_F(ServerTest, AClientThatLeavesCancelsWhileItWaits) {
    base::UniqueFd client = connect();
    write(client, post("/v1/completions", kStream));
    load_and_get_ready();
    expect_start(1);
    client.reset();
    settle();
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 1u);
    EXPECT_TRUE(service_->requests().empty());
    EXPECT_TRUE(server_->is_idle());
}

// Without waiting for a token of it, which may take long or never come.
TEST_F(ServerTest, LeavingIsToldToTheEngineAtOnceWhateverTheRequestDoes) {
    base::UniqueFd first = connect();
    write(first, post("/v1/completions", kStream));
    load_and_get_ready(1);
    const auto leave = [&](base::UniqueFd& client, service::RequestId id) {
        client.reset();
        settle();
        EXPECT_EQ(engine().expect<protocol::Cancel>().id, id);
        EXPECT_FALSE(service_->request(id));
    };
    expect_start(1);
    EXPECT_EQ(state(1), service::RequestState::Prefill);
    base::UniqueFd waiting = connect();
    write(waiting, post("/v1/completions", kStream));
    EXPECT_EQ(engine().expect<protocol::Submit>().id, 2u);
    send(protocol::Accepted{2, 3});
    EXPECT_EQ(state(2), service::RequestState::Queued);
    leave(waiting, 2);
    leave(first, 1);

    base::UniqueFd decoding = connect();
    write(decoding, post("/v1/completions", kStream));
    expect_start(3);
    token(3, 5, " upon");
    EXPECT_EQ(state(3), service::RequestState::Decode);
    leave(decoding, 3);

    base::UniqueFd paused = connect();
    write(paused, post("/v1/completions", kStream));
    expect_start(4);
    while (state(4) != service::RequestState::Paused) token(4, 5, std::string(16u << 10, 'x'));
    EXPECT_TRUE(engine().expect<protocol::SetPaused>().paused);
    leave(paused, 4);
    EXPECT_TRUE(server_->is_idle());
}

TEST_F(ServerTest, AClientThatOnlySendsNoMoreGetsItsAnswer) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/completions", kWhole));
    load_and_get_ready();
    expect_start(1);
    ASSERT_EQ(::shutdown(client.get(), SHUT_WR), 0);
    settle();
    token(1, 5, " upon");
    finish(1);
    EXPECT_EQ(status(read(client)), 200);
}

TEST_F(ServerTest, AReaderThatLagsPausesItsRequestAlone) {
    const base::UniqueFd slow = connect();
    const base::UniqueFd quick = connect();
    write(slow, post("/v1/completions", kStream));
    load_and_get_ready();
    expect_start(1);
    write(quick, post("/v1/completions", kStream));
    expect_start(2);
    const std::string text(16u << 10, 'x');
    std::optional<protocol::Message> told;
    for (int i = 0; i < 100 && !told; ++i) {
        token(1, 5, text);
        told = engine().next();
    }
    ASSERT_TRUE(told && std::holds_alternative<protocol::SetPaused>(*told));
    EXPECT_TRUE(std::get<protocol::SetPaused>(*told).paused);
    token(2, 5, "quick");
    EXPECT_NE(read(quick).find("quick"), std::string::npos);
    EXPECT_GT(read(slow).size(), text.size());
    EXPECT_FALSE(engine().expect<protocol::SetPaused>().paused);
}

TEST_F(ServerTest, AProcessMayHaveSoManyConnectionsThatAreInUse) {
    std::vector<base::UniqueFd> clients;
    for (size_t i = 0; i < Server::kMaxConnectionsPerProcess; ++i) {
        clients.push_back(connect());
        write(clients.back(), "POST /health HTTP/1.1\r\nHost: llmd\r\nContent-Length: 1\r\n\r\n");
    }
    const std::string reply = read(connect());
    EXPECT_EQ(status(reply), 429) << reply;
    EXPECT_NE(reply.find(kEnd), std::string::npos);
    clients.pop_back();
    settle();
    EXPECT_EQ(status(ask(get("/health"))), 200);
}

TEST_F(ServerTest, ConnectionsThatWaitForARequestMakeRoomForNewOnes) {
    const base::UniqueFd kept = connect();
    write(kept, get("/health"));
    EXPECT_EQ(status(read(kept)), 200);
    std::vector<base::UniqueFd> clients;
    for (size_t i = 1; i < Server::kMaxConnectionsPerProcess; ++i) clients.push_back(connect());
    settle();
    const base::UniqueFd newer = connect();
    write(newer, get("/health"));
    EXPECT_EQ(status(read(newer)), 200);
    EXPECT_EQ(read(clients.front()), kEnd) << "the oldest that never sent a request";
    write(kept, get("/health"));
    EXPECT_EQ(status(read(kept)), 200);
    clients.clear();
    settle();
    for (size_t i = 2; i < Server::kMaxConnectionsPerProcess; ++i) {
        clients.push_back(connect());
        write(clients.back(), "POST /health HTTP/1.1\r\nHost: llmd\r\nContent-Length: 1\r\n\r\n");
    }
    settle();
    EXPECT_EQ(status(ask(get("/health"))), 200);
    EXPECT_TRUE(read(newer) == kEnd || read(kept) == kEnd) << "else one that waits for another";
}

TEST_F(ServerTest, ABodyThatIsRefusedIsReceivedSoThatTheAnswerIsSeen) {
    for (const std::string& head : {std::string("Content-Length: 5000000\r\n\r\n"),
                                    std::string("Content-Length: 5000000\r\nContent-Encoding: gzip\r\n\r\n")}) {
        const base::UniqueFd client = connect();
        write(client, "POST /v1/completions HTTP/1.1\r\nHost: llmd\r\n" + head);
        const std::string block(1 << 20, 'x');
        for (size_t n = 0; n < 5'000'000; n += block.size()) write(client, block.substr(0, 5'000'000 - n));
        const std::string reply = read(client);
        EXPECT_EQ(status(reply), head.find("gzip") == std::string::npos ? 413 : 415) << reply;
        EXPECT_TRUE(reply.ends_with(kEnd));
    }
}

TEST_F(ServerTest, ConnectionsThatHaveEndedDoNotCountAgainstNewerOnes) {
    const size_t n_ended = 2 * Server::kMaxConnectionsPerProcess;
    for (size_t i = 0; i < n_ended; ++i) (void)knock(path());
    const base::UniqueFd client = knock(path());
    for (size_t i = 0; i <= n_ended; ++i) ASSERT_TRUE(loop_.run_once(std::chrono::milliseconds(0)));
    write(client, get("/health"));
    EXPECT_EQ(status(read(client)), 200);
}

TEST_F(ServerTest, TheSocketIsForItsOwnerAndGoesWithTheServer) {
    struct stat info = {};
    ASSERT_EQ(::stat(path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0600u);
    server_.reset();
    EXPECT_NE(::stat(path().c_str(), &info), 0);
}

TEST_F(ServerTest, ShuttingDownEndsWithTheLastAnswer) {
    const base::UniqueFd client = connect();
    write(client, post("/v1/completions", kStream));
    load_and_get_ready();
    expect_start(1);
    bool done = false;
    service_->shut_down([&] { server_->shut_down([&] { done = true; }); });
    settle();
    exit_engine();
    EXPECT_TRUE(done);
    EXPECT_NE(read(client).find("\"name\":\"ShuttingDown\""), std::string::npos);
}

TEST_F(ServerTest, MayGoWhileClientsWait) {
    const base::UniqueFd waiting = connect();
    write(waiting, post("/v1/completions", kWhole));
    const base::UniqueFd reading = connect();
    write(reading, post("/v1/completions", kStream));
    server_.reset();
    char byte = 0;
    EXPECT_EQ(::recv(waiting.get(), &byte, 1, 0), 0);
    EXPECT_EQ(::recv(reading.get(), &byte, 1, 0), 0);
}

TEST(PlainPath, ASlashTooManyAndAMissingVersionMakeNoOtherPath) {
    for (const auto& [asked, plain] : {std::pair("/v1/models", "/v1/models"),
                                       {"//v1///chat/completions/", "/v1/chat/completions"},
                                       {"//api/chat", "/api/chat"},
                                       {"/", "/"},
                                       {"//", "/"},
                                       {"", ""},
                                       {"/chat/completions", "/v1/chat/completions"},
                                       {"/embeddings/", "/v1/embeddings"},
                                       {"/v1/v1/models", "/v1/v1/models"},
                                       {"http://x/v1", "http:/x/v1"}}) {
        EXPECT_EQ(Api::plain_path(asked), plain) << asked;
    }
}

}  // namespace
}  // namespace llmd::http
