#include "client/stream_line.h"

#include <utility>

#include "client/json_reading.h"

namespace llmd::client {

std::vector<std::string> LineBuffer::take(std::string_view bytes) {
    std::vector<std::string> lines;
    for (size_t end; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
        pending_ += bytes.substr(0, end);
        lines.push_back(std::exchange(pending_, {}));
    }
    pending_ += bytes;
    if (pending_.size() > kMaxLineBytes) malformed("a line of more than 1 MiB");
    return lines;
}

}  // namespace llmd::client
