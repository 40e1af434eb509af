// `llmctl pull`: fetches a model from the Hugging Face Hub or another server. It is a program of its own, which llmctl
// starts: libcurl and the libraries that it brings would double the time in which every other command of llmctl starts,
// and nothing else of llmd uses the network.
#pragma once

#include "client/arguments.h"
#include "client/exit_code.h"

namespace llmd::client {

// Throws CommandError.
ExitCode pull(const Arguments& arguments);

}  // namespace llmd::client
