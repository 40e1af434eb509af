// Where a prompt comes from: the command line, standard input, or both; and what options take from files.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "client/exit_code.h"

namespace llmd::client {

// The most that is read from standard input, in bytes: what the largest transport takes. The daemon refuses less by
// itself; this only keeps `llmctl generate < /dev/zero` from filling the memory.
inline constexpr size_t kMaxInputBytes = 4u << 20;

// How long a prompt that stands on the command line waits for a pipe's first byte. Long enough for the program at the
// other end to start, short enough not to be felt.
inline constexpr std::chrono::milliseconds kInputGrace{250};

// The words joined by spaces and, on a new line, what `input_fd` holds up to its end, without its last line break.
// No word, or a word "-", asks for the input even if it takes long; else a terminal is never read, and a pipe only if
// something is in it within kInputGrace: a script's standard input is often a pipe that nobody ever writes to.
// Throws CommandError: Usage when there is neither a word nor an input or the input is not UTF-8 (naming the byte),
// TooLong past kMaxInputBytes.
std::string read_prompt(const std::vector<std::string>& words, int input_fd);

// Several texts: the words, or, without a word or with a word "-" alone, the lines of `input_fd`. Throws as
// read_prompt() does.
std::vector<std::string> read_texts(const std::vector<std::string>& words, int input_fd);

// A file of UTF-8 that an option names. Throws CommandError naming option and file: Usage when it cannot be opened or
// is something else, TooLong past kMaxInputBytes.
std::string read_text_file(const std::string& option, const std::string& path);

// Says what is wrong with `text` at `at`, its first byte that is not of clean text.
std::string fault_of_text(const std::string& text, size_t at);

// The option `key` of a request is what is in the file at `path`: of a refusal that names `key`, the same with the file
// named too; any other error as it is.
CommandError with_file_name(const CommandError& error, const std::string& key, const std::string& path);

}  // namespace llmd::client
