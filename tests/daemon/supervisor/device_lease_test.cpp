// Engines take turns on a device: never two at once, nobody for ever, and one alone is left in peace.
#include "supervisor/device_lease.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

namespace llmd::supervisor {
namespace {

using protocol::Priority;
using std::chrono::milliseconds;
using Changes = std::vector<DeviceLease::Change>;

class DeviceLeaseTest : public testing::Test {
protected:
    Changes changes() {
        const auto review = lease_.review(now_);
        next_due_ = review.next_due;
        return review.changes;
    }
    // Engine 1 computes, engine 2 has joined and given back what it believed to have.
    void two_engines() {
        lease_.join(1);
        lease_.set_work(1, Priority::Normal);
        EXPECT_EQ(changes(), Changes{});
        lease_.join(2);
        EXPECT_EQ(changes(), (Changes{{2, false}}));
        lease_.release(2);
        EXPECT_EQ(changes(), Changes{});
    }

    DeviceLease lease_;
    base::TimePoint now_{};
    std::optional<base::TimePoint> next_due_;
};

TEST_F(DeviceLeaseTest, OneWithWorkKeepsTheLease) {
    two_engines();
    now_ += std::chrono::hours(1);
    EXPECT_EQ(changes(), Changes{});
    EXPECT_EQ(next_due_, std::nullopt) << "nobody waits";
    lease_.set_work(1, std::nullopt);
    EXPECT_EQ(changes(), Changes{}) << "nor does anybody now";
    lease_.release(1);
    EXPECT_EQ(lease_.holder(), 1u);
}

TEST_F(DeviceLeaseTest, TwoWithWorkTakeTurns) {
    two_engines();
    lease_.set_work(2, Priority::Normal);
    EXPECT_EQ(changes(), Changes{});
    EXPECT_EQ(next_due_, now_ + kLeaseTurn);
    now_ += kLeaseTurn - milliseconds(1);
    EXPECT_EQ(changes(), Changes{});
    now_ += milliseconds(1);
    EXPECT_EQ(changes(), (Changes{{1, false}}));
    EXPECT_EQ(next_due_, std::nullopt) << "until it has given it back";
    now_ += milliseconds(40);
    EXPECT_EQ(changes(), Changes{}) << "its step goes on";
    lease_.release(1);
    EXPECT_EQ(changes(), (Changes{{2, true}}));
    EXPECT_EQ(next_due_, now_ + kLeaseTurn);
    lease_.set_work(2, std::nullopt);
    EXPECT_EQ(changes(), (Changes{{2, false}})) << "at once: it has nothing to do";
    lease_.release(2);
    EXPECT_EQ(changes(), (Changes{{1, true}}));
}

TEST_F(DeviceLeaseTest, AHigherClassComesAtOnceButNotTwiceInARound) {
    two_engines();
    lease_.set_work(1, Priority::Background);
    lease_.set_work(2, Priority::Interactive);
    EXPECT_EQ(changes(), (Changes{{1, false}}));
    lease_.release(1);
    EXPECT_EQ(changes(), (Changes{{2, true}}));
    lease_.set_work(2, std::nullopt);
    EXPECT_EQ(changes(), (Changes{{2, false}}));
    lease_.release(2);
    EXPECT_EQ(changes(), (Changes{{1, true}}));
    lease_.set_work(2, Priority::Interactive);
    EXPECT_EQ(changes(), Changes{}) << "it has had its turn";
    EXPECT_EQ(next_due_, now_ + kLeaseTurn);
}

TEST_F(DeviceLeaseTest, EachHasATurnInARoundWhateverItsClass) {
    two_engines();
    lease_.set_work(1, Priority::Background);
    lease_.set_work(2, Priority::Normal);
    lease_.join(3);
    lease_.set_work(3, Priority::Interactive);
    EXPECT_EQ(changes(), (Changes{{3, false}, {1, false}}));
    lease_.release(3);
    lease_.release(1);
    std::vector<DeviceLease::EngineId> holders;
    for (int i = 0; i < 9; ++i) {
        if (!changes().empty()) lease_.release(*lease_.holder());
        changes();
        holders.push_back(*lease_.holder());
        now_ += kLeaseTurn;
    }
    EXPECT_EQ(holders, (std::vector<DeviceLease::EngineId>{3, 2, 1, 3, 2, 1, 3, 2, 1}));
}

TEST_F(DeviceLeaseTest, WhoNeedsTheDeviceAloneIsNotInterrupted) {
    two_engines();
    lease_.set_alone(2, true);
    lease_.set_work(2, Priority::Normal);
    now_ += kLeaseTurn;
    EXPECT_EQ(changes(), (Changes{{1, false}}));
    lease_.release(1);
    EXPECT_EQ(changes(), (Changes{{2, true}}));
    lease_.set_work(1, Priority::Interactive);
    now_ += std::chrono::minutes(1);
    EXPECT_EQ(changes(), Changes{});
    EXPECT_EQ(next_due_, std::nullopt);
    lease_.set_alone(2, false);
    EXPECT_EQ(changes(), (Changes{{2, false}}));
}

TEST_F(DeviceLeaseTest, ADeadEngineHasNoLease) {
    two_engines();
    lease_.set_work(2, Priority::Normal);
    lease_.leave(1);
    EXPECT_EQ(changes(), (Changes{{2, true}}));
    lease_.join(3);
    lease_.set_work(3, Priority::Normal);
    EXPECT_EQ(changes(), (Changes{{3, false}}));
    lease_.release(3);
    now_ += kLeaseTurn;
    EXPECT_EQ(changes(), (Changes{{2, false}}));
    lease_.leave(2);
    EXPECT_EQ(changes(), (Changes{{3, true}})) << "it will not send LeaseReleased any more";
    lease_.leave(3);
    EXPECT_EQ(changes(), Changes{});
    EXPECT_EQ(lease_.holder(), std::nullopt);
}

TEST_F(DeviceLeaseTest, NobodyIsToldToComputeBeforeItHasGivenTheLeaseBack) {
    lease_.join(1);
    lease_.set_work(1, Priority::Normal);
    changes();
    lease_.join(2);
    lease_.set_work(2, Priority::Interactive);
    EXPECT_EQ(changes(), (Changes{{2, false}}));
    EXPECT_EQ(changes(), Changes{}) << "nor does anybody yield to it";
    lease_.set_work(1, std::nullopt);
    EXPECT_EQ(changes(), Changes{});
    lease_.release(2);
    EXPECT_EQ(changes(), (Changes{{1, false}}));
    lease_.release(2);
    EXPECT_EQ(changes(), Changes{}) << "who does not owe it gives nothing back";
    EXPECT_EQ(lease_.holder(), 1u);
    lease_.release(9);
    lease_.leave(9);
    lease_.set_work(9, Priority::Normal);
    lease_.set_alone(9, true);
    EXPECT_EQ(changes(), Changes{});
}

// Engines that come, go, load, get work and end it at random, and answer when their step ends.
TEST(DeviceLeaseSimulation, NeverTwoAndNeverNobody) {
    const char* given = std::getenv("LLMD_TEST_SEED");
    const uint32_t seed = given != nullptr ? static_cast<uint32_t>(std::stoul(given)) : std::random_device()();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 chance(seed);
    const auto draw = [&](uint32_t least, uint32_t most) { return std::uniform_int_distribution(least, most)(chance); };
    struct Engine {
        bool may_compute = true;
        uint32_t gives_back_in = 0;  // ms; 0: was not asked to
        bool works = false;
        bool alone = false;
        base::TimePoint waits_since{};
        bool has_waited = false;
    };
    constexpr uint32_t kStep = 30;       // ms, the longest of an engine
    constexpr uint32_t kLongLoad = 400;  // ms
    constexpr size_t kEngines = 4;
    DeviceLease lease;
    std::map<DeviceLease::EngineId, Engine> engines;
    std::map<DeviceLease::EngineId, uint32_t> loads;
    DeviceLease::EngineId last = 0;
    base::TimePoint now{};
    std::optional<base::TimePoint> due;
    uint32_t n_turns = 0;
    for (uint32_t ms = 0; ms < 200'000; ++ms, now += milliseconds(1)) {
        bool event = due && *due <= now;
        const bool joins = engines.size() < kEngines && draw(0, 500) == 0;
        for (auto it = engines.begin(); it != engines.end();) {
            auto& [id, engine] = *it;
            if (engine.gives_back_in > 0 && --engine.gives_back_in == 0) {
                lease.release(id);
                event = true;
            }
            if (draw(0, 200) == 0) {
                engine.works = !engine.works;
                lease.set_work(id, engine.works ? std::optional(static_cast<Priority>(draw(0, 2))) : std::nullopt);
                event = true;
            }
            if (!engine.alone && draw(0, 3000) == 0) {
                engine.alone = true;
                loads[id] = draw(1, kLongLoad);
                lease.set_alone(id, true);
                event = true;
            }
            if (engine.alone && engine.may_compute && engine.gives_back_in == 0 && --loads[id] == 0) {
                engine.alone = false;
                lease.set_alone(id, false);
                event = true;
            }
            if (draw(0, 5000) == 0) {
                lease.leave(id);
                it = engines.erase(it);
                event = true;
            } else {
                ++it;
            }
        }
        if (joins) {  // what it does is only known when it has been notified
            lease.join(++last);
            engines[last];
            event = true;
        }
        if (!event) continue;
        const auto review = lease.review(now);
        due = review.next_due;
        size_t n_workers = 0;
        for (const auto& [id, engine] : engines) n_workers += engine.works || engine.alone ? 1 : 0;
        for (const auto& change : review.changes) {
            Engine& engine = engines.at(change.engine);
            ASSERT_NE(engine.may_compute, change.held) << "it knows that";
            if (change.held) {
                ASSERT_EQ(engine.gives_back_in, 0u) << "its LeaseReleased is on its way";
                ++n_turns;
            } else {
                ASSERT_FALSE(engine.alone && engine.may_compute && lease.holder() == change.engine);
                const bool has_worked = lease.holder() == change.engine;
                const size_t n_others = n_workers - (engine.works || engine.alone ? 1 : 0);
                ASSERT_TRUE(!has_worked || n_others > 0) << "nobody else has work";
                engine.gives_back_in = has_worked ? draw(1, kStep) : 1;
            }
            engine.may_compute = change.held;
        }
        size_t n_computing = 0;
        for (auto& [id, engine] : engines) {
            const bool works = engine.works || engine.alone;
            const bool is_holder = lease.holder() == id;
            n_computing += works && (engine.may_compute || (is_holder && engine.gives_back_in > 0)) ? 1 : 0;
            ASSERT_TRUE(is_holder || !works || !engine.may_compute) << id << " computes without the lease";
            const bool waits = works && !engine.may_compute;
            if (waits && !engine.has_waited) engine.waits_since = now;
            engine.has_waited = waits;
            // Each other has two turns, a whole one and one that was cut short, each may have been a load.
            constexpr auto kMost = 2 * (kEngines - 1) * (kLeaseTurn + milliseconds(kLongLoad + 2 * kStep));
            ASSERT_TRUE(!waits || now - engine.waits_since <= kMost) << id << " starves";
        }
        ASSERT_LE(n_computing, 1u);
        ASSERT_TRUE(n_workers == 0 || lease.holder() ||
                    std::any_of(engines.begin(), engines.end(), [](const auto& e) { return e.second.gives_back_in; }))
            << "nobody computes though somebody has work";
    }
    EXPECT_GT(n_turns, 200u);
}

}  // namespace
}  // namespace llmd::supervisor
