// The name and the meaning of each error outside llmd: the one table from which D-Bus, HTTP and llmctl take it.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace llmd::api {

// llmctl's exit codes; scripts rely on the numbers.
enum class ExitCode : int {
    Ok = 0,
    Failed = 1,
    Usage = 2,
    Unreachable = 3,  // no bus, no daemon, or the daemon died
    ModelMissing = 4,
    Busy = 5,           // come back later
    Refused = 6,        // by policy: who asks, or the device's state
    TooLong = 7,        // for the model's context or the transport
    Unsatisfiable = 8,  // the model cannot spell a text that fits the schema
    Interrupted = 130,  // 128 + SIGINT, as shells count
};

struct ErrorRow {
    base::ErrorCode code;
    unsigned http_status;
    std::string_view type;         // OpenAI's error.type
    std::string_view openai_code;  // OpenAI's error.code, by which clients know an error; one of ours where it has none
    // True if the same request may succeed a little later. HTTP answers then say when (Retry-After), others that
    // trying again is of no use (x-should-retry: false). OpenAI's clients repeat what failed with 408, 409, 429 or 5xx
    // unless they are asked not to.
    bool may_retry;
    ExitCode exit_code;
};

// Returns the row of Failed for a number that is no code.
const ErrorRow& error_row(base::ErrorCode code);

// These details are known beside an error when it is sent.
struct ErrorDetails {
    // The lengths of a prompt and of the context that it does not fit into, in tokens; 0: not known.
    uint32_t n_prompt_tokens = 0;
    uint32_t n_ctx = 0;
    std::string_view openai_code = {};  // instead of the row's, where a front end knows more
};

// {"error":{"message":…,"type":…,"code":…,"param":…,"name":…}}: OpenAI's form, with the name that the error has on the
// bus. The lengths are sent with ContextExceeded.
std::string openai_error(const base::Error& error, const ErrorDetails& details = {});

// NotAllowed: what is not for a program in a sandbox, nor for what comes through the bridge.
base::Error sandboxed_caller();

inline constexpr std::string_view kDbusErrorPrefix = "org.llmd.Llmd1.Error.";

// "org.llmd.Llmd1.Error.QueueFull"
std::string dbus_error_name(base::ErrorCode code);

// "org.llmd.Llmd1.Error.QueueFull" -> "QueueFull"; a name without the prefix stays as it is.
std::string_view short_error_name(std::string_view name);
// The exit code for a name with or without the prefix. A name from a newer llmd is Failed.
ExitCode exit_code_of(std::string_view error_name);

}  // namespace llmd::api
