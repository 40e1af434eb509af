// A JSON value that keeps the order of its members and the spelling of its numbers, and writes itself as the filters of
// chat templates do. A template's text must not change because a client writes 1.50, and llmd-bench is built without
// simdjson, which keeps neither.
// Plain data; pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace llmd::chat {

struct JsonValue {
    enum class Kind : uint8_t { Null, False, True, Number, String, Array, Object };
    Kind kind = Kind::Null;
    std::string key;   // of a member
    std::string text;  // of a String its characters, of a Number its spelling
    std::vector<JsonValue>
        items;  // of an Array or an Object; the keys of an Object are distinct, the last value counts

    // Returns the member of that name, or null.
    const JsonValue* find(std::string_view name) const;
};

// Values may be nested this deep.
inline constexpr uint32_t kMaxJsonDepth = 128;

// Reads a whole text as one value (RFC 8259). InvalidArgument says what is wrong and at which byte.
base::Result<JsonValue> parse_json(std::string_view text);

// The beginning of a text, read as JSON.
struct JsonPrefix {
    std::optional<JsonValue> value;  // nothing: the text does not begin with a value
    size_t n_bytes = 0;              // that were read
    bool repeats_key = false;        // an object in it has a key twice
};
JsonPrefix read_json_prefix(std::string_view text);

// The same value, whatever the order of members and the spelling of strings and numbers.
bool is_same_value(const JsonValue& a, const JsonValue& b);

// json.dumps(value, ensure_ascii=False, indent=indent) of Python, which is Transformers' filter `tojson`; indent 0
// means none. Numbers keep their spelling.
std::string to_json(const JsonValue& value, uint32_t indent = 0);
std::string to_json_string(std::string_view text);

// str(value) of Python, which is Jinja's filter `string`. Numbers keep their spelling.
std::string to_python(const JsonValue& value);

}  // namespace llmd::chat
