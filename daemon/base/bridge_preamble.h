// The preamble that `llmctl bridge`, which lets programs reach llmd over TCP on this device, sends to llmd at the
// beginning of each connection to the socket that is for bridges alone. It says what llmd has to ask of each request
// (http/bridge_guard.h) of the client behind, one for each connection, whose HTTP follows it.
//
// On the wire it is a 32-bit little-endian length and so many bytes of text, whose lines are "llmd-bridge 1" (a bridge
// may outlive an upgrade of llmd, hence a version), the port, the token's digest or nothing, and "host NAME" or
// "origin ORIGIN" for each of these, and "program PID" where that is known. Bridges of earlier releases write no such
// line, and llmds of earlier releases drop a connection that has one.
// Pure and reentrant.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace llmd::base {

// Below the runtime directory. Not beside llmd.sock: an application that is given that directory must not find this
// socket in it.
inline constexpr const char* kBridgeSocket = "/llmd-bridge/bridge.sock";

inline constexpr size_t kBridgeLengthBytes = 4;
inline constexpr size_t kMaxBridgePreambleBytes = 8u << 10;  // of the text: some thirty names of the longest kind
inline constexpr pid_t kMaxProgram = 1 << 22;                // Linux has no larger process id (PID_MAX_LIMIT)

struct BridgePreamble {
    uint16_t port = 0;               // on which the bridge listens
    std::string token_digest;        // SHA-256 in 64 hexadecimal digits of the token to ask for; empty: none
    std::vector<std::string> hosts;  // names, beside localhost, 127.0.0.1 and [::1], that it may be called by
    // Origins (RFC 6454, as browsers write them) of the pages and programs from elsewhere that may ask and read.
    std::vector<std::string> origins;
    // The process whose connection this is, by which programs get fair shares and never rights: it is the bridge's
    // word, and who forks is several. 0: not known.
    pid_t program = 0;

    bool operator==(const BridgePreamble&) const = default;
};

// Returns nothing for "SCHEME://HOST" or "SCHEME://HOST:PORT", else what is wrong with it: neither every origin ("*")
// nor what any page or file may have ("null", "file://") can be allowed; a web page, which is anybody's, needs a token.
Result<void> check_origin(std::string_view origin, bool has_token);

// Length and text. InvalidArgument when a name is empty or has more than one line, an origin is none, the program is no
// process id, or all are too long together.
Result<std::string> write_bridge_preamble(const BridgePreamble& preamble);

// `bytes` are the kBridgeLengthBytes of a preamble's length. InvalidArgument when it is 0 or too long.
Result<size_t> read_bridge_length(std::string_view bytes);
// The text behind them. InvalidArgument names the part and what is wrong with it.
Result<BridgePreamble> read_bridge_preamble(std::string_view text);

}  // namespace llmd::base
