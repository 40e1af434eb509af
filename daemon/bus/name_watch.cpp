#include "bus/name_watch.h"

#include <utility>

namespace llmd::bus {

namespace {

std::string changed_rule(const std::string& name) {
    return "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
           "member='NameOwnerChanged',arg0='" +
           name + "'";
}

}  // namespace

NameWatch::NameWatch(sdbus::IConnection& connection, sdbus::IProxy& bus, const std::string& name,
                     std::function<void(const std::string&)> on_owner)
    : on_owner_(std::move(on_owner)), match_(add_match(connection, changed_rule(name), [this](sdbus::Message& message) {
          std::string changed, old_owner, new_owner;
          message >> changed >> old_owner >> new_owner;
          has_changed_ = true;
          set_owner(new_owner);
      })) {
    first_owner_ = bus.callMethodAsync("GetNameOwner")
                       .onInterface("org.freedesktop.DBus")
                       .withArguments(name)
                       .uponReplyInvoke([this](ReplyError error, const std::string& owner) {
                           if (!has_changed_) set_owner(error ? std::string() : owner);
                       });
}

NameWatch::~NameWatch() {
    first_owner_.cancel();
}

void NameWatch::set_owner(const std::string& owner) {
    if (std::exchange(owner_, owner) != owner) on_owner_(owner);
}

}  // namespace llmd::bus
