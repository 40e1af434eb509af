// The network as NetworkManager and ModemManager report it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/name_watch.h"
#include "bus/property_watch.h"
#include "bus/sdbus_compat.h"
#include "platform/network.h"

namespace llmd::platform {

class DesktopNetwork final : public NetworkWatch {
public:
    // The references must outlive this object; `bus` is a proxy of org.freedesktop.DBus.
    DesktopNetwork(sdbus::IConnection& connection, sdbus::IProxy& bus);
    ~DesktopNetwork() override;

    void watch(bool watch) override;
    std::optional<Network> network() const override;
    void on_changed(std::function<void()> callback) override { callback_ = std::move(callback); }
    // Nobody reports any more: nothing is known, and nobody is waited for.
    void forget();

private:
    void on_network_manager(const std::string& owner);
    void on_properties(const bus::VariantMap& values);
    void on_modem_manager(const std::string& owner);
    void ask_modems(const std::string& owner);
    void set_modem(const std::string& path, const bus::VariantMap& values);
    void changed();

    sdbus::IConnection& connection_;
    sdbus::IProxy& bus_;
    std::function<void()> callback_;
    std::optional<Network> told_;  // network() as it was at the last callback

    bool watches_ = false;
    bool has_manager_answered_ = false;
    bool have_modems_answered_ = false;
    Network network_;                                // without `roaming`
    std::map<std::string, uint32_t> registrations_;  // of the modems, by object path: MMModem3gppRegistrationState
    std::unique_ptr<bus::PropertyWatch> manager_;
    std::vector<sdbus::Slot> modem_signals_;
    std::unique_ptr<sdbus::IProxy> modems_;
    sdbus::PendingAsyncCall first_modems_;
    std::unique_ptr<bus::NameWatch> network_manager_;
    std::unique_ptr<bus::NameWatch> modem_manager_;
};

}  // namespace llmd::platform
