#include "service/governor.h"

#include <utility>

namespace llmd::service {

Governor::Governor(base::EventLoop& loop, Service& service, Sources sources, Options options,
                   std::function<base::TimePoint()> now)
    : loop_(loop),
      service_(service),
      sources_(sources),
      options_(std::move(options)),
      now_(std::move(now)),
      policy_(options_.idle_times) {
    if (sources_.memory != nullptr) {
        sources_.memory->on_stall([this] {
            policy_.memory_stalled(now_());
            review();
        });
    }
    if (sources_.power != nullptr) sources_.power->on_changed([this] { review(); });
    if (sources_.sleep != nullptr) sources_.sleep->on_changed([this] { review(); });
    review();
}

Governor::~Governor() {
    loop_.cancel_timer(next_heat_.timer);
    loop_.cancel_timer(deadline_.timer);
    if (sources_.memory != nullptr) sources_.memory->on_stall(nullptr);
    if (sources_.power != nullptr) sources_.power->on_changed(nullptr);
    if (sources_.sleep != nullptr) sources_.sleep->on_changed(nullptr);
}

void Governor::set_idle_times(platform::IdleTimes idle_times) {
    policy_.set_idle_times(idle_times);
    review();
}

void Governor::review() {
    const base::TimePoint now = now_();
    const platform::Directive directive = policy_.decide(conditions(service_.activity(), now), now);
    service_.apply(directive);
    set(deadline_, policy_.review_at());
    delay_sleep();
    if (directive.exit && options_.on_exit) loop_.defer(options_.on_exit);
}

platform::Conditions Governor::conditions(const Activity& activity, base::TimePoint now) {
    measure_heat(activity.has_engine && activity.has_work, now);
    platform::Conditions conditions;
    conditions.memory_is_watched = sources_.memory != nullptr;
    if (sources_.power != nullptr) {
        const auto power = sources_.power->power();
        // Whether anything is loaded or not: what comes next may have to be refused.
        sources_.power->watch_battery(power && power->on_battery.value_or(false));
        conditions.power = sources_.power->power();
    }
    conditions.heat = heat_;
    conditions.goes_to_sleep = sources_.sleep != nullptr && sources_.sleep->goes_to_sleep();
    conditions.has_engine = activity.has_engine;
    conditions.has_work = activity.has_work;
    conditions.has_requests = activity.has_requests;
    conditions.keep_alive = activity.keep_alive;
    conditions.may_exit = static_cast<bool>(options_.on_exit);
    return conditions;
}

void Governor::measure_heat(bool wanted, base::TimePoint now) {
    if (!wanted || sources_.thermometer == nullptr) {
        heat_.reset();
        set(next_heat_, std::nullopt);
        return;
    }
    if (next_heat_.when && now < *next_heat_.when) return;
    heat_ = sources_.thermometer->read();
    set(next_heat_, now + kHeatInterval);
}

void Governor::set(Alarm& alarm, std::optional<base::TimePoint> when) {
    if (alarm.when == when) return;
    loop_.cancel_timer(std::exchange(alarm.timer, 0));
    alarm.when = when;
    if (!when) return;
    // Not a moment early: it would be set again.
    const auto delay = std::chrono::ceil<std::chrono::milliseconds>(*when - now_());
    alarm.timer = loop_.add_timer_after(delay, [this, &alarm] {
        alarm = {};
        review();
    });
}

// The device may sleep as soon as nothing computes; without a model there is nothing to wait for.
void Governor::delay_sleep() {
    if (sources_.sleep == nullptr) return;
    const Activity activity = service_.activity();
    const bool delays = activity.has_engine && !(sources_.sleep->goes_to_sleep() && activity.is_quiet);
    if (std::exchange(delays_sleep_, delays) != delays) sources_.sleep->set_delayed(delays);
}

}  // namespace llmd::service
