// Tells the kernel's kills for want of memory from those of people and programs: all are SIGKILL, but the kernel counts
// its own. The figures are those of Linux 4.13 and later.
//
// The count is `oom_kill` in memory.events of llmd's control group (v2), which is its engines' too, or of the nearest
// group above that has one: every process in it that was killed, for want of memory in the group or on the device, one
// by one or with its whole group. Where no group has one (v1, or no memory controller) it is `oom_kill` in
// /proc/vmstat, the count of the whole device. The kernel counts before it kills, so whoever sees the death sees the
// count.
//
// Where neither can be read, every such kill may be the kernel's. So it may where the whole device's count has risen,
// whoever was killed. To be wrong costs idle models another load; to be wrong the other way costs another kill, and
// perhaps not an engine's.
//
// Killers that are programs are in no count. earlyoom and the like ask with SIGTERM first, which the caller takes for
// want of memory; systemd-oomd ends llmd's whole group.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/event_loop.h"
#include "platform/memory_pressure.h"

namespace llmd::platform {

// How many the kernel has killed until now; nothing: it does not say. Reads a few small files, and keeps nothing open.
std::optional<uint64_t> count_oom_kills(const PressureFiles& files = {});

// Pure: counts and times go in.
class OomKills {
public:
    // One shortage may kill several, whose deaths are seen one after the other.
    static constexpr std::chrono::seconds kOneShortage{5};

    // Gets the count when an engine starts, so that older kills are not taken for its own, and when one has been
    // killed. True if that may have been the kernel: it has killed since the last look or within kOneShortage, or
    // nobody knows.
    bool look(std::optional<uint64_t> count, base::TimePoint now);

private:
    std::optional<uint64_t> last_;
    std::optional<base::TimePoint> risen_;
};

}  // namespace llmd::platform
