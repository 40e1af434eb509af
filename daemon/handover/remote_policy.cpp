#include "handover/remote_policy.h"

#include <algorithm>

#include "base/json_writer.h"
#include "handover/names.h"

namespace llmd::handover {

namespace {

using base::concat;
using base::ErrorCode;
using base::in_quotes;

constexpr std::string_view kHost = "host";
constexpr std::string_view kFlatpak = "flatpak:";
constexpr std::string_view kSnap = "snap:";

bool is_host_program(const Caller& caller) {
    return !caller.sandboxed && caller.application == kHost;
}

bool lists(const std::string& entry, const Caller& caller) {
    const bool is_every_host_program = entry == kHost || entry == "*";
    if (!caller.sandboxed) return is_every_host_program && is_host_program(caller);
    if (is_every_host_program) return false;
    if (caller.application.starts_with(kSnap)) return entry == caller.application;
    if (!caller.application.starts_with(kFlatpak)) return false;
    return entry == caller.application || entry == caller.application.substr(kFlatpak.size());
}

// ": metered = "allow" in its [[remote]] of the settings would change that"
std::string way_out(const Caller& caller, std::string_view line) {
    if (!is_host_program(caller)) return {};
    return concat("; ", line, " in its [[remote]] of the settings would change that");
}

Decision refuse(ErrorCode code, std::string message) {
    return {Decision::Action::Refuse, {code, std::move(message)}};
}

Decision wait(std::string message) {
    return {Decision::Action::Wait, {ErrorCode::Suspended, std::move(message)}};
}

// Another model, or another place, may give what this failure did not. What the request itself is at fault for, or what
// its client has ended, it may not.
bool may_go_elsewhere(ErrorCode failure) {
    switch (failure) {
        case ErrorCode::NotAllowed:
        case ErrorCode::ModelNotFound:
        case ErrorCode::ModelLoadFailed:
        case ErrorCode::QueueFull:
        case ErrorCode::NotReady:
        case ErrorCode::DeviceError:
        case ErrorCode::OutOfMemory:
        case ErrorCode::Suspended:
        case ErrorCode::NotSupported:
        case ErrorCode::RemoteUnreachable:
        case ErrorCode::RemoteRefused:
        case ErrorCode::RemoteLost:
            return true;
        case ErrorCode::Failed:
        case ErrorCode::InvalidArgument:
        case ErrorCode::NotFound:
        case ErrorCode::RateLimited:
        case ErrorCode::PromptTooLong:
        case ErrorCode::ContextExceeded:
        case ErrorCode::Cancelled:
        case ErrorCode::Timeout:
        case ErrorCode::SlowConsumer:
        case ErrorCode::ShuttingDown:
        case ErrorCode::ConstraintFailed:
            return false;
    }
    return false;
}

}  // namespace

const base::RemoteSettings* find_remote(std::span<const base::RemoteSettings> remotes, std::string_view name) {
    const auto found = std::find_if(remotes.begin(), remotes.end(), [&](const auto& one) { return one.name == name; });
    return found == remotes.end() ? nullptr : &*found;
}

bool may_use(const Caller& caller, const base::RemoteSettings& remote) {
    return std::any_of(remote.apps.begin(), remote.apps.end(),
                       [&](const std::string& entry) { return lists(entry, caller); });
}

base::Result<void> check_caller(const Caller& caller, std::string_view remote,
                                std::span<const base::RemoteSettings> remotes) {
    const base::RemoteSettings* found = find_remote(remotes, remote);
    if (found != nullptr && may_use(caller, *found)) return {};
    if (is_host_program(caller)) {
        if (found == nullptr) return {};
        return base::fail(ErrorCode::NotAllowed, "the remote ", in_quotes(remote), " takes no programs of the host",
                          way_out(caller, "\"host\" among the apps"));
    }
    if (caller.application == base::kBridgeApplication) {
        return base::fail(ErrorCode::NotAllowed, "programs that come through the bridge may use no remote");
    }
    const std::string others = remote_names(remotes, caller);
    return base::fail(ErrorCode::NotAllowed, "this application may not use a remote ", in_quotes(remote),
                      others.empty() ? "" : "; it may use ", others);
}

Decision decide(const base::RemoteSettings& remote, const Facts& facts) {
    const std::string name = in_quotes(remote.name);
    if (auto allowed = check_caller(facts.caller, remote.name, {&remote, 1}); !allowed) {
        return {Decision::Action::Refuse, std::move(allowed).error()};
    }
    if (facts.goes_to_sleep) return refuse(ErrorCode::Suspended, "the device is going to sleep");
    const bool may_cost = remote.metered == "allow";
    if (!facts.network && (!may_cost || facts.is_background)) return wait("it is not known yet what the network costs");
    if (!may_cost && platform::costs(*facts.network)) {
        return refuse(ErrorCode::NotAllowed,
                      concat("the device is on a metered connection, over which the remote ", name, " is not asked",
                             way_out(facts.caller, "metered = \"allow\"")));
    }
    if (!facts.is_background) return {};
    if (facts.network->modem.value_or(false)) {
        return refuse(
            ErrorCode::Suspended,
            concat("the device is on a mobile network, over which no background requests go to the remote ", name));
    }
    if (facts.background_waits) return wait("background requests wait, on a remote as on the device");
    return {};
}

base::Result<void> check_fallback(std::string_view model, std::span<const std::string> models) {
    if (models.size() > kMaxFallbacks) {
        return base::fail(ErrorCode::InvalidArgument, "fallback: ", models.size(), " models are more than ",
                          kMaxFallbacks);
    }
    for (size_t i = 0; i < models.size(); ++i) {
        const auto wrong = [i](const auto&... what) {
            return base::fail(ErrorCode::InvalidArgument, "fallback[", i, "]: ", what...);
        };
        const auto name = parse_model_name(models[i]);
        if (!name) return wrong(name.error().message);
        if (!base::is_model_name(name->model)) return wrong(in_quotes(models[i]), " is not the name of a model");
        const auto seen = models.first(i);
        if (models[i] == model || std::find(seen.begin(), seen.end(), models[i]) != seen.end()) {
            return wrong(in_quotes(models[i]), " is asked for twice");
        }
    }
    return {};
}

std::optional<std::string_view> Fallback::next(std::span<const std::string> models, const Failure& failure) {
    if (failure.has_delivered || !may_go_elsewhere(failure.code)) return std::nullopt;
    const bool is_short = failure.code == ErrorCode::OutOfMemory || failure.code == ErrorCode::Suspended;
    device_is_short_ = device_is_short_ || (failure.on_device && is_short);
    while (n_tried_ < models.size()) {
        const std::string& model = models[n_tried_++];
        if (!device_is_short_ || is_of_this_device(model)) return model;
    }
    return std::nullopt;
}

}  // namespace llmd::handover
