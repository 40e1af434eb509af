// llmctl's exit codes, and the one exception that carries one to main().
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace llmd::client {

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

// Ends a command. `name` is a daemon's error name without its prefix ("QueueFull"), empty for llmctl's own errors.
class CommandError : public std::runtime_error {
public:
    CommandError(ExitCode code, const std::string& message, std::string name = {})
        : std::runtime_error(message), code_(code), name_(std::move(name)) {}
    ExitCode code() const { return code_; }
    const std::string& name() const { return name_; }

private:
    ExitCode code_;
    std::string name_;
};

// CommandError(Failed).
[[noreturn]] void throw_failed(const std::string& message);

// "org.llmd.Llmd1.Error.QueueFull" -> "QueueFull"; a name without the prefix stays as it is.
std::string_view short_error_name(std::string_view name);

// The exit code of a daemon's error, by short name or D-Bus name. An unknown name is Failed.
ExitCode exit_code_of(std::string_view error_name);

}  // namespace llmd::client
