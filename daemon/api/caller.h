// Who is calling: from inside a sandbox or not, from which application's, and whose allowance a request uses.
// Unsandboxed programs of the same user are not a security boundary and count as one application; an app in a Flatpak
// or a Snap is another, and may touch only its own requests. The allowance is a finer matter, on which no right
// depends: a host program that systemd has started as an app has one of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/caller.h"

namespace llmd::api {

using base::Caller;

inline constexpr size_t kMaxApplicationNameBytes = 255;  // as D-Bus allows for the name that an app must be able to own
inline constexpr size_t kMaxCallerFileBytes = 64 << 10;  // of each file that is read; far above any real one

// A process is a host process when its root directory can be read and has no /.flatpak-info, and AppArmor, where the
// kernel has it, does not confine it as a Snap. Everything else, a process that has ended included, counts as
// sandboxed. The name is left to the front end. An app can change neither that file, which is Flatpak's, nor its label.
// It may change its control group, which is why `share` alone depends on that. `proc` is another directory in tests.
Caller identify(pid_t pid, const std::string& proc = "/proc");

// The name in the group [Application] of a .flatpak-info. Empty when there is none, or one that no app can have.
std::string flatpak_name(std::string_view flatpak_info);

// AppArmor's label of a process, as /proc/PID/attr/current has it, says this about Snaps.
struct SnapLabel {
    bool is_snap = false;
    std::string name;  // of the Snap's instance; empty when no Snap can have it
};
SnapLabel read_snap_label(std::string_view label);

// The application of the innermost unit in a /proc/PID/cgroup, when that is an app's:
// app[-LAUNCHER]-APPLICATION[@…].service or app[-LAUNCHER]-APPLICATION-RANDOM.scope (Desktop Environment Integration of
// systemd). Its escapes stay. Else empty.
std::string unit_application(std::string_view cgroups);

}  // namespace llmd::api
