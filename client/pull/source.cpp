#include "client/pull/source.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "client/exit_code.h"

namespace llmd::client {
namespace {

constexpr std::string_view kHubPrefix = "hf:";
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kHttp = "http://";
constexpr size_t kMaxSourceLength = 2000;  // what browsers and servers agree on for an address

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw CommandError(ExitCode::Usage, "'" + text + "' " + why);
}

bool is_name_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' ||
           c == '.';
}

// The Hub's own rule for owners, repositories; quantizations are no wider.
bool is_name(std::string_view text) {
    return !text.empty() && text != "." && text != ".." && std::all_of(text.begin(), text.end(), is_name_character);
}

std::vector<std::string> split(std::string_view text, char by) {
    std::vector<std::string> parts;
    while (true) {
        const size_t end = text.find(by);
        parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string join(const std::vector<std::string>& parts, size_t from) {
    std::string text;
    for (size_t i = from; i < parts.size(); ++i) text += (i == from ? "" : "/") + parts[i];
    return text;
}

// The part behind the last `mark`, taken off `text`; empty without one.
std::string take_behind(std::string& text, char mark) {
    const size_t at = text.rfind(mark);
    if (at == std::string::npos) return "";
    std::string behind = text.substr(at + 1);
    text.resize(at);
    return behind;
}

void check(const HubSource& source, const std::string& text) {
    const std::vector<std::string> names = split(source.repository, '/');
    if (names.size() != 2 || !is_name(names[0]) || !is_name(names[1])) {
        refuse(text,
               "names no repository: it is hf:OWNER/REPO, then perhaps /FILE.gguf or :QUANTIZATION, and @REVISION");
    }
    const std::vector<std::string> steps = split(source.file, '/');
    const auto leads_away = [](const std::string& step) { return step.empty() || step == "." || step == ".."; };
    if (!source.file.empty() && std::any_of(steps.begin(), steps.end(), leads_away)) {
        refuse(text, "names no file: '" + source.file + "' is no path in a repository");
    }
    if (source.revision.empty()) refuse(text, "names no revision behind the '@'");
    if (!source.quantization.empty() && !is_name(source.quantization)) {
        refuse(text, "names no quantization: '" + source.quantization + "'");
    }
}

HubSource parse_hub(const std::string& text) {
    HubSource source;
    std::string rest = text.substr(kHubPrefix.size());
    if (rest.find('@') != std::string::npos) source.revision = take_behind(rest, '@');
    const bool has_quantization = rest.find(':') != std::string::npos;
    source.quantization = take_behind(rest, ':');
    if (has_quantization && source.quantization.empty()) refuse(text, "names no quantization behind the ':'");
    const std::vector<std::string> parts = split(rest, '/');
    source.repository = parts.size() < 2 ? rest : parts[0] + '/' + parts[1];
    source.file = join(parts, 2);
    if (rest.ends_with('/')) refuse(text, "ends with a '/'");
    if (has_quantization && !source.file.empty()) refuse(text, "names a file and a quantization");
    check(source, text);
    return source;
}

std::string without_query(std::string url) {
    url.resize(std::min(url.find('#'), url.size()));
    url.resize(std::min(url.find('?'), url.size()));
    return url;
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string percent_decode(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool has_digits =
            text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
        out += has_digits ? static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])) : text[i];
        if (has_digits) i += 2;
    }
    return out;
}

// https://huggingface.co/OWNER/REPO[/resolve|blob|tree/REVISION[/FILE]]
HubSource parse_hub_address(const std::string& text, std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    std::vector<std::string> parts = split(percent_decode(path), '/');
    HubSource source;
    source.repository = parts.size() < 2 ? std::string(path) : parts[0] + '/' + parts[1];
    if (parts.size() > 2) {
        const std::string& view = parts[2];
        if (parts.size() < 4 || (view != "resolve" && view != "blob" && view != "tree"))
            refuse(text, "is no file's address");
        source.revision = parts[3];
        if (view != "tree") source.file = join(parts, 4);
    }
    check(source, text);
    return source;
}

std::string host_of(const std::string& url) {
    const size_t begin = url.find("://") + 3;
    const size_t end = std::min(url.find_first_of("/?#", begin), url.size());
    std::string host = url.substr(begin, end - begin);
    if (const size_t at = host.rfind('@'); at != std::string::npos) host.erase(0, at + 1);
    if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
    host.resize(std::min(host.find(':'), host.size()));
    return host;
}

}  // namespace

bool is_loopback_http(const std::string& url) {
    if (!url.starts_with(kHttp)) return false;
    const std::string host = host_of(url);
    return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

std::string percent_encode(const std::string& text, bool is_path) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_name_character(c) || c == '~' || (is_path && c == '/')) {
            out += c;
        } else {
            out += {'%', kDigits[byte / 16], kDigits[byte % 16]};
        }
    }
    return out;
}

PullSource parse_source(const std::string& text) {
    if (text.size() > kMaxSourceLength) {
        throw CommandError(ExitCode::Usage, "an address of " + std::to_string(text.size()) +
                                                " bytes is too long; at most " + std::to_string(kMaxSourceLength));
    }
    const bool has_controls =
        std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
    if (has_controls || !base::is_clean_text(text)) {
        throw CommandError(ExitCode::Usage, "the address is no line of text");
    }
    if (text.starts_with(kHubPrefix)) return parse_hub(text);
    if (!text.starts_with(kHttps) && !is_loopback_http(text)) {
        refuse(text, text.starts_with(kHttp)
                         ? "is not encrypted: llmctl pulls over https"
                         : "is neither hf:OWNER/REPO nor an https address; llmctl import takes files");
    }
    const std::string path = without_query(text);
    for (const std::string_view hub : {"https://huggingface.co/", "https://hf.co/", "https://www.huggingface.co/"}) {
        if (path.starts_with(hub)) return parse_hub_address(text, std::string_view(path).substr(hub.size()));
    }
    const size_t host_begin = text.find("://") + 3;
    const size_t slash = path.rfind('/');
    std::string name = slash == std::string::npos || slash < host_begin ? "" : percent_decode(path.substr(slash + 1));
    return WebSource{text, std::move(name)};
}

}  // namespace llmd::client
