// The code that llmctl's programs begin and end with.
#pragma once

#include <string>
#include <vector>

#include "client/arguments.h"
#include "client/exit_code.h"

namespace llmd::client {

// Reads the command line, prints help where it asks for that, else has `run` do the command, and turns a failure into a
// message on standard error. The exit status. Ctrl-C ends the process with 130 until a command has something to cancel.
int run_program(const std::vector<std::string>& argv, ExitCode (*run)(const Arguments&));

}  // namespace llmd::client
