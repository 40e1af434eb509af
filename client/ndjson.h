// Reads the stream that `Stream` with format=ndjson delivers: one JSON object a line, the last one saying how it ended.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "client/stream_line.h"

namespace llmd::client {

class StreamReader {
public:
    StreamReader();
    ~StreamReader();

    // Takes bytes as they come from the pipe, cut anywhere; returns the lines they complete. A last line's `info` is
    // "usage" and every other scalar of it. Throws CommandError(Failed) when a line is not what the format allows.
    std::vector<StreamLine> take(std::string_view bytes);

private:
    StreamLine parse(std::string_view line);

    struct Parser;  // simdjson's, kept out of this header
    std::unique_ptr<Parser> parser_;
    LineBuffer lines_;
};

}  // namespace llmd::client
