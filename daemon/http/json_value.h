// JSON that somebody else wrote: read whole, within limits, into values that own their memory. Reentrant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"

namespace llmd::http {

// Nested deeper than any request or schema that people write.
inline constexpr size_t kMaxJsonDepth = 64;
// Numbers, strings, arrays … in all: a conversation of the longest kind has a tenth of it.
inline constexpr size_t kMaxJsonValues = 64u << 10;

struct JsonValue {
    struct Member;
    using Array = std::vector<JsonValue>;
    using Object = std::vector<Member>;  // in the order in which it was written

    template <typename T>
    bool is() const {
        return std::holds_alternative<T>(value);
    }
    template <typename T>
    const T* get() const {
        return std::get_if<T>(&value);
    }

    // Integers that fit are int64_t, larger ones uint64_t, all other numbers double. Strings are UTF-8.
    std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object> value;
};

struct JsonValue::Member {
    std::string key;
    JsonValue value;
};

// InvalidArgument says what is wrong with `text`: it is no JSON (what is not UTF-8, unpaired surrogates and numbers
// that no double holds included), it is beyond the limits above, or a key stands twice in one object.
base::Result<JsonValue> parse_json(std::string_view text);

void write_json(const JsonValue& value, base::JsonWriter& json);

}  // namespace llmd::http
