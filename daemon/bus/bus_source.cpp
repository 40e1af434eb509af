#include "bus/bus_source.h"

#include <algorithm>
#include <utility>

namespace llmd::bus {

namespace {

// Messages handled in one iteration of the loop, so that a flood from one client leaves time for everything else. What
// is left makes the next iteration's timeout 0.
constexpr int kMaxMessagesPerTurn = 128;

}  // namespace

BusSource::BusSource(base::EventLoop& loop, sdbus::IConnection& connection, std::function<void(std::string)> on_lost)
    : loop_(loop), connection_(connection), on_lost_(std::move(on_lost)) {
    loop_.add_source(*this);
}

BusSource::~BusSource() {
    loop_.remove_source(*this);
}

void BusSource::prepare(std::vector<pollfd>& fds, std::optional<base::TimePoint>& deadline) {
    deadline_.reset();
    if (lost_) return;
    try {
        const auto data = connection_.getEventLoopPollData();
        fds.push_back({data.fd, data.events, 0});
        if (const int extra = extra_fd(data); extra >= 0) fds.push_back({extra, POLLIN, 0});
        const int timeout_ms = data.getPollTimeout();
        if (timeout_ms < 0) return;
        deadline_ = base::Clock::now() + std::chrono::milliseconds(timeout_ms);
        deadline = deadline ? std::min(*deadline, *deadline_) : *deadline_;
    } catch (const sdbus::Error& error) {
        lose(error.getMessage());
    }
}

void BusSource::dispatch(std::span<const pollfd> polled) {
    const auto is_ready = [](const pollfd& fd) { return fd.revents != 0; };
    // Bytes that another callback of this iteration has read meanwhile make the next timeout 0.
    if (lost_ || (std::none_of(polled.begin(), polled.end(), is_ready) && !is_due())) return;
    try {
        for (int i = 0; i < kMaxMessagesPerTurn && process_one(connection_); ++i) {
        }
    } catch (const sdbus::Error& error) {
        lose(error.getMessage());
    }
}

bool BusSource::is_due() const {
    return deadline_ && base::Clock::now() >= *deadline_;
}

void BusSource::lose(std::string reason) {
    lost_ = true;
    // In an iteration of the loop of its own: dispatch() may be on the stack of a call that still uses the connection.
    loop_.defer([on_lost = on_lost_, reason = std::move(reason)]() mutable { on_lost(std::move(reason)); });
}

}  // namespace llmd::bus
