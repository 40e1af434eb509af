// The rests between the steps of an engine that is to compute only a share of the time, so that the device stays cool
// or the battery lasts. A rest is held while the engine has the device's lease: what is left of one when the lease goes
// is held when it comes back. If time without the lease counted as rest, engines that alternate would together keep the
// device busy all the time, whatever their duty cycle. Not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "protocol/messages.h"

namespace llmd::engine {

// The longest rest between two steps, so that whoever waits for text still sees some.
inline constexpr std::chrono::milliseconds kMaxRest{2'000};

class DutyCycle {
public:
    using Now = std::function<std::chrono::steady_clock::time_point()>;

    explicit DutyCycle(Now now) : now_(std::move(now)) {}

    // 1 to protocol::kFullDutyCycle, which ends the rest.
    void set_percent(uint32_t percent) {
        percent_ = percent;
        if (is_full()) rests_until_ = {};
        if (is_full()) rest_left_ = {};
    }
    bool is_full() const { return percent_ == protocol::kFullDutyCycle; }
    // Returns the time that is left of the rest.
    std::chrono::milliseconds rest() const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(rests_until_ - now_());
        return std::max(left, std::chrono::milliseconds(0));
    }

    // Runs `step`, which computes, and sets the rest that follows it.
    template <typename Step>
    auto run(Step step) {
        const auto began = now_();
        auto result = step();
        const auto ended = now_();
        step_time_ = ended - began;
        if (!is_full()) {
            const auto rest = step_time_ * (protocol::kFullDutyCycle - percent_) / percent_;
            rests_until_ = std::max(rests_until_, ended + std::min<Duration>(rest, kMaxRest));
        }
        return result;
    }

    // How long the last step took.
    std::chrono::milliseconds step_time() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(step_time_);
    }

    // The lease goes, and comes back.
    void suspend() { rest_left_ = std::max(rests_until_ - now_(), Duration()); }
    void resume() { rests_until_ = now_() + std::exchange(rest_left_, {}); }

private:
    using Duration = std::chrono::steady_clock::duration;

    const Now now_;
    Duration step_time_{};
    uint32_t percent_ = protocol::kFullDutyCycle;
    std::chrono::steady_clock::time_point rests_until_{};
    Duration rest_left_{};  // of when the lease went
};

}  // namespace llmd::engine
