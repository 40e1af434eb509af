#include "daemon.h"

#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "base/bridge_preamble.h"
#include "base/notify.h"
#include "base/places.h"
#include "handover/log.h"
#include "handover/socket_launcher.h"
#include "log_format.h"
#include "platform/oom_kills.h"
#include "supervisor/memory_budget.h"

namespace llmd {

namespace {

std::optional<uint64_t> available_memory() {
    std::ifstream file(base::procfs() + "/meminfo");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return supervisor::available_bytes(text);
}

platform::PressureFiles kernel_files() {
    return {base::procfs(), base::sysfs() + "/fs/cgroup"};
}

platform::IdleTimes idle_times(const base::Config& config) {
    platform::IdleTimes times;
    if (config.idle_unload_seconds != 0) {
        times.unload_on_battery = times.unload_on_mains = std::chrono::seconds(config.idle_unload_seconds);
    }
    if (config.idle_exit_seconds != 0) times.exit = std::chrono::seconds(config.idle_exit_seconds);
    return times;
}

// Started by the bus itself, which sets the variable (D-Bus Specification, "Message Bus Starting Services").
bool was_started_by_bus() {
    return std::getenv("DBUS_STARTER_BUS_TYPE") != nullptr;
}

// Started by a socket or by the bus itself.
bool was_activated() {
    return std::getenv("LISTEN_FDS") != nullptr || was_started_by_bus();
}

// systemd.exec(5): the variable is inherited, and names the process that is the service. What systemd starts for the
// bus has none of the variables above.
bool is_systemd_service() {
    const char* pid = std::getenv("SYSTEMD_EXEC_PID");
    return pid != nullptr && pid == std::to_string(::getpid());
}

// A service of systemd has no network, nor have its children: systemd starts llmd-remote for it.
std::unique_ptr<supervisor::EngineLauncher> make_remote_launcher() {
    const auto path = handover::remote_socket_path();
    if (is_systemd_service() && path) return std::make_unique<handover::SocketLauncher>(*path);
    return supervisor::make_process_launcher(base::find_remote());
}

}  // namespace

Daemon::Daemon(ReadSettings read)
    : read_settings_(std::move(read)),
      service_(loop_, read_settings(), supervisor::make_process_launcher(base::find_engine()),
               supervisor::ModelCatalogue::make(loop_, base::model_folders(), base::find_engine()),
               {.available_memory = available_memory,
                .oom_kills = [] { return platform::count_oom_kills(kernel_files()); },
                .device_record = base::xdg_cache_home() + "/llmd/device-health",
                .remote_log = handover::remote_log_path()}),
      front_end_(loop_, service_, LLMD_VERSION, bus_events()) {
    service_.set_remote_launcher(make_remote_launcher());
    service_.on_status_changed([this] {
        if (governor_) governor_->review();
        front_end_.status_changed();
        std::string line = status_line();
        if (!stopping_ && line != notified_) base::notify_status(notified_ = std::move(line));
    });
    service_.on_reload([this] {
        spdlog::info("reading the settings and the model directories again");
        service_.configure(read_settings());
        if (governor_) governor_->set_idle_times(idle_times_);
    });
}

Daemon::~Daemon() {
    service_.set_network(nullptr);  // which goes before the service
}

base::Result<base::Config> Daemon::read_settings() {
    auto settings = read_settings_();
    if (!settings) {
        spdlog::error("{}", settings.error().message);
        return base::Error{base::ErrorCode::NotReady, settings.error().message};
    }
    for (const std::string& warning : settings->warnings) spdlog::warn("{}", warning);
    for (const std::string& line : base::overridden_keys(*settings)) spdlog::info("{}", line);
    set_up_log(settings->config.log_level);
    idle_times_ = idle_times(settings->config);
    return std::move(settings->config);
}

base::Result<void> Daemon::open(const std::string& runtime_dir) {
    const http::Server::Sockets sockets{.main = runtime_dir + "/llmd/llmd.sock",
                                        .bridge = runtime_dir + base::kBridgeSocket,
                                        .warn = [](const std::string& reason) { spdlog::warn("{}", reason); }};
    // Before the name: whoever has had the bus start llmd finds the socket as soon as the bus says that it runs.
    auto socket = http::Server::open(loop_, service_, LLMD_VERSION, sockets);
    auto connected = front_end_.connect();
    if (!connected && connected.error().code == base::ErrorCode::NotAllowed) return connected;
    if (!connected && !socket) return connected;
    if (connected) {
        spdlog::info("llmd {} serves org.llmd.Llmd1", LLMD_VERSION);
    } else {
        spdlog::info("{}; until there is one the socket alone is served", connected.error().message);
        front_end_.connect_later();
    }
    if (socket) {
        spdlog::info("llmd {} serves {}", LLMD_VERSION, sockets.main);
        socket_ = std::move(*socket);
    } else {
        spdlog::warn("the socket is not served: {}", socket.error().message);
    }
    return {};
}

base::Result<void> Daemon::run(int signal_fd, const std::string& runtime_dir) {
    if (auto opened = open(runtime_dir); !opened) return opened;
    loop_.add_fd(signal_fd, POLLIN, [this, signal_fd](short) { on_signal(signal_fd); });
    ping_watchdog();
    base::notify_ready(status_line());
    start_governor();
    return loop_.run();
}

void Daemon::start_governor() {
    service::Governor::Sources sources;
    auto memory = platform::watch_memory_pressure(loop_, kernel_files());
    if (memory) {
        memory_ = std::move(*memory);
        sources.memory = memory_.get();
    } else {
        spdlog::info("memory pressure is not watched: {}", memory.error().message);
    }
    thermometer_ = platform::make_thermometer(base::sysfs());
    sources.thermometer = thermometer_.get();
    auto bus = platform::SystemBus::open(loop_);
    if (bus) {
        system_bus_ = std::move(*bus);
        sources.power = &system_bus_->power();
        sources.sleep = &system_bus_->sleep();
        service_.set_network(&system_bus_->network());
    } else {
        spdlog::info("power and sleep are not watched: {}", bus.error().message);
    }
    service::Governor::Options options{idle_times_, nullptr};
    if (was_activated() || is_systemd_service()) options.on_exit = [this] { leave_idle(); };
    governor_ = std::make_unique<service::Governor>(loop_, service_, sources, std::move(options));
}

void Daemon::leave_idle() {
    // Whoever asks next starts it again.
    if (!was_activated() && !front_end_.is_activatable()) return;
    if (stopping_ || (socket_ && !socket_->is_idle()) || !front_end_.give_up_name()) return;
    spdlog::info("nobody has asked for anything for {} s; leaving until somebody does", idle_times_.exit.count());
    stop();
}

dbus::FrontEnd::Events Daemon::bus_events() {
    dbus::FrontEnd::Events events;
    events.on_bus_lost = [this](const std::string& reason) {
        spdlog::warn("the session bus was lost: {}", reason);
        // The next bus starts an llmd of its own; one that stayed would outlive a session that has ended.
        if (stopping_ || !was_started_by_bus() || (socket_ && !socket_->is_idle())) return;
        spdlog::info("the bus that had started llmd is gone; leaving");
        stop();
    };
    events.on_bus_back = [] { spdlog::info("the session bus is back"); };
    events.on_displaced = [this](const base::Error& error) {
        spdlog::info("{}; leaving", error.message);
        stop();
    };
    return events;
}

std::string Daemon::status_line() const {
    const service::Status status = service_.status();
    std::string line(state_name(status.state));
    if (!status.main.model.empty()) line += ": " + status.main.model;
    if (!status.main.device.empty()) line += " on " + status.main.device;
    return line;
}

void Daemon::on_signal(int signal_fd) {
    signalfd_siginfo info{};
    if (::read(signal_fd, &info, sizeof info) != sizeof info) return;
    if (info.ssi_signo != SIGHUP) return stop();
    service_.reload();
}

void Daemon::stop() {
    if (std::exchange(stopping_, true)) return loop_.stop();
    base::notify_stopping("ending what runs");
    const auto leave = [this] { socket_ ? socket_->shut_down([this] { loop_.stop(); }) : loop_.stop(); };
    service_.shut_down([this, leave] { front_end_.shut_down(leave); });
}

void Daemon::ping_watchdog() {
    const auto interval = base::watchdog_interval();
    if (!interval) return;
    base::notify_watchdog();
    loop_.add_timer_after(*interval, [this] { ping_watchdog(); });
}

}  // namespace llmd
