// A value that somebody else wrote, as JSON or as a D-Bus variant: read whole, within limits, and owning its memory.
// Reentrant.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"

namespace llmd::base {

// Nested deeper than any request or schema that people write.
inline constexpr size_t kMaxJsonDepth = 64;
// Numbers, strings, arrays and so on in all. The longest conversation has a tenth of it.
inline constexpr size_t kMaxJsonValues = 64u << 10;

struct Value {
    struct Member;
    using Array = std::vector<Value>;
    using Object = std::vector<Member>;  // in the order in which it was written
    // A number of JSON that none of the types below holds, as it was written: in the arguments of a call, which are
    // passed on, it keeps its digits. Whatever reads a number refuses it.
    struct LargeNumber {
        std::string text;
    };
    // A D-Bus value of a type that no option has.
    struct Other {
        std::string signature;
    };

    Value();
    Value(std::nullptr_t);
    Value(bool flag);
    template <std::integral Number>
    requires(!std::same_as<Number, bool>) Value(Number number);
    Value(double number);
    Value(std::string text);
    Value(const char* text);
    Value(Array array);
    Value(Object object);
    Value(LargeNumber number);
    Value(Other other);
    Value(const std::vector<std::string>& texts);

    template <typename T>
    bool is() const {
        return std::holds_alternative<T>(value);
    }
    template <typename T>
    const T* get() const {
        return std::get_if<T>(&value);
    }
    bool is_null() const { return is<std::nullptr_t>(); }

    // Whole numbers of JSON that fit are int64_t, larger ones uint64_t, all other numbers double. Strings are UTF-8.
    std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object, LargeNumber, Other> value;
};

struct Value::Member {
    std::string key;
    Value value;
};

template <std::integral Number>
requires(!std::same_as<Number, bool>) Value::Value(Number number) {
    if constexpr (std::is_signed_v<Number>) {
        value = static_cast<int64_t>(number);
    } else {
        value = static_cast<uint64_t>(number);
    }
}

// The member of that name; null if there is none.
const Value* find(const Value::Object& object, std::string_view key);

// InvalidArgument says what is wrong with `text`: it is no JSON (what is not UTF-8 included), it is beyond the limits
// above, or a key stands twice in one object. A byte order mark in front is skipped (RFC 8259, 8.1). Half of a
// surrogate pair, which JavaScript leaves where it cuts an emoji, becomes U+FFFD, and sets `has_replaced`.
Result<Value> parse_json(std::string_view text, bool* has_replaced = nullptr);

void write_json(JsonWriter& json, const Value& value);
std::string json_text(const Value& value);

}  // namespace llmd::base
