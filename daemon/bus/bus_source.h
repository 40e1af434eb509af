// Drives one D-Bus connection from the event loop, on the loop's thread: the only thread that may touch the connection.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "bus/sdbus_compat.h"

namespace llmd::bus {

class BusSource final : public base::PollSource {
public:
    // `on_lost` is called once, from the loop, when the connection has failed: it is then no longer watched and may
    // only be destroyed, from a later iteration of the loop. `connection` must outlive this object.
    BusSource(base::EventLoop& loop, sdbus::IConnection& connection, std::function<void(std::string reason)> on_lost);
    ~BusSource() override;
    BusSource(const BusSource&) = delete;
    BusSource& operator=(const BusSource&) = delete;

    void prepare(std::vector<pollfd>& fds, std::optional<base::TimePoint>& deadline) override;
    void dispatch(std::span<const pollfd> polled) override;

private:
    bool is_due() const;
    void lose(std::string reason);

    base::EventLoop& loop_;
    sdbus::IConnection& connection_;
    std::function<void(std::string)> on_lost_;
    std::optional<base::TimePoint> deadline_;  // when it has to be processed without any event
    bool lost_ = false;
};

}  // namespace llmd::bus
