// The errors that llmd reports, from the engine up to an app: a code that a client can act on and a message for a
// person. The names travel unchanged on D-Bus (`org.llmd.Llmd1.Error.<Name>`), on the socket and in llmctl's exit
// codes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace llmd::base {

// Values are part of the frame protocol between llmd and llmd-engine: append, never renumber.
enum class ErrorCode : uint8_t {
    Failed = 0,        // anything without a better name; a bug or an unexpected answer of the system
    InvalidArgument,   // an option, a field or a frame is malformed or out of range; the message names it and its value
    NotAllowed,        // the caller may not do this
    NotFound,          // no such request
    ModelNotFound,     // no model of that name
    ModelLoadFailed,   // the model file cannot be loaded: corrupt, unsupported, or it ended the engine
    QueueFull,         // come back later
    RateLimited,       // this client has too much in flight
    PromptTooLong,     // the prompt alone exceeds a limit
    ContextExceeded,   // prompt and answer cannot fit into the model's context
    NotReady,          // the daemon cannot serve yet
    DeviceError,       // the compute device failed, or its result was not finite
    OutOfMemory,       // the model or the request does not fit, or the device lacks memory for more requests now
    Cancelled,         // somebody cancelled it
    Timeout,           // deadline_ms has passed
    SlowConsumer,      // the reader did not keep up
    Suspended,         // the device is going to sleep, or saves its battery and takes no background work
    ShuttingDown,      // the daemon is leaving
    ConstraintFailed,  // this model's vocabulary cannot spell a text that fits the schema; or a remote did not obey it
    NotSupported,      // this model or remote cannot do it, whatever the value
    RemoteUnreachable,  // the remote cannot be reached now; the device's own models are as before
    RemoteRefused,      // the remote does not let llmd in, or is not who it should be
    RemoteLost,         // the remote was lost in the middle of a text that could not be resumed
};
inline constexpr ErrorCode kLastErrorCode = ErrorCode::RemoteLost;

struct Error {
    ErrorCode code = ErrorCode::Failed;
    std::string message;  // what, where and the offending value; one line, no trailing full stop
    std::optional<std::chrono::seconds> retry_after = {};  // when the same request may succeed, where that is known
};

// "InvalidArgument" for ErrorCode::InvalidArgument.
std::string_view error_name(ErrorCode code);
std::optional<ErrorCode> error_code_from_name(std::string_view name);

// Joins its arguments with operator<<: concat("layer ", 3) == "layer 3".
template <typename... Parts>
std::string concat(const Parts&... parts) {
    std::ostringstream out;
    (out << ... << parts);
    return std::move(out).str();
}

// "a, b, c": the words, or what `spell` gives for each element.
template <typename Elements, typename Spell = std::identity>
std::string listed(const Elements& elements, Spell spell = {}) {
    std::string list;
    for (const auto& element : elements) list.append(list.empty() ? "" : ", ").append(std::invoke(spell, element));
    return list;
}

// fail(ErrorCode::InvalidArgument, "top_k: ", k, " is more than ", limit)
template <typename... Parts>
Error fail(ErrorCode code, const Parts&... parts) {
    return Error{code, concat(parts...)};
}

// Like fail(), with ": <strerror(errno_value)>" appended.
Error fail_errno(ErrorCode code, std::string_view what, int errno_value);

// ContextExceeded, in the words by which programs know it ("prompt is too long", "This model's maximum context length
// is N tokens": LiteLLM, LangChain, CrewAI and others look for one of them). `n_prompt` is a number of tokens, or "at
// least" one; `has_answer`: the context is for prompt and answer.
template <typename Number>
Error context_exceeded(const Number& n_prompt, uint32_t n_ctx, bool has_answer) {
    return fail(ErrorCode::ContextExceeded, "the prompt is too long. This model's maximum context length is ", n_ctx,
                " tokens", has_answer ? " for prompt and answer" : "", "; the prompt has ", n_prompt, " tokens");
}

}  // namespace llmd::base
