#include "http/metrics.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

namespace llmd::http {
namespace {

// Every line is a comment or a sample, as Prometheus 0.0.4 has them, and every sample has been described.
TEST(Metrics, AreWellFormed) {
    service::Status status;
    status.model = "quote \" backslash \\ line\nbreak";
    status.queued = 3;
    status.queue_ms.add(20);
    std::istringstream page(metrics(status, "1.2.3"));
    const std::regex sample(R"re((llmd_[a-z_]+)(\{[a-z]+="([^"\\]|\\.)*"(,[a-z]+="([^"\\]|\\.)*")*\})? [0-9.e+-]+)re");
    const std::regex comment(R"(# (HELP|TYPE) (llmd_[a-z_]+) .+)");
    std::string described;
    for (std::string line; std::getline(page, line);) {
        std::smatch match;
        if (std::regex_match(line, match, comment)) {
            described = match[2];
        } else {
            ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
            EXPECT_EQ(match[1].str().rfind(described, 0), 0u) << line;
        }
    }
    const std::string text = metrics(status, "1.2.3");
    EXPECT_NE(text.find("\nllmd_requests_queued 3\n"), std::string::npos);
    EXPECT_NE(text.find("\nllmd_queue_seconds_count 1\n"), std::string::npos);
    EXPECT_NE(text.find("\nllmd_queue_seconds_sum 0.02\n"), std::string::npos);
    EXPECT_NE(text.find(R"(model="quote \" backslash \\ line\nbreak")"), std::string::npos);
}

}  // namespace
}  // namespace llmd::http
