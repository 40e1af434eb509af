// llmd-remote is the only program of llmd's with a network: it hands requests to a bigger machine that the settings
// name, and llmd talks to it as to an engine. It lives as long as the other end of its socket is open.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/event_loop.h"
#include "base/json_writer.h"
#include "remote/key_file.h"
#include "remote/peer.h"
#include "remote/sandbox.h"
#include "remote/session.h"

namespace {

using namespace llmd;

enum ExitCode : int { kOk = 0, kFailed = 1, kUsage = 2 };

constexpr std::string_view kHelp =
    "usage: llmd-remote --socket-fd N   serve llmd on the socket N\n"
    "       llmd-remote --version | --help\n"
    "llmd starts this program; it is of no use without it.\n";

ExitCode complain(std::string_view message, ExitCode code) {
    std::fprintf(stderr, "llmd-remote: %.*s\n", static_cast<int>(message.size()), message.data());
    return code;
}

ExitCode write_out(std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? kOk : kFailed;
}

// Secret to this machine and user, so that what is hashed with it tells others nothing. machine-id(5) allows no more
// than that. Without one, equal prompts are shared for the life of this process only.
std::string installation_key() {
    std::string id;
    if (std::ifstream("/etc/machine-id") >> id && !id.empty()) {
        return base::concat("llmd ", id, ' ', ::geteuid(), ' ');
    }
    uint64_t number = 0;
    (void)!::getrandom(&number, sizeof number, 0);
    return base::concat("llmd ", number, ' ');
}

// The names come from llmd; where to and with which key, from the settings alone.
base::Result<remote::OpenedRemote> open_remote(const std::string& name) {
    const auto settings = base::read_settings(base::settings_files());
    // As llmd says it: nothing is wrong with the request.
    if (!settings) return base::fail(base::ErrorCode::NotReady, settings.error().message);
    const auto& remotes = settings->config.remotes;
    const auto found =
        std::find_if(remotes.begin(), remotes.end(), [&](const base::RemoteSettings& one) { return one.name == name; });
    if (found == remotes.end()) {
        return base::fail(base::ErrorCode::ModelNotFound, "the settings have no remote ", base::in_quotes(name));
    }
    remote::OpenedRemote opened{.settings = *found, .key = {}, .sandbox = {}};
    if (!found->key_file.empty()) {
        auto key = remote::read_key(found->key_file);
        if (!key) return key.error();
        opened.key = *std::move(key);
    }
    auto sandbox = remote::confine(*found);
    if (!sandbox) return sandbox.error();
    opened.sandbox = *std::move(sandbox);
    return opened;
}

ExitCode serve(std::string_view number) {
    int fd = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), fd);
    if (error != std::errc() || end != number.data() + number.size() || fd < 0 || ::fcntl(fd, F_GETFD) < 0) {
        return complain(base::concat("--socket-fd: '", number, "' is not an open descriptor"), kUsage);
    }
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (const auto peer = remote::check_peer(fd); !peer) return complain(peer.error().message, kFailed);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // no core files and no debuggers: prompts and the key are in this memory
    base::EventLoop loop;
    remote::Session session(loop, base::UniqueFd(fd),
                            {.open = open_remote, .limits = {}, .salt_key = installation_key()});
    if (const auto ran = loop.run(); !ran) return complain(ran.error().message, kFailed);
    return session.left() == remote::Session::Leave::PeerGone ? kOk : complain(session.reason(), kFailed);
}

}  // namespace

int main(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    const std::vector<std::string_view> args(argv + 1, argv + argc);
    if (args.size() == 1 && args[0] == "--version") return write_out("llmd-remote " LLMD_VERSION "\n");
    if (args.size() == 1 && args[0] == "--help") return write_out(kHelp);
    if (args.size() == 2 && args[0] == "--socket-fd") return serve(args[1]);
    complain("wrong arguments", kUsage);
    std::fwrite(kHelp.data(), 1, kHelp.size(), stderr);
    return kUsage;
}
