#include "http/bridge_guard.h"

#include <strings.h>

#include <algorithm>

#include "api/errors.h"
#include "base/sha256.h"
#include "http/anthropic_json.h"
#include "http/body_format.h"
#include "http/ollama_json.h"

namespace llmd::http {
namespace {

using base::BridgePreamble;
using base::ErrorCode;
using base::fail;

constexpr std::string_view kBearer = "bearer ";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLoopbackNames[] = {"localhost", "127.0.0.1", "[::1]"};
constexpr unsigned kHttpPort = 80;  // which clients leave out of Host
constexpr std::string_view kOllamasPath = "/api/";
// A browser asks again after so many seconds (Chromium keeps no answer longer than two hours).
constexpr const char* kPreflightSeconds = "600";
constexpr const char* kMethods = "GET, POST, DELETE";
constexpr std::string_view kAnthropicsPath = "/v1/messages";

bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

struct Field {
    size_t n = 0;  // how often it came
    std::string_view value;
};

Field field(const HeaderList& headers, std::string_view name) {
    Field out;
    for (const auto& [key, value] : headers) {
        if (!same(key, name)) continue;
        ++out.n;
        out.value = value;
    }
    return out;
}

// "NAME:PORT" or "NAME", split.
struct Authority {
    std::string_view name;
    std::string_view port;  // empty: none
};

Authority split(std::string_view authority) {
    const size_t colon = authority.rfind(':');
    const size_t bracket = authority.rfind(']');
    if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) {
        return {authority, {}};
    }
    return {authority.substr(0, colon), authority.substr(colon + 1)};
}

bool is_own_name(const BridgePreamble& bridge, std::string_view name) {
    const auto is_name = [name](std::string_view other) { return same(name, other); };
    return std::any_of(std::begin(kLoopbackNames), std::end(kLoopbackNames), is_name) ||
           std::any_of(bridge.hosts.begin(), bridge.hosts.end(), is_name);
}

bool is_own_host(const BridgePreamble& bridge, std::string_view host) {
    const Authority named = split(host);
    const bool right_port =
        named.port == std::to_string(bridge.port) || (host == named.name && bridge.port == kHttpPort);
    return right_port && is_own_name(bridge, named.name);
}

bool is_own_page(const BridgePreamble& bridge, std::string_view origin) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!same(origin.substr(0, scheme.size()), scheme)) continue;
        const Authority named = split(origin.substr(scheme.size()));
        return is_own_name(bridge, named.name) && named.port.find_first_not_of(kDigits) == std::string_view::npos;
    }
    return false;
}

// Takes as long wherever they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    volatile unsigned char difference = 0;  // volatile: no compiler leaves the loop early
    for (size_t i = 0; i < a.size(); ++i) difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
    return difference == 0;
}

bool is_token(const BridgePreamble& bridge, std::string_view token) {
    base::Sha256 digest;
    digest.add(token);
    return equal_in_constant_time(digest.hex(), bridge.token_digest);
}

bool bears_token(const BridgePreamble& bridge, std::string_view authorization) {
    if (!same(authorization.substr(0, kBearer.size()), kBearer)) return false;
    return is_token(bridge, authorization.substr(kBearer.size()));
}

}  // namespace

Reply refuse_in_form(std::string_view path, unsigned status, const base::Error& error) {
    if (path.starts_with(kAnthropicsPath)) return anthropic_error(error, status);
    if (!path.starts_with(kOllamasPath)) return refuse_with(status, error);
    Reply reply = ollama_error(error);
    reply.status = status;
    return reply;
}

namespace {

bool is_allowed(const BridgePreamble& bridge, std::string_view origin) {
    return std::find(bridge.origins.begin(), bridge.origins.end(), origin) != bridge.origins.end();
}

Reply allow_preflight(std::string_view asked_headers, bool asks_for_private_network) {
    Reply reply;
    reply.status = kNoContent;
    reply.headers.emplace_back("Access-Control-Allow-Methods", kMethods);
    if (!asked_headers.empty()) reply.headers.emplace_back("Access-Control-Allow-Headers", asked_headers);
    if (asks_for_private_network) reply.headers.emplace_back("Access-Control-Allow-Private-Network", "true");
    reply.headers.emplace_back("Access-Control-Max-Age", kPreflightSeconds);
    return reply;
}

}  // namespace

ReplyHeaders cors_headers(const BridgePreamble& bridge, const HeaderList& headers) {
    ReplyHeaders out;
    if (bridge.origins.empty()) return out;
    out.emplace_back("Vary", "Origin");
    const Field origin = field(headers, "origin");
    if (origin.n != 1 || !is_allowed(bridge, origin.value)) return out;
    out.emplace_back("Access-Control-Allow-Origin", origin.value);
    // A page may always read a few headers (the Fetch standard), and these when it is told so.
    out.emplace_back("Access-Control-Expose-Headers",
                     base::concat("Retry-After, x-should-retry, ", kNoteHeader, ", ", kWhereHeader));
    return out;
}

std::optional<Reply> answer_bridged(const BridgePreamble& bridge, std::string_view method, std::string_view path,
                                    const HeaderList& headers) {
    const auto refuse = [path](unsigned status, ErrorCode code, const auto&... parts) {
        return refuse_in_form(path, status, fail(code, parts...));
    };
    // Neither the form for proxies, which names a host a second time, nor CONNECT's.
    if (!path.starts_with('/')) return refuse(400, ErrorCode::InvalidArgument, "the request's target is not a path");
    const Field host = field(headers, "host");
    const Field origin = field(headers, "origin");
    const Field authorization = field(headers, "authorization");
    const Field api_key = field(headers, "x-api-key");
    if (host.n == 0) return refuse(400, ErrorCode::InvalidArgument, "Host is missing");
    // A second one would leave open which holds.
    for (const auto& [name, given] :
         {std::pair("host", host), {"origin", origin}, {"authorization", authorization}, {"x-api-key", api_key}}) {
        if (given.n > 1) return refuse(400, ErrorCode::InvalidArgument, name, " is given more than once");
    }
    if (!is_own_host(bridge, host.value)) {
        return refuse(403, ErrorCode::NotAllowed, "Host: '", host.value,
                      "' is no name of this bridge, which is localhost:", bridge.port,
                      "; --allow-host gives it another");
    }
    const bool is_preflight =
        method == "OPTIONS" && origin.n > 0 && field(headers, "access-control-request-method").n > 0;
    if (origin.n > 0 && !is_allowed(bridge, origin.value) && (is_preflight || !is_own_page(bridge, origin.value))) {
        return refuse(403, ErrorCode::NotAllowed, "Origin: '", origin.value,
                      is_preflight ? "'" : "' is not a page of this device and",
                      " is not allowed; --allow-origin allows it");
    }
    if (is_preflight) {
        return allow_preflight(field(headers, "access-control-request-headers").value,
                               field(headers, "access-control-request-private-network").n > 0);
    }
    if (bridge.token_digest.empty() || (authorization.n > 0 && bears_token(bridge, authorization.value)) ||
        (api_key.n > 0 && is_token(bridge, api_key.value))) {
        return std::nullopt;
    }
    const base::Error error =
        fail(ErrorCode::NotAllowed, authorization.n > 0 ? "Authorization: not this bridge's bearer token"
                                    : api_key.n > 0     ? "X-Api-Key: not this bridge's token"
                                                        : "Authorization is missing: a bearer token");
    Reply reply = refuse_in_form(path, 401, error);
    if (!path.starts_with(kOllamasPath) && !path.starts_with(kAnthropicsPath)) {
        api::ErrorDetails details;
        details.openai_code = "invalid_api_key";
        reply.body = api::openai_error(error, details);
    }
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
}

}  // namespace llmd::http
