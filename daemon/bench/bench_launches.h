// llmd-bench launches: what decoding costs the host when the device only compiles and queues (OpenClOverrides):
// launches, submissions and time of each token. Says nothing about the device's own time.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/bench_options.h"

namespace llmd::bench {

// The command: the text to print.
base::Result<std::string> run_launches(const Options& options);

}  // namespace llmd::bench
