#include "remote/retry.h"

#include <algorithm>

#include "base/json_writer.h"

namespace llmd::remote {

namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using Kind = Failure::Kind;
using What = Verdict::What;

constexpr unsigned kMaxDoublings = 16;
// Also where libcurl since 8.12 cuts CURLINFO_RETRY_AFTER.
constexpr std::chrono::seconds kLongestRetryAfter = std::chrono::hours(6);

// Twice as long each time, and up to a quarter more.
Milliseconds backoff(unsigned tries, const Limits& limits, double jitter) {
    constexpr double kSpread = 0.25;
    const auto whole = std::min(limits.first_backoff * (1u << std::min(tries, kMaxDoublings)), limits.last_backoff);
    return whole + Milliseconds(static_cast<int64_t>(static_cast<double>(whole.count()) * kSpread * jitter));
}

// These become the state of the remote, which others see too.
bool is_of_remote(ErrorCode code) {
    return code == ErrorCode::RemoteRefused || code == ErrorCode::RemoteUnreachable;
}

std::string told(ErrorCode code, const Failure& failure) {
    std::string text = failure.detail;
    if (failure.status != 0) text = base::concat("the remote answered ", failure.status);
    if (text.empty()) text = "the remote's answer broke off";
    if (failure.may_quote_prompt && is_of_remote(code)) return text;
    if (!failure.told.message.empty()) text += ": " + base::in_quotes(failure.told.message, kMaxToldBytes);
    return text;
}

Verdict failed(ErrorCode code, const Failure& failure) {
    return {.what = What::Fail, .error = Error{code, told(code, failure)}};
}

// The text is cut, or its remote cannot be reached while it waits to go on.
Verdict judge_loss(const Failure& failure, const Attempts& attempts, const Limits& limits, double jitter) {
    const bool never_begins = !attempts.has_begun && attempts.tries >= kMaxTries;
    if (never_begins || !attempts.can_resume || attempts.fruitless > kMaxFruitless ||
        attempts.since_cut >= limits.resume) {
        return failed(ErrorCode::RemoteLost, failure);
    }
    return {.what = What::Resume, .delay = backoff(attempts.tries, limits, jitter)};
}

Verdict judge_busy(const Failure& failure, const Attempts& attempts, const Limits& limits, double jitter) {
    if (attempts.tries >= kMaxTries || failure.retry_after > limits.longest_retry_after) {
        Verdict verdict = failed(ErrorCode::QueueFull, failure);
        verdict.error.retry_after = failure.retry_after;
        return verdict;
    }
    if (!failure.retry_after) return {.what = What::Again, .delay = backoff(attempts.tries, limits, jitter)};
    return {.what = What::Again, .delay = *failure.retry_after};
}

Verdict judge_unreachable(const Failure& failure, const Attempts& attempts, const Limits& limits, double jitter) {
    if (attempts.tries < kMaxTries) return {.what = What::Again, .delay = backoff(attempts.tries, limits, jitter)};
    return failed(ErrorCode::RemoteUnreachable, failure);
}

Verdict judge_status(const Failure& failure, const Attempts& attempts, const Limits& limits, double jitter) {
    constexpr long kUnauthorized = 401, kForbidden = 403, kNotFound = 404, kNotAllowed = 405, kTimeout = 408,
                   kTooManyRequests = 429, kFirstServerError = 500, kNotImplemented = 501, kBadGateway = 502,
                   kUnavailable = 503, kGatewayTimeout = 504, kFirstRedirect = 300, kFirstClientError = 400;
    const long status = failure.status;
    const bool is_redirect = status >= kFirstRedirect && status < kFirstClientError;
    if (status == kUnauthorized || status == kForbidden || is_redirect) {
        return failed(ErrorCode::RemoteRefused, failure);
    }
    // Not only with 400: some wrap it in a 500.
    if (says_context_exceeded(failure.told)) return failed(ErrorCode::ContextExceeded, failure);
    if (status == kUnavailable && says_loading(failure.told)) {
        if (attempts.has_begun) {
            // The model that comes back may be another one.
            const bool may_wait = attempts.can_resume && attempts.since_cut < limits.resume;
            return may_wait ? Verdict{.what = What::Resume, .delay = limits.loading_wait}
                            : failed(ErrorCode::RemoteLost, failure);
        }
        if (attempts.waited >= limits.first_token) return failed(ErrorCode::NotReady, failure);
        return {.what = What::Again, .delay = limits.loading_wait};
    }
    if (attempts.has_begun) return judge_loss(failure, attempts, limits, jitter);
    if (status == kTooManyRequests || status == kUnavailable) return judge_busy(failure, attempts, limits, jitter);
    // One new look whether the model is still there. If it is, what is not there may be the call.
    if (status == kNotFound) {
        if (attempts.tries == 0) return {.what = What::Resume};
        const bool has_words = !failure.told.message.empty() && failure.told.message != "Not Found";
        return failed(has_words ? ErrorCode::ModelNotFound : ErrorCode::NotSupported, failure);
    }
    if (status == kNotAllowed || status == kNotImplemented) return failed(ErrorCode::NotSupported, failure);
    if (status == kTimeout || status == kBadGateway || status == kGatewayTimeout) {
        return judge_unreachable(failure, attempts, limits, jitter);
    }
    if (status >= kFirstServerError || status == 0) return judge_loss(failure, attempts, limits, jitter);
    return failed(ErrorCode::InvalidArgument, failure);
}

}  // namespace

Verdict judge(const Failure& failure, const Attempts& attempts, const Limits& limits, double jitter) {
    switch (failure.kind) {
        case Kind::Untrusted:
            return failed(ErrorCode::RemoteRefused, failure);
        case Kind::Unreachable:
            return attempts.has_begun ? judge_loss(failure, attempts, limits, jitter)
                                      : judge_unreachable(failure, attempts, limits, jitter);
        case Kind::Status:
            return judge_status(failure, attempts, limits, jitter);
        case Kind::Cut:
            return judge_loss(failure, attempts, limits, jitter);
        case Kind::SlowFirstToken:
            return attempts.has_begun ? judge_loss(failure, attempts, limits, jitter)
                                      : failed(ErrorCode::Timeout, failure);
        case Kind::Malformed:
            break;
    }
    return failed(ErrorCode::RemoteLost, failure);
}

base::Error last_error(const Failure& failure) {
    base::Error error = judge(failure, {.tries = kMaxTries, .waited = Milliseconds::max()}, {}, 0).error;
    const bool is_no_answer = failure.kind == Kind::Malformed;
    if (error.code == ErrorCode::RemoteLost) {
        error.code = is_no_answer ? ErrorCode::RemoteRefused : ErrorCode::RemoteUnreachable;
        error.message = told(error.code, failure);
    }
    return error;
}

uint32_t retry_after_s(const Error& error) {
    return static_cast<uint32_t>(
        std::min(error.retry_after.value_or(std::chrono::seconds(0)), kLongestRetryAfter).count());
}

}  // namespace llmd::remote
