// What the bridge makes of a request's head: the same request in its own words, or a refusal that says why.
// tests/integration/bridge_test.py sends it far more.
#include "client/bridge_head.h"

#include <gtest/gtest.h>

namespace llmd::client {
namespace {

const BridgeRules kRules{.port = 11434, .hosts = {"Phone.lan"}, .token = {}};

unsigned status_of(std::string_view head, const BridgeRules& rules = kRules) {
    const auto read = read_bridge_head(head, rules);
    const auto* refusal = std::get_if<BridgeRefusal>(&read);
    return refusal ? refusal->status : 200;
}

TEST(BridgeHead, WritesWhatLlmdReadsAndNothingElse) {
    const auto read = read_bridge_head(
        "POST /api/chat?a=b HTTP/1.0\r\nhost: localhost:11434\r\ncontent-length:  007 \r\nExpect: 100-continue\r\n"
        "Llmd-Bridge: x\r\nAuthorization: Bearer y\r\nCookie: z",
        kRules);
    const auto* head = std::get_if<BridgedHead>(&read);
    ASSERT_NE(head, nullptr);
    EXPECT_EQ(head->n_body, 7u);
    EXPECT_EQ(head->text,
              "POST /api/chat?a=b HTTP/1.0\r\nHost: llmd\r\nLlmd-Bridge: 1\r\nConnection: close\r\n"
              "Expect: 100-continue\r\nContent-Length: 7\r\n\r\n");
}

TEST(BridgeHead, AnswersToItsNamesWithItsPort) {
    const auto with_host = [](const std::string& host) { return "GET / HTTP/1.1\r\nHost: " + host; };
    for (const char* host : {"localhost:11434", "[::1]:11434", "127.0.0.1:11434", "phone.LAN:11434"}) {
        EXPECT_EQ(status_of(with_host(host)), 200u) << host;
    }
    for (const char* host : {"localhost", "phone.lan:80", "[::1]", "[::2]:11434", "example.org:11434", "", ":11434"}) {
        EXPECT_EQ(status_of(with_host(host)), 403u) << host;
    }
    EXPECT_EQ(status_of(with_host("localhost"), {.port = 80, .hosts = {}, .token = {}}), 200u);
}

TEST(BridgeHead, ComparesTokensWhole) {
    const BridgeRules rules{.port = 1, .hosts = {}, .token = "0123456789abcdef"};
    const auto with = [&](const std::string& value) {
        return status_of("GET / HTTP/1.1\r\nHost: localhost:1\r\nAuthorization: " + value, rules);
    };
    EXPECT_EQ(with("Bearer 0123456789abcdef"), 200u);
    EXPECT_EQ(with("Bearer 0123456789abcdeF"), 401u);
    EXPECT_EQ(with("Bearer 0123456789abcde"), 401u);
    EXPECT_EQ(with("Bearer 0123456789abcdef, Bearer x"), 401u);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: localhost:1", rules), 401u);
    EXPECT_TRUE(equal_in_constant_time("", ""));
    EXPECT_FALSE(equal_in_constant_time("a", ""));
}

TEST(BridgeHead, TakesTheLongestBodyAndHead) {
    const std::string host = "Host: localhost:11434\r\n";
    const auto with_length = [&](uint64_t length) {
        return "POST / HTTP/1.1\r\n" + host + "Content-Length: " + std::to_string(length);
    };
    EXPECT_EQ(status_of(with_length(kMaxBridgeBodyBytes)), 200u);
    EXPECT_EQ(status_of(with_length(kMaxBridgeBodyBytes + 1)), 413u);
    const auto with_target = [&](size_t size) {
        return "GET /" + std::string(size - std::string_view("GET / HTTP/1.1").size(), 'x') + " HTTP/1.1\r\n" + host;
    };
    EXPECT_EQ(status_of(with_target(kMaxBridgeLineBytes)), 200u);
    EXPECT_EQ(status_of(with_target(kMaxBridgeLineBytes + 1)), 414u);
    std::string head = "GET / HTTP/1.1\r\n" + host;
    for (size_t i = 1; i < kMaxBridgeHeaders; ++i) head += "A: b\r\n";
    EXPECT_EQ(status_of(head), 200u);
    EXPECT_EQ(status_of(head + "A: b\r\n"), 431u);
}

TEST(BridgeHead, OnlyWhatIsKnownToBeAnsweredAtOnceIsNoCall) {
    const auto read = [](const std::string& line) {
        return read_bridge_head(line + " HTTP/1.1\r\nHost: localhost:11434\r\n",
                                {.port = 11434, .hosts = {}, .token = {}});
    };
    const auto is_call = [&](const std::string& line) { return std::get<BridgedHead>(read(line)).is_call; };
    for (const char* line : {"POST /v1/chat/completions", "POST /v1/embeddings", "POST /api/chat", "POST /api/new",
                             "POST /tokenize/", "POST /%74okenize"}) {
        EXPECT_TRUE(is_call(line)) << line;
    }
    for (const char* line :
         {"GET /v1/models", "GET /api/chat", "HEAD /", "DELETE /api/delete", "POST /tokenize", "POST /tokenize?x",
          "POST /api/show", "POST /api/pull", "POST /v1/requests/cmpl-1/cancel"}) {
        EXPECT_FALSE(is_call(line)) << line;
    }
    EXPECT_TRUE(std::get<BridgedHead>(read("POST /api/chat?x")).is_ollamas);
    EXPECT_FALSE(std::get<BridgedHead>(read("POST /v1/api/chat")).is_ollamas);
}

TEST(BridgeHead, ARefusalHasTheFormOfTheApi) {
    const auto refusal = std::get<BridgeRefusal>(
        read_bridge_head("POST /api/chat HTTP/1.1\r\nHost: evil\r\n", {.port = 11434, .hosts = {}, .token = {}}));
    EXPECT_EQ(refusal.status, 403u);
    EXPECT_NE(bridge_answer(refusal).find("\r\n\r\n{\"error\":\"Host: "), std::string::npos);
    const std::string full = bridge_answer({429, base::fail(base::ErrorCode::QueueFull, "full")});
    EXPECT_TRUE(full.starts_with("HTTP/1.1 429 Too Many Requests\r\n")) << full;
    EXPECT_NE(full.find("\r\nRetry-After: "), std::string::npos);
    EXPECT_TRUE(full.ends_with(
        R"({"error":{"message":"full","type":"rate_limit_error","code":"rate_limit_exceeded","param":null,"name":"QueueFull"}})"))
        << full;
}

TEST(BridgeHead, AnAnswerWithoutALengthIsAStream) {
    EXPECT_TRUE(answers_with_a_stream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: x"));
    EXPECT_TRUE(answers_with_a_stream("HTTP/1.0 200 OK"));
    EXPECT_TRUE(answers_with_a_stream("HTTP/1.1 200 content-length: 1\r\nX-Content-Length: 1"));
    EXPECT_FALSE(answers_with_a_stream("HTTP/1.1 200 OK\r\nDate: x\r\nContent-Length: 12"));
    EXPECT_FALSE(answers_with_a_stream("HTTP/1.1 200 OK\r\ncontent-LENGTH: 12\r\nDate: x"));
}

TEST(BridgeHead, ARefusalIsAWholeAnswerThatMayBeRepeatedOrNot) {
    const std::string passing = bridge_answer({503, base::fail(base::ErrorCode::NotReady, "not \"now\"")});
    EXPECT_TRUE(passing.starts_with("HTTP/1.1 503 Service Unavailable\r\n")) << passing;
    EXPECT_NE(passing.find("\r\nRetry-After: "), std::string::npos);
    EXPECT_TRUE(passing.ends_with(
        R"({"error":{"message":"not \"now\"","type":"server_error","code":"not_ready","param":null,"name":"NotReady"}})"));
    const std::string lasting = bridge_answer({403, base::fail(base::ErrorCode::NotAllowed, "never")});
    EXPECT_NE(lasting.find("\r\nx-should-retry: false\r\n"), std::string::npos);
}

}  // namespace
}  // namespace llmd::client
