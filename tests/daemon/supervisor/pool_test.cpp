// Who makes room for whom, case by case; then what holds for all residents whatever they are, and that models which do
// not fit side by side all come to serve.
#include "supervisor/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>

namespace llmd::supervisor {
namespace {

using protocol::Priority;

constexpr base::TimePoint kNow{std::chrono::hours(10)};

Resident idle(std::string model, uint64_t mib, uint32_t minutes_ago = 1) {
    Resident resident;
    resident.name = model;
    resident.model = std::move(model);
    resident.bytes = mib << 20;
    resident.last_use = kNow - std::chrono::minutes(minutes_ago);
    return resident;
}
Resident busy(std::string model, uint64_t mib, Priority priority) {
    Resident resident = idle(std::move(model), mib);
    resident.runs = priority;
    return resident;
}
WantedModel wanted(uint64_t mib, Priority priority = Priority::Normal, bool has_starved = false) {
    return {"new", "new", mib << 20, priority, has_starved};
}

// A step in words.
std::string step(const std::vector<Resident>& residents, const WantedModel& what, PoolLimits limits) {
    const Step next = next_step(residents, what, limits, kNow);
    if (const auto* evict = std::get_if<Evict>(&next)) return "evict " + evict->model;
    if (const auto* yield = std::get_if<Yield>(&next)) {
        constexpr std::array kNames = {"interactive", "normal", "background"};
        return yield->model + " yields to " + (yield->to_all ? "all" : kNames.at(static_cast<size_t>(yield->priority)));
    }
    if (const auto* wait = std::get_if<Wait>(&next)) return "wait: " + wait->reason;
    if (const auto* error = std::get_if<base::Error>(&next)) {
        EXPECT_EQ(error->code, base::ErrorCode::OutOfMemory);
        return "refuse: " + error->message;
    }
    return "load";
}
std::string step(const std::vector<Resident>& residents, const WantedModel& what, uint64_t budget_mib = 1000) {
    return step(residents, what, PoolLimits{budget_mib << 20, 0});
}

TEST(Pool, LoadsWhatFitsBesideTheOthers) {
    EXPECT_EQ(step({}, wanted(500)), "load");
    EXPECT_EQ(step({busy("a", 500, Priority::Interactive)}, wanted(500)), "load");
    EXPECT_EQ(step({}, wanted(5000)), "load") << "alone it may always try";
    EXPECT_EQ(step({idle("a", 10)}, wanted(10), {1000 << 20, 1}), "evict a") << "there is one place";
    EXPECT_EQ(step({idle("a", 10), idle("b", 10)}, wanted(10), {1000 << 20, 3}), "load");
}

TEST(Pool, OneLoadAtATime) {
    auto loading = idle("a", 10);
    loading.state = ResidentState::Loading;
    EXPECT_EQ(step({loading}, wanted(10)), "wait: a is being loaded");
    auto ending = idle("a", 600);
    ending.state = ResidentState::Ending;
    EXPECT_EQ(step({ending, idle("b", 100)}, wanted(600)), "wait: a is being unloaded") << "b may stay";
    EXPECT_EQ(step({ending}, wanted(300)), "load") << "it fits beside what is not free yet";
    EXPECT_EQ(step({idle("new", 10)}, wanted(10)), "wait: new has an engine already");
}

TEST(Pool, TheLeastRecentlyUsedIdleOneGoes) {
    EXPECT_EQ(step({idle("a", 400, 1), idle("b", 400, 5)}, wanted(400)), "evict b");
    EXPECT_EQ(step({busy("a", 400, Priority::Background), idle("b", 400, 1)}, wanted(400)), "evict b")
        << "before anybody loses a slot";
    EXPECT_EQ(step({idle("small", 100, 9), idle("large", 800, 5)}, wanted(800)), "evict large")
        << "the small one can stay";
    auto kept = idle("a", 400, 9);
    kept.kept_until = base::TimePoint::max();
    EXPECT_EQ(step({kept, idle("b", 400, 5)}, wanted(400)), "evict b") << "one that is asked to stay";
    EXPECT_EQ(step({kept}, wanted(700, Priority::Background)), "evict a") << "but no more than that";
    kept.kept_until = kNow;
    EXPECT_EQ(step({kept, idle("b", 400, 5)}, wanted(400)), "evict a") << "and over";
}

TEST(Pool, PinnedOnesGoLastAndNotForBackground) {
    auto pinned = idle("p", 600, 9);
    pinned.pinned = true;
    EXPECT_EQ(step({pinned, idle("b", 400)}, wanted(400, Priority::Background)), "evict b");
    EXPECT_EQ(step({pinned}, wanted(500, Priority::Normal)), "evict p");
    EXPECT_EQ(step({pinned}, wanted(500, Priority::Background)),
              "refuse: new needs 500 MiB, and does not fit beside pinned models, which do not make room for background "
              "requests");
    EXPECT_EQ(step({pinned}, wanted(5, Priority::Background, true), {1000 << 20, 1}).substr(0, 6), "refuse");
    auto going = idle("b", 400);
    going.state = ResidentState::Ending;
    EXPECT_EQ(step({pinned, going}, wanted(500, Priority::Background)).substr(0, 4), "wait")
        << "what there is will tell";
    pinned.state = ResidentState::Loading;
    EXPECT_EQ(step({pinned}, wanted(500, Priority::Background)).substr(0, 6), "refuse") << "waiting would not help";
}

TEST(Pool, BusyOnesYieldToTheirClassAndHigherOnes) {
    const auto a = busy("a", 600, Priority::Normal);
    EXPECT_EQ(step({a}, wanted(500, Priority::Interactive)), "a yields to interactive");
    EXPECT_EQ(step({a}, wanted(500, Priority::Normal)), "a yields to normal");
    EXPECT_EQ(step({a}, wanted(500, Priority::Background)),
              "wait: new needs 500 MiB, and what is loaded is in use at a higher priority");
    EXPECT_EQ(step({a}, wanted(500, Priority::Background, true)), "a yields to all");
    const auto b = busy("b", 400, Priority::Background);
    EXPECT_EQ(step({a, b}, wanted(400, Priority::Normal)), "b yields to normal") << "the lowest class first";
    EXPECT_EQ(step({a, idle("c", 400)}, wanted(1000, Priority::Normal)), "a yields to normal")
        << "what is idle stays until it helps";
    EXPECT_EQ(step({busy("a", 600, Priority::Interactive), idle("c", 400)}, wanted(1000)).substr(0, 4), "wait")
        << "and does not go for nothing";
    auto asked = idle("a", 600);
    asked.owes_answer = true;
    EXPECT_EQ(step({asked}, wanted(500, Priority::Background)), "a yields to background");
}

TEST(Pool, WhatHasServedNobodyYetIsNotSentAwayByItsOwnClass) {
    auto fresh = idle("a", 600);
    fresh.is_due_to = Priority::Normal;
    EXPECT_EQ(step({fresh}, wanted(500, Priority::Normal)).substr(0, 4), "wait");
    EXPECT_EQ(step({fresh}, wanted(500, Priority::Interactive)), "evict a");
    EXPECT_EQ(step({fresh}, wanted(500, Priority::Background, true)), "evict a");
}

TEST(Pool, WhatGoesWhenMemoryIsShort) {
    auto pinned = idle("pinned", 10, 60);
    pinned.pinned = true;
    auto kept = idle("kept", 10, 30);
    kept.kept_until = base::TimePoint::max();
    auto loading = idle("loading", 10);
    loading.state = ResidentState::Loading;
    auto asked = idle("asked", 10);
    asked.owes_answer = true;
    const std::vector<Resident> residents{
        pinned,  kept, busy("busy", 10, Priority::Background), idle("late", 10, 1), idle("early", 10, 5),
        loading, asked};
    EXPECT_EQ(eviction_order(residents, kNow), (std::vector<std::string>{"early", "late", "kept", "pinned"}));
}

class PoolProperties : public testing::Test {
protected:
    PoolProperties() {
        const char* given = std::getenv("LLMD_TEST_SEED");
        seed_ = given != nullptr ? static_cast<uint32_t>(std::stoul(given)) : std::random_device()();
        chance_.seed(seed_);
    }
    uint32_t draw(uint32_t least, uint32_t most) { return std::uniform_int_distribution(least, most)(chance_); }
    bool happens(double probability) { return std::bernoulli_distribution(probability)(chance_); }
    std::optional<Priority> class_or_none(double probability) {
        return happens(probability) ? std::optional(static_cast<Priority>(draw(0, 2))) : std::nullopt;
    }

    uint32_t seed_ = 0;
    std::mt19937 chance_;
};

TEST_F(PoolProperties, HoldForAllResidents) {
    SCOPED_TRACE(testing::Message() << "seed " << seed_);
    uint32_t n_of[5] = {};
    for (int i = 0; i < 20'000; ++i) {
        std::vector<Resident> residents;
        for (uint32_t n = draw(0, 5); n > 0; --n) {
            Resident resident = idle("m" + std::to_string(n), draw(1, 600), draw(0, 60));
            resident.state = happens(0.9) ? ResidentState::Ready : static_cast<ResidentState>(draw(0, 2));
            resident.pinned = happens(0.2);
            resident.kept_until = happens(0.2) ? base::TimePoint::max() : base::TimePoint{};
            resident.runs = class_or_none(0.5);
            if (!resident.runs) resident.is_due_to = class_or_none(0.1);
            resident.owes_answer = happens(0.1);
            residents.push_back(resident);
        }
        const auto what = wanted(draw(1, 1200), static_cast<Priority>(draw(0, 2)), happens(0.1));
        const PoolLimits limits{uint64_t{draw(100, 1500)} << 20, draw(0, 4)};
        uint64_t booked = what.bytes;
        for (const Resident& resident : residents) booked += resident.bytes;
        const auto of = [&](const std::string& model) {
            return *std::find_if(residents.begin(), residents.end(), [&](const auto& r) { return r.model == model; });
        };
        const bool in_motion = std::any_of(residents.begin(), residents.end(),
                                           [](const Resident& r) { return r.state != ResidentState::Ready; });

        const Step next = next_step(residents, what, limits, kNow);
        ++n_of[next.index()];
        if (std::holds_alternative<LoadIt>(next)) {
            ASSERT_TRUE(residents.empty() || booked <= limits.budget_bytes) << "more than the budget";
            ASSERT_TRUE(residents.empty() || limits.max_models == 0 || residents.size() < limits.max_models);
        } else if (const auto* evict = std::get_if<Evict>(&next)) {
            const Resident gone = of(evict->model);
            ASSERT_EQ(gone.state, ResidentState::Ready);
            ASSERT_FALSE(gone.runs || gone.owes_answer) << "it is busy";
            ASSERT_TRUE(!gone.is_due_to || what.has_starved || *gone.is_due_to > what.priority);
            ASSERT_FALSE(gone.pinned && what.priority == Priority::Background);
        } else if (const auto* yield = std::get_if<Yield>(&next)) {
            const Resident yields = of(yield->model);
            ASSERT_EQ(yields.state, ResidentState::Ready);
            ASSERT_TRUE(what.has_starved || !yields.runs || *yields.runs >= what.priority) << "to a lower class";
            ASSERT_EQ(yield->to_all, what.has_starved);
            ASSERT_FALSE(yields.pinned && what.priority == Priority::Background);
        } else if (std::holds_alternative<Wait>(next)) {
            // For what is in motion, or for somebody that goes before it.
            ASSERT_TRUE(in_motion || std::any_of(residents.begin(), residents.end(), [&](const Resident& r) {
                            return (r.runs && *r.runs < what.priority) ||
                                   (r.is_due_to && *r.is_due_to <= what.priority);
                        }));
            ASSERT_FALSE(what.has_starved && !in_motion);
        } else {
            ASSERT_EQ(what.priority, Priority::Background);
            ASSERT_TRUE(std::any_of(residents.begin(), residents.end(), [](const Resident& r) { return r.pinned; }));
        }
    }
    for (const uint32_t n : n_of) EXPECT_GT(n, 100u) << "each of the answers was seen";
}

// All that run end sometimes, and what yields is idle then: so many steps, and what is wanted is loaded.
TEST_F(PoolProperties, EachStepIsProgress) {
    SCOPED_TRACE(testing::Message() << "seed " << seed_);
    for (int i = 0; i < 2'000; ++i) {
        std::vector<Resident> residents;
        for (uint32_t n = draw(0, 6); n > 0; --n) {
            Resident resident = idle("m" + std::to_string(n), draw(1, 600), draw(0, 60));
            resident.pinned = happens(0.2);
            resident.runs = class_or_none(0.5);
            residents.push_back(resident);
        }
        const auto what = wanted(draw(1, 1200), static_cast<Priority>(draw(0, 1)));
        const PoolLimits limits{uint64_t{draw(100, 1500)} << 20, draw(0, 4)};
        bool is_loaded = false;
        size_t n_evicted = 0;
        for (size_t n_steps = 0; !is_loaded; ++n_steps) {
            ASSERT_LE(n_steps, 20u);
            const auto of = [&](const std::string& model) {
                return std::find_if(residents.begin(), residents.end(),
                                    [&](const auto& r) { return r.model == model; });
            };
            const Step next = next_step(residents, what, limits, kNow);
            is_loaded = std::holds_alternative<LoadIt>(next);
            if (const auto* evict = std::get_if<Evict>(&next)) {
                residents.erase(of(evict->model));
                ++n_evicted;
            }
            if (const auto* yield = std::get_if<Yield>(&next)) of(yield->model)->runs.reset();
            if (std::holds_alternative<Wait>(next)) {
                for (Resident& resident : residents) {
                    if (resident.runs && *resident.runs < what.priority) resident.runs.reset();
                }
            }
            ASSERT_FALSE(std::holds_alternative<base::Error>(next));
        }
        EXPECT_LE(n_evicted, 6u);
    }
}

}  // namespace
}  // namespace llmd::supervisor
