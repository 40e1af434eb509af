// The service's status in Prometheus's text format, version 0.0.4. Names models and devices, never prompts or clients.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "service/service.h"

namespace llmd::http {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

std::string metrics(const service::Status& status, std::string_view version);

}  // namespace llmd::http
