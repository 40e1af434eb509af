// How llmd logs: to stderr, for the journal with its priority prefixes, else with the time.
#pragma once

#include <string>

namespace llmd {

// `level` as in the configuration: error, warn, info or debug.
void set_up_log(const std::string& level);

}  // namespace llmd
