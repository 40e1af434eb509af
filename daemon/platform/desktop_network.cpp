#include "platform/desktop_network.h"

#include <algorithm>
#include <utility>

#include "bus/variant.h"

namespace llmd::platform {

namespace {

constexpr const char* kNetworkManager = "org.freedesktop.NetworkManager";
constexpr const char* kNetworkManagerPath = "/org/freedesktop/NetworkManager";
constexpr const char* kModemManager = "org.freedesktop.ModemManager1";
constexpr const char* kModemManagerPath = "/org/freedesktop/ModemManager1";
constexpr const char* kModem3gpp = "org.freedesktop.ModemManager1.Modem.Modem3gpp";
constexpr const char* kObjectManager = "org.freedesktop.DBus.ObjectManager";
constexpr const char* kProperties = "org.freedesktop.DBus.Properties";

using Interfaces = std::map<std::string, bus::VariantMap>;

// NMMetered: 1 and 2 are what somebody has said, 3 and 4 what NetworkManager guesses.
Metered metered_of(uint32_t value) {
    if (value == 1 || value == 3) return Metered::Yes;
    return value == 2 || value == 4 ? Metered::No : Metered::Unknown;
}

// NMState: from 50 on the device is connected, if only to the link.
constexpr uint32_t kUnknownState = 0;
constexpr uint32_t kConnectedLocal = 50;

// NetworkManager's names for the types of connections that a modem makes.
bool is_modem_type(const std::string& type) {
    return type == "gsm" || type == "cdma";
}

// MMModem3gppRegistrationState: roaming; for texts only; with calls only where data fails.
bool is_roaming(uint32_t registration) {
    return registration == 5 || registration == 7 || registration == 10;
}

std::string signal_rule(const std::string& owner, const char* interface, const char* member) {
    return "type='signal',sender='" + owner + "',interface='" + interface + "',member='" + member + "'";
}

}  // namespace

DesktopNetwork::DesktopNetwork(sdbus::IConnection& connection, sdbus::IProxy& bus)
    : connection_(connection), bus_(bus) {}

DesktopNetwork::~DesktopNetwork() {
    first_modems_.cancel();
}

void DesktopNetwork::watch(bool watch) {
    if (std::exchange(watches_, watch) == watch) return;
    try {
        if (watch) {
            network_manager_ = std::make_unique<bus::NameWatch>(
                connection_, bus_, kNetworkManager, [this](const std::string& owner) { on_network_manager(owner); });
            modem_manager_ = std::make_unique<bus::NameWatch>(
                connection_, bus_, kModemManager, [this](const std::string& owner) { on_modem_manager(owner); });
            return;
        }
    } catch (const sdbus::Error&) {  // the bus has gone: the source notices
        return forget();
    }
    forget();
    has_manager_answered_ = have_modems_answered_ = false;
    changed();
}

std::optional<Network> DesktopNetwork::network() const {
    if (!has_manager_answered_ || !have_modems_answered_) return std::nullopt;
    Network network = network_;
    network.roaming = std::any_of(registrations_.begin(), registrations_.end(),
                                  [](const auto& modem) { return is_roaming(modem.second); });
    return network;
}

void DesktopNetwork::forget() {
    network_manager_.reset();
    modem_manager_.reset();
    on_network_manager("");
    on_modem_manager("");
}

void DesktopNetwork::on_network_manager(const std::string& owner) {
    manager_.reset();
    network_ = {};
    has_manager_answered_ = owner.empty();
    if (!owner.empty()) {
        manager_ =
            std::make_unique<bus::PropertyWatch>(connection_, owner, kNetworkManagerPath, kNetworkManager,
                                                 [this](const bus::VariantMap& values) { on_properties(values); });
    }
    changed();
}

void DesktopNetwork::on_properties(const bus::VariantMap& values) {
    has_manager_answered_ = true;
    if (const auto metered = bus::value_of<uint32_t>(values, "Metered")) network_.metered = metered_of(*metered);
    if (const auto state = bus::value_of<uint32_t>(values, "State")) {
        network_.connected.reset();
        if (*state != kUnknownState) network_.connected = *state >= kConnectedLocal;
    }
    if (const auto type = bus::value_of<std::string>(values, "PrimaryConnectionType")) {
        network_.modem.reset();
        if (!type->empty()) network_.modem = is_modem_type(*type);
    }
    if (const auto path = bus::value_of<sdbus::ObjectPath>(values, "PrimaryConnection")) network_.connection = *path;
    changed();
}

void DesktopNetwork::on_modem_manager(const std::string& owner) {
    first_modems_.cancel();
    modem_signals_.clear();
    modems_.reset();
    registrations_.clear();
    have_modems_answered_ = owner.empty();
    if (!owner.empty()) ask_modems(owner);
    changed();
}

// Only signals about registrations: the strength of a modem's signal changes all the time.
void DesktopNetwork::ask_modems(const std::string& owner) {
    modem_signals_.push_back(
        bus::add_match(connection_, signal_rule(owner, kProperties, "PropertiesChanged") + ",arg0='" + kModem3gpp + "'",
                       [this](sdbus::Message& message) {
                           std::string interface;
                           bus::VariantMap values;
                           message >> interface >> values;
                           set_modem(message.getPath(), values);
                       }));
    modem_signals_.push_back(bus::add_match(connection_, signal_rule(owner, kObjectManager, "InterfacesAdded"),
                                            [this](sdbus::Message& message) {
                                                sdbus::ObjectPath path;
                                                Interfaces interfaces;
                                                message >> path >> interfaces;
                                                const auto modem = interfaces.find(kModem3gpp);
                                                if (modem != interfaces.end()) set_modem(path, modem->second);
                                            }));
    modem_signals_.push_back(bus::add_match(
        connection_, signal_rule(owner, kObjectManager, "InterfacesRemoved"), [this](sdbus::Message& message) {
            sdbus::ObjectPath path;
            std::vector<std::string> interfaces;
            message >> path >> interfaces;
            if (std::find(interfaces.begin(), interfaces.end(), kModem3gpp) == interfaces.end()) {
                return;
            }
            registrations_.erase(path);
            changed();
        }));
    modems_ = sdbus::createProxy(connection_, bus::BusName(owner), bus::BusPath(kModemManagerPath));
    first_modems_ =
        modems_->callMethodAsync("GetManagedObjects")
            .onInterface(kObjectManager)
            .uponReplyInvoke([this](bus::ReplyError, const std::map<sdbus::ObjectPath, Interfaces>& objects) {
                have_modems_answered_ = true;
                for (const auto& [path, interfaces] : objects) {
                    const auto modem = interfaces.find(kModem3gpp);
                    if (modem != interfaces.end()) set_modem(path, modem->second);
                }
                changed();
            });
}

void DesktopNetwork::set_modem(const std::string& path, const bus::VariantMap& values) {
    const auto registration = bus::value_of<uint32_t>(values, "RegistrationState");
    if (!registration) return;
    registrations_[path] = *registration;
    changed();
}

void DesktopNetwork::changed() {
    auto now = network();
    if (std::exchange(told_, now) != now && callback_) callback_();
}

}  // namespace llmd::platform
