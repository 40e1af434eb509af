// Standard output and the progress line on standard error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal_text.h"
#include "client/value.h"
#include "client/word_wrap.h"

namespace llmd::client {

// Writes all of `bytes` to `fd`. False when the reader has gone (EPIPE), which ends a command quietly; any other
// failure throws CommandError(Failed).
bool write_all(int fd, std::string_view bytes);

// One result line or table to standard output; ends the program's work quietly when nobody reads.
void print(std::string_view text);

// The same, as one line of JSON.
void print_json(const Dictionary& dictionary);

// Columns of the terminal behind `fd`; nothing when it is none.
std::optional<size_t> terminal_columns(int fd);

// The width of lines for people who read: that of the terminal behind `fd` within what reads well, else
// kReadableColumns.
inline constexpr size_t kReadableColumns = 100;
size_t readable_columns(int fd);

// Columns that a line takes.
size_t columns_of(std::string_view text);

// `text` with line breaks in place of spaces so that no line is longer than `columns` unless a word is; all lines but
// the first begin with `indent` spaces, and the first is taken to stand behind as many.
std::string wrap(std::string_view text, size_t indent, size_t columns);

// Columns as wide as their widest cell, two spaces between them. A row may have fewer cells than others. Cells are
// base::shown().
std::string table(std::vector<std::vector<std::string>> rows);

// `fd` is a terminal that obeys ECMA-48's sequences, as far as TERM says ("dumb" does not).
bool obeys_sequences(int fd);

// `fd` is to have colours and bold words: $CLICOLOR_FORCE says so, or it is a terminal that obeys_sequences() and
// $NO_COLOR does not forbid them (no-color.org, bixense.com/clicolors).
bool has_colors(int fd);

// Text on its way to a descriptor: cleaned for a terminal, unchanged for a pipe.
class TextOutput {
public:
    // Dim: where the terminal obeys_sequences(). The others: where it has_colors().
    enum class Style { Plain, Dim, Bold, Good, Warning, Bad };

    enum class Lines {
        AsTheyCome,
        Wrapped
    };  // Wrapped: on a terminal, where the last word is kept back until finish()

    explicit TextOutput(int fd, Lines lines = Lines::AsTheyCome);
    bool can_dim() const { return can_dim_; }
    // False when the reader has gone.
    bool write(std::string_view text, Style style = Style::Plain);
    // On a terminal, moves to a new line if the text did not end with one, so that the shell's prompt stands alone.
    void finish();

private:
    bool put(std::string_view text);

    int fd_;
    bool is_terminal_;
    bool can_dim_;
    bool has_colors_;
    bool at_line_start_ = true;
    TerminalText cleaner_;
    std::optional<WordWrap> wrap_;
    Style style_ = Style::Plain;  // of what came last
};

// Lines for a person on standard error, wrapped to the terminal. Never fails: who does not read does not miss them.
void tell(std::string_view text, TextOutput::Style first_word = TextOutput::Style::Plain);

// A line on standard error that is overwritten in place and erased at the end. Prints nothing unless standard error is
// a terminal that can erase: obeys_sequences().
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    bool enabled() const { return enabled_; }
    void show(const std::string& text);           // base::shown()
    void show_loading(const Dictionary& status);  // "loading NAME 40 %"; nothing when it is empty
    void clear();

private:
    bool enabled_;
    std::string shown_;
};

}  // namespace llmd::client
