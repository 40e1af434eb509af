// Reads the stream that `Stream` with format=ndjson delivers: one JSON object a line, the last one saying how it ended.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/value.h"

namespace llmd::client {

struct StreamLine {
    enum class Kind { Text, Done, Error };
    Kind kind = Kind::Text;
    std::string text;           // Text
    std::string finish_reason;  // Done: "stop", "length", "cancelled", "timeout"
    Dictionary info;            // Done: "usage" and every other scalar of the line
    std::string error_name;     // Error, as the daemon sent it
    std::string message;        // Error
};

// A line longer than this is not from llmd: its pieces are at most 64 KiB of text, six bytes each when escaped.
inline constexpr size_t kMaxLineBytes = 1u << 20;

class StreamReader {
public:
    StreamReader();
    ~StreamReader();

    // Takes bytes as they come from the pipe, cut anywhere; returns the lines they complete. Throws
    // CommandError(Failed) when a line is not what the format allows.
    std::vector<StreamLine> take(std::string_view bytes);

private:
    StreamLine parse(std::string_view line);

    struct Parser;  // simdjson's, kept out of this header
    std::unique_ptr<Parser> parser_;
    std::string pending_;  // the line that is not complete yet
};

}  // namespace llmd::client
