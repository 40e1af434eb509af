#include "daemon.h"

#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "base/notify.h"
#include "places.h"

namespace llmd {

namespace {

service::ServiceOptions service_options(const base::Config& config) {
    service::ServiceOptions options;
    options.default_model = config.model;
    using Kind = protocol::BackendKind;
    options.backend = config.backend == "opencl" ? Kind::OpenCl : config.backend == "cpu" ? Kind::Cpu : Kind::Auto;
    options.device = config.device;
    options.precision = config.precision == "fast" ? protocol::Precision::Fast : protocol::Precision::Faithful;
    options.n_threads = config.threads;
    options.n_ctx = config.context_length;
    options.n_slots = config.parallel;
    options.prefill_chunk = config.prefill_chunk;
    return options;
}

}  // namespace

Daemon::Daemon(const base::Config& config)
    : service_(loop_, service_options(config), service::make_process_launcher(find_engine()),
               std::make_unique<service::ModelCatalogue>(loop_, model_folders(), find_engine())),
      front_end_(loop_, service_, LLMD_VERSION, bus_events()) {
    service_.on_status_changed([this] {
        front_end_.status_changed();
        if (!stopping_) base::notify_status(status_line());
    });
}

base::Result<void> Daemon::run(int signal_fd) {
    if (auto connected = front_end_.connect(); !connected) return connected;
    loop_.add_fd(signal_fd, POLLIN, [this, signal_fd](short) { on_signal(signal_fd); });
    ping_watchdog();
    spdlog::info("llmd {} serves org.llmd.Llmd1", LLMD_VERSION);
    base::notify_ready(status_line());
    return loop_.run();
}

ipc::FrontEnd::Events Daemon::bus_events() {
    ipc::FrontEnd::Events events;
    events.on_bus_lost = [](const std::string& reason) { spdlog::warn("the session bus was lost: {}", reason); };
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
    if (!status.model.empty()) line += ": " + status.model;
    if (!status.device.empty()) line += " on " + status.device;
    return line;
}

void Daemon::on_signal(int signal_fd) {
    signalfd_siginfo info{};
    if (::read(signal_fd, &info, sizeof info) != sizeof info) return;
    if (info.ssi_signo != SIGHUP) return stop();
    spdlog::info("reading the model folders again");
    service_.reload();
}

void Daemon::stop() {
    if (std::exchange(stopping_, true)) return loop_.stop();
    base::notify_stopping("ending what runs");
    service_.shut_down([this] { front_end_.shut_down([this] { loop_.stop(); }); });
}

void Daemon::ping_watchdog() {
    const auto interval = base::watchdog_interval();
    if (!interval) return;
    base::notify_watchdog();
    loop_.add_timer_after(*interval, [this] { ping_watchdog(); });
}

}  // namespace llmd
