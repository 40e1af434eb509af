// llmd-bench speculation: what drafted tokens gain and cost on recorded texts, whatever the model's weights are: the
// generator takes the recorded tokens in the place of those that it samples (generation::Recording).
#pragma once

#include <string>

#include "base/result.h"
#include "bench/bench_options.h"

namespace llmd::bench {

// The command: the text to print.
base::Result<std::string> run_speculation(const Options& options);

}  // namespace llmd::bench
