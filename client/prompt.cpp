#include "client/prompt.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/unique_fd.h"
#include "base/utf8.h"

namespace llmd::client {
namespace {

bool has_input(int fd) {
    if (::isatty(fd) == 1) return false;
    struct stat status = {};
    if (::fstat(fd, &status) != 0) return false;
    if (S_ISREG(status.st_mode)) return true;
    pollfd wait{fd, POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(kInputGrace.count())) > 0 && (wait.revents & POLLIN) != 0;
}

std::string read_all(int fd, const std::string& name) {
    std::string text;
    std::array<char, 65536> chunk;
    for (;;) {
        const ssize_t count = ::read(fd, chunk.data(), chunk.size());
        if (count == 0) return text;
        if (count < 0) {
            if (errno == EINTR) continue;
            throw CommandError(ExitCode::Failed, name + ": " + std::strerror(errno));
        }
        text.append(chunk.data(), static_cast<size_t>(count));
        if (text.size() > kMaxInputBytes) throw CommandError(ExitCode::TooLong, name + ": more than 4 MiB");
    }
}

std::string read_text(int fd, const std::string& name) {
    std::string text = read_all(fd, name);
    if (text.starts_with(base::kByteOrderMark)) text.erase(0, base::kByteOrderMark.size());
    if (const size_t at = base::clean_prefix(text); at != text.size()) {
        throw CommandError(ExitCode::Usage, name + ": " + fault_of_text(text, at));
    }
    return text;
}

void check_there_is_text(const std::vector<std::string>& words, int input_fd) {
    if (words.empty() && ::isatty(input_fd) == 1) {
        throw CommandError(ExitCode::Usage, "a text is missing: give it as an argument or on standard input");
    }
}

}  // namespace

std::string fault_of_text(const std::string& text, size_t at) {
    return (text[at] == '\0' ? "a NUL byte at byte " : "not UTF-8 text at byte ") + std::to_string(at);
}

std::string read_text_file(const std::string& option, const std::string& path) {
    const std::string name = option + ": " + path;
    const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) throw CommandError(ExitCode::Usage, name + ": " + std::strerror(errno));
    return read_text(file.get(), name);
}

CommandError with_file_name(const CommandError& error, const std::string& key, const std::string& path) {
    const std::string message = error.what();
    if (path.empty() || !message.starts_with(key + ": ")) return error;
    return {error.code(), key + ": " + path + message.substr(key.size()), error.name()};
}

std::string read_prompt(const std::vector<std::string>& words, int input_fd) {
    std::string text;
    bool asked = words.empty();
    for (const std::string& word : words) {
        if (word == "-") {
            asked = true;
            continue;
        }
        if (!text.empty()) text += ' ';
        text += word;
    }
    check_there_is_text(words, input_fd);
    if (asked || has_input(input_fd)) {
        std::string input = read_text(input_fd, "standard input");
        if (!input.empty() && input.back() == '\n') input.pop_back();
        if (!text.empty() && !input.empty()) text += '\n';
        text += input;
    }
    return text;
}

std::vector<std::string> read_texts(const std::vector<std::string>& words, int input_fd) {
    check_there_is_text(words, input_fd);
    if (!words.empty() && words != std::vector<std::string>{"-"}) return words;
    std::istringstream input(read_text(input_fd, "standard input"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(input, line);) lines.push_back(line);
    return lines;
}

}  // namespace llmd::client
