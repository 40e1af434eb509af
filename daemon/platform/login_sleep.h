// Sleep as logind (or elogind) reports it, with a delay inhibitor (systemd: INHIBITOR_LOCKS).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "bus/name_watch.h"
#include "bus/sdbus_compat.h"
#include "platform/sleep_watch.h"

namespace llmd::platform {

class LoginSleep final : public SleepWatch {
public:
    // Throws sdbus::Error. The references must outlive this object; `bus` is a proxy of org.freedesktop.DBus.
    LoginSleep(sdbus::IConnection& connection, sdbus::IProxy& bus);
    ~LoginSleep() override;

    bool goes_to_sleep() const override { return goes_to_sleep_; }
    void on_changed(std::function<void()> callback) override { callback_ = std::move(callback); }
    void set_delayed(bool delayed) override;
    // Nobody reports any more, or holds the lock.
    void forget();

private:
    void on_owner(const std::string& owner);
    void set_goes_to_sleep(bool goes);
    void take_lock();
    void release_lock();

    sdbus::IConnection& connection_;
    std::function<void()> callback_;

    bool goes_to_sleep_ = false;
    bool delayed_ = false;  // as set_delayed() last had it
    base::UniqueFd lock_;
    sdbus::Slot prepare_;
    std::unique_ptr<sdbus::IProxy> manager_;  // nothing while logind is not there
    sdbus::PendingAsyncCall inhibit_;
    std::unique_ptr<bus::NameWatch> name_;
};

}  // namespace llmd::platform
