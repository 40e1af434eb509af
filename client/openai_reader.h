// Reads what llmd's socket answers in OpenAI's shapes: the server-sent events of a stream, embeddings, and errors.
// Pure. All throw CommandError(Failed) when it is not what the format allows.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "client/stream_line.h"

namespace llmd::client {

class OpenAiStreamReader {
public:
    OpenAiStreamReader();
    ~OpenAiStreamReader();

    // Takes bytes of the body as they come, cut anywhere; returns what the events they complete say. The counts of the
    // usage event, `stream_options.include_usage`, come with the last line.
    std::vector<StreamLine> take(std::string_view bytes);

private:
    void parse(std::string_view event, std::vector<StreamLine>& out);

    struct Parser;  // simdjson's, kept out of this header
    std::unique_ptr<Parser> parser_;
    LineBuffer lines_;
    StreamLine last_;
};

// The answer to embeddings_request().
Embeddings read_embeddings(std::string_view body);

// The body of an answer that is not 200: a line of kind Error.
StreamLine read_error(std::string_view body);

}  // namespace llmd::client
