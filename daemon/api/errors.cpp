#include "api/errors.h"

#include <array>

#include "base/json_writer.h"

namespace llmd::api {

namespace {

using base::ErrorCode;

constexpr std::string_view kBadRequest = "invalid_request_error";
constexpr std::string_view kServer = "server_error";
constexpr std::string_view kRateLimit = "rate_limit_error";
constexpr std::string_view kPermission = "permission_error";
constexpr unsigned kClientClosedRequest = 499;  // nginx's number for a request that its client has ended

constexpr std::array kErrors = {
    ErrorRow{ErrorCode::Failed, 500, kServer, "internal_error", false, ExitCode::Failed},
    ErrorRow{ErrorCode::InvalidArgument, 400, kBadRequest, "invalid_value", false, ExitCode::Usage},
    ErrorRow{ErrorCode::NotAllowed, 403, kPermission, "permission_denied", false, ExitCode::Refused},
    ErrorRow{ErrorCode::NotFound, 404, kBadRequest, "not_found", false, ExitCode::Failed},
    ErrorRow{ErrorCode::ModelNotFound, 404, kBadRequest, "model_not_found", false, ExitCode::ModelMissing},
    ErrorRow{ErrorCode::ModelLoadFailed, 500, kServer, "model_load_failed", false, ExitCode::Failed},
    ErrorRow{ErrorCode::QueueFull, 429, kRateLimit, "rate_limit_exceeded", true, ExitCode::Busy},
    ErrorRow{ErrorCode::RateLimited, 429, kRateLimit, "rate_limit_exceeded", true, ExitCode::Busy},
    ErrorRow{ErrorCode::PromptTooLong, 400, kBadRequest, "string_above_max_length", false, ExitCode::TooLong},
    ErrorRow{ErrorCode::ContextExceeded, 400, kBadRequest, "context_length_exceeded", false, ExitCode::TooLong},
    ErrorRow{ErrorCode::NotReady, 503, kServer, "not_ready", true, ExitCode::Busy},
    ErrorRow{ErrorCode::DeviceError, 500, kServer, "device_error", false, ExitCode::Failed},
    ErrorRow{ErrorCode::OutOfMemory, 503, kServer, "out_of_memory", true, ExitCode::Failed},
    ErrorRow{ErrorCode::Cancelled, kClientClosedRequest, kBadRequest, "cancelled", false, ExitCode::Failed},
    ErrorRow{ErrorCode::Timeout, 504, kServer, "timeout", false, ExitCode::Failed},
    ErrorRow{ErrorCode::SlowConsumer, 500, kServer, "slow_consumer", false, ExitCode::Failed},
    ErrorRow{ErrorCode::Suspended, 503, kServer, "suspended", true, ExitCode::Refused},
    ErrorRow{ErrorCode::ShuttingDown, 503, kServer, "shutting_down", true, ExitCode::Busy},
    ErrorRow{ErrorCode::ConstraintFailed, 400, kBadRequest, "constraint_failed", false, ExitCode::Unsatisfiable},
    ErrorRow{ErrorCode::NotSupported, 400, kBadRequest, "not_supported", false, ExitCode::Usage},
    ErrorRow{ErrorCode::RemoteUnreachable, 503, kServer, "remote_unreachable", true, ExitCode::Busy},
    ErrorRow{ErrorCode::RemoteRefused, 502, kServer, "remote_refused", false, ExitCode::Refused},
    ErrorRow{ErrorCode::RemoteLost, 502, kServer, "remote_lost", false, ExitCode::Failed},
};

constexpr bool is_in_order() {
    for (size_t i = 0; i < kErrors.size(); ++i) {
        if (static_cast<size_t>(kErrors[i].code) != i) return false;
    }
    return kErrors.size() == static_cast<size_t>(base::kLastErrorCode) + 1;
}
static_assert(is_in_order(), "one row for each code, in the order of the codes");

// Returns the field that a message begins with, as in "top_p: 3 is not ..."; empty if it begins with none.
std::string_view field_in(std::string_view message) {
    const auto is_of_path = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
               c == '[' || c == ']';
    };
    size_t end = 0;
    while (end < message.size() && is_of_path(message[end])) ++end;
    return message.substr(end).starts_with(": ") ? message.substr(0, end) : std::string_view();
}

}  // namespace

const ErrorRow& error_row(ErrorCode code) {
    const auto index = static_cast<size_t>(code);
    return index < kErrors.size() ? kErrors[index] : kErrors[0];
}

std::string openai_error(const base::Error& error, const ErrorDetails& details) {
    const ErrorRow& row = error_row(error.code);
    base::JsonWriter json;
    json.begin_object().key("error").begin_object();
    json.key("message").value(error.message);
    json.key("type").value(row.type);
    json.key("code").value(details.openai_code.empty() ? row.openai_code : details.openai_code);
    const std::string_view field = error.code == ErrorCode::InvalidArgument ? field_in(error.message) : "";
    field.empty() ? json.key("param").null() : json.key("param").value(field);
    json.key("name").value(base::error_name(error.code));
    if (error.code == ErrorCode::ContextExceeded) {
        if (details.n_prompt_tokens != 0) json.key("n_prompt_tokens").value(details.n_prompt_tokens);
        if (details.n_ctx != 0) json.key("n_ctx").value(details.n_ctx);
    }
    return json.end_object().end_object().take();
}

base::Error sandboxed_caller() {
    return base::fail(ErrorCode::NotAllowed, "a sandboxed application may use only its own requests");
}

std::string dbus_error_name(ErrorCode code) {
    return std::string(kDbusErrorPrefix).append(base::error_name(code));
}

std::string_view short_error_name(std::string_view name) {
    if (name.starts_with(kDbusErrorPrefix)) name.remove_prefix(kDbusErrorPrefix.size());
    return name;
}

ExitCode exit_code_of(std::string_view error_name) {
    const auto code = base::error_code_from_name(short_error_name(error_name));
    return error_row(code.value_or(ErrorCode::Failed)).exit_code;
}

}  // namespace llmd::api
