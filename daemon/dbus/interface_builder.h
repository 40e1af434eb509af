// Exports an interface by hand, where the generated glue does not do: its getters are not told who reads a property.
// The one thing that both sdbus-c++ majors give a getter is the reply, which is addressed to the reader.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bus/sdbus_compat.h"

namespace llmd::dbus {

class InterfaceBuilder {
public:
    // `object` must outlive the builder.
    InterfaceBuilder(sdbus::IObject& object, std::string interface)
        : object_(object), interface_(std::move(interface)) {}

    // `function` takes a sdbus::Result<...>&& and the arguments, or takes the arguments and returns the one result.
    template <typename Function>
    void add_method(const std::string& name, const std::vector<std::string>& argument_names,
                    const std::vector<std::string>& result_names, Function function) {
#if LLMD_SDBUS_MAJOR >= 2
        items_.push_back(sdbus::registerMethod(name)
                             .withInputParamNames(argument_names)
                             .withOutputParamNames(result_names)
                             .implementedAs(std::move(function)));
#else
        object_.registerMethod(name)
            .onInterface(interface_)
            .withInputParamNames(argument_names)
            .withOutputParamNames(result_names)
            .implementedAs(std::move(function));
#endif
    }

    template <typename... Values>
    void add_signal(const std::string& name, const std::vector<std::string>& argument_names) {
#if LLMD_SDBUS_MAJOR >= 2
        items_.push_back(sdbus::registerSignal(name).withParameters<Values...>(argument_names));
#else
        object_.registerSignal(name).onInterface(interface_).withParameters<Values...>(argument_names);
#endif
    }

    // Read-only. `get` is given the reader's unique bus name; what it throws is the answer.
    template <typename Value>
    void add_property(const std::string& name, const std::string& signature,
                      std::function<Value(const std::string& reader)> get,
                      sdbus::Flags::PropertyUpdateBehaviorFlags changes = sdbus::Flags::EMITS_NO_SIGNAL) {
        sdbus::Flags flags;
        flags.set(changes);
        auto answer = [get = std::move(get)](sdbus::PropertyGetReply& reply) {
            reply << get(bus::destination_of(reply));
        };
#if LLMD_SDBUS_MAJOR >= 2
        items_.push_back(sdbus::PropertyVTableItem{sdbus::PropertyName(name), sdbus::Signature(signature),
                                                   std::move(answer), nullptr, flags});
#else
        object_.registerProperty(interface_, name, signature, std::move(answer), flags);
#endif
    }

    // Makes all of it callable. Throws sdbus::Error.
    void publish() {
#if LLMD_SDBUS_MAJOR >= 2
        object_.addVTable(sdbus::InterfaceName(interface_), std::move(items_));
#else
        object_.finishRegistration();
#endif
    }

    // Likewise, beside the generated interfaces of the same object, which `register_adaptor` makes callable.
    template <typename Function>
    void publish_beside(Function register_adaptor) {
#if LLMD_SDBUS_MAJOR >= 2
        publish();
#endif
        register_adaptor();  // in 1.x of all that the object has
    }

private:
    sdbus::IObject& object_;
    const std::string interface_;
#if LLMD_SDBUS_MAJOR >= 2
    std::vector<sdbus::VTableItem> items_;
#endif
};

}  // namespace llmd::dbus
