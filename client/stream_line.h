// The lines that the daemon sends of a text that it generates, whichever way they come, and how they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/value.h"

namespace llmd::client {

// A call of a tool, or a part of one: the parts of a call have the same index.
struct ToolCall {
    uint64_t index = 0;     // of the call in its answer
    std::string id;         // in the first part
    std::string name;       // likewise
    std::string arguments;  // JSON text, which further parts continue
};

// The calls as a message of the assistant has them, `tool_calls` in OpenAI's form.
Value::Array calls_value(const std::vector<ToolCall>& calls);

struct StreamLine {
    enum class Kind { Text, Thinking, ToolCall, Done, Error };
    Kind kind = Kind::Text;
    std::string text;           // Text, Thinking
    ToolCall call;              // ToolCall
    std::string finish_reason;  // Done: "stop", "length", "tool_calls", "cancelled", "timeout"
    Dictionary info;            // Done: what it cost, under the names of the D-Bus interface's `info`
    std::string error_name;     // Error, as the daemon sent it
    std::string message;        // Error
};

// A line longer than this is not from llmd: its pieces are at most 64 KiB of text, six bytes each when escaped.
inline constexpr size_t kMaxLineBytes = 1u << 20;

// Reads the stream that `Stream` with format=ndjson delivers: one JSON object a line, the last one saying how it ended.
class StreamReader {
public:
    StreamReader();
    ~StreamReader();

    // Takes bytes as they come from the pipe, cut anywhere; returns the lines they complete. A last line's `info` is
    // "usage" and every other scalar of it. Throws CommandError(Failed) when a line is not what the format allows, or
    // longer than kMaxLineBytes.
    std::vector<StreamLine> take(std::string_view bytes);

private:
    struct Parser;  // simdjson's, kept out of this header
    std::unique_ptr<Parser> parser_;
    std::string pending_;  // the line that is not complete yet
};

}  // namespace llmd::client
