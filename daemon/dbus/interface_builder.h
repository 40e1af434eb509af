// Exports the interfaces of an object. Generated glue would not do: its getters do not know who reads a property. The
// one thing that both sdbus-c++ majors give a getter is the reply, which is addressed to the reader. And it would
// unpack whatever a call carries: here a call beyond the limits of bus/call_limits.h is refused before.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bus/call_limits.h"
#include "bus/sdbus_compat.h"
#include "dbus/reply.h"

namespace llmd::dbus {

class InterfaceBuilder {
public:
    // `object` must outlive the builder.
    InterfaceBuilder(sdbus::IObject& object, std::string interface)
        : object_(object), interface_(std::move(interface)) {}

    // Members that are added from now on belong to another interface of the object.
    void begin(std::string interface) {
#if LLMD_SDBUS_MAJOR >= 2
        object_.addVTable(sdbus::InterfaceName(interface_), std::exchange(items_, {}));
#endif
        interface_ = std::move(interface);
    }

    // `function` takes a sdbus::Result<...>&& and the arguments, or takes the arguments and returns the one result.
    template <typename Function>
    void add_method(const std::string& name, const std::vector<std::string>& argument_names,
                    const std::vector<std::string>& result_names, Function function) {
#if LLMD_SDBUS_MAJOR >= 2
        auto item = sdbus::registerMethod(name)
                        .withInputParamNames(argument_names)
                        .withOutputParamNames(result_names)
                        .implementedAs(std::move(function));
        item.callbackHandler = [unpack = std::move(item.callbackHandler)](sdbus::MethodCall call) {
            refuse_excess(call);
            unpack(std::move(call));
        };
        items_.push_back(std::move(item));
#else
        auto unpack = [function = std::move(function)](sdbus::MethodCall call) {
            refuse_excess(call);
            sdbus::tuple_of_function_input_arg_types_t<Function> arguments;
            call >> arguments;
            if constexpr (sdbus::is_async_method_v<Function>) {
                using AsyncResult = typename sdbus::function_traits<Function>::async_result_t;
                sdbus::apply(function, AsyncResult(std::move(call)), std::move(arguments));
            } else {
                sdbus::MethodReply reply = call.createReply();
                reply << sdbus::apply(function, arguments);
                reply.send();
            }
        };
        object_.registerMethod(interface_, name, sdbus::signature_of_function_input_arguments<Function>::str(),
                               argument_names, sdbus::signature_of_function_output_arguments<Function>::str(),
                               result_names, std::move(unpack));
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

private:
    // Throws the answer to a call that carries too much.
    static void refuse_excess(sdbus::Message& call) {
        const auto excess = bus::excess_of(call);
        if (excess) throw to_dbus_error(base::fail(base::ErrorCode::InvalidArgument, *excess));
    }

    sdbus::IObject& object_;
    std::string interface_;
#if LLMD_SDBUS_MAJOR >= 2
    std::vector<sdbus::VTableItem> items_;
#endif
};

}  // namespace llmd::dbus
