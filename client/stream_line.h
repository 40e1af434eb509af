// What the daemon sends of a text that it generates, whichever way it comes, and the lines that it is read from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/value.h"

namespace llmd::client {

struct StreamLine {
    enum class Kind { Text, Thinking, Done, Error };
    Kind kind = Kind::Text;
    std::string text;           // Text, Thinking
    std::string finish_reason;  // Done: "stop", "length", "cancelled", "timeout"
    Dictionary info;            // Done: what it cost, under the names of the D-Bus interface's `info`
    std::string error_name;     // Error, as the daemon sent it
    std::string message;        // Error
};

// A line longer than this is not from llmd: its pieces are at most 64 KiB of text, six bytes each when escaped.
inline constexpr size_t kMaxLineBytes = 1u << 20;

// Bytes as they come, cut anywhere, become lines.
class LineBuffer {
public:
    // The lines that `bytes` complete, without their ends. Throws CommandError(Failed) past kMaxLineBytes.
    std::vector<std::string> take(std::string_view bytes);

private:
    std::string pending_;  // the line that is not complete yet
};

}  // namespace llmd::client
