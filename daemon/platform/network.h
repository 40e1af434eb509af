// The costs of the device's way to the network, as the desktop's services report them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace llmd::platform {

enum class Metered : uint8_t { Unknown, No, Yes };

// Unknown is what a service that is not there would have reported.
struct Network {
    Metered metered = Metered::Unknown;  // of the connection that carries the default route, below any VPN
    std::optional<bool> modem;           // whether that connection is a mobile one
    bool roaming = false;                // a modem of the device is registered in somebody else's network
    std::optional<bool> connected;       // to any network at all, be it one without the internet
    std::string connection;              // of the network manager; another one means that another network was joined
    bool operator==(const Network&) const = default;
};

// Whether the connection is one that may cost by the byte: it is metered, or roams; what is not known to be either
// costs on a modem. Roaming does not concern a connection that is known not to be the modem's.
inline bool costs(const Network& network) {
    if (network.metered == Metered::Yes) return true;
    if (network.roaming && network.modem.value_or(true)) return true;
    return network.metered == Metered::Unknown && network.modem.value_or(false);
}

// Thread-bound to the event loop.
class NetworkWatch {
public:
    virtual ~NetworkWatch() = default;
    // Whether anybody needs to know. Without a remote nobody does, and each change would wake llmd.
    virtual void watch(bool watch) = 0;
    // Nothing while it is not watched, and until each of the services has answered or is known not to be there: whoever
    // has to know waits for on_changed(). A service that is there and silent counts as absent after the bus's limit
    // for calls, 25 s.
    virtual std::optional<Network> network() const = 0;
    // Called from the loop whenever network() has changed.
    virtual void on_changed(std::function<void()> callback) = 0;
};

}  // namespace llmd::platform
