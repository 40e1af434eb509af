#include "bus/property_watch.h"

#include <utility>

namespace llmd::bus {

namespace {

constexpr const char* kProperties = "org.freedesktop.DBus.Properties";

std::string changed_rule(const std::string& owner, const std::string& path, const std::string& interface) {
    return "type='signal',sender='" + owner + "',path='" + path + "',interface='" + kProperties +
           "',member='PropertiesChanged',arg0='" + interface + "'";
}

}  // namespace

PropertyWatch::PropertyWatch(sdbus::IConnection& connection, const std::string& owner, const std::string& path,
                             const std::string& interface, std::function<void(const VariantMap&)> on_values)
    : on_values_(std::move(on_values)),
      match_(add_match(connection, changed_rule(owner, path, interface),
                       [this](sdbus::Message& message) {
                           std::string of;
                           VariantMap changed;
                           message >> of >> changed;
                           // A value that has changed before the answer is in the answer.
                           if (has_answered_) on_values_(changed);
                       })),
      object_(sdbus::createProxy(connection, BusName(owner), BusPath(path))) {
    first_values_ = object_->callMethodAsync("GetAll")
                        .onInterface(kProperties)
                        .withArguments(interface)
                        .uponReplyInvoke([this](ReplyError error, const VariantMap& values) {
                            has_answered_ = true;
                            on_values_(error ? VariantMap() : values);
                        });
}

PropertyWatch::~PropertyWatch() {
    first_values_.cancel();
}

}  // namespace llmd::bus
