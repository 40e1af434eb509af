// The meaning of an engine's death: for the engine (start another one? where?) and for each request it was serving.
// Pure: facts in, verdict out.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "supervisor/engine_link.h"

namespace llmd::supervisor {

// One failure may be an accident; a second one in the same place is the device.
inline constexpr uint32_t kMaxCountedFaults = 2;
// The out-of-memory killer may take the engine now and then; as often as this, the model does not fit beside the rest.
// The pauses between so many, 1 or none, 2, 4 … 32 s, last longer than a program that takes much memory for a short
// while.
inline constexpr uint32_t kMaxForeignKills = 7;
// A file that was ready once loads again as a rule: these starts follow after one that failed, before its texts are
// given up.
inline constexpr uint32_t kMaxReloads = 3;

// A request has lived through this since its last new token. Cleared by every new token.
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
    bool was_replacement = false;  // the same file had been ready in an engine of this llmd, and texts wait for it
    bool can_quarantine = false;   // the device was chosen by llmd-engine and another one is left
    FaultCount worst;              // of the requests it was serving, this death included
    bool device_failed = false;    // DeviceHealth has just quarantined it
    uint32_t failed_loads = 0;     // of this file since it was last ready, this death included
    bool memory_was_short =
        false;  // it certainly or perhaps died of that: the kernel killed, or programs wait for memory

    // A death while the file is loaded again is not the fault of a request, unless another device is left to try.
    bool counts_for_requests(const EngineEnd& end) const {
        return was_ready || can_quarantine || !end.counts_against_device();
    }
};

enum class EngineVerdict : uint8_t {
    Resume,            // start another engine if somebody needs one
    QuarantineDevice,  // the same on another device; every FaultCount starts anew there
    LoadFailed,        // the model could not be loaded: no restart, whoever waits for it fails
};

// A death before Ready is LoadFailed, because what killed the engine once while loading would do it again, with four
// exceptions. Three are for an engine that loads a file that was ready before: lack of memory says nothing about the
// model and is bounded by FaultCount, a device that fails again while it is set up anew can be quarantined, and any
// other death is followed by kMaxReloads more starts. The fourth is a device that DeviceHealth quarantines with this
// death: the next engine does not use it.
EngineVerdict judge(const EngineDeath& death);

// How long nothing is started after a death that is to be resumed from: 1, 2, 4 … s after loads that failed one after
// the other, or deaths without a new token while memory was short; none after another death of an engine that was
// ready. A kill without a sign of a shortage is a person's; a second one without a new token between them counts as if
// memory were short, since programs that watch memory kill likewise, and the kernel does not count theirs.
std::chrono::seconds pause_before_restart(const EngineDeath& death);

}  // namespace llmd::supervisor
