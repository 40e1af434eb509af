#include "dbus/client_watch.h"

#include <utility>

namespace llmd::dbus {

namespace {

std::string gone_rule(const std::string& client) {
    return "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
           "member='NameOwnerChanged',arg0='" +
           client + "',arg2=''";
}

}  // namespace

ClientWatch::ClientWatch(sdbus::IConnection& connection, sdbus::IProxy& bus, const std::string& client,
                         std::function<void()> on_gone)
    : on_gone_(std::move(on_gone)),
      match_(bus::add_match(connection, gone_rule(client), [this](sdbus::Message&) { on_gone_(); })) {
    // The client may have left before the match was there.
    has_owner_ = bus.callMethodAsync("NameHasOwner")
                     .onInterface("org.freedesktop.DBus")
                     .withArguments(client)
                     .uponReplyInvoke([this](bus::ReplyError error, bool has_owner) {
                         if (!error && !has_owner) on_gone_();
                     });
}

ClientWatch::~ClientWatch() {
    has_owner_.cancel();
}

}  // namespace llmd::dbus
