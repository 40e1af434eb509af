// Bounds what one method call may carry, before anything of it is unpacked: a std::map of sdbus::Variant takes about
// 1.1 kB an entry, and each option's own limit is looked at behind that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bus/sdbus_compat.h"

namespace llmd::bus {

// The members of all dictionaries and the elements of all arrays that are not numbers. A conversation of 1,024
// messages, the most that there may be, has room for sixteen of them a message.
inline constexpr size_t kMaxCallEntries = 16'384;
// The bytes of all texts and numbers: the longest prompt that llmd takes at all. What a call's arguments may have has
// limits of its own, which are far lower.
inline constexpr size_t kMaxCallBytes = 4u << 20;

// Reads `call` as far as the limits and sets it back to its beginning. Returns a sentence that names the limit if the
// call is beyond it. Throws sdbus::Error where the message is malformed.
std::optional<std::string> excess_of(sdbus::Message& call);

}  // namespace llmd::bus
