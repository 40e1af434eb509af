#include "http/reply.h"

#include "base/json_writer.h"

namespace llmd::http {

namespace {

using base::ErrorCode;

constexpr unsigned kTooManyRequests = 429;

// OpenAI's words for kinds of errors.
const char* error_type(unsigned status) {
    if (status == kTooManyRequests) return "rate_limit_error";
    if (status == 403) return "permission_error";
    if (status == 404) return "not_found_error";
    return status < 500 ? "invalid_request_error" : "server_error";
}

}  // namespace

Reply json_reply(std::string body) {
    Reply reply;
    reply.body = std::move(body);
    return reply;
}

unsigned http_status(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
        case ErrorCode::PromptTooLong:
        case ErrorCode::ContextExceeded:
        case ErrorCode::ConstraintFailed:
            return 400;
        case ErrorCode::NotAllowed:
            return 403;
        case ErrorCode::NotFound:
        case ErrorCode::ModelNotFound:
            return 404;
        case ErrorCode::QueueFull:
        case ErrorCode::RateLimited:
            return kTooManyRequests;
        case ErrorCode::Cancelled:
            return 499;  // nginx's number for a request that its client has ended
        case ErrorCode::NotReady:
        case ErrorCode::OutOfMemory:
        case ErrorCode::Suspended:
        case ErrorCode::ShuttingDown:
            return 503;
        case ErrorCode::Timeout:
            return 504;
        case ErrorCode::Failed:
        case ErrorCode::ModelLoadFailed:
        case ErrorCode::DeviceError:
        case ErrorCode::SlowConsumer:
            break;
    }
    return 500;
}

bool may_retry(ErrorCode code) {
    switch (code) {
        case ErrorCode::QueueFull:
        case ErrorCode::RateLimited:
        case ErrorCode::NotReady:
        case ErrorCode::OutOfMemory:
        case ErrorCode::Suspended:
        case ErrorCode::ShuttingDown:
            return true;
        default:
            return false;
    }
}

std::string error_object(const base::Error& error, Lengths lengths) {
    base::JsonWriter json;
    json.begin_object().key("error").begin_object();
    json.key("message").value(error.message);
    json.key("type").value(error_type(http_status(error.code)));
    json.key("code").value(base::error_name(error.code));
    if (error.code == ErrorCode::ContextExceeded) {
        if (lengths.n_prompt_tokens != 0) json.key("n_prompt_tokens").value(lengths.n_prompt_tokens);
        if (lengths.n_ctx != 0) json.key("n_ctx").value(lengths.n_ctx);
    }
    json.end_object().end_object();
    return json.take();
}

Reply error_reply(const base::Error& error, std::string body) {
    Reply reply;
    reply.status = http_status(error.code);
    reply.body = std::move(body);
    if (may_retry(error.code)) {
        reply.headers.emplace_back("Retry-After", std::to_string(kRetryAfterSeconds));
    } else {
        reply.headers.emplace_back("x-should-retry", "false");
    }
    return reply;
}

}  // namespace llmd::http
