#include "platform/login_sleep.h"

#include <fcntl.h>

#include <utility>

namespace llmd::platform {

namespace {

constexpr const char* kLogin = "org.freedesktop.login1";
constexpr const char* kPath = "/org/freedesktop/login1";
constexpr const char* kManager = "org.freedesktop.login1.Manager";

std::string prepare_rule(const std::string& owner) {
    return "type='signal',sender='" + owner + "',path='" + kPath + "',interface='" + kManager +
           "',member='PrepareForSleep'";
}

}  // namespace

LoginSleep::LoginSleep(sdbus::IConnection& connection, sdbus::IProxy& bus) : connection_(connection) {
    name_ = std::make_unique<bus::NameWatch>(connection, bus, kLogin,
                                             [this](const std::string& owner) { on_owner(owner); });
}

LoginSleep::~LoginSleep() {
    inhibit_.cancel();
}

void LoginSleep::on_owner(const std::string& owner) {
    forget();
    if (owner.empty()) return;
    prepare_ = bus::add_match(connection_, prepare_rule(owner), [this](sdbus::Message& message) {
        bool goes = false;
        message >> goes;
        set_goes_to_sleep(goes);
    });
    manager_ = sdbus::createProxy(connection_, bus::BusName(owner), bus::BusPath(kPath));
    if (delayed_) take_lock();
}

void LoginSleep::forget() {
    release_lock();
    prepare_.reset();
    manager_.reset();
    set_goes_to_sleep(false);
}

void LoginSleep::set_goes_to_sleep(bool goes) {
    if (std::exchange(goes_to_sleep_, goes) != goes && callback_) callback_();
}

void LoginSleep::set_delayed(bool delayed) {
    if (std::exchange(delayed_, delayed) == delayed) return;
    delayed ? take_lock() : release_lock();
}

void LoginSleep::take_lock() {
    if (!manager_ || lock_) return;
    try {
        inhibit_ = manager_->callMethodAsync("Inhibit")
                       .onInterface(kManager)
                       .withArguments(std::string("sleep"), std::string("llmd"),
                                      std::string("Stops between two words of a text"), std::string("delay"))
                       .uponReplyInvoke([this](bus::ReplyError error, const sdbus::UnixFd& fd) {
                           // Refused: then the device sleeps in the middle of a step, which wakes up with it.
                           if (!error) lock_.reset(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
                       });
    } catch (const sdbus::Error&) {  // the bus has gone: the source notices
    }
}

void LoginSleep::release_lock() {
    inhibit_.cancel();
    lock_.reset();
}

}  // namespace llmd::platform
