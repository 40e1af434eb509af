// What llmd and `llmctl bridge`, which lets programs reach llmd's socket over TCP on this device, agree on.
#pragma once

#include <cstddef>

namespace llmd::base {

// A request with this header came through the bridge: who made it cannot be told, it may be an app in a sandbox. So it
// counts as one of a sandboxed application: half the limits, priority at most normal, and a prefix cache apart from
// other programs'. The bridge sets it always and passes none on; it only takes rights away, whoever sends it.
inline constexpr const char* kBridgeHeader = "Llmd-Bridge";
// The application (api/caller.h) of all programs that come this way.
inline constexpr const char* kBridgeApplication = "bridge";

// Open to llmd's socket at once, of one process.
inline constexpr size_t kConnectionsPerProcess = 8;
// Of these the bridge uses so many: llmd may still count two that the bridge has closed when the next one comes.
inline constexpr size_t kBridgeConnections = kConnectionsPerProcess - 2;
// Of these so many for requests that generate or embed: as many as llmd takes of a sandboxed application. The others
// wait in the bridge, where they take no place in llmd's queue.
inline constexpr size_t kBridgeCalls = 2;

}  // namespace llmd::base
