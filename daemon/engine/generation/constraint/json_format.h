// The values of a schema's keyword `format`. Each stands for strings that all parsers of the format accept; those that
// only lenient parsers accept, such as a leap second or a year before 1000, are left out.
#pragma once

#include <optional>
#include <string_view>

#include "engine/generation/constraint/grammar.h"

namespace llmd::constraint {

// The formats that json_format() knows, for messages.
inline constexpr std::string_view kJsonFormats = "date, time, date-time (RFC 3339), uuid, ipv4, email";

// Matches the characters of the string between its quotes. Returns nothing for an unknown format.
std::optional<NodeId> json_format(GrammarBuilder& builder, std::string_view name, NodeId next);

}  // namespace llmd::constraint
