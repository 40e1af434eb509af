// Requests that come through a bridge, from their preamble on, count as one application and wait for each other. The
// programs that the bridge tells apart are clients of it that leave each other room.
#include "server_fixture.h"

namespace llmd::http {
namespace {

const std::string kStream = R"({"prompt":"Once","seed":1,"stream":true,"priority":"interactive"})";

class BridgedTest : public ServerTest {
protected:
    static constexpr size_t kMaxCalls = service::RequestLimits::allowance(true).per_client;
    base::UniqueFd connect_program(pid_t program) { return connect_bridged({1234, {}, {}, {}, program}); }
    std::string ask_as(pid_t program, const std::string& request) {
        const base::UniqueFd fd = connect_program(program);
        write(fd, request);
        return read(fd);
    }
    static std::string call(const std::string& path = "/v1/completions") {
        return post(path, kStream, "", kBridgeHost);
    }
};

TEST_F(BridgedTest, AreOneApplicationInASandbox) {
    const base::UniqueFd client = connect_bridged();
    write(client, call());
    load_and_get_ready();
    EXPECT_EQ(expect_start(1).cache_scope, "bridge");
    const auto known = service_->request(1);
    ASSERT_TRUE(known);
    EXPECT_TRUE(known->caller.sandboxed);
    EXPECT_EQ(known->caller.share, "bridge");
    EXPECT_EQ(known->priority, service::Priority::Normal);
}

TEST_F(BridgedTest, ThoseBeyondASandboxsLimitWaitForTheirTurn) {
    std::vector<base::UniqueFd> clients;
    for (int i = 0; i < 4; ++i) {
        clients.push_back(connect_bridged());
        write(clients.back(), call());
    }
    load_and_get_ready();
    expect_start(1);
    expect_start(2);
    EXPECT_EQ(service_->requests().size(), 2u);
    EXPECT_EQ(status(ask_bridged(get("/health", kBridgeHost))), 200) << "what is answered at once does not wait";
    finish(1);
    expect_start(3);
    clients[3].reset();  // while it waits
    settle();
    clients[1].reset();
    settle();
    EXPECT_EQ(engine().expect<protocol::Cancel>().id, 2u);
    finish(3);
    settle();
    EXPECT_TRUE(service_->requests().empty());
    EXPECT_TRUE(chunks(body(read(clients[2]))).ends_with("data: [DONE]\n\n"));
}

TEST_F(BridgedTest, AnotherProgramsCallIsNext) {
    std::vector<base::UniqueFd> crowd;
    for (int i = 0; i < 10; ++i) {
        crowd.push_back(connect_program(11));
        write(crowd.back(), call());
    }
    const base::UniqueFd beside = connect_program(12);
    write(beside, call());
    load_and_get_ready();
    expect_start(1);
    expect_start(2);
    EXPECT_EQ(service_->requests().size(), 2u) << "all of them have the allowance of one application";
    finish(1);
    expect_start(3);
    const auto started = service_->request(3);
    ASSERT_TRUE(started);
    EXPECT_EQ(started->caller.name, "bridge:12");
    EXPECT_EQ(started->caller.share, "bridge");
    finish(3);
    settle();
    EXPECT_TRUE(chunks(body(read(beside))).ends_with("data: [DONE]\n\n"));
}

// Whether a process is found is a matter of luck: it decides about turns, and not about rights.
TEST_F(BridgedTest, ProgramsMayCancelWhatOthersOfTheBridgeAsk) {
    const base::UniqueFd client = connect_program(11);
    write(client, call());
    load_and_get_ready();
    expect_start(1);
    const std::string requests = body(ask_as(12, get("/llmd/requests", kBridgeHost)));
    EXPECT_NE(requests.find(R"("client":"bridge:11")"), std::string::npos) << requests;
    EXPECT_EQ(body(ask_as(12, get("/llmd/requests/own", kBridgeHost))), R"({"requests":[]})");
    EXPECT_EQ(status(ask_bridged(post("/v1/requests/1/cancel", "", "", kBridgeHost))), 200);
    settle();
    EXPECT_TRUE(service_->requests().empty());
}

TEST_F(BridgedTest, RequestsOfOneConnectionFollowEachOther) {
    const base::UniqueFd client = connect_bridged();
    write(client, get("/health", kBridgeHost) + get("/api/version", kBridgeHost));
    const std::string both = read(client);
    EXPECT_EQ(status(both), 200);
    EXPECT_NE(both.find("HTTP/1.1 200 OK", 1), std::string::npos);
    EXPECT_EQ(both.find(kEnd), std::string::npos) << both;
    write(client,
          "POST /api/show HTTP/1.1\r\nHost: localhost:1234\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
    EXPECT_EQ(body(read(client)), R"({"error":"model: it is missing"})");
}

TEST_F(BridgedTest, EachRequestIsLookedAt) {
    const base::UniqueFd client = connect_bridged();
    write(client, get("/health", kBridgeHost));
    EXPECT_EQ(status(read(client)), 200);
    write(client, post("/api/chat", kStream, "", "evil.example"));
    const std::string refused = read(client);
    EXPECT_EQ(status(refused), 403);
    EXPECT_EQ(body(refused).rfind(R"({"error":"Host: 'evil.example')", 0), 0u) << refused;
    EXPECT_TRUE(refused.ends_with(kEnd));
    const std::string large = "POST /api/chat HTTP/1.1\r\nHost: localhost:1234\r\nContent-Length: 4194305\r\n\r\n";
    EXPECT_EQ(body(ask_bridged(large)), R"({"error":"body: more than 4194304 bytes"}<end>)");
}

TEST_F(BridgedTest, WhoseNumberIsLimitedAreRefusedInTheFormOfTheirApi) {
    std::vector<base::UniqueFd> clients;
    for (size_t i = 0; i < kMaxCalls + CallQueue::kMaxWaitingPerClient; ++i) {
        clients.push_back(connect_bridged());
        write(clients.back(), call());
    }
    const std::string refused = ask_bridged(call("/api/chat"));
    EXPECT_EQ(status(refused), 429);
    EXPECT_NE(refused.find("Retry-After: 2\r\n"), std::string::npos);
    EXPECT_EQ(body(refused).rfind(R"({"error":"64 requests of this client are waiting, at most 64 may"})", 0), 0u);
    EXPECT_EQ(service_->requests().size(), kMaxCalls);
}

TEST_F(BridgedTest, WhoseBodiesAreLimitedWhileTheyWait) {
    std::vector<base::UniqueFd> clients;
    for (size_t i = 0; i < kMaxCalls; ++i) {
        clients.push_back(connect_bridged());
        write(clients.back(), call());
    }
    const std::string large = R"({"prompt":"Once"})" + std::string(kMaxBodyBytes - 17, ' ');
    for (size_t n = Server::kMaxBridgedBodyBytes; n > 0; n -= kMaxBodyBytes) {
        clients.push_back(connect_bridged());
        write(clients.back(), post("/v1/completions", large, "", kBridgeHost));
    }
    EXPECT_EQ(status(ask_bridged(post("/api/chat", large.substr(0, 70'000), "", kBridgeHost))), 429);
    EXPECT_EQ(status(ask(post("/health", std::string(kMaxBodyBytes, ' ')))), 405) << "others have their own";
    EXPECT_EQ(status(ask_as(11, post("/health", large, "", kBridgeHost))), 405) << "one of another program's is left";
    clients.pop_back();  // while it waits
    settle();
    EXPECT_EQ(status(ask_bridged(post("/health", large, "", kBridgeHost))), 405);
    // A body in chunks counts as the longest until it is complete, and then by its length.
    clients.pop_back();
    settle();
    const std::string head =
        base::concat("POST /v1/completions HTTP/1.1\r\nHost: ", kBridgeHost, "\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3; ++i) {
        clients.push_back(connect_bridged());
        write(clients.back(), head + "2\r\n{}\r\n0\r\n\r\n");
        EXPECT_EQ(read(clients.back()), "");
    }
}

TEST_F(BridgedTest, HaveConnectionsOfTheirOwnNumber) {
    std::vector<base::UniqueFd> clients;
    for (size_t i = 0; i < Server::kMaxBridged; ++i) {
        clients.push_back(i % 2 == 0 ? connect_bridged() : knock(bridge_path()));
    }
    settle();
    EXPECT_EQ(status(ask(get("/health"))), 200) << "the other socket has its own";
    EXPECT_EQ(status(ask_bridged(get("/health", kBridgeHost))), 200) << "one that is idle has made room";
    EXPECT_EQ(read(clients.front()), kEnd) << "the oldest";
    clients.clear();
    settle();
    for (size_t i = 0; i < Server::kMaxBridged; ++i) {
        clients.push_back(knock(bridge_path()));
        settle();
    }
    const std::string reply = read(knock(bridge_path()));
    EXPECT_EQ(status(reply), 503) << reply;
    EXPECT_TRUE(reply.ends_with(kEnd));
}

TEST_F(BridgedTest, OneProgramLeavesConnectionsToOthers) {
    std::vector<base::UniqueFd> clients;
    const auto connect_busy = [&] {
        clients.push_back(connect_program(11));
        write(clients.back(), "POST /tokenize HTTP/1.1\r\nHost: localhost:1234\r\nContent-Length: 9\r\n\r\n{");
    };
    for (size_t i = 0; i < Server::kMaxConnectionsPerProcess; ++i) connect_busy();
    const base::UniqueFd one_more = knock(bridge_path());
    // At once, as a bridge does: llmd closes when it has read the preamble.
    write(one_more, *base::write_bridge_preamble({1234, {}, {}, {}, 11}) + get("/health", kBridgeHost));
    const std::string refused = read(one_more);
    EXPECT_EQ(status(refused), 429);
    EXPECT_NE(refused.find("process 11 has 96 connections in use, and no more may be"), std::string::npos) << refused;
    EXPECT_EQ(status(ask_as(12, get("/health", kBridgeHost))), 200);
    EXPECT_EQ(status(ask_bridged(get("/health", kBridgeHost))), 200) << "whose program is not known";
    // One that is idle makes room for another of the same program.
    clients.pop_back();
    settle();
    clients.push_back(connect_program(11));
    settle();
    EXPECT_EQ(status(ask_as(11, get("/health", kBridgeHost))), 200);
    EXPECT_EQ(read(clients.back()), kEnd);
}

TEST_F(BridgedTest, WithoutAPreambleTheConnectionIsDroppedForAReason) {
    const base::UniqueFd client = knock(bridge_path());
    settle();
    write(client, get("/health", kBridgeHost).substr(0, base::kBridgeLengthBytes));
    EXPECT_EQ(read(client), kEnd);
    EXPECT_NE(warnings_.find("bridge.sock was dropped: preamble: a length of "), std::string::npos) << warnings_;
    EXPECT_TRUE(server_->is_idle());
}

TEST_F(BridgedTest, TheirSocketGoesWithTheServer) {
    struct stat info = {};
    ASSERT_EQ(::stat(bridge_path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0600u);
    const base::UniqueFd waits = knock(bridge_path());
    settle();
    server_.reset();
    EXPECT_NE(::stat(bridge_path().c_str(), &info), 0);
    EXPECT_EQ(read(waits), kEnd);
}

}  // namespace
}  // namespace llmd::http
