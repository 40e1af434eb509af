#include "handover/names.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/remote_settings.h"

namespace llmd::handover {

namespace {

using base::ErrorCode;
using base::in_quotes;

constexpr size_t kMaxListed = 16;

}  // namespace

base::Result<ModelName> parse_model_name(std::string_view name) {
    if (is_of_this_device(name)) return ModelName{std::string(name), ""};
    const size_t at = name.find('@');
    if (name.find('@', at + 1) != std::string_view::npos) {
        return base::fail(ErrorCode::InvalidArgument, in_quotes(name), " has more than one '@'");
    }
    if (at == 0 || at + 1 == name.size()) {
        return base::fail(ErrorCode::InvalidArgument, in_quotes(name),
                          " lacks a name beside the '@'; a remote's model is MODEL@REMOTE");
    }
    return ModelName{std::string(name.substr(0, at)), std::string(name.substr(at + 1))};
}

bool is_of_this_device(std::string_view name) {
    return name.starts_with('/') || name.find('@') == std::string_view::npos;
}

base::Result<Place> find_place(std::string_view name, std::span<const base::RemoteSettings> remotes,
                               const Caller& caller) {
    auto parsed = parse_model_name(name);
    if (!parsed) return base::fail(parsed.error().code, "model: ", parsed.error().message);
    if (parsed->remote.empty()) return Place{nullptr, std::move(parsed->model), ""};
    if (auto allowed = check_caller(caller, parsed->remote, remotes); !allowed) return std::move(allowed).error();
    const base::RemoteSettings* remote = find_remote(remotes, parsed->remote);
    if (remote == nullptr) {
        const std::string names = remote_names(remotes, caller);
        return base::fail(ErrorCode::ModelNotFound, "the settings have no remote ", in_quotes(parsed->remote),
                          names.empty() ? "" : "; they have ", names);
    }
    std::vector<std::string> models;
    for (const std::string& entry : remote->models) {
        base::RemoteModel one = base::remote_model(entry);
        if (one.name == parsed->model) return Place{remote, std::move(one.name), std::move(one.upstream)};
        models.push_back(std::move(one.name));
    }
    return base::fail(ErrorCode::ModelNotFound, "the remote ", in_quotes(remote->name), " has no model ",
                      in_quotes(parsed->model), " in the settings; it has ", list_of(models));
}

std::vector<std::string> names_of_models(const base::RemoteSettings& remote) {
    std::vector<std::string> names;
    for (const std::string& entry : remote.models) {
        names.push_back(Place{&remote, base::remote_model(entry).name, ""}.name());
    }
    return names;
}

std::string host_of(const base::RemoteSettings& remote) {
    const auto url = base::parse_remote_url(remote.url);
    return url ? base::address_of(*url) : "";  // the settings were refused with another one
}

std::vector<std::string> guarantees(const base::RemoteSettings& remote) {
    std::vector<std::string> words;
    words.reserve(3);  // without it g++ 14 at -O2 takes a copy within the list for one outside of it
    words.emplace_back("schema checked");
    const auto api = std::find_if(base::kRemoteApis.begin(), base::kRemoteApis.end(),
                                  [&](const base::RemoteApi& one) { return one.name == remote.api; });
    if (api == base::kRemoteApis.end()) return words;  // "auto": it is found out when it is asked
    if (api->takes_ids && remote.resume_seconds > 0) words.emplace_back("resumed by token ids");
    if (api->has_cache_salt) words.emplace_back("cache salted");
    return words;
}

std::string list_of(std::span<const std::string> words) {
    const std::string list = base::listed(words.first(std::min(words.size(), kMaxListed)));
    return words.size() > kMaxListed ? list + ", ..." : list;
}

std::string remote_names(std::span<const base::RemoteSettings> remotes, const Caller& caller) {
    std::vector<std::string> names;
    for (const base::RemoteSettings& remote : remotes) {
        if (!caller.sandboxed || may_use(caller, remote)) names.push_back(remote.name);
    }
    return list_of(names);
}

}  // namespace llmd::handover
