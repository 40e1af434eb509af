#include "platform/desktop_power.h"

#include <utility>

#include "bus/variant.h"

namespace llmd::platform {

namespace {

constexpr const char* kUPower = "org.freedesktop.UPower";
constexpr const char* kUPowerPath = "/org/freedesktop/UPower";
constexpr const char* kDevice = "org.freedesktop.UPower.Device";
// All batteries of the device as one, for display.
constexpr const char* kDisplayDevice = "/org/freedesktop/UPower/devices/DisplayDevice";
// The name that desktops use, and the one before it, which older ones have alone.
constexpr const char* kProfiles = "org.freedesktop.UPower.PowerProfiles";
constexpr const char* kProfilesPath = "/org/freedesktop/UPower/PowerProfiles";
constexpr const char* kLegacyProfiles = "net.hadess.PowerProfiles";
constexpr const char* kLegacyProfilesPath = "/net/hadess/PowerProfiles";

// UPower's WarningLevel.
constexpr uint32_t kWarningLow = 3;
constexpr uint32_t kWarningCritical = 4;  // 5: the device is about to turn itself off

}  // namespace

DesktopPower::DesktopPower(sdbus::IConnection& connection, sdbus::IProxy& bus) : connection_(connection) {
    profiles_.name = std::make_unique<bus::NameWatch>(connection, bus, kProfiles, [this](const std::string& owner) {
        on_profiles(profiles_, owner, kProfilesPath, kProfiles);
    });
    legacy_profiles_.name =
        std::make_unique<bus::NameWatch>(connection, bus, kLegacyProfiles, [this](const std::string& owner) {
            on_profiles(legacy_profiles_, owner, kLegacyProfilesPath, kLegacyProfiles);
        });
    upower_ = std::make_unique<bus::NameWatch>(connection, bus, kUPower,
                                               [this](const std::string& owner) { on_upower(owner); });
}

DesktopPower::~DesktopPower() = default;

std::optional<Power> DesktopPower::power() const {
    if (!on_battery_ && !profiles_.is_known && !legacy_profiles_.is_known) return std::nullopt;
    return Power{on_battery_, battery_, profiles_.saves || legacy_profiles_.saves};
}

void DesktopPower::forget() {
    on_upower("");
    for (Profiles* profiles : {&profiles_, &legacy_profiles_}) profiles->saves = profiles->is_known = false;
    changed();
}

void DesktopPower::watch_battery(bool watch) {
    if (std::exchange(watches_battery_, watch) == watch) return;
    try {
        open_display_device();
    } catch (const sdbus::Error&) {  // the bus has gone: the source notices
    }
}

void DesktopPower::on_upower(const std::string& owner) {
    owner_ = owner;
    daemon_.reset();
    on_battery_.reset();
    open_display_device();
    if (!owner.empty()) {
        daemon_ = std::make_unique<bus::PropertyWatch>(
            connection_, owner, kUPowerPath, kUPower, [this](const bus::VariantMap& values) {
                const auto on_battery = bus::value_of<bool>(values, "OnBattery");
                if (!on_battery) return;
                on_battery_ = on_battery;
                changed();
            });
    }
    changed();
}

void DesktopPower::open_display_device() {
    display_device_.reset();
    battery_ = Battery::Fine;
    if (owner_.empty() || !watches_battery_) return;
    display_device_ = std::make_unique<bus::PropertyWatch>(
        connection_, owner_, kDisplayDevice, kDevice, [this](const bus::VariantMap& values) {
            const auto warning = bus::value_of<uint32_t>(values, "WarningLevel");
            if (!warning) return;
            battery_ = *warning >= kWarningCritical ? Battery::Critical
                       : *warning == kWarningLow    ? Battery::Low
                                                    : Battery::Fine;
            changed();
        });
}

void DesktopPower::on_profiles(Profiles& profiles, const std::string& owner, const char* path, const char* interface) {
    profiles.properties.reset();
    profiles.saves = profiles.is_known = false;
    if (owner.empty()) return changed();
    profiles.properties = std::make_unique<bus::PropertyWatch>(
        connection_, owner, path, interface, [this, &profiles](const bus::VariantMap& values) {
            const auto profile = bus::value_of<std::string>(values, "ActiveProfile");
            if (!profile) return;
            profiles.saves = *profile == "power-saver";
            profiles.is_known = true;
            changed();
        });
}

void DesktopPower::changed() const {
    if (callback_) callback_();
}

}  // namespace llmd::platform
