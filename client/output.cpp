#include "client/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/utf8.h"
#include "client/exit_code.h"

namespace llmd::client {
namespace {

constexpr size_t kUsualColumns = 80;  // of a terminal that does not say its width, such as a serial line

}  // namespace

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(fd, bytes.data(), bytes.size());
        if (count >= 0) {
            bytes.remove_prefix(static_cast<size_t>(count));
        } else if (errno == EPIPE) {
            return false;
        } else if (errno != EINTR) {
            throw CommandError(ExitCode::Failed, std::string("standard output: ") + std::strerror(errno));
        }
    }
    return true;
}

void print(std::string_view text) {
    if (!write_all(STDOUT_FILENO, text)) throw CommandError(ExitCode::Ok, "");
}

void print_json(const Dictionary& dictionary) {
    base::JsonWriter json;
    write_json(json, dictionary);
    print(json.take() + '\n');
}

std::optional<size_t> terminal_columns(int fd) {
    winsize size{};
    if (::isatty(fd) != 1) return std::nullopt;
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
    return size.ws_col;
}

size_t readable_columns(int fd) {
    constexpr size_t kLeast = 28;  // narrower lines would hold a word each
    return std::clamp(terminal_columns(fd).value_or(kReadableColumns), kLeast, kReadableColumns);
}

size_t columns_of(std::string_view text) {
    size_t columns = 0;
    while (!text.empty()) {
        const base::Utf8Step step = base::next_utf8(text);
        columns += columns_of(step.character);
        text.remove_prefix(step.length);
    }
    return columns;
}

std::string wrap(std::string_view text, size_t indent, size_t columns) {
    std::string out;
    size_t column = indent;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        const size_t length = columns_of(word);
        if (column > indent && column + 1 + length > columns) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            out += ' ';
            ++column;
        }
        out += word;
        column += length;
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
    return out;
}

std::string table(std::vector<std::vector<std::string>> rows) {
    std::vector<size_t> widths;
    for (auto& row : rows) {
        for (std::string& cell : row) cell = base::shown(cell);
        widths.resize(std::max(widths.size(), row.size()));
        // A row's last cell needs no room: nothing follows it.
        for (size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
    }
    std::string out;
    for (const auto& row : rows) {
        for (size_t i = 0; i + 1 < row.size(); ++i)
            out += row[i] + std::string(widths[i] - columns_of(row[i]) + 2, ' ');
        out += row.back() + '\n';
    }
    return out;
}

bool obeys_sequences(int fd) {
    const char* term = std::getenv("TERM");
    return ::isatty(fd) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

bool has_colors(int fd) {
    const auto is_set = [](const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value != 0;
    };
    if (is_set("CLICOLOR_FORCE") && std::string_view(std::getenv("CLICOLOR_FORCE")) != "0") return true;
    return obeys_sequences(fd) && !is_set("NO_COLOR");
}

namespace {

// ECMA-48 SGR around each line of `text`: whatever ends the program leaves the terminal as it was, and a pager that
// shows one line has all of it.
std::string styled_text(std::string_view text, TextOutput::Style style) {
    using Style = TextOutput::Style;
    const char* on = style == Style::Dim       ? "\x1b[2m"
                     : style == Style::Bold    ? "\x1b[1m"
                     : style == Style::Good    ? "\x1b[32m"
                     : style == Style::Warning ? "\x1b[33m"
                                               : "\x1b[31m";
    const char* off = style == Style::Dim || style == Style::Bold ? "\x1b[22m" : "\x1b[39m";
    std::string out;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!line.empty()) out.append(on).append(line).append(off);
        text.remove_prefix(line.size());
        if (text.empty()) break;
        out += '\n';
        text.remove_prefix(1);
    }
    return out;
}

}  // namespace

TextOutput::TextOutput(int fd, Lines lines)
    : fd_(fd), is_terminal_(::isatty(fd) == 1), can_dim_(obeys_sequences(fd)), has_colors_(client::has_colors(fd)) {
    if (is_terminal_ && lines == Lines::Wrapped) wrap_.emplace();
}

bool TextOutput::write(std::string_view text, Style style) {
    if (!is_terminal_ && !has_colors_) return write_all(fd_, text);
    std::string clean = is_terminal_ ? cleaner_.clean(text) : std::string(text);
    if (clean.empty()) return true;
    if (wrap_) {
        const size_t columns = terminal_columns(fd_).value_or(kUsualColumns);
        if (style != style_ && !put(wrap_->rest(columns))) return false;
        clean = wrap_->add(clean, columns);
    }
    style_ = style;
    return put(clean);
}

bool TextOutput::put(std::string_view text) {
    if (text.empty()) return true;
    at_line_start_ = text.back() == '\n';
    const bool styled = style_ == Style::Dim ? can_dim_ : style_ != Style::Plain && has_colors_;
    return styled ? write_all(fd_, styled_text(text, style_)) : write_all(fd_, text);
}

void TextOutput::finish() {
    if (wrap_) put(wrap_->rest(terminal_columns(fd_).value_or(kUsualColumns)));
    if (is_terminal_ && !at_line_start_) write_all(fd_, "\n");
    at_line_start_ = true;
    if (wrap_) wrap_.emplace();
}

void tell(std::string_view text, TextOutput::Style first_word) {
    TextOutput output(STDERR_FILENO, TextOutput::Lines::Wrapped);
    const size_t end = std::min(text.find(' '), text.size());
    try {
        output.write(text.substr(0, end), first_word);
        output.write(text.substr(end));
        if (text.ends_with('\n')) output.finish();
    } catch (const CommandError&) {  // a full disk: there is nowhere left to say so
    }
}

ProgressLine::ProgressLine() : enabled_(obeys_sequences(STDERR_FILENO)) {}

void ProgressLine::show(const std::string& text) {
    if (!enabled_ || text == shown_) return;
    // Carriage return, text, erase to the end of the line (ECMA-48 EL).
    write_all(STDERR_FILENO, "\r" + base::shown(text) + "\x1b[K");
    shown_ = text;
}

void ProgressLine::show_loading(const Dictionary& status) {
    if (status.empty()) return;
    std::string text = "loading " + text_of(status, "model");
    const std::string per_mille = "load_per_mille";
    if (status.contains(per_mille)) text += ' ' + std::to_string(number_of(status, per_mille) / 10) + " %";
    show(text);
}

void ProgressLine::clear() {
    if (shown_.empty()) return;
    try {
        write_all(STDERR_FILENO, "\r\x1b[K");
    } catch (const CommandError&) {  // there is nowhere left to say so, and destructors do not throw
    }
    shown_.clear();
}

}  // namespace llmd::client
