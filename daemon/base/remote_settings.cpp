#include "base/remote_settings.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <sys/un.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

#include "base/json_writer.h"
#include "base/setting_table.h"
#include "base/utf8.h"

namespace llmd::base {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLowercase = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kAlphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kHexDigits = "0123456789ABCDEFabcdef";
// RFC 3986: what a path has beside these and '/' is written as %XX.
constexpr std::string_view kPathPunctuation = "-._~!$&'()*+,;=:@/";
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kLabel = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kSnap = "abcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kRemoteName = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr std::string_view kPinPrefix = "sha256//";
constexpr size_t kPinDigits = 43;  // of 256 bits; an '=' follows
constexpr size_t kMaxHostBytes = 253;
constexpr size_t kMaxLabelBytes = 63;
constexpr size_t kMaxAppBytes = 255;  // as D-Bus allows for the name that an application must be able to own
bool is_in(std::string_view set, char c) {
    return set.find(c) != std::string_view::npos;
}

bool consists_of(std::string_view text, std::string_view set) {
    return text.find_first_not_of(set) == std::string_view::npos;
}

// Cuts `text` at the first `separator`; nothing is left behind it where there is none.
std::string_view cut(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

bool is_version_4(const std::string& host) {
    in_addr address{};
    return ::inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool is_version_6(const std::string& host) {
    in6_addr address{};
    return ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_host_name(std::string_view host) {
    if (host.empty() || host.size() > kMaxHostBytes) return false;
    while (true) {
        const size_t dot = host.find('.');
        const std::string_view label = host.substr(0, dot);
        const bool is_label = !label.empty() && label.size() <= kMaxLabelBytes && label.front() != '-' &&
                              label.back() != '-' && consists_of(label, kLabel);
        if (!is_label) return false;
        // Resolvers take 127.1 and 0x7f000001 for addresses: what ends in a number has to be a whole one.
        if (dot == std::string_view::npos) {
            return !label.starts_with("0x") && !consists_of(label, kDigits);
        }
        host.remove_prefix(dot + 1);
    }
}

bool is_path(std::string_view path) {
    for (size_t i = 0; i < path.size(); ++i) {
        if (path[i] == '%') {
            if (path.size() - i < 3 || !is_in(kHexDigits, path[i + 1]) || !is_in(kHexDigits, path[i + 2])) return false;
            i += 2;
        } else if (!is_in(kAlphanumeric, path[i]) && !is_in(kPathPunctuation, path[i])) {
            return false;
        }
    }
    // A client would take these out of the path, so that another one is asked.
    for (std::string_view rest = path; !rest.empty();) {
        const std::string_view part = cut(rest, '/');
        if (part == "." || part == "..") return false;
    }
    return true;
}

template <typename... Parts>
Error bad(const Parts&... parts) {
    return fail(ErrorCode::InvalidArgument, parts...);
}

Result<RemoteUrl> parse_unix(std::string_view path) {
    if (!path.starts_with('/') || path.ends_with('/') || !is_one_line(path)) {
        return bad("unix: is followed by the absolute path of a socket");
    }
    if (path.size() >= sizeof(sockaddr_un{}.sun_path)) {
        return bad("the path of the socket has more than ", sizeof(sockaddr_un{}.sun_path) - 1, " bytes");
    }
    return RemoteUrl{RemoteUrl::Scheme::Unix, "", 0, std::string(path)};
}

Result<std::string> parse_host(std::string_view text) {
    std::string host(text);
    if (text.starts_with('[')) {
        host = text.substr(1, text.size() - 2);
        if (host.find('%') != std::string::npos) {
            return bad("the address has a zone: name that network device as interface instead");
        }
        if (text.ends_with(']') && is_version_6(host)) return host;
        return bad("the host ", in_quotes(text), " is no IPv6 address");
    }
    if (host.empty()) return bad("a host is missing");
    if (is_host_name(host) || is_version_4(host)) return host;
    return bad("the host ", in_quotes(text), " is neither a name nor an address");
}

bool is_application_id(std::string_view id) {
    size_t parts = 0;
    if (id.empty() || id.size() > kMaxAppBytes || id.ends_with('.')) return false;
    while (!id.empty()) {
        const std::string_view part = cut(id, '.');
        const bool is_part = !part.empty() && !is_in(kDigits, part.front()) && consists_of(part, kLabel);
        if (!is_part) return false;
        ++parts;
    }
    return parts >= 2;
}

bool is_snap_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxAppBytes && consists_of(name, kSnap);
}

// As the kernel has it (dev_valid_name).
bool is_network_device(std::string_view name) {
    return !name.empty() && name.size() < IF_NAMESIZE && name != "." && name != ".." &&
           std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f && c != '/' && c != ':'; });
}

bool is_pin(std::string_view pin) {
    if (!pin.starts_with(kPinPrefix)) return false;
    pin.remove_prefix(kPinPrefix.size());
    if (pin.size() != kPinDigits + 1 || pin.back() != '=') return false;
    pin.remove_suffix(1);
    // 43 digits are 258 bits: the last two are 0 in what an encoder wrote.
    return consists_of(pin, kBase64) && kBase64.find(pin.back()) % 4 == 0;
}

bool is_path_of_file(const std::string& path) {
    return path.empty() || (path.starts_with('/') && !path.ends_with('/') && is_one_line(path));
}

// `what_it_is` for what only TLS has.
std::optional<std::string> fault_without_tls(const RemoteSettings& remote, const std::string& value,
                                             const char* what_it_is) {
    if (value.empty() || remote.url.starts_with("https://")) return std::nullopt;
    return concat(what_it_is, " is checked with https:// only, and this url is another");
}

std::optional<std::string> fault_in_name(const std::string& name) {
    const bool is_name = !name.empty() && name.size() <= kMaxRemoteNameBytes && is_in(kLowercase, name.front()) &&
                         consists_of(name, kRemoteName);
    if (is_name) return std::nullopt;
    return concat(in_quotes(name), " is not of 1 to ", kMaxRemoteNameBytes,
                  " characters a-z 0-9 - that begin with a letter");
}

std::optional<std::string> fault_in_url(const RemoteSettings& remote) {
    const auto url = parse_remote_url(remote.url);
    if (!url) return url.error().message;
    if (url->scheme != RemoteUrl::Scheme::Http || is_loopback(*url)) return std::nullopt;
    if (remote.interface.empty()) {
        return "http:// to another machine sends prompts in the clear: use https://, or name the network device of a "
               "VPN as interface";
    }
    std::string host = url->host;
    std::transform(host.begin(), host.end(), host.begin(), [](unsigned char c) { return std::tolower(c); });
    if (host.ends_with(".local")) {
        return "http:// to " + in_quotes(url->host) +
               ": any device of a network may call itself so; that takes https://";
    }
    return std::nullopt;
}

std::optional<std::string> fault_in_models(const std::vector<std::string>& models) {
    if (models.empty()) return "names no model; those that may be asked for have to be listed";
    if (models.size() > kMaxRemoteModels) return concat("has more than ", kMaxRemoteModels, " entries");
    std::set<std::string> names;
    for (const std::string& entry : models) {
        const RemoteModel model = remote_model(entry);
        if (entry.size() > kMaxRemoteModelBytes) {
            return concat(in_quotes(entry), " has more than ", kMaxRemoteModelBytes, " bytes");
        }
        if (model.upstream.empty() || !is_one_line(model.upstream)) {
            return in_quotes(entry) + ": no model of a remote is called " + in_quotes(model.upstream);
        }
        if (entry.find('=') == std::string::npos && entry.find('/') != std::string::npos) {
            return in_quotes(entry) + " has a '/': choose a name for it here, as in " +
                   in_quotes(entry.substr(entry.rfind('/') + 1) + "=" + entry, kMaxRemoteModelBytes);
        }
        if (!is_model_name(model.name)) return in_quotes(model.name) + " cannot be the name of a model";
        if (model.name.find('@') != std::string::npos) {
            return in_quotes(model.name) + " has an '@', which stands before the remote's name";
        }
        if (!names.insert(model.name).second) return in_quotes(model.name) + " is there twice";
    }
    return std::nullopt;
}

std::optional<std::string> fault_in_apps(const std::vector<std::string>& apps) {
    if (apps.size() > kMaxRemoteApps) return concat("has more than ", kMaxRemoteApps, " entries");
    for (const std::string& app : apps) {
        if (is_remote_app(app)) continue;
        if (app.size() > 1 && app.find('*') != std::string::npos) {
            return in_quotes(app) + ": there is no wildcard for applications; each is named by its whole id";
        }
        return in_quotes(app) +
               " is no application: \"host\" is all programs outside of a sandbox, \"org.example.App\" " +
               "a Flatpak, \"snap:example\" a Snap";
    }
    return std::nullopt;
}

std::optional<std::string> fault_in_key_file(const std::string& path) {
    if (is_path_of_file(path)) return std::nullopt;
    return "is no path from / or ~/ on; the key itself belongs into that file only";
}

std::optional<std::string> fault_in_ca_file(const RemoteSettings& remote) {
    if (!is_path_of_file(remote.ca_file)) return in_quotes(remote.ca_file) + " is no path from / or ~/ on";
    return fault_without_tls(remote, remote.ca_file, "a certificate");
}

std::optional<std::string> fault_in_pin(const RemoteSettings& remote) {
    if (!remote.pin.empty() && !is_pin(remote.pin)) {
        return in_quotes(remote.pin) + " is not sha256// and the 44 base64 characters of a SHA-256";
    }
    return fault_without_tls(remote, remote.pin, "a public key");
}

std::optional<std::string> fault_in_interface(const RemoteSettings& remote) {
    if (remote.interface.empty()) return std::nullopt;
    if (!is_network_device(remote.interface)) {
        return in_quotes(remote.interface) + " cannot be the name of a network device";
    }
    if (!remote.url.starts_with("unix:")) return std::nullopt;
    return "a unix: url is reached through no network device";
}

}  // namespace

RemoteModel remote_model(std::string_view entry) {
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) return {std::string(entry), std::string(entry)};
    return {std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1))};
}

Result<RemoteUrl> parse_remote_url(std::string_view url) {
    if (url.empty()) return bad("is empty");
    if (url.size() > kMaxRemoteUrlBytes) return bad("has more than ", kMaxRemoteUrlBytes, " bytes");
    if (url.starts_with("unix:")) return parse_unix(url.substr(std::string_view("unix:").size()));
    RemoteUrl out;
    if (url.starts_with("https://")) {
        url.remove_prefix(std::string_view("https://").size());
        out.port = 443;
    } else if (url.starts_with("http://")) {
        url.remove_prefix(std::string_view("http://").size());
        out.scheme = RemoteUrl::Scheme::Http;
        out.port = 80;
    } else {
        return bad("begins with none of https://, http://, unix:/");
    }
    if (url.find('#') != std::string_view::npos) return bad("has a fragment, from '#' on");
    if (url.find('?') != std::string_view::npos) return bad("has a query, from '?' on");
    const size_t slash = std::min(url.find('/'), url.size());
    std::string_view authority = url.substr(0, slash);
    std::string_view path = url.substr(slash);
    if (authority.find('@') != std::string_view::npos) {
        return bad("has a user or a password in it; the key goes into the file that key_file names");
    }
    const size_t behind_address = authority.starts_with('[') ? authority.find(']') : 0;
    if (const size_t colon = authority.find(':', std::min(behind_address, authority.size()));
        colon != std::string_view::npos) {
        const std::string_view port = authority.substr(colon + 1);
        uint16_t number = 0;
        const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
        if (error != std::errc() || end != port.data() + port.size() || number == 0) {
            return bad("the port ", in_quotes(port), " is not in the range 1 to 65535");
        }
        out.port = number;
        authority = authority.substr(0, colon);
    }
    auto host = parse_host(authority);
    if (!host) return std::move(host).error();
    out.host = std::move(*host);
    if (!is_path(path)) return bad("what follows the host is no path");
    const auto without_slashes = [&] {
        while (path.ends_with('/')) path.remove_suffix(1);
    };
    without_slashes();
    if (path.ends_with("/v1")) path.remove_suffix(std::string_view("/v1").size());
    without_slashes();
    out.path = path;
    return out;
}

bool is_loopback(const RemoteUrl& url) {
    if (url.scheme == RemoteUrl::Scheme::Unix) return true;
    in6_addr address{};
    if (::inet_pton(AF_INET6, url.host.c_str(), &address) == 1) return IN6_IS_ADDR_LOOPBACK(&address);
    if (is_version_4(url.host)) return url.host.starts_with("127.");
    return url.host == "localhost";
}

std::string address_of(const RemoteUrl& url) {
    if (url.scheme == RemoteUrl::Scheme::Unix) return "unix:" + url.path;
    const bool has_colons = url.host.find(':') != std::string::npos;  // of version 6
    return concat(has_colons ? "[" : "", url.host, has_colons ? "]:" : ":", url.port);
}

bool is_remote_app(std::string_view text) {
    constexpr std::string_view kFlatpak = "flatpak:";
    constexpr std::string_view kSnap = "snap:";
    if (text == "host" || text == "*") return true;
    if (text.starts_with(kSnap)) return is_snap_name(text.substr(kSnap.size()));
    if (text.starts_with(kFlatpak)) text.remove_prefix(kFlatpak.size());
    return is_application_id(text);
}

bool is_model_name(std::string_view name) {
    return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos && is_one_line(name);
}

bool is_local_model_name(std::string_view name) {
    return is_model_name(name) && name.find('@') == std::string_view::npos;
}

std::optional<RemoteFault> fault_in(const RemoteSettings& remote) {
    const std::pair<std::string_view, std::optional<std::string>> faults[] = {
        {"name", fault_in_name(remote.name)},       {"url", fault_in_url(remote)},
        {"models", fault_in_models(remote.models)}, {"key_file", fault_in_key_file(remote.key_file)},
        {"ca_file", fault_in_ca_file(remote)},      {"pin", fault_in_pin(remote)},
        {"interface", fault_in_interface(remote)},  {"apps", fault_in_apps(remote.apps)},
    };
    for (const auto& [key, what] : faults) {
        if (what) return RemoteFault{key, *what};
    }
    for (const Setting<RemoteSettings>& setting : remote_settings()) {
        const auto* member = std::get_if<std::string RemoteSettings::*>(&setting.member);
        const auto& choices = setting.choices;
        if (member == nullptr || choices.empty()) continue;
        const std::string& value = remote.**member;
        if (std::find(choices.begin(), choices.end(), value) != choices.end()) continue;
        return RemoteFault{setting.name, in_quotes(value) + " is none of " + listed(choices)};
    }
    return std::nullopt;
}

}  // namespace llmd::base
