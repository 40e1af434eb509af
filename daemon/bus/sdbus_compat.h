// With interface_builder.h the only place that knows how sdbus-c++ 1.x (Debian 12) and 2.x (Debian 13, Alpine) differ.
// Everything else, the client included, is written against the common part and these names.
// LLMD_SDBUS_MAJOR comes from dbus-interfaces/meson.build.
#pragma once

#include <poll.h>
#include <sdbus-c++/sdbus-c++.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llmd::bus {

using VariantMap = std::map<std::string, sdbus::Variant>;

// The type of the next value of a message as sd_bus_message_peek_type(3) has it, 0 at the end of a container, and the
// signature of what a container holds.
struct NextValue {
    char type = 0;
    std::string contents;
};

#if LLMD_SDBUS_MAJOR >= 2
using BusName = sdbus::ServiceName;
using BusPath = sdbus::ObjectPath;
using ReplyError = std::optional<sdbus::Error>;  // first argument of an asynchronous reply's callback

inline sdbus::Error make_error(const std::string& name, const std::string& message) {
    return sdbus::Error(sdbus::Error::Name(name), message);
}
inline std::string sender_of(const sdbus::IObject& object) {
    return object.getCurrentlyProcessedMessage().getSender();
}
inline std::string destination_of(const sdbus::Message& message) {
    const char* destination = message.getDestination();
    return destination ? destination : "";
}
inline bool process_one(sdbus::IConnection& connection) {
    return connection.processPendingEvent();
}
inline int extra_fd(const sdbus::IConnection::PollData& data) {
    return data.eventFd;
}
inline NextValue peek(const sdbus::Message& message) {
    const auto [type, contents] = message.peekType();
    return {type, contents == nullptr ? std::string() : std::string(contents)};
}
inline sdbus::Slot add_match(sdbus::IConnection& connection, const std::string& rule,
                             std::function<void(sdbus::Message&)> callback) {
    return connection.addMatch(
        rule, [callback = std::move(callback)](sdbus::Message message) { callback(message); }, sdbus::return_slot);
}
inline void emit_changed(sdbus::IObject& object, const std::string& interface, const std::vector<std::string>& names) {
    object.emitPropertiesChangedSignal(sdbus::InterfaceName(interface),
                                       std::vector<sdbus::PropertyName>(names.begin(), names.end()));
}
inline sdbus::Signal create_signal(const sdbus::IObject& object, const std::string& interface,
                                   const std::string& name) {
    return object.createSignal(sdbus::InterfaceName(interface), sdbus::SignalName(name));
}
#else
using BusName = std::string;
using BusPath = std::string;
using ReplyError = const sdbus::Error*;

inline sdbus::Error make_error(const std::string& name, const std::string& message) {
    return sdbus::Error(name, message);
}
inline std::string sender_of(const sdbus::IObject& object) {
    const sdbus::Message* message = object.getCurrentlyProcessedMessage();
    return message ? message->getSender() : std::string();
}
inline std::string destination_of(const sdbus::Message& message) {
    return message.getDestination();
}
inline bool process_one(sdbus::IConnection& connection) {
    return connection.processPendingRequest();
}
inline int extra_fd(const sdbus::IConnection::PollData&) {
    return -1;
}
inline NextValue peek(const sdbus::Message& message) {
    std::string type, contents;
    message.peekType(type, contents);
    return {type.empty() ? '\0' : type.front(), contents};
}
inline sdbus::Slot add_match(sdbus::IConnection& connection, const std::string& rule,
                             std::function<void(sdbus::Message&)> callback) {
    return connection.addMatch(rule, std::move(callback));
}
inline void emit_changed(sdbus::IObject& object, const std::string& interface, const std::vector<std::string>& names) {
    object.emitPropertiesChangedSignal(interface, names);
}
inline sdbus::Signal create_signal(sdbus::IObject& object, const std::string& interface, const std::string& name) {
    return object.createSignal(interface, name);
}
#endif

}  // namespace llmd::bus
