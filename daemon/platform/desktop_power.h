// Power as UPower and power-profiles-daemon (or tuned-ppd) report it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/name_watch.h"
#include "bus/property_watch.h"
#include "bus/sdbus_compat.h"
#include "platform/power.h"

namespace llmd::platform {

class DesktopPower final : public PowerWatch {
public:
    // Throws sdbus::Error. The references must outlive this object; `bus` is a proxy of org.freedesktop.DBus.
    DesktopPower(sdbus::IConnection& connection, sdbus::IProxy& bus);
    ~DesktopPower() override;

    std::optional<Power> power() const override;
    void watch_battery(bool watch) override;
    void on_changed(std::function<void()> callback) override { callback_ = std::move(callback); }
    // Nobody reports any more.
    void forget();

private:
    // One of the names of the power profiles, with its object.
    struct Profiles {
        std::unique_ptr<bus::NameWatch> name;
        std::unique_ptr<bus::PropertyWatch> properties;
        bool saves = false;
        bool is_known = false;
    };

    void on_upower(const std::string& owner);
    void open_display_device();
    void on_profiles(Profiles& profiles, const std::string& owner, const char* path, const char* interface);
    void changed() const;

    sdbus::IConnection& connection_;
    std::function<void()> callback_;

    std::string owner_;  // of UPower; empty: it is not there
    bool watches_battery_ = false;
    std::optional<bool> on_battery_;
    Battery battery_ = Battery::Fine;
    Profiles profiles_, legacy_profiles_;
    std::unique_ptr<bus::PropertyWatch> daemon_;
    std::unique_ptr<bus::PropertyWatch> display_device_;
    std::unique_ptr<bus::NameWatch> upower_;
};

}  // namespace llmd::platform
