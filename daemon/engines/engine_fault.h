// What the death of an engine means: for the engine (start another one? where?) and for each request it was serving.
// Pure: facts in, verdict out.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "engines/engine_link.h"

namespace llmd::engines {

// One failure may be an accident; a second one in the same place is the device.
inline constexpr uint32_t kMaxCountedFaults = 2;
// The out-of-memory killer may take the engine now and then; as often as this, the model does not fit beside the rest.
inline constexpr uint32_t kMaxForeignKills = 5;

// What a request has lived through since its last new token. Cleared by every new token.
struct FaultCount {
    uint32_t counted = 0;        // deaths that count against the device
    uint32_t foreign_kills = 0;  // loads that failed for lack of memory, silences while idle

    void add(const EngineEnd& end);
    // The code to fail the request with; nothing while it may be resumed.
    std::optional<base::ErrorCode> verdict() const;
};

// An engine that llmd did not ask to end.
struct EngineDeath {
    bool lacked_memory = false;
    bool was_ready = false;        // it had reported its model ready
    bool was_replacement = false;  // the same file had been ready in the engine that it was started to replace
    bool can_quarantine = false;   // the device was chosen by llmd-engine and another one is left
    FaultCount worst;              // of the requests it was serving, this death included
    bool device_failed = false;    // DeviceHealth has just quarantined it
};

enum class EngineVerdict : uint8_t {
    Resume,            // start another engine if somebody needs one
    QuarantineDevice,  // the same on another device; every FaultCount starts anew there
    LoadFailed,        // the model could not be loaded: no restart, whoever waits for it fails
};

// A death before Ready is LoadFailed, because what killed the engine once while loading would do it again, with three
// exceptions. Two are for an engine that replaced a working one, both bounded by FaultCount: lack of memory says
// nothing about the model, and a device that fails again while it is set up anew can be quarantined. The third is a
// device that DeviceHealth quarantines with this death: the next engine does not use it.
EngineVerdict judge(const EngineDeath& death);

}  // namespace llmd::engines
