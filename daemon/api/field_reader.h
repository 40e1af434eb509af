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
        if (const auto number = integer_within(key, least, most)) out = static_cast<Integer>(*number);
    }
    void number(std::string_view key, double least, double most, float& out);
    void boolean(std::string_view key, bool& out);
    void text(std::string_view key, std::string& out);
    // A string, or an array of strings.
    void strings(std::string_view key, std::vector<std::string>& out);
    // An array of whole numbers from 0 to INT32_MAX. Errors name the element.
    void ids(std::string_view key, std::vector<int32_t>& out);
    // The same of `value`, which was found at `key`.
    void ids(std::string_view key, const base::Value& value, std::vector<int32_t>& out);
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

    const std::string& path() const { return path_; }
    const std::optional<base::Error>& error() const { return error_; }

private:
    std::optional<uint64_t> integer_within(std::string_view key, uint64_t least, uint64_t most);

    const base::Value::Object& object_;
    const std::string path_;
    std::optional<base::Error> error_;
};

}  // namespace llmd::api
