// The limits that llmd asks the kernel to set for itself, so that it is a modest guest on a phone however it was
// started: D-Bus without systemd runs it with no service unit at all.
#pragma once

namespace llmd::base {

// Lowers the process's priorities, never raises them: nice 5, idle disk class, out-of-memory score 500, umask 077, no
// new privileges. A unit of systemd has done this already, or means something else: then nothing changes. What the
// kernel refuses is left as it is.
void apply_background_limits();

// Freed blocks of some 100 KiB and more go back to the kernel at once, as musl does it by itself: glibc keeps up to
// 64 MiB for good once requests of a few MiB have been read. Call it before anything large is allocated.
void give_memory_back();

// Keeps prompts out of core dumps and out of other processes' reach. After this the files of /proc/self belong to root:
// call it last.
void forbid_core_dumps();

}  // namespace llmd::base
