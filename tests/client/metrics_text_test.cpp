// The status that the metrics hold; what is not known, or cut short, is passed over.
#include "client/metrics_text.h"

#include <gtest/gtest.h>

namespace llmd::client {
namespace {

TEST(StatusFromMetrics, HasLabelsAndCountsUnderTheNamesOfTheBus) {
    const Dictionary status = status_from_metrics(
        "# HELP llmd_info What runs.\n# TYPE llmd_info gauge\n"
        "llmd_info{version=\"0.1.0\",state=\"ready\",device=\"a \\\"b\\\\\\n,c=}\"} 1\n"
        "llmd_requests_queued 3\nllmd_weights_bytes 7.1e+06\nllmd_queue_seconds{quantile=\"0.5\"} 0.25\n");
    EXPECT_EQ(text_of(status, "version"), "0.1.0");
    EXPECT_EQ(text_of(status, "state"), "ready");
    EXPECT_EQ(text_of(status, "device"), "a \"b\\\n,c=}");
    EXPECT_EQ(number_of(status, "queued"), 3u);
    EXPECT_EQ(number_of(status, "weight_bytes"), 7100000u);
    EXPECT_EQ(status.size(), 5u);
}

TEST(StatusFromMetrics, PassesOverWhatItCannotRead) {
    for (const char* text : {"", "\n", "llmd_requests_queued", "llmd_requests_queued x", "llmd_requests_queued -1",
                             "llmd_requests_queued 1e300", "llmd_requests_queued NaN", "other 1", "llmd_info{",
                             "llmd_info{state", "llmd_info{=\"", "llmd_info{=\"\\"}) {
        EXPECT_EQ(number_of(status_from_metrics(text), "queued"), 0u) << text;
        EXPECT_EQ(text_of(status_from_metrics(text), "state"), "") << text;
    }
}

}  // namespace
}  // namespace llmd::client
