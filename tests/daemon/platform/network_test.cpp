#include "platform/network.h"

#include <gtest/gtest.h>

namespace llmd::platform {
namespace {

Network network(Metered metered, std::optional<bool> modem, bool roaming = false) {
    return {.metered = metered, .modem = modem, .roaming = roaming, .connected = true, .connection = "/1"};
}

TEST(Costs, WhatIsMeteredCostsWhateverItIs) {
    for (const std::optional<bool> modem : {std::optional<bool>(), std::optional(false), std::optional(true)}) {
        EXPECT_TRUE(costs(network(Metered::Yes, modem)));
        EXPECT_FALSE(costs(network(Metered::No, modem)));
    }
}

TEST(Costs, TheUnknownCostsOnAModemOnly) {
    EXPECT_TRUE(costs(network(Metered::Unknown, true)));
    EXPECT_FALSE(costs(network(Metered::Unknown, false)));
    EXPECT_FALSE(costs(network(Metered::Unknown, std::nullopt)));
}

TEST(Costs, RoamingCostsUnlessTheModemIsNotInUse) {
    EXPECT_TRUE(costs(network(Metered::No, true, true))) << "what was said of the connection was said at home";
    EXPECT_TRUE(costs(network(Metered::Unknown, std::nullopt, true))) << "nobody tells what is in use";
    EXPECT_FALSE(costs(network(Metered::No, false, true)));
    EXPECT_FALSE(costs(network(Metered::Unknown, false, true)));
}

}  // namespace
}  // namespace llmd::platform
