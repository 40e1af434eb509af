#include "base/bridge_preamble.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/json_writer.h"

namespace llmd::base {
namespace {

constexpr std::string_view kFirstLine = "llmd-bridge 1";
constexpr size_t kDigestDigits = 64;
constexpr std::string_view kHost = "host ";
constexpr std::string_view kOrigin = "origin ";
constexpr std::string_view kProgram = "program ";
constexpr const char* kOtherRelease = "; llmctl bridge and llmd may be of different releases";
constexpr std::string_view kAuthority = "://";

template <typename... Parts>
Error malformed(const Parts&... parts) {
    return fail(ErrorCode::InvalidArgument, "preamble: ", parts...);
}

std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

// Nothing where `text` is not a whole number from 1 to `most`.
template <typename Number>
std::optional<Number> read_number(std::string_view text, Number most) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most) return std::nullopt;
    return number;
}

bool is_scheme_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

}  // namespace

Result<void> check_origin(std::string_view origin, bool has_token) {
    const auto refuse = [origin](const auto&... parts) {
        return fail(ErrorCode::InvalidArgument, in_quotes(origin), parts...);
    };
    const size_t colon = origin.find(kAuthority);
    const std::string_view scheme = origin.substr(0, colon);
    if (colon == std::string_view::npos || scheme.empty() ||
        !std::all_of(scheme.begin(), scheme.end(), is_scheme_char)) {
        return refuse(" is no origin, which is SCHEME://HOST or SCHEME://HOST:PORT in small letters");
    }
    if (scheme == "file") return refuse(" is the origin of every file");
    const std::string_view authority = origin.substr(colon + kAuthority.size());
    if (authority.empty() || authority.find_first_of("/?#@* \t\r\n") != std::string_view::npos) {
        return refuse(" does not end with one host or HOST:PORT");
    }
    if ((scheme == "http" || scheme == "https") && !has_token) {
        return refuse(" is a web page, and any page may be opened there: this needs --token-file");
    }
    return {};
}

Result<std::string> write_bridge_preamble(const BridgePreamble& preamble) {
    std::string text = concat(kFirstLine, '\n', preamble.port, '\n', preamble.token_digest, '\n');
    for (const std::string& host : preamble.hosts) {
        if (host.empty() || host.find('\n') != std::string::npos) return malformed("a name is not one line");
        text += concat(kHost, host, '\n');
    }
    for (const std::string& origin : preamble.origins) {
        if (auto checked = check_origin(origin, !preamble.token_digest.empty()); !checked) return checked.error();
        text += concat(kOrigin, origin, '\n');
    }
    if (preamble.program < 0 || preamble.program > kMaxProgram) return malformed(preamble.program, " is no process id");
    if (preamble.program != 0) text += concat(kProgram, preamble.program, '\n');
    const size_t length = text.size();
    if (length > kMaxBridgePreambleBytes) return malformed(length, " bytes are more than ", kMaxBridgePreambleBytes);
    std::string out;
    for (size_t i = 0; i < kBridgeLengthBytes; ++i) out += static_cast<char>(length >> (8 * i) & 0xff);
    return out + text;
}

Result<size_t> read_bridge_length(std::string_view bytes) {
    size_t length = 0;
    for (size_t i = 0; i < kBridgeLengthBytes; ++i) length |= size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    if (length > 0 && length <= kMaxBridgePreambleBytes) return length;
    return malformed("a length of ", length, " bytes is not from 1 to ", kMaxBridgePreambleBytes);
}

Result<BridgePreamble> read_bridge_preamble(std::string_view text) {
    BridgePreamble out;
    if (take_line(text) != kFirstLine) {
        return malformed("it does not begin with ", kFirstLine, kOtherRelease);
    }
    constexpr uint16_t kMaxPort = std::numeric_limits<uint16_t>::max();
    const auto port = read_number(take_line(text), kMaxPort);
    if (!port) return malformed("the port is not a whole number from 1 to ", kMaxPort);
    out.port = *port;
    out.token_digest = take_line(text);
    if (!out.token_digest.empty() && (out.token_digest.size() != kDigestDigits ||
                                      out.token_digest.find_first_not_of("0123456789abcdef") != std::string::npos)) {
        return malformed("the token's digest is not one of 64 hexadecimal digits");
    }
    while (!text.empty()) {
        std::string_view line = take_line(text);
        if (line.starts_with(kHost) && line.size() > kHost.size()) {
            out.hosts.emplace_back(line.substr(kHost.size()));
        } else if (line.starts_with(kOrigin)) {
            line.remove_prefix(kOrigin.size());
            if (auto checked = check_origin(line, !out.token_digest.empty()); !checked) {
                return malformed(checked.error().message);
            }
            out.origins.emplace_back(line);
        } else if (line.starts_with(kProgram) && out.program == 0) {
            const auto program = read_number(line.substr(kProgram.size()), kMaxProgram);
            if (!program) return malformed("the program is not a whole number from 1 to ", kMaxProgram);
            out.program = *program;
        } else {
            return malformed("a line is neither a name nor an origin nor the program", kOtherRelease);
        }
    }
    return out;
}

}  // namespace llmd::base
