// D-Bus variants as values and back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "bus/sdbus_compat.h"

namespace llmd::bus {

// Numbers of any width become int64_t, or uint64_t where only that holds them. as, au, ai and aa{sv} become arrays, and
// a{ud} an object whose keys are the numbers as text, as in JSON. A variant of any other type becomes Value::Other with
// its signature.
base::Value to_value(const sdbus::Variant& variant);
base::Value::Object to_object(const VariantMap& map);

// The value of `key` if it is there and is a T.
template <typename T>
std::optional<T> value_of(const VariantMap& values, const char* key) {
    const auto found = values.find(key);
    if (found == values.end() || !found->second.containsValueOfType<T>()) return std::nullopt;
    return found->second.get<T>();
}

// The variant of this D-Bus type: b, u, t, x, d, s, o, as, or aa{sv} of objects, whose members have the types below.
// Text is cleaned (base/utf8.h), because a D-Bus string is UTF-8 and the name of a file may be anything. Precondition:
// the value is of that kind.
sdbus::Variant to_variant(const base::Value& value, std::string_view type);
// The same, of the type that follows from what it holds: whole numbers are x, or t where only that holds them.
sdbus::Variant to_variant(const base::Value& value);

}  // namespace llmd::bus
