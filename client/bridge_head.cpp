#include "client/bridge_head.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "api/errors.h"
#include "base/bridge_header.h"
#include "base/json_writer.h"

namespace llmd::client {
namespace {

using base::ErrorCode;

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
// RFC 9110's tchar, in lower case.
constexpr std::string_view kTokenCharacters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kBearer = "bearer ";
constexpr const char* kLoopbackNames[] = {"localhost", "127.0.0.1", "[::1]"};
constexpr unsigned kHttpPort = 80;  // which clients leave out of Host
// Of which a second one would leave open which holds.
constexpr const char* kOnce[] = {"host", "origin", "content-length", "transfer-encoding", "authorization"};
// What llmd reads beside the length.
constexpr const char* kPassed[] = {"Content-Type", "Content-Encoding", "Expect"};

// What a POST to these, and to what is below the last, asks is answered at once.
constexpr const char* kQuickPaths[] = {"/tokenize", "/detokenize", "/apply-template", "/api/show",
                                       "/api/pull", "/api/copy",   "/api/create",     "/api/push"};
constexpr std::string_view kRequestsPath = "/v1/requests/";
constexpr std::string_view kOllamasPath = "/api/";

using Fields = std::map<std::string, std::string>;  // names in lower case

template <typename... Parts>
BridgeRefusal refuse(unsigned status, ErrorCode code, const Parts&... parts) {
    return {status, base::fail(code, parts...)};
}

template <typename... Parts>
BridgeRefusal malformed(const Parts&... parts) {
    return refuse(400, ErrorCode::InvalidArgument, parts...);
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

bool consists_of(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

bool is_visible(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

// Takes the next of `text`'s lines, which end with CR LF.
std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find(kLineEnd));
    text.remove_prefix(std::min(line.size() + kLineEnd.size(), text.size()));
    return line;
}

struct RequestLine {
    std::string_view method, target, version;
};

std::variant<RequestLine, BridgeRefusal> read_request_line(std::string_view line) {
    if (line.size() > kMaxBridgeLineBytes) {
        return refuse(414, ErrorCode::InvalidArgument, "the request line has more than ", kMaxBridgeLineBytes,
                      " bytes");
    }
    RequestLine out;
    const size_t first = line.find(' ');
    const size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return malformed("the request line has not three parts");
    out.method = line.substr(0, first);
    out.target = line.substr(first + 1, last - first - 1);
    out.version = line.substr(last + 1);
    if (!consists_of(out.method, kLetters)) return malformed("the method is not one of capital letters");
    // Neither the form for proxies, which names a host a second time, nor CONNECT's.
    if (!is_visible(out.target) || out.target.front() != '/') return malformed("the request's target is not a path");
    if (out.version != "HTTP/1.1" && out.version != "HTTP/1.0") {
        return refuse(505, ErrorCode::InvalidArgument, "the version is neither HTTP/1.1 nor HTTP/1.0");
    }
    return out;
}

std::variant<Fields, BridgeRefusal> read_fields(std::string_view lines) {
    Fields fields;
    for (size_t n = 1; !lines.empty(); ++n) {
        if (n > kMaxBridgeHeaders) {
            return refuse(431, ErrorCode::InvalidArgument, "there are more than ", kMaxBridgeHeaders, " headers");
        }
        const std::string_view line = take_line(lines);
        const size_t colon = line.find(':');
        // A line that begins with a blank would go on with the one before (obs-fold).
        const std::string name = lower(line.substr(0, colon));
        if (colon == std::string_view::npos || !consists_of(name, kTokenCharacters)) {
            return malformed("header ", n, " has no name");
        }
        std::string_view value = line.substr(colon + 1);
        value.remove_prefix(std::min(value.find_first_not_of(kBlanks), value.size()));
        value = value.substr(0, value.find_last_not_of(kBlanks) + 1);
        const auto is_control = [](char c) {
            return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
        };
        if (std::any_of(value.begin(), value.end(), is_control)) return malformed(name, ": a control character");
        const bool is_new = fields.emplace(name, value).second;
        if (!is_new && std::find(std::begin(kOnce), std::end(kOnce), name) != std::end(kOnce)) {
            return malformed(name, " is given more than once");
        }
    }
    return fields;
}

bool is_own_name(std::string_view name, const BridgeRules& rules) {
    const auto same = [&](std::string_view other) { return lower(name) == lower(other); };
    return std::any_of(std::begin(kLoopbackNames), std::end(kLoopbackNames), same) ||
           std::any_of(rules.hosts.begin(), rules.hosts.end(), same);
}

// "NAME:PORT" or "NAME", split.
struct Authority {
    std::string_view name;
    std::string_view port;  // empty: none
};

Authority split(std::string_view authority) {
    const size_t colon = authority.rfind(':');
    const size_t bracket = authority.rfind(']');
    if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket))
        return {authority, {}};
    return {authority.substr(0, colon), authority.substr(colon + 1)};
}

std::optional<BridgeRefusal> check_host(const Fields& fields, const BridgeRules& rules) {
    const auto host = fields.find("host");
    if (host == fields.end()) return malformed("Host is missing");
    const Authority named = split(host->second);
    const std::string port = std::to_string(rules.port);
    const bool right_port = named.port == port || (host->second == named.name && rules.port == kHttpPort);
    if (right_port && is_own_name(named.name, rules)) return std::nullopt;
    return refuse(403, ErrorCode::NotAllowed, "Host: '", host->second,
                  "' is no name of this bridge, which is localhost:", port, "; --allow-host gives it another");
}

std::optional<BridgeRefusal> check_origin(const Fields& fields, const BridgeRules& rules) {
    const auto origin = fields.find("origin");
    if (origin == fields.end()) return std::nullopt;
    const std::string text = lower(origin->second);
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!text.starts_with(scheme)) continue;
        const Authority named = split(std::string_view(text).substr(scheme.size()));
        if (is_own_name(named.name, rules) && (named.port.empty() || consists_of(named.port, kDigits))) {
            return std::nullopt;
        }
    }
    return refuse(403, ErrorCode::NotAllowed, "Origin: '", origin->second, "' is not a page of this device");
}

std::optional<BridgeRefusal> check_token(const Fields& fields, const BridgeRules& rules) {
    if (rules.token.empty()) return std::nullopt;
    const auto given = fields.find("authorization");
    if (given == fields.end()) return refuse(401, ErrorCode::NotAllowed, "Authorization is missing: a bearer token");
    const std::string_view value = given->second;
    if (lower(value.substr(0, kBearer.size())) == kBearer &&
        equal_in_constant_time(value.substr(kBearer.size()), rules.token)) {
        return std::nullopt;
    }
    return refuse(401, ErrorCode::NotAllowed, "Authorization: not this bridge's bearer token");
}

std::variant<uint64_t, BridgeRefusal> read_length(const Fields& fields) {
    if (fields.contains("transfer-encoding")) {
        if (fields.contains("content-length")) return malformed("the length of the body is given more than once");
        return refuse(411, ErrorCode::InvalidArgument,
                      "Transfer-Encoding: only bodies with a Content-Length are taken");
    }
    const auto given = fields.find("content-length");
    if (given == fields.end()) return uint64_t{0};
    const std::string& digits = given->second;
    if (!consists_of(digits, kDigits))
        return malformed("Content-Length: ", base::in_quotes(digits), " is not a number");
    uint64_t length = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (parsed.ec != std::errc() || length > kMaxBridgeBodyBytes) {
        return refuse(413, ErrorCode::PromptTooLong, "body: more than ", kMaxBridgeBodyBytes, " bytes");
    }
    return length;
}

std::string_view path_of(std::string_view target) {
    return target.substr(0, target.find('?'));
}

bool is_call(const RequestLine& request) {
    const std::string_view path = path_of(request.target);
    return request.method == "POST" && !path.starts_with(kRequestsPath) &&
           std::find(std::begin(kQuickPaths), std::end(kQuickPaths), path) == std::end(kQuickPaths);
}

const char* reason_phrase(unsigned status) {
    switch (status) {
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 408:
            return "Request Timeout";
        case 411:
            return "Length Required";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Bad Request";
    }
}

}  // namespace

std::variant<BridgedHead, BridgeRefusal> read_bridge_head(std::string_view head, const BridgeRules& rules) {
    const auto line = read_request_line(take_line(head));
    if (const auto* refusal = std::get_if<BridgeRefusal>(&line)) return *refusal;
    const RequestLine& request = *std::get_if<RequestLine>(&line);
    const bool is_ollamas = path_of(request.target).starts_with(kOllamasPath);
    const auto refused = [is_ollamas](BridgeRefusal refusal) {
        refusal.is_ollamas = is_ollamas;
        return refusal;
    };
    const auto read = read_fields(head);
    if (const auto* refusal = std::get_if<BridgeRefusal>(&read)) return refused(*refusal);
    const Fields& fields = *std::get_if<Fields>(&read);
    for (const auto check : {check_host, check_origin, check_token}) {
        if (auto refusal = check(fields, rules)) return refused(*std::move(refusal));
    }
    const auto length = read_length(fields);
    if (const auto* refusal = std::get_if<BridgeRefusal>(&length)) return refused(*refusal);

    BridgedHead out{{}, *std::get_if<uint64_t>(&length), is_call(request), is_ollamas};
    out.text = base::concat(request.method, ' ', request.target, ' ', request.version, "\r\nHost: llmd\r\n",
                            base::kBridgeHeader, ": 1\r\nConnection: close\r\n");
    for (const char* name : kPassed) {
        if (const auto field = fields.find(lower(name)); field != fields.end()) {
            out.text += base::concat(name, ": ", field->second, kLineEnd);
        }
    }
    if (fields.contains("content-length")) out.text += base::concat("Content-Length: ", out.n_body, kLineEnd);
    out.text += kLineEnd;
    return out;
}

bool answers_with_a_stream(std::string_view head) {
    take_line(head);
    while (!head.empty()) {
        const std::string_view line = take_line(head);
        if (lower(line.substr(0, line.find(':'))) == "content-length") return false;
    }
    return true;
}

std::string bridge_answer(const BridgeRefusal& refusal) {
    std::string body;
    if (refusal.is_ollamas) {
        base::JsonWriter json;
        body = json.begin_object().key("error").value(refusal.error.message).end_object().take();
    } else {
        api::ErrorDetails details;
        if (refusal.status == 401) details.openai_code = "invalid_api_key";
        body = api::openai_error(refusal.error, details);
    }
    const bool is_passing = api::error_row(refusal.error.code).may_retry;
    return base::concat("HTTP/1.1 ", refusal.status, ' ', reason_phrase(refusal.status),
                        "\r\nContent-Type: application/json\r\nContent-Length: ", body.size(),
                        refusal.status == 401 ? "\r\nWWW-Authenticate: Bearer" : "",
                        is_passing ? "\r\nRetry-After: 2" : "\r\nx-should-retry: false",
                        "\r\nConnection: close\r\n\r\n", body);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    volatile unsigned char difference = 0;  // volatile: no compiler leaves the loop early
    for (size_t i = 0; i < a.size(); ++i) difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
    return difference == 0;
}

}  // namespace llmd::client
