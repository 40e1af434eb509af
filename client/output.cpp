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

constexpr size_t kUsualColumns = 80;  // of a terminal that does not tell, such as a serial line

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

size_t columns_of(std::string_view text) {
    size_t columns = 0;
    for (; !text.empty(); ++columns) text.remove_prefix(base::next_utf8(text).length);
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

std::string table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<size_t> widths;
    for (const auto& row : rows) {
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

TextOutput::TextOutput(int fd) : fd_(fd), is_terminal_(::isatty(fd) == 1), can_dim_(obeys_sequences(fd)) {}

bool TextOutput::write(std::string_view text, Style style) {
    if (!is_terminal_) return write_all(fd_, text);
    std::string clean = cleaner_.clean(text);
    if (clean.empty()) return true;
    at_line_start_ = clean.back() == '\n';
    // ECMA-48 SGR 2 and 22, around each piece: whatever ends the program leaves the terminal as it was.
    if (style == Style::Dim && can_dim_) clean = "\x1b[2m" + clean + "\x1b[22m";
    return write_all(fd_, clean);
}

void TextOutput::finish() {
    if (is_terminal_ && !at_line_start_) write_all(fd_, "\n");
    at_line_start_ = true;
}

ProgressLine::ProgressLine() : enabled_(obeys_sequences(STDERR_FILENO)) {}

void ProgressLine::show(const std::string& text) {
    if (!enabled_ || text == shown_) return;
    // Carriage return, text, erase to the end of the line (ECMA-48 EL).
    write_all(STDERR_FILENO, "\r" + text + "\x1b[K");
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
