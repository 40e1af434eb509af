// The answer to an HTTP request when all of it is known.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace llmd::http {

inline constexpr const char* kJsonType = "application/json";
inline constexpr unsigned kNoContent = 204;  // without Content-Length (RFC 9110, 8.6)

using ReplyHeaders = std::vector<std::pair<const char*, std::string>>;

struct Reply {
    unsigned status = 200;
    std::string body;
    const char* type = kJsonType;
    ReplyHeaders headers;  // beside the usual ones
};

Reply json_reply(std::string body);

// For errors that do not say it themselves.
inline constexpr std::chrono::seconds kRetryAfter{2};

// The reply with that status, these headers and `body`.
Reply error_reply(const base::Error& error, std::string body);
// A refusal in OpenAI's shape.
Reply refuse(const base::Error& error);
// Likewise with another status than the error's.
Reply refuse_with(unsigned status, const base::Error& error);

// The bytes of a reply that goes out without libmicrohttpd, and after which the connection is closed.
std::string wire_reply(const Reply& reply);

}  // namespace llmd::http
