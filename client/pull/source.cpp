#include "client/pull/source.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "client/exit_code.h"

namespace llmd::client {
namespace {

constexpr std::string_view kHubPrefix = "hf:";
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kHttp = "http://";
constexpr size_t kMaxSourceLength = 2000;  // browsers and servers agree on it for an address

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw CommandError(ExitCode::Usage, base::in_quotes(text, kMaxSourceLength) + ' ' + why);
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
        refuse(text,
               "names no file: " + base::in_quotes(source.file, kMaxSourceLength) + " is no path in a repository");
    }
    if (source.revision.empty()) refuse(text, "names no revision behind the '@'");
    if (!source.quantization.empty() && !is_name(source.quantization)) {
        refuse(text, "names no quantization: " + base::in_quotes(source.quantization));
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

std::string percent_decode(std::string_view text) {
    if (text.empty()) return "";  // libcurl would count itself
    int length = 0;
    const std::unique_ptr<char, void (*)(void*)> decoded(
        curl_easy_unescape(nullptr, text.data(), static_cast<int>(text.size()), &length), &curl_free);
    return decoded ? std::string(decoded.get(), static_cast<size_t>(length)) : std::string(text);
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

std::string part_of(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return "";
    const std::unique_ptr<char, void (*)(void*)> owner(text, &curl_free);
    return text;
}

// The host of an http address, as libcurl understands it; nothing of another address. With a `location` the one to
// which that redirects from `address`.
std::optional<std::string> http_host(const std::string& address, const std::string& location) {
    const std::unique_ptr<CURLU, void (*)(CURLU*)> url(curl_url(), &curl_url_cleanup);
    // As libcurl reads what it follows.
    constexpr unsigned kFlags = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE;
    for (const std::string& part : {address, location}) {
        if (!part.empty() && curl_url_set(url.get(), CURLUPART_URL, part.c_str(), kFlags) != CURLUE_OK) return {};
    }
    if (part_of(url.get(), CURLUPART_SCHEME) != "http") return {};
    return part_of(url.get(), CURLUPART_HOST);
}

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

}  // namespace

bool is_loopback_http(const std::string& url) {
    const auto host = url.starts_with(kHttp) ? http_host(url, "") : std::nullopt;
    return host && is_loopback(*host);
}

bool leads_to_foreign_http(const std::string& url, const std::string& location) {
    const auto host = http_host(url, location);
    return host && !is_loopback(*host);
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
