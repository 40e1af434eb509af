// What the bridge lets through: the head of an HTTP/1.1 request (RFC 9112) that came over TCP, read more strictly than
// the RFC asks, and the head that llmd's socket gets in its place. Pure.
//
// The client's head is never passed on: of a request that is understood in every part another one is written, with the
// few fields that llmd reads. So there is nothing on which the bridge and llmd could differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace llmd::client {

// llmd's own limits (daemon/http/connection.h), and all of them together.
inline constexpr size_t kMaxBridgeLineBytes = 8u << 10;
inline constexpr size_t kMaxBridgeHeaders = 64;
inline constexpr size_t kMaxBridgeHeadBytes = 32u << 10;
inline constexpr uint64_t kMaxBridgeBodyBytes = 4u << 20;

struct BridgeRules {
    uint16_t port = 0;               // where the bridge listens
    std::vector<std::string> hosts;  // names, beside localhost, 127.0.0.1 and [::1], that it may be called by
    std::string token;               // that each request must bear; empty: none
};

// Why a request is not let through. `status` is HTTP's.
struct BridgeRefusal {
    unsigned status = 400;
    base::Error error;
    bool is_ollamas = false;  // the request is of Ollama's API, and the answer takes its form instead of OpenAI's
};

struct BridgedHead {
    std::string text;     // for llmd, with the empty line
    uint64_t n_body = 0;  // bytes that follow it, and no more
    bool is_call = true;  // it generates or embeds, or may do so: only what is known to be answered at once does not
    bool is_ollamas = false;
};

// `head` ends before its empty line. Refused are: what is not HTTP/1.0 or 1.1 to the letter; a target that is not a
// path (400); a Host that is none of the bridge's names with its port, which is how a page that has its own name
// resolve to this device comes (403); an Origin that is not a page of this device (403); a missing or wrong token
// (401); a body in chunks (411), whose length is given twice (400), or that is too long (413); a head that is too long
// (414, 431).
std::variant<BridgedHead, BridgeRefusal> read_bridge_head(std::string_view head, const BridgeRules& rules);

// Whether an answer with this head, up to its empty line, is a stream: it has no Content-Length.
bool answers_with_a_stream(std::string_view head);

// The whole answer to a refused request.
std::string bridge_answer(const BridgeRefusal& refusal);

// Takes as long wherever they differ; only whether their lengths do can be told.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace llmd::client
