// Who is calling: from inside a sandbox or not, and from which application's. Unsandboxed programs of the same user are
// not a security boundary and count as one application; an app in a Flatpak is another, and may touch only its own
// requests.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace llmd::api {

struct Caller {
    bool sandboxed = true;
    // GenerateRequest::application: kHostApplication, "flatpak:org.example.App", or empty when it cannot be told.
    std::string application;
};

inline constexpr const char* kHostApplication = "host";
inline constexpr size_t kMaxFlatpakNameBytes = 255;  // as D-Bus allows for the name that an app must be able to own
inline constexpr size_t kMaxFlatpakInfoBytes = 64 << 10;  // far above any real one

// Only a root directory that can be read and has no /.flatpak-info makes a process a host process; everything else, a
// process that has ended included, counts as sandboxed. That file is Flatpak's, and the app cannot change it.
Caller identify(pid_t pid);

// `name` in the group [Application] of a .flatpak-info; empty when there is none, or one that no app can have.
std::string application_name(std::string_view flatpak_info);

}  // namespace llmd::api
