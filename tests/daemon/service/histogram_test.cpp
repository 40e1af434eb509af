#include "service/histogram.h"

#include <gtest/gtest.h>

namespace llmd::service {
namespace {

TEST(Histogram, QuantilesAreEndsOfBuckets) {
    Histogram histogram;
    EXPECT_EQ(histogram.quantile(0.5), 0);
    for (int i = 0; i < 94; ++i) histogram.add(3);
    for (int i = 0; i < 6; ++i) histogram.add(700);
    EXPECT_EQ(histogram.count(), 100u);
    EXPECT_EQ(histogram.sum(), 94 * 3 + 6 * 700);
    EXPECT_EQ(histogram.quantile(0.5), 5);
    EXPECT_EQ(histogram.quantile(0.94), 5);
    EXPECT_EQ(histogram.quantile(0.95), 1000);
}

TEST(Histogram, TakesWhatIsBeyondItsEnds) {
    Histogram histogram;
    histogram.add(0);
    EXPECT_EQ(histogram.quantile(0.5), 1);
    histogram.add(1e12);
    EXPECT_EQ(histogram.quantile(1), 5e6);
    Histogram exact;
    exact.add(20);
    EXPECT_EQ(exact.quantile(0.5), 20);
}

}  // namespace
}  // namespace llmd::service
