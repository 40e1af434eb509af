#include "engines/engine_fault.h"

namespace llmd::engines {

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
    if (!death.was_ready && !death.lacked_memory) return EngineVerdict::LoadFailed;
    return EngineVerdict::Resume;
}

}  // namespace llmd::engines
