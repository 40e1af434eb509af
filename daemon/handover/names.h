// The names of models: "qwen3-32b@home" is one that the remote "home" has, every other name and none are this device's.
// Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/result.h"
#include "handover/remote_policy.h"

namespace llmd::handover {

struct ModelName {
    std::string model;
    std::string remote;  // empty: this device
};
// MODEL@REMOTE, or a name of this device's; so is a path, from '/' on. InvalidArgument quotes the name, without the
// field: nothing stands on one side of the '@', or there are two.
base::Result<ModelName> parse_model_name(std::string_view name);

// Whether a request for the model `name` can only be for this device.
bool is_of_this_device(std::string_view name);

// Where a model is.
struct Place {
    const base::RemoteSettings* remote = nullptr;  // nothing: this device
    std::string model;                             // the name without the remote's
    std::string upstream;                          // its name at the remote; empty on this device
    std::string name() const { return remote != nullptr ? model + "@" + remote->name : model; }
};
// Where the model `name` is for this caller; `remotes` must outlive the place. Whether this device has a model of that
// name is the catalogue's to say. InvalidArgument as above; NotAllowed as check_caller() has it; ModelNotFound: there
// is no such remote, or it does not offer the model. Lists what there is instead to those who may use it.
base::Result<Place> find_place(std::string_view name, std::span<const base::RemoteSettings> remotes,
                               const Caller& caller);

// Returns the names under which the remote's models are asked for, in the order of the settings: "qwen3-32b@home".
std::vector<std::string> names_of_models(const base::RemoteSettings& remote);

// For people: "box.lan:8443", or "unix:/PATH".
std::string host_of(const base::RemoteSettings& remote);
// Returns the guarantees for each text of the remote whatever server it is, as far as the settings say that: "schema
// checked", "resumed by token ids", "cache salted".
std::vector<std::string> guarantees(const base::RemoteSettings& remote);

// "a, b, c", and "..." behind the first 16.
std::string list_of(std::span<const std::string> words);

// "home, work": those that the caller may know of, which is all for a program outside of sandboxes and else those that
// list it.
std::string remote_names(std::span<const base::RemoteSettings> remotes, const Caller& caller);

}  // namespace llmd::handover
