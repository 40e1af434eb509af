// How a failure is reported.
#pragma once

#include "client/exit_code.h"

namespace llmd::client {

// On standard error always; with `json` also as the one object on standard output that the caller's parser waits for.
// Nothing when there is no message: the reader of standard output has gone.
void report(const CommandError& error, bool json);

}  // namespace llmd::client
