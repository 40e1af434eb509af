// An engine with a duty cycle rests between its steps, and handles commands meanwhile.
#include <gtest/gtest.h>

#include "served_engine.h"

namespace llmd::engine {
namespace {

using protocol::Message;
using test::submit;
using EngineServerPace = test::ServedEngine;

TEST_F(EngineServerPace, RestsBetweenStepsWithoutLosingAToken) {
    load();
    const auto iterations_of = [&](uint64_t id) {
        say(submit(id, "hello"));
        say(protocol::Start{id});
        std::vector<Message> all;
        int n_iterations = 0;
        for (; only<protocol::Finished>(all).empty() && !left_; ++n_iterations) {
            left_ = server_->run_once();
            const auto heard = hear();
            all.insert(all.end(), heard.begin(), heard.end());
        }
        size_t n_ids = 0;
        for (const auto& tokens : only<protocol::Tokens>(all)) n_ids += tokens.ids.size();
        EXPECT_EQ(n_ids, 10u);
        return n_iterations;
    };
    iterations_of(1);  // its prefill is tried out
    const int n_steps = iterations_of(2);
    say(protocol::SetPace{10});
    EXPECT_GE(iterations_of(3), 3 * n_steps);
    say(protocol::SetPace{100});
    EXPECT_EQ(iterations_of(4), n_steps);
}

TEST_F(EngineServerPace, ObeysWhileItRests) {
    load();
    say(protocol::SetPace{50});
    say(submit(1, "hello", 200));
    say(protocol::Start{1});
    tick_ = 2 * kMaxRest;
    left_ = server_->run_once();  // a step
    tick_ = {};
    hear();
    say(protocol::Tokenize{9, "x"});
    left_ = server_->run_once();
    EXPECT_EQ(only<protocol::Tokenized>(hear()).size(), 1u);
    say(protocol::Cancel{1});
    left_ = server_->run_once();
    EXPECT_TRUE(hear().empty()) << "no step was made";
}

TEST_F(EngineServerPace, APaceIsAShareOfTheTime) {
    for (const uint32_t percent : {0u, 101u}) {
        SetUp();
        left_.reset();
        say(protocol::SetPace{percent});
        left_ = server_->run_once();
        EXPECT_EQ(left_, EngineServer::Leave::Broken);
        EXPECT_EQ(server_->reason(),
                  "SetPace.duty_cycle_percent: " + std::to_string(percent) + " is not in the range 1 to 100");
    }
}

}  // namespace
}  // namespace llmd::engine
