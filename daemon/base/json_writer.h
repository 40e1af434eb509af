// Writes JSON: commas and escapes are right by construction. Reentrant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace llmd::base {

// Appends `text` as a JSON string with its quotes. Control characters, '"' and '\' are escaped, everything else is
// written as it is; what is not UTF-8 becomes U+FFFD (base/utf8.h), so that the output is always valid.
void append_json_string(std::string& out, std::string_view text);
// Quotes a text that somebody else wrote, for a message: as a JSON string on one line that is clean text too
// (base/utf8.h), cut behind `most_bytes` of it with "...".
inline constexpr size_t kMaxQuotedBytes = 64;
std::string in_quotes(std::string_view text, size_t most_bytes = kMaxQuotedBytes);
// The shortest digits that mean this number and no other: 1.0000001 must not be shown as 1.
std::string digits(double number);

// One JSON value. The calls must form one; nothing checks it.
//
//     JsonWriter json;
//     json.begin_object().key("seq").value(uint64_t{1}).key("text").value(text).end_object();
//     std::string line = json.take();
class JsonWriter {
public:
    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array() { return open('['); }
    JsonWriter& end_array() { return close(']'); }
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(bool flag);
    JsonWriter& value(int64_t number);
    JsonWriter& value(uint64_t number);
    JsonWriter& value(uint32_t number) { return value(uint64_t{number}); }
    // The shortest text that reads back as the same number; null for NaN and infinities, which JSON does not have.
    JsonWriter& value(double number);
    JsonWriter& value(float number);  // as a float
    JsonWriter& null();
    // `text` is a JSON value already. Its line breaks become blanks, so that a line stays one.
    JsonWriter& json(std::string_view text);

    // Returns the text that has been written; the writer is then empty.
    std::string take();

private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    template <typename Number>
    JsonWriter& real(Number number);
    void separate();

    std::string out_;
    bool needs_comma_ = false;
};

}  // namespace llmd::base
