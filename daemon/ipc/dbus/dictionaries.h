// The a{sv} dictionaries of the interface: options coming in, everything else going out. Keys are documented in
// dbus-interfaces/org.llmd.Llmd1.xml.
#pragma once

#include <string>
#include <vector>

#include "ipc/dbus/options.h"
#include "ipc/dbus/sdbus_compat.h"
#include "service/request.h"
#include "service/service.h"

namespace llmd::ipc {

OptionMap to_options(const VariantMap& variants);
std::vector<OptionMap> to_options(const std::vector<VariantMap>& list);

VariantMap info_dictionary(const service::Outcome& outcome);
VariantMap limits_dictionary();
VariantMap model_dictionary(const service::ModelEntry& model);
VariantMap request_dictionary(const std::string& path, const service::RequestSnapshot& request);
VariantMap status_dictionary(const service::Status& status, const std::string& version);

}  // namespace llmd::ipc
