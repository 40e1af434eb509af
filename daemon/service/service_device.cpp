#include <utility>

#include <spdlog/spdlog.h>

#include "engines/device_record.h"
#include "service/service_impl.h"

namespace llmd::service {
// Why the device is not used, and what the engine has to know to keep away from it.
void Service::Impl::avoid_device(protocol::Load& load) {
    looks_at_device_ = false;
    load.avoid_device_reason = avoid_device_reason_;
    const auto* quarantine = device_health_.quarantine(clocks_.wall());
    if (!load.avoid_device_reason.empty() || quarantine == nullptr) return;
    load.avoid_device_reason = quarantine->reason;
    if (!quarantine->may_look) return;
    looks_at_device_ = true;
    load.avoid_device = quarantine->device.name;
    load.avoid_driver = quarantine->device.driver;
}

bool Service::Impl::may_leave_device() const {
    // One that replaces another takes the same, if it has not said so yet.
    const auto backend = chosen_ ? chosen_->backend : ready_.backend;
    return options_.backend == protocol::BackendKind::Auto && backend != protocol::BackendKind::Cpu &&
           avoid_device_reason_.empty();
}

std::optional<engines::DeviceName> Service::Impl::failed_device(const engines::EngineEnd& end) const {
    if (options_.backend != protocol::BackendKind::Auto || !end.counts_against_device()) return std::nullopt;
    if (chosen_) {
        if (chosen_->backend == protocol::BackendKind::Cpu) return std::nullopt;
        return engines::DeviceName{chosen_->device, chosen_->driver};
    }
    // It looked for devices, or began with one, and was told of none that it should keep away from altogether.
    const bool looked = end.phase == protocol::Phase::KernelBuild;
    const bool told = !avoid_device_reason_.empty() || device_health_.quarantine(clocks_.wall()) != nullptr;
    if (!looked || (told && !looks_at_device_)) return std::nullopt;
    return engines::DeviceName{};
}

bool Service::Impl::count_against_device(const engines::EngineEnd& end) {
    const auto device = failed_device(end);
    if (!device) return false;
    if (looks_at_device_ && !chosen_) {
        // Looking was too much. The device stays quarantined as it is.
        device_health_.forbid_looking();
        return false;
    }
    if (!device_health_.add_failure(*device, end.detail, clocks_.wall())) return false;
    spdlog::warn("{}", device_health_.quarantine(clocks_.wall())->reason);
    keep_device_health();
    return true;
}

void Service::Impl::use_device_again() {
    avoid_device_reason_.clear();
    device_health_.forget();
    keep_device_health();
}

// A GPU that computes although one was to be avoided is another one, or has another driver now.
void Service::Impl::note_device() {
    const bool on_gpu = chosen_ && chosen_->backend != protocol::BackendKind::Cpu;
    if (!std::exchange(looks_at_device_, false) || !on_gpu) return;
    device_health_.forget();
    keep_device_health();
}

void Service::Impl::keep_device_health() {
    if (options_.device_record.empty()) return;
    const auto written = engines::write_device_record(options_.device_record, device_health_.encode());
    if (!written) spdlog::warn("what is known about the device is not kept: {}", written.error().message);
}

}  // namespace llmd::service
