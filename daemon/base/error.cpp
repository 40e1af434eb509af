#include "base/error.h"

#include <array>
#include <cstring>

namespace llmd::base {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(kLastErrorCode) + 1> kNames = {
    "Failed",           "InvalidArgument", "NotAllowed",        "NotFound",        "ModelNotFound", "ModelLoadFailed",
    "QueueFull",        "RateLimited",     "PromptTooLong",     "ContextExceeded", "NotReady",      "DeviceError",
    "OutOfMemory",      "Cancelled",       "Timeout",           "SlowConsumer",    "Suspended",     "ShuttingDown",
    "ConstraintFailed", "NotSupported",    "RemoteUnreachable", "RemoteRefused",   "RemoteLost",
};

}  // namespace

std::string_view error_name(ErrorCode code) {
    const auto index = static_cast<size_t>(code);
    return index < kNames.size() ? kNames[index] : kNames[0];
}

std::optional<ErrorCode> error_code_from_name(std::string_view name) {
    for (size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) return static_cast<ErrorCode>(i);
    }
    return std::nullopt;
}

Error fail_errno(ErrorCode code, std::string_view what, int errno_value) {
    return fail(code, what, ": ", std::strerror(errno_value));
}

}  // namespace llmd::base
