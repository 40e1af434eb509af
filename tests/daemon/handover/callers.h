// Who asks, and a remote that lists some of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/config.h"
#include "handover/remote_policy.h"

namespace llmd::handover {

inline const Caller kHost{false, "host"};
inline const Caller kNotes{true, "flatpak:org.example.Notes"};
inline const Caller kOther{true, "flatpak:org.example.Other"};
inline const Caller kSnap{true, "snap:example"};
inline const Caller kBridge{true, base::kBridgeApplication};
inline const Caller kNobody{true, ""};

inline base::RemoteSettings remote_for(std::vector<std::string> apps, const std::string& name = "home",
                                       std::vector<std::string> models = {"m"}) {
    base::RemoteSettings settings;
    settings.name = name;
    settings.url = "https://box.example";
    settings.models = std::move(models);
    settings.apps = std::move(apps);
    return settings;
}

}  // namespace llmd::handover
