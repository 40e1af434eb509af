// One life of one connection to the session bus: the exported objects, the requests that came over it, and the watches
// on their clients. When the bus is lost the session cancels its requests and may be destroyed once they have ended; a
// new bus is a new session. Thread-bound to the event loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/call.h"
#include "base/event_loop.h"
#include "base/result.h"
#include "bus/bus_source.h"
#include "bus/name_watch.h"
#include "dbus/caller_identity.h"
#include "dbus/reply.h"
#include "dbus/request_object.h"
#include "service/service.h"

namespace llmd::dbus {

class RootObject;

class Session {
public:
    struct Events {
        std::function<void(const std::string& reason)> on_lost;  // once
        std::function<void()> on_request_removed;
    };
    // Connects, exports the root object, then takes the name. NotReady: there is no bus; NotAllowed: another program
    // has the name. All references must outlive the session.
    static base::Result<std::unique_ptr<Session>> open(base::EventLoop& loop, service::Service& service,
                                                       const std::string& version, Events events);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    size_t n_requests() const { return requests_.size(); }
    // Gives the name away and answers what has come until then. False when that made work, and so the name has been
    // taken again: calls that come to the name meanwhile wait at the bus.
    bool give_up_name();
    // The bus starts llmd for whoever calls the name.
    bool is_activatable();
    // Announces what has changed of the properties.
    void status_changed();

    // --- For the objects ---------------------------------------------------------------------------------------------
    base::EventLoop& loop() { return loop_; }
    service::Service& service() { return service_; }
    sdbus::IConnection& connection() { return *connection_; }
    const std::shared_ptr<sdbus::IConnection>& shared_connection() { return connection_; }

    // Calls `done` with nothing when `caller` is `owner` or runs outside a sandbox, else with NotAllowed. `owner` may
    // be empty: nobody's.
    void check_allowed(const std::string& caller, const std::string& owner,
                       std::function<void(const base::Result<void>&)> done);
    // The same at once, for a property read, which cannot be answered later.
    base::Result<void> check_reader(const std::string& reader, const std::string& owner);

    // Who `caller` is: once the bus has answered, or at once as in check_reader().
    void identify(const std::string& caller, std::function<void(const api::Caller&)> done);
    api::Caller identity_now(const std::string& caller);

    // Submits a request of `owner`. `make_delivery` gets the request's object when everything else has been checked.
    using MakeDelivery = std::function<base::Result<Delivery>(RequestObject&)>;
    base::Result<RequestObject*> start(const std::string& owner, api::Call call, const MakeDelivery& make_delivery);
    // Removes the object in a later iteration of the loop.
    void remove(RequestObject& object);
    // `path` is as api::request_path() returns it.
    void cancel(const std::string& caller, const std::string& path, const Reply<>& reply);
    void set_priority(const std::string& caller, const std::string& path, const std::string& priority,
                      const Reply<>& reply);

private:
    struct Client {
        std::unique_ptr<bus::NameWatch> watch;
        size_t n_requests = 0;
    };

    Session(base::EventLoop& loop, service::Service& service, Events events);
    base::Result<void> connect(const std::string& version);
    base::Result<void> take_name();
    base::Result<std::string> request_path(const std::string& owner, const std::string& token);
    void watch_client(const std::string& client);
    void unwatch_client(const std::string& client);
    // Returns the id of the request that has this path.
    std::optional<service::RequestId> id_of(const std::string& path) const;
    // Answers `reply` with what `act` made of the request at `path`, if `caller` may.
    void act_on(const std::string& caller, const std::string& path, const Reply<>& reply,
                std::function<base::Result<void>(service::RequestId)> act);
    void cancel_requests_of(const std::string& client);
    void lose(const std::string& reason);

    base::EventLoop& loop_;
    service::Service& service_;
    Events events_;
    uint64_t last_token_ = 0;  // of the tokens made up for callers that gave none
    // Destroyed from the last to the first: everything needs the connection.
    std::shared_ptr<sdbus::IConnection> connection_;
    std::unique_ptr<sdbus::IProxy> bus_;  // org.freedesktop.DBus
    std::unique_ptr<CallerIdentities> identities_;
    std::map<std::string, Client> clients_;  // with live requests
    std::unique_ptr<RootObject> root_;
    std::map<std::string, std::unique_ptr<RequestObject>> requests_;  // by path
    std::unique_ptr<bus::BusSource> source_;
    std::shared_ptr<void> alive_ = std::make_shared<int>();  // deferred calls look at this
};

}  // namespace llmd::dbus
