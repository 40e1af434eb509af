// The word between llmd and `llmctl bridge`, which lets programs reach llmd's socket over TCP on this device.
#pragma once

namespace llmd::base {

// A request with this header came through the bridge: who made it cannot be told, it may be an app in a sandbox. So it
// counts as one of kBridgeApplication, sandboxed: half the limits, priority at most normal, and a prefix cache apart
// from other programs'. The bridge sets it always and passes none on; it only takes rights away, whoever sends it.
inline constexpr const char* kBridgeHeader = "Llmd-Bridge";
inline constexpr const char* kBridgeApplication = "bridge";

}  // namespace llmd::base
