// What the keyword `format` of a schema may name, each as the strings that every reader of it accepts - some that only
// a lenient one would are left out, such as a leap second or a year before 1000.
#pragma once

#include <optional>
#include <string_view>

#include "engine/generation/constraint/grammar.h"

namespace llmd::constraint {

// "date, time, ...": what json_format() knows.
inline constexpr std::string_view kJsonFormats = "date, time, date-time (RFC 3339), uuid, ipv4, email";

// The string's characters between its quotes; nothing for a format that is not known.
std::optional<NodeId> json_format(GrammarBuilder& builder, std::string_view name, NodeId next);

}  // namespace llmd::constraint
