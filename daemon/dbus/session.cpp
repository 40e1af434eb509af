#include "dbus/session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/bus_options.h"
#include "api/errors.h"
#include "api/listing.h"
#include "dbus/root_object.h"

namespace llmd::dbus {

namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;

constexpr const char* kBusName = "org.llmd.Llmd1";

// sd-bus makes this of EEXIST: another connection has the name.
constexpr std::string_view kNameTaken = "org.freedesktop.DBus.Error.FileExists";

// Returns the prefix of the paths of one caller's requests: ":1.42" -> ".../1_42/". Unique names have ':' and '.',
// object paths may not.
std::string path_prefix(const std::string& unique_name) {
    std::string out(api::kRequestRoot);
    for (const char c : unique_name) {
        if (c != ':') out += c == '.' ? '_' : c;
    }
    return out + '/';
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(base::EventLoop& loop, service::Service& service,
                                               const std::string& version, Events events) {
    std::unique_ptr<Session> session(new Session(loop, service, std::move(events)));
    if (auto connected = session->connect(version); !connected) return connected.error();
    return session;
}

Session::Session(base::EventLoop& loop, service::Service& service, Events events)
    : loop_(loop), service_(service), events_(std::move(events)) {}

Session::~Session() = default;

Result<void> Session::connect(const std::string& version) {
    try {
        connection_ = sdbus::createSessionBusConnection();
        bus_ = sdbus::createProxy(*connection_, bus::BusName("org.freedesktop.DBus"),
                                  bus::BusPath("/org/freedesktop/DBus"));
        identities_ = std::make_unique<CallerIdentities>(*bus_);
        root_ = std::make_unique<RootObject>(*this, version);
    } catch (const sdbus::Error& error) {
        return fail(ErrorCode::NotReady, "no session bus: ", error.getMessage());
    }
    if (auto taken = take_name(); !taken) return taken;
    source_ =
        std::make_unique<bus::BusSource>(loop_, *connection_, [this](const std::string& reason) { lose(reason); });
    return {};
}

Result<void> Session::take_name() {
    try {
        connection_->requestName(bus::BusName(kBusName));
    } catch (const sdbus::Error& error) {
        if (error.getName() == kNameTaken) {
            return fail(ErrorCode::NotAllowed, "the name ", kBusName,
                        " already belongs to another program on this bus");
        }
        return fail(ErrorCode::NotReady, "the name ", kBusName, " cannot be had: ", error.getMessage());
    }
    return {};
}

bool Session::give_up_name() {
    const auto has_work = [this] {
        const service::Activity activity = service_.activity();
        return activity.has_work || activity.has_requests || !requests_.empty();
    };
    try {
        connection_->releaseName(bus::BusName(kBusName));
        // The bus sends nothing to the name behind its answer; what came before it is here.
        while (!has_work() && bus::process_one(*connection_)) {
        }
    } catch (const sdbus::Error&) {  // the bus has gone: the source notices
    }
    return !has_work() || !take_name();
}

bool Session::is_activatable() {
    std::vector<std::string> names;
    try {
        bus_->callMethod("ListActivatableNames").onInterface("org.freedesktop.DBus").storeResultsTo(names);
    } catch (const sdbus::Error&) {  // the bus has gone: the source notices
    }
    return std::find(names.begin(), names.end(), kBusName) != names.end();
}

void Session::lose(const std::string& reason) {
    // Copied: what ends now leaves the map.
    std::vector<service::RequestId> ids;
    for (const auto& [path, object] : requests_) ids.push_back(object->id());
    for (const service::RequestId id : ids) {
        (void)service_.fail(id, fail(ErrorCode::Cancelled, "the session bus was lost: ", reason));
    }
    events_.on_lost(reason);
}

void Session::status_changed() {
    root_->status_changed();
}

void Session::check_allowed(const std::string& caller, const std::string& owner,
                            std::function<void(const Result<void>&)> done) {
    if (caller == owner) return done({});
    identities_->resolve(caller, [done = std::move(done)](const api::Caller& identity) {
        done(identity.sandboxed ? Result<void>(api::sandboxed_caller()) : Result<void>());
    });
}

Result<void> Session::check_reader(const std::string& reader, const std::string& owner) {
    if (reader == owner) return {};
    if (identities_->resolve_now(reader).sandboxed) return api::sandboxed_caller();
    return {};
}

void Session::identify(const std::string& caller, std::function<void(const api::Caller&)> done) {
    identities_->resolve(caller, std::move(done));
}

api::Caller Session::identity_now(const std::string& caller) {
    return identities_->resolve_now(caller);
}

Result<std::string> Session::request_path(const std::string& owner, const std::string& token) {
    const std::string prefix = path_prefix(owner);
    if (!token.empty()) {
        if (requests_.count(prefix + token) > 0) {
            return fail(ErrorCode::InvalidArgument, "handle_token: \"", token,
                        "\" is in use by another of your requests");
        }
        return prefix + token;
    }
    std::string path;
    do {
        path = prefix + "r" + std::to_string(++last_token_);
    } while (requests_.count(path) > 0);
    return path;
}

Result<RequestObject*> Session::start(const std::string& owner, api::Call call, const MakeDelivery& make_delivery) {
    auto path = request_path(owner, call.handle_token);
    if (!path) return path.error();

    call.request.caller = identities_->resolve_now(owner);
    call.request.bus_path = *path;
    try {
        auto object = std::make_unique<RequestObject>(*this, *path, owner);
        auto delivery = make_delivery(*object);
        if (!delivery) return delivery.error();
        watch_client(owner);
        if (const auto submitted = object->submit(std::move(call), *std::move(delivery)); !submitted) {
            unwatch_client(owner);
            return submitted.error();
        }
        RequestObject* started = object.get();
        requests_.emplace(*path, std::move(object));
        return started;
    } catch (const sdbus::Error& error) {
        return fail(ErrorCode::Failed, "the request's object cannot be made: ", error.getMessage());
    }
}

void Session::remove(RequestObject& object) {
    loop_.defer([this, alive = std::weak_ptr<void>(alive_), path = object.path(), owner = object.owner()] {
        if (alive.expired()) return;
        requests_.erase(path);
        unwatch_client(owner);
        events_.on_request_removed();
    });
}

void Session::cancel(const std::string& caller, const std::string& path, const Reply<>& reply) {
    act_on(caller, path, reply, [this](service::RequestId id) { return service_.cancel(id); });
}

void Session::set_priority(const std::string& caller, const std::string& path, const std::string& priority,
                           const Reply<>& reply) {
    const auto wanted = api::parse_priority(priority);
    if (!wanted) return reply.fail(wanted.error());
    act_on(caller, path, reply,
           [this, wanted = *wanted](service::RequestId id) { return service_.set_priority(id, wanted); });
}

void Session::act_on(const std::string& caller, const std::string& path, const Reply<>& reply,
                     std::function<Result<void>(service::RequestId)> act) {
    const auto found = requests_.find(path);
    // The path of a request that has ended still says whose it was.
    const bool own =
        found == requests_.end() ? path.starts_with(path_prefix(caller)) : found->second->owner() == caller;
    check_allowed(caller, own ? caller : "", [this, path, reply, act = std::move(act)](const Result<void>& allowed) {
        if (!allowed) return reply.fail(allowed.error());
        const auto id = id_of(path);
        if (!id) return reply.fail(fail(ErrorCode::NotFound, path, ": no such request"));
        if (const auto done = act(*id); !done) return reply.fail(done.error());
        reply.send();
    });
}

std::optional<service::RequestId> Session::id_of(const std::string& path) const {
    if (const auto found = requests_.find(path); found != requests_.end()) return found->second->id();
    for (const auto& request : service_.requests()) {
        if (api::request_path(request) == path) return request.id;
    }
    return std::nullopt;
}

void Session::watch_client(const std::string& client) {
    auto& entry = clients_[client];
    if (!entry.watch) {
        try {
            const auto on_owner = [this, client](const std::string& owner) {
                if (owner.empty()) cancel_requests_of(client);
            };
            entry.watch = std::make_unique<bus::NameWatch>(*connection_, *bus_, client, on_owner);
        } catch (const sdbus::Error&) {
            clients_.erase(client);
            throw;
        }
    }
    ++entry.n_requests;
}

void Session::unwatch_client(const std::string& client) {
    const auto found = clients_.find(client);
    if (found != clients_.end() && --found->second.n_requests == 0) clients_.erase(found);
}

void Session::cancel_requests_of(const std::string& client) {
    for (const auto& [path, object] : requests_) {
        // One that has ended already only has its last bytes to deliver.
        if (object->owner() == client) (void)service_.cancel(object->id());
    }
}

}  // namespace llmd::dbus
