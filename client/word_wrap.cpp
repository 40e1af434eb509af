#include "client/word_wrap.h"

#include <algorithm>
#include <cwchar>

#include "base/utf8.h"

namespace llmd::client {
namespace {

constexpr size_t kTab = 8;
constexpr size_t kCodeIndent = 4;  // spaces that begin a line of code in Markdown
constexpr std::string_view kFence = "```";

}  // namespace

size_t columns_of(char32_t character) {
    const int width = ::wcwidth(static_cast<wchar_t>(character));
    return width < 0 ? 1 : static_cast<size_t>(width);
}

std::string WordWrap::add(std::string_view text, size_t columns) {
    columns_ = std::max<size_t>(columns, 1);
    std::string out;
    while (!text.empty()) {
        const base::Utf8Step step = base::next_utf8(text);
        take(step.character, text.substr(0, step.length), out);
        text.remove_prefix(step.length);
    }
    return out;
}

std::string WordWrap::rest(size_t columns) {
    columns_ = std::max<size_t>(columns, 1);
    std::string out;
    if (!word_.empty()) put_word(out);
    return out;
}

void WordWrap::take(char32_t c, std::string_view bytes, std::string& out) {
    if (c == '\n') {
        if (!word_.empty()) put_word(out);
        continues_ = false;
        out += '\n';
        spaces_.clear();
        column_ = 0;
        begins_ = true;
        is_code_ = false;
        return;
    }
    if (c == ' ' || c == '\t') {
        if (!word_.empty()) put_word(out);
        continues_ = false;
        spaces_ += c == ' ' ? " " : std::string(kTab - (column_ + spaces_.size()) % kTab, ' ');
        is_code_ = is_code_ || (begins_ && spaces_.size() >= kCodeIndent);
        return;
    }
    const size_t width = columns_of(c);
    constexpr size_t kWide = 2;
    // Scripts of wide characters have no spaces: a line may be broken in front of each and behind it.
    if (width == kWide && !word_.empty()) put_word(out);
    word_ += bytes;
    word_columns_ += width;
    if (width == kWide) {
        put_word(out);
    } else if (word_columns_ >= columns_) {
        put_word(out);
        continues_ = true;
    }
}

void WordWrap::put_word(std::string& out) {
    if (begins_ && word_.starts_with(kFence)) {
        in_fence_ = !in_fence_;
        is_code_ = true;  // this line
    }
    if (may_break() && !continues_ && column_ > 0 && column_ + spaces_.size() + word_columns_ > columns_) {
        out += '\n';
        column_ = 0;
    } else {
        out += spaces_;
        column_ += spaces_.size();
    }
    out += word_;
    // The terminal itself breaks what is longer than it.
    column_ = column_ + word_columns_ <= columns_ ? column_ + word_columns_ : (column_ + word_columns_) % columns_;
    spaces_.clear();
    word_.clear();
    word_columns_ = 0;
    continues_ = false;
    begins_ = false;
}

}  // namespace llmd::client
