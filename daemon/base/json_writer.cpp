#include "base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/utf8.h"

namespace llmd::base {

namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

void append_ascii(std::string& out, char c) {
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    if (static_cast<unsigned char>(c) >= 0x20) {
        out += c;
        return;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u00";
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const Utf8Step step = next_utf8(text);
        if (step.character < 0x80) {
            append_ascii(out, text.front());
        } else {
            out += step.status == Utf8Status::Valid ? text.substr(0, step.length) : kReplacementCharacter;
        }
        text.remove_prefix(step.length);
    }
    out += '"';
}

std::string in_quotes(std::string_view text, size_t most_bytes) {
    std::string json;
    const size_t shown = utf8_cut(text, most_bytes);
    append_json_string(json, text.substr(0, shown));
    return to_clean_text(json) + (shown < text.size() ? "..." : "");
}

std::string digits(double number) {
    std::array<char, 32> out;
    const auto end = std::to_chars(out.data(), out.data() + out.size(), number).ptr;
    return {out.data(), end};
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    needs_comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    separate();
    append_json_string(out_, text);
    return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
    separate();
    out_ += flag ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::value(int64_t number) {
    separate();
    out_ += std::to_string(number);
    return *this;
}

JsonWriter& JsonWriter::value(uint64_t number) {
    separate();
    out_ += std::to_string(number);
    return *this;
}

template <typename Number>
JsonWriter& JsonWriter::real(Number number) {
    if (!std::isfinite(number)) return null();
    separate();
    std::array<char, 32> digits;  // the shortest form of a double has at most 24 characters
    char* const last = digits.data() + digits.size();
    // Many digits without a point are an integer to some readers, and one that none of theirs holds.
    const auto end = std::abs(number) < static_cast<Number>(kTwoTo63)
                         ? std::to_chars(digits.data(), last, number)
                         : std::to_chars(digits.data(), last, number, std::chars_format::scientific);
    out_.append(digits.data(), end.ptr);
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    return real(number);
}

JsonWriter& JsonWriter::value(float number) {
    return real(number);
}

JsonWriter& JsonWriter::null() {
    separate();
    out_ += "null";
    return *this;
}

JsonWriter& JsonWriter::json(std::string_view text) {
    separate();
    for (const char c : text) out_ += c == '\n' || c == '\r' ? ' ' : c;
    return *this;
}

std::string JsonWriter::take() {
    needs_comma_ = false;
    return std::exchange(out_, {});
}

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    out_ += bracket;
    needs_comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    out_ += bracket;
    needs_comma_ = true;
    return *this;
}

void JsonWriter::separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
}

}  // namespace llmd::base
