// Breaks a text that comes in parts between words, so that no line is longer than the terminal unless a word is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace llmd::client {

// Columns that a character takes on a terminal: 2 for East Asian wide ones and most emoji, 0 for what combines. In a
// locale that is not UTF-8 all take 1.
size_t columns_of(char32_t character);

// Lines that begin with a tab or four spaces, and those between ``` fences, stay as they are: they are code.
class WordWrap {
public:
    // Returns the beginning of `text`, which continues what came before, that may be printed now on a terminal of
    // `columns`. The last word is kept until something follows it, and so are spaces: they end no line. `text` is clean
    // (terminal_text.h).
    std::string add(std::string_view text, size_t columns);
    // The word that was kept.
    std::string rest(size_t columns);

private:
    void take(char32_t character, std::string_view bytes, std::string& out);
    void put_word(std::string& out);
    bool may_break() const { return !in_fence_ && !is_code_; }

    size_t columns_ = 0;  // of the terminal
    std::string word_;
    size_t word_columns_ = 0;
    std::string spaces_;      // in front of the word
    bool continues_ = false;  // part of the word has been printed, which is longer than a line
    size_t column_ = 0;       // where what has been printed ends
    bool begins_ = true;      // nothing but spaces stands on this line
    bool is_code_ = false;
    bool in_fence_ = false;
};

}  // namespace llmd::client
