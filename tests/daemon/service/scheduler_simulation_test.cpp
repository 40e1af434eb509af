// The scheduler's promises over thousands of random arrivals, each checked after every step by a model of its own:
// nobody waits for ever, nobody overtakes inside a class and client, no slot stays empty while somebody could use it,
// applications of a class get the same within a constant, however many clients they have and answers they want,
// whatever entered ends exactly once, and all of that with fewer engines than models, and beside a remote.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "service/scheduler.h"

namespace llmd::service {
namespace {

constexpr std::chrono::milliseconds kStep{100};  // of the device: a token for each that runs
constexpr uint32_t kMaxText = 300;
constexpr uint32_t kMaxPrompt = 400;
constexpr uint32_t kLoadSteps = 30;  // until an engine computes

class Simulation {
public:
    struct Request {
        std::string share;
        std::string client;
        Priority priority{};
        std::string model;
        uint32_t n_prompt = 0;  // to read
        uint32_t n_left = 0;    // to make
        bool runs = false;
        bool blocked = false;
        bool was_stopped = false;
        base::Clock::duration class_had_waited{};  // when it was last given a slot
        uint32_t n_since_start = 0;                // generated in that slot
        bool waits() const { return !runs && !blocked; }
    };

    // Each of `n_engines` engines has `n_slots`, and so have all together. One more is a remote's, if its model is
    // given.
    Simulation(uint32_t seed, uint32_t n_slots, std::vector<std::string> models = {"a"}, size_t n_engines = 1,
               const std::string& remote = "")
        : n_slots_(n_slots),
          n_engines_(n_engines + (remote.empty() ? 0 : 1)),
          models_(std::move(models)),
          chance_(seed) {
        if (!remote.empty()) engines_.push_back({remote, n_slots, std::nullopt, false, true});
    }

    uint32_t draw(uint32_t least, uint32_t most) { return std::uniform_int_distribution(least, most)(chance_); }
    bool happens(double probability) { return std::bernoulli_distribution(probability)(chance_); }

    // A call of `n` answers from one of the application's clients, any of three or this one. False when the limits
    // refuse it.
    bool arrive(const std::string& share, Priority priority, uint32_t n = 1) {
        return arrive(share, share + ", client " + std::to_string(draw(1, 3)), priority, n);
    }
    bool arrive(const std::string& share, const std::string& client, Priority priority, uint32_t n) {
        const std::string& model = models_[draw(0, static_cast<uint32_t>(models_.size()) - 1)];
        std::vector<Ticket> call;
        for (uint32_t i = 1; i <= n; ++i) {
            call.push_back({.id = last_id_ + i,
                            .call = last_id_ + 1,
                            .caller = {.sandboxed = false, .application = {}, .share = share, .name = client},
                            .model_path = model,
                            .priority = priority,
                            .max_tokens = kMaxText});
        }
        if (!scheduler_.admit(std::move(call))) return false;
        while (n-- > 0) {
            Request& request = requests_[++last_id_];
            request.share = share;
            request.client = client;
            request.priority = priority;
            request.model = model;
            request.n_prompt = draw(1, kMaxPrompt);
            request.n_left = draw(1, kMaxText);
        }
        is_due_ = true;
        return true;
    }
    void end(RequestId id) {
        ASSERT_EQ(requests_.erase(id), 1u);
        scheduler_.remove(id);
        ++n_ended_;
        is_due_ = true;
    }
    void set_blocked(RequestId id, bool blocked) {
        scheduler_.set_blocked(id, blocked);
        requests_.at(id).blocked = blocked;
        is_due_ = true;
    }
    void set_priority(RequestId id, Priority priority) {
        scheduler_.set_priority(id, priority);
        requests_.at(id).priority = priority;
        is_due_ = true;
    }
    RequestId any() {
        auto it = requests_.begin();
        std::advance(it, draw(0, static_cast<uint32_t>(requests_.size()) - 1));
        return it->first;
    }

    void step() {
        // Planned again while engines are asked to yield, end and are started because of it.
        for (int i = 0; is_due_ && i < 5; ++i) plan();
        now_ += kStep;
        for (auto& [model, n_steps] : loading_) {
            if (n_steps == 0 || --n_steps > 0) continue;
            engine_of(model)->n_slots = n_slots_;
            is_due_ = true;
        }
        std::vector<RequestId> done;
        for (auto& [id, request] : requests_) {
            if (!request.runs) continue;
            scheduler_.add_prefilled(id, request.n_prompt);
            is_due_ = scheduler_.add_generated(id, 1) || is_due_;
            const uint32_t n_served = std::exchange(request.n_prompt, 0) / kPromptTokensPerToken + 1;
            served_[request.share] += n_served;
            served_[request.client] += n_served;
            ++request.n_since_start;
            if (--request.n_left == 0) done.push_back(id);
        }
        for (const RequestId id : done) end(id);
    }

    const std::map<RequestId, Request>& requests() const { return requests_; }
    std::map<std::string, uint64_t>& served() { return served_; }  // tokens by share, and by client
    RequestId n_arrived() const { return last_id_; }
    uint64_t n_ended() const { return n_ended_; }
    uint64_t n_resumed() const { return n_resumed_; }
    uint64_t n_turns() const { return n_turns_; }
    uint64_t n_loads() const { return n_loads_; }

private:
    void plan() {
        is_due_ = false;
        for (const auto& [id, request] : requests_) {
            if (request.runs) waits_since_.erase({request.priority, request.model});
        }
        const auto changes = scheduler_.plan(engines_, n_slots_, now_);
        for (const RequestId id : changes.stops) {
            ASSERT_TRUE(std::exchange(requests_.at(id).runs, false)) << id << " did not run";
            requests_.at(id).was_stopped = true;
        }
        for (const RequestId id : changes.starts) {
            Request& request = requests_.at(id);
            ASSERT_FALSE(std::exchange(request.runs, true)) << id << " runs already";
            n_resumed_ += request.was_stopped ? 1 : 0;
            const auto since = waits_since_.find({request.priority, request.model});
            request.class_had_waited = now_ - (since == waits_since_.end() ? now_ : since->second);
            request.n_since_start = 0;
        }
        check_slots(changes);
        check_order(changes);
        check_classes();
        check_hunger();
        make_room(changes.wants);
    }

    EngineSlots* engine_of(const std::string& model) {
        const auto found = std::find_if(engines_.begin(), engines_.end(),
                                        [&](const EngineSlots& engine) { return engine.model == model; });
        return found == engines_.end() ? nullptr : &*found;
    }

    static bool yields(const EngineSlots& engine) { return engine.yields_to || engine.yields_to_all; }

    // As simply as a pool of engines could.
    void make_room(const std::optional<Scheduler::Wanted>& wants) {
        const auto before = engines_;
        for (EngineSlots& engine : engines_) {
            engine.yields_to.reset();
            engine.yields_to_all = false;
        }
        const bool loads = std::any_of(engines_.begin(), engines_.end(),
                                       [](const EngineSlots& engine) { return engine.n_slots == 0; });
        if (wants && !loads) {
            const auto idle = std::find_if(engines_.begin(), engines_.end(), [this](const EngineSlots& engine) {
                return !engine.is_remote && !scheduler_.highest_running(engine.model);
            });
            const auto lower = std::find_if(engines_.begin(), engines_.end(), [&](const EngineSlots& engine) {
                const bool is_lower = scheduler_.highest_running(engine.model) >= wants->priority;
                return !engine.is_remote && (wants->has_starved || is_lower);
            });
            if (engines_.size() == n_engines_ && idle != engines_.end()) engines_.erase(idle);
            if (engines_.size() < n_engines_) {
                engines_.push_back({wants->model});
                loading_[wants->model] = kLoadSteps;
                ++n_loads_;
            } else if (lower != engines_.end()) {
                lower->yields_to = wants->priority;
                lower->yields_to_all = wants->has_starved;
            }
        }
        const auto alike = [](const EngineSlots& one, const EngineSlots& other) {
            return one.model == other.model && one.yields_to == other.yields_to &&
                   one.yields_to_all == other.yields_to_all;
        };
        is_due_ = is_due_ || !std::equal(before.begin(), before.end(), engines_.begin(), engines_.end(), alike);
    }

    void check_slots(const Scheduler::Changes& changes) {
        uint32_t n_running = 0;
        uint32_t n_away = 0;
        for (const auto& [id, request] : requests_) {
            ASSERT_FALSE(request.runs && request.blocked) << id;
            ASSERT_FALSE(request.runs && engine_of(request.model) == nullptr) << id;
            if (request.runs) ++(engine_of(request.model)->is_remote ? n_away : n_running);
            ASSERT_TRUE(!request.waits() || engine_of(request.model) != nullptr || changes.wants) << id;
        }
        ASSERT_LE(n_running, n_slots_);
        ASSERT_EQ(n_running + n_away, scheduler_.n_running());
        for (const EngineSlots& engine : engines_) {
            uint32_t n_here = 0;
            bool waits = false;
            for (const auto& [id, request] : requests_) {
                if (request.model != engine.model) continue;
                n_here += request.runs ? 1 : 0;
                waits = waits || request.waits();
            }
            ASSERT_LE(n_here, engine.n_slots);
            const bool is_full = n_here == engine.n_slots || (!engine.is_remote && n_running == n_slots_);
            ASSERT_TRUE(is_full || !waits || yields(engine)) << "a slot is empty while somebody waits";
        }
    }

    void check_order(const Scheduler::Changes& changes) {
        for (const RequestId id : changes.starts) {
            const Request& started = requests_.at(id);
            for (const auto& [other, older] : requests_) {
                const bool alike = older.client == started.client && older.priority == started.priority &&
                                   older.model == started.model;
                ASSERT_FALSE(other < id && alike && older.waits()) << id << " overtook " << other;
            }
        }
    }

    // A lower class runs on an engine beside waiting ones of a higher class only for its turn.
    void check_classes() {
        RequestId ahead = 0;
        for (const auto& [id, request] : requests_) {
            const bool others_wait =
                std::any_of(requests_.begin(), requests_.end(), [&mine = request](const auto& other) {
                    return other.second.waits() && other.second.priority < mine.priority &&
                           other.second.model == mine.model;
                });
            if (!request.runs || !others_wait || yields(*engine_of(request.model))) continue;
            ASSERT_EQ(ahead, 0u) << ahead << " and " << id << " run while a higher class waits";
            ahead = id;
            ASSERT_GE(request.class_had_waited, kStarvationTimeout) << id;
            ASSERT_LT(request.n_since_start, kTurnTokens) << id;
            n_turns_ += request.n_since_start == 0 ? 1 : 0;
        }
    }

    void check_hunger() {
        // Plans come every kReviewTokens, and all others, each a class and a model, may have their turns before, for
        // which another model may have to be loaded behind one that is loading.
        const auto n_others = static_cast<uint32_t>(3 * std::set(models_.begin(), models_.end()).size() - 1);
        const uint32_t n_loading = n_engines_ < models_.size() ? 2 * kLoadSteps + kReviewTokens : 0;
        const auto most = kStarvationTimeout + kStep * (2 * kReviewTokens + n_others * (kTurnTokens + n_loading));
        for (const auto& [id, request] : requests_) {
            const std::pair which(request.priority, request.model);
            bool waits = false;
            bool runs = false;
            for (const auto& [other, alike] : requests_) {
                if (which != std::pair(alike.priority, alike.model)) continue;
                waits = waits || alike.waits();
                runs = runs || alike.runs;
            }
            const EngineSlots* engine = engine_of(request.model);
            // Who comes makes a plan due, so that a class is seen to wait from the beginning.
            const bool loads = engine != nullptr && engine->n_slots == 0;
            if (!waits || runs) {
                waits_since_.erase(which);
            } else if (!loads || waits_since_.contains(which)) {
                const base::TimePoint since = waits_since_.try_emplace(which, now_).first->second;
                ASSERT_LE(now_ - since, most) << priority_name(request.priority) << " starves for " << request.model;
            }
        }
        std::erase_if(waits_since_, [this](const auto& one) {
            return std::none_of(requests_.begin(), requests_.end(), [&](const auto& request) {
                return one.first == std::pair(request.second.priority, request.second.model);
            });
        });
    }

    Scheduler scheduler_;
    const uint32_t n_slots_;
    const size_t n_engines_;
    const std::vector<std::string> models_;
    std::mt19937 chance_;
    std::vector<EngineSlots> engines_;
    std::map<std::string, uint32_t> loading_;  // steps left
    bool is_due_ = false;
    std::map<RequestId, Request> requests_;
    std::map<std::string, uint64_t> served_;
    std::map<std::pair<Priority, std::string>, base::TimePoint> waits_since_;
    RequestId last_id_ = 0;
    uint64_t n_ended_ = 0;
    uint64_t n_resumed_ = 0;
    uint64_t n_turns_ = 0;
    uint64_t n_loads_ = 0;
    base::TimePoint now_{};
};

uint32_t random_seed() {
    const char* given = std::getenv("LLMD_TEST_SEED");  // of a failure that is looked into
    const uint32_t seed = given != nullptr ? static_cast<uint32_t>(std::stoul(given)) : std::random_device()();
    testing::Test::RecordProperty("seed", std::to_string(seed));
    return seed;
}

std::string application(uint32_t number) {
    return "application " + std::to_string(number);
}

// Everything that can happen to requests, `n_steps` long; then they are left alone until all have ended.
void live(Simulation& simulation, uint32_t n_steps, double arrivals_per_step) {
    for (uint32_t i = 0; i < n_steps; ++i) {
        if (simulation.happens(arrivals_per_step)) {
            simulation.arrive(application(simulation.draw(1, 7)), static_cast<Priority>(simulation.draw(0, 2)),
                              simulation.happens(0.1) ? simulation.draw(2, 4) : 1);
        }
        if (!simulation.requests().empty()) {
            const RequestId id = simulation.any();
            if (simulation.happens(0.002)) {
                simulation.end(id);
            } else if (simulation.happens(0.01)) {
                simulation.set_blocked(id, !simulation.requests().at(id).blocked);
            } else if (simulation.happens(0.002)) {
                simulation.set_priority(id, static_cast<Priority>(simulation.draw(0, 2)));
            }
        }
        simulation.step();
        if (testing::Test::HasFatalFailure()) return;
    }
    for (RequestId id = 1; id <= simulation.n_arrived(); ++id) {
        if (simulation.requests().contains(id)) simulation.set_blocked(id, false);
    }
    // One at a time, with all of its turns and a load for each, would take so long.
    const uint64_t most = simulation.requests().size() * kMaxText * (1 + kLoadSteps / kTurnTokens + 1);
    for (uint64_t i = 0; i < most && !simulation.requests().empty(); ++i) {
        simulation.step();
        if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_TRUE(simulation.requests().empty()) << simulation.requests().size() << " requests never ended";
    EXPECT_EQ(simulation.n_ended(), simulation.n_arrived());
}

class SchedulerSimulation : public testing::TestWithParam<uint32_t> {};

TEST_P(SchedulerSimulation, KeepsItsPromisesUnderLoad) {
    const uint32_t n_slots = GetParam();
    const uint32_t seed = random_seed();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Simulation simulation(seed, n_slots);
    live(simulation, 40'000, 0.03 * n_slots);  // several times what the slots can do
    EXPECT_GT(simulation.n_arrived(), 100u);
    EXPECT_GT(simulation.n_resumed(), 20u);
    EXPECT_TRUE(simulation.n_turns() > 0 || n_slots > 1);  // with more slots no class is shut out for so long
}

TEST_P(SchedulerSimulation, KeepsItsPromisesWithPlacesToSpare) {
    const uint32_t seed = random_seed();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Simulation simulation(seed, GetParam());
    live(simulation, 40'000, 0.004 * GetParam());
}

TEST_P(SchedulerSimulation, KeepsItsPromisesWithMoreModelsThanEngines) {
    for (const size_t n_engines : {1, 2}) {
        const uint32_t seed = random_seed();
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << n_engines << " engines");
        Simulation simulation(seed, GetParam(), {"a", "a", "b", "c"}, n_engines);
        live(simulation, 40'000, 0.006 * GetParam());
        if (HasFatalFailure()) return;
        EXPECT_GT(simulation.n_arrived(), 100u);
    }
}

TEST_P(SchedulerSimulation, KeepsItsPromisesWithAnEngineAModel) {
    const uint32_t seed = random_seed();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Simulation simulation(seed, GetParam(), {"a", "b"}, 2);
    live(simulation, 40'000, 0.02 * GetParam());
    EXPECT_EQ(simulation.n_loads(), 2u) << "nobody has to go";
}

TEST_P(SchedulerSimulation, KeepsItsPromisesBesideARemote) {
    const uint32_t seed = random_seed();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Simulation simulation(seed, GetParam(), {"a", "b", "c", "r@home"}, 2, "r@home");
    live(simulation, 40'000, 0.01 * GetParam());
    EXPECT_GT(simulation.n_arrived(), 100u);
}

// Two applications that always wait, of which one has calls of several answers, among others that come and go and a
// class above that takes the slots now and then.
TEST_P(SchedulerSimulation, ApplicationsOfAClassGetTheSame) {
    const uint32_t n_slots = GetParam();
    const uint32_t seed = random_seed();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Simulation simulation(seed, n_slots);
    const std::string one = application(1);
    const std::string two = application(2);
    for (uint32_t i = 0; i < 20'000; ++i) {
        while (simulation.arrive(one, Priority::Normal)) {
        }
        while (simulation.arrive(two, Priority::Normal, 3)) {
        }
        if (simulation.happens(0.002)) simulation.arrive(application(simulation.draw(3, 5)), Priority::Normal);
        if (simulation.happens(0.002)) simulation.arrive(application(6), Priority::Interactive);
        simulation.step();
        if (HasFatalFailure()) return;
        const auto served_one = static_cast<int64_t>(simulation.served()[one]);
        const auto served_two = static_cast<int64_t>(simulation.served()[two]);
        // The bound is the worth of each slot, once more for its exchange; then the tokens that each may have got
        // before a plan saw it.
        const int64_t most = kFairTokens * (n_slots + 1) + kReviewTokens + n_slots * kMaxPrompt / kPromptTokensPerToken;
        ASSERT_LE(std::abs(served_one - served_two), most) << "after " << i << " steps";
    }
    EXPECT_GT(simulation.served()[one], 1'000u);
}

// Two clients of an application that always wait, beside another application that does.
TEST_P(SchedulerSimulation, ClientsOfAnApplicationGetTheSame) {
    const uint32_t n_slots = GetParam();
    const uint32_t seed = random_seed();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Simulation simulation(seed, n_slots);
    const std::string both = application(1);
    for (uint32_t i = 0; i < 20'000; ++i) {
        while (simulation.arrive(both, "one", Priority::Normal, 3)) {
        }
        while (simulation.arrive(both, "two", Priority::Normal, 1)) {
        }
        if (i % 3 == 0) simulation.arrive(application(2), Priority::Normal);
        if (simulation.happens(0.002)) simulation.arrive(application(3), Priority::Interactive);
        simulation.step();
        if (HasFatalFailure()) return;
        const auto served_one = static_cast<int64_t>(simulation.served()["one"]);
        const auto served_two = static_cast<int64_t>(simulation.served()["two"]);
        // As among applications, and a client may have to wait until another application has had its turn.
        const int64_t most =
            2 * kFairTokens * (n_slots + 1) + kReviewTokens + n_slots * kMaxPrompt / kPromptTokensPerToken;
        ASSERT_LE(std::abs(served_one - served_two), most) << "after " << i << " steps";
    }
    EXPECT_GT(simulation.served()["one"], 1'000u);
    EXPECT_GT(simulation.served()[application(2)], 1'000u);
}

INSTANTIATE_TEST_SUITE_P(Places, SchedulerSimulation, testing::Values(1u, 2u, 3u, 4u));

}  // namespace
}  // namespace llmd::service
