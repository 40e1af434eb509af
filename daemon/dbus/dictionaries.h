// The a{sv} dictionaries of the interface: what goes out, all but the options. Keys are documented in the files of
// dbus-interfaces/.
#pragma once

#include <string>
#include <vector>

#include "api/answer_format.h"
#include "api/status.h"
#include "bus/sdbus_compat.h"
#include "service/request.h"
#include "service/service.h"

namespace llmd::dbus {

bus::VariantMap info_dictionary(const api::AnswerHead& head, const api::Choice& choice);
bus::VariantMap limits_dictionary();
// Returns the dictionary of what the tables of api/ list: a status, a model, a request.
bus::VariantMap dictionary(const std::vector<api::StatusValue>& values);

}  // namespace llmd::dbus
