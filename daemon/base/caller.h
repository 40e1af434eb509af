// Who asks llmd for something: found out once by the front end that is asked (api/caller.h), and carried with the
// request to whatever decides by it.
#pragma once

#include <string>

namespace llmd::base {

inline constexpr const char* kHostApplication = "host";
// All programs that come through `llmctl bridge`: which application they are cannot be known, and one may be an app in
// a sandbox.
inline constexpr const char* kBridgeApplication = "bridge";
inline constexpr const char* kUnidentifiedShare = "unidentified";

struct Caller {
    bool sandboxed = true;  // half of the limits, never Interactive, and only its own requests may be touched
    // kHostApplication, "flatpak:org.example.App", "snap:example", kBridgeApplication, or empty when
    // it cannot be known. Caches are shared within one only, and with an empty one by nobody.
    std::string application;
    // Whose allowance is used, which fairness goes by: the application where that is a sandbox's; of a host program
    // "app:org.example.App" when it runs in a unit of that application, else kHostApplication; kUnidentifiedShare when
    // nothing can be known.
    std::string share = kUnidentifiedShare;
    // The one client, by which limits and fairness within its share go: its unique bus name, "socket:PID", or
    // "bridge:PID" of a program behind the bridge, which are all "bridge" where that is not known.
    std::string name;
};

}  // namespace llmd::base
