// Another program takes the memory for a while: whatever llmd has loaded, or loads, is killed until that program has
// ended. No text is lost or changed, whether the kernel says that memory is short or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "daemon/service/fake_pressure.h"
#include "daemon/service/service_fixture.h"
#include "service/governor.h"
#include "supervisor/engine_fault.h"

namespace llmd::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// This shows the shortage, beside the kills themselves.
enum class Sign { Pressure, CountOfKills, None };

struct Shortage {
    seconds time;
    Sign sign;
};

class ShortageTest : public ServiceTest, public testing::WithParamInterface<Shortage> {
protected:
    static constexpr milliseconds kStep{250};
    static constexpr milliseconds kWindow{2000};  // of the pressure's trigger: one stall at most in each
    static constexpr seconds kLimit{300};
    static constexpr int kRequests = 6;

    ShortageTest() {
        service_->on_status_changed([this] { governor_.review(); });
        settle();
    }
    ~ShortageTest() override { service_->on_status_changed(nullptr); }

    // Does all that has been sent to the engine: each request ends with its second token.
    void serve() {
        while (const auto message = engine().next()) {
            if (const auto* submit = std::get_if<protocol::Submit>(&*message)) {
                replayed_[submit->id] = submit->replay_ids;
                send(protocol::Accepted{submit->id, 3});
            } else if (const auto* start = std::get_if<protocol::Start>(&*message)) {
                if (replayed_[start->id].empty()) token(start->id, 1, "one ");
                if (!holds_back_) token(start->id, 2, "two");
                if (!holds_back_) finish(start->id);
            }
        }
    }
    void kill() {
        if (GetParam().sign == Sign::CountOfKills) ++*oom_kills_;
        die_of(SIGKILL);
        ++n_killed_;
    }
    bool has_engine() const { return n_engines() > n_killed_; }

    FakePressure pressure_;
    Governor governor_{loop_, *service_, {&pressure_, nullptr, nullptr, nullptr}, {}, [this] { return now_; }};
    std::map<RequestId, std::vector<int32_t>> replayed_;  // by an engine
    bool holds_back_ = true;                              // the second token
    size_t n_killed_ = 0;
};

TEST_P(ShortageTest, LosesNoText) {
    const auto [shortage, sign] = GetParam();
    RecordingSink sinks[kRequests];
    for (RecordingSink& sink : sinks) submit(sink);
    load_and_get_ready();
    serve();
    kill();
    milliseconds time{0};
    const auto is_over = [&] {
        return std::all_of(std::begin(sinks), std::end(sinks), [](auto& s) { return s.ended(); });
    };
    for (; time < kLimit && !is_over(); time += kStep) {
        const bool is_short = time < shortage;
        if (is_short && sign == Sign::Pressure && time % kWindow == milliseconds(0)) pressure_.stall();
        settle();
        governor_.review();
        pass_time(kStep);
        if (!has_engine()) continue;
        if (is_short) {
            // While it loads, or when it has just loaded.
            if (n_killed_ % 2 == 0) load_and_get_ready();
            kill();
        } else {
            holds_back_ = false;
            if (service_->status().state == State::Loading) load_and_get_ready();
            serve();
        }
    }
    for (RecordingSink& sink : sinks) {
        ASSERT_TRUE(sink.ended());
        EXPECT_EQ(sink.outcome().finish, Finish::Stop) << sink.error().message;
        EXPECT_EQ(sink.text, "one two");
    }
    EXPECT_GE(n_killed_, 2u) << "nothing was started during the shortage: this proves nothing";
    EXPECT_LT(n_killed_, supervisor::kMaxForeignKills);
}

INSTANTIATE_TEST_SUITE_P(, ShortageTest,
                         testing::Values(Shortage{seconds(3), Sign::Pressure}, Shortage{seconds(8), Sign::Pressure},
                                         Shortage{seconds(40), Sign::Pressure},
                                         Shortage{seconds(3), Sign::CountOfKills},
                                         Shortage{seconds(8), Sign::CountOfKills},
                                         Shortage{seconds(40), Sign::CountOfKills}, Shortage{seconds(3), Sign::None},
                                         Shortage{seconds(8), Sign::None}, Shortage{seconds(40), Sign::None}));

}  // namespace
}  // namespace llmd::service
