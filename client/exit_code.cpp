#include "client/exit_code.h"

#include "base/error.h"

namespace llmd::client {

void throw_failed(const std::string& message) {
    throw CommandError(ExitCode::Failed, message);
}

std::string_view short_error_name(std::string_view name) {
    constexpr std::string_view kPrefix = "org.llmd.Llmd1.Error.";
    if (name.substr(0, kPrefix.size()) == kPrefix) name.remove_prefix(kPrefix.size());
    return name;
}

ExitCode exit_code_of(std::string_view error_name) {
    using base::ErrorCode;
    switch (base::error_code_from_name(short_error_name(error_name)).value_or(ErrorCode::Failed)) {
        case ErrorCode::InvalidArgument:
            return ExitCode::Usage;
        case ErrorCode::ModelNotFound:
            return ExitCode::ModelMissing;
        case ErrorCode::QueueFull:
        case ErrorCode::RateLimited:
        case ErrorCode::NotReady:
        case ErrorCode::ShuttingDown:
            return ExitCode::Busy;
        case ErrorCode::NotAllowed:
        case ErrorCode::Suspended:
            return ExitCode::Refused;
        case ErrorCode::PromptTooLong:
        case ErrorCode::ContextExceeded:
            return ExitCode::TooLong;
        case ErrorCode::ConstraintFailed:
            return ExitCode::Unsatisfiable;
        case ErrorCode::Failed:
        case ErrorCode::NotFound:
        case ErrorCode::ModelLoadFailed:
        case ErrorCode::DeviceError:
        case ErrorCode::OutOfMemory:
        case ErrorCode::Cancelled:
        case ErrorCode::Timeout:
        case ErrorCode::SlowConsumer:
            return ExitCode::Failed;
    }
    return ExitCode::Failed;
}

}  // namespace llmd::client
