// The entries of a model and of a request in llmd's lists: made once, for ListModels and ListRequests on the bus and
// for /llmd/models and /llmd/requests over HTTP. Keys are documented in the files of dbus-interfaces/. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/status.h"
#include "base/json_writer.h"
#include "service/service.h"

namespace llmd::api {

inline constexpr std::string_view kRequestRoot = "/org/llmd/Llmd1/request/";

// Returns the name of a request: the path of its object on the bus, or kRequestRoot + "socket/NUMBER" where it has
// none. No object's path is like that: a sender begins with a digit.
std::string request_path(const service::RequestSnapshot& request);

std::vector<StatusValue> model_values(const supervisor::ModelEntry& model);
std::vector<StatusValue> request_values(const service::RequestSnapshot& request);

// One JSON object.
void write_values(base::JsonWriter& json, const std::vector<StatusValue>& values);

// The model as `caller` may know it: the paths of files are not for sandboxes.
supervisor::ModelEntry model_for(supervisor::ModelEntry model, const Caller& caller);

}  // namespace llmd::api
