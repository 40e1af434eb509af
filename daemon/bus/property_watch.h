// Follows the properties of one interface of one object of another program: reads them all once, then listens.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bus/sdbus_compat.h"

namespace llmd::bus {

class PropertyWatch {
public:
    // Calls `on_values` from the loop, first with all properties and then with those that have changed. `owner` is a
    // unique name, so nobody is started by the question. An owner that does not answer has no properties: the first
    // call is then without any.
    // Throws sdbus::Error. `connection` must outlive the watch.
    PropertyWatch(sdbus::IConnection& connection, const std::string& owner, const std::string& path,
                  const std::string& interface, std::function<void(const VariantMap&)> on_values);
    ~PropertyWatch();
    PropertyWatch(const PropertyWatch&) = delete;
    PropertyWatch& operator=(const PropertyWatch&) = delete;

private:
    std::function<void(const VariantMap&)> on_values_;
    bool has_answered_ = false;
    sdbus::Slot match_;
    std::unique_ptr<sdbus::IProxy> object_;
    sdbus::PendingAsyncCall first_values_;
};

}  // namespace llmd::bus
