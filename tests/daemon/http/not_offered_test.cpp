// Routes that llmd does not offer are refused by their name, in the form of their API, and for good.
#include "http/not_offered.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace llmd::http {
namespace {

// Statuses that OpenAI's and Anthropic's clients do not try again.
bool is_final(unsigned status) {
    return status >= 400 && status < 500 && status != 408 && status != 409 && status != 429;
}

TEST(NotOffered, RoutesAreRefusedByNameAndNeverTriedAgain) {
    for (const char* path :
         {"/v1/audio/speech", "/v1/audio/transcriptions", "/v1/images/generations", "/v1/moderations", "/v1/files",
          "/v1/files/file-1/content", "/v1/batches", "/v1/fine_tuning/jobs", "/v1/assistants", "/v1/threads/t/runs",
          "/v1/vector_stores", "/v1/realtime", "/v1/realtime/sessions", "/v1/responses/resp_1", "/images/edits",
          "/v1/rerank", "/infill", "/slots/0"}) {
        const auto reply = refuse_not_offered(path);
        ASSERT_TRUE(reply) << path;
        EXPECT_EQ(reply->status, 404u) << path;
        EXPECT_EQ(reply->body.rfind(base::concat(R"({"error":{"message":")", path, " is not offered: llmd "), 0), 0u)
            << reply->body;
        const auto says_so = [](const auto& header) {
            return std::string(header.first) == "x-should-retry" && header.second == "false";
        };
        EXPECT_TRUE(std::any_of(reply->headers.begin(), reply->headers.end(), says_so)) << path;
    }
    for (const char* path : {"/api/create", "/api/push", "/api/blobs/sha256:0", "/api/web_search"}) {
        const auto reply = refuse_not_offered(path);
        ASSERT_TRUE(reply) << path;
        EXPECT_TRUE(is_final(reply->status)) << path;
        EXPECT_EQ(reply->body.rfind(R"({"error":")", 0), 0u) << reply->body;
    }
    const auto batches = refuse_not_offered("/v1/messages/batches");
    ASSERT_TRUE(batches);
    EXPECT_EQ(batches->body.rfind(R"({"type":"error","error":{"type":"not_found_error")", 0), 0u) << batches->body;
}

TEST(NotOffered, OtherPathsAreNotMeant) {
    for (const char* path : {"/", "/v1", "/v1/audiobooks", "/audio2", "/v1/chat", "/v2/audio", "/api/pushes", "/api"}) {
        EXPECT_FALSE(refuse_not_offered(path)) << path;
    }
}

}  // namespace
}  // namespace llmd::http
