#include "engine/chat/call_value.h"

#include <algorithm>
#include <optional>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace llmd::chat {

namespace {

constexpr char kBraces = '<';  // the quote of a string between <|"|>

bool opens(char c) {
    return c == '{' || c == '[' || c == '(';
}
bool closes(char c) {
    return c == '}' || c == ']' || c == ')';
}
bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '+' || c == '-' || c == '$' || static_cast<uint8_t>(c) >= 0x80;
}

}  // namespace

bool ValueScanner::take(char c) {
    if (quote_ == 0 && depth_ == 0) {
        if (syntax_ == ArgumentSyntax::Python && (c == ',' || c == ')')) return false;
        if (syntax_ == ArgumentSyntax::Braces && (c == ',' || c == '}')) return false;
        const bool is_json = syntax_ == ArgumentSyntax::Json || syntax_ == ArgumentSyntax::Parameters;
        if (is_json && (is_whole_ || (c != '"' && !opens(c) && !is_word(c)))) return false;
    }
    if (syntax_ == ArgumentSyntax::Braces && (quote_ == 0 || quote_ == kBraces)) {
        n_matched_ = c == kBracesQuote[n_matched_] ? n_matched_ + 1 : c == kBracesQuote[0] ? 1 : 0;
        if (n_matched_ == kBracesQuote.size()) {
            quote_ = quote_ == 0 ? kBraces : 0;
            n_matched_ = 0;
        }
        if (quote_ == kBraces || n_matched_ > 0) return true;
    }
    if (quote_ != 0) {
        if (!escaped_ && c == quote_) quote_ = 0;
        escaped_ = !escaped_ && c == '\\';
        is_whole_ = quote_ == 0 && depth_ == 0;
    } else if (c == '"' || (c == '\'' && syntax_ == ArgumentSyntax::Python)) {
        quote_ = c;
    } else if (opens(c)) {
        ++depth_;
    } else if (closes(c) && depth_ > 0) {
        is_whole_ = --depth_ == 0;
    }
    return true;
}

namespace {

// Writes a value of ArgumentSyntax::Python or ::Braces as JSON.
class Converter {
public:
    Converter(ArgumentSyntax syntax, std::string_view value) : syntax_(syntax), rest_(value) {}

    std::string json() {
        while (!rest_.empty()) {
            const char c = rest_[0];
            if (syntax_ == ArgumentSyntax::Braces && rest_.starts_with(kBracesQuote)) {
                braces_string();
            } else if (c == '"' || (c == '\'' && syntax_ == ArgumentSyntax::Python)) {
                quoted_string();
            } else if (is_word(c)) {
                word();
            } else {
                punctuation(c);
            }
        }
        return out_.empty() ? "null" : std::move(out_);
    }

private:
    void punctuation(char c) {
        rest_.remove_prefix(1);
        if (opens(c)) {
            brackets_ += c == '{' ? '{' : '[';
            out_ += brackets_.back();
        } else if (closes(c) && !brackets_.empty()) {
            out_ += brackets_.back() == '{' ? '}' : ']';
            brackets_.pop_back();
        } else {
            out_ += c;
        }
    }

    void braces_string() {
        rest_.remove_prefix(kBracesQuote.size());
        const size_t end = std::min(rest_.find(kBracesQuote), rest_.size());
        base::append_json_string(out_, rest_.substr(0, end));
        rest_.remove_prefix(std::min(end + kBracesQuote.size(), rest_.size()));
    }

    void quoted_string() {
        const char quote = rest_[0];
        rest_.remove_prefix(1);
        std::string text;
        while (!rest_.empty() && rest_[0] != quote) {
            if (rest_[0] == '\\' && rest_.size() > 1) {
                escape(text);
            } else {
                text += rest_[0];
                rest_.remove_prefix(1);
            }
        }
        if (!rest_.empty()) rest_.remove_prefix(1);
        base::append_json_string(out_, text);
    }

    // Escapes are JSON's and Python's; an unknown one stands for itself, as in Python.
    void escape(std::string& text) {
        constexpr std::string_view kLetters = "nrtbfav0\\'\"/";
        constexpr std::string_view kMeanings("\n\r\t\b\f\a\v\0\\'\"/", 12);
        const char c = rest_[1];
        const size_t known = kLetters.find(c);
        const size_t n_digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        if (known != std::string_view::npos) {
            text += kMeanings[known];
            rest_.remove_prefix(2);
        } else if (const auto code = number(n_digits)) {
            rest_.remove_prefix(2 + n_digits);
            base::append_utf8(with_low_surrogate(*code), text);
        } else {
            text += rest_.substr(0, 1);
            rest_.remove_prefix(1);
        }
    }

    // Returns the number that follows a backslash and a letter.
    std::optional<char32_t> number(size_t n_digits) const {
        if (n_digits == 0 || rest_.size() < 2 + n_digits) return std::nullopt;
        char32_t code = 0;
        for (const char c : rest_.substr(2, n_digits)) {
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0) return std::nullopt;
            code = code << 4 | static_cast<char32_t>(digit);
        }
        return code;
    }

    // Joins the halves of a surrogate pair. What is no character becomes U+FFFD.
    char32_t with_low_surrogate(char32_t code) {
        if (code >= 0xD800 && code < 0xDC00 && rest_.starts_with("\\u")) {
            const auto low = number(4);
            if (low && *low >= 0xDC00 && *low < 0xE000) {
                rest_.remove_prefix(6);
                return 0x10000 + ((code - 0xD800) << 10 | (*low - 0xDC00));
            }
        }
        return code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? U'\uFFFD' : code;
    }

    void word() {
        const size_t end = static_cast<size_t>(std::find_if_not(rest_.begin(), rest_.end(), is_word) - rest_.begin());
        const std::string_view word = rest_.substr(0, end);
        rest_.remove_prefix(end);
        const bool is_key = rest_.starts_with(':') && brackets_.ends_with('{');
        const bool is_number = (word[0] >= '0' && word[0] <= '9') || word[0] == '-';
        if (!is_key && (word == "True" || word == "true")) {
            out_ += "true";
        } else if (!is_key && (word == "False" || word == "false")) {
            out_ += "false";
        } else if (!is_key && (word == "None" || word == "null")) {
            out_ += "null";
        } else if (!is_key && is_number) {
            out_ += word;
        } else {
            base::append_json_string(out_, word);
        }
    }

    ArgumentSyntax syntax_;
    std::string_view rest_;
    std::string out_;
    std::string brackets_;  // that are open, '{' or '['
};

}  // namespace

std::string to_json(ArgumentSyntax syntax, std::string_view value) {
    while (!value.empty() && (value.front() == ' ' || value.front() == '\n')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\n')) value.remove_suffix(1);
    if (syntax == ArgumentSyntax::Python || syntax == ArgumentSyntax::Braces) return Converter(syntax, value).json();
    return value.empty() ? "null" : std::string(value);
}

}  // namespace llmd::chat
