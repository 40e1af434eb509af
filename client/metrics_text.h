// Reads llmd's metrics, Prometheus' text format 0.0.4, into what GetStatus calls the same things. Pure.
#pragma once

#include <string_view>

#include "client/value.h"

namespace llmd::client {

// version, state, model, backend, device, and the counts that both have. Lines that are not known are passed over.
Dictionary status_from_metrics(std::string_view text);

}  // namespace llmd::client
