#include "remote/sandbox.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/remote_settings.h"
#include "base/sandbox.h"

namespace llmd::remote {

namespace {

using base::ErrorCode;
using base::fail_errno;
using base::RefusedCall;
using base::Result;
namespace fs = std::filesystem;

constexpr uint16_t kDnsPort = 53;  // TCP where an answer is too long for UDP
constexpr uint16_t kDnsOverTlsPort = 853;

using Scheme = base::RemoteUrl::Scheme;

bool has_name(const base::RemoteUrl& url) {
    in_addr version_4{};
    in6_addr version_6{};
    return !url.host.empty() && ::inet_pton(AF_INET, url.host.c_str(), &version_4) != 1 &&
           ::inet_pton(AF_INET6, url.host.c_str(), &version_6) != 1;
}

// Returns the paths that libraries read once they are needed: certificates, settings of TLS, and name resolution with
// its modules.
std::vector<fs::path> readable_paths(const base::RemoteSettings& settings) {
    std::vector<fs::path> paths = {"/etc", "/usr", "/lib", "/lib32", "/lib64", "/dev/null", "/dev/urandom"};
    for (const char* name : {"/run/systemd/resolve", "/run/nscd", "/run/resolvconf", "/run/NetworkManager"}) {
        paths.emplace_back(name);
    }
    // Who manages the network replaces this file, so that its directory is what stays.
    std::error_code failure;
    const fs::path resolv_conf = fs::canonical("/etc/resolv.conf", failure);
    if (!failure) {
        const fs::path directory = resolv_conf.parent_path();
        paths.push_back(directory == "/run" || directory == "/" ? resolv_conf : directory);
    }
    if (!settings.ca_file.empty()) paths.emplace_back(settings.ca_file);
    return paths;
}

base::LandlockRules landlock_rules(const base::RemoteSettings& settings, const base::RemoteUrl& url) {
    base::LandlockRules rules;
    rules.read = readable_paths(settings);
    rules.sockets.emplace();
    rules.tcp_ports.emplace();
    if (url.scheme == Scheme::Unix) {
        rules.sockets->push_back(fs::path(url.path).parent_path());  // a tunnel that comes again makes another socket
        return rules;
    }
    rules.tcp_ports->push_back(url.port);
    if (has_name(url)) {
        rules.tcp_ports->insert(rules.tcp_ports->end(), {kDnsPort, kDnsOverTlsPort});
        for (const char* name : {"/run/systemd/resolve", "/run/nscd", "/run/avahi-daemon"}) {
            rules.sockets->emplace_back(name);
        }
    }
    return rules;
}

bool needs_unix_sockets(const base::RemoteUrl& url) {
    return url.scheme == Scheme::Unix || has_name(url);
}

std::vector<RefusedCall> refused_calls(const base::RemoteUrl& url) {
    using When = RefusedCall::When;
    std::vector<RefusedCall> calls = {
        {"execve"},         {"execveat"}, {"fork"},    {"vfork"}, {"clone", EPERM, When::LacksBits, 0, CLONE_THREAD},
        {"clone3", ENOSYS},  // its flags cannot be seen; libraries use clone() then
        {"listen"},         {"accept"},   {"accept4"},
    };
#ifndef SYS_socketcall  // through which a filter sees no arguments
    // A Unix socket reaches whatever else the user runs, and Landlock keeps it from that only lately.
    const bool needs_unix = needs_unix_sockets(url);
    for (int family = 0; family <= AF_NETLINK; ++family) {
        const bool allowed =
            (family == AF_UNIX && needs_unix) || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
        if (!allowed) calls.push_back({"socket", EPERM, When::Equals, 0, static_cast<uint64_t>(family)});
    }
    calls.push_back({"socket", EPERM, When::Above, 0, AF_NETLINK});
    // Landlock knows TCP, but not what connects as well: SCTP and Multipath TCP.
    calls.push_back({"socket", EPERM, When::Above, 2, IPPROTO_UDP});
#endif
    return calls;
}

constexpr base::ResourceLimit kLimits[] = {
#ifndef LLMD_SANITIZED                        // whose shadow memory is terabytes
    {"RLIMIT_DATA", RLIMIT_DATA, 256 << 20},  // bytes, with the stacks of threads that resolve names
#endif
    {"RLIMIT_NOFILE", RLIMIT_NOFILE, 128},
    {"RLIMIT_CORE", RLIMIT_CORE, 0},
};

std::string sentence(int landlock, bool seccomp, bool opens_unix_sockets) {
    std::string held;
    std::string lacks;
    const auto add = [](std::string& list, std::string_view what) {
        list += (list.empty() ? "" : ", ") + std::string(what);
    };
    if (landlock >= base::kLandlockTcp) {
        held = base::concat("files and TCP ports (Landlock ", landlock, ")");
    } else if (landlock > 0) {
        held = base::concat("files (Landlock ", landlock, ")");
        add(lacks, "TCP ports");
    } else {
        add(lacks, "files, TCP ports");
    }
    if (seccomp) {
        held += base::concat(held.empty() ? "" : " and ", "system calls (seccomp)");
    } else {
        add(lacks, "system calls");
    }
    if (opens_unix_sockets && landlock < base::kLandlockSockets) add(lacks, "paths of Unix sockets");
    if (held.empty()) return "none: this kernel offers neither Landlock nor seccomp";
    return lacks.empty() ? held : base::concat(held, "; this kernel cannot restrict ", lacks);
}

}  // namespace

Result<std::string> confine(const base::RemoteSettings& settings) {
    const auto url = base::parse_remote_url(settings.url);
    if (!url) return base::fail(ErrorCode::InvalidArgument, "url: ", url.error().message);
    if (auto done = base::drop_privileges(); !done) return done.error();
    for (const base::ResourceLimit& limit : kLimits) {
        if (auto done = base::limit_resource(limit); !done) return done.error();
    }
    const auto landlock = base::enter_landlock(landlock_rules(settings, *url));
    if (!landlock) return landlock.error();
    const auto seccomp = base::refuse_calls({base::calls_on_others(), refused_calls(*url)});
    if (!seccomp) return seccomp.error();
    // Last: the files of /proc/self belong to root then.
    if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return fail_errno(ErrorCode::Failed, "prctl PR_SET_DUMPABLE", errno);
    return sentence(*landlock, *seccomp, !*seccomp || needs_unix_sockets(*url));
}

}  // namespace llmd::remote
