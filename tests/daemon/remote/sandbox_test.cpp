// Proves what llmd-remote can still do once it is confined: a child confines itself, tries, and answers by its exit
// status. If the kernel lacks Landlock or seccomp, the sentence must say so, and what that would have refused succeeds.
// Where the tests run as root everything is tried as an ordinary user too.
#include "remote/sandbox.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/sandbox.h"
#include "base/unique_fd.h"
#include "privileges.h"
#include "support/system_calls.h"

namespace llmd::remote {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotConfine = 99;
constexpr int kWrong = 98;

int errno_of(bool succeeded) {
    return succeeded ? 0 : errno;
}

// A TCP socket at 127.0.0.1 that listens, and its port.
struct Listener {
    Listener() : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(fd.get(), 8), 0);
        EXPECT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
        port = ntohs(address.sin_port);
    }
    static sockaddr_in loopback(uint16_t port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    base::UniqueFd fd;
    uint16_t port = 0;
};

int connect_tcp(uint16_t port) {
    const base::UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
    const sockaddr_in address = Listener::loopback(port);
    return errno_of(fd && ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

int bind_port(int type) {
    const base::UniqueFd fd(::socket(AF_INET, type, 0));
    const sockaddr_in address = Listener::loopback(0);
    return errno_of(fd && ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

int open_socket(int family, int type, int protocol) {
    return errno_of(::socket(family, type, protocol) >= 0);
}

int open_file(const fs::path& name, int flags) {
    return errno_of(::open(name.c_str(), flags, 0600) >= 0);
}

// The parameter is whether it runs as root.
class Confined : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "llmd-remote-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
        fs::create_directories(directory_ / "home");
        std::ofstream(directory_ / "home/letter") << "dear";
        std::ofstream(directory_ / "home/ca.pem") << "certificate";
        for (const char* path : {"", "home"}) ASSERT_EQ(::chmod((directory_ / path).c_str(), 0777), 0);
        for (const char* path : {"home/letter", "home/ca.pem"}) {
            ASSERT_EQ(::chmod((directory_ / path).c_str(), 0666), 0);
        }
        settings_.name = "home";
        settings_.url = base::concat("https://example.invalid:", remote_.port, "/v1");
        settings_.ca_file = directory_ / "home/ca.pem";
        said_ = sentence(settings_);
    }
    void TearDown() override { fs::remove_all(directory_); }

    // Returns the wait status of a child that does `what` as the user.
    static int run(const std::function<int()>& what) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(GetParam() || test::leave_root() ? what() : kCannotConfine);
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return status;
    }
    // Returns the errno that a confined child gets, 0 if it succeeds.
    int confined(const std::function<int()>& what) { return confined_to(settings_, what); }
    static int confined_to(const base::RemoteSettings& settings, const std::function<int()>& what) {
        const int status = run([&] { return confine(settings) ? what() : kCannotConfine; });
        EXPECT_TRUE(WIFEXITED(status)) << status;
        EXPECT_NE(WEXITSTATUS(status), kCannotConfine);
        return WEXITSTATUS(status);
    }
    // Returns what a child finds out that this kernel offers, if it fails these calls.
    static std::string sentence(const base::RemoteSettings& settings,
                                const std::vector<base::RefusedCall>& lacks = {}) {
        int pipe[2];
        EXPECT_EQ(::pipe(pipe), 0);
        run([&] {
            if (!lacks.empty() && (!base::drop_privileges() || !base::refuse_calls({lacks}))) return 1;
            const auto said = confine(settings);
            if (!said) return 1;
            return ::write(pipe[1], said->data(), said->size()) < 0 ? 1 : 0;
        });
        ::close(pipe[1]);
        std::array<char, 512> text{};
        EXPECT_GT(::read(pipe[0], text.data(), text.size() - 1), 0);
        ::close(pipe[0]);
        return text.data();
    }
    bool held(const char* part) const { return said_.substr(0, said_.find(';')).find(part) != std::string::npos; }
    int refused_file() const { return held("files") ? EACCES : 0; }
    int refused_port() const { return held("TCP ports") ? EACCES : 0; }
    int refused_call() const { return held("seccomp") ? EPERM : 0; }

    base::RemoteSettings with_url(std::string url) const {
        base::RemoteSettings settings = settings_;
        settings.url = std::move(url);
        return settings;
    }

    Listener remote_;
    Listener other_;
    fs::path directory_;
    base::RemoteSettings settings_;
    std::string said_;
};

TEST_P(Confined, SaysWhatHoldsAndWhatTheKernelLacks) {
    for (const char* part : {"files", "TCP ports", "system calls"}) {
        EXPECT_NE(said_.find(part), std::string::npos) << said_;
    }
    EXPECT_EQ(held("seccomp"), ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0) << said_;
    if (!held("seccomp")) return;
    constexpr base::RefusedCall kNoLandlock{"landlock_create_ruleset", ENOSYS};
    constexpr base::RefusedCall kNoSeccomp{"prctl", EINVAL, base::RefusedCall::When::Equals, 0, PR_GET_SECCOMP};
    EXPECT_EQ(sentence(settings_, {kNoLandlock}),
              "system calls (seccomp); this kernel cannot restrict files, TCP ports, paths of Unix sockets");
    EXPECT_EQ(sentence(with_url("https://[::1]:8443"), {kNoLandlock}),
              "system calls (seccomp); this kernel cannot restrict files, TCP ports");
    EXPECT_NE(sentence(settings_, {kNoSeccomp}).find("; this kernel cannot restrict system calls"), std::string::npos);
    EXPECT_EQ(sentence(settings_, {kNoLandlock, kNoSeccomp}), "none: this kernel offers neither Landlock nor seccomp");
}

TEST_P(Confined, ReadsWhatTheSystemSaysAndItsCertificate) {
    EXPECT_EQ(confined([&] { return open_file(directory_ / "home/ca.pem", O_RDONLY); }), 0);
    for (const char* path : {"/etc/passwd", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/hosts", "/etc/ssl",
                             "/etc/ssl/certs/ca-certificates.crt", "/usr/share/ca-certificates", "/usr/lib"}) {
        if (!fs::exists(path)) continue;
        EXPECT_EQ(confined([&] { return open_file(path, O_RDONLY); }), 0) << path;
    }
    EXPECT_EQ(confined([&] { return open_file(directory_ / "home/letter", O_RDONLY); }), refused_file());
    EXPECT_EQ(confined([&] { return open_file(directory_ / "home", O_RDONLY | O_DIRECTORY); }), refused_file());
    EXPECT_EQ(confined([&] { return open_file("/proc/self/maps", O_RDONLY); }) != 0, held("files"));
}

TEST_P(Confined, WritesNothing) {
    EXPECT_EQ(confined([&] { return open_file(directory_ / "home/letter", O_WRONLY); }), refused_file());
    EXPECT_EQ(confined([&] { return open_file(directory_ / "home/ca.pem", O_WRONLY); }), refused_file());
    EXPECT_EQ(confined([&] { return open_file(directory_ / "home/new", O_WRONLY | O_CREAT); }), refused_file());
    EXPECT_EQ(confined([&] { return errno_of(::unlink((directory_ / "home/ca.pem").c_str()) == 0); }), refused_file());
}

TEST_P(Confined, ConnectsToThePortOfTheUrlOnly) {
    EXPECT_EQ(confined([&] { return connect_tcp(remote_.port); }), 0);
    EXPECT_EQ(confined([&] { return connect_tcp(other_.port); }), refused_port());
    // Nobody listens there: the connection is let out and refused.
    EXPECT_NE(confined([] { return connect_tcp(53); }), EACCES) << "an answer of DNS that is too long for UDP";
    const auto by_address = with_url(base::concat("http://127.0.0.1:", remote_.port));
    EXPECT_EQ(confined_to(by_address, [&] { return connect_tcp(remote_.port); }), 0);
    EXPECT_EQ(confined_to(by_address, [] { return connect_tcp(53); }) == EACCES, held("TCP ports"))
        << "an address is not looked up";
}

TEST_P(Confined, ThePortIsTheUrlsOrTheSchemes) {
    struct Row {
        const char* url;
        uint16_t port;
    };
    for (const Row& row : {Row{"https://h", 443}, Row{"http://h/x:81", 80}, Row{"https://[::1]:8443/a", 8443},
                           Row{"https://[::1]", 443}, Row{"http://h:8000/x", 8000}}) {
        const int status = confined_to(with_url(row.url), [&] { return connect_tcp(row.port); });
        EXPECT_NE(status, EACCES) << row.url;
        if (held("TCP ports")) {
            EXPECT_EQ(confined_to(with_url(row.url), [] { return connect_tcp(81); }), EACCES) << row.url;
        }
    }
}

TEST_P(Confined, AUrlWithoutAPortThatCanBeIsRefusedBeforeAnythingIs) {
    for (const char* url :
         {"", "ftp://h", "https://h:0", "https://h:65536", "https://h:-1", "https://h:8x", "https://h:"}) {
        const int status = run([&] {
            const auto said = confine(with_url(url));
            if (said || said.error().code != base::ErrorCode::InvalidArgument) return kWrong;
            return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
        });
        EXPECT_EQ(WEXITSTATUS(status), 0) << url;
    }
}

TEST_P(Confined, NobodyConnectsToIt) {
    EXPECT_EQ(confined([] { return bind_port(SOCK_STREAM); }), refused_port());
    EXPECT_EQ(confined([] { return bind_port(SOCK_DGRAM); }), 0) << "musl's resolver binds";
    EXPECT_EQ(confined([&] { return errno_of(::listen(::socket(AF_INET, SOCK_STREAM, 0), 1) == 0); }), refused_call());
    if (!held("seccomp")) return;
    EXPECT_EQ(confined([&] { return errno_of(::accept(remote_.fd.get(), nullptr, nullptr) >= 0); }), EPERM);
    EXPECT_EQ(confined([&] { return errno_of(::accept4(remote_.fd.get(), nullptr, nullptr, 0) >= 0); }), EPERM);
}

TEST_P(Confined, OpensSocketsOfTheNetworkAndTheResolverOnly) {
    for (const int family : {AF_INET, AF_INET6, AF_UNIX}) {
        const int without = run([&] { return open_socket(family, SOCK_STREAM, 0); });
        EXPECT_EQ(confined([&] { return open_socket(family, SOCK_STREAM, 0); }), WEXITSTATUS(without)) << family;
    }
    EXPECT_EQ(confined([] { return open_socket(AF_INET, SOCK_STREAM, IPPROTO_TCP); }), 0);
    EXPECT_EQ(confined([] { return open_socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP); }), 0);
    EXPECT_EQ(confined([] { return open_socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE); }), 0);
    if (!held("seccomp")) return;
    constexpr int kMultipathTcp = 262;
    EXPECT_EQ(confined([] { return open_socket(AF_INET, SOCK_STREAM, kMultipathTcp); }), EPERM);
    EXPECT_EQ(confined([] { return open_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP); }), EPERM);
    for (const int family : {0, AF_X25, AF_PACKET, AF_ALG, AF_BLUETOOTH, AF_VSOCK, 1000}) {
        EXPECT_EQ(confined([&] { return open_socket(family, SOCK_DGRAM, 0); }), EPERM) << family;
    }
    const auto by_address = with_url("https://[::1]:8443");
    EXPECT_EQ(confined_to(by_address, [] { return open_socket(AF_UNIX, SOCK_STREAM, 0); }), EPERM);
    EXPECT_EQ(confined_to(by_address, [] { return open_socket(AF_INET6, SOCK_STREAM, 0); }),
              WEXITSTATUS(run([] { return open_socket(AF_INET6, SOCK_STREAM, 0); })));
}

TEST_P(Confined, AUnixSocketIsReachedWhereTheUrlNamesIt) {
    const fs::path path = directory_ / "socket";
    const base::UniqueFd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    ASSERT_EQ(::bind(listening.get(), generic, sizeof address), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
    ASSERT_EQ(::listen(listening.get(), 8), 0);
    const auto reach = [&] {
        return errno_of(::connect(::socket(AF_UNIX, SOCK_STREAM, 0), generic, sizeof address) == 0);
    };
    const auto there = with_url("unix:" + path.string());
    EXPECT_EQ(confined_to(there, reach), 0);
    EXPECT_EQ(confined_to(there, [&] { return connect_tcp(remote_.port); }), refused_port());
    const bool restricts = held("files") && said_.find("Unix sockets") == std::string::npos;
    EXPECT_EQ(confined(reach), restricts ? EACCES : 0);
}

TEST_P(Confined, StartsThreadsButNoProcesses) {
    EXPECT_EQ(confined([] {
                  int n = 0;
                  std::thread([&] { n = 1; }).join();
                  return n == 1 ? 0 : kWrong;
              }),
              0);
    EXPECT_EQ(confined([] {
                  const pid_t child = ::fork();
                  if (child == 0) ::_exit(0);
                  return errno_of(child > 0);
              }),
              refused_call());
    // Ways that the C library does not take.
#ifdef SYS_fork
    EXPECT_EQ(confined([] {
                  const long child = ::syscall(SYS_fork);
                  if (child == 0) ::_exit(0);
                  return errno_of(child > 0);
              }),
              refused_call());
#endif
#ifdef SYS_clone3
    if (held("seccomp")) {
        EXPECT_EQ(confined([] { return errno_of(::syscall(SYS_clone3, nullptr, 0) >= 0); }), ENOSYS);
    }
#endif
}

TEST_P(Confined, ExecutesNothing) {
    const int refused = held("seccomp") ? EPERM : refused_file();
    EXPECT_EQ(confined([] { return errno_of(::execl("/bin/true", "true", nullptr) == 0); }), refused);
    EXPECT_EQ(confined([] {
                  const int program = ::open("/usr/bin/true", O_RDONLY | O_CLOEXEC);
                  char* const none[] = {nullptr};
                  return errno_of(::syscall(SYS_execveat, program, "", none, none, AT_EMPTY_PATH) == 0);
              }),
              refused);
    // Landlock alone does so as well.
    const int status = run([] {
        base::LandlockRules rules;
        rules.read = {"/"};
        if (!base::drop_privileges() || !base::enter_landlock(rules)) return kCannotConfine;
        return errno_of(::execl("/bin/true", "true", nullptr) == 0);
    });
    EXPECT_EQ(WEXITSTATUS(status), refused_file());
}

TEST_P(Confined, HasNoAccessToOthers) {
    EXPECT_EQ(confined([] { return errno_of(::kill(::getppid(), 0) == 0); }),
              held("seccomp") ? EPERM : WEXITSTATUS(run([] { return errno_of(::kill(::getppid(), 0) == 0); })));
    EXPECT_EQ(confined([] { return errno_of(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0); }), refused_call());
    if (!held("seccomp")) return;
    for (const test::SystemCall& call : test::calls_on_others(::getppid())) {
        EXPECT_EQ(confined([&] { return test::stop_all_calls() && !test::is_allowed(call) ? 0 : kWrong; }), 0)
            << call.name;
    }
}

TEST_P(Confined, LeavesNothingBehindAndHasLimits) {
    EXPECT_EQ(confined([] { return ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }), 0);
    EXPECT_EQ(confined([] { return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); }), 1);
    EXPECT_EQ(confined([] {
                  rlimit core{}, files{};
                  ::getrlimit(RLIMIT_CORE, &core);
                  ::getrlimit(RLIMIT_NOFILE, &files);
                  return core.rlim_max == 0 && files.rlim_max <= 128 ? 0 : kWrong;
              }),
              0);
}

// llmd goes by the signal that ends a process that it has started.
TEST_P(Confined, AnAbortIsStillAnAbort) {
    const int status = run([this] {
        if (!confine(settings_)) return kCannotConfine;
        std::abort();
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
}

TEST_P(Confined, NamesAreStillResolved) {
    const auto resolve = [] {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        return ::getaddrinfo("localhost", "443", &hints, &found) == 0 && found != nullptr ? 0 : kWrong;
    };
    ASSERT_EQ(run(resolve), 0);
    EXPECT_EQ(confined(resolve), 0);
    EXPECT_EQ(confined([&] {  // libcurl looks names up in a thread
                  int result = kWrong;
                  std::thread([&] { result = resolve(); }).join();
                  return result;
              }),
              0);
}

// libcurl does this at its first https connection: OpenSSL reads its settings, and its modules from files.
TEST_P(Confined, TlsIsStillSetUp) {
    const auto set_up = [] {
        void* library = nullptr;
        for (const char* name : {"libssl.so.3", "libssl.so"}) {
            if (library == nullptr) library = ::dlopen(name, RTLD_NOW);
        }
        if (library == nullptr) return kWrong;
        const auto method = reinterpret_cast<const void* (*)()>(::dlsym(library, "TLS_client_method"));
        const auto create = reinterpret_cast<void* (*)(const void*)>(::dlsym(library, "SSL_CTX_new"));
        const auto paths = reinterpret_cast<int (*)(void*)>(::dlsym(library, "SSL_CTX_set_default_verify_paths"));
        if (method == nullptr || create == nullptr || paths == nullptr) return kWrong;
        void* context = create(method());
        return context != nullptr && paths(context) == 1 ? 0 : kWrong;
    };
    if (run(set_up) != 0) GTEST_SKIP() << "OpenSSL is not here";
    EXPECT_EQ(confined(set_up), 0);
}

INSTANTIATE_TEST_SUITE_P(, Confined, testing::ValuesIn(test::possible_privileges()), test::privileges);

}  // namespace
}  // namespace llmd::remote
