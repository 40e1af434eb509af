#include "platform/policy.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace llmd::platform {
namespace {

using base::concat;
using base::ErrorCode;

constexpr MilliCelsius kDegree = 1000;

// By rung.
struct RungWords {
    std::string_view state;
    const char* sentence;
};
constexpr std::array kRungWords = {
    RungWords{"enough", "enough"},
    RungWords{"cache_dropped", "short, the cache has been dropped"},
    RungWords{"one_at_a_time", "short, one request runs at a time"},
    RungWords{"unloads_when_idle", "short, the model goes when nobody needs it"},
    RungWords{"refuses", "short, new requests are refused"},
};

std::string degrees(MilliCelsius temperature) {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f °C", static_cast<double>(temperature) / kDegree);
    return text;
}

std::string place_of(const NearestTrip& nearest) {
    return concat(nearest.zone, " is at ", degrees(nearest.temperature));
}

void add_pause(Directive& directive, const std::string& what) {
    std::string& paused = directive.words.paused;
    paused += (paused.empty() ? "" : "; ") + what;
}

void pause_all(Directive& directive, const std::string& why) {
    directive.max_slots = 0;
    add_pause(directive, "everything, because " + why);
}

void pause_background(Directive& directive, const std::string& why) {
    directive.run_background = false;
    add_pause(directive, "background requests, because " + why);
}

}  // namespace

base::TimePoint end_of(std::span<const KeepAlive> keep_alives, std::chrono::seconds idle_time) {
    auto end = base::TimePoint::min();
    for (const KeepAlive& one : keep_alives) {
        const bool is_endless = one.time && one.time->count() < 0;
        if (is_endless && !one.capped) return base::TimePoint::max();
        auto time = is_endless ? idle_time : one.time.value_or(idle_time);
        if (one.capped) time = std::min(time, idle_time);
        end = std::max(end, one.used + time);
    }
    return end;
}

void Policy::memory_stalled(base::TimePoint now) {
    if (rung_ != Rung::Refusing) rung_ = static_cast<Rung>(static_cast<uint8_t>(rung_) + 1);
    rung_since_ = now;
    cache_is_due_ = true;
}

Directive Policy::decide(const Conditions& conditions, base::TimePoint now) {
    Directive directive;
    review_at_.reset();
    // In the order in which the reasons are named.
    if (conditions.goes_to_sleep) apply_sleep(directive);
    apply_heat(conditions.heat, directive);
    apply_memory(conditions, now, directive);
    if (conditions.power) apply_power(*conditions.power, directive);
    apply_idleness(conditions, now, directive);
    if (!directive.run_background) directive.states.paused = "background";
    if (directive.max_slots == 1) directive.states.paused = "all_but_one";
    if (directive.max_slots == 0) directive.states.paused = "all";
    return directive;
}

void Policy::review(base::TimePoint when) {
    review_at_ = std::min(review_at_.value_or(when), when);
}

void Policy::apply_sleep(Directive& directive) {
    const std::string why = "the device is going to sleep";
    directive.suspended = true;
    directive.refuse_all = Refusal{ErrorCode::Suspended, why};
    directive.words.sleep = "going to sleep";
    directive.states.sleep = "going_to_sleep";
    pause_all(directive, why);
}

void Policy::apply_heat(const std::optional<HeatReading>& heat, Directive& directive) {
    const auto& passive = heat ? heat->passive : std::nullopt;
    const auto& hot = heat ? heat->hot : std::nullopt;
    paces_ = passive && passive->left() <= kHeatMargin + (paces_ ? kPacingHysteresis : 0);
    is_too_hot_ = hot && hot->left() <= kHeatMargin + (is_too_hot_ ? kPauseHysteresis : 0);
    directive.throttled = paces_ || is_too_hot_;
    if (is_too_hot_) pause_all(directive, place_of(*hot));
    if (paces_) {
        const auto excess = std::max<MilliCelsius>(kHeatMargin - passive->left(), 0);
        const auto less = static_cast<uint32_t>(excess) * kDutyCyclePerDegree / kDegree;
        directive.duty_cycle_percent = kFirstDutyCycle - std::min(less, kFirstDutyCycle - kLeastDutyCycle);
    }

    if (!passive && !hot) return;
    const NearestTrip& nearest = passive ? *passive : *hot;
    directive.states.heat = is_too_hot_ ? "paused" : paces_ ? "paced" : "fine";
    directive.states.nearest = nearest;
    directive.words.heat = concat(place_of(nearest), " of ", degrees(nearest.trip));
    if (paces_) directive.words.heat += concat(", computing ", directive.duty_cycle_percent, " % of the time");
}

void Policy::apply_memory(const Conditions& conditions, base::TimePoint now, Directive& directive) {
    while (rung_ != Rung::Enough && now - rung_since_ >= kMemoryCalm) {
        rung_ = static_cast<Rung>(static_cast<uint8_t>(rung_) - 1);
        rung_since_ += kMemoryCalm;
    }
    if (rung_ != Rung::Enough) review(rung_since_ + kMemoryCalm);
    directive.drop_cache = std::exchange(cache_is_due_, false);
    if (rung_ >= Rung::OneAtATime) {
        directive.max_slots = std::min(directive.max_slots, 1u);
        add_pause(directive, "all but one request, because memory is short");
    }
    directive.memory_is_short = rung_ != Rung::Enough;
    directive.unload = rung_ >= Rung::IdleUnloaded;
    if (rung_ == Rung::Refusing && !directive.refuse_all) {
        directive.refuse_all =
            Refusal{ErrorCode::OutOfMemory, "programs are waiting for memory: nothing new is taken until they do not"};
    }
    if (conditions.memory_is_watched) {
        const RungWords& words = kRungWords[static_cast<size_t>(rung_)];
        directive.states.memory = words.state;
        directive.words.memory = words.sentence;
    }
}

void Policy::apply_power(const Power& power, Directive& directive) {
    const bool on_battery = power.on_battery.value_or(false);
    const bool is_critical = on_battery && power.battery == Battery::Critical;
    const bool is_low = on_battery && power.battery != Battery::Fine;
    if (is_low || power.saves) {
        pause_background(directive, is_critical ? "the battery is nearly empty"
                                    : is_low    ? "the battery is low"
                                                : "the device saves power");
    }
    if (is_critical) {
        directive.unload = true;
        directive.refuse_background =
            Refusal{ErrorCode::Suspended, "the battery is nearly empty: no background requests are taken"};
    }
    if (power.on_battery) {
        directive.states.power = is_critical  ? "battery_critical"
                                 : is_low     ? "battery_low"
                                 : on_battery ? "battery"
                                              : "mains";
    }
    directive.states.saves_power = power.saves;
    std::string& words = directive.words.power;
    if (power.on_battery) words = on_battery ? "battery" : "mains";
    if (is_low) words += is_critical ? ", nearly empty" : ", low";
    if (power.saves) words += words.empty() ? "saving power" : ", saving power";
}

void Policy::apply_idleness(const Conditions& conditions, base::TimePoint now, Directive& directive) {
    const bool is_idle = !conditions.has_work;
    const auto keep = [now](std::optional<base::TimePoint>& since, bool holds) {
        if (!holds) since.reset();
        if (holds && !since) since = now;
    };
    keep(idle_since_, is_idle && conditions.has_engine);
    keep(empty_since_, is_idle && !conditions.has_engine && !conditions.has_requests);
    const bool on_battery = conditions.power && conditions.power->on_battery.value_or(false);
    directive.idle_time = on_battery ? idle_times_.unload_on_battery : idle_times_.unload_on_mains;
    if (idle_since_) {
        const auto end = conditions.keep_alive.empty() ? *idle_since_ + directive.idle_time
                                                       : end_of(conditions.keep_alive, directive.idle_time);
        if (now >= end) {
            directive.unload = true;
        } else if (!directive.unload && end != base::TimePoint::max()) {
            review(end);
        }
    }
    if (empty_since_ && conditions.may_exit && !conditions.goes_to_sleep) {
        const auto end = *empty_since_ + idle_times_.exit;
        if (now >= end) {
            directive.exit = true;
        } else {
            review(end);
        }
    }
}

}  // namespace llmd::platform
