// The status of the service.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/policy.h"
#include "protocol/messages.h"
#include "service/remote_access.h"
#include "service/request_table.h"

namespace llmd::service {

enum class State : uint8_t { Idle, Loading, Ready, Busy, Throttled, Suspended, Error };
std::string_view state_name(State state);  // "idle"

// One engine, and so one model. Fields that only a loaded model has are empty until it is loaded.
struct EngineStatus {
    std::string model;
    State state = State::Idle;    // loading, ready or busy
    uint32_t load_per_mille = 0;  // while loading
    std::string backend;          // "opencl", "cpu" or "remote"
    std::string device;
    std::string driver;
    std::string precision;           // "faithful", "fast"
    std::vector<std::string> notes;  // why this device, and the like
    std::string sandbox;             // the engine's restrictions, for people
    uint64_t memory_bytes = 0;       // memory that it takes, or is allowed while it loads
    uint64_t weight_bytes = 0;
    uint64_t kv_bytes = 0;
    protocol::Pages pages;
    uint32_t context_length = 0;
    uint32_t slots = 0;  // requests that it can compute at a time
    uint32_t active = 0;
    // Until the model goes, if nobody asks meanwhile; max(): it stays. Nothing: it is not loaded, or nobody has said
    // the service how long one may be idle.
    std::optional<std::chrono::milliseconds> unload_in;
    bool pinned = false;  // by the settings
    // For how long nobody has used it; 0 while somebody does.
    std::optional<std::chrono::seconds> idle;
    int64_t pid = 0;        // 0: it does not run
    uint32_t restarts = 0;  // in the place of dead ones
};

using RemoteStatus = RemoteAccess::Status;

struct Status {
    State state = State::Idle;
    std::vector<EngineStatus> engines;  // all that run, by model
    std::vector<RemoteStatus> remotes;  // the remotes that the settings name
    // The last text model that was used, else the default, else any that is loaded or loading; without a name when
    // there is none.
    EngineStatus main;
    uint32_t queued = 0;
    uint32_t active = 0;
    uint32_t engine_restarts = 0;                // since llmd started
    std::string last_fault;                      // the last engine death or device error, with its cause; empty if none
    std::string_view last_fault_cause = "none";  // cause_name(), or load_failed
    std::string settings_error;                  // why the settings are not those of the files; empty if they are
    std::string quarantined;                     // which device is left for the CPU, and why; empty if none
    platform::Directive::Words conditions;       // of the device, as the last directive has them
    platform::Directive::States states;          // likewise, for programs
    uint32_t duty_cycle_percent = protocol::kFullDutyCycle;
    RequestTable::Figures figures;
};

}  // namespace llmd::service
