#include "base/utf8.h"

#include <algorithm>

namespace llmd::base {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The Unicode Standard, section 23.7.
bool is_noncharacter(char32_t character) {
    return (character & 0xFFFE) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF);
}

}  // namespace

Utf8Step next_utf8(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    const uint8_t lead = byte(0);
    if (lead < 0x80) return {Utf8Status::Valid, 1, lead};

    uint8_t length = 0;
    uint8_t second_low = 0x80, second_high = 0xBF;  // only the second byte's range depends on the lead
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
        if (lead == 0xE0) second_low = 0xA0;   // overlong below
        if (lead == 0xED) second_high = 0x9F;  // surrogates above
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        if (lead == 0xF0) second_low = 0x90;   // overlong below
        if (lead == 0xF4) second_high = 0x8F;  // beyond U+10FFFF above
    } else {
        return {Utf8Status::Invalid, 1, kReplacement};
    }
    char32_t character = lead & (0x7Fu >> length);
    for (uint8_t i = 1; i < length; ++i) {
        if (i == text.size()) return {Utf8Status::Incomplete, i, kReplacement};
        const uint8_t low = i == 1 ? second_low : 0x80;
        const uint8_t high = i == 1 ? second_high : 0xBF;
        if (byte(i) < low || byte(i) > high) return {Utf8Status::Invalid, i, kReplacement};
        character = character << 6 | (byte(i) & 0x3Fu);
    }
    return {Utf8Status::Valid, length, character};
}

void append_utf8(char32_t character, std::string& out) {
    const auto continuation = [&](int shift) { out += static_cast<char>(0x80 | (character >> shift & 0x3F)); };
    if (character < 0x80) {
        out += static_cast<char>(character);
    } else if (character < 0x800) {
        out += static_cast<char>(0xC0 | character >> 6);
        continuation(0);
    } else if (character < 0x10000) {
        out += static_cast<char>(0xE0 | character >> 12);
        continuation(6);
        continuation(0);
    } else {
        out += static_cast<char>(0xF0 | character >> 18);
        continuation(12);
        continuation(6);
        continuation(0);
    }
}

size_t valid_utf8_prefix(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
        if (static_cast<uint8_t>(text[at]) < 0x80) {  // most of a text: not worth a step
            ++at;
            continue;
        }
        const Utf8Step step = next_utf8(text.substr(at));
        if (step.status != Utf8Status::Valid) break;
        at += step.length;
    }
    return at;
}

size_t utf8_cut(std::string_view text, size_t limit) {
    if (text.size() <= limit) return text.size();
    while (limit > 0 && (static_cast<uint8_t>(text[limit]) & 0xC0) == 0x80) --limit;
    return limit;
}

bool is_clean(const Utf8Step& step) {
    return step.status == Utf8Status::Valid && step.character != 0 && !is_noncharacter(step.character);
}

size_t clean_prefix(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
        const Utf8Step step = next_utf8(text.substr(at));
        if (!is_clean(step)) break;
        at += step.length;
    }
    return at;
}

bool is_clean_text(std::string_view text) {
    return clean_prefix(text) == text.size();
}

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool is_one_line(std::string_view text) {
    return std::none_of(text.begin(), text.end(), is_control) && is_clean_text(text);
}

std::string shown(std::string_view bytes) {
    constexpr char32_t kFirstControl = 0x80;
    constexpr char32_t kLastControl = 0x9f;
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        const Utf8Step step = next_utf8(bytes);
        const std::string_view one = bytes.substr(0, step.length);
        const bool is_second_kind = step.character >= kFirstControl && step.character <= kLastControl;
        if (is_clean(step) && !is_control(one.front()) && !is_second_kind) {
            out += one;
        } else {
            out += hex_digits(one, "\\x");
        }
        bytes.remove_prefix(step.length);
    }
    return out;
}

std::string to_clean_text(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        const Utf8Step step = next_utf8(bytes);
        text += is_clean(step) ? bytes.substr(0, step.length) : kReplacementCharacter;
        bytes.remove_prefix(step.length);
    }
    return text;
}

std::string hex_digits(std::string_view bytes, std::string_view before) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<uint8_t>(c);
        out.append(before) += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return out;
}

}  // namespace llmd::base
