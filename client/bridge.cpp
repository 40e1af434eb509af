// `llmctl bridge`
#include <sys/signalfd.h>
#include <sys/un.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/config.h"
#include "base/sha256.h"
#include "client/bridge_server.h"
#include "client/bridge_token.h"
#include "client/commands.h"
#include "client/llmd_client.h"
#include "client/output.h"

namespace llmd::client {
namespace {

// Ollama's, where programs that know no other address look first.
constexpr uint16_t kDefaultPort = 11434;

BridgeConnection::Route route_from(const Dictionary& options) {
    const auto folder = base::xdg_runtime_dir();
    if (!folder) throw CommandError(ExitCode::Unreachable, folder.error().message, "Unreachable");
    BridgeConnection::Route route{*folder + base::kBridgeSocket, start_command(), {}};
    if (route.socket.size() >= sizeof sockaddr_un{}.sun_path) {
        throw CommandError(ExitCode::Failed, route.socket + ": " + std::strerror(ENAMETOOLONG));
    }
    route.preamble.port = static_cast<uint16_t>(number_of(options, "port", kDefaultPort));
    route.preamble.hosts = list_of(options, "allow_host");
    if (const auto file = options.find("token_file"); file != options.end()) {
        base::Sha256 digest;
        digest.add(bridge_token(*file->second.get<std::string>()));
        route.preamble.token_digest = digest.hex();
    }
    route.preamble.origins = list_of(options, "allow_origin");
    for (const std::string& origin : route.preamble.origins) {
        if (const auto checked = base::check_origin(origin, !route.preamble.token_digest.empty()); !checked) {
            throw CommandError(ExitCode::Usage, "--allow-origin: " + checked.error().message);
        }
    }
    base::BridgePreamble longest = route.preamble;
    longest.program = base::kMaxProgram;
    if (const auto written = base::write_bridge_preamble(longest); !written) {
        throw CommandError(ExitCode::Usage, "--allow-host, --allow-origin: " + written.error().message);
    }
    return route;
}

// The signals that end the bridge, as a descriptor.
base::UniqueFd end_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    base::UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC));
    if (!fd) throw CommandError(ExitCode::Failed, std::string("signalfd: ") + std::strerror(errno));
    return fd;
}

void announce(const BridgeServer& server, const BridgeConnection::Route& route, bool json) {
    if (json) {
        base::JsonWriter out;
        out.begin_object();
        write_json(out.key("urls"), Value(server.urls()));
        out.key("socket").value(route.socket).key("token").value(!route.preamble.token_digest.empty()).end_object();
        return print(out.take() + '\n');
    }
    std::string line;
    for (const std::string& url : server.urls()) line += (line.empty() ? "" : " and ") + url;
    print(line + " lead to " + route.socket + "; Ctrl-C ends this\n");
}

}  // namespace

ExitCode run_bridge(const Arguments& arguments) {
    const BridgeConnection::Route route = route_from(arguments.request);
    base::EventLoop loop;
    const base::UniqueFd ended = end_signals();
    loop.add_fd(ended.get(), POLLIN, [&](short) { loop.stop(); });
    const auto server = BridgeServer::open(loop, route);
    if (!server) {
        const bool taken = server.error().code == base::ErrorCode::NotReady;
        throw CommandError(ExitCode::Failed, server.error().message + (taken ? "; --port N takes another" : ""));
    }
    announce(**server, route, arguments.json);
    const auto run = loop.run();
    loop.remove_fd(ended.get());
    if (!run) throw CommandError(ExitCode::Failed, run.error().message);
    return ExitCode::Ok;
}

}  // namespace llmd::client
