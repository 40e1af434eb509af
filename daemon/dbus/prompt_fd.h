// A prompt in memory that its sender has sealed (memfd_create(2)): longer than one that a message carries, and nobody
// can change it while it is read. The option prompt_fd of Generate and Stream.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "bus/sdbus_compat.h"

namespace llmd::dbus {

// Takes the option out of `options` and reads it; nothing when it is absent. InvalidArgument: it is no descriptor of
// memory with the seals F_SEAL_WRITE, F_SEAL_SHRINK and F_SEAL_GROW, or what it holds is not clean text (base/utf8.h).
// PromptTooLong past RequestLimits::kMaxSocketPromptBytes.
base::Result<std::optional<std::string>> take_prompt_fd(bus::VariantMap& options);

}  // namespace llmd::dbus
