#include "engine/chat/json_value.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "base/utf8.h"

namespace llmd::chat {

using base::ErrorCode;
using base::fail;

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

void append_hex(std::string& out, uint32_t value, int digits) {
    for (int i = digits - 1; i >= 0; --i) out += kHexDigits[(value >> (4 * i)) & 15];
}

// The last value of members with the same key counts, in the place of the first, as in Python. Returns true if there
// were any.
bool keep_last(std::vector<JsonValue>& members) {
    std::unordered_map<std::string, size_t> places;
    std::vector<JsonValue> kept;
    for (JsonValue& member : members) {
        const auto [place, is_new] = places.emplace(member.key, kept.size());
        if (is_new) {
            kept.push_back(std::move(member));
        } else {
            kept[place->second] = std::move(member);
        }
    }
    const bool any = kept.size() < members.size();
    members = std::move(kept);
    return any;
}

std::vector<const JsonValue*> by_key(const JsonValue& object) {
    std::vector<const JsonValue*> members;
    for (const JsonValue& member : object.items) members.push_back(&member);
    std::sort(members.begin(), members.end(), [](const JsonValue* a, const JsonValue* b) { return a->key < b->key; });
    return members;
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    base::Result<JsonValue> read() {
        JsonValue value;
        const bool ok = read_value(value, 0);
        skip_space();
        if (ok && at_ == text_.size()) return value;
        return fail(ErrorCode::InvalidArgument, why_, " at byte ", at_);
    }

    JsonPrefix read_prefix() {
        JsonValue value;
        const bool ok = read_value(value, 0);
        return {ok ? std::optional(std::move(value)) : std::nullopt, at_, repeats_key_};
    }

private:
    bool wrong(const char* why) {
        why_ = why;
        return false;
    }
    void skip_space() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    bool take(char c) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    size_t take_digits() {
        const size_t begin = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        return at_ - begin;
    }

    bool read_value(JsonValue& value, uint32_t depth) {
        skip_space();
        if (at_ == text_.size()) return wrong("the text ends early");
        switch (text_[at_]) {
            case '{':
            case '[':
                return read_items(value, depth);
            case '"':
                value.kind = JsonValue::Kind::String;
                return read_string(value.text);
            case 't':
                value.kind = JsonValue::Kind::True;
                return take_word("true") || wrong("unknown word");
            case 'f':
                value.kind = JsonValue::Kind::False;
                return take_word("false") || wrong("unknown word");
            case 'n':
                value.kind = JsonValue::Kind::Null;
                return take_word("null") || wrong("unknown word");
            default:
                value.kind = JsonValue::Kind::Number;
                return read_number(value.text);
        }
    }

    bool read_items(JsonValue& value, uint32_t depth) {
        if (depth == kMaxJsonDepth) return wrong("values are nested too deep");
        const bool is_object = text_[at_++] == '{';
        value.kind = is_object ? JsonValue::Kind::Object : JsonValue::Kind::Array;
        const char close = is_object ? '}' : ']';
        if (take(close)) return true;
        do {
            JsonValue item;
            if (is_object) {
                skip_space();
                if (at_ == text_.size() || text_[at_] != '"') return wrong("a key must be a string");
                if (!read_string(item.key)) return false;
                if (!take(':')) return wrong("a ':' is missing");
            }
            if (!read_value(item, depth + 1)) return false;
            value.items.push_back(std::move(item));
        } while (take(','));
        if (is_object && keep_last(value.items)) repeats_key_ = true;
        return take(close) || wrong("a ',' or the closing bracket is missing");
    }

    bool read_number(std::string& out) {
        const size_t begin = at_;
        take_word("-");
        const size_t first = at_;
        const size_t whole = take_digits();
        if (whole == 0 || (whole > 1 && text_[first] == '0')) return wrong("not a value");
        if (take_word(".") && take_digits() == 0) return wrong("not a number");
        if (take_word("e") || take_word("E")) {
            if (!take_word("+")) take_word("-");
            if (take_digits() == 0) return wrong("not a number");
        }
        out = text_.substr(begin, at_ - begin);
        return true;
    }

    bool read_hex(uint32_t& value) {
        value = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            if (at_ == text_.size()) return false;
            const char c = text_[at_];
            const size_t digit = kHexDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 'a' - 'A') : c);
            if (digit == std::string_view::npos) return false;
            value = value * 16 + static_cast<uint32_t>(digit);
        }
        return true;
    }

    bool read_escape(std::string& out) {
        constexpr std::string_view kNames = "\"\\/bfnrt";
        constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
        if (at_ == text_.size()) return wrong("the text ends early");
        const char name = text_[at_++];
        if (const size_t known = kNames.find(name); known != std::string_view::npos) {
            out += kValues[known];
            return true;
        }
        uint32_t c = 0;
        if (name != 'u' || !read_hex(c)) return wrong("unknown escape");
        if (c >= 0xd800 && c < 0xdc00) {
            uint32_t low = 0;
            if (!take_word("\\u") || !read_hex(low) || low < 0xdc00 || low > 0xdfff) return wrong("half a character");
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        } else if (c >= 0xdc00 && c < 0xe000) {
            return wrong("half a character");
        }
        base::append_utf8(c, out);
        return true;
    }

    bool read_string(std::string& out) {
        ++at_;
        while (at_ < text_.size()) {
            const auto c = static_cast<unsigned char>(text_[at_]);
            if (c == '"') {
                ++at_;
                return true;
            }
            if (c < 0x20) return wrong("a control character in a string");
            if (c == '\\') {
                ++at_;
                if (!read_escape(out)) return false;
                continue;
            }
            const base::Utf8Step step = base::next_utf8(text_.substr(at_));
            if (step.status != base::Utf8Status::Valid) return wrong("not UTF-8");
            out += text_.substr(at_, step.length);
            at_ += step.length;
        }
        return wrong("the text ends early");
    }

    std::string_view text_;
    size_t at_ = 0;
    const char* why_ = "more than one value";
    bool repeats_key_ = false;
};

void append_json_text(std::string& out, std::string_view text) {
    constexpr std::string_view kNames = "\"\\bfnrt";
    constexpr std::string_view kValues = "\"\\\b\f\n\r\t";
    out += '"';
    for (const char c : text) {
        if (const size_t known = kValues.find(c); known != std::string_view::npos) {
            out += '\\';
            out += kNames[known];
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += "\\u";
            append_hex(out, static_cast<unsigned char>(c), 4);
        } else {
            out += c;
        }
    }
    out += '"';
}

void append_line(std::string& out, uint32_t columns) {
    out += '\n';
    out.append(columns, ' ');
}

void append_json(std::string& out, const JsonValue& value, uint32_t indent, uint32_t column) {
    switch (value.kind) {
        case JsonValue::Kind::Null:
            out += "null";
            return;
        case JsonValue::Kind::False:
            out += "false";
            return;
        case JsonValue::Kind::True:
            out += "true";
            return;
        case JsonValue::Kind::Number:
            out += value.text;
            return;
        case JsonValue::Kind::String:
            append_json_text(out, value.text);
            return;
        case JsonValue::Kind::Array:
        case JsonValue::Kind::Object:
            break;
    }
    const bool is_object = value.kind == JsonValue::Kind::Object;
    out += is_object ? '{' : '[';
    bool is_first = true;
    for (const JsonValue& item : value.items) {
        if (!is_first) out += indent == 0 ? ", " : ",";
        is_first = false;
        if (indent != 0) append_line(out, column + indent);
        if (is_object) {
            append_json_text(out, item.key);
            out += ": ";
        }
        append_json(out, item, indent, column + indent);
    }
    if (indent != 0 && !value.items.empty()) append_line(out, column);
    out += is_object ? '}' : ']';
}

// Python escapes what its str.isprintable() denies. This knows controls and white space, not the other rare classes.
bool is_printable(char32_t c) {
    return c >= 0x20 && (c < 0x7f || c > 0xa0) && c != 0xad && c != 0x1680 && (c < 0x2000 || c > 0x200f) &&
           (c < 0x2028 || c > 0x202f) && (c < 0x205f || c > 0x206f) && c != 0x3000 && c != 0xfeff;
}

void append_python_text(std::string& out, std::string_view text) {
    const bool has_single = text.find('\'') != std::string_view::npos;
    const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
    out += quote;
    while (!text.empty()) {
        const base::Utf8Step step = base::next_utf8(text);
        const char32_t c = step.character;
        if (c == '\\' || c == static_cast<char32_t>(quote)) {
            out += '\\';
            out += static_cast<char>(c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
        } else if (is_printable(c)) {
            out += text.substr(0, step.length);
        } else {
            out += c < 0x100 ? "\\x" : "\\u";
            append_hex(out, c, c < 0x100 ? 2 : 4);
        }
        text.remove_prefix(step.length);
    }
    out += quote;
}

void append_python(std::string& out, const JsonValue& value) {
    switch (value.kind) {
        case JsonValue::Kind::Null:
            out += "None";
            return;
        case JsonValue::Kind::False:
            out += "False";
            return;
        case JsonValue::Kind::True:
            out += "True";
            return;
        case JsonValue::Kind::Number:
            out += value.text;
            return;
        case JsonValue::Kind::String:
            append_python_text(out, value.text);
            return;
        case JsonValue::Kind::Array:
        case JsonValue::Kind::Object:
            break;
    }
    const bool is_object = value.kind == JsonValue::Kind::Object;
    out += is_object ? '{' : '[';
    bool is_first = true;
    for (const JsonValue& item : value.items) {
        if (!is_first) out += ", ";
        is_first = false;
        if (is_object) {
            append_python_text(out, item.key);
            out += ": ";
        }
        append_python(out, item);
    }
    out += is_object ? '}' : ']';
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
    if (kind != JsonValue::Kind::Object) return nullptr;
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const JsonValue& item) { return item.key == name; });
    return found == items.end() ? nullptr : &*found;
}

base::Result<JsonValue> parse_json(std::string_view text) {
    return Reader(text).read();
}

JsonPrefix read_json_prefix(std::string_view text) {
    return Reader(text).read_prefix();
}

bool is_same_value(const JsonValue& a, const JsonValue& b) {
    using Kind = JsonValue::Kind;
    if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
    if (a.kind == Kind::Number) {
        return a.text == b.text || std::strtod(a.text.c_str(), nullptr) == std::strtod(b.text.c_str(), nullptr);
    }
    if (a.kind != Kind::Object) {
        return a.text == b.text && std::equal(a.items.begin(), a.items.end(), b.items.begin(), is_same_value);
    }
    const std::vector<const JsonValue*> members = by_key(a);
    const std::vector<const JsonValue*> others = by_key(b);
    return std::equal(members.begin(), members.end(), others.begin(), [](const JsonValue* one, const JsonValue* other) {
        return one->key == other->key && is_same_value(*one, *other);
    });
}

std::string to_json(const JsonValue& value, uint32_t indent) {
    std::string out;
    append_json(out, value, indent, 0);
    return out;
}

std::string to_json_string(std::string_view text) {
    std::string out;
    append_json_text(out, text);
    return out;
}

std::string to_python(const JsonValue& value) {
    if (value.kind == JsonValue::Kind::String) return value.text;
    std::string out;
    append_python(out, value);
    return out;
}

}  // namespace llmd::chat
