// The mean and the deviation that `llmctl bench` shows.
#include "client/figure.h"

#include <gtest/gtest.h>

namespace llmd::client {
namespace {

Figure figure_of(const std::vector<double>& values) {
    Figure figure;
    for (const double value : values) figure.add(value);
    return figure;
}

TEST(Figure, HasTheMeanAndTheDeviationOfASample) {
    const Figure figure = figure_of({2, 4, 4, 4, 5, 5, 7, 9});
    EXPECT_DOUBLE_EQ(figure.mean(), 5);
    EXPECT_DOUBLE_EQ(figure.deviation(), std::sqrt(32.0 / 7));  // not / 8, which is the whole population's
    EXPECT_EQ(figure.text(), "5.0 ± 2.1");
}

TEST(Figure, HasNoDeviationOfLessThanTwoValues) {
    EXPECT_EQ(figure_of({}).text(), "0.0 ± 0.0");
    EXPECT_EQ(figure_of({12.34}).text(), "12.3 ± 0.0");
}

TEST(Figure, IsAnObjectInJson) {
    base::JsonWriter json;
    figure_of({1, 3}).write(json);
    EXPECT_EQ(json.take().rfind("{\"mean\":2,\"deviation\":1.414", 0), 0u);
}

}  // namespace
}  // namespace llmd::client
