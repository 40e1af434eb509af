// The a{sv} dictionaries of the interface: what goes out, all but the options. Keys are documented in the files of
// dbus-interfaces/.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/answer_calls.h"
#include "bus/sdbus_compat.h"
#include "service/request.h"
#include "service/service.h"

namespace llmd::dbus {

bus::VariantMap info_dictionary(const service::Outcome& outcome, std::span<const api::AnswerCall> calls,
                                std::span<const std::string> notes);
bus::VariantMap limits_dictionary();
bus::VariantMap model_dictionary(const engines::ModelEntry& model);
bus::VariantMap request_dictionary(const std::string& path, const service::RequestSnapshot& request);
bus::VariantMap status_dictionary(const service::Status& status, const std::string& version);

}  // namespace llmd::dbus
