// Reads the fields of a JSON object one after another and keeps the first error: a reader after that does nothing.
// A field that is absent or null leaves what it would set as it is; unknown fields are ignored. Errors are
// InvalidArgument and name the field and its value; of texts, which may be prompts, they name the length alone.
// The object is of JSON, or of D-Bus variants: there only a double has a fraction, and any integer type will do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "service/request.h"

namespace llmd::api {

class FieldReader {
public:
    // `object` must outlive the reader. `path` is what stands before its keys in messages ("options.").
    explicit FieldReader(const base::Value::Object& object, std::string path = {})
        : object_(object), path_(std::move(path)) {}

    // Nothing when it is absent or null, or after an error.
    const base::Value* find(std::string_view key) const;
    // It is there, be it null.
    bool has(std::string_view key) const { return base::find(object_, key) != nullptr; }
    bool is_null(std::string_view key) const { return has(key) && base::find(object_, key)->is_null(); }
    // The whole number that it is, if that is below 0.
    std::optional<int64_t> negative(std::string_view key) const;

    template <typename Integer>
    void integer(std::string_view key, uint64_t least, uint64_t most, Integer& out) {
        if (const base::Value* value = find(key)) integer(key, *value, least, most, out);
    }
    void number(std::string_view key, double least, double most, float& out);
    // The same of `value`, which was found at `key`.
    template <typename Integer>
    void integer(std::string_view key, const base::Value& value, uint64_t least, uint64_t most, Integer& out) {
        if (const auto number = integer_within(key, value, least, most)) out = static_cast<Integer>(*number);
    }
    void number(std::string_view key, const base::Value& value, double least, double most, float& out);
    void boolean(std::string_view key, bool& out);
    void text(std::string_view key, std::string& out);
    // A string, or an array of strings. Errors name the element.
    void strings(std::string_view key, std::vector<std::string>& out);
    // An array of whole numbers from 0 to INT32_MAX. Errors name the element.
    void ids(std::string_view key, std::vector<int32_t>& out);
    // The same of `value`, which was found at `key`.
    void ids(std::string_view key, const base::Value& value, std::vector<int32_t>& out);
    // Calls `read` with a reader of the object that a field holds, if it is there, and keeps its error.
    template <typename Read>
    void within(std::string_view key, Read read) {
        const auto* held = object(key);
        if (!held) return;
        FieldReader fields(*held, base::concat(path_, key, "."));
        read(fields);
        if (fields.error()) set(*fields.error());
    }
    // The same of each element of `array`, which was found at `key`; the first error ends it. `expected`, for messages,
    // says what each must be.
    template <typename Read>
    void each(std::string_view key, const base::Value::Array& array, std::string_view expected, Read read) {
        for (size_t i = 0; i < array.size() && !error_; ++i) {
            const auto* held = array[i].get<base::Value::Object>();
            const std::string at = base::concat(key, "[", i, "]");
            if (!held) return wrong_type(at, expected, array[i]);
            FieldReader fields(*held, base::concat(path_, at, "."));
            read(fields);
            if (fields.error()) set(*fields.error());
        }
    }
    // The object that a field holds; nothing when there is none.
    const base::Value::Object* object(std::string_view key);
    const base::Value::Array* array(std::string_view key);

    // `key`: `message`
    template <typename... Parts>
    void refuse(std::string_view key, const Parts&... parts) {
        set(base::fail(base::ErrorCode::InvalidArgument, path_, key, ": ", parts...));
    }
    // Unless the field is absent or says no (null, false, 0, empty), or is what the JSON `neutral` says; where that is
    // true or a positive number, a field that is there and not null must be it.
    void refuse_unless_no(std::string_view key, std::string_view neutral = {});
    // The same of `value`, which was found at `key`.
    void refuse_value_unless_no(std::string_view key, const base::Value& value, std::string_view neutral = {});
    void wrong_type(std::string_view key, std::string_view expected, const base::Value& value);
    void set(base::Error error) {
        if (!error_) error_ = std::move(error);
    }

    const base::Value::Object& members() const { return object_; }
    const std::string& path() const { return path_; }
    const std::optional<base::Error>& error() const { return error_; }

private:
    std::optional<uint64_t> integer_within(std::string_view key, const base::Value& value, uint64_t least,
                                           uint64_t most);

    const base::Value::Object& object_;
    const std::string path_;
    std::optional<base::Error> error_;
};

}  // namespace llmd::api
