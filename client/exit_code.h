// The one exception that carries an exit code to main().
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "api/errors.h"

namespace llmd::client {

using api::exit_code_of;
using api::ExitCode;
using api::short_error_name;

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

}  // namespace llmd::client
