// A request that came through a bridge passes, or is refused in the form of its API.
// tests/integration/bridge_test.py sends them over the real bridge.
#include "http/bridge_guard.h"

#include <gtest/gtest.h>

#include "base/sha256.h"

namespace llmd::http {
namespace {

const base::BridgePreamble kBridge{11434, {}, {"Phone.lan"}, {}};

unsigned status_of(const HeaderList& headers, const base::BridgePreamble& bridge = kBridge,
                   std::string_view path = "/health") {
    const auto reply = answer_bridged(bridge, "GET", path, headers);
    return reply ? reply->status : 200;
}

TEST(BridgeGuard, AnswersToItsNamesWithItsPort) {
    for (const char* host :
         {"localhost:11434", "LOCALHOST:11434", "127.0.0.1:11434", "[::1]:11434", "phone.LAN:11434"}) {
        EXPECT_EQ(status_of({{"HOST", host}}), 200u) << host;
    }
    for (const char* host :
         {"evil.example", "evil.example:11434", "localhost", "localhost:", "localhost:11435", "localhost.:11434",
          "127.0.0.2:11434", "localhost:11434:11434", "a@localhost:11434", ":11434", "", "::1:11434", "[::1]"}) {
        EXPECT_EQ(status_of({{"Host", host}}), 403u) << host;
    }
    EXPECT_EQ(status_of({{"Host", "localhost"}}, {80, {}, {}, {}}), 200u);
    EXPECT_EQ(status_of({}), 400u);
    EXPECT_EQ(status_of({{"Host", "localhost:11434"}, {"host", "localhost:11434"}}), 400u);
}

TEST(BridgeGuard, TakesAPathAlone) {
    for (const char* path : {"http://localhost:11434/health", "*", "localhost:1", ""}) {
        EXPECT_EQ(status_of({{"Host", "localhost:11434"}}, kBridge, path), 400u) << path;
    }
}

TEST(BridgeGuard, PagesAreOfThisDevice) {
    const auto from = [](std::string_view origin) {
        return status_of({{"Host", "localhost:11434"}, {"Origin", origin}});
    };
    for (const char* origin : {"http://localhost:3000", "https://127.0.0.1", "HTTP://[::1]:8080", "http://phone.lan"}) {
        EXPECT_EQ(from(origin), 200u) << origin;
    }
    for (const char* origin :
         {"https://evil.example", "null", "", "http://localhost.evil.example", "file://", "http://",
          "http://localhost:3000:x", "http://localhost:x", "chrome-extension://localhost"}) {
        EXPECT_EQ(from(origin), 403u) << origin;
    }
}

TEST(BridgeGuard, AnswersABrowsersQuestionForOriginsThatAreAllowed) {
    base::Sha256 digest;
    digest.add("0123456789abcdef");
    const base::BridgePreamble bridge{11434, digest.hex(), {}, {"app://obsidian.md", "http://localhost:3000"}};
    const auto ask = [&](std::string_view origin, const base::BridgePreamble& of) {
        return answer_bridged(of, "OPTIONS", "/v1/chat/completions",
                              {{"Host", "localhost:11434"},
                               {"Origin", origin},
                               {"Access-Control-Request-Method", "POST"},
                               {"Access-Control-Request-Headers", "authorization,content-type"}});
    };
    for (const std::string& origin : bridge.origins) {
        const auto reply = ask(origin, bridge);
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->status, 204u) << "it bears no token";
        const ReplyHeaders expected = {{"Access-Control-Allow-Methods", "GET, POST, DELETE"},
                                       {"Access-Control-Allow-Headers", "authorization,content-type"},
                                       {"Access-Control-Max-Age", "600"}};
        ASSERT_EQ(reply->headers.size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
            EXPECT_STREQ(reply->headers[i].first, expected[i].first);
            EXPECT_EQ(reply->headers[i].second, expected[i].second);
        }
        EXPECT_EQ(ask(origin, kBridge)->status, 403u) << "none is allowed by default";
    }
    for (const char* origin : {"http://localhost:3001", "https://localhost:3000", "app://Obsidian.md", "null"}) {
        EXPECT_EQ(ask(origin, bridge)->status, 403u) << origin;
    }
    const auto with = [&](const HeaderList& headers) { return status_of(headers, bridge); };
    EXPECT_EQ(with({{"Host", "localhost:11434"}, {"Origin", "app://obsidian.md"}}), 401u) << "the request needs one";
    EXPECT_EQ(with({{"Host", "localhost:11434"},
                    {"Origin", "app://obsidian.md"},
                    {"Authorization", "Bearer 0123456789abcdef"}}),
              200u);
}

TEST(BridgeGuard, LetsPagesReadWhoseOriginIsAllowed) {
    const base::BridgePreamble bridge{1, {}, {}, {"app://a"}};
    EXPECT_TRUE(cors_headers(kBridge, {{"Origin", "app://a"}}).empty());
    const auto allowed = cors_headers(bridge, {{"Origin", "app://a"}});
    ASSERT_EQ(allowed.size(), 3u);
    EXPECT_EQ(allowed[0].second, "Origin");
    EXPECT_STREQ(allowed[1].first, "Access-Control-Allow-Origin");
    EXPECT_EQ(allowed[1].second, "app://a");
    for (const HeaderList& headers :
         {HeaderList{}, HeaderList{{"Origin", "app://b"}}, HeaderList{{"Origin", "app://a"}, {"Origin", "app://a"}}}) {
        EXPECT_EQ(cors_headers(bridge, headers).size(), 1u) << "only that it depends on the origin";
    }
}

TEST(BridgeGuard, ComparesTokensWhole) {
    base::Sha256 digest;
    digest.add("0123456789abcdef");
    const base::BridgePreamble bridge{1, digest.hex(), {}, {}};
    const auto with = [&](std::string_view value) {
        return status_of({{"Host", "localhost:1"}, {"Authorization", value}}, bridge);
    };
    EXPECT_EQ(with("Bearer 0123456789abcdef"), 200u);
    EXPECT_EQ(with("bearer 0123456789abcdef"), 200u);
    for (const char* value : {"Bearer 0123456789abcdeF", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0",
                              "Bearer  0123456789abcdef", "Bearer ", "Bearer", "0123456789abcdef", ""}) {
        EXPECT_EQ(with(value), 401u) << value;
    }
    EXPECT_EQ(with("Bearer " + digest.hex()), 401u) << "the digest is no token";
    const auto with_key = [&](HeaderList headers) {
        headers.emplace_back("Host", "localhost:1");
        return status_of(headers, bridge);
    };
    EXPECT_EQ(with_key({{"X-Api-Key", "0123456789abcdef"}}), 200u) << "Anthropic's clients";
    EXPECT_EQ(with_key({{"x-api-key", "0123456789abcdef"}, {"Authorization", "Bearer other"}}), 200u);
    EXPECT_EQ(with_key({{"X-Api-Key", "0123456789abcdeF"}}), 401u);
    EXPECT_EQ(with_key({{"X-Api-Key", "Bearer 0123456789abcdef"}}), 401u);
    EXPECT_EQ(with_key({{"X-Api-Key", digest.hex()}}), 401u);
    EXPECT_EQ(with_key({{"X-Api-Key", "0123456789abcdef"}, {"x-api-key", "0123456789abcdef"}}), 400u);
    const auto missing = answer_bridged(bridge, "GET", "/v1/models", {{"Host", "localhost:1"}});
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->status, 401u);
    EXPECT_NE(missing->body.find(R"("code":"invalid_api_key")"), std::string::npos) << missing->body;
    EXPECT_EQ(missing->headers.back().first, std::string_view("WWW-Authenticate"));
    EXPECT_EQ(missing->headers.back().second, "Bearer");
}

TEST(BridgeGuard, ARefusalHasTheFormOfTheApi) {
    const HeaderList evil{{"Host", "evil"}};
    EXPECT_EQ(
        answer_bridged(kBridge, "POST", "/api/chat", evil)->body.rfind(R"({"error":"Host: 'evil' is no name of)", 0),
        0u);
    EXPECT_EQ(answer_bridged(kBridge, "POST", "/v1/messages", evil)
                  ->body.rfind(R"({"type":"error","error":{"type":"permission_error","message":"Host: 'evil')", 0),
              0u);
    EXPECT_EQ(
        answer_bridged(kBridge, "POST", "/v1/models", evil)->body.rfind(R"({"error":{"message":"Host: 'evil')", 0), 0u);
    const Reply full = refuse_in_form("/api/chat", 429, base::fail(base::ErrorCode::QueueFull, "full"));
    EXPECT_EQ(full.status, 429u);
    EXPECT_EQ(full.body, R"({"error":"full"})");
}

}  // namespace
}  // namespace llmd::http
