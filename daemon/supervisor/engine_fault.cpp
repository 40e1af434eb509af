#include "supervisor/engine_fault.h"

#include <algorithm>

#include "supervisor/load_failures.h"

namespace llmd::supervisor {

void FaultCount::add(const EngineEnd& end) {
    if (end.counts_against_device()) ++counted;
    if (end.may_have_lacked_memory() || end.was_silent_while_idle()) ++foreign_kills;
}

std::optional<base::ErrorCode> FaultCount::verdict() const {
    if (counted >= kMaxCountedFaults) return base::ErrorCode::DeviceError;
    if (foreign_kills >= kMaxForeignKills) return base::ErrorCode::OutOfMemory;
    return std::nullopt;
}

EngineVerdict judge(const EngineDeath& death) {
    if (death.device_failed) return EngineVerdict::QuarantineDevice;
    if (!death.was_ready && !death.was_replacement) return EngineVerdict::LoadFailed;
    if (death.can_quarantine && death.worst.counted >= kMaxCountedFaults) return EngineVerdict::QuarantineDevice;
    if (!death.was_ready && !death.lacked_memory && death.failed_loads > kMaxReloads) return EngineVerdict::LoadFailed;
    return EngineVerdict::Resume;
}

std::chrono::seconds pause_before_restart(const EngineDeath& death) {
    const bool is_repeated = death.lacked_memory && death.worst.foreign_kills > 1;
    const uint32_t kills = death.memory_was_short || is_repeated ? std::max(1u, death.worst.foreign_kills) : 0;
    const uint32_t failures = std::max(death.failed_loads, kills);
    if (failures == 0) return std::chrono::seconds(0);
    auto pause = kFirstLoadRetry;
    for (uint32_t i = 1; i < failures && pause < kLastLoadRetry; ++i) pause *= 2;
    return std::min(pause, kLastLoadRetry);
}

}  // namespace llmd::supervisor
