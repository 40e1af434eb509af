// llmd-bench speed: tokens per second of prefill and of decode of several sequences together.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/bench_options.h"

namespace llmd::bench {

// The command: the text to print.
base::Result<std::string> run_speed(const Options& options);

}  // namespace llmd::bench
